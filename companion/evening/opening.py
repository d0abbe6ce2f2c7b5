"""An evening put together: what the plan says becomes a table, its readers, the demo's hands and a
live session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from companion import settings as kept_settings
from companion.demo.later import LaterTable
from companion.demo.stickers import SPARE, stickered
from companion.evening.evening import CameraView, Closable, Evening, Readers
from companion.evening.first_start import deck_for
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.clocks import ClockOptions
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, CannotBegin, Plan, set_up, unusual
from companion.readers.camera.addresses import without_password
from companion.readers.recorded import Header, RecordedReader, Recorder
from companion.readers.rfid.problems import ReaderProblem
from companion.rules import registry
from companion.rules.contract import Game, Setup, Text
from companion.rules.people import People
from companion.table import pads as pad_plans
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Reader
from companion.table.table import Table
from companion.views.host import Backstage

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.evening.reveals import Reveals
    from companion.readers.camera.reader import CameraReader
    from companion.readers.rfid.virtual import VirtualBoard


def open_evening(plan: Plan, journal: Journal, kept: Kept | None, now: float) -> Evening:
    """Put everything together; `kept`: the session to go on with, `now`: monotonic seconds.

    Raises `CannotBegin`, and `DeckError` or `ZonesError` for files that say something wrong; no
    device is left open then.
    """
    game, setup = (registry.load(kept.setup.game), kept.setup) if kept is not None else set_up(plan)
    clock, deck, pads = clock_of(plan), _deck(plan, game.id), _pads(plan, game)
    with ExitStack() as undone:
        boards = _boards(plan.readers, deck, pads)
        # Only these hold something already (a simulator's process, a port's name); cameras open
        # later.
        for board in boards:
            undone.callback(board.close)
        demo = _demo(plan, setup, deck, pads, _simulated(boards)) if plan.demo else None
        cameras, back_known = _cameras(plan, deck, len(setup.players))
        colours = {colour: seat for seat, colour in enumerate(deck.colours[: len(setup.players)], 1)}
        table = Table(deck, colours, pads, back_known=back_known or demo is not None)
        live = Live(
            game,
            setup,
            table=table,
            journal=journal,
            cards=tuple(deck.cards),
            clock=clock,
            now=now,
            kept=kept,
            odds=plan.odds,
        )
        learning = _learning(live, cameras, deck, kept) if cameras else ()
        evening = _seat(plan, deck, live, boards, cameras, demo, learning)
        # From here on the evening itself closes what is open.
        undone.pop_all()
    return evening


def clock_of(plan: Plan) -> ClockOptions | None:
    """Return the clock that was chosen; raises `CannotBegin` for one that no clock can show."""
    if plan.clock is None:
        return None
    try:
        return ClockOptions(plan.clock_per, plan.clock, plan.bank, when_up=plan.when_up)
    except ValueError as fault:
        raise CannotBegin(Text("play.bad_clock", {"reason": str(fault)})) from fault


def _deck(plan: Plan, game: str) -> Deck:
    deck = deck_for(plan, game)
    if deck.game != game:
        raise CannotBegin(Text("play.other_game", {"deck": deck.name, "game": game}))
    return stickered(deck, SPARE) if SIMULATED in plan.readers else deck


def _pads(plan: Plan, game: Game[Any]) -> Mapping[str, Pad]:
    """Return what the pads are for: as the table's layout says, and their own file; a board of
    which neither speaks has the usual plan."""
    if not plan.readers:
        return {}
    from companion.evening.card_readers import lays_face_down  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    face_down = lays_face_down(game)
    named: dict[str, Pad] = {}
    try:
        if plan.zones is not None and plan.zones.is_file():
            named |= pad_plans.load(plan.zones, face_down=face_down)
        if plan.pads is not None:
            named |= pad_plans.load(plan.pads, face_down=face_down)
    except pad_plans.PadsError as fault:
        raise CannotBegin(fault.text) from fault
    usual = pad_plans.usual(len(plan.readers), face_down=face_down)
    return named if any(name in usual for name in named) else {**usual, **named}


def _boards(names: Sequence[str], deck: Deck, pads: Mapping[str, Pad]) -> list[Reader]:
    if not names:
        return []
    from companion.evening.card_readers import open_readers  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    try:
        return open_readers(names, deck, pads)
    except ReaderProblem as fault:
        raise CannotBegin(fault.text) from fault


def _cameras(plan: Plan, deck: Deck, seats: int) -> tuple[list[CameraReader], bool]:
    """Return the cameras' readers, and whether they can tell the back of the deck's cards."""
    if all(what == OFF for what in plan.cameras):
        return [], False
    from companion.evening.cameras import open_cameras  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return open_cameras(plan, deck, seats)


def _demo(
    plan: Plan, setup: Setup, deck: Deck, pads: Mapping[str, Pad], board: VirtualBoard | None
) -> DemoTable | LaterTable:
    """Return the demo's table. The drawn one alone is made when its screen is seen; one with a
    board, or whose reveals are kept, at once."""

    def make() -> DemoTable:
        from companion.demo.table import DemoTable  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

        return DemoTable(
            setup,
            deck,
            speed=plan.speed,
            language=plan.language,
            board=board,
            pads=pads,
            seen=board is None or OFF not in plan.cameras,
        )

    return LaterTable(make) if board is None and not plan.pictures else make()


def _simulated(boards: list[Reader]) -> VirtualBoard | None:
    if not boards:
        return None
    from companion.readers.rfid.board import SimulatedBoardReader  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    return next((one.board for one in boards if isinstance(one, SimulatedBoardReader)), None)


def _seat(
    plan: Plan,
    deck: Deck,
    live: Live,
    boards: list[Reader],
    cameras: list[CameraReader],
    demo: DemoTable | LaterTable | None,
    learning: Sequence[Closable],
) -> Evening:
    """Join readers, recorder and the demo's hands to the live session. `learning`: what watches
    what the cameras learn."""
    drawn = None if demo is None else demo.camera
    looking: list[CameraView] = [*cameras] if drawn is None else [*cameras, drawn]
    replayed = [RecordedReader(plan.replay)] if plan.replay is not None else []
    header = Header(1, live.game.id, deck.name)
    recorder = Recorder(plan.record, header, live.post) if plan.record is not None else None
    eyes = list(cameras)
    if demo is not None and not isinstance(demo, LaterTable) and demo.camera is not None:
        eyes.append(demo.camera)
    reveals = _reveals(live, eyes) if plan.pictures and eyes else None
    if boards:
        from companion.evening.card_readers import join  # noqa: PLC0415 - who has no card reader waits for none of its libraries

        join(live, boards)
    if demo is not None:
        demo.join(live)
    return Evening(
        plan,
        live,
        Readers(looking, boards, replayed),
        post=live.post if recorder is None else recorder.post,
        backstage=demo or _photo_keys(cameras),
        around=(_there(demo, reveals), (*learning, *_there(recorder, live))),
    )


def _learning(live: Live, cameras: list[CameraReader], deck: Deck, kept: Kept | None) -> Sequence[Closable]:
    """Let the cameras know what they knew, and keep what they learn: the deck's ink in this light,
    and cards that people named."""
    from companion.decks.references import place_of  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before
    from companion.enrolment.learner import Learner  # noqa: PLC0415
    from companion.evening.ink import InkKeeper  # noqa: PLC0415

    ink, views = InkKeeper(live, cameras, deck.name, kept), place_of(deck)
    if views is None:
        return (ink,)
    learner = Learner(deck, views, cameras, live.remark)
    live.on_named(learner.named)
    return ink, learner


def _reveals(live: Live, cameras: list[CameraReader]) -> Reveals:
    from companion.evening.reveals import Reveals  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return Reveals(live, cameras)


def _photo_keys(cameras: list[CameraReader]) -> Backstage | None:
    if not cameras:
        return None
    from companion.evening.cameras import photo_keys  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return photo_keys(cameras)


def _there(*every: Closable | None) -> list[Closable]:
    return [one for one in every if one is not None]


def remember(plan: Plan, live: Live) -> None:
    """Keep the plan of who plays this evening, and whenever a name is put right keep it by that
    name instead."""
    by: list[tuple[str, ...]] = [live.snapshot().people.seats]

    def follow(snapshot: Snapshot) -> None:
        group = group_of(plan, live.setup, snapshot.people)
        if len(by) == 1 or by[-1] != group.players:
            settings = kept_settings.load()
            for players in by:
                settings = settings.without_group(group.game, players)
            kept_settings.save(settings.with_group(group))
            by.append(group.players)

    follow(live.snapshot())
    live.subscribe(follow)


def group_of(plan: Plan, setup: Setup, people: People) -> Plan:
    """Return what is kept of an evening's plan: who plays what, by their right names, and how; no
    camera's password."""
    return Plan(
        setup.game,
        tuple(people.right.values()),
        unusual(setup),
        plan.deck,
        tuple(map(without_password, plan.cameras)),
        plan.readers,
        plan.clock,
        plan.bank,
        plan.clock_per,
        plan.when_up,
    )
