"""Simulated players, as a folder of a game has them (`player.Players`) or as the entry point of its
id names them in `GROUP`: a class that is made with a `Setup`; see
`companion.demo.actions.SimulatedPlayers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from companion.demo.actions import SimulatedPlayers
from companion.rules import registry
from companion.rules.contract import Setup

GROUP = "companion.players"
MakePlayers: TypeAlias = Callable[[Setup], SimulatedPlayers]


def _found(game_id: str) -> MakePlayers | None:
    found: MakePlayers | None = registry.part(game_id, "player:Players", GROUP)
    return found


def has_players(game_id: str) -> bool:
    """Tell whether a game has simulated players that can be loaded."""
    return _found(game_id) is not None


def players_of(setup: Setup) -> SimulatedPlayers:
    """Make the simulated players of a session; raises `LookupError` for a game that has none."""
    make = _found(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)
