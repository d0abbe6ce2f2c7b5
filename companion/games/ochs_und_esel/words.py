"""Ochs & Esel in words: cards, what is awaited, what a trick came to, and why a player has these
points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    animal_trick_value,
    compute_hand_penalty,
    compute_pile_penalty,
    sort_cards,
)
from companion.games.ochs_und_esel.state import Score, State
from companion.rules.contract import GAME_OVER, Reason, Text
from companion.rules.options import describe_option_value


def describe_card(card: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{card}")


def describe_cards(cards: Iterable[str]) -> tuple[Text, ...]:
    """Return the words for several cards, sorted."""
    return tuple(describe_card(card) for card in sort_cards(cards))


def describe_awaited(state: State) -> Text:
    """Describe who must act now, and how."""
    player = state.players[state.turn]
    match state.phase:
        case "lead":
            return Text("awaited.barred" if state.cannot_lead() else "awaited.lead", {"player": player})
        case "follow" if state.has_only_animals(state.turn):
            return Text("awaited.only_animals", {"player": player})
        case "follow" if state.to_beat is not None:
            count, value = state.to_beat
            # Jokers alone are 14 and cannot be beaten (OE-5).
            code = "awaited.follow" if value < 14 else "awaited.unbeatable"
            return Text(code, {"player": player, "value": value}, count)
        case "follow":
            return Text("awaited.any_card", {"player": player})
        case "hands" if state.is_pile_awaited():
            return Text("awaited.pile")
        case "hands" if state.setup.options["hands_only"]:
            names = tuple(state.players[seat] for seat in state.list_unreported_seats())
            args = {"hand": state.hand_number, "leader": state.players[state.leader], "players": names}
            return Text("awaited.hands_only" if len(names) == len(state.players) else "awaited.hands", args)
        case "hands":
            names = tuple(state.players[seat] for seat in state.list_unreported_seats())
            return Text("awaited.hands", {"players": names})
        case _:
            return Text("awaited.game_over")


def explain_points(state: State, player: str) -> Sequence[Reason]:
    """Explain the points (OE-9, OE-21, OE-22), hand by hand: the penalty of the cards left, and of
    those taken with the ox."""
    seat = state.players.index(player)
    reasons: list[Reason] = []
    for number, score in enumerate(state.scores, 1):
        reasons += _explain_hand(state, score, number, seat)
    # So that the sum so far is not taken for the result.
    if state.phase != GAME_OVER:
        running = Text("explain.running", {"hand": state.hand_number, "hands": state.setup.options["rounds"]})
        reasons.append(Reason(running, ("OE-9",)))
    return reasons


def _explain_hand(state: State, score: Score, number: int, seat: int) -> list[Reason]:
    left, pile = score.left[seat], score.piles[seat]
    clauses = (
        ("OE-9", "OE-22") if state.setup.options["ox"] and any(one in left for one in ANIMALS) else ("OE-9",)
    )
    points = compute_hand_penalty(left)
    args = {
        "player": state.players[seat],
        "hand": number,
        "hands": state.setup.options["rounds"],
        "cards": describe_cards(left),
        "points": points,
    }
    text = Text("explain.left" if left else "explain.shed", args)
    reasons = [Reason(text, clauses, points, sort_cards(left))]
    # Only with the ox variant, and only for the player who took it.
    if pile:
        cost = compute_pile_penalty(pile)
        args = {
            **args,
            "cards": describe_cards(pile),
            "points": cost,
            "ruling": describe_option_value("ox", state.setup.options["ox"]),
        }
        reasons.append(Reason(Text("explain.pile", args), ("OE-21",), cost))
    return reasons


def explain_round(state: State) -> Sequence[Reason]:
    """Explain what was resolved last: the trick, or a hand just counted; at the end the winners."""
    if state.phase == GAME_OVER:
        return [*_explain_last_hand(state), Reason(describe_winners(state), ("OE-9",))]
    # Before the first trick of a hand the last thing that happened is the previous hand.
    if state.tricks_done == 0:
        return _explain_last_hand(state) if state.scores else ()
    return (_explain_last_trick(state),)


def describe_trick_end(state: State) -> Text:
    """Return the words for the result of the last trick."""
    return _explain_last_trick(state).text


def _explain_last_hand(state: State) -> list[Reason]:
    number, score = len(state.scores), state.scores[-1]
    return [
        reason for seat in range(len(state.players)) for reason in _explain_hand(state, score, number, seat)
    ]


def _explain_last_trick(state: State) -> Reason:
    trick = state.last_trick
    assert trick is not None
    played = [play.cards for play in trick.plays if play.cards]
    best = next(play.cards for play in trick.plays if play.seat == trick.winner and play.cards)
    # Of equal cards the last one wins (OE-7); the sentence says so.
    equal = trick.kind in ANIMALS and sum(_equals_best_card(cards, best) for cards in played) > 1
    args = {
        "player": state.players[trick.winner],
        "trick": trick.number,
        "cards": describe_cards(best),
        "points": compute_pile_penalty(trick.cards),
    }
    clause = {"normal": "OE-6", "donkey": "OE-7", "ox": "OE-21"}[trick.kind]
    code = f"trick.{trick.kind}_equal" if equal else f"trick.{trick.kind}"
    return Reason(Text(code, args, len(trick.cards)), (clause,), turned=sort_cards(best))


def _equals_best_card(cards: Sequence[str], best: Sequence[str]) -> bool:
    """Tell whether a card of an animal's trick is as high as the best (OE-7)."""
    return animal_trick_value(cards[0]) == animal_trick_value(best[0])


def describe_winners(state: State) -> Text:
    """Return the words for the winners (OE-9): fewest points win, a tie is shared."""
    best = min(state.points)
    names = tuple(name for name, points in zip(state.players, state.points, strict=True) if points == best)
    return Text("won", {"players": names, "points": best}, len(names))
