"""The reference views of a deck: what the camera knows of its cards, in the deck's folder; and what
printing leaves there, the deck file and the drawings as views."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import vision
from companion import crash, libraries
from companion.decks.drawings import Done, Picture, drawings, nobody
from companion.decks.faces import marked
from companion.rules.contract import Text
from companion.table.decks import FILE, Deck, DeckError, Fault
from companion.texts import system_reason
from vision.errors import LibraryError

if TYPE_CHECKING:
    from vision.decks.separation import Separation
    from vision.library import Library


def place_of(deck: Deck) -> Path | None:
    """Return the folder of the views that were enrolled; None where there are none, as with a deck
    that was only given its tags."""
    folder = deck.views
    if folder is None:
        return None
    return folder if (folder / vision.VIEWS_FOLDER / vision.VIEWS_INDEX).exists() else None


def views_of(deck: Deck) -> tuple[Library, Path | None]:
    """Return the views that a deck has, and where damaged ones were put aside, if they were (None:
    all is well).

    Raises `LibraryError` when damaged views cannot be put aside: they are not to be overwritten.
    """
    place = place_of(deck)
    if place is None:
        return vision.Library(), None
    try:
        return vision.Library.load(place), None
    except LibraryError:
        return vision.Library(), _put_aside(place / vision.VIEWS_FOLDER)


def _put_aside(folder: Path) -> Path:
    names = (folder.with_name(f"{folder.name}.damaged{number or ''}") for number in itertools.count())
    free = next(name for name in names if not name.exists())
    try:
        folder.rename(free)
    except OSError as error:
        raise LibraryError(
            f"The damaged views in {folder} cannot be put aside: {error.strerror or error}.",
            "aside",
            str(folder),
        ) from error
    return free


def look_alikes(deck: Deck) -> Separation | None:
    """Ask a deck's camera views about themselves; None where there are none. Takes some seconds."""
    place = place_of(deck)
    if place is None:
        return None
    try:
        return libraries.separation.run(vision.Library.load(place))
    except LibraryError:
        return None


def without_views(deck: Deck) -> list[str]:
    """List the designs for which the camera has no reference view; all where there are none."""
    place = place_of(deck)
    if place is None:
        return [design.name for design in deck.designs]
    try:
        seen = set(vision.Library.load(place).designs)
    except LibraryError:
        seen = set()
    return [design.name for design in deck.designs if design.name not in seen]


def words_of(error: LibraryError) -> Text:
    """Return what is wrong with the views, in words that any language has."""
    cause = error.__cause__
    reason = system_reason(cause) if isinstance(cause, OSError) else ""
    return Text(f"views.{error.reason or 'unusable'}", {"place": error.place, "reason": reason})


@dataclass(frozen=True)
class PrintedDeck:
    """A deck as in its folder, and what the self-test said of its views; None: no view is new.

    `lacking`: why it has no views from this printing: a library without which OpenCV does not load.
    """

    deck: Deck
    test: Separation | None
    lacking: Text | None = None


def printed(
    deck: Deck, folder: Path, lang: str = "en", *, markers: bool = False, done: Done = nobody
) -> PrintedDeck:
    """Write deck file and reference views into `folder`; without OpenCV the deck file alone.

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
    lacking = _opencv_lacks()
    if lacking is not None:
        return PrintedDeck(wanted.save(folder), None, lacking)
    pictures = drawings(wanted, lang, done=done)  # the long part first: broken off, nothing is there
    saved = wanted.save(folder)
    return PrintedDeck(saved, _add_views(saved, folder, pictures))


def _opencv_lacks() -> Text | None:
    """Say which library of the system OpenCV lacks; None where it loads."""
    try:
        import_module("cv2")
    except ImportError as fault:
        lacking = crash.wanting(fault)
        if lacking is None:
            raise
        return lacking
    return None


def _add_views(deck: Deck, folder: Path, pictures: Mapping[str, Picture]) -> Separation | None:
    """Add the drawings to the deck's reference views that are not there; set the deck's margins."""
    place = deck.views or folder
    try:
        library = vision.Library.load(place)
    except LibraryError:  # none yet, or damaged: the drawings make it anew
        library = vision.Library()
    there = {(view.card, view.picture.tobytes()) for view in library.references}
    fresh = vision.Library.from_drawings(pictures).references
    new = [view for view in fresh if (view.card, view.picture.tobytes()) not in there]
    if not new:
        return None
    library = vision.Library([*library.references, *new])
    test = libraries.separation.run(library)
    library.margins = test.margins
    try:
        library.save(place)
    except LibraryError as error:
        fault = Fault(0, "", Text("cards.no_views", {"reason": words_of(error)}))
        raise DeckError(str(place), [fault]) from error
    return test
