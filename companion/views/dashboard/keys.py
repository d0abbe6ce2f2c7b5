"""The dashboard's keys, once: what footer, key list and palette show, and what a key does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from textual.binding import Binding


class Key(NamedTuple):
    """One key: Textual's name of it, the action (words: `key.<action>`, in the footer
    `key.short.<action>`), what is printed on it.

    `footer`: whether the footer shows it.
    """

    key: str
    action: str
    typed: str
    footer: bool = True


KEYS = (
    Key("enter", "act", "⏎"),
    Key("u", "undo", "u"),
    Key("r", "redo", "r", footer=False),
    Key("c", "correct", "c"),
    Key("e", "explain", "e"),
    Key("g", "glance", "g"),
    Key("v", "review", "v", footer=False),
    Key("m", "confirm_moves", "m"),
    Key("d", "count_cards", "d"),
    Key("p", "people", "p", footer=False),
    Key("percent_sign", "odds", "%", footer=False),
    Key("space", "pause", "␣"),
    Key("a", "again", "a"),
    Key("k", "keep_page", "k"),
    Key("n", "own_game", "n"),
    Key("x", "mute", "x"),
    Key("b", "board", "b"),
    Key("l", "language", "l", footer=False),
    Key("t", "next_theme", "t", footer=False),
    Key("question_mark", "help", "?"),
    Key("q", "leave", "q"),
)
"""In the order shown; which of them mean something now says the dashboard's `check_action`."""

NAMED = tuple(key.action for key in KEYS if key.footer)
"""The ids of the keys that stand in the footer, under short words."""

TABLE_ONLY = frozenset({key.action for key in KEYS} - {"undo", "confirm_moves", "odds", "pause", "help"}) | {
    "seat",
    "command",
    "join",
}
"""What no key does while something is entered: there the rows have the letters and the digits. The
others' keys begin no row of any game (`companion.views.menu_keys.TABLE`)."""

SEATS = (("1-9", "seat"), ("0", "table"))
"""The keys that open the entry panel at a seat, or at the table, for the list of keys."""


PANEL = (("Tab", "next"), ("↑ ↓ ⏎", "chosen"), ("⌫", "take_back"), ("Esc", "close"))
"""The keys of what is entered, for the list of keys; each row has its own besides."""


def bindings() -> Iterator[Binding]:
    """Bind every key; `ThemedApp.name_keys` puts the words of a language to them."""
    for key, action, typed, footer in KEYS:
        yield Binding(key, action, action, id=action, key_display=typed, show=footer)
    for seat in range(10):
        yield Binding(str(seat), f"seat({seat})", "", id=f"seat{seat}", show=False)
