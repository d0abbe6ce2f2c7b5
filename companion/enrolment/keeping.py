"""The folder of a deck that is being enrolled: made among people's decks, and kept up to date."""

from __future__ import annotations

import itertools
from pathlib import Path

from companion.decks.enrol import home
from companion.table.decks import Deck
from vision.errors import LibraryError
from vision.library import FOLDER, INDEX, Library


def owned(name: str) -> Deck:
    """Return the deck that a person named: by its folder or file, else by name; people's own come before the program's.

    Raises `DeckError` when there is none, or it says something wrong.
    """
    path = Path(name).expanduser()
    named_by_path = path.exists() or len(path.parts) > 1 or path.suffix == ".toml"
    return Deck.load(path) if named_by_path else Deck.find(name, home())


def settled(deck: Deck, name: str) -> Deck:
    """Return the deck with a folder that can be written to: its own, or for one of the program's a new one among people's decks.

    Raises `DeckError` when the folder cannot be written, which is better known before a hundred cards have been shown.
    """
    return deck.save() if deck.folder is not None else deck.save(home() / name)


def views_of(deck: Deck) -> tuple[Library, Path | None]:
    """Return the views that a deck has, and where damaged ones were put aside, if they were (None: all is well).

    Raises `LibraryError` when damaged views cannot be put aside: they are not to be overwritten.
    """
    place = deck.views
    if place is None or not (place / FOLDER / INDEX).exists():
        return Library(), None
    try:
        return Library.load(place), None
    except LibraryError:
        return Library(), _put_aside(place / FOLDER)


def _put_aside(folder: Path) -> Path:
    names = (folder.with_name(f"{folder.name}.damaged{number or ''}") for number in itertools.count())
    free = next(name for name in names if not name.exists())
    try:
        folder.rename(free)
    except OSError as error:
        raise LibraryError(
            f"The damaged views in {folder} cannot be put aside: {error.strerror or error}."
        ) from error
    return free
