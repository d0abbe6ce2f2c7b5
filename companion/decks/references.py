"""The reference views of a deck: what the camera knows of its cards, in the deck's folder."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import vision
from companion.rules.contract import Text
from companion.table.decks import Deck
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
    return folder if (folder / vision.library.FOLDER / vision.library.INDEX).exists() else None


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
        return vision.Library(), _put_aside(place / vision.library.FOLDER)


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
    if deck.views is None:
        return None
    from vision.decks import separation  # noqa: PLC0415 - OpenCV is loaded with the first views, not before

    try:
        return separation.run(vision.Library.load(deck.views))
    except LibraryError:
        return None


def without_views(deck: Deck) -> list[str]:
    """List the designs for which the camera has no reference view; all where there are none."""
    if deck.views is None:
        return [design.name for design in deck.designs]
    try:
        seen = set(vision.Library.load(deck.views).designs)
    except LibraryError:
        seen = set()
    return [design.name for design in deck.designs if design.name not in seen]


def words_of(error: LibraryError) -> Text:
    """Return what is wrong with the views, in words that any language has."""
    cause = error.__cause__
    reason = system_reason(cause) if isinstance(cause, OSError) else ""
    return Text(f"views.{error.reason or 'unusable'}", {"place": error.place, "reason": reason})
