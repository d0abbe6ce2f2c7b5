"""The cameras of an evening: what each looks at and knows of the deck, where the table is in its
picture, and what is kept of what they saw.

That is two things. How they render the ink of this evening's deck lies beside the journal, a file
an evening: whoever goes on with it reads its first card as the last ones were read. It never goes
into the deck: another evening has another light. It only saves the few clear cards that would teach
it anew, so nothing is told where it cannot be written, and a damaged file counts as none. And,
where that was asked for, pictures of the reveals: of the cards that a camera saw turned up and the
table took, when what they were about is resolved.
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
    """Make the readers of the cameras that the plan names; they share what is known of the deck.
    Tell whether that is the back of its cards, too.

    Raises `CannotBegin` when that is too little or damaged, and `ZonesError` for a layout that says
    something wrong.
    """
    named = [what for what in plan.cameras if what != OFF]
    library, layout = _library(deck, plan.language), _layout(plan.zones, seats)
    board: Callable[[], PrintedBoard] | None = (
        registry.part(deck.game, "drawing:under_camera") if named else None
    )
    lies = board and board()
    readers = [CameraReader(find(what), library, layout, markers=deck.markers, board=lies) for what in named]
    return readers, BACK in library.designs


def learning(
    live: Live, cameras: Sequence[CameraReader], deck: Deck, kept: Kept | None
) -> tuple[InkKeeper, Learner | None]:
    """Let the cameras know what they knew, and keep what they learn: the deck's ink in this light,
    and cards that people named."""
    ink, views = InkKeeper(live, cameras, deck.name, kept), deck.views if deck.at_once else place_of(deck)
    if views is None:
        return ink, None
    learner = Learner(deck, views, cameras, live.remark)
    live.on_named(learner.named)
    if deck.at_once:
        live.subscribe(lambda _snapshot: learner.acted([act.request for act in live.acts()]))
    return ink, learner


def photograph(live: Live, camera: CameraReader) -> Text:
    """Keep what the camera shows as the evening's photo, in the place of the one before; say so, or
    why there is none."""
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
    """Return a deck that is played at once with what was learnt of it up to session `number`: in a
    folder beside the journal; as it is where there is none."""
    begun = {int(folder.name): folder for folder in _packs(journal).glob("*") if folder.name.isdecimal()}
    up_to = [at for at in begun if at <= number]
    return Deck.load(begun[max(up_to)]) if up_to else deck


def own_pack(deck: Deck, journal: Path | None, number: int, undone: ExitStack) -> Deck:
    """Give a deck that is played at once a folder for what will be learnt of it in session
    `number`: beside the journal; where there is none, or it cannot be written, until `undone`."""
    if journal is not None:
        with suppress(DeckError):
            return deck.save(_packs(journal) / str(number))
    return deck.save(Path(undone.enter_context(TemporaryDirectory())))


def _packs(journal: Path) -> Path:
    return journal.with_name(f"{journal.stem}-packs")


class CameraKeys(Backstage):
    """The key that turns to the next photo where a folder of them takes a camera's place, and the
    one that keeps a pack which is learnt at the table."""

    def __init__(self, cameras: Sequence[CameraReader], learner: Learner | None) -> None:
        folders = [camera.source for camera in cameras if isinstance(camera.source, Photos)]
        pages = [Command("n", Text("reader.next_photo"), photos.next, "n") for photos in folders[:1]]
        keeps = [] if learner is None else [Command("o", Text("pack.keep"), learner.own, "o")]
        self.commands = (*pages, *keeps)


def _library(deck: Deck, language: str) -> Library:
    """Return what the camera knows of the deck: the views that were enrolled, and our own drawings
    of cards that have none.

    Raises `CannotBegin` when views are damaged, and when more than half of the designs that mean
    something are unknown: that deck has not been enrolled.
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
    known = {*library.designs, *library.pack}
    meant = [design.name for design in deck.designs if design.card is not None]
    if sum(name in known for name in meant) * 2 < len(meant):
        raise CannotBegin(Text("play.no_references", {"deck": deck.name}))
    return library


def _layout(file: Path | None, seats: int) -> Zones:
    """Return the layout kept in `file`; one made for another number of players gives only where the
    table is in the picture."""
    if file is None:
        return layouts.default(seats)
    kept = layouts.load(file)
    fits = seat_zone(seats) in kept.names and seat_zone(seats + 1) not in kept.names
    return kept if fits else layouts.default(seats, kept.aspect).seen_by(kept.camera)


