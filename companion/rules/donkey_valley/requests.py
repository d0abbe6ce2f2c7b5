"""What players may ask for: one Struct a request; msgspec checks names and types."""

from __future__ import annotations

from typing import Annotated

import msgspec

from companion.rules.commitments import Opening, Seal
from companion.rules.contract import Request
from companion.rules.donkey_valley.cards import Card


class Donkey(Request, frozen=True):
    """The top donkey of the pile was turned up (DV-10)."""

    type: str


class Load(Request, frozen=True):
    """A player laid one load, or two on a double (DV-11, DV-38); `values` where it lies face up
    (DV-40).

    `sealed`: what the pad at the seat read, one entry for each face-down load, or nothing at all
    (DV-51).
    """

    player: str
    count: int = 1
    values: tuple[int, ...] | None = None
    sealed: tuple[int | Seal, ...] | None = None


class Favour(Request, frozen=True):
    """A player spends a load for a favour (DV-12)."""

    player: str
    card: int


class NoFavour(Request, frozen=True):
    """A player wants no favour this round (DV-12)."""

    player: str


class Peek(Request, frozen=True):
    """A player looked at one load of each player named in `at` (DV-14)."""

    player: str
    at: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class PeeksDone(Request, frozen=True):
    """Nobody looks at any further load (DV-14)."""


class Decide(Request, frozen=True):
    """A player accepts or refuses the contract (DV-15)."""

    player: str
    accept: bool


class Adjust(Request, frozen=True):
    """Favour 6: the limit moves by 2, -2 or 0 (DV-16)."""

    player: str
    delta: int


class SwapLoad(Request, frozen=True):
    """Favour 4: the load is exchanged for one of the hand, or not (DV-16); `value` if face up."""

    player: str
    swap: bool
    value: int | None = None
    sealed: int | Seal | None = None


class Reveal(Request, frozen=True):
    """A player turned up all their face-down loads (DV-17); `overrule`: although the reader saw
    others (DV-51)."""

    player: str
    values: tuple[int, ...]
    overrule: bool = False
    opened: tuple[Opening, ...] | msgspec.UnsetType = msgspec.UNSET


class Exchange(Request, frozen=True):
    """Favour 8, accepted and right: exchange a load with `with_`, or not (DV-20)."""

    player: str
    with_: str | None = msgspec.field(name="with")
    give: int | None = None
    take: int | None = None


class Choose(Request, frozen=True):
    """Favour 8, refused and right: choose a load before anybody draws, or not (DV-20)."""

    player: str
    card: Card | None


class Draw(Request, frozen=True):
    """A player drew this load from the shuffled ones (DV-19, option `draws` = `table`)."""

    player: str
    card: Card


REQUESTS = (
    Donkey,
    Load,
    Favour,
    NoFavour,
    Peek,
    PeeksDone,
    Decide,
    Adjust,
    SwapLoad,
    Reveal,
    Exchange,
    Choose,
    Draw,
)
