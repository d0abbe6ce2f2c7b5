"""Checks a kept session's commitments: whether each card that was turned up is the one that was sealed, and the seed the one fixed first.

Whoever has the file (or its JSON export) can do the same without this program: see docs/journal.en.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from companion.journal.store import Kept
from companion.rules.commitments import Opening, SealedAnew, SeedCommitted, SeedTold, is_seal, opened
from companion.rules.session import Act


class Proof(msgspec.Struct, frozen=True):
    """What the check found. `opened`: seals whose cards were turned up, and hold; `closed`: seals that were never opened.

    `seeds`: seeds that were told and hold. `false`: the numbers of the entries (from 1) that tell what was not committed to.
    """

    opened: int = 0
    closed: int = 0
    seeds: int = 0
    false: tuple[int, ...] = ()


def prove(kept: Kept) -> Proof:
    """Check every opening of a session against what was committed to before it."""
    sealed: dict[str, tuple[str, set[str]]] = {}
    seeds, told = {kept.commitment}, 0
    found: set[str] = set()
    false: list[int] = []
    for number, entry in enumerate(kept.entries, 1):
        for act in entry.acts:
            sealed.update((seal, (_player(act), {seal})) for seal in _seals(act) if seal not in sealed)
            for opening in _openings(act):
                if _holds(opening, *sealed.get(opening.seal, ("", set()))):
                    found.add(opening.seal)
                else:
                    false.append(number)
        for note in entry.notes:
            match note:
                case SealedAnew(_player_of, before, now):
                    sealed[before][1].add(now)
                case SeedCommitted(commitment):
                    seeds.add(commitment)
                case SeedTold() if note.commitment in seeds:
                    told += 1
                case SeedTold():
                    false.append(number)
    return Proof(len(found), len(sealed) - len(found), told, tuple(dict.fromkeys(false)))


def _holds(opening: Opening, player: str, seals: set[str]) -> bool:
    return any(opening.opens(seal, player) for seal in seals)


def _player(act: Act) -> str:
    return str(getattr(act.request, "player", ""))


def _seals(act: Act) -> Iterator[str]:
    value: Any = getattr(act.request, "sealed", None)
    yield from (seal for seal in (value if isinstance(value, tuple) else (value,)) if is_seal(seal))


def _openings(act: Act) -> Iterator[Opening]:
    for event in act.events:
        yield from opened(event)
