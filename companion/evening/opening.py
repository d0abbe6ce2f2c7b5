"""An evening put together: what the plan says becomes a table, its readers, the demo's hands and a
live session."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from companion.demo.later import LaterTable
from companion.demo.stickers import SPARE, stickered
from companion.evening.evening import CameraView, Closable, Evening, Readers
from companion.evening.first_start import deck_for
from companion.evening.plan import OFF, SIMULATED, CannotBegin, Plan, set_up
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.live import Live
from companion.readers.recorded import Header, RecordedReader, Recorder
from companion.readers.rfid.problems import ReaderProblem
from companion.rules import registry
from companion.rules.contract import Game, Setup, Text
from companion.table import pads as pad_plans
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Reader
from companion.table.table import Table
from companion.views.host import Backstage

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.enrolment.learner import Learner
    from companion.evening.ink import InkKeeper
    from companion.evening.reveals import Reveals
    from companion.readers.camera.reader import CameraReader
    from companion.readers.rfid.virtual import VirtualBoard


class _Agreed(NamedTuple):
    """What is settled before any device opens: the plan, the game with its players and options, the
    deck, what the pads are for, and the session to go on with, if any."""

    plan: Plan
    game: Game[Any]
    setup: Setup
    deck: Deck
    pads: Mapping[str, Pad]
    kept: Kept | None


def open_evening(plan: Plan, journal: Journal, kept: Kept | None, now: float) -> Evening:
    """Put everything together; `kept`: the session to go on with, `now`: monotonic seconds.

    Raises `CannotBegin`, and `DeckError` or `ZonesError` for files that say something wrong; no
    device is left open then.
    """
    agreed = _agree(plan, kept)
    with ExitStack() as undone:
        boards = _boards(agreed)
        # Only these hold something already (a simulator's process, a port's name); cameras open
        # later.
        for board in boards:
            undone.callback(board.close)
        demo = _demo(agreed, boards) if plan.demo else None
        cameras, back_known = _cameras(agreed)
        table = _table(agreed, back_known=back_known or demo is not None)
        live = Live(
            agreed.game,
            agreed.setup,
            table=table,
            journal=journal,
            cards=tuple(agreed.deck.cards),
            clock=plan.clock,
            now=now,
            kept=kept,
            odds=plan.odds,
        )
        evening = _seat(agreed, live, boards, cameras, demo)
        # From here on the evening itself closes what is open.
        undone.pop_all()
    return evening


def _agree(plan: Plan, kept: Kept | None) -> _Agreed:
    game, setup = (registry.load(kept.setup.game), kept.setup) if kept is not None else set_up(plan)
    deck = deck_for(plan, game.id)
    if deck.game != game.id:
        raise CannotBegin(Text("play.other_game", {"deck": deck.name, "game": game.id}))
    if SIMULATED in plan.readers:
        deck = stickered(deck, SPARE)
    return _Agreed(plan, game, setup, deck, _pads(plan, game), kept)


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


def _boards(agreed: _Agreed) -> list[Reader]:
    if not agreed.plan.readers:
        return []
    from companion.evening.card_readers import open_readers  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    try:
        return open_readers(agreed.plan.readers, agreed.deck, agreed.pads)
    except ReaderProblem as fault:
        raise CannotBegin(fault.text) from fault


def _cameras(agreed: _Agreed) -> tuple[list[CameraReader], bool]:
    """Return the cameras' readers, and whether they can tell the back of the deck's cards."""
    if all(what == OFF for what in agreed.plan.cameras):
        return [], False
    from companion.evening.cameras import open_cameras  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return open_cameras(agreed.plan, agreed.deck, len(agreed.setup.players))


def _demo(agreed: _Agreed, boards: list[Reader]) -> DemoTable | LaterTable:
    """Return the demo's table. The drawn one alone is made when its screen is seen; one with a
    board, or whose reveals are kept, at once."""
    plan = agreed.plan
    board = _simulated(boards)

    def make() -> DemoTable:
        from companion.demo.table import DemoTable  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

        return DemoTable(
            agreed.setup,
            agreed.deck,
            speed=plan.speed,
            language=plan.language,
            board=board,
            pads=agreed.pads,
            seen=board is None or OFF not in plan.cameras,
        )

    return LaterTable(make) if board is None and not plan.pictures else make()


def _simulated(boards: list[Reader]) -> VirtualBoard | None:
    if not boards:
        return None
    from companion.readers.rfid.board import SimulatedBoardReader  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    return next((one.board for one in boards if isinstance(one, SimulatedBoardReader)), None)


def _table(agreed: _Agreed, *, back_known: bool) -> Table:
    deck, seats = agreed.deck, len(agreed.setup.players)
    colours = {colour: seat for seat, colour in enumerate(deck.colours[:seats], 1)}
    return Table(deck, colours, agreed.pads, back_known=back_known)


def _seat(
    agreed: _Agreed,
    live: Live,
    boards: list[Reader],
    cameras: list[CameraReader],
    demo: DemoTable | LaterTable | None,
) -> Evening:
    """Join readers, recorder, learner and the demo's hands to the live session."""
    plan = agreed.plan
    drawn = None if demo is None else demo.camera
    looking: list[CameraView] = [*cameras] if drawn is None else [*cameras, drawn]
    replayed = [RecordedReader(plan.replay)] if plan.replay is not None else []
    header = Header(1, agreed.game.id, agreed.deck.name)
    recorder = Recorder(plan.record, header, live.post) if plan.record is not None else None
    learner = _learner(agreed.deck, live, cameras) if cameras else None
    ink = _ink(agreed, live, cameras) if cameras else None
    if learner is not None:
        live.on_named(learner.named)
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
        live,
        Readers(looking, boards, replayed),
        post=live.post if recorder is None else recorder.post,
        backstage=demo or _photo_keys(cameras),
        around=(_there(demo, reveals), _there(ink, learner, recorder, live)),
    )


def _learner(deck: Deck, live: Live, cameras: list[CameraReader]) -> Learner | None:
    from companion.decks.references import place_of  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before
    from companion.enrolment.learner import Learner  # noqa: PLC0415

    views = place_of(deck)
    return None if views is None else Learner(deck, views, cameras, live.remark)


def _ink(agreed: _Agreed, live: Live, cameras: list[CameraReader]) -> InkKeeper:
    from companion.evening.ink import InkKeeper  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return InkKeeper(live, cameras, agreed.deck.name, agreed.kept)


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
