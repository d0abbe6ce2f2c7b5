"""Which keys and commands the table offers: now, for the footer and the palette, and at all, for
the list of keys."""

from __future__ import annotations

from companion.rules.contract import GAME_OVER
from companion.texts import Translator
from companion.views.dashboard.around import Around
from companion.views.dashboard.keys import KEYS, PANEL, SEATS
from companion.views.host import Command, Host

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
            "own_game": around.demo,
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
