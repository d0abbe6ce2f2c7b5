"""Checks a kept session's commitments: whether each card that was turned up is the one that was
sealed, and the seed the one fixed first.

Whoever has the file (or its JSON export) can do the same without this program: see
docs/journal.en.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.journal.kept import Kept
from companion.rules import registry
from companion.rules.acts import Act
from companion.rules.commitments import (
    HiddenSeed,
    Opening,
    SealedAnew,
    SeedCommitted,
    SeedTold,
    is_seal,
    opened,
)
from companion.rules.session import Session


class Proof(msgspec.Struct, frozen=True):
    """What the check found. `opened`: seals whose cards were turned up, and hold; `closed`: seals
    that were never opened.

    `seeds`: seeds that were told and hold. `false`: the numbers of the entries (from 1) that tell
    what was not committed to. `decided_anew`: acts that were decided once more with a seed that is
    known, and came out as they stand; `otherwise`: the numbers of the entries that did not.
    """

    opened: int = 0
    closed: int = 0
    seeds: int = 0
    false: tuple[int, ...] = ()
    decided_anew: int = 0
    otherwise: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing was found that cannot be."""
        return not (self.false or self.otherwise)


def prove(kept: Kept) -> Proof:
    """Check every opening against the commitment before it, and every draw against its seed."""
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
    anew, otherwise = _decided_anew(kept)
    return Proof(len(found), len(sealed) - len(found), told, tuple(dict.fromkeys(false)), anew, otherwise)


def _decided_anew(kept: Kept) -> tuple[int, tuple[int, ...]]:
    """Decide every act whose seed is known once more: how many came out as they stand, and the
    entries that did not."""
    game = registry.load(kept.setup.game)
    agreed, otherwise = 0, []
    for seed, numbers in _known_seeds(kept):
        session = Session(game, replace(kept.setup, seed=seed), tells=False)
        for number, entry in enumerate(kept.entries, 1):
            moment = session.now.back(entry.at) if entry.kind == "correct" else session.now
            for act in entry.acts if number in numbers else ():
                session.learn(act)  # what the act opened was known to whoever decided it
                # What was drawn with a seed that was lost since is drawn again as it was.
                same = act in (decide(moment, act.request) for decide in (session.by_seed, session.decided))
                agreed += same
                otherwise += [] if same else [number]
                moment = session.grown(moment, act)
            session.replay([entry])
    return agreed, tuple(dict.fromkeys(otherwise))


def _known_seeds(kept: Kept) -> Iterator[tuple[int | str, range]]:
    """Give each seed that is public or was told, with the entries (from 1) that it decided."""
    seed, first = kept.setup.seed, 1
    if not isinstance(seed, HiddenSeed):
        yield seed, range(1, len(kept.entries) + 1)
    for number, entry in enumerate(kept.entries, 1):
        for note in entry.notes:
            if isinstance(note, SeedTold):
                yield note.seed, range(first, number + 1)
            if isinstance(note, SeedTold | SeedCommitted):
                first = number + 1


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
