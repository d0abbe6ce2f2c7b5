"""Learn during play: an uncertain card that people have named becomes another view, in the deck's
folder and for the cameras.

A deck that is played at once (`Deck.at_once`) has no views at first; there, cards that were named
at first sight are learnt too. The latest word of the people counts: if an act is undone or
corrected, the views learnt from it are removed.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from companion import libraries
from companion.decks.references import describe_library_error
from companion.enrolment.picture_analysis import Picture, Shot, identify_card
from companion.folders import user_decks_folder
from companion.readers.camera.pictures import Closeup
from companion.rules.contract import Request, Text
from companion.table.decks import Deck, DeckError
from companion.table.identification import TrackKey
from companion.table.zones import describe_card_id
from vision.decks import enrol
from vision.errors import LibraryError
from vision.geometry import Quad
from vision.library import Library
from vision.reading import Reading

if TYPE_CHECKING:
    from companion.readers.camera.reader import CameraReader

Load = Callable[[Path | str], Library]
"""Function that reads the views in a deck's folder."""


def learn_view(
    deck_folder: Path | str, card: str, image: Picture, quad: Quad, load: Load = Library.load
) -> bool:
    """Add the card in `quad` (pixels of the BGR `image`) to the views of the design `card`;
    return whether that was done.

    It is not done if the design has enough views (`vision.decks.enrol.MOST_VIEWS`), or if the card
    certainly shows another design, because somebody chose the wrong line. Raises `LibraryError` if
    the views cannot be read or written (`load` decides about a folder without any); existing views
    are then unharmed.
    """
    library = load(deck_folder)
    known = identify_card(Shot(image, quad), library)
    if known is not None and known != card:
        return False
    before = library.count_views(card)
    enrol.add_confirmed_view(library, image, Reading(None, False, 0.0, quad), card)
    if library.count_views(card) == before:
        return False
    library.save(deck_folder)
    return True


def forget_design(deck_folder: Path | str, design: str) -> None:
    """Remove the views of a design; raises `LibraryError` as `learn_view`."""
    library = _load_or_create_library(deck_folder)
    library.remove_design(design)
    library.save(deck_folder)


def _load_or_create_library(deck_folder: Path | str) -> Library:
    """Return the views of a pack that is learnt while it is played: none at first."""
    try:
        return Library.load(deck_folder)
    except LibraryError as error:
        if error.reason != "none":
            raise
        return Library()


class Learner:
    """Thread that learns, because reading and writing a library takes a moment. `close` returns
    when everything is written.

    `folder`: the deck's, with its views. `notify`: receives messages about what was learnt, or why
    it could not be saved.
    """

    def __init__(
        self, deck: Deck, folder: Path, cameras: Sequence[CameraReader], notify: Callable[[Text], object]
    ) -> None:
        self._deck = deck
        self._folder = folder
        self._load = _load_or_create_library if deck.at_once else Library.load
        self._cameras = {camera.name: camera for camera in cameras}
        self._say = notify
        self._lessons: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._acts: Sequence[Request] = ()
        self._learnt: list[tuple[int, str]] = []
        # Other decks have views of all their designs from enrolment.
        if deck.at_once:
            for camera in cameras:
                camera.on_first_sight(self._on_first_sight)
        self._thread = threading.Thread(target=self._run_lessons, name="learner", daemon=True)
        self._thread.start()

    def record_identification(self, tracks: Sequence[TrackKey], card: str) -> None:
        """Learn that people call the card of these tracks `card`. Returns at once; tracks that
        no camera saw are ignored."""
        for reader, track in tracks:
            camera = self._cameras.get(reader)
            view = None if camera is None else camera.find_closeup(track)
            design = None if view is None else self._choose_design(card, view)
            if view is not None and design is not None:
                self._record_lesson(design)
                self._lessons.put(partial(self._teach_view, design, view))

    def update_acts(self, acts: Sequence[Request]) -> None:
        """Compare the acts that now stand with those before, and forget what was learnt from acts
        that no longer do."""
        before, self._acts = self._acts, tuple(acts)
        # An undone act is missing at the end; a corrected one differs at its place.
        gone = {at for at, act in enumerate(before) if at >= len(acts) or acts[at] != act}
        for at, design in self._learnt:
            if at in gone:
                self._lessons.put(partial(self._forget_design, design))
        self._learnt = [(at, design) for at, design in self._learnt if at not in gone]

    def _on_first_sight(self, design: str, view: Closeup) -> None:
        """Save a card that was named at first sight; the camera knows it already."""
        self._record_lesson(design)
        self._lessons.put(partial(self._save_view, design, view))

    def _record_lesson(self, design: str) -> None:
        self._learnt.append((len(self._acts), design))

    def save_pack(self) -> Text:
        """Save the learnt pack among people's decks, as enrolment would; calling it again updates
        that deck. Returns the message to show at once."""
        self._lessons.put(self._save_pack)
        return Text("pack.keeping")

    def close(self) -> None:
        """Finish all pending lessons, then stop."""
        # At the end of the queue: lessons that still wait are finished first.
        self._lessons.put(None)
        self._thread.join()

    def _choose_design(self, card: str, view: Closeup) -> str | None:
        """Return which of the designs of a card it is: the most likely one; None if that is
        unclear."""
        designs = [design.name for design in self._deck.designs if design.card == card]
        likely = [design for design in view.candidates if design in designs]
        return next(iter(likely), designs[0] if len(designs) == 1 else None)

    def _run_lessons(self) -> None:
        while (lesson := self._lessons.get()) is not None:
            try:
                lesson()
            except LibraryError as error:
                self._say(Text("learning.not_kept", {"reason": describe_library_error(error)}))
            except DeckError as error:
                self._say(Text("learning.not_kept", {"reason": error.text}))
            except Exception as fault:
                # One unusable picture must not end the thread.
                self._say(Text("learning.not_kept", {"reason": type(fault).__name__}))

    def _teach_view(self, design: str, view: Closeup) -> None:
        if self._deck.at_once:
            known = identify_card(Shot(view.image, view.quad), _load_or_create_library(self._folder))
            if known is not None and known != design:
                # The people's word counts: the design that the camera took the card for was learnt
                # wrongly.
                self._forget_design(known)
        if learn_view(self._folder, design, view.image, view.quad, self._load):
            for camera in self._cameras.values():
                camera.learn_design(design, view)
            self._say(
                Text("learning.learnt", {"card": describe_card_id(self._deck.find_card(design) or design)})
            )

    def _save_pack(self) -> None:
        library = _load_or_create_library(self._folder)
        if not library.references:
            self._say(Text("pack.nothing"))
            return
        # Views learnt one at a time have never been tested against each other.
        library.margins = libraries.separation.measure_separation(library).margins
        places = ((number, user_decks_folder() / f"pack_{number}") for number in itertools.count(1))
        number, place = next(
            (number, place)
            for number, place in places
            # A pack that was saved before is updated in its own folder.
            if not place.exists() or self._deck.name == f"Pack {number}"
        )
        self._deck = replace(self._deck, name=f"Pack {number}").save(self._folder)
        library.save(self._deck.save(place).views_folder or place)
        self._say(Text("pack.kept", {"deck": place.name}))

    def _save_view(self, design: str, view: Closeup) -> None:
        learn_view(self._folder, design, view.image, view.quad, self._load)

    def _forget_design(self, design: str) -> None:
        forget_design(self._folder, design)
        for camera in self._cameras.values():
            camera.forget_design(design)
