"""The cards of Partners and the moves they allow (PA-4); and the rulings on moves, which are the
options of PA-11, PA-12 and PA-14 to PA-16, each with the default first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from companion.rules.contract import Option

OwnPawn: TypeAlias = Literal["stack", "capture"]
"""PA-12: the effect of landing on a single pawn of the same colour."""
OwnWall: TypeAlias = Literal["open", "bars"]
"""PA-11: whether a player's own wall bars the way into their own goal."""
BackFromGoal: TypeAlias = Literal["never", "unlocked"]
"""PA-14: whether a 4 back moves a pawn out of the goal, unless it is locked."""
SevenBounce: TypeAlias = Literal["may", "never"]
"""PA-15: whether a pawn may bounce in a split."""
SwapStart: TypeAlias = Literal["barred", "allowed"]
"""PA-16: whether a pawn that stands on a start may be exchanged."""

OPTIONS = (
    Option("own_pawn", "stack", OwnPawn, "PA-12", "Il est possible qu'un joueur capture son propre pion…"),
    Option(
        "own_wall",
        "open",
        OwnWall,
        "PA-11",
        "Les pions du joueur qui a créé le mur peuvent toutefois passer la maison en reculant.",
    ),
    Option("back_from_goal", "never", BackFromGoal, "PA-14", "Le pion peut reculer de 4 cases!"),
    Option(
        "seven_bounce",
        "may",
        SevenBounce,
        "PA-15",
        "… votre pion faisant marche arrière même s'il doit se trouver à nouveau sur le plateau de jeu. […] (Voir exception : carte 7)",
    ),
    Option(
        "swap_start",
        "barred",
        SwapStart,
        "PA-16",
        "Cette carte ne permet pas d'échanger un pion qui se trouve dans sa zone finale. L'Échange ne "
        "peut se faire non plus si deux pions de la même couleur se trouvent sur la même case.",
        ours=True,
    ),
)


Kind: TypeAlias = Literal["heart", "8", "13", "-4", "1/14", "7", "swap", "2", "3", "5", "6", "9", "10", "12"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PREFIX = "pa:"
"""The prefix of a card's name in its id: `pa:1/14`."""
HAND = 4
"""PA-5: cards dealt to each player."""
DEALS = 3
"""PA-5: the number of deals before the next player becomes the dealer."""

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Copies: TypeAlias = _Count | dict[Kind, _Count]
"""PA-4, option `copies`: copies of every kind, or a map of kinds to copies (the rest: four)."""
COPIES = 4
"""PA-4: the copies of each kind, unless the option `copies` gives others."""
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


@cache  # every card played asks for it
def _build_even_deck(copies: int) -> Mapping[str, int]:
    return MappingProxyType(dict.fromkeys(KINDS, copies))


def build_deck(copies: Any) -> Mapping[str, int]:
    """Return each kind with its copies, from the value of the option `copies` (PA-4)."""
    if isinstance(copies, int):
        return _build_even_deck(copies)
    # In the order of the kinds, whatever the order of the map.
    return {kind: copies.get(kind, COPIES) for kind in KINDS}
