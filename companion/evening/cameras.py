"""Cameras of an evening: what each looks at, what it knows of the deck, where the table is in its
picture, and what is stored of what it saw.

Two things are stored. The first is how each camera renders the ink of this evening's deck, in one
file per evening beside the journal: when the evening is resumed, its first card is read as well as
the last ones were. It is never stored in the deck, because another evening has another light. It
only saves the few clear cards from which it would be learnt again, so a failure to write it is not
reported, and a damaged file is ignored. The second, where the players asked for it, is pictures of
the reveals: of the cards that a camera saw turned up and the game accepted, taken when the act that
they belong to is resolved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import msgspec
import numpy as np

from companion.decks import back_drawing, drawings
from companion.decks.references import place_of, words_of
from companion.enrolment.learner import Learner
from companion.folders import private_folder
from companion.given_files import BadFile, bytes_of
from companion.journal.beside import keep_photo, keep_picture
from companion.journal.kept import Kept
from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import OFF, CannotBegin, Plan
from companion.readers.camera.pictures import FaceUpCards, jpeg
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Photos, find
from companion.rules import registry
from companion.rules.claims import seat_zone
from companion.rules.contract import Problem, Text
from companion.table import zones as layouts
from companion.table.decks import Deck, DeckError
from companion.table.identification import BACK, Key
from companion.table.zones import Zones
from companion.texts import system_reason
from companion.views.evening import Backstage, Command
from vision.errors import LibraryError
from vision.library import Library
from vision.naming import pack52
from vision.naming.response import InkSums
from vision.pawns import PrintedBoard


def open_cameras(plan: Plan, deck: Deck, seats: int) -> tuple[list[CameraReader], bool]:
    """Make the readers of the cameras in the plan, which share one library of the deck; return
    them, and whether the library includes the back of the cards.

    Raises `CannotBegin` if the library is too small or damaged, and `ZonesError` for a faulty
    layout.
    """
    named = [what for what in plan.cameras if what != OFF]
    library, layout = _library(deck, plan.language), _layout(plan.zones, seats)
    board: Callable[[], PrintedBoard] | None = (
        registry.part(deck.game, "drawing:under_camera") if named else None
    )
    # The board's squares are hidden from the search for cards: a hundred printed shapes would cost
    # 2 s a frame.
    lies = board and board()
    readers = [CameraReader(find(what), library, layout, markers=deck.markers, board=lies) for what in named]
    return readers, BACK in library.designs


def learning(
    live: Live, cameras: Sequence[CameraReader], deck: Deck, kept: Kept | None
) -> tuple[InkKeeper, Learner | None]:
    """Restore what the cameras knew, and store what they learn: the deck's ink in this light, and
    cards that people named."""
    ink, views = InkKeeper(live, cameras, deck.name, kept), deck.views if deck.at_once else place_of(deck)
    if views is None:
        return ink, None
    learner = Learner(deck, views, cameras, live.remark)
    live.on_named(learner.named)
    # Only such a deck learns from entries; for others all acts would be listed at each change, for
    # nothing.
    if deck.at_once:
        live.subscribe(lambda _snapshot: learner.acted([act.request for act in live.acts()]))
    return ink, learner


def photograph(live: Live, camera: CameraReader) -> Text:
    """Store the camera's picture as the evening's photo, in place of the one before; return a
    message about it, or why there is none."""
    journal, kept, photo = live.journal.path, live.journal.evening(), camera.photo()
    if journal is None or kept is None:
        return live.journal.trouble or Text("page.no_journal")
    if not photo:
        return Text("evening.photo.dark")
    try:
        keep_photo(journal, kept.number, kept.begun, photo)
    except Problem as fault:
        return fault.text
    except OSError as fault:
        return Text("evening.notes.not_kept", {"reason": system_reason(fault)})
    return Text("evening.photo.kept")


def learnt_pack(deck: Deck, journal: Path, number: int) -> Deck:
    """Return a deck that is played without enrolment together with what was learnt of it up to
    session `number`, from the folder beside the journal; unchanged if there is none."""
    begun = {int(folder.name): folder for folder in _packs(journal).glob("*") if folder.name.isdecimal()}
    # The newest state that this session can have known: later ones learnt from other evenings.
    up_to = [at for at in begun if at <= number]
    return Deck.load(begun[max(up_to)]) if up_to else deck


def own_pack(deck: Deck, journal: Path | None, number: int, undone: ExitStack) -> Deck:
    """Give a deck that is played without enrolment a folder for what will be learnt of it in
    session `number`: beside the journal, or a temporary one until `undone` if that cannot be
    written."""
    if journal is not None:
        with suppress(DeckError):
            return deck.save(_packs(journal) / str(number))
    return deck.save(Path(undone.enter_context(TemporaryDirectory())))


def _packs(journal: Path) -> Path:
    return journal.with_name(f"{journal.stem}-packs")


class CameraKeys(Backstage):
    """Keys for cameras: one shows the next photo where a folder of photos replaces a camera, one
    keeps a pack that was learnt at the table."""

    def __init__(self, cameras: Sequence[CameraReader], learner: Learner | None) -> None:
        folders = [camera.source for camera in cameras if isinstance(camera.source, Photos)]
        pages = [Command("n", Text("reader.next_photo"), photos.next, "n") for photos in folders[:1]]
        keeps = [] if learner is None else [Command("o", Text("pack.keep"), learner.own, "o")]
        self.commands = (*pages, *keeps)


def _library(deck: Deck, language: str) -> Library:
    """Return the library of the deck: the views that were enrolled, and our own drawings of cards
    that have none.

    Raises `CannotBegin` if views are damaged, or if more than half of the designs that stand for a
    card are unknown: such a deck has not been enrolled.
    """
    views = place_of(deck)
    try:
        library = Library() if views is None else Library.load(views)
    except LibraryError as error:
        raise CannotBegin(Text("cards.no_views", {"reason": words_of(error)})) from error
    drawn = drawings(deck, language)
    if drawn and not deck.at_once:
        drawn[BACK] = np.asarray(back_drawing(deck.game))
    enrolled = set(library.designs)
    for design, picture in drawn.items():
        if design not in enrolled:
            library.add(design, picture)
    if deck.at_once:
        library.pack = {one.name: one.copies for one in deck.designs if one.name in pack52.NAMES}
    # A pack that is played without enrolment has no views, and is recognised by a network all the
    # same.
    known = {*library.designs, *library.pack}
    meant = [design.name for design in deck.designs if design.card is not None]
    if sum(name in known for name in meant) * 2 < len(meant):
        raise CannotBegin(Text("play.no_references", {"deck": deck.name}))
    return library


def _layout(file: Path | None, seats: int) -> Zones:
    """Return the layout stored in `file`; if it was made for another number of players, only the
    table's position in the picture is used."""
    if file is None:
        return layouts.default(seats)
    kept = layouts.load(file)
    fits = seat_zone(seats) in kept.names and seat_zone(seats + 1) not in kept.names
    return kept if fits else layouts.default(seats, kept.aspect).seen_by(kept.camera)


