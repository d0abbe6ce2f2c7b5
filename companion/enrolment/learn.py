"""Learning in play: an unsure card that the table has named becomes a further view."""

from __future__ import annotations

from pathlib import Path

from companion.enrolment.look import Picture, Shot, known_as
from vision.decks import enrol
from vision.geometry import Quad
from vision.library import Library
from vision.reading import Reading


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
