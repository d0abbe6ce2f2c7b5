"""The referee: requests a second in every game, the legal moves of Partners, and from the start of
the program to the first answer."""

from __future__ import annotations

import gc
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from companion.demo.players import players_of
from companion.referee import Referee
from companion.rules.partners.cards import KINDS, SPLIT
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
TIMES = 2
"""How often a bare JSON round trip an answer may take at most. (The seven's moves are a search.)"""
GAMES = 5
ROUNDS = 5
MID_GAME = range(60, 160, 4)
"""After how many requests of a game of Partners its moves are asked for."""


def run() -> list[Row]:
    """Measure whole games of every table, then questions about moves, then starts."""
    plain = [card for card in KINDS if card != SPLIT]
    return [
        *(_requests_row(*table) for table in TABLES),
        _moves_row("partners: moves, all but the seven", plain, f"{LIMIT:,} questions/s, {TIMES} x"),
        _moves_row("partners: moves, the seven", [SPLIT], "50 questions/s"),
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


Talk = list[tuple[bytes, bool]]
"""What one referee is told, line by line, and whether the answer to it is timed."""


def _requests_row(game_id: str, players: int, options: Mapping[str, Any]) -> Row:
    """Time the referee over whole games, each answer with its view."""
    talks = [[(line, True) for line in game_lines(game_id, players, seed, options)] for seed in range(GAMES)]
    said = "".join(f", {name} {value}" for name, value in options.items())
    timed = _timed(talks)
    conditions = f"{players} players{said}; {GAMES} games, {timed.answers} requests, views included; {timed}"
    return (
        f"referee: {game_id}",
        f"{timed.a_second:,.0f} requests/s",
        conditions,
        f"{LIMIT:,} requests/s, {TIMES} x",
    )


class Timed(NamedTuple):
    """How many answers took how many seconds, and a bare round trip of the same JSON; `listed`: the
    moves in them."""

    answers: int
    seconds: float
    bare: float
    listed: int

    @property
    def a_second(self) -> float:
        """Answers a second."""
        return self.answers / self.seconds

    def __str__(self) -> str:
        return f"{self.seconds / self.bare:.1f} x a bare JSON round trip; each the best of {ROUNDS}"


def _timed(talks: list[Talk]) -> Timed:
    """Time each answer, and beside it what Python alone needs to read the request and to write the
    answer (`json.loads`, `json.dumps`): by turns, the best of several rounds, as other programs run
    too."""
    total = [0, 0.0, 0.0, 0]
    for talk in talks:
        best = [(math.inf, math.inf)] * len(talk)
        for _ in range(ROUNDS):
            referee = Referee()
            gc.collect()
            for at, (line, counts) in enumerate(talk):
                begun = time.perf_counter()
                answer = referee.answer(line)
                ours = time.perf_counter() - begun
                if not answer.startswith(b'{"ok":true'):
                    raise RuntimeError(line.decode())
                if not counts:
                    continue
                said = json.loads(answer)
                begun = time.perf_counter()
                json.loads(line)
                json.dumps(said)
                bare = time.perf_counter() - begun
                if best[at][0] is math.inf:
                    total[3] += len(said.get("moves", ()))
                best[at] = min(best[at][0], ours), min(best[at][1], bare)
        counted = [both for both, (_, counts) in zip(best, talk, strict=True) if counts]
        total[0] += len(counted)
        total[1] += sum(ours for ours, _ in counted)
        total[2] += sum(bare for _, bare in counted)
    answers, seconds, bare, listed = total
    return Timed(int(answers), seconds, bare, int(listed))


def _questions(*cards: str) -> list[Talk]:
    """Make three games of Partners in which, in mid-game, the moves of each of `cards` are asked
    for."""
    talks = []
    for seed in range(3):
        talk: Talk = []
        referee = Referee()
        for number, line in enumerate(game_lines("partners", 4, seed, {})):
            talk.append((line, False))
            view = json.loads(referee.answer(line))["view"]
            if number in MID_GAME and view["phase"] == "play":
                asked = {"do": "moves", "player": view["waiting_for"][0]["player"]}
                each = [json.dumps({**asked, "card": card}).encode() for card in cards]
                # Not of a card whose every copy has been played.
                talk += [(one, True) for one in each if json.loads(referee.answer(one))["ok"]]
        talks.append(talk)
    return talks


def _moves_row(name: str, cards: Sequence[str], limit: str) -> Row:
    timed = _timed(_questions(*cards))
    conditions = f"{timed.answers} questions in mid-game of 3 games, {timed.listed} moves listed; {timed}"
    return (name, f"{timed.a_second:,.0f} questions/s", conditions, limit)


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
