"""From a state and an event to the next state. Nothing is decided here: the events say all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from companion.rules.contract import GAME_OVER, Event
from companion.rules.donkey_valley import events as ev
from companion.rules.donkey_valley import phases
from companion.rules.donkey_valley.cards import Card
from companion.rules.donkey_valley.state import Adjustment, Player, Round, Stake, State, Turn


def evolve(state: State, event: Event) -> State:
    """Return the state after `event`."""
    return _EVOLVE[type(event)](state, event)


def _with_stake(state: State, seat: int, stake: Stake) -> State:
    return replace(state, round=_staked(state.now, seat, stake))


def _staked(now: Round, seat: int, stake: Stake) -> Round:
    return replace(now, stakes=(*now.stakes[:seat], stake, *now.stakes[seat + 1 :]))


def _with_player(state: State, seat: int, player: Player) -> State:
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def _acted(state: State, player: str, **changes: Any) -> State:
    """Change a player's stake, and take them off the list of those who are to act."""
    seat, now = state.seat(player), state.now
    stake = replace(now.stakes[seat], **changes)
    return replace(state, round=_staked(now, seat, stake), todo=phases.without(state.todo, seat))


def _donkey_revealed(state: State, event: ev.DonkeyRevealed) -> State:
    stakes = tuple(Stake() for _ in state.players)
    now = Round(event.round, event.donkey, event.capacity, event.spread_limit, stakes, void=event.void)
    return replace(
        state,
        phase="revealed",
        todo=(),
        left=state.left - 1,
        round=now,
        revealed=(*state.revealed, event.donkey),
    )


def _donkey_removed(state: State, _event: ev.DonkeyRemoved) -> State:
    return replace(state, phase="removed", left=state.left - 1)


def _phase_began(state: State, event: ev.PhaseBegan) -> State:
    return replace(state, phase=event.phase, todo=phases.todo(state, event.phase))


def _load_played(state: State, event: ev.LoadPlayed) -> State:
    seat = state.seat(event.player)
    player = state.players[seat]
    state = _with_player(state, seat, replace(player, hand=player.hand - event.count))
    return _acted(state, event.player, loads=event.values or (None,) * event.count, seals=event.sealed or ())


def _donkey_set_aside(state: State, _event: ev.DonkeySetAside) -> State:
    now = state.now
    # DV-37: they lie under the donkey now, not before the players.
    bare = replace(now, stakes=tuple(Stake() for _ in now.stakes))
    state = replace(state, todo=(), aside=(*state.aside, now), round=bare)
    if state.setup.options["first_player_card"] == "resolved":  # DV-21
        return _next_donkey(state)
    return replace(state, phase="ended")


def _donkey_returned(state: State, _event: ev.DonkeyReturned) -> State:
    back = replace(state.aside[0], returned=True)
    return replace(state, phase="loads", todo=(), round=back, aside=state.aside[1:])


def _favour_used(state: State, event: ev.FavourUsed) -> State:
    seat = state.seat(event.player)
    player = state.players[seat]
    spent = replace(
        player,
        hand=player.hand - 1,
        favours_used=player.favours_used + 1,
        gone=player.gone | {event.card},
    )
    return _acted(_with_player(state, seat, spent), event.player, favour=event.card)


def _favour_declined(state: State, event: ev.FavourDeclined) -> State:
    return _acted(state, event.player)


def _loads_looked_at(state: State, event: ev.LoadsLookedAt) -> State:
    seat = state.seat(event.player)
    stake = state.now.stakes[seat]
    looks = (*stake.looks, *(state.seat(name) for name in event.at))
    state = _with_stake(state, seat, replace(stake, looks=looks))
    return state if state.peeks_left(seat) else replace(state, todo=phases.without(state.todo, seat))


def _peeks_ended(state: State, _event: ev.PeeksEnded) -> State:
    return replace(state, todo=())


def _contract_decided(state: State, event: ev.ContractDecided) -> State:
    return _acted(state, event.player, decision=event.accept)


def _limit_adjusted(state: State, event: ev.LimitAdjusted) -> State:
    now = replace(
        state.now,
        capacity=event.capacity,
        spread_limit=event.spread_limit,
        adjustments=(*state.now.adjustments, Adjustment(event.player, event.delta)),
    )
    return _acted(replace(state, round=now), event.player)


def _load_swapped(state: State, event: ev.LoadSwapped) -> State:
    loads = state.stake(event.player).loads if event.value is None else (event.value,)
    return _acted(state, event.player, swapped=True, new_seal=event.sealed, loads=loads)


def _swap_declined(state: State, event: ev.SwapDeclined) -> State:
    return _acted(state, event.player)


def _donkey_refused(state: State, _event: ev.DonkeyRefused) -> State:
    # DV-39: they leave unseen, so none of them joins `gone`: nobody knows their values.
    stakes = tuple(replace(stake, loads=(), seals=()) for stake in state.now.stakes)
    gone = replace(state.now, refused=True, stakes=stakes)
    return replace(state, phase="ended", round=gone, past=(*state.past, gone))


def _loads_revealed(state: State, event: ev.LoadsRevealed) -> State:
    loads = (*state.stake(event.player).up, *event.values)
    return _acted(state, event.player, loads=loads, overruled=event.overruled)


