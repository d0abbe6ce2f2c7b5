"""The referee: requests a second in every game, the legal moves of Partners, and from the start of
the program to the first answer."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from companion.demo.players import players_of
from companion.referee import Referee
from companion.rules.partners.cards import KINDS
from companion.rules.session import Session
from companion.rules.start import Start, begin

Row = tuple[str, str, str, str]
TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("donkey_valley", 7, {}),
    ("dtc", 6, {}),
    ("ochs_und_esel", 7, {"ox": True}),
    ("ochs_und_esel", 12, {}),
    ("partners", 4, {}),
    ("ascend", 4, {"bidding": True}),
]
"""Every game at its fullest table. A new game adds a row."""
LIMIT = 5_000
"""Requests a second on one core that every game must reach."""
GAMES = 5
ROUNDS = 5
MID_GAME = range(60, 160, 4)
"""After how many requests of a game of Partners its moves are asked for."""


def run() -> list[Row]:
    """Measure whole games of every table, then questions about moves, then starts."""
    questions = _questions()
    sevens = [(lines, asked) for lines, asked in questions if b'"7"' in asked]
    return [
        *(_requests_row(*table) for table in TABLES),
        _moves_row("partners: moves, all kinds", questions, "500 questions/s"),
        _moves_row("partners: moves, the seven", sevens, "50 questions/s"),
        _start_row(),
    ]


def game_lines(game_id: str, players: int, seed: int, options: Mapping[str, Any]) -> list[bytes]:
    """Play one whole game; return its requests as lines, the `start` first."""
    names = [f"Player {number}" for number in range(1, players + 1)]
    start = Start(game_id, names, dict(options), seed)
    game, setup = begin(start)  # type: ignore[misc]  # a refusal cannot be unpacked: the bench ends here
    seats = players_of(setup)
    session = Session(game, setup)
    while (deed := seats.next(session.acts(), session.view())) is not None:
        session.act(deed.request)
    return [msgspec.json.encode(request) for request in (start, *(act.request for act in session.acts()))]


def _requests_row(game_id: str, players: int, options: Mapping[str, Any]) -> Row:
    """Time the referee over whole games, each answer with its view: the best of several rounds, as
    other programs run too."""
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
        if not referee.answer(line).startswith(b'{"ok":true'):
            raise RuntimeError(line.decode())
    return time.perf_counter() - before


def _questions() -> list[tuple[list[bytes], bytes]]:
    """Make (the lines that lead there, the question) for mid-game positions of three games, each a
    little further on."""
    found = []
    for seed in range(3):
        lines = game_lines("partners", 4, seed, {})
        referee = Referee()
        for number, line in enumerate(lines):
            view = json.loads(referee.answer(line))["view"]
            if number in MID_GAME and view["phase"] == "play":
                player = view["waiting_for"][0]["player"]
                found += [
                    (
                        lines[: number + 1],
                        json.dumps({"do": "moves", "player": player, "card": card}).encode(),
                    )
                    for card in KINDS
                ]
    return found


def _moves_row(name: str, questions: list[tuple[list[bytes], bytes]], limit: str) -> Row:
    best, listed = float("inf"), 0
    for _ in range(ROUNDS):
        seconds, listed = _ask(questions)
        best = min(best, seconds)
    conditions = f"{len(questions)} questions in mid-game of 3 games, {listed} moves listed; best of {ROUNDS}"
    return (name, f"{len(questions) / best:,.0f} questions/s", conditions, limit)


def _ask(questions: list[tuple[list[bytes], bytes]]) -> tuple[float, int]:
    """Return the seconds that the answers took, without the way to each position, and how many
    moves they listed."""
    seconds, listed = 0.0, 0
    there: list[bytes] = []
    referee = Referee()
    for lines, question in questions:
        if lines[: len(there)] != there:
            referee, there = Referee(), []
        for line in lines[len(there) :]:
            referee.answer(line)
        there = lines
        begun = time.perf_counter()
        answer = referee.answer(question)
        seconds += time.perf_counter() - begun
        listed += len(json.loads(answer).get("moves", ()))
    return seconds, listed


def _start_row() -> Row:
    """Time from the start of the interpreter to the first answer's end."""
    players = [f"Player {number}" for number in range(1, 8)]
    line = msgspec.json.encode(Start("donkey_valley", players))
    starts = []
    for _ in range(9):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "companion", "referee"], input=line, capture_output=True, check=True
        )
        starts.append(time.perf_counter() - begun)
    return (
        "referee, start to first answer",
        f"{statistics.median(starts) * 1000:.0f} ms",
        "interpreter included, with a game of seven started, median of 9",
        "under 300 ms",
    )


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "referee")