LARGEST = 500_000
"""Bytes of one file at most; a camera's word has at most 24 cards of 18 numbers, 10 kB."""

Ink = Mapping[str, Sequence[InkSums]]
"""What the cards have told, by the camera and the deck (`_key`)."""


def ink_file(journal: Path, kept: Kept) -> Path:
    """Return where the ink of an evening lies, if any is known."""
    return journal.with_name(f"{journal.stem}-ink") / f"{kept.number}-{int(kept.begun)}.json"


def keep_ink(place: Path, ink: Ink) -> None:
    """Write what is known, for its owner alone, whole or not at all. Raises `OSError`."""
    private_folder(place.parent)
    draft = place.with_suffix(".new")
    draft.touch(mode=0o600)
    draft.write_bytes(
        msgspec.json.encode({key: [told.numbers for told in says] for key, says in ink.items()})
    )
    draft.replace(place)


def read_ink(place: Path) -> dict[str, list[InkSums]]:
    """Return what was kept in a file; nothing where there is none or it is damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, ValueError):
        kept = msgspec.json.decode(bytes_of(place, LARGEST), type=dict[str, list[list[float]]])
        return {key: [InkSums.of(numbers) for numbers in says] for key, says in kept.items()}
    return {}


class InkKeeper:
    """Gives the cameras of a session that is gone on with what they knew, and keeps what they
    learn.

    `deck`: the name of the cards they look at; `kept`: the session that is gone on with, if it is
    one.
    """

    def __init__(self, live: Live, cameras: Sequence[CameraReader], deck: str, kept: Kept | None) -> None:
        self._live = live
        self._cameras = {_key(deck, camera): camera for camera in cameras}
        self._hands = ThreadPoolExecutor(1, "ink")  # who plays waits for no disk
        journal = live.journal.path
        before = read_ink(ink_file(journal, kept)) if journal is not None and kept is not None else {}
        for key, camera in self._cameras.items():
            camera.remember(before.get(key, ()))
        self._ink = self._now()
        live.subscribe(self._look)

    def close(self) -> None:
        """Keep what was learnt last, and finish what was begun."""
        self._look(self._live.snapshot())
        self._hands.shutdown()

    def _now(self) -> dict[str, tuple[InkSums, ...]]:
        return {key: camera.ink for key, camera in self._cameras.items()}

    def _look(self, _snapshot: Snapshot) -> None:
        """Keep what is new. Each act of the table is a moment for it: after a power cut as much is
        known as of the game."""
        ink = self._now()
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
    """Name a camera and the deck it looks at: of other cards, and to another camera, ink looks
    otherwise."""
    return f"{deck} / {camera.source.name}"


REST = 2.0
"""Seconds that the cards may take to lie free: a hand that has just turned the last of them up is
still over it."""
_LOOK = 0.1


class Reveals:
    """Keeps the pictures of one evening. Only cards that were taken face up are in them, and only
    while they lie so."""

    def __init__(self, live: Live, cameras: Sequence[CameraReader]) -> None:
        self._live = live
        self._cameras = {camera.name: camera for camera in cameras}
        self._taken: dict[Key, str] = {}
        self._steps = live.steps
        self._hands = ThreadPoolExecutor(1, "pictures")  # who plays waits for no disk
        self._over = Event()
        self._failed = False
        live.on_answered(self._answered)
        live.subscribe(self._show)
        live.remark(Text("pictures.on"))

    def close(self) -> None:
        """Finish what was begun."""
        self._over.set()
        self._hands.shutdown()

    def _answered(self, tracks: Sequence[Key], accepted: bool) -> None:
        """Remember which face each card had that the table took."""
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
        """Take the picture when an act has resolved something; an undo that leads back to one
        resolves nothing."""
        steps, before = self._live.steps, self._steps
        self._steps = steps
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
            if not self._failed:  # said once: a disk that is full stays full
                self._live.remark(Text("pictures.not_kept", {"reason": system_reason(fault)}))
            self._failed = True

    def _turned_up(self, taken: Mapping[Key, str]) -> FaceUpCards | None:
        """Return the picture in which most of the cards lie free; None where none does before they
        are taken away."""
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
