"""What each request does, a function a clause, and the checks that several of them share.

Donkeys, loads, favours, peeks and decisions (DV-2, DV-10 to DV-16), then the reveal, favour 8 and
the draws (DV-17, DV-19, DV-20, DV-50, DV-51).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from companion.rules.commitments import Opening, opened
from companion.rules.contract import Event, Refusal, Text, refuse
from companion.rules.donkey_valley import events as ev
from companion.rules.donkey_valley import requests as rq
from companion.rules.donkey_valley.cards import DONKEYS, FAVOURS, ROUNDS, SPREAD_LIMITS, VALUES, Card
from companion.rules.donkey_valley.state import Stake, State, limits
from companion.rules.options import chosen


def reveal_donkey(state: State, request: rq.Donkey) -> Event | Refusal:
    """DV-10; DV-2: of no type more than the deck holds; DV-38: the last double alone is void."""
    if request.type not in DONKEYS:
        return refuse("unknown_card", "DV-2", say="unknown_donkey", type=request.type[:40])
    copies = state.setup.options["donkey_copies"]
    if copies is not None and state.revealed.count(request.type) >= copies.get(request.type, 0):
        return refuse(
            "no_such_donkey",
            "DV-2",
            donkey=Text(f"donkey.{request.type}"),
            copies=copies.get(request.type, 0),
            ruling=chosen("donkey_copies", copies),
        )
    # `left` still counts this donkey itself.
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
    """Return how many loads a player may lay on this donkey (DV-11, DV-38, `double_loads`)."""
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
    # Only what lies open now: a load that favour 4 brought back is in the hand again, and secret.
    told = tuple(one for one in known if one.card in request.values)
    return ev.LoadsRevealed(player, request.values, not honest, told or UNSET)


def exchange(state: State, request: rq.Exchange) -> Event | Refusal:
    """DV-20: with another player who has a load left; said only where there is a choice."""
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
    """Return `holder`'s load of this value; the only one when none is named."""
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


def bad_range(values: Sequence[int]) -> Refusal | None:
    """Refuse what is no value of a load (DV-1)."""
    wrong = next((value for value in values if value not in VALUES), None)
    return None if wrong is None else refuse("bad_value", "DV-1", say="value_range", value=str(wrong)[:12])


def bad_count(given: int, due: int, clause: str) -> Refusal | None:
    """Refuse a wrong number of loads."""
    return (
        None
        if given == due
        else refuse("bad_value", clause, say="value_count", given=str(given)[:12], due=due)
    )


def spent(state: State, player: str, values: Sequence[int]) -> Refusal | None:
    """Refuse a value this player cannot show any more, shows already, or shows twice (DV-50)."""
    known = state.players[state.seat(player)].gone | set(state.stake(player).up)
    for number, value in enumerate(values):
        if value in known or value in values[:number]:
            return refuse("card_spent", "DV-50", player=player, value=value)
    return None


def agrees(stake: Stake, opened: Sequence[Opening], values: Sequence[int]) -> bool:
    """Tell whether `values` can be what a reader saw laid face down, favour 4 considered (DV-51).

    After favour 4 the card that came must be there, if a reader saw it; one of the loads laid first
    may be missing. A seal whose opening is lost (the program was started again) tells nothing: the
    table sees for itself.
    """
    known = {one.seal: one.card for one in opened}
    shown = set(values)
    if stake.new_seal in known:
        if known[stake.new_seal] not in shown:
            return False
        shown = shown - {known[stake.new_seal]}
    missing = [seal for seal in stake.seals if seal in known and known[seal] not in shown]
    return len(missing) <= (1 if stake.swapped else 0)
