"""An evening put together: the game, its deck, the readers, the journal, and what runs behind the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from companion.decks import back_drawing, drawings
from companion.decks.collection import find_deck
from companion.decks.references import place_of
from companion.demo.stickers import stickered
from companion.demo.table import DemoTable
from companion.enrolment.learner import Learner
from companion.evening.card_readers import join, lays_face_down, open_readers
from companion.journal.journal import Journal
from companion.journal.store import Kept
from companion.live.clocks import ClockOptions
from companion.live.live import Live
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Photos, find
from companion.readers.manual import ManualReader
from companion.readers.recorded import Header, RecordedReader, Recorder
from companion.readers.rfid.board import SimulatedBoardReader
from companion.readers.rfid.problems import ReaderProblem
from companion.readers.rfid.virtual import VirtualBoard
from companion.rules import registry
from companion.rules.contract import Game, Refusal, Setup, Text
from companion.rules.start import Start, begin
from companion.table import pads as pad_plans
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.identification import BACK, Pad
from companion.table.sightings import Reader
from companion.table.table import Table
from companion.table.zones import Zones
from companion.views.dashboard.widgets.preview import Picture
from companion.views.host import Backstage, Command
from vision.errors import LibraryError
from vision.library import Library

PREVIEW = 240
"""Pixels across the picture that the dashboard draws in half blocks; below 320 it carries outlines but no names."""


class Plan(msgspec.Struct, frozen=True):
    """What the players chose for the evening; paths are as given, None: the usual place or none.

    `cameras`: numbers, device paths, films, folders of photos; `off`: none, at the demo table either. `readers`: card readers
    (`companion.evening.card_readers.KINDS`, or ports), `pads`: the file that says what their pads are for. `demo`: simulated players at a
    drawn table.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any] = {}
    seed: int | str | None = None
    deck: str = ""
    zones: Path | None = None
    cameras: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    pads: Path | None = None
    replay: Path | None = None
    record: Path | None = None
    demo: bool = False
    speed: float = 1.0
    clock: ClockOptions | None = None
    language: str = "en"


OFF = "off"
"""The camera that is none."""
SIMULATED = "simulated"
"""The reader that is the real firmware in a simulated board."""


class CannotBegin(Exception):
    """The evening cannot begin as planned; `text` says why and what to do."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.code)
        self.text = text


class Evening:
    """Everything that is open while people play. `start` sets the readers going, `close` releases every device."""

    def __init__(
        self,
        live: Live,
        readers: list[Reader],
        backstage: Backstage | None,
        recorder: Recorder | None,
        demo: DemoTable | None = None,
        learner: Learner | None = None,
    ) -> None:
        self.live = live
        self.backstage = backstage
        self._demo = demo
        self._readers = readers
        self._recorder = recorder
        self._learner = learner

    def start(self) -> None:
        """Let every reader begin to report."""
        post = self._recorder.post if self._recorder is not None else self.live.post
        for reader in self._readers:
            reader.start(post)

    def picture(self) -> Picture | None:
        """Return the first camera's newest picture with the outlines of the cards; None while there is none."""
        for reader in self._readers:
            if isinstance(reader, CameraReader):
                preview = reader.preview(PREVIEW)
                return None if preview is None else preview.image
        return None

    def labels(self) -> list[tuple[float, float, str]]:
        """Return where in that picture which cards are."""
        cameras = [reader for reader in self._readers if isinstance(reader, CameraReader)]
        return cameras[0].labels() if cameras else []

    @property
    def has_camera(self) -> bool:
        """Whether there is a picture to show."""
        return any(isinstance(reader, CameraReader) for reader in self._readers)

    @property
    def board(self) -> VirtualBoard | None:
        """The simulated card reader, if there is one."""
        return next((one.board for one in self._readers if isinstance(one, SimulatedBoardReader)), None)

    def close(self) -> None:
        """Stop the players' hands and the readers, write what was learnt, then close recording and journal."""
        if self._demo is not None:
            self._demo.close()
        for reader in self._readers:
            reader.close()
        if self._learner is not None:
            self._learner.close()
        if self._recorder is not None:
            self._recorder.close()
        self.live.close()


class PhotoKeys:
    """The key that turns to the next photo of a folder."""

    def __init__(self, photos: Photos) -> None:
        self.commands = (Command("n", Text("reader.next_photo"), photos.next, "n"),)

    def tick(self, now: float) -> None:
        """Do nothing: the photos wait for the key."""

    def pause(self, paused: bool) -> None:
        """Do nothing: photos stand still anyway."""


def set_up(plan: Plan) -> tuple[Game[Any], Setup]:
    """Check game, players and options; raises `CannotBegin`."""
    begun = begin(Start(plan.game, list(plan.players), dict(plan.options), plan.seed))
    if isinstance(begun, Refusal):
        raise CannotBegin(begun.text)
    return begun


