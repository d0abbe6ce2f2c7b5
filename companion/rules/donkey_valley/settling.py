"""What is asked once the loads are turned up: the values, favour 8 and the draws (DV-17, DV-19, DV-20, DV-50, DV-51)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from companion.rules.commitments import opened
from companion.rules.contract import Event, Refusal, refuse
from companion.rules.donkey_valley import events as ev
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.cards import Card
from companion.rules.donkey_valley.checks import agrees, bad_count, bad_range, spent
from companion.rules.donkey_valley.state import State


def reveal(state: State, request: rq.Reveal) -> Event | Refusal:
    """DV-17, DV-50, DV-51."""
    player = request.player
    stake = state.stake(player)
    refusal = (
        bad_count(len(request.values), stake.down, "DV-17")
        or bad_range(request.values)
        or spent(state, player, request.values)
    )
    if refusal is not None:
        return refusal
    known = opened(request)
    honest = agrees(stake, known, request.values)
    if not honest and not request.overrule:
        return refuse("sealed_mismatch", "DV-51", player=player, values=request.values)
    told = tuple(one for one in known if one.card in request.values)
    return ev.LoadsRevealed(player, request.values, not honest, told or UNSET)


def exchange(state: State, request: rq.Exchange) -> Event | Refusal:
    """DV-20: with another player who still has a load; nothing has to be said where there is no choice."""
    player, partner = request.player, request.with_
    if partner is None:
        return ev.ClaimDeclined(player)
    theirs = state.stake(partner).held
    if partner == player or not theirs:
        return refuse("not_available", "DV-20", say="no_partner", player=partner)
    if not state.stake(player).held:  # DV-41 with the option `barred` = `loads`
        return refuse("not_available", "DV-20", say="nothing_to_exchange", player=player)
    given = _pick(state.stake(player).held, request.give, player)
    if isinstance(given, Refusal):
        return given
    taken = _pick(theirs, request.take, partner)
    if isinstance(taken, Refusal):
        return taken
    return ev.LoadsExchanged(player, partner, given, taken)


def _pick(held: Sequence[Card], value: int | None, holder: str) -> Card | Refusal:
    """Return the load with this value among those that `holder` has; the only one when none is named."""
    if value is None:
        if len(held) > 1:
            return refuse("bad_value", "DV-20", say="which_load", player=holder)
        return held[0]
    refusal = bad_range([value])
    if refusal is not None:
        return refusal
    found = next((card for card in held if card.value == value), None)
    return found or refuse("not_available", "DV-20", say="not_held", player=holder, value=value)


def choose(state: State, request: rq.Choose) -> Event | Refusal:
    """DV-20."""
    if request.card is None:
        return ev.ClaimDeclined(request.player)
    return _missing(state, request.card, "DV-20") or ev.LoadChosen(request.player, request.card)


def draw(state: State, request: rq.Draw) -> Event | Refusal:
    """DV-19 with the option `draws` = `table`."""
    return _missing(state, request.card, "DV-19") or ev.LoadsDrawn((ev.Draft(request.player, request.card),))


def _missing(state: State, card: Card, clause: str) -> Refusal | None:
    refusal = bad_range([card.value])
    if refusal is None and card not in state.now.pool():
        refusal = refuse("not_available", clause, player=card.owner, value=card.value)
    return refusal
