"""What printing leaves behind: the deck file, and the drawings as the camera's reference views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.decks.drawings import Picture, drawings
from companion.decks.faces import marked
from companion.decks.references import words_of
from companion.decks.sheets import Done, nobody
from companion.rules.contract import Text
from companion.table.decks import FILE, Deck, DeckError, Fault
from vision.decks import separation
from vision.decks.separation import Separation
from vision.errors import LibraryError
from vision.library import Library


@dataclass(frozen=True)
class PrintedDeck:
    """A deck as in its folder, and what the self-test said of its views; None: no view is new."""

    deck: Deck
    test: Separation | None


def printed(
    deck: Deck, folder: Path, lang: str = "en", *, markers: bool = False, done: Done = nobody
) -> PrintedDeck:
    """Write deck file and reference views into `folder`.

    A deck of the same game that lies there already keeps its tags, copies, markers and the camera's
    further views; one of another game is refused with `DeckError`, as is a folder that cannot be
    written. `done` hears how far the drawing is.
    """
    if (folder / FILE).exists():
        known = Deck.load(folder)
        if known.game != deck.game:
            args = {"file": str(folder / FILE), "game": known.game}
            raise DeckError(str(folder), [Fault(0, "", Text("cards.other_game", args))])
        deck = known
    wanted = marked(deck) if markers else deck
    pictures = drawings(wanted, lang, done=done)  # the long part first: broken off, nothing is there
    saved = wanted.save(folder)
    return PrintedDeck(saved, _add_views(saved, folder, pictures))


def _add_views(deck: Deck, folder: Path, pictures: Mapping[str, Picture]) -> Separation | None:
    """Add the drawings to the deck's reference views that are not there; set the deck's margins."""
    place = deck.views or folder
    try:
        library = Library.load(place)
    except LibraryError:  # none yet, or damaged: the drawings make it anew
        library = Library()
    there = {(view.card, view.picture.tobytes()) for view in library.references}
    fresh = Library.from_drawings(pictures).references
    new = [view for view in fresh if (view.card, view.picture.tobytes()) not in there]
    if not new:
        return None
    library = Library([*library.references, *new])
    test = separation.run(library)
    library.margins = test.margins
    try:
        library.save(place)
    except LibraryError as error:
        fault = Fault(0, "", Text("cards.no_views", {"reason": words_of(error)}))
        raise DeckError(str(place), [fault]) from error
    return test
