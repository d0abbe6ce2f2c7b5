"""DTC in words: what is awaited, what happened, and why a player has these points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.contract import GAME_OVER, Event, Reason, Text
from companion.rules.dtc import events as fact
from companion.rules.dtc.cards import Verdict
from companion.rules.dtc.state import Challenge, State
from companion.rules.options import chosen

_CLAUSES: Mapping[Verdict, tuple[str, ...]] = {
    "true": ("DTC-7",),
    "variant": ("DTC-7", "DTC-8"),
    "false": ("DTC-7",),
}


def card_word(card: str) -> Text:
    """Say one card."""
    return Text(f"card.{card}")


def offer_words(count: int, value: int) -> Text:
    """Say how many cards of which value."""
    return Text("offer", {"value": value}, count)


def awaited(state: State) -> Text:
    """Say what is awaited now, and from whom."""
    giver, challenger = state.players[state.giver], state.players[state.challenger]
    match state.phase:
        case "offer" if state.to_beat is not None:
            return Text("awaited.raise", {"player": giver, "to_beat": offer_words(*state.to_beat)})
        case "offer":
            return Text("awaited.offer", {"player": giver})
        case "answer":
            code = "awaited.must_challenge" if state.must_challenge() else "awaited.answer"
            offer = offer_words(state.pending.count, state.pending.value)
            return Text(code, {"player": challenger, "offer": offer})
        case "reveal":
            return Text("awaited.reveal", {}, state.pending.count)
        case _:
            return Text("awaited.game_over")


def _judged(state: State, challenge: Challenge) -> Text:
    offer = challenge.offer
    args = {
        "giver": state.players[offer.giver],
        "challenger": state.players[offer.challenger],
        "offer": offer_words(offer.count, offer.value),
        "cards": tuple(card_word(card) for card in challenge.cards),
        "taker": state.players[challenge.taker],
        "ruling": chosen("variant", state.variant),
    }
    return Text(f"judged.{challenge.verdict}", args, len(challenge.cards))


def explain(state: State, player: str) -> Sequence[Reason]:
    """DTC-7, DTC-8, DTC-10: one reason a lost challenge, at the end one for the cards in hand."""
    seat = state.players.index(player)
    reasons = [
        Reason(_judged(state, challenge), _CLAUSES[challenge.verdict], len(challenge.cards))
        for challenge in state.challenges
        if challenge.taker == seat
    ]
    if not reasons:
        reasons.append(Reason(Text("explain.no_penalty", {"player": player}), ("DTC-7",)))
    if state.phase == GAME_OVER:
        left = Text("explain.left", {"player": player}, state.left[seat])
        reasons.append(Reason(left, ("DTC-10",), state.left[seat]))
    return reasons


def report(state: State) -> Sequence[Reason]:
    """Say what the last challenge came to; at the end also who won."""
    if not state.challenges:
        return ()
    last = state.challenges[-1]
    reasons = [Reason(_judged(state, last), _CLAUSES[last.verdict], len(last.cards))]
    if state.phase == GAME_OVER:
        reasons.append(Reason(_winners(state), ("DTC-9", "DTC-10")))
    return reasons


def _winners(state: State) -> Text:
    totals = [state.points(seat) for seat in range(len(state.players))]
    winners = tuple(name for name, total in zip(state.players, totals, strict=True) if total == min(totals))
    return Text("won", {"players": winners, "points": min(totals)}, len(winners))


def describe(state: State, event: Any) -> Text | None:
    """Put one event into words; `state` is the one after it."""
    return _SAY[type(event)](state, event)


def _offer_made(_state: State, event: fact.OfferMade) -> Text:
    offer = offer_words(event.count, event.value)
    return Text("said.offer", {"giver": event.giver, "challenger": event.challenger, "offer": offer})


def _cards_drawn(_state: State, event: fact.CardsDrawn) -> Text | None:
    """Only the last card drawn needs to be heard: from now on a challenge ends the game (DTC-9)."""
    return None if event.left else Text("said.pile_empty", {"player": event.player})


def _offer_accepted(_state: State, event: fact.OfferAccepted) -> Text:
    return Text("said.accept", {"player": event.player}, event.count)


def _offer_challenged(_state: State, event: fact.OfferChallenged) -> Text:
    return Text("said.last_challenge" if event.last else "said.challenge", {"player": event.player})


def _cards_revealed(state: State, _event: fact.CardsRevealed) -> Text:
    return _judged(state, state.challenges[-1])


def _game_ended(state: State, _event: fact.GameEnded) -> Text:
    return _winners(state)


_SAY: Mapping[type[Event], Callable[[State, Any], Text | None]] = {
    fact.OfferMade: _offer_made,
    fact.CardsDrawn: _cards_drawn,
    fact.OfferAccepted: _offer_accepted,
    fact.OfferChallenged: _offer_challenged,
    fact.CardsRevealed: _cards_revealed,
    fact.GameEnded: _game_ended,
}
