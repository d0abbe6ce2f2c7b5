"""Commitments: what is fixed now and told later, so that anybody can check afterwards that nothing
was changed in between.

A commitment is the SHA-256, in hex, of the JSON text `["<nonce>", what...]` in UTF-8 without
spaces. Each has 32 random bytes of its own as its nonce, which live in memory only: without them
the text cannot be found, not by trying every card. What is told is the nonce and the rest of the
text.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Final, NoReturn, TypeAlias

import msgspec

_SEAL = re.compile("[0-9a-f]{32}(?:[0-9a-f]{32})?")
Seal: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]+$", min_length=32, max_length=64)]
"""What stands for a card face down: its commitment (64 signs; 32 in older journals)."""
HIDDEN = "(face down)"


_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""The separators are part of the promise: whoever checks a seal writes the same bytes."""


def commitment(nonce: str, *what: int | str) -> str:
    """Return the commitment to `what`."""
    return hashlib.sha256(_written([nonce, *what]).encode()).hexdigest()


def is_seal(value: object) -> bool:
    """Tell whether `value` is a seal and no card."""
    return isinstance(value, str) and _SEAL.fullmatch(value) is not None


class Opening(msgspec.Struct, frozen=True):
    """What opens a seal: card and nonce. `seal`: that under which it was laid; see `SealedAnew`."""

    seal: str
    card: int | str
    nonce: str

    def opens(self, seal: str, player: str) -> bool:
        """Tell whether `seal` was the commitment to this card before this player."""
        return commitment(self.nonce, player, self.card) == seal


class Vault:
    """The openings of a session's seals, in memory only: written nowhere, nor in its text."""

    __slots__ = ("_openings",)

    def __init__(self) -> None:
        self._openings: Final[dict[str, Opening]] = {}

    def seal(self, player: str, card: int | str) -> str:
        """Seal a card that lies face down before `player`; each time with another seal."""
        nonce = secrets.token_hex(32)
        seal = commitment(nonce, player, card)
        self._openings[seal] = Opening(seal, card, nonce)
        return seal

    def seal_anew(self, before: str, player: str, card: int | str) -> str:
        """Return a new commitment to the card under the seal `before`, whose nonce is lost."""
        seal = self.seal(player, card)
        # Under the seal of before: it is what the act of laying names, and the game's state.
        self._openings[before] = msgspec.structs.replace(self._openings.pop(seal), seal=before)
        return seal

    def openings(self, seals: Sequence[str]) -> tuple[Opening, ...]:
        """Return the openings of those of `seals` that are known."""
        return tuple(self._openings[seal] for seal in seals if seal in self._openings)

    def learn(self, openings: Sequence[Opening]) -> None:
        """Take in what was told."""
        self._openings.update((one.seal, one) for one in openings)

    def forget(self, seals: Sequence[str]) -> None:
        """Drop seals of a request that was refused."""
        for seal in seals:
            self._openings.pop(seal, None)

    def __contains__(self, seal: str) -> bool:
        return seal in self._openings

    def __repr__(self) -> str:
        return f"Vault({len(self._openings)} {HIDDEN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("what opens a seal is not written anywhere")


class SeedCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="seed_committed"):
    """The program chose a seed (anew after a restart, or when a session that had ended goes on) and
    commits to it."""

    commitment: str


class SeedTold(msgspec.Struct, frozen=True, tag_field="type", tag="seed_told"):
    """The session is over: the seed that the last commitment stands for, with its nonce."""

    seed: str
    nonce: str

    @property
    def commitment(self) -> str:
        """The commitment that this opens."""
        return commitment(self.nonce, self.seed)


class SealedAnew(msgspec.Struct, frozen=True, tag_field="type", tag="sealed_anew"):
    """After a restart a pad was read anew: `now` is the commitment to what lies there under the
    seal `before`, whose nonce is lost."""

    player: str
    before: str
    now: str


Note: TypeAlias = SeedCommitted | SeedTold | SealedAnew
"""What the log keeps beside the acts. A note is no step, and no undo takes it back."""


class HiddenSeed:
    """A seed that the program chose: nobody can read it before it is told. One object serves a
    session; the seed in it may change.

    `fresh`: whether the first commitment is made by whoever begins the session; a session that is
    taken up again must commit to a new seed before anything is drawn (`due`). Any two are equal:
    what nobody can see makes no difference between two states.
    """

    __slots__ = ("_next", "_now", "_open")

    def __init__(self, *, fresh: bool = True) -> None:
        self._now = _seed()
        self._next = _seed()
        self._open = not fresh

    @property
    def commitment(self) -> str:
        """The commitment to the seed that draws follow from now."""
        return self._now.commitment

    def open(self) -> str:
        """Return the seed; only for the generator."""
        return self._now.seed

    def due(self, *, over: bool) -> SeedCommitted | SeedTold | None:
        """Return what is to be kept with a step after which the session is over, or is not; nothing
        changes before `keep`."""
        if over:
            return None if self._open else self._now
        return SeedCommitted(self._next.commitment) if self._open else None

    def keep(self, note: SeedCommitted | SeedTold) -> None:
        """Take it that `note` has been kept."""
        self._open = isinstance(note, SeedTold)
        if not self._open:
            # The next seed is fixed already: `due` told its commitment before anything was kept.
            self._now, self._next = self._next, _seed()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HiddenSeed)

    def __hash__(self) -> int:
        return hash(HiddenSeed)

    def __repr__(self) -> str:
        return "(told at the end)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a seed that is not told yet is not written anywhere")


def _seed() -> SeedTold:
    return SeedTold(secrets.token_hex(16), secrets.token_hex(32))


def opened(fact: Any) -> tuple[Opening, ...]:
    """Return the openings in the field `opened` of an event or a request."""
    found = getattr(fact, "opened", ())
    return () if found is msgspec.UNSET else found
