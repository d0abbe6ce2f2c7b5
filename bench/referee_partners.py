"""Requests a second of the referee in Partners, and how fast it lists the legal moves in mid-game."""

from __future__ import annotations

import json
import time

from bench.game_lines import Row, game_lines, requests_a_second, show
from companion.referee import Referee
from companion.rules.partners.cards import KINDS

MID_GAME = range(60, 160, 4)
"""After how many requests of a game its moves are asked for."""
ROUNDS = 3


def run() -> list[Row]:
    """Measure whole games, then questions: all fourteen kinds, and the seven alone."""
    questions = _questions()
    sevens = [(line, asked) for line, asked in questions if '"7"' in asked]
    return [
        requests_a_second("partners", 4),
        _moves_row("moves, all kinds", questions, "500 questions/s"),
        _moves_row("moves, the seven", sevens, "50 questions/s"),
    ]


def _questions() -> list[tuple[list[bytes], str]]:
    """Make (the lines that lead there, the question) for mid-game positions of three games."""
    found = []
    for seed in range(3):
        lines = game_lines("partners", 4, seed, {})
        referee, told = Referee(), []
        for number, line in enumerate(lines):
            told.append(line)
            view = json.loads(referee.answer(line))["view"]
            if number in MID_GAME and view["phase"] == "play":
                player = view["waiting_for"][0]["player"]
                found += [
                    (list(told), json.dumps({"do": "moves", "player": player, "card": card}))
                    for card in KINDS
                ]
    return found


def _moves_row(name: str, questions: list[tuple[list[bytes], str]], limit: str) -> Row:
    best, listed, answered = float("inf"), 0, 0
    for _ in range(ROUNDS):
        seconds, listed, answered = 0.0, 0, 0
        referee, before = Referee(), None
        for lines, question in questions:
            if lines is not before:
                if before is None or len(lines) < len(before) or lines[0] != before[0]:
                    referee, start = Referee(), 0
                else:
                    start = len(before)
                for line in lines[start:]:
                    referee.answer(line)
                before = lines
            begun = time.perf_counter()
            answer = referee.answer(question.encode())
            seconds += time.perf_counter() - begun
            reply = json.loads(answer)
            answered += 1
            listed += len(reply["moves"]) if reply["ok"] else 0
        best = min(best, seconds)
    conditions = f"{answered} questions in mid-game of 3 games, {listed} moves listed; best of {ROUNDS}"
    return (f"partners: {name}", f"{answered / best:,.0f} questions/s", conditions, limit)


if __name__ == "__main__":
    show(run())
