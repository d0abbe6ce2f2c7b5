"""Decks by name: people's own, one folder each, and the program's."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from companion.folders import user_decks_folder
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.people import VerbatimName
from companion.table import decks
from companion.table.deck_file import make_fault
from companion.table.decks import FILE, Deck, DeckError
from companion.texts import describe_os_error, find_game_folder
from companion.user_files import expand_path

_OUR_NAMES = {
    "any pack of 52, at once": "deck_name.at_once",
    "52 cards, a suit each": "deck_name.suit_each",
    "52 cards, any suit": "deck_name.any_suit",
}
"""Messages for what follows the game in the names of our own deck files."""
_PACK_NAME = re.compile(r"Pack (\d+)")
"""A pack that was learnt while it was played."""


def describe_deck_name(deck: Deck) -> Text | VerbatimName:
    """Return a deck's name for people. The names that this program gives are translated, also in a
    copy among people's decks; a name that somebody chose stays as it is."""
    pack = _PACK_NAME.fullmatch(deck.name)
    if pack is not None:
        return Text("deck_name.pack", {"number": pack[1]})
    game, _, kind = deck.name.partition(", ")
    if kind in _OUR_NAMES:
        return Text(_OUR_NAMES[kind], {"game": VerbatimName(game)})
    return VerbatimName(deck.name)


def find_deck(name: str) -> Deck:
    """Return the deck that a person named: by its folder or file, or else by name, people's own
    decks first.

    Raises `DeckError` if there is none, or it has mistakes.
    """
    path = expand_path(name)
    # A folder that merely has the name of a game, without a deck file, is not meant.
    try:
        a_file = path.is_file() or (path / FILE).is_file()
    except OSError as error:
        # The name is too long for a file, or the folder may not be entered.
        raise DeckError(name, [make_fault("unreadable", reason=describe_os_error(error))]) from error
    named_by_path = a_file or len(path.parts) > 1 or path.suffix == ".toml"
    return Deck.load(path) if named_by_path else find_named_deck(name)


def find_named_deck(name: str) -> Deck:
    """Return the deck with that name (or a game's default deck), or else the `deck.toml` that the
    game of that name contains.

    Raises `DeckError` if there is none, or it has mistakes.
    """
    if name not in list_deck_files():
        with suppress(registry.GameUnavailable):
            # A game that was installed as a plug-in keeps its deck in its own package.
            brought = find_game_folder(registry.load_game(name)) / FILE
            if brought.is_file():
                return Deck.load(brought)
    return Deck.load_by_name(name, user_decks_folder())


def list_deck_files() -> dict[str, Path]:
    """Return the deck files that can be used by name."""
    return decks.list_deck_files(user_decks_folder())


def choose_deck_folder(deck: Deck, name: str) -> Path | None:
    """Return where to save a deck that was named `name`: None for where it came from, else a new
    folder among people's decks."""
    return None if deck.folder is not None else user_decks_folder() / Path(name).stem


def save_to_own_folder(deck: Deck, name: str) -> Deck:
    """Return the deck after writing it to its folder; see `choose_deck_folder`.

    Raises `DeckError` if it cannot be written: people should learn that before they show a hundred
    cards.
    """
    return deck.save(choose_deck_folder(deck, name))
