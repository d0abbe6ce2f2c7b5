"""The games that are installed: listed by their entry points without importing them, loaded one at
a time."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from companion.rules.contract import Game

GROUP = "companion.games"


class GameUnavailable(LookupError):
    """No such game is installed, or its package cannot be loaded (`reason` then says why)."""

    def __init__(self, game_id: str, reason: str = "") -> None:
        super().__init__(f"game {game_id!r} is not installed" + (f": {reason}" if reason else ""))
        self.game_id = game_id
        self.reason = reason


@cache
def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def game_ids() -> list[str]:
    """List the ids of the installed games, in alphabetical order, importing none of them.

    >>> {"ascend", "donkey_valley", "dtc", "ochs_und_esel", "partners"} <= set(game_ids())
    True
    """
    return sorted(_installed())


@cache
def load(game_id: str) -> Game[Any]:
    """Import one game. Raises `GameUnavailable`, also when the plug-in itself fails on import.

    >>> load("donkey_valley").seats
    range(3, 8)
    >>> load("chess")
    Traceback (most recent call last):
    companion.rules.registry.GameUnavailable: game 'chess' is not installed
    """
    point = _installed().get(game_id)
    if point is None:
        raise GameUnavailable(game_id)
    try:
        game = point.load()
    except Exception as fault:  # a broken plug-in must not take the others down
        raise GameUnavailable(game_id, f"{type(fault).__name__}: {fault}") from fault
    if not isinstance(game, Game):
        raise GameUnavailable(game_id, f"{point.value} is no Game")
    return game
