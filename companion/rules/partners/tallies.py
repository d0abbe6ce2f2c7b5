"""What a move adds to the figures: pawns sent and brought home, hands thrown, cards played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.rules.contract import Text
from companion.rules.figures import Tally
from companion.rules.partners.events import CardPlayed, PawnLocked, PawnSentHome, PlayerFolded
from companion.rules.partners.state import State


def tallies(before: State, event: Any, after: State) -> Sequence[Tally]:
    """Count a move for whoever made it, and a pawn sent home for its owner too."""
    match event:
        case CardPlayed():
            return (Tally("cards", Text(f"card.{event.card}"), event.player),)
        case PawnSentHome(reason="captured"):
            return (
                Tally("pawns", Text("figures.pawn.captured"), event.by),
                Tally("pawns", Text("figures.pawn.lost"), event.owner),
            )
        case PawnSentHome():
            return (Tally("pawns", Text("figures.pawn.lost"), event.owner),)
        case PawnLocked():
            return (Tally("pawns", Text("figures.pawn.locked"), event.owner),)
        case PlayerFolded():
            return (Tally("pawns", Text("figures.pawn.folded"), event.player),)
        case _:
            return ()
