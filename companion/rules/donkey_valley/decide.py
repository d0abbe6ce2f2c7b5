"""Whether a request is accepted, and the event that it is.

Order of the checks (docs/referee.md): other players that the request names, the phase, the turn,
then the game's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from companion.rules.contract import Event, Refusal, Request, refuse
from companion.rules.donkey_valley import clauses
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.outcome import unfold
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import State
from companion.rules.donkey_valley.words import awaited
from companion.rules.options import chosen

Check: TypeAlias = Callable[[State, Any], "Refusal | None"]


def _fine(_state: State, _request: Any) -> Refusal | None:
    return None


class Rule(msgspec.Struct, frozen=True):
    """When a request may be made, and what decides it.

    `do`: the turn that it takes (None: checked by the rule itself). `names`: other players whom it
    names. `first` is checked before the phase, `then` between the phase and the turn.
    """

    phase: str
    clause: str
    decide: Callable[[State, Any], Event | Refusal]
    do: str | None
    names: Callable[[Any], Sequence[str | None]] = lambda _request: ()
    first: Check = _fine
    then: Check = _fine


def decide(state: State, request: Request) -> Sequence[Event] | Refusal:
    """Say what happens when `request` is made now, with all that follows from it."""
    rule = _RULES[type(request)]
    refusal = (
        _unknown(state, rule.names(request))
        # The page names these faults before `wrong_phase`, and `then` before `not_your_turn`.
        or rule.first(state, request)
        or _wrong_phase(state, rule)
        or rule.then(state, request)
        or _wrong_turn(state, rule, getattr(request, "player", None))
    )
    if refusal is not None:
        return refusal
    decided = rule.decide(state, request)
    return decided if isinstance(decided, Refusal) else unfold(state, decided)


def _unknown(state: State, names: Sequence[str | None]) -> Refusal | None:
    if not names:
        return None
    stranger = next((name for name in names if name is not None and name not in state.setup.players), None)
    return None if stranger is None else refuse("unknown_player", player=stranger)


def _wrong_phase(state: State, rule: Rule) -> Refusal | None:
    # With draws by the program it is never the time for a player's (the page says `wrong_phase`).
    app_draws = rule.do == "draw" and state.setup.options["draws"] == "app"
    if rule.phase == state.phase and not app_draws:
        return None
    return refuse("wrong_phase", rule.clause, now=awaited(state))


def _wrong_turn(state: State, rule: Rule, player: str | None) -> Refusal | None:
    if rule.do is None or player is None:
        return None
    seat = state.seat(player)
    mine = [turn.do for turn in turns(state) if turn.seat == seat]
    if rule.do in mine:
        return None
    # Whose turn it is hears what they may not do; the others hear that they must wait.
    if mine:
        return refuse("not_entitled", rule.clause, player=player, now=awaited(state))
    if _in_any_order(state) and not any(turn.seat == seat for group in state.todo for turn in group):
        return refuse("already_done", rule.clause, player=player)
    clause = "DV-40" if state.phase == "loads" else rule.clause  # loads go in turn on a difficult donkey only
    if rule.do != "decide":
        return refuse("not_your_turn", clause, player=player, now=awaited(state))
    order = state.setup.options["decision_order"]
    words = {"player": player, "ruling": chosen("decision_order", order), "now": awaited(state)}
    return refuse("not_your_turn", clause, say=f"decide_{order}", **words)


def _in_any_order(state: State) -> bool:
    """Tell whether a second act in this phase has been done already, rather than out of turn."""
    free = state.phase == "decisions" and state.setup.options["decision_order"] == "free"
    return free or state.phase in ("loads", "reveal")


_RULES: dict[type[Request], Rule] = {
    rq.Donkey: Rule("donkey", "DV-10", clauses.reveal_donkey, "donkey"),
    rq.Load: Rule("loads", "DV-11", clauses.play_load, "load"),
    rq.Favour: Rule(
        "favours",
        "DV-12",
        clauses.use_favour,
        "favour",
        first=clauses.favour_forbidden,
        then=clauses.favour_exhausted,
    ),
    rq.NoFavour: Rule("favours", "DV-12", clauses.decline_favour, "favour"),
    rq.Peek: Rule("peeks", "DV-14", clauses.peek, None, names=lambda request: request.at),
    rq.PeeksDone: Rule("peeks", "DV-14", clauses.end_peeks, None),
    rq.Decide: Rule("decisions", "DV-15", clauses.decide_contract, "decide"),
    rq.Adjust: Rule("adjustments", "DV-16", clauses.adjust, "adjust"),
    rq.SwapLoad: Rule("adjustments", "DV-16", clauses.swap_load, "swap_load"),
    rq.Reveal: Rule("reveal", "DV-17", clauses.reveal, "reveal"),
    rq.Exchange: Rule(
        "claims", "DV-20", clauses.exchange, "exchange", names=lambda request: (request.with_,)
    ),
    rq.Choose: Rule(
        "claims",
        "DV-20",
        clauses.choose,
        "choose",
        names=lambda request: (request.card.owner,) if request.card else (),
    ),
    rq.Draw: Rule("claims", "DV-19", clauses.draw, "draw", names=lambda request: (request.card.owner,)),
}
