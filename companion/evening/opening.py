"""An evening put together and open: what the plan says becomes a table, its readers, the demo's
hands, a live session, and what is heard of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from companion import settings as kept_settings
from companion.demo.later import SPARE, LaterTable, stickered
from companion.evening.first_start import deck_for
from companion.evening.sharing import phone_of
from companion.journal.journal import Journal
from companion.journal.kept import Kept
from companion.live.clocks import ClockOptions
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, SIMULATED, CannotBegin, Plan, set_up, unusual
from companion.readers.camera.addresses import without_password
from companion.readers.recorded import Header, RecordedReader, Recorder
from companion.readers.rfid.events import ReaderProblem
from companion.rules import registry
from companion.rules.contract import Game, Setup, Text
from companion.rules.people import People
from companion.table import pads as pad_plans
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Post, TableReader
from companion.table.table import Table
from companion.views.evening import BARE, Backstage

if TYPE_CHECKING:
    from companion.demo.table import DemoTable
    from companion.evening.cameras import Reveals
    from companion.readers.camera.pictures import PreviewPicture
    from companion.readers.camera.reader import CameraReader
    from companion.readers.camera.sources import Phone, Source
    from companion.readers.nfc.phone import PhonePads
    from companion.readers.rfid.simulator import VirtualBoard
    from companion.views.dashboard.widgets.preview import Picture
    from companion.views.spoken import Speaker


PREVIEW = 240
"""Pixels across the picture that the dashboard draws in half blocks; below 320 it carries outlines
but no names."""


class CameraView(TableReader, Protocol):
    """A reader that looks: a camera."""

    @property
    def source(self) -> Source | None:
        """Where the pictures come from; None: from nowhere yet."""

    def preview(self, width: int) -> PreviewPicture | None:
        """Return the newest picture with the outlines of the cards."""

    def labels(self) -> list[tuple[float, float, str]]:
        """Return where in it which cards are."""


class Readers(NamedTuple):
    """Everything that reports what lies on the table: cameras, card readers, recordings."""

    cameras: Sequence[CameraView] = ()
    boards: Sequence[TableReader] = ()
    replayed: Sequence[TableReader] = ()

    @property
    def all(self) -> Sequence[TableReader]:
        """Every one."""
        return (*self.cameras, *self.boards, *self.replayed)


class Closable(Protocol):
    """What is to be closed at the end."""

    def close(self) -> None:
        """Let go of everything."""


class Evening:
    """Everything that is open while people play. `start` sets the readers going, `close` releases
    every device.

    `plan`: what people chose. `post`: where the readers report to. `backstage`: what runs behind
    the table, with keys of its own. `around`: what is to be closed before the readers, and what
    after them, in this order.
    """

    def __init__(
        self,
        plan: Plan,
        live: Live,
        readers: Readers,
        *,
        post: Post,
        backstage: Backstage,
        around: tuple[Sequence[Closable], Sequence[Closable]],
    ) -> None:
        self.plan = plan
        self.live = live
        self.backstage = backstage
        self._readers = readers
        self._post = post
        self._before, self._after = around

    def start(self) -> None:
        """Let every reader begin to report."""
        for reader in self._readers.all:
            reader.start(self._post)

    def picture(self) -> Picture | None:
        """Return the first camera's newest picture with the outlines of the cards; None while there
        is none."""
        for reader in self._readers.cameras[:1]:
            preview = reader.preview(PREVIEW)
            return None if preview is None else preview.image
        return None

    def labels(self) -> list[tuple[float, float, str]]:
        """Return where in that picture which cards are."""
        return self._readers.cameras[0].labels() if self._readers.cameras else []

    @property
    def phone(self) -> Phone | None:
        """The phone that is to be a camera, if one was asked for."""
        sources = [reader.source for reader in self._readers.cameras]
        return next((phone for source in sources if (phone := phone_of(source))), None)

    @property
    def phone_pads(self) -> PhonePads | None:
        """The phones that read stickers, if that was asked for."""
        if not self._readers.boards:
            return None
        from companion.readers.nfc.phone import PhonePads  # noqa: PLC0415 - who has no card reader waits for none of its libraries

        return next((reader for reader in self._readers.boards if isinstance(reader, PhonePads)), None)

    @property
    def has_camera(self) -> bool:
        """Whether there is a picture to show."""
        return bool(self._readers.cameras)

    @property
    def board(self) -> VirtualBoard | None:
        """The simulated card reader, if there is one."""
        if not self._readers.boards:
            return None
        from companion.readers.rfid.board import SimulatedBoardReader  # noqa: PLC0415 - who has no card reader waits for none of its libraries

        return next(
            (one.board for one in self._readers.boards if isinstance(one, SimulatedBoardReader)), None
        )

    def close(self) -> None:
        """Stop hands and readers, write what was learnt, then close recording and journal."""
        for one in (*self._before, *self._readers.all, *self._after):
            one.close()


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


def _boards(names: Sequence[str], deck: Deck, pads: Mapping[str, Pad]) -> list[TableReader]:
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


def _simulated(boards: list[TableReader]) -> VirtualBoard | None:
    if not boards:
        return None
    from companion.readers.rfid.board import SimulatedBoardReader  # noqa: PLC0415 - who has no card reader waits for none of its libraries

    return next((one.board for one in boards if isinstance(one, SimulatedBoardReader)), None)


def _seat(
    plan: Plan,
    deck: Deck,
    live: Live,
    boards: list[TableReader],
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
    from companion.evening.cameras import InkKeeper  # noqa: PLC0415

    ink, views = InkKeeper(live, cameras, deck.name, kept), place_of(deck)
    if views is None:
        return (ink,)
    learner = Learner(deck, views, cameras, live.remark)
    live.on_named(learner.named)
    return ink, learner


def _reveals(live: Live, cameras: list[CameraReader]) -> Reveals:
    from companion.evening.cameras import Reveals  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before

    return Reveals(live, cameras)


def _photo_keys(cameras: list[CameraReader]) -> Backstage:
    if not cameras:
        return BARE
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


@contextmanager
def speaking(
    language: str, *, voice: bool, sounds: bool, told: Callable[[Text], object]
) -> Iterator[Speaker | None]:
    """Open what is wanted and give who hears the table; None where nothing is wanted. `told` hears
    what is missing."""
    if not (voice or sounds):
        yield None
        return
    from companion.views.sounds import NoSounds, Sounds  # noqa: PLC0415 - who wants it quiet waits for none of it
    from companion.views.spoken import Speaker  # noqa: PLC0415
    from companion.views.voice import NoVoice, Voice  # noqa: PLC0415

    with ExitStack() as open_now:
        speaking: Voice | None = None
        ring: Callable[[str], object] | None = None
        if voice:
            try:
                speaking = Voice(language)
                open_now.callback(speaking.close)
            except NoVoice as fault:
                told(fault.text)
        if sounds:
            try:
                player = Sounds()
                open_now.callback(player.close)
                ring = player.play
            except NoSounds as fault:
                told(fault.text)
                ring = _bell
        if speaking is None and ring is None:
            yield None
            return
        yield Speaker(speaking, ring, kept_settings.load().said, _keep)


def _bell(name: str) -> None:
    """Ring the terminal's own bell for what the table must not miss."""
    if name in ("question", "time", "won") and sys.__stderr__ is not None:
        sys.__stderr__.write("\a")
        sys.__stderr__.flush()


def _keep(name: str, words: str) -> None:
    """Remember how a name is said."""
    settings = kept_settings.load()
    said = {**settings.said, name: words}
    if not words:
        del said[name]
    kept_settings.save(msgspec.structs.replace(settings, said=said))
