"""Reference views of a deck, by which the camera recognises its cards, in the deck's folder; and
printing, which writes a deck file and the drawings as views."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import vision
from companion import crash, libraries
from companion.decks.drawings import OnProgress, Picture, ignore_progress, render_drawings
from companion.decks.faces import assign_markers
from companion.rules.contract import Problem, Text
from companion.table.decks import FILE, Deck, DeckError, Fault
from companion.texts import describe_os_error
from vision.errors import LibraryError

if TYPE_CHECKING:
    from vision.decks.separation import Separation
    from vision.library import Library


def find_views_folder(deck: Deck) -> Path | None:
    """Return the folder of a deck's views; None if there are none, as for a deck that was only
    given tags."""
    folder = deck.views_folder
    if folder is None:
        return None
    return folder if (folder / vision.VIEWS_FOLDER / vision.VIEWS_INDEX).exists() else None


def load_views(deck: Deck) -> tuple[Library, Path | None]:
    """Return a deck's views, and the folder to which damaged ones were moved (None: nothing was
    damaged).

    Raises `LibraryError` if damaged views cannot be moved, because they must not be overwritten.
    """
    place = find_views_folder(deck)
    if place is None:
        return vision.Library(), None
    try:
        return vision.Library.load(place), None
    except LibraryError:
        return vision.Library(), _set_damaged_aside(place / vision.VIEWS_FOLDER)


def _set_damaged_aside(folder: Path) -> Path:
    # Numbered: views that were put aside earlier are not overwritten.
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


def verify_views(deck: Deck) -> None:
    """Open every reference view of a deck; raise `Problem` if one is missing or damaged."""
    place = find_views_folder(deck)
    if place is not None:
        try:
            vision.Library.load(place)
        except LibraryError as error:
            raise Problem(describe_library_error(error)) from error


def measure_separation(deck: Deck) -> Separation | None:
    """Test a deck's views against each other; None if there are none. Takes some seconds."""
    place = find_views_folder(deck)
    if place is None:
        return None
    try:
        return libraries.separation.measure_separation(vision.Library.load(place))
    except LibraryError:
        return None


def list_designs_without_views(deck: Deck) -> list[str]:
    """List the designs for which the camera has no reference view."""
    place = find_views_folder(deck)
    if place is None:
        return [design.name for design in deck.designs]
    try:
        with_views = set(vision.Library.load(place).designs)
    except LibraryError:
        with_views = set()
    return [design.name for design in deck.designs if design.name not in with_views]


def describe_library_error(error: LibraryError) -> Text:
    """Return the translatable message for a problem with views."""
    cause = error.__cause__
    reason = describe_os_error(cause) if isinstance(cause, OSError) else ""
    return Text(f"views.{error.reason or 'unusable'}", {"place": error.place, "reason": reason})


@dataclass(frozen=True)
class PrintedDeck:
    """A deck as saved in its folder, and the result of the self-test of its views; None if no view
    is new.

    `lacking`: the reason why it has no views from this printing: a library that OpenCV needs.
    """

    deck: Deck
    test: Separation | None
    lacking: Text | None = None


def write_printed_deck(
    deck: Deck,
    folder: Path,
    lang: str = "en",
    *,
    markers: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> PrintedDeck:
    """Write deck file and reference views into `folder`; without OpenCV the deck file alone.

    A deck of the same game in that folder keeps its tags, copies, markers and the camera's further
    views. Raises `DeckError` for a deck of another game, or a folder that cannot be written.
    `on_progress` is called with the progress.
    """
    if (folder / FILE).exists():
        known = Deck.load(folder)
        if known.game != deck.game:
            args = {"file": str(folder / FILE), "game": known.game}
            raise DeckError(str(folder), [Fault(0, "", Text("cards.other_game", args))])
        deck = known
    wanted = assign_markers(deck) if markers else deck
    lacking = _opencv_lacks()
    if lacking is not None:
        return PrintedDeck(wanted.save(folder), None, lacking)
    # The slow part first: if it is interrupted, nothing has been written.
    pictures = render_drawings(wanted, lang, on_progress=on_progress)
    saved = wanted.save(folder)
    return PrintedDeck(saved, _add_drawings_as_views(saved, folder, pictures))


def _opencv_lacks() -> Text | None:
    """Say which library of the system OpenCV lacks; None where it loads."""
    try:
        import_module("cv2")
    except ImportError as fault:
        lacking = crash.describe_missing_library(fault)
        if lacking is None:
            raise
        return lacking
    return None


def _add_drawings_as_views(deck: Deck, folder: Path, pictures: Mapping[str, Picture]) -> Separation | None:
    """Add the drawings that are not among the deck's reference views yet, and set the deck's
    margins."""
    place = deck.views_folder or folder
    try:
        library = vision.Library.load(place)
    except LibraryError:
        # No views yet, or damaged ones: begin with the drawings alone.
        library = vision.Library()
    # Compared by their pixels: printing a deck again must not add the same views again.
    existing = {(view.card, view.picture.tobytes()) for view in library.references}
    fresh = vision.Library.from_drawings(pictures).references
    new = [view for view in fresh if (view.card, view.picture.tobytes()) not in existing]
    if not new:
        return None
    library = vision.Library([*library.references, *new])
    test = libraries.separation.measure_separation(library)
    library.margins = test.margins
    try:
        library.save(place)
    except LibraryError as error:
        fault = Fault(0, "", Text("cards.no_views", {"reason": describe_library_error(error)}))
        raise DeckError(str(place), [fault]) from error
    return test
