"""The decks that can be named: people's own, one folder each, and the program's."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from companion.folders import user_decks
from companion.given_files import path_of
from companion.rules.contract import Game
from companion.table import decks
from companion.table.decks import FILE, Deck


def find_deck(name: str) -> Deck:
    """Return the deck that a person named: by its folder or file, else by name; people's own come
    before the program's.

    Raises `DeckError` when there is none, or it says something wrong.
    """
    path = path_of(name)
    a_file = path.is_file() or (path / FILE).is_file()  # a folder that happens to be called `dtc` is no deck
    named_by_path = a_file or len(path.parts) > 1 or path.suffix == ".toml"
    return Deck.load(path) if named_by_path else Deck.find(name, user_decks())


def deck_of(game: Game[Any]) -> Deck:
    """Return the deck of a game when nobody named one: that of its id, else the `deck.toml` that
    the game's own package brings.

    Raises `DeckError` when there is none, or it says something wrong.
    """
    package = find_spec(type(game).__module__)
    brought = Path(package.origin).parent / FILE if package is not None and package.origin else None
    if game.id not in available() and brought is not None and brought.is_file():
        return Deck.load(brought)
    return Deck.find(game.id, user_decks())


def available() -> dict[str, Path]:
    """Return the deck files that can be used by name."""
    return decks.available(user_decks())


def own_folder(deck: Deck, name: str) -> Path | None:
    """Return where to keep a deck that was named `name`: None for where it came from, else a new
    folder among people's decks."""
    return None if deck.folder is not None else user_decks() / Path(name).stem


def settled(deck: Deck, name: str) -> Deck:
    """Return the deck written where it is kept; see `own_folder`.

    Raises `DeckError` when that cannot be written, which is better known before a hundred cards
    have been shown.
    """
    return deck.save(own_folder(deck, name))
