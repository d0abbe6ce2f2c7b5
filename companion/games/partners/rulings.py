"""The rulings of Partners that decide moves: the options of PA-11, PA-12 and PA-14 to PA-16,
each with the usual reading first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from companion.rules.contract import Option

OwnPawn: TypeAlias = Literal["stack", "capture"]
"""PA-12: what landing on a single pawn of one's own does."""
OwnWall: TypeAlias = Literal["open", "bars"]
"""PA-11: whether one's own wall bars the way into one's own goal."""
BackFromGoal: TypeAlias = Literal["never", "unlocked"]
"""PA-14: whether a 4 back moves a pawn out of the goal, unless it is locked."""
SevenBounce: TypeAlias = Literal["may", "never"]
"""PA-15: whether a pawn may bounce in a split."""
SwapStart: TypeAlias = Literal["barred", "allowed"]
"""PA-16: whether a pawn that stands on a start may be exchanged."""


class Rulings(msgspec.Struct, frozen=True, gc=False):
    """How this table plays."""

    own_pawn: OwnPawn = "stack"
    own_wall: OwnWall = "open"
    back_from_goal: BackFromGoal = "never"
    seven_bounce: SevenBounce = "may"
    swap_start: SwapStart = "barred"


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
    Option("seven_bounce", "may", SevenBounce, "PA-15", "Vous devez jouer les 7 cases."),
    Option(
        "swap_start",
        "barred",
        SwapStart,
        "PA-16",
        "Cette carte ne permet pas d'échanger un pion qui se trouve dans sa zone finale.",
    ),
)


def rulings_of(options: Mapping[str, Any]) -> Rulings:
    """Return the rulings among a session's options."""
    return Rulings(**{option.name: options[option.name] for option in OPTIONS})
