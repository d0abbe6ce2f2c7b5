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

from companion.decks import render_back, render_drawings
from companion.decks.collection import describe_deck_name
from companion.decks.references import describe_library_error, find_views_folder
from companion.enrolment.learner import Learner
from companion.folders import make_private_folder
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import save_photo, save_picture
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.plan import OFF, CannotBegin, Plan
from companion.readers.camera.pictures import FaceUpCards, render_cards_jpeg
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import PhotoFolder, find_source
from companion.rules import registry
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Problem, Text
from companion.table import zones as layouts
from companion.table.decks import Deck, DeckError
from companion.table.identification import BACK, TrackKey
from companion.table.zones import Zones
from companion.texts import describe_os_error
from companion.user_files import BadFile, read_limited_bytes, write_file_atomically
from companion.views.table_session import Backstage, Command
from vision.errors import LibraryError
from vision.library import Library
from vision.naming import pack52
from vision.naming.ink_response import InkSums
from vision.pawns import PrintedBoard


def open_cameras(plan: Plan, deck: Deck, seats: int) -> tuple[list[CameraReader], bool]:
    """Make the readers of the cameras in the plan, which share one library of the deck; return
    them, and whether the library includes the back of the cards.

    Raises `CannotBegin` if the library is too small or damaged, and `ZonesError` for a faulty
    layout.
    """
    camera_names = [name for name in plan.cameras if name != OFF]
    library, layout = _load_library(deck, plan.language), _load_layout(plan.zones, seats)
    board: Callable[[], PrintedBoard] | None = (
        registry.load_part(deck.game, "drawing:build_camera_board") if camera_names else None
    )
    # The board's squares are hidden from the search for cards: a hundred printed shapes would cost
    # 2 s a frame.
    lies = board and board()
    readers = [
        CameraReader(find_source(name), library, layout, markers=deck.designs_by_marker, board=lies)
        for name in camera_names
    ]
    return readers, BACK in library.designs


def start_learning(
    live: LiveSession, cameras: Sequence[CameraReader], deck: Deck, saved: SavedSession | None
) -> tuple[InkRecorder, Learner | None]:
    """Restore what the cameras knew, and store what they learn: the deck's ink in this light, and
    cards that people named."""
    ink, views = (
        InkRecorder(live, cameras, deck.name, saved),
        deck.views_folder if deck.at_once else find_views_folder(deck),
    )
    if views is None:
        return ink, None
    learner = Learner(deck, views, cameras, live.show_remark)
    live.set_card_named_callback(learner.record_identification)
    # Only such a deck learns from entries; for others all acts would be listed at each change, for
    # nothing.
    if deck.at_once:
        live.subscribe(lambda _snapshot: learner.update_acts([act.request for act in live.list_acts()]))
    return ink, learner


def take_photo(live: LiveSession, camera: CameraReader) -> Text:
    """Store the camera's picture as the evening's photo, in place of the one before; return a
    message about it, or why there is none."""
    journal, saved, photo = live.journal.path, live.journal.read_current_session(), camera.encode_photo()
    if journal is None or saved is None:
        return live.journal.trouble or Text("page.no_journal")
    if not photo:
        return Text("evening.photo.dark")
    try:
        save_photo(journal, saved.number, saved.begun, photo)
    except Problem as fault:
        return fault.text
    except OSError as fault:
        return Text("evening.notes.not_kept", {"reason": describe_os_error(fault)})
    return Text("evening.photo.kept")


def load_learnt_deck(deck: Deck, journal: Path, number: int) -> Deck:
    """Return a deck that is played without enrolment together with what was learnt of it up to
    session `number`, from the folder beside the journal; unchanged if there is none."""
    begun = {
        int(folder.name): folder
        for folder in _learnt_decks_folder(journal).glob("*")
        if folder.name.isdecimal()
    }
    # The newest state that this session can have known: later ones learnt from other evenings.
    up_to = [at for at in begun if at <= number]
    return Deck.load(begun[max(up_to)]) if up_to else deck


def make_learning_deck(deck: Deck, journal: Path | None, number: int, cleanup: ExitStack) -> Deck:
    """Give a deck that is played without enrolment a folder for what will be learnt of it in
    session `number`: beside the journal, or a temporary one until `cleanup` if that cannot be
    written."""
    if journal is not None:
        with suppress(DeckError):
            return deck.save(_learnt_decks_folder(journal) / str(number))
    return deck.save(Path(cleanup.enter_context(TemporaryDirectory())))


def _learnt_decks_folder(journal: Path) -> Path:
    return journal.with_name(f"{journal.stem}-packs")