LARGEST = 500_000
"""Most bytes of one file. A camera reports at most 24 cards of 18 numbers, 10 kB."""

Ink = Mapping[str, Sequence[InkSums]]
"""Ink measurements of the cards, by camera and deck (`_key`)."""


def ink_file(journal: Path, kept: Kept) -> Path:
    """Return the file for the ink of an evening, which need not exist."""
    return journal.with_name(f"{journal.stem}-ink") / f"{kept.number}-{int(kept.begun)}.json"


def keep_ink(place: Path, ink: Ink) -> None:
    """Write ink measurements atomically, readable by the owner alone. Raises `OSError`."""
    private_folder(place.parent)
    draft = place.with_suffix(".new")
    # Before anything is written, so that others can never read it.
    draft.touch(mode=0o600)
    draft.write_bytes(
        msgspec.json.encode({key: [told.numbers for told in says] for key, says in ink.items()})
    )
    draft.replace(place)


def read_ink(place: Path) -> dict[str, list[InkSums]]:
    """Return the ink measurements in a file; {} if it is missing or damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, ValueError):
        kept = msgspec.json.decode(bytes_of(place, LARGEST), type=dict[str, list[list[float]]])
        return {key: [InkSums.of(numbers) for numbers in says] for key, says in kept.items()}
    return {}


class InkKeeper:
    """Storage for ink: restores what the cameras of a resumed session knew, and stores what they
    learn.

    `deck`: the name of the cards they look at; `kept`: the session that is resumed, if any.
    """

    def __init__(self, live: Live, cameras: Sequence[CameraReader], deck: str, kept: Kept | None) -> None:
        self._live = live
        self._cameras = {_key(deck, camera): camera for camera in cameras}
        self._hands = ThreadPoolExecutor(1, "ink")  # players must not wait for the disk
        journal = live.journal.path
        before = read_ink(ink_file(journal, kept)) if journal is not None and kept is not None else {}
        for key, camera in self._cameras.items():
            camera.remember(before.get(key, ()))
        self._ink = self._now()
        live.subscribe(self._look)

    def close(self) -> None:
        """Store what was learnt last, and wait until it is written."""
        self._look(self._live.snapshot())
        self._hands.shutdown()

    def _now(self) -> dict[str, tuple[InkSums, ...]]:
        return {key: camera.ink for key, camera in self._cameras.items()}

    def _look(self, _snapshot: Snapshot) -> None:
        """Store new measurements. It is called for each act, so that after a power cut as much is
        known of the ink as of the game."""
        ink = self._now()
        # By identity: a camera makes a new tuple whenever it has learnt something.
        if all(says is self._ink[key] for key, says in ink.items()):
            return
        self._ink = ink
        journal, kept = self._live.journal.path, self._live.journal.evening()
        if journal is not None and kept is not None:
            self._hands.submit(_keep, ink_file(journal, kept), ink)


def _keep(place: Path, ink: Ink) -> None:
    with suppress(OSError):
        keep_ink(place, ink)


def _key(deck: str, camera: CameraReader) -> str:
    """Return the key of a camera and its deck: ink looks different on other cards and to another
    camera."""
    return f"{deck} / {camera.source.name}"


REST = 2.0
"""Most seconds to wait until the cards are uncovered: the hand that has just turned up the last one
is still over it."""
_LOOK = 0.1


class Reveals:
    """Pictures of the reveals of one evening. They contain only cards that were accepted face up,
    and only while they lie so."""

    def __init__(self, live: Live, cameras: Sequence[CameraReader]) -> None:
        self._live = live
        self._cameras = {camera.name: camera for camera in cameras}
        self._taken: dict[Key, str] = {}
        self._steps = live.steps
        self._hands = ThreadPoolExecutor(1, "pictures")  # players must not wait for the disk
        self._over = Event()
        self._failed = False
        live.on_answered(self._answered)
        live.subscribe(self._show)
        live.remark(Text("pictures.on"))

    def close(self) -> None:
        """Wait until pending pictures are written."""
        self._over.set()
        self._hands.shutdown()

    def _answered(self, tracks: Sequence[Key], accepted: bool) -> None:
        """Remember the face of each card that the game accepted."""
        if not accepted:
            return
        faces = self._faces()
        self._taken |= {key: faces[key] for key in tracks if key in faces}

    def _faces(self) -> dict[Key, str]:
        return {
            (name, track): face
            for name, camera in self._cameras.items()
            for track, face in camera.faces().items()
        }

    def _show(self, snapshot: Snapshot) -> None:
        """Take the picture when an act has resolved something; an undo that leads back to such an
        act does not count."""
        steps, before = self._live.steps, self._steps
        self._steps = steps
        # A redo is possible only after an undo.
        if steps == before or not snapshot.resolved or snapshot.can_redo or not self._taken:
            return
        lying = self._faces()
        taken, self._taken = {key: face for key, face in self._taken.items() if lying.get(key) == face}, {}
        journal, kept = self._live.journal.path, self._live.journal.evening()
        if journal is not None and kept is not None:
            self._hands.submit(self._keep, taken, partial(keep_picture, journal, kept))

    def _keep(self, taken: Mapping[Key, str], keep: Callable[[bytes], None]) -> None:
        turned = self._turned_up(taken)
        if turned is None:
            return
        try:
            keep(jpeg(turned))
        except OSError as fault:
            if not self._failed:  # reported once: a disk that is full stays full
                self._live.remark(Text("pictures.not_kept", {"reason": system_reason(fault)}))
            self._failed = True

    def _turned_up(self, taken: Mapping[Key, str]) -> FaceUpCards | None:
        """Return the picture in which most of the cards are uncovered; None if there is none before
        they are taken away."""
        best: FaceUpCards | None = None
        until = time.monotonic() + REST
        while True:
            for name, camera in self._cameras.items():
                turned = camera.turned_up(_of(name, taken))
                if len(turned.quads) > (0 if best is None else len(best.quads)):
                    best = turned
            whole = best is not None and len(best.quads) == len(taken)
            if whole or time.monotonic() >= until or self._over.wait(_LOOK):
                return best


def _of(name: str, taken: Mapping[Key, str]) -> dict[int, str]:
    return {track: face for (reader, track), face in taken.items() if reader == name}
