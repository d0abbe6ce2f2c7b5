"""The dashboard's keys, once: what footer, key list and palette show, what a key does, and which
mean something now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from textual.binding import Binding

from companion.rules.contract import GAME_OVER
from companion.texts import Translator
from companion.views.dashboard.around import Around
from companion.views.host import Command, Host


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


HELD = ("live.held", "live.counting")
"""The notices under which no card is played until the players say that all lies right."""
_AT_TIMES = ("own_game", "board", "count_cards")
"""Keys that are listed only while they mean something: most evenings never have them."""


class Offers:
    """What can be pressed at one table."""

    def __init__(self, host: Host, around: Around) -> None:
        self._host = host
        self._around = around
        self._extra: tuple[Command, ...] = tuple(around.backstage.commands) if around.backstage else ()

    def now(self, action: str, *, reviewable: bool) -> bool:
        """Tell whether a key means something now; `reviewable`: there is a last result to be shown
        again."""
        snapshot, around = self._host.snapshot(), self._around
        over = bool(snapshot.view["phase"] == GAME_OVER)
        there = {
            "confirm_moves": bool(snapshot.moves or snapshot.unasked)
            or getattr(snapshot.notice, "code", None) in HELD,
            "count_cards": snapshot.can_count,
            "again": over,
            "keep_page": over and around.keep_page is not None,
            "own_game": around.plan.demo,
            "mute": around.speaker is not None and not around.speaker.muted,
            "review": reviewable,
            "board": around.board is not None,
        }
        return there.get(action, True)

    def listed(self, say: Translator) -> list[tuple[str, str]]:
        """List what is printed on each key of this evening, with its words."""
        keys = [*SEATS, *PANEL, *((key.typed, key.action) for key in KEYS if self._may_come(key.action))]
        own = [(typed, say(f"key.{name}")) for typed, name in keys]
        own += [("j", say("key.share"))] if self._around.sharing is not None else []
        return own + [(command.typed, label) for label, command in self.commands(say)]

    def action_of(self, typed: str | None) -> str | None:
        """Return what the key with this print does; None for those of the seats and of what is
        entered, which are several."""
        actions = {key.typed: key.action for key in KEYS} | {"j": "join"}
        actions |= {command.typed: f"command({command.key!r})" for command in self._extra}
        return actions.get(typed or "")

    def commands(self, say: Translator) -> list[tuple[str, Command]]:
        """List the extra commands under their words."""
        return [(say.say(command.label), command) for command in self._extra]

    def _may_come(self, action: str) -> bool:
        """Tell whether a key means something at some time of this evening."""
        if action == "keep_page":
            return self._around.keep_page is not None
        return action not in _AT_TIMES or self.now(action, reviewable=False)