class CameraCommands(Backstage):
    """Keys for cameras: one shows the next photo where a folder of photos replaces a camera, one
    keeps a pack that was learnt at the table."""

    def __init__(self, cameras: Sequence[CameraReader], learner: Learner | None) -> None:
        folders = [camera.source for camera in cameras if isinstance(camera.source, PhotoFolder)]
        pages = [Command("n", Text("reader.next_photo"), photos.show_next, "n") for photos in folders[:1]]
        keeps = [] if learner is None else [Command("o", Text("pack.keep"), learner.save_pack, "o")]
        self.commands = (*pages, *keeps)


def _load_library(deck: Deck, language: str) -> Library:
    """Return the library of the deck: the views that were enrolled, and our own drawings of cards
    that have none.

    Raises `CannotBegin` if views are damaged, or if more than half of the designs that stand for a
    card are unknown: such a deck has not been enrolled.
    """
    views = find_views_folder(deck)
    try:
        library = Library() if views is None else Library.load(views)
    except LibraryError as error:
        raise CannotBegin(Text("cards.no_views", {"reason": describe_library_error(error)})) from error
    drawn_pictures = render_drawings(deck, language)
    if drawn_pictures and not deck.at_once:
        drawn_pictures[BACK] = np.asarray(render_back(deck.game))
    enrolled = set(library.designs)
    for design, picture in drawn_pictures.items():
        if design not in enrolled:
            library.add_view(design, picture)
    if deck.at_once:
        library.pack = {one.name: one.copies for one in deck.designs if one.name in pack52.NAMES}
    # A pack that is played without enrolment has no views, and is recognised by a network all the
    # same.
    known = {*library.designs, *library.pack}
    named_designs = [design.name for design in deck.designs if design.card is not None]
    if sum(name in known for name in named_designs) * 2 < len(named_designs):
        raise CannotBegin(Text("play.no_references", {"deck": describe_deck_name(deck)}))
    return library


def _load_layout(file: Path | None, seats: int) -> Zones:
    """Return the layout stored in `file`; if it was made for another number of players, only the
    table's position in the picture is used."""
    if file is None:
        return layouts.make_default_zones(seats)
    layout = layouts.load_zones(file)
    fits = (
        format_seat_zone(seats) in layout.zone_names and format_seat_zone(seats + 1) not in layout.zone_names
    )
    return layout if fits else layouts.make_default_zones(seats, layout.aspect).with_camera(layout.camera)


LARGEST = 500_000
"""Most bytes of one file. A camera reports at most 24 cards of 18 numbers, 10 kB."""

Ink = Mapping[str, Sequence[InkSums]]
"""Ink measurements of the cards, by camera and deck (`_make_ink_key`)."""


def ink_path(journal: Path, saved: SavedSession) -> Path:
    """Return the file for the ink of an evening, which need not exist."""
    return journal.with_name(f"{journal.stem}-ink") / f"{saved.number}-{int(saved.begun)}.json"


def save_ink(place: Path, ink: Ink) -> None:
    """Write ink measurements atomically, readable by the owner alone. Raises `OSError`."""
    make_private_folder(place.parent)
    numbers_by_key = {key: [sums.as_numbers for sums in says] for key, says in ink.items()}
    write_file_atomically(place, msgspec.json.encode(numbers_by_key), is_private=True)


def read_ink(place: Path) -> dict[str, list[InkSums]]:
    """Return the ink measurements in a file; {} if it is missing or damaged."""
    with suppress(OSError, BadFile, msgspec.DecodeError, ValueError):
        numbers_by_key = msgspec.json.decode(
            read_limited_bytes(place, LARGEST), type=dict[str, list[list[float]]]
        )
        return {
            key: [InkSums.from_numbers(numbers) for numbers in says] for key, says in numbers_by_key.items()
        }
    return {}


class InkRecorder:
    """Storage for ink: restores what the cameras of a resumed session knew, and stores what they
    learn.

    `deck`: the name of the cards they look at; `kept`: the session that is resumed, if any.
    """

    def __init__(
        self, live: LiveSession, cameras: Sequence[CameraReader], deck: str, saved: SavedSession | None
    ) -> None:
        self._live = live
        self._cameras = {_make_ink_key(deck, camera): camera for camera in cameras}
        self._executor = ThreadPoolExecutor(1, "ink")  # players must not wait for the disk
        journal = live.journal.path
        before = read_ink(ink_path(journal, saved)) if journal is not None and saved is not None else {}
        for key, camera in self._cameras.items():
            camera.restore_ink(before.get(key, ()))
        self._ink = self._collect_ink()
        live.subscribe(self._save_new_ink)

    def close(self) -> None:
        """Store what was learnt last, and wait until it is written."""
        self._save_new_ink(self._live.snapshot())
        self._executor.shutdown()

    def _collect_ink(self) -> dict[str, tuple[InkSums, ...]]:
        return {key: camera.ink for key, camera in self._cameras.items()}

    def _save_new_ink(self, _snapshot: Snapshot) -> None:
        """Store new measurements. It is called for each act, so that after a power cut as much is
        known of the ink as of the game."""
        ink = self._collect_ink()
        # By identity: a camera makes a new tuple whenever it has learnt something.
        if all(says is self._ink[key] for key, says in ink.items()):
            return
        self._ink = ink
        journal, saved = self._live.journal.path, self._live.journal.read_current_session()
        if journal is not None and saved is not None:
            self._executor.submit(_try_save_ink, ink_path(journal, saved), ink)


