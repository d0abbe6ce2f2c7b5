"""Learning in play: an unsure card that the table has named becomes a further view, in the deck's
folder and for the cameras."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from companion.decks.references import words_of
from companion.enrolment.look import Picture, Shot, known_as
from companion.readers.camera.pictures import Closeup
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.identification import Key
from companion.table.zones import card_words
from vision.decks import enrol
from vision.errors import LibraryError
from vision.geometry import Quad
from vision.library import Library
from vision.reading import Reading

if TYPE_CHECKING:
    from companion.readers.camera.reader import CameraReader


def learn(deck_folder: Path | str, card: str, image: Picture, quad: Quad) -> bool:
    """Add the card in `quad` (pixels of the BGR `image`) to the views of the design `card`, and
    tell whether that was done.

    Nothing is learnt of a design that has views enough (`vision.decks.enrol.MOST_VIEWS`), nor of a
    card that surely shows another design: somebody chose the wrong line. Raises `LibraryError` when
    the views cannot be read or written; they are unharmed then.
    """
    library = Library.load(deck_folder)
    known = known_as(Shot(image, quad), library)
    if known is not None and known != card:
        return False
    before = library.views(card)
    enrol.learn(library, image, Reading(None, False, 0.0, quad), card)
    if library.views(card) == before:
        return False
    library.save(deck_folder)
    return True


class Learner:
    """Learns in a thread of its own, since a library takes a moment to be read and written. `close`
    returns when all is written.

    `folder`: the deck's, with its views. `say`: is told in words what was learnt, or why it could
    not be kept.
    """

    def __init__(
        self, deck: Deck, folder: Path, cameras: Sequence[CameraReader], say: Callable[[Text], object]
    ) -> None:
        self._deck = deck
        self._folder = folder
        self._cameras = {camera.name: camera for camera in cameras}
        self._say = say
        self._lessons: SimpleQueue[tuple[str, Closeup] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._learn, name="learner", daemon=True)
        self._thread.start()

    def named(self, tracks: Sequence[Key], card: str) -> None:
        """Take note that the table calls the card of these tracks `card`. Returns at once; what no
        camera saw teaches nothing."""
        for reader, track in tracks:
            camera = self._cameras.get(reader)
            view = None if camera is None else camera.closeup(track)
            design = None if view is None else self._design(card, view)
            if view is not None and design is not None:
                self._lessons.put((design, view))

    def close(self) -> None:
        """Learn what is still to be learnt, then stop."""
        # Behind all lessons that wait: what was said in the last minute is learnt too.
        self._lessons.put(None)
        self._thread.join()

    def _design(self, card: str, view: Closeup) -> str | None:
        """Return the design that lies there, of those that stand for the card: the likeliest; None
        when nobody can tell."""
        designs = [design.name for design in self._deck.designs if design.card == card]
        likely = [design for design in view.candidates if design in designs]
        return next(iter(likely), designs[0] if len(designs) == 1 else None)

    def _learn(self) -> None:
        while (lesson := self._lessons.get()) is not None:
            design, view = lesson
            try:
                if learn(self._folder, design, view.image, view.quad):
                    for camera in self._cameras.values():
                        camera.learn(design, view)
                    self._say(
                        Text("learning.learnt", {"card": card_words(self._deck.card(design) or design)})
                    )
            except LibraryError as error:
                self._say(Text("learning.not_kept", {"reason": words_of(error)}))
            except Exception as fault:  # a picture that nothing can be made of must not end the learning
                self._say(Text("learning.not_kept", {"reason": type(fault).__name__}))
