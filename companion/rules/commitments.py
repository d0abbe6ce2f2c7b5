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


def compute_commitment(nonce: str, *values: int | str) -> str:
    """Return the commitment to `values`: 64 hex digits."""
    return hashlib.sha256(_written([nonce, *values]).encode()).hexdigest()


def is_seal(value: object) -> bool:
    """Tell whether `value` is a seal rather than a card."""
    return isinstance(value, str) and _SEAL.fullmatch(value) is not None


class Opening(msgspec.Struct, frozen=True):
    """The opening of a seal: card and nonce. `seal_card`: the seal under which the card was laid;
    see `CardResealed`."""

    seal: str
    card: int | str
    nonce: str

    def matches_seal(self, seal: str, player: str) -> bool:
        """Tell whether `seal_card` is the commitment to this card in front of this player."""
        return compute_commitment(self.nonce, player, self.card) == seal


class Vault:
    """The openings of a session's seals, in memory only: never written, and not in its `repr`."""

    __slots__ = ("_openings",)

    def __init__(self) -> None:
        self._openings: Final[dict[str, Opening]] = {}

    def seal_card(self, player: str, card: int | str) -> str:
        """Seal a card that lies face down in front of `player`; every call makes a different
        seal."""
        # Not from the session's seed, which is published: then all cards could be found.
        nonce = secrets.token_hex(32)
        seal = compute_commitment(nonce, player, card)
        self._openings[seal] = Opening(seal, card, nonce)
        return seal

    def reseal_card(self, before: str, player: str, card: int | str) -> str:
        """Make and return a new commitment to the card under the old seal `before`, whose nonce is
        lost."""
        seal = self.seal_card(player, card)
        # Under the seal of before: it is what the act of laying names, and the game's state.
        self._openings[before] = msgspec.structs.replace(self._openings.pop(seal), seal=before)
        return seal

    def list_openings(self, seals: Sequence[str]) -> tuple[Opening, ...]:
        """Return the known openings among `seals`."""
        return tuple(self._openings[seal] for seal in seals if seal in self._openings)

    def add_openings(self, openings: Sequence[Opening]) -> None:
        """Store published openings."""
        # Under the seal of the act, also where a new commitment replaced it.
        self._openings.update((one.seal, one) for one in openings)

    def discard_seals(self, seals: Sequence[str]) -> None:
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


class SeedRevealed(msgspec.Struct, frozen=True, tag_field="type", tag="seed_told"):
    """The session is over: the seed that the last commitment stands for, with its nonce."""

    seed: str
    nonce: str

    @property
    def commitment(self) -> str:
        """The commitment to this seed."""
        return compute_commitment(self.nonce, self.seed)


class CardResealed(msgspec.Struct, frozen=True, tag_field="type", tag="sealed_anew"):
    """A pad was read again after a restart: `now` is the new commitment to the card laid under the
    seal `before`, whose nonce is lost."""

    player: str
    before: str
    now: str


Note: TypeAlias = SeedCommitted | SeedRevealed | CardResealed
"""A note that the journal stores beside the acts. It is not a step, and no undo removes it."""


class HiddenSeed:
    """A seed chosen by the program, which cannot be read before it is published. One object serves
    a session; its seed may change.

    `fresh`: whether the start of the session publishes the first commitment. A resumed session must
    commit to a new seed before anything is drawn (`make_due_note`). Any two hidden seeds are equal,
    so that they make no difference between two states.
    """

    __slots__ = ("_next", "_now", "_open")

    def __init__(self, *, fresh: bool = True) -> None:
        self._now = _generate_seed()
        # Chosen in advance: `make_due_note` must name its commitment before anything has changed.
        self._next = _generate_seed()
        self._open = not fresh

    @property
    def commitment(self) -> str:
        """The commitment to the current seed."""
        return self._now.commitment

    def reveal_seed(self) -> str:
        """Return the seed; only for the random generator."""
        return self._now.seed

    def make_due_note(self, *, over: bool) -> SeedCommitted | SeedRevealed | None:
        """Return the note to store with a step, None if there is none; `over`: whether the session
        is over after it. Nothing changes before `confirm_note`."""
        if over:
            # Published once; an undo of the end does not hide it again.
            return None if self._open else self._now
        # After a published seed (or a restart) the game goes on with a new one.
        return SeedCommitted(self._next.commitment) if self._open else None

    def confirm_note(self, note: SeedCommitted | SeedRevealed) -> None:
        """Record that `note` has been stored: the seed is now published, or replaced by the
        next."""
        self._open = isinstance(note, SeedRevealed)
        if not self._open:
            # The next seed is fixed already: `make_due_note` told its commitment before anything
            # was kept.
            self._now, self._next = self._next, _generate_seed()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HiddenSeed)

    def __hash__(self) -> int:
        return hash(HiddenSeed)

    def __repr__(self) -> str:
        return "(told at the end)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a seed that is not told yet is not written anywhere")


def _generate_seed() -> SeedRevealed:
    """Choose a random seed and its nonce."""
    return SeedRevealed(secrets.token_hex(16), secrets.token_hex(32))


def list_openings(fact: Any) -> tuple[Opening, ...]:
    """Return the openings in the field `list_openings` of an event or request."""
    found = getattr(fact, "opened", ())
    return () if found is msgspec.UNSET else found
