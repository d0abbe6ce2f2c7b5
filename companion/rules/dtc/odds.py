"""The chance that an offer is true, from the cards that were turned up so far: of all others, each
is as likely as any to lie there.

It asks what the cards allow, not what the giver is like. Nobody at the table knows more, and the
state holds no hand.
"""

from __future__ import annotations

from math import comb

from companion.rules.dtc.cards import DECK, JOKER, VALUES
from companion.rules.dtc.state import State
from companion.rules.figures import Odds


def odds(state: State) -> Odds | None:
    """Return the chance that the offered cards are what was named, as DTC-7 and DTC-8 judge; None
    when no offer lies there."""
    if state.offer is None:
        return None
    shown = state.shown()
    left = {card: copies - shown[card] for card, copies in DECK.items()}
    count, value = state.offer.count, state.offer.value
    jokers = left[JOKER]
    higher = sum(left[str(one)] for one in VALUES if one > value)
    ways = comb(left[str(value)] + jokers, count)
    if state.variant == "all_higher":  # nothing but jokers is counted in both
        ways += comb(higher + jokers, count) - comb(jokers, count)
    elif state.variant == "at_least":
        ways = comb(left[str(value)] + higher + jokers, count)
    return Odds("odds.true", ways, comb(sum(left.values()), count))
