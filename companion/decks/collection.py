"""Decks by name: people's own, one folder each, and the program's."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from companion.folders import user_decks
from companion.given_files import path_of
from companion.rules import registry
from companion.table import decks
from companion.table.deckfile import fault
from companion.table.decks import FILE, Deck, DeckError
from companion.texts import folder_of, system_reason


def find_deck(name: str) -> Deck:
    """Return the deck that a person named: by its folder or file, or else by name, people's own
    decks first.

    Raises `DeckError` if there is none, or it has mistakes.
    """
    path = path_of(name)
    # A folder that merely has the name of a game, without a deck file, is not meant.
    try:
        a_file = path.is_file() or (path / FILE).is_file()
    except OSError as error:
        # The name is too long for a file, or the folder may not be entered.
        raise DeckError(name, [fault("unreadable", reason=system_reason(error))]) from error
    named_by_path = a_file or len(path.parts) > 1 or path.suffix == ".toml"
    return Deck.load(path) if named_by_path else deck_of(name)


def deck_of(name: str) -> Deck:
    """Return the deck with that name (or a game's default deck), or else the `deck.toml` that the
    game of that name contains.

    Raises `DeckError` if there is none, or it has mistakes.
    """
    if name not in available():
        with suppress(registry.GameUnavailable):
            # A game that was installed as a plug-in keeps its deck in its own package.
            brought = folder_of(registry.load(name)) / FILE
            if brought.is_file():
                return Deck.load(brought)
    return Deck.find(name, user_decks())


def available() -> dict[str, Path]:
    """Return the deck files that can be used by name."""
    return decks.available(user_decks())


def own_folder(deck: Deck, name: str) -> Path | None:
    """Return where to save a deck that was named `name`: None for where it came from, else a new
    folder among people's decks."""
    return None if deck.folder is not None else user_decks() / Path(name).stem


def settled(deck: Deck, name: str) -> Deck:
    """Return the deck after writing it to its folder; see `own_folder`.

    Raises `DeckError` if it cannot be written: people should learn that before they show a hundred
    cards.
    """
    return deck.save(own_folder(deck, name))
