"""Donkey Valley in words: cards, who must act, and the reasons for points, round by round, with
their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from companion.games.donkey_valley.cards import DONKEYS, Card
from companion.games.donkey_valley.state import Round, Stake, State
from companion.rules.contract import GAME_OVER, Reason, Text, View
from companion.rules.options import describe_option_value


def has_loads_won_only(view: View) -> bool:
    """Return whether only the loads won are entered in this game, at its end (DV-24)."""
    return view["donkey"] is None and view["phase"] in ("told", GAME_OVER)


def describe_card(one: Card, holder: str | None = None) -> Text:
    """Return the words for a load: its value, and its colour unless it belongs to `holder`, the
    subject of the sentence."""
    if one.owner == holder:
        return Text("own_card", {"value": one.value})
    return Text("card", {"owner": one.owner, "value": one.value})


def describe_cards(several: Iterable[Card], holder: str | None = None) -> tuple[Text, ...]:
    """Return the words for several loads; `holder` as in `describe_card`."""
    return tuple(describe_card(one, holder) for one in several)


def describe_effect(donkey: str, *, void: bool) -> Text:
    """Return the words for the effect of a donkey (DV-30 to DV-41); `void`: a double that counts as
    a normal one (DV-38)."""
    code = "effect.double_void" if void else f"effect.{donkey}"
    return Text(code, {"each": DONKEYS[donkey].per_player or 0})


def describe_donkey(this_round: Round) -> Text:
    """Return the words for a round's donkey; a void double is marked (DV-38)."""
    return Text("donkey.double_void" if this_round.void else f"donkey.{this_round.donkey}")


def describe_limit(capacity: int | None, spread: int | None) -> Text:
    """Return the words for what a donkey carries: a capacity or the precision donkey's limit."""
    if spread is not None:
        return Text("limit.spread", {"limit": spread})
    return Text("limit.capacity", {"limit": capacity or 0})


def describe_ruling(state: State, name: str) -> Text:
    """Return the words for how this table plays an option that the sheet leaves open."""
    return describe_option_value(name, state.setup.options[name])


def describe_awaited(state: State) -> Text:
    """Describe who must act now, and how."""
    open_turns = state.current_turns
    if not open_turns:
        return Text("awaited.game_over")
    do = open_turns[0].do
    players = tuple(state.players[turn.seat].name for turn in open_turns if turn.seat is not None)
    return Text(f"awaited.{do}", {"players": players}, len(players) or None)


def describe_score(player: str, loads: Sequence[int]) -> Text:
    """Describe the loads that a player has won in a game of which only these are entered
    (DV-24)."""
    if not loads:
        return Text("event.scored_none", {"player": player})
    words = {"player": player, "loads": tuple(loads), "points": sum(loads)}
    return Text("event.scored", words, len(loads))


def explain_points(state: State, player: str) -> list[Reason]:
    """List a reason for each resolved round, and for the loads taken in one that is being resolved;
    their points add up to the player's.

    Before the first there is one that says so. Where only the loads won are entered (DV-24), they
    are the reason.
    """
    if state.setup.options["hands_only"]:
        return [_explain_score(state, player)]
    seat = state.seat_of(player)
    # Loads drawn or chosen count at once (DV-19), before the round is resolved.
    taking = (
        [state.current_round] if state.phase == "claims" and state.current_round.stakes[seat].taken else []
    )
    reasons = [
        _explain_in_round(state, past, explain_outcome(state, past, seat)) for past in [*state.past, *taking]
    ]
    return reasons or [Reason(Text("explain.nothing_yet", {"player": player}), ("DV-22",))]


def _explain_score(state: State, player: str) -> Reason:
    if player in state.list_unreported_players():
        return Reason(Text("explain.unscored", {"player": player}), ("DV-24",))
    won = state.player_by_name(player)
    loads = [card.value for card in won.won]
    return Reason(describe_score(player, loads), ("DV-22", "DV-24"), won.points)


def explain_round(state: State) -> list[Reason]:
    """Explain the last resolved round: the donkey first, then every player, clockwise from the seat
    of the start; last, the lost donkey that is played on now (DV-37). Where only the loads won are
    entered (DV-24), explain these at the end."""
    if state.setup.options["hands_only"]:
        over = state.phase == GAME_OVER
        return [_explain_score(state, name) for name in state.setup.players] if over else []
    returned = _explain_return(state)
    # A lost donkey that ends the pile goes aside for another one: no round was resolved then.
    if not state.past or (returned and state.aside and state.revealed[-1] == "lost"):
        return returned
    past = state.past[-1]
    players = [explain_outcome(state, past, seat) for seat in range(len(state.players))]
    return [_explain_verdict(state, past), *_explain_effects(state, past), *players, *returned]


def _explain_return(state: State) -> list[Reason]:
    this_round = state.round
    if this_round is None or not this_round.returned or this_round in state.past:
        return []
    return [Reason(Text("report.returned", {"round": this_round.number}), ("DV-37",))]


def _explain_verdict(state: State, past: Round) -> Reason:
    text, clauses = _describe_weight(state, past)
    return Reason(
        Text("report.round", {"round": past.number, "donkey": describe_donkey(past), "weight": text}), clauses
    )


