"""What is asked before the loads are revealed: donkeys, loads, favours, peeks, decisions, and favours 4 and 6 (DV-2, DV-10 to DV-16)."""

from __future__ import annotations

from companion.rules.contract import Event, Refusal, Text, refuse
from companion.rules.donkey_valley import events as ev
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.cards import DONKEYS, FAVOURS, ROUNDS, SPREAD_LIMITS
from companion.rules.donkey_valley.checks import bad_count, bad_range, spent
from companion.rules.donkey_valley.state import State, limits


def reveal_donkey(state: State, request: rq.Donkey) -> Event | Refusal:
    """DV-10; DV-2: no type more often than the deck holds it; DV-38: a double without a partner in the pile is void."""
    if request.type not in DONKEYS:
        return refuse("unknown_card", "DV-2", say="unknown_donkey", type=request.type[:40])
    copies = state.setup.options["donkey_copies"]
    if copies is not None and state.revealed.count(request.type) >= copies.get(request.type, 0):
        return refuse(
            "no_such_donkey",
            "DV-2",
            donkey=Text(f"donkey.{request.type}"),
            copies=copies.get(request.type, 0),
        )
    void = request.type == "double" and state.left == 1
    capacity, spread = limits(request.type, len(state.players), void)
    return ev.DonkeyRevealed(request.type, ROUNDS - state.left + 1, capacity, spread, void)


def play_load(state: State, request: rq.Load) -> Event | Refusal:
    """DV-11, DV-38 (how many), DV-40 (face up), DV-51 (sealed)."""
    counts = load_counts(state)
    if request.count not in counts:
        return refuse(
            "bad_value",
            "DV-38" if state.now.donkey == "double" else "DV-11",
            say="load_count",
            given=str(request.count)[:12],
            due=counts,
        )
    if state.face_up_due(state.seat(request.player)):
        return _play_face_up(state, request)
    if request.values is not None:
        return refuse("bad_request", "DV-40", say="face_down", player=request.player)
    seals = tuple(map(str, request.sealed or ()))
    refusal = bad_count(len(seals), request.count, "DV-51") if seals else None
    return refusal or ev.LoadPlayed(request.player, request.count, sealed=seals or None)


def load_counts(state: State) -> tuple[int, ...]:
    """Return how many loads a player may lay on this donkey (DV-11, DV-38 with option `double_loads`)."""
    if not state.now.doubled:
        return (1,)
    return (2,) if state.setup.options["double_loads"] == "must" else (1, 2)


def _play_face_up(state: State, request: rq.Load) -> Event | Refusal:
    if request.values is None:
        return refuse("bad_value", "DV-40", say="value_missing", player=request.player)
    refusal = (
        bad_count(len(request.values), 1, "DV-40")
        or bad_range(request.values)
        or spent(state, request.player, request.values)
    )
    return refusal or ev.LoadPlayed(request.player, 1, request.values)


def favour_forbidden(state: State, _request: rq.Favour) -> Refusal | None:
    """DV-34, in every phase of the hurried donkey's round."""
    hurried = state.phase != "donkey" and state.now.donkey == "hurried"
    return refuse("favours_forbidden", "DV-34") if hurried else None


def favour_exhausted(state: State, request: rq.Favour) -> Refusal | None:
    """DV-13, which players hear before they hear whose turn it is."""
    left = state.players[state.seat(request.player)].may_ask_favour
    return None if left else refuse("no_favours_left", "DV-13", player=request.player)


def use_favour(state: State, request: rq.Favour) -> Event | Refusal:
    """DV-12."""
    refusal = bad_range([request.card])
    if refusal is None and request.card not in FAVOURS:
        refusal = refuse("not_a_favour", "DV-12", value=request.card)
    return (
        refusal or spent(state, request.player, [request.card]) or ev.FavourUsed(request.player, request.card)
    )


def decline_favour(_state: State, request: rq.NoFavour) -> Event | Refusal:
    """DV-12."""
    return ev.FavourDeclined(request.player)


def peek(state: State, request: rq.Peek) -> Event | Refusal:
    """DV-14: as many as the player is entitled to, other players' loads, each load once."""
    seat = state.seat(request.player)
    left = state.peeks_left(seat)
    if len(request.at) > left:
        return refuse(
            "not_entitled",
            "DV-14",
            say="too_many_peeks",
            player=request.player,
            left=left,
            given=len(request.at),
        )
    looks = [*state.now.stakes[seat].looks, *map(state.seat, request.at)]
    for looked in looks:
        name = state.players[looked].name
        if looked == seat:
            return refuse("not_entitled", "DV-14", say="own_load", player=name)
        if looks.count(looked) > len(state.now.stakes[looked].loads):
            return refuse("not_entitled", "DV-14", say="looked_already", player=name)
    return ev.LoadsLookedAt(request.player, request.at)


def end_peeks(_state: State, _request: rq.PeeksDone) -> Event | Refusal:
    """DV-14."""
    return ev.PeeksEnded()


def decide_contract(_state: State, request: rq.Decide) -> Event | Refusal:
    """DV-15."""
    return ev.ContractDecided(request.player, request.accept)


def adjust(state: State, request: rq.Adjust) -> Event | Refusal:
    """DV-16; DV-33: the precision donkey's limit stays within 1..9 after each change."""
    if request.delta not in (-2, 0, 2):
        return refuse("bad_value", "DV-16", say="delta", delta=str(request.delta)[:12])
    now = state.now
    capacity = None if now.capacity is None else now.capacity + request.delta
    spread = now.spread_limit
    if spread is not None:
        spread = min(max(spread + request.delta, SPREAD_LIMITS[0]), SPREAD_LIMITS[-1])
    return ev.LimitAdjusted(request.player, request.delta, capacity, spread)


def swap_load(state: State, request: rq.SwapLoad) -> Event | Refusal:
    """DV-16: face up stays face up; with an empty hand a player can only decline (DV-20)."""
    player = request.player
    up = bool(state.stake(player).up)
    if request.value is not None and not (up and request.swap):
        return refuse("bad_request", "DV-16", say="no_value_due", player=player)
    if not request.swap:
        return ev.SwapDeclined(player)
    if not state.players[state.seat(player)].hand:
        return refuse("not_available", "DV-20", say="empty_hand", player=player)
    if up:
        if request.value is None:
            return refuse("bad_value", "DV-16", say="value_missing", player=player)
        refusal = bad_range([request.value]) or spent(state, player, [request.value])
        return refusal or ev.LoadSwapped(player, request.value)
    return ev.LoadSwapped(player, sealed=None if request.sealed is None else str(request.sealed))
