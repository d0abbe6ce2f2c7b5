"""The cards of Partners and what each lets a pawn do (PA-4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

Kind: TypeAlias = Literal["heart", "8", "13", "-4", "1/14", "7", "swap", "2", "3", "5", "6", "9", "10", "12"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PREFIX = "pa:"
"""What the deck puts before a card's name: `pa:1/14`."""
HAND = 4
"""PA-5: cards dealt to each player."""
DEALS = 3
"""PA-5: how often a dealer deals before the player to the left does."""

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Copies: TypeAlias = _Count | dict[Kind, _Count]
"""PA-4, option `copies`: copies of every kind, or a map of kinds to copies (the rest: four)."""
COPIES = 4
"""PA-4: of each kind; the option `copies` names others."""
LEAST = 48
"""PA-4: a dealer's three deals take this many cards."""

LEAVING: frozenset[str] = frozenset({"heart", "8", "13"})
"""PA-4, PA-10: cards that bring a pawn from its base to its start."""
BACK = "-4"
SPLIT = "7"
SWAP = "swap"
STEPS: Mapping[str, tuple[int, ...]] = {
    "heart": (),
    "8": (8,),
    "13": (13,),
    "1/14": (1, 14),
    "2": (2,),
    "3": (3,),
    "5": (5,),
    "6": (6,),
    "9": (9,),
    "10": (10,),
    "12": (12,),
}
"""PA-4: steps forward that one pawn may go by each card; `-4`, `7`, `swap` have own rules."""


def deck(copies: Any) -> Mapping[str, int]:
    """Return each kind with its copies, from the value of the option `copies` (PA-4)."""
    if isinstance(copies, int):
        return dict.fromkeys(KINDS, copies)
    return {kind: copies.get(kind, COPIES) for kind in KINDS}
