"""What an answer to an offer adds to the figures: bluffs that were caught, challenges that were
right, cards taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.rules.contract import Text
from companion.rules.dtc.events import CardsRevealed, GameEnded, OfferAccepted
from companion.rules.dtc.state import State
from companion.rules.figures import Tally


def tallies(before: State, event: Any, after: State) -> Sequence[Tally]:
    """Count an offer when accepted or turned up, and at the end the cards left in hand."""
    names = after.players
    match event:
        case OfferAccepted():
            giver = names[before.pending.giver]
            return (
                Tally("offers", Text("figures.offer.accepted"), giver),
                Tally("answers", Text("figures.answer.accepted"), event.player),
            )
        case CardsRevealed(cards=cards, taker=taker):
            offer = before.pending
            giver, challenger = names[offer.giver], names[offer.challenger]
            true = event.verdict != "false"
            return (
                Tally("offers", Text("figures.offer.challenged"), giver, right=true),
                Tally("answers", Text("figures.answer.challenged"), challenger, right=not true),
                Tally("penalties", Text("figures.penalty.challenge"), taker, len(cards)),
            )
        case GameEnded(hands=hands):
            return [
                Tally("penalties", Text("figures.penalty.hand"), name, count)
                for name, count in zip(names, hands, strict=True)
            ]
        case _:
            return ()
