"""Donkey Valley through the headless referee: requests a second, and the start of the program."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

import msgspec

from companion.demo.players.donkey_valley import Players
from companion.referee import Referee
from companion.rules.donkey_valley import GAME
from companion.rules.session import Session

PLAYERS = ["Ann", "Ben", "Cid", "Dee", "Eve", "Fay", "Gus"]
GAMES = 6


def whole_game(seed: int) -> list[bytes]:
    """Return the lines of a whole game of seven, `start` first."""
    start = {"do": "start", "game": GAME.id, "players": PLAYERS, "seed": seed}
    referee = Referee()
    referee.answer(json.dumps(start).encode())
    session = referee.session
    if not isinstance(session, Session):
        raise RuntimeError("the game did not start")
    players = Players(session.setup)
    while (deed := players.next(session.acts(), session.view())) is not None:
        session.act(deed.request)
    return [json.dumps(start).encode(), *(msgspec.json.encode(act.request) for act in session.acts())]


def requests_a_second(games: list[list[bytes]]) -> float:
    """Answer every line of these games, views included, and return how many were answered in a second."""
    referee = Referee()
    begun = time.perf_counter()
    for lines in games:
        for line in lines:
            if not referee.answer(line).startswith(b'{"ok":true'):
                raise RuntimeError(line.decode())
    return sum(map(len, games)) / (time.perf_counter() - begun)


def start_up() -> float:
    """Return the seconds from the start of the interpreter to the first answer's end."""
    line = json.dumps({"do": "start", "game": GAME.id, "players": PLAYERS}).encode()
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "companion", "referee"], input=line, capture_output=True, check=True
    )
    return time.perf_counter() - begun


def run() -> list[tuple[str, str, str, str]]:
    """Measure and return the rows."""
    games = [whole_game(seed) for seed in range(GAMES)]
    requests_a_second(games[:1])
    rates = [requests_a_second(games) for _ in range(5)]
    starts = [start_up() for _ in range(9)]
    lines = sum(map(len, games))
    return [
        (
            "Donkey Valley, requests a second",
            f"{statistics.median(rates):,.0f}",
            f"{GAMES} games of seven, {lines} requests with their views, one core, median of 5",
            "at least 5,000",
        ),
        (
            "referee, start to first answer",
            f"{statistics.median(starts) * 1000:.0f} ms",
            "interpreter included, with a game of seven started, median of 9",
            "under 300 ms",
        ),
    ]


if __name__ == "__main__":
    for row in run():
        print(*row, sep="  |  ")