def open_evening(plan: Plan, journal: Journal, kept: Kept | None, now: float) -> Evening:
    """Put everything together; `kept`: the session to go on with.

    Raises `CannotBegin`, and `DeckError` or `ZonesError` for files that say something wrong.
    """
    game, setup = (registry.load(kept.setup.game), kept.setup) if kept is not None else set_up(plan)
    deck = find_deck(plan.deck or game.id)
    if deck.game != game.id:
        raise CannotBegin(Text("play.other_game", {"deck": deck.name, "game": game.id}))
    if SIMULATED in plan.readers:
        deck = stickered(deck)
    pads = _pads(plan, game)
    boards = _boards(plan, deck, pads)
    try:
        return _seated(plan, game, setup, deck, boards, pads, journal, kept, now)
    except BaseException:
        for board in boards:
            board.close()
        raise


def _seated(
    plan: Plan,
    game: Game[Any],
    setup: Setup,
    deck: Deck,
    boards: list[Reader],
    pads: Mapping[str, Pad],
    journal: Journal,
    kept: Kept | None,
    now: float,
) -> Evening:
    """Put together what needs no more checks."""
    colours = {colour: seat for seat, colour in enumerate(deck.colours[: len(setup.players)], 1)}
    demo = _demo(plan, setup, deck, boards, pads) if plan.demo else None
    shots = [what for what in plan.cameras if what != OFF]
    library = _library(deck, plan.language) if shots else Library()
    cameras = [_camera(what, library, plan, len(setup.players), deck) for what in shots]
    if demo is not None and demo.camera is not None:
        cameras.append(demo.camera)
    table = Table(deck, colours, pads, back_known=demo is not None or BACK in library.designs)
    live = Live(
        game,
        setup,
        table=table,
        journal=journal,
        cards=tuple(deck.cards),
        clock=plan.clock,
        now=now,
        kept=kept,
    )
    readers: list[Reader] = [*cameras, *boards, ManualReader()]
    if plan.replay is not None:
        readers.append(RecordedReader(plan.replay))
    recorder = (
        Recorder(plan.record, Header(1, game.id, deck.name), live.post) if plan.record is not None else None
    )
    views = place_of(deck)
    learner = Learner(deck, views, cameras, live.remark) if shots and views is not None else None
    if learner is not None:
        live.on_named(learner.named)
    join(live, boards)
    if demo is not None:
        demo.join(live)
    return Evening(live, readers, demo or _photo_keys(cameras), recorder, demo, learner)


def _boards(plan: Plan, deck: Deck, pads: Mapping[str, Pad]) -> list[Reader]:
    try:
        return open_readers(plan.readers, deck, pads)
    except ReaderProblem as fault:
        raise CannotBegin(fault.text) from fault


def _pads(plan: Plan, game: Game[Any]) -> Mapping[str, Pad]:
    """Return what the pads are for: as the table's layout says, and their own file; a board of which neither speaks has the usual plan."""
    if not plan.readers:
        return {}
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


def _demo(plan: Plan, setup: Setup, deck: Deck, boards: list[Reader], pads: Mapping[str, Pad]) -> DemoTable:
    board = next((one.board for one in boards if isinstance(one, SimulatedBoardReader)), None)
    seen = board is None or OFF not in plan.cameras
    return DemoTable(setup, deck, speed=plan.speed, language=plan.language, board=board, pads=pads, seen=seen)


def _library(deck: Deck, language: str) -> Library:
    """Return what the camera knows of the deck: the views that were enrolled, and our own drawings of cards that have none.

    Raises `CannotBegin` when views are damaged, and when more than half of the designs that mean something are unknown: that deck
    has not been enrolled.
    """
    views = place_of(deck)
    try:
        library = Library() if views is None else Library.load(views)
    except LibraryError as error:
        raise CannotBegin(Text("cards.no_views", {"reason": str(error)})) from error
    drawn = drawings(deck, language)
    if drawn:
        drawn[BACK] = np.asarray(back_drawing(deck.game))
    enrolled = set(library.designs)
    for design, picture in drawn.items():
        if design not in enrolled:
            library.add(design, picture)
    known = set(library.designs)
    meant = [design.name for design in deck.designs if design.card is not None]
    if sum(name in known for name in meant) * 2 < len(meant):
        raise CannotBegin(Text("play.no_references", {"deck": deck.name}))
    return library


def _camera(what: str, library: Library, plan: Plan, seats: int, deck: Deck) -> CameraReader:
    markers = {design.marker: design.name for design in deck.designs if design.marker is not None}
    return CameraReader(find(what), library, _layout(plan.zones, seats), markers=markers)


def _layout(file: Path | None, seats: int) -> Zones:
    """Return the layout kept in `file`; one made for another number of players gives only where the table is in the picture."""
    if file is None:
        return layouts.default(seats)
    kept = layouts.load(file)
    fits = f"seat:{seats}" in kept.names and f"seat:{seats + 1}" not in kept.names
    return kept if fits else layouts.default(seats, kept.aspect).seen_by(kept.camera)


def _photo_keys(cameras: list[CameraReader]) -> Backstage | None:
    folders = [camera.source for camera in cameras if isinstance(camera.source, Photos)]
    return PhotoKeys(folders[0]) if folders else None
