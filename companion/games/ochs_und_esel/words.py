"""Ochs & Esel in words: cards, what is awaited, what a trick came to, and why a player has these
points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    in_order,
    left_penalty,
    pile_penalty,
    value_in_animal_trick,
)
from companion.games.ochs_und_esel.state import Score, State
from companion.rules.contract import GAME_OVER, Reason, Text
from companion.rules.options import chosen


def card_word(card: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{card}")


def card_words(cards: Iterable[str]) -> tuple[Text, ...]:
    """Return the words for several cards, sorted."""
    return tuple(card_word(card) for card in in_order(cards))


def awaited(state: State) -> Text:
    """Describe who must act now, and how."""
    player = state.players[state.turn]
    match state.phase:
        case "lead":
            return Text("awaited.barred" if state.cannot_lead() else "awaited.lead", {"player": player})
        case "follow" if state.only_animals(state.turn):
            return Text("awaited.only_animals", {"player": player})
        case "follow" if state.to_beat is not None:
            count, value = state.to_beat
            # Jokers alone are 14 and cannot be beaten (OE-5).
            code = "awaited.follow" if value < 14 else "awaited.unbeatable"
            return Text(code, {"player": player, "value": value}, count)
        case "follow":
            return Text("awaited.any_card", {"player": player})
        case "hands" if state.pile_awaited():
            return Text("awaited.pile")
        case "hands" if state.hands_only:
            names = tuple(state.players[seat] for seat in state.asked())
            args = {"hand": state.hand_number, "leader": state.players[state.leader], "players": names}
            return Text("awaited.hands_only" if len(names) == len(state.players) else "awaited.hands", args)
        case "hands":
            names = tuple(state.players[seat] for seat in state.asked())
            return Text("awaited.hands", {"players": names})
        case _:
            return Text("awaited.game_over")


def explain(state: State, player: str) -> Sequence[Reason]:
    """Explain the points (OE-9, OE-21, OE-22), hand by hand: the penalty of the cards left, and of
    those taken with the ox."""
    seat = state.players.index(player)
    reasons: list[Reason] = []
    for number, score in enumerate(state.scores, 1):
        reasons += _score_reasons(state, score, number, seat)
    # So that the sum so far is not taken for the result.
    if state.phase != GAME_OVER:
        running = Text("explain.running", {"hand": state.hand_number, "hands": state.rounds})
        reasons.append(Reason(running, ("OE-9",)))
    return reasons


def _score_reasons(state: State, score: Score, number: int, seat: int) -> list[Reason]:
    left, pile = score.left[seat], score.piles[seat]
    clauses = ("OE-9", "OE-22") if state.ox_variant and any(one in left for one in ANIMALS) else ("OE-9",)
    points = left_penalty(left)
    args = {
        "player": state.players[seat],
        "hand": number,
        "hands": state.rounds,
        "cards": card_words(left),
        "points": points,
    }
    text = Text("explain.left" if left else "explain.shed", args)
    reasons = [Reason(text, clauses, points, in_order(left))]
    # Only with the ox variant, and only for the player who took it.
    if pile:
        cost = pile_penalty(pile)
        args = {**args, "cards": card_words(pile), "points": cost, "ruling": chosen("ox", state.ox_variant)}
        reasons.append(Reason(Text("explain.pile", args), ("OE-21",), cost))
    return reasons


def report(state: State) -> Sequence[Reason]:
    """Explain what was resolved last: the trick, or a hand just counted; at the end the winners."""
    if state.phase == GAME_OVER:
        return [*_hand_report(state), Reason(winners(state), ("OE-9",))]
    # Before the first trick of a hand the last thing that happened is the previous hand.
    if state.tricks_done == 0:
        return _hand_report(state) if state.scores else ()
    return (_trick_report(state),)


def trick_text(state: State) -> Text:
    """Return the words for the result of the last trick."""
    return _trick_report(state).text


def _hand_report(state: State) -> list[Reason]:
    number, score = len(state.scores), state.scores[-1]
    return [
        reason for seat in range(len(state.players)) for reason in _score_reasons(state, score, number, seat)
    ]


def _trick_report(state: State) -> Reason:
    trick = state.last_trick
    assert trick is not None
    played = [play.cards for play in trick.plays if play.cards]
    best = next(play.cards for play in trick.plays if play.seat == trick.winner and play.cards)
    # Of equal cards the last one wins (OE-7); the sentence says so.
    equal = trick.kind in ANIMALS and sum(_equal(cards, best) for cards in played) > 1
    args = {
        "player": state.players[trick.winner],
        "trick": trick.number,
        "cards": card_words(best),
        "points": pile_penalty(trick.cards),
    }
    clause = {"normal": "OE-6", "donkey": "OE-7", "ox": "OE-21"}[trick.kind]
    code = f"trick.{trick.kind}_equal" if equal else f"trick.{trick.kind}"
    return Reason(Text(code, args, len(trick.cards)), (clause,), turned=in_order(best))


def _equal(cards: Sequence[str], best: Sequence[str]) -> bool:
    """Tell whether a card of an animal's trick is as high as the best (OE-7)."""
    return value_in_animal_trick(cards[0]) == value_in_animal_trick(best[0])


def winners(state: State) -> Text:
    """Return the words for the winners (OE-9): fewest points win, a tie is shared."""
    best = min(state.points)
    names = tuple(name for name, points in zip(state.players, state.points, strict=True) if points == best)
    return Text("won", {"players": names, "points": best}, len(names))
