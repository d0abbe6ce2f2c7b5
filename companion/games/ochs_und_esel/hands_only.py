"""OE-12: the tricks are played without the companion, which hears only what is left at a hand's
end. What can be left is then all that can be checked."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.ochs_und_esel.cards import ANIMALS, DECK, DONKEY, JOKER, NUMBERS, OX
from companion.games.ochs_und_esel.state import State
from companion.rules.contract import Refusal, refuse

MOST_OF_ONE_VALUE = DECK[NUMBERS[0]] + DECK[JOKER]
"""OE-4, OE-5: the largest play there is. Only with a deal no larger can a hand be over after one
trick, with the donkey still in the middle (OE-20)."""


def hand_fault(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """Say why `cards` cannot be what `seat` has left, given the hands that have been told."""
    return _no_ox(state, cards) or _beyond_deal(state, seat, cards) or _unfinished(state, seat, cards)


def must_be_out(state: State, seat: int) -> bool:
    """OE-9: whether `seat` is the last to tell and nobody else has run out of cards."""
    return state.asked() == [seat] and () not in state.counted


def room(state: State) -> int:
    """OE-2: how many of the numbers and jokers that were dealt nobody has told yet."""
    told = sum(card not in ANIMALS for cards in state.open_cards() for card in cards)
    return state.deal * len(state.players) - told


def pile_sizes(state: State) -> tuple[int, int]:
    """OE-21, OE-11: the fewest and the most cards of an ox trick: the ox and one from everybody
    else; from one who holds only the donkey, none."""
    return len(state.players) - 1, len(state.players)


def pile_fault(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """OE-21: say why `cards` cannot be the ox's trick in front of `seat`."""
    player, (least, most) = state.players[seat], pile_sizes(state)
    if OX not in cards:
        return refuse("not_holding", "OE-21", say="pile_without_ox", player=player)
    if not least <= len(cards) <= most or len(cards) - 1 > room(state):
        args = {"player": player, "count": len(cards), "least": least, "most": most}
        return refuse("bad_count", "OE-21", say="bad_pile", **args)
    return None


def _no_ox(state: State, cards: Sequence[str]) -> Refusal | None:
    if OX in cards and not state.ox_variant:
        return refuse("not_holding", "OE-20", say="ox_not_played")
    return None


def _beyond_deal(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """OE-2, OE-21: more than was dealt, an ox trick that must still be told not forgotten."""
    told = [*(state.counted[:seat]), tuple(cards), *(state.counted[seat + 1 :])]
    pile = state.ox_variant and None not in told and not any(OX in row for row in told if row)
    free = room(state) - (pile_sizes(state)[0] - 1 if pile else 0)
    count = sum(card not in ANIMALS for card in cards)
    if count <= free:
        return None
    player = state.players[seat]
    return refuse("bad_count", "OE-2", say="beyond_deal", player=player, count=count, free=max(free, 0))


def _unfinished(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    """OE-9: somebody has run out, and an animal is in a hand; those still to tell must be enough
    for what nobody has told."""
    told = [*(row for row in state.counted if row is not None), tuple(cards)]
    nobody_out = () not in told
    needed = ANIMALS if state.ox_variant and state.deal <= MOST_OF_ONE_VALUE else (DONKEY,)
    no_animal = not any(animal in row for animal in needed for row in told)
    others = len(state.asked()) - 1
    if nobody_out + no_animal <= others:
        return None
    player = state.players[seat]
    if no_animal:
        return refuse("not_holding", "OE-9", say=f"no_{'_or_'.join(needed)}", player=player)
    return refuse("bad_count", "OE-9", say="nobody_out", player=player)
