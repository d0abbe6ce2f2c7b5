"""Ascend in words: combinations and what beats them, who must act, and the reasons for points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from companion.games.ascend.cards import CARDS, CROWN, DECKS, EXCUSE, NINE, SUITS
from companion.games.ascend.combinations import (
    Bombs,
    Combination,
    Trick,
    find_highest_bomb,
    find_required_suits,
)
from companion.games.ascend.state import ScoredHand, State
from companion.rules.contract import GAME_OVER, Reason, Text, format_points
from companion.rules.options import describe_option_value


def describe_card(name: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{name}")


def describe_rank(rank: str) -> Text:
    """Return the words for one rank (AS-1)."""
    return Text(f"rank.{rank}")


def describe_combination(combination: Combination) -> Text:
    """Return the words for a combination: its kind, size and rank."""
    args = {"rank": describe_rank(combination.rank_name), "count": combination.count}
    return Text(f"combination.{combination.kind}", args)


def describe_played_cards(kind: str, cards: Sequence[str], rank: str, bombs: Bombs) -> Text:
    """Return the words for a play by its cards: personalities of one rank may count as a set
    (AS-13)."""
    args: dict[str, Any] = {"rank": describe_rank(rank), "count": len(cards)}
    if kind == "set" and all(CARDS[name].personality for name in cards):
        kind = "set_of_personalities"
        args["ruling"] = describe_option_value("bombs", bombs)
    return Text(f"combination.{kind}", args)


def describe_needed_play(state: State) -> Text:
    """Describe what would beat the trick, or may lead one (AS-10 to AS-16)."""
    trick = state.trick
    if trick is None:
        bombs = state.setup.options["bombs"]
        if bombs == "any":
            return Text("needed.lead")
        return Text(f"needed.lead_{bombs}", {"ruling": describe_option_value("bombs", bombs)})
    # This option allows more than the rank says: the ruling is cited with it.
    if trick.last.kind == "bomb" and state.setup.options["bomb_size"] == "larger":
        return Text(
            "needed.or_larger",
            {
                "needed": _describe_needed_answer(trick, state),
                "ruling": describe_option_value("bomb_size", state.setup.options["bomb_size"]),
            },
        )
    return _describe_needed_answer(trick, state)


def _describe_needed_answer(trick: Trick, state: State) -> Text:
    last = trick.last
    bomb = find_highest_bomb(last.count, state.setup.options["deck"], state.setup.options["bombs"])
    if last.kind == "single":
        return _describe_needed_single(trick)
    args = {
        "count": last.count,
        "rank": describe_rank(last.rank_name),
        "least": _describe_least_rank(last, bomb),
    }
    if last.kind != "bomb":
        return Text(f"needed.{last.kind}{'_only' if bomb is None else ''}", args)
    # Two cards make no run, so only a set can answer.
    code = trick.family or ("any" if last.count > 2 else "set")
    return Text(f"needed.bomb_{code if last.rank < _HIGHEST[code] else 'only'}", args)


_HIGHEST = {"single": CROWN, "set": CROWN - 1, "any": CROWN - 1, "run": NINE}
"""AS-10 to AS-12: the highest rank of each kind; `any` is a set or a run."""


def _describe_least_rank(last: Combination, bomb: int | None = None) -> Text:
    # The highest bomb depends on the deck, so it is computed.
    highest = bomb if last.kind == "bomb" else _HIGHEST[last.kind]
    # At the highest rank "or higher" would be wrong.
    code = "least.top" if last.rank == highest else "least.rank"
    return Text(code, {"rank": describe_rank(last.rank_name)})


def describe_required_suits(trick: Trick) -> tuple[Text, ...]:
    """Return the words for the suits of which the next single must have one; () if any will do
    (AS-10, AS-16)."""
    return tuple(Text(f"suit.{suit}") for suit in SUITS if suit in find_required_suits(trick))


def _describe_needed_single(trick: Trick) -> Text:
    suits = describe_required_suits(trick)
    # After an excuse any rank will do: only the suit binds, if any (AS-16).
    if trick.last.rank != EXCUSE:
        return Text("needed.single", {"suits": suits, "least": _describe_least_rank(trick.last)}, len(suits))
    return Text("needed.after_excuse", {"suits": suits}, len(suits)) if suits else Text("needed.any_single")


def describe_deal(state: State) -> Text:
    """Describe the deal (AS-1): the cards for each player, and the one put aside if the deck does
    not divide evenly."""
    cards, players = len(DECKS[state.setup.options["deck"]]), len(state.players)
    return Text("deal.aside" if cards % players else "deal.all", {"count": cards // players})


def describe_awaited(state: State) -> Text:
    """Describe who must act now, and how."""
    player = state.players[state.turn]
    if state.phase == GAME_OVER:
        return Text("awaited.game_over")
    if state.phase == "exchange":
        return Text("awaited.exchange", {"player": player, "hand": state.hand_number})
    if state.phase == "hands":
        code = "awaited.out" if state.order_out else "awaited.hands"
        return Text(
            code, {"player": player, "hand": state.hand_number, "players": tuple(state.players_with_cards)}
        )
    if state.trick is None:
        return Text("awaited.lead", {"player": player})
    args = {
        "player": player,
        "last": describe_combination(state.trick.last),
        "by": state.players[state.trick.seat],
    }
    suits = describe_required_suits(state.trick)
    if not suits:
        return Text("awaited.play", args)
    return Text("awaited.play_suit", args | {"suits": suits}, len(suits))


def explain_points(state: State, player: str) -> Sequence[Reason]:
    """Explain the points (AS-20, AS-30): the place and the outcome of the promise, hand by hand; at
    the end the result (AS-21)."""
    reasons = [
        reason for scored in state.hands_scored for reason in _explain_hand(state, scored, player, "explain")
    ]
    if not reasons:
        reasons.append(Reason(Text("explain.no_hand", {"player": player}), ("AS-20",)))
    if state.phase == GAME_OVER:
        reasons.append(_explain_win(state))
    return reasons


def explain_round(state: State) -> Sequence[Reason]:
    """Explain the last trick or hand, with its numbers; for a trick that goes on, its bomb."""
    if state.last_trick is not None:
        return [Reason(describe_trick_end(*state.last_trick), ("AS-4",))]
    if state.trick is not None and state.trick.last.kind == "bomb":
        bomb = state.trick.last
        args = {"player": state.players[state.trick.seat], "rank": describe_rank(bomb.rank_name)}
        return [Reason(Text("report.bomb", args | {"count": bomb.count}), ("AS-14",))]
    reasons = _explain_tie(state)
    for scored in state.hands_scored[-1:]:
        for player in scored.order:
            reasons += _explain_hand(state, scored, player, "report")
    if state.phase == GAME_OVER:
        reasons.append(_explain_win(state))
    return reasons


def _explain_tie(state: State) -> list[Reason]:
    """Say why the game goes on although the target is reached (AS-21); [] where it is not."""
    best = max(state.points)
    leaders = tuple(
        player for player, points in zip(state.players, state.points, strict=True) if points == best
    )
    if len(leaders) == 1 or best < state.setup.options["target"]:
        return []
    return [Reason(Text("report.tie", {"players": leaders, "points": str(format_points(best))}), ("AS-21",))]


def describe_trick_end(player: str, leader: str) -> Text:
    """Describe who won a trick, and who leads the next (AS-4)."""
    code = "event.trick_won" if player == leader else "event.trick_passed_on"
    return Text(code, {"player": player, "leader": leader})


def _explain_win(state: State) -> Reason:
    best = max(state.points)
    winner = state.players[state.points.index(best)]
    return Reason(
        Text(
            "explain.won",
            {"player": winner, "points": str(format_points(best)), "target": state.setup.options["target"]},
        ),
        ("AS-21",),
    )


def _explain_hand(state: State, scored: ScoredHand, player: str, voice: str) -> list[Reason]:
    """Explain what a hand brought a player; `voice` is `explain_points` (one player) or
    `explain_round` (all)."""
    at, bid = scored.order.index(player), scored.promise
    args = {"player": player, "hand": scored.number, "place": Text(f"place.{at + 1}")}
    code = "in_last" if at == len(scored.order) - 1 else "went_out"
    clause = "AS-20" if bid is None else "AS-30"
    reasons = [Reason(Text(f"{voice}.{code}", args, scored.places[at]), (clause,), scored.places[at])]
    if bid is None:
        return reasons
    args = {"player": player, "hand": scored.number, "promiser": bid.player, "worth": bid.worth}
    args |= {"share": str(bid.share), "opponents": len(scored.order) - 1, "first": scored.order[0]}
    args["ruling"] = describe_option_value("shares", state.setup.options["shares"])
    if bid.player == player:
        code = "promise_kept" if bid.kept else "promise_broken"
        reasons.append(Reason(Text(f"{voice}.{code}", args), ("AS-30",), bid.share if bid.kept else 0))
    elif not bid.kept:
        whole = Fraction(bid.worth, len(scored.order) - 1).denominator == 1
        code = "share" if whole else f"share_{state.setup.options['shares']}"
        reasons.append(Reason(Text(f"{voice}.{code}", args), ("AS-30",), bid.share))
    return reasons
