"""Check positions of Ascend: the cards add up, and the trick, the hands and the points agree."""

from __future__ import annotations

from fractions import Fraction

from companion.games.ascend.cards import CARDS, DECKS, SUITS, compute_hand_size
from companion.games.ascend.combinations import find_required_suits, recognise_combination
from companion.games.ascend.state import (
    PLACES,
    ScoredHand,
    StandingPromise,
    State,
    compute_hand_points,
    compute_promise_points,
)
from companion.rules.contract import GAME_OVER, Refusal, format_points
from companion.rules.positions import (
    check_agreement,
    check_cards,
    check_length,
    check_names,
    check_range,
    check_row,
)

_PHASES = {False: ("exchange", "play", GAME_OVER), True: ("hands", GAME_OVER)}
"""The phases of a position; True: with `hands_only` (AS-22)."""
_MOST_HANDS = 1000
"""More hands than anybody plays in an evening; it bounds what a position may hold."""


def check_position(state: State) -> Refusal | None:
    """Refuse a position that cannot occur: wrong cards, a trick that is none, or wrong points."""
    options, seats, promise = state.setup.options, len(state.players), state.promise
    deck, dealt = DECKS[options["deck"]], compute_hand_size(options["deck"], seats)
    told, over = options["hands_only"], state.phase == GAME_OVER
    return (
        check_names("phase", [state.phase], _PHASES[told])
        or check_range("hand_number", [state.hand_number], 1, _MOST_HANDS)
        or check_range("leader", [state.leader], 0, seats - 1)
        or check_range("turn", [state.turn], 0, seats - 1)
        or check_range("passes", [state.passes], 0, seats - 1)
        or check_row("hands", state.hands, seats, dealt)
        or check_length("points", state.points, seats)
        or check_range("order_out", state.order_out, 0, seats - 1)
        or check_cards("spent", state.spent, deck)
        or check_agreement(field="spent", holds=told or len(state.spent) + sum(state.hands) == dealt * seats)
        or check_agreement(field="order_out", holds=over or _are_those_out_possible(state))
        or check_agreement(field="turn", holds=state.phase != "play" or state.hands[state.turn] > 0)
        or (None if promise is None else check_range("promise.seat", [promise.seat], 0, seats - 1))
        or (None if promise is None else check_range("promise.worth", [promise.worth], 0, dealt))
        or check_agreement(field="promise", holds=promise is None or options["bidding"])
        or check_agreement(field="trick", holds=_is_trick_possible(state))
        or check_agreement(field="passes", holds=_are_passes_possible(state))
        or check_length("hands_scored", state.hands_scored, state.hand_number - (not over))
        or check_agreement(field="hands_scored", holds=_are_scores_possible(state))
        or check_agreement(field="points", holds=_add_points(state) == list(state.points))
        or check_names("last_trick", state.last_trick or (), state.players)
    )


def _are_those_out_possible(state: State) -> bool:
    """Tell whether exactly the players without cards are out, and two or more are not (AS-20)."""
    without = [seat for seat, hand in enumerate(state.hands) if not hand]
    return sorted(state.order_out) == without and len(without) <= len(state.players) - 2


def _is_trick_possible(state: State) -> bool:
    """Tell whether the trick's last cards are what it says (AS-10 to AS-16)."""
    trick = state.trick
    if trick is None:
        return True
    # The last combination is recognised again from its cards, the rest binds only the next one.
    last, seats = trick.last.count, range(len(state.players))
    # The single before an excuse lies under it.
    under = len(trick.cards) - last
    if trick.seat not in seats or not set(trick.cards) <= set(state.spent) or last < 1:
        return False
    if state.phase not in ("play", GAME_OVER) or under < (trick.before_excuse is not None):
        return False
    cards = [CARDS[card] for card in trick.cards[-last:]]
    suits = trick.first_suits | find_required_suits(trick)
    return trick.last == recognise_combination(cards, state.setup.options["bombs"]) and suits <= set(SUITS)


def _are_passes_possible(state: State) -> bool:
    """Tell whether no more have passed than hold cards beside the player of the trick (AS-4)."""
    trick = state.trick
    if trick is None:
        return True
    return state.passes <= sum(hand > 0 for seat, hand in enumerate(state.hands) if seat != trick.seat)


def _are_scores_possible(state: State) -> bool:
    return all(_is_score_possible(state, number, hand) for number, hand in enumerate(state.hands_scored, 1))


def _is_score_possible(state: State, number: int, hand: ScoredHand) -> bool:
    """Tell whether a scored hand's places and points follow from the order of going out and the
    promise (AS-20, AS-30)."""
    names, bid, shares = state.players, hand.promise, state.setup.options["shares"]
    if hand.number != number or sorted(hand.order) != sorted(names):
        return False
    if bid is not None and not (bid.player in names and 0 <= bid.worth <= len(CARDS)):
        return False
    order = [names.index(name) for name in hand.order]
    promise = None if bid is None else StandingPromise(names.index(bid.player), bid.worth)
    points = tuple(map(format_points, compute_hand_points(order, promise, shares)))
    if (hand.places, hand.points) != (PLACES[len(names), promise is not None], points):
        return False
    if bid is None or promise is None:
        return True
    share = format_points(compute_promise_points(order, promise, shares))
    return (bid.kept, bid.share) == (order[0] == promise.seat, share)


def _add_points(state: State) -> list[Fraction]:
    """Return each player's points, added up from the scored hands."""
    rows = [dict(zip(hand.order, map(Fraction, hand.points), strict=True)) for hand in state.hands_scored]
    return [sum((row[name] for row in rows), Fraction(0)) for name in state.players]
