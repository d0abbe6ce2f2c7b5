"""Who may act: the checks that come before every game's own, in the order of docs/referee.md."""

from __future__ import annotations

from companion.rules.contract import Refusal, Text, refuse


def wrong_phase(awaited: Text, clause: str | None = None) -> Refusal:
    """Refuse what cannot be done now, and say what is awaited instead."""
    return refuse("wrong_phase", clause, awaited=awaited)


def not_your_turn(player: str, awaited: Text, clause: str | None = None) -> Refusal:
    """Refuse `player`, whose turn it is not, and say what is awaited instead."""
    return refuse("not_your_turn", clause, player=player, awaited=awaited)


def replaced(row: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    """Return `row`, one number a seat, with the number of `seat` (from 0) replaced by `value`."""
    return (*row[:seat], value, *row[seat + 1 :])
