"""Check positions of DTC: the cards add up, and the offer, the phase and the challenges agree."""

from __future__ import annotations

from companion.games.dtc.state import DECK, SIZE, VALUES, ResolvedChallenge, State, judge_offer
from companion.rules.contract import GAME_OVER, Refusal
from companion.rules.positions import check_agreement, check_cards, check_names, check_range, check_row

_PHASES = {False: ("offer", "answer", "reveal", GAME_OVER), True: ("told", GAME_OVER)}
"""The phases of a position; True: with `hands_only` (DTC-11)."""


def check_position(state: State) -> Refusal | None:
    """Refuse a position that cannot occur: wrong numbers of cards, or fields that disagree."""
    seats, offer, told = len(state.players), state.offer, state.setup.options["hands_only"]
    offered = 0 if offer is None else offer.count
    held = sum((*state.hands, *state.piles, *state.left, state.draw_pile))
    return (
        check_names("phase", [state.phase], _PHASES[told])
        or check_row("hands", state.hands, seats, SIZE)
        or check_row("piles", state.piles, seats, SIZE)
        or check_row("left", state.left, seats, SIZE)
        or check_row("told", state.told, seats if told else 0, 1)
        or check_range("draw_pile", [state.draw_pile], 0, SIZE)
        or check_range("giver", [state.giver], 0, seats - 1)
        or check_range("to_beat", [state.to_beat[0]] if state.to_beat else [], 1, SIZE)
        or check_range("to_beat", [state.to_beat[1]] if state.to_beat else [], VALUES[0], VALUES[-1])
        or check_agreement(field="to_beat", holds=state.to_beat is None or state.phase == "offer")
        or check_agreement(field="offer", holds=_is_offer_possible(state))
        or check_cards("challenges", state.count_revealed_cards().elements(), DECK)
        or check_agreement(
            field="challenges", holds=all(_is_challenge_possible(state, one) for one in state.challenges)
        )
        or check_agreement(field="piles", holds=list(state.piles) == _count_penalties(state))
        or check_agreement(field="left", holds=state.phase == GAME_OVER or not any(state.left))
        or check_agreement(
            field="hands", holds=_are_reports_possible(state) if told else held + offered == SIZE
        )
    )


def _is_offer_possible(state: State) -> bool:
    """Tell whether an offer lies there in the phases in which one does, from the giver to the
    left."""
    offer = state.offer
    if offer is None or state.phase not in ("answer", "reveal"):
        return offer is None and state.phase not in ("answer", "reveal")
    seats = (state.giver, state.challenger)
    return (offer.giver, offer.challenger) == seats and offer.count >= 1 and offer.value in VALUES


def _is_challenge_possible(state: State, challenge: ResolvedChallenge) -> bool:
    """Tell whether cards, verdict and taker follow from the offer (DTC-7, DTC-8)."""
    offer, seats = challenge.offer, range(len(state.players))
    verdict = judge_offer(challenge.cards, offer.value, state.setup.options["variant"])
    taker = offer.giver if verdict == "false" else offer.challenger
    return (
        offer.giver in seats
        and offer.challenger == (offer.giver + 1) % len(seats)
        and offer.count == len(challenge.cards) > 0
        and offer.value in VALUES
        and (challenge.verdict, challenge.taker) == (verdict, taker)
    )


def _count_penalties(state: State) -> list[int]:
    return [
        sum(len(one.cards) for one in state.challenges if one.taker == seat)
        for seat in range(len(state.players))
    ]


def _are_reports_possible(state: State) -> bool:
    """Tell whether the numbers entered so far leave room for the others (DTC-11)."""
    if state.phase == GAME_OVER:
        return sum(state.left) == SIZE and not any(state.hands)
    return state.unreported_card_count >= 0