def _try_save_ink(place: Path, ink: Ink) -> None:
    with suppress(OSError):
        save_ink(place, ink)


def _make_ink_key(deck: str, camera: CameraReader) -> str:
    """Return the key of a camera and its deck: ink looks different on other cards and to another
    camera."""
    return f"{deck} / {camera.source.name}"


REVEAL_TIMEOUT = 2.0
"""Most seconds to wait until the cards are uncovered: the hand that has just turned up the last one
is still over it."""
_POLL_INTERVAL = 0.1


class RevealPictures:
    """Pictures of the reveals of one evening. They contain only cards that were accepted face up,
    and only while they lie so."""

    def __init__(self, live: LiveSession, cameras: Sequence[CameraReader]) -> None:
        self._live = live
        self._cameras = {camera.name: camera for camera in cameras}
        self._taken_faces: dict[TrackKey, str] = {}
        self._steps = live.step_count
        self._executor = ThreadPoolExecutor(1, "pictures")  # players must not wait for the disk
        self._closing = Event()
        self._failed = False
        live.add_proposal_callback(self._remember_faces)
        live.subscribe(self._photograph_reveal)
        live.show_remark(Text("pictures.on"))

    def close(self) -> None:
        """Wait until pending pictures are written."""
        self._closing.set()
        self._executor.shutdown()

    def _remember_faces(self, tracks: Sequence[TrackKey], accepted: bool) -> None:
        """Remember the face of each card that the game accepted."""
        if not accepted:
            return
        faces = self._collect_faces()
        self._taken_faces |= {key: faces[key] for key in tracks if key in faces}

    def _collect_faces(self) -> dict[TrackKey, str]:
        return {
            (name, track): face
            for name, camera in self._cameras.items()
            for track, face in camera.list_face_up_designs().items()
        }

    def _photograph_reveal(self, snapshot: Snapshot) -> None:
        """Take the picture when an act has resolved something; an undo that leads back to such an
        act does not count."""
        steps, before = self._live.step_count, self._steps
        self._steps = steps
        # A redo is possible only after an undo.
        if steps == before or not snapshot.resolved or snapshot.can_redo or not self._taken_faces:
            return
        visible_faces = self._collect_faces()
        taken, self._taken_faces = (
            {key: face for key, face in self._taken_faces.items() if visible_faces.get(key) == face},
            {},
        )
        journal, saved = self._live.journal.path, self._live.journal.read_current_session()
        if journal is not None and saved is not None:
            self._executor.submit(self._save_reveal, taken, partial(save_picture, journal, saved))

    def _save_reveal(self, faces: Mapping[TrackKey, str], save_jpeg: Callable[[bytes], None]) -> None:
        turned = self._find_best_picture(faces)
        if turned is None:
            return
        try:
            save_jpeg(render_cards_jpeg(turned))
        except OSError as fault:
            if not self._failed:  # reported once: a disk that is full stays full
                self._live.show_remark(Text("pictures.not_kept", {"reason": describe_os_error(fault)}))
            self._failed = True

    def _find_best_picture(self, faces: Mapping[TrackKey, str]) -> FaceUpCards | None:
        """Return the picture in which most of the cards are uncovered; None if there is none before
        they are taken away."""
        best: FaceUpCards | None = None
        until = time.monotonic() + REVEAL_TIMEOUT
        while True:
            for name, camera in self._cameras.items():
                turned = camera.find_face_up_cards(_select_reader_faces(name, faces))
                if len(turned.quads) > (0 if best is None else len(best.quads)):
                    best = turned
            is_complete = best is not None and len(best.quads) == len(faces)
            if is_complete or time.monotonic() >= until or self._closing.wait(_POLL_INTERVAL):
                return best


def _select_reader_faces(name: str, faces: Mapping[TrackKey, str]) -> dict[int, str]:
    return {track: face for (reader, track), face in faces.items() if reader == name}