def _describe_weight(state: State, past: Round) -> tuple[Text, tuple[str, ...]]:
    """Return the words for the donkey's load and limit, with the clauses that fix both."""
    # A void double has no clause of its own type: it is played as a normal donkey.
    kind = "DV-38" if past.void else DONKEYS[past.donkey].clause
    if past.refused:
        refused = sum(stake.decision is False for stake in past.stakes)
        return Text("weight.refused", {"refused": refused, "players": len(state.players)}), ("DV-39",)
    verdict = "overloaded" if past.overloaded else "carries"
    words: dict[str, Any] = {
        "total": past.total,
        "spread": past.spread,
        "limit": describe_limit(past.capacity, past.spread_limit),
    }
    if past.spread_limit is not None:
        return Text(f"weight.spread.{verdict}", words), ("DV-17", kind)
    return Text(f"weight.total.{verdict}", words), tuple(dict.fromkeys(("DV-10", "DV-17", kind)))


def _explain_effects(state: State, past: Round) -> list[Reason]:
    """List the reasons that changed weight or limit: the donkey's effect, favours 6, an overruled
    reader."""
    notes = []
    if past.is_doubled:
        option = state.setup.options["double_loads"]
        words: dict[str, Any] = {
            "loads": past.table_load_count,
            "ruling": describe_ruling(state, "double_loads"),
        }
        notes.append(Reason(Text(f"report.double.{option}", words), ("DV-38",)))
    if past.removed:
        words = {"cards": describe_cards(past.removed)}
        told = Text(f"report.removed.{past.donkey}", words, len(past.removed))
        notes.append(Reason(told, (DONKEYS[past.donkey].clause,)))
    # The precision donkey has a limit of its own, which favour 6 moves (DV-33).
    clauses = ("DV-16", "DV-33") if past.spread_limit is not None else ("DV-16",)
    notes += [
        Reason(Text("report.adjusted", {"player": one.player, "delta": f"{one.delta:+d}"}), clauses)
        for one in past.adjustments
        # Keeping the limit is a use of favour 6, too, but there is nothing to explain.
        if one.delta
    ]
    notes += [
        Reason(Text("report.overruled", {"player": player.name}), ("DV-51",))
        for player, stake in zip(state.players, past.stakes, strict=True)
        if stake.overruled
    ]
    return notes


def _explain_in_round(state: State, past: Round, reason: Reason) -> Reason:
    """Put a player's result into its round: what the donkey carried comes first."""
    weight, clauses = _describe_weight(state, past)
    words = {"round": past.number, "donkey": describe_donkey(past), "weight": weight, "what": reason.text}
    return Reason(
        Text("explain.line", words), tuple(dict.fromkeys((*clauses, *reason.clauses))), reason.points
    )


def explain_outcome(state: State, past: Round, seat: int) -> Reason:
    """Explain one player's result in a resolved round."""
    stake = past.stakes[seat]
    code, clauses, more = _determine_outcome(state, past, seat, stake)
    words = {"player": state.players[seat].name, **more}
    return Reason(Text(f"explain.{code}", words), tuple(clauses), sum(one.value for one in stake.won))


def _determine_outcome(
    state: State, past: Round, seat: int, stake: Stake
) -> tuple[str, Sequence[str], dict[str, Any]]:
    """Return the message's code, the clauses that decided, and the message's own arguments."""
    if past.refused:
        return "refused_donkey", ("DV-39",), {}
    if stake.barred:
        # Before the decision: a barred player wins nothing, right or wrong.
        return "removed", (DONKEYS[past.donkey].clause,), {"value": stake.face_up_values[0]}
    if stake.decision == past.overloaded:
        return ("accepted_wrongly" if stake.decision else "refused_wrongly"), ("DV-17",), {}
    if not stake.won:
        kept = "accepted_nothing_left" if stake.decision else "refused_nothing_left"
        return (
            kept,
            ("DV-18" if stake.decision else "DV-19", "DV-41"),
            {
                "value": stake.face_up_values[0],
                "ruling": describe_ruling(state, "barred"),
            },
        )
    name = state.players[seat].name
    won = {"cards": describe_cards(stake.won, name)}
    if not past.overloaded:
        # A load of another colour can only come from an exchange with favour 8 (DV-20).
        swapped = any(one.owner != name for one in stake.won)
        return ("accepted_exchanged", ("DV-18", "DV-20"), won) if swapped else ("accepted", ("DV-18",), won)
    draws = {"how": _describe_draw_options(state, past)}
    if stake.chosen is None:
        # DV-41: a removed load took no draw away, where the table plays so
        return "refused_drew", ("DV-19", "DV-41") if stake.removed else ("DV-19",), won | draws
    # The chosen load was taken first, before anybody drew (DV-20).
    drawn = stake.taken[1:]
    chosen = {"chosen": describe_card(stake.chosen, name)}
    if not drawn:
        return "refused_chose", ("DV-19", "DV-20"), chosen
    return (
        "refused_chose_and_drew",
        ("DV-19", "DV-20"),
        chosen | {"cards": describe_cards(drawn, name)} | draws,
    )


def _describe_draw_options(state: State, past: Round) -> Text:
    """Return the words for the options that decided a draw (DV-19, DV-38)."""
    draws = Text(f"draws.{state.setup.options['draws']}", {"ruling": describe_ruling(state, "draws")})
    if past.is_doubled and state.setup.options["double_draws"] == "one":
        return Text("draws.one", {"ruling": describe_ruling(state, "double_draws"), "draws": draws})
    return draws