def _loads_weighed(state: State, event: ev.LoadsWeighed) -> State:
    now = state.now
    bars = now.donkey != "hand_picked" or state.setup.options["barred"] == "players"
    stakes = tuple(
        _weighed(player.name, stake, event.removed, bars)
        for player, stake in zip(state.players, now.stakes, strict=True)
    )
    players = tuple(
        replace(player, gone=player.gone | frozenset(stake.up))
        for player, stake in zip(state.players, now.stakes, strict=True)
    )
    weighed = replace(
        now,
        stakes=stakes,
        removed=event.removed,
        total=event.total,
        spread=event.spread,
        overloaded=event.overloaded,
    )
    return replace(state, players=players, round=weighed)


def _weighed(name: str, stake: Stake, removed: tuple[Card, ...], bars: bool) -> Stake:
    """DV-36, DV-41: who lost a load is barred from winning, unless only the load is lost."""
    cards = tuple(Card(name, value) for value in stake.up)
    held = tuple(card for card in cards if card not in removed)
    lost = len(held) < len(cards)
    return replace(stake, held=held, removed=lost, barred=lost and bars)


def _loads_exchanged(state: State, event: ev.LoadsExchanged) -> State:
    partner = state.seat(event.partner)
    theirs = state.now.stakes[partner]
    state = _with_stake(state, partner, replace(theirs, held=_changed(theirs.held, event.taken, event.given)))
    held = _changed(state.stake(event.player).held, event.given, event.taken)
    return _acted(state, event.player, held=held, claimed=True)


def _changed(held: tuple[Card, ...], old: Card, new: Card) -> tuple[Card, ...]:
    return tuple(new if card == old else card for card in held)


def _load_chosen(state: State, event: ev.LoadChosen) -> State:
    state = _won_at_once(state, event.player, event.card)
    return _acted(state, event.player, claimed=True, chosen=event.card)


def _won_at_once(state: State, name: str, card: Card) -> State:
    """DV-19: a load that is drawn or chosen is its taker's before the round is resolved."""
    seat = state.seat(name)
    stake, player = state.now.stakes[seat], state.players[seat]
    state = _with_player(state, seat, replace(player, won=(*player.won, card)))
    return _with_stake(state, seat, replace(stake, taken=(*stake.taken, card), won=(*stake.won, card)))


def _claim_declined(state: State, event: ev.ClaimDeclined) -> State:
    return _acted(state, event.player, claimed=True)


def _loads_drawn(state: State, event: ev.LoadsDrawn) -> State:
    for draft in event.draws:
        state = _won_at_once(state, draft.player, draft.card)
    return replace(state, todo=state.todo[len(event.draws) :])


def _round_resolved(state: State, event: ev.RoundResolved) -> State:
    """DV-18: what was drawn or chosen has counted already; the rest is won now."""
    players, stakes = list(state.players), list(state.now.stakes)
    for haul in event.won:
        seat = state.seat(haul.player)
        stake, player = stakes[seat], players[seat]
        # What was drawn or chosen is in `won` already; counted twice the points would be wrong.
        late = tuple(card for card in haul.cards if card not in stake.taken)
        players[seat] = replace(player, won=(*player.won, *late))
        stakes[seat] = replace(stake, won=haul.cards)
    now = replace(state.now, stakes=tuple(stakes))
    return replace(state, phase="ended", players=tuple(players), round=now, past=(*state.past, now))


def _first_player_moved(state: State, event: ev.FirstPlayerMoved) -> State:
    return _next_donkey(replace(state, first=state.seat(event.player)))


def _next_donkey(state: State) -> State:
    """DV-37: the next donkey of the pile, or with the pile empty those that were set aside."""
    if state.left:
        return replace(state, phase="donkey", todo=((Turn("donkey", None),),))
    return replace(state, phase="between", todo=())


def _game_ended(state: State, _event: ev.GameEnded) -> State:
    return replace(state, phase=GAME_OVER)


_EVOLVE: dict[type[Event], Callable[[State, Any], State]] = {
    ev.DonkeyRevealed: _donkey_revealed,
    ev.DonkeyRemoved: _donkey_removed,
    ev.PhaseBegan: _phase_began,
    ev.LoadPlayed: _load_played,
    ev.DonkeySetAside: _donkey_set_aside,
    ev.DonkeyReturned: _donkey_returned,
    ev.FavourUsed: _favour_used,
    ev.FavourDeclined: _favour_declined,
    ev.LoadsLookedAt: _loads_looked_at,
    ev.PeeksEnded: _peeks_ended,
    ev.ContractDecided: _contract_decided,
    ev.LimitAdjusted: _limit_adjusted,
    ev.LoadSwapped: _load_swapped,
    ev.SwapDeclined: _swap_declined,
    ev.DonkeyRefused: _donkey_refused,
    ev.LoadsRevealed: _loads_revealed,
    ev.LoadsWeighed: _loads_weighed,
    ev.LoadsExchanged: _loads_exchanged,
    ev.LoadChosen: _load_chosen,
    ev.ClaimDeclined: _claim_declined,
    ev.LoadsDrawn: _loads_drawn,
    ev.RoundResolved: _round_resolved,
    ev.FirstPlayerMoved: _first_player_moved,
    ev.GameEnded: _game_ended,
}
