"""Commitments: values that are fixed now and published later, so that anybody can check that
nothing was changed in between.

A commitment is the SHA-256, in hex, of the JSON text `["<nonce>", what...]` in UTF-8 without
spaces. Each has its own nonce of 32 random bytes, which lives in memory only: without it the
committed text cannot be found, even by trying every card. Publishing means giving the nonce and the
rest of the text.

Two kinds of value are committed to. The seed of a session (`HiddenSeed`) is published when the
session ends; until then nobody can predict the draws, and afterwards anybody can repeat them. The
value of a face-down card that a reader has read (`Vault`) is published when the card is turned up;
a commitment to a card is called a seal.
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
"""A seal, the commitment that stands for a face-down card (64 hex digits; 32 in older journals)."""
HIDDEN = "(face down)"


_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""The separators are part of the promise: programs that check a seal must write the same bytes."""


def commitment(nonce: str, *what: int | str) -> str:
    """Return the commitment to `what`: 64 hex digits."""
    return hashlib.sha256(_written([nonce, *what]).encode()).hexdigest()


def is_seal(value: object) -> bool:
    """Tell whether `value` is a seal rather than a card."""
    return isinstance(value, str) and _SEAL.fullmatch(value) is not None


class Opening(msgspec.Struct, frozen=True):
    """The opening of a seal: card and nonce. `seal`: the seal under which the card was laid; see
    `SealedAnew`."""

    seal: str
    card: int | str
    nonce: str

    def opens(self, seal: str, player: str) -> bool:
        """Tell whether `seal` is the commitment to this card in front of this player."""
        return commitment(self.nonce, player, self.card) == seal


class Vault:
    """The openings of a session's seals, in memory only: never written, and not in its `repr`."""

    __slots__ = ("_openings",)

    def __init__(self) -> None:
        self._openings: Final[dict[str, Opening]] = {}

    def seal(self, player: str, card: int | str) -> str:
        """Seal a card that lies face down in front of `player`; every call makes a different
        seal."""
        # Not from the session's seed, which is published: then all cards could be found.
        nonce = secrets.token_hex(32)
        seal = commitment(nonce, player, card)
        self._openings[seal] = Opening(seal, card, nonce)
        return seal

    def seal_anew(self, before: str, player: str, card: int | str) -> str:
        """Make and return a new commitment to the card under the old seal `before`, whose nonce is
        lost."""
        seal = self.seal(player, card)
        # Under the seal of before: it is what the act of laying names, and the game's state.
        self._openings[before] = msgspec.structs.replace(self._openings.pop(seal), seal=before)
        return seal

    def openings(self, seals: Sequence[str]) -> tuple[Opening, ...]:
        """Return the known openings among `seals`."""
        return tuple(self._openings[seal] for seal in seals if seal in self._openings)

    def learn(self, openings: Sequence[Opening]) -> None:
        """Store published openings."""
        # Under the seal of the act, also where a new commitment replaced it.
        self._openings.update((one.seal, one) for one in openings)

    def forget(self, seals: Sequence[str]) -> None:
        """Remove the seals of a request that was refused."""
        for seal in seals:
            self._openings.pop(seal, None)

    def __contains__(self, seal: str) -> bool:
        return seal in self._openings

    def __repr__(self) -> str:
        return f"Vault({len(self._openings)} {HIDDEN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("what opens a seal is not written anywhere")


class SeedCommitted(msgspec.Struct, frozen=True, tag_field="type", tag="seed_committed"):
    """The program chose a seed and commits to it; again after a restart, and when a session that
    had ended goes on."""

    commitment: str


class SeedTold(msgspec.Struct, frozen=True, tag_field="type", tag="seed_told"):
    """The session is over: the seed that the last commitment stands for, with its nonce."""

    seed: str
    nonce: str

    @property
    def commitment(self) -> str:
        """The commitment to this seed."""
        return commitment(self.nonce, self.seed)


class SealedAnew(msgspec.Struct, frozen=True, tag_field="type", tag="sealed_anew"):
    """A pad was read again after a restart: `now` is the new commitment to the card laid under the
    seal `before`, whose nonce is lost."""

    player: str
    before: str
    now: str


Note: TypeAlias = SeedCommitted | SeedTold | SealedAnew
"""A note that the journal stores beside the acts. It is not a step, and no undo removes it."""


class HiddenSeed:
    """A seed chosen by the program, which cannot be read before it is published. One object serves
    a session; its seed may change.

    `fresh`: whether the start of the session publishes the first commitment. A resumed session must
    commit to a new seed before anything is drawn (`due`). Any two hidden seeds are equal, so that
    they make no difference between two states.
    """

    __slots__ = ("_next", "_now", "_open")

    def __init__(self, *, fresh: bool = True) -> None:
        self._now = _seed()
        # Chosen in advance: `due` must name its commitment before anything has changed.
        self._next = _seed()
        self._open = not fresh

    @property
    def commitment(self) -> str:
        """The commitment to the current seed."""
        return self._now.commitment

    def open(self) -> str:
        """Return the seed; only for the random generator."""
        return self._now.seed

    def due(self, *, over: bool) -> SeedCommitted | SeedTold | None:
        """Return the note to store with a step, None if there is none; `over`: whether the session
        is over after it. Nothing changes before `keep`."""
        if over:
            # Published once; an undo of the end does not hide it again.
            return None if self._open else self._now
        # After a published seed (or a restart) the game goes on with a new one.
        return SeedCommitted(self._next.commitment) if self._open else None

    def keep(self, note: SeedCommitted | SeedTold) -> None:
        """Record that `note` has been stored: the seed is now published, or replaced by the
        next."""
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
    """Return the openings in the field `opened` of an event or request."""
    found = getattr(fact, "opened", ())
    return () if found is msgspec.UNSET else found
