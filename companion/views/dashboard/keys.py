"""The dashboard's keys, once: what footer, key list and palette show, which mean something now, and
what each does to the table: steps, corrections, people, odds, cards to move, silence, language and
colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from textual.binding import Binding

from companion.plan import Plan
from companion.rules.contract import GAME_OVER
from companion.texts import Translator
from companion.views.conversations import Conversation, correct, people
from companion.views.dashboard import screens
from companion.views.dashboard.themed import ThemedApp
from companion.views.evening import Command, Evening
from companion.views.places import move_in_words
from companion.views.themes import THEMES


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
    Key("w", "watch", "w"),
    Key("m", "confirm_moves", "m"),
    Key("d", "count_cards", "d"),
    Key("percent_sign", "odds", "%", footer=False),
    Key("space", "pause", "␣"),
    Key("a", "again", "a"),
    Key("k", "keep_page", "k"),
    Key("n", "own_game", "n"),
    Key("x", "mute", "x"),
    Key("b", "board", "b"),
    Key("p", "people", "p"),
    Key("v", "review", "v"),
    Key("f", "photo", "f"),
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
others' keys begin no row of any game (`companion.views.entry.TABLE`)."""

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
_AT_TIMES = ("own_game", "board", "count_cards", "watch", "photo")
"""Keys that are listed only while they mean something: most evenings never have them."""


class Offers:
    """What can be pressed at one table."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._extra: tuple[Command, ...] = tuple(evening.backstage.commands)

    def now(self, action: str, *, reviewable: bool) -> bool:
        """Tell whether a key means something now; `reviewable`: there is a last result to be shown
        again."""
        evening, snapshot = self._evening, self._evening.live.snapshot()
        over = bool(snapshot.view["phase"] == GAME_OVER)
        there = {
            "confirm_moves": bool(snapshot.moves or snapshot.unasked)
            or getattr(snapshot.notice, "code", None) in HELD,
            "count_cards": snapshot.can_count,
            "again": over,
            "keep_page": over,
            "own_game": evening.plan.demo,
            "mute": evening.speaker is not None and not evening.speaker.muted,
            "review": reviewable,
            "board": evening.board is not None,
            "watch": evening.picture_of is not None,
            "photo": evening.photograph is not None,
        }
        return there.get(action, True)

    def listed(self, say: Translator) -> list[tuple[str, str]]:
        """List what is printed on each key of this evening, with its words."""
        keys = [*SEATS, *PANEL, *((key.typed, key.action) for key in KEYS if self._may_come(key.action))]
        own = [(typed, say(f"key.{name}")) for typed, name in keys]
        own += [("j", say("key.share"))] if self._evening.sharing is not None else []
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
        return action not in _AT_TIMES or self.now(action, reviewable=False)


class TableActions(ThemedApp[Plan | None]):
    """A screen over one evening; ends with the plan of what is wanted next, if anything is."""

    def __init__(self, evening: Evening) -> None:
        super().__init__(Translator(evening.plan.language, evening.live.game), evening.plan.theme)
        self.live = evening.live
        self._evening = evening

    def action_undo(self) -> None:
        """Take back the last step."""
        self.live.undo()

    def action_redo(self) -> None:
        """Take back the last undo."""
        self.live.redo()

    def action_correct(self) -> None:
        """Correct the past: choose an act, say what it should have been, see what that changes,
        then make it or leave it."""
        if len(self.live.snapshot().log):
            putting_right = Conversation(
                lambda: correct(self.live, self.say), lambda: self.live.snapshot().log
            )
            self.push_screen(screens.ConversationScreen(putting_right, self.say))
        else:
            self.notify(self.say("correct.nothing"))

    def action_explain(self) -> None:
        """Show the score sheet with its reasons."""
        snapshot = self.live.snapshot()
        reasons = [(player, self.live.explain(player)) for player in snapshot.people.seats]
        self.push_screen(screens.ExplanationScreen(snapshot, reasons, self.say))

    def action_people(self) -> None:
        """Put names right; let people come and go."""
        speaker = self._evening.speaker
        pronounce = None if speaker is None else speaker.pronounce
        come_and_go = Conversation(lambda: people(self.live, self.say, pronounce))
        screen = screens.ConversationScreen(come_and_go, self.say, again=True)
        self.push_screen(screen)

    def action_odds(self) -> None:
        """Tell the chance of what is about to be turned up, or no more."""
        told = not self.live.tells_odds
        self.live.tell_odds(told)
        self.notify(self.say("odds.on" if told else "odds.off"))

    def action_confirm_moves(self) -> None:
        """Take it that the real cards lie as they should; several are ticked off in a list, and so
        is what nobody was asked to move."""
        snapshot = self.live.snapshot()
        if len(snapshot.moves) < 2 and not snapshot.unasked:
            self._moved(True)
            return
        moves = snapshot.moves or snapshot.unasked
        words = [move_in_words(move, self.say, snapshot.people.seats) for move in moves]
        self.push_screen(screens.MovesScreen(words, self.say), self._moved)

    def _moved(self, done: bool | None) -> None:
        if done:
            self.live.confirm_moves()

    def action_count_cards(self) -> None:
        """Let the cards be laid out and counted before the game begins."""
        self.live.count_cards()

    def action_mute(self) -> None:
        """Silence voice and sounds for the rest of the evening."""
        if self._evening.speaker is not None:
            self._evening.speaker.mute()
        self.notify(self.say("voice.muted"))
        self.refresh_bindings()

    def action_next_theme(self) -> None:
        """Change to the next of our themes."""
        names = [one.name for one in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)] if self.theme in names else names[0]
