"""Decisions of one moment, made apart: each is kept sealed in memory until all have decided, and
may be taken back until then.

Who decides so, the rules say (`Game.together`). Who says their decision aloud, by a card or the
laptop's keys, has decided for all to see; what was sealed for that player before is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

from companion.rules.commitments import HIDDEN
from companion.rules.contract import Game, Request


class _Decision:
    """A request nobody may read yet: not in an object's text, a traceback, or a pickle."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request: Final = request

    def open(self) -> Request:
        return self._request

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a decision that is sealed is written nowhere")


class Together:
    """The sealed decisions of one table."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._sealed: dict[str, _Decision] = {}

    @property
    def decided(self) -> tuple[str, ...]:
        """Who has decided, by name: the order in which they did it is nobody's business."""
        return tuple(sorted(self._sealed))

    def seal(self, player: str, request: Request) -> None:
        """Keep a decision; it takes the place of an earlier one."""
        self._sealed[player] = _Decision(request)

    def take_back(self, player: str) -> None:
        """Forget a player's decision."""
        self._sealed.pop(player, None)

    def open(self, player: str) -> Request | None:
        """Hand out one decision, and forget it: time is up."""
        sealed = self._sealed.pop(player, None)
        return None if sealed is None else sealed.open()

    def follow(self, state: Any) -> Sequence[Request]:
        """Forget who decides no more; once all who decide now have done so, hand their decisions
        out, clockwise."""
        if not self._sealed:
            return ()
        deciding = self._game.together(state)
        for player in [player for player in self._sealed if player not in deciding]:
            self.take_back(player)
        if not self._sealed or len(self._sealed) < len(deciding):
            return ()
        opened = [self._sealed[player].open() for player in deciding]
        self._sealed.clear()
        return opened
