"""Whole games as the lines that a bot would send, played by the simulated players, and how fast the referee answers them."""

from __future__ import annotations

import gc
import importlib
import time
from typing import Any

import msgspec

from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session

Row = tuple[str, str, str, str]
LIMIT = 5_000
"""Requests a second on one core that every game must reach."""
GAMES = 5
ROUNDS = 5


def game_lines(game_id: str, players: int, seed: int, options: dict[str, Any]) -> list[bytes]:
    """Play one whole game; return its requests as lines, the `start` first."""
    game = registry.load(game_id)
    names = tuple(f"Player {number}" for number in range(1, players + 1))
    filled = {option.name: option.default for option in game.options} | options
    setup = Setup(game_id, names, filled, seed, b"bench")
    seats = importlib.import_module(f"companion.demo.players.{game_id}").Players(setup)
    start = {"do": "start", "game": game_id, "players": names, "options": options, "seed": seed}
    lines, session = [msgspec.json.encode(start)], Session(game, setup)
    while (deed := seats.next(session.acts(), session.view())) is not None:
        lines.append(msgspec.json.encode(deed.request))
        session.act(deed.request)
    return lines


def requests_a_second(game_id: str, players: int, **options: Any) -> Row:
    """Time the referee over whole games, each answer with its view: the best of several rounds, as other programs run too."""
    lines = [line for seed in range(GAMES) for line in game_lines(game_id, players, seed, options)]
    best = min(_seconds(lines) for _ in range(ROUNDS))
    said = "".join(f", {name} {value}" for name, value in options.items())
    conditions = (
        f"{players} players{said}; {GAMES} games, {len(lines)} requests, views included; best of {ROUNDS}"
    )
    return (
        f"referee: {game_id}",
        f"{len(lines) / best:,.0f} requests/s",
        conditions,
        f"{LIMIT:,} requests/s",
    )


def _seconds(lines: list[bytes]) -> float:
    referee = Referee()
    gc.collect()
    before = time.perf_counter()
    for line in lines:
        referee.answer(line)
    return time.perf_counter() - before


def show(rows: list[Row]) -> None:
    """Print the rows of one benchmark that is run by itself."""
    for row in rows:
        print("  ".join(row))
