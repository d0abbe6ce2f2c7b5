"""Simulated players, found by their entry points: a class that is made with a `Setup`, see
`companion.demo.deeds.Players`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import TypeAlias, cast

from companion.demo.deeds import Players
from companion.rules.contract import Setup

__all__ = ["GROUP", "MakePlayers", "Players", "has_players", "players_of"]

GROUP = "companion.players"
MakePlayers: TypeAlias = Callable[[Setup], Players]


@cache
def _found(game_id: str) -> MakePlayers | None:
    for point in entry_points(group=GROUP, name=game_id):
        try:
            return cast(MakePlayers, point.load())
        except Exception:  # a broken plug-in: its game can still be played by hand
            return None
    return None


def has_players(game_id: str) -> bool:
    """Tell whether a game has simulated players that can be loaded."""
    return _found(game_id) is not None


def players_of(setup: Setup) -> Players:
    """Make the simulated players of a session; raises `LookupError` for a game that has none."""
    make = _found(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)
