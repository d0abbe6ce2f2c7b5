"""Donkey Valley in words: cards, what is awaited, what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from companion.rules.contract import Event, Text
from companion.rules.donkey_valley import events as ev
from companion.rules.donkey_valley.cards import Card
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import Round, State
from companion.rules.options import chosen


def card(one: Card, holder: str | None = None) -> Text:
    """Name a load: its value, and its colour unless `holder`, of whom the sentence is, has it."""
    if one.owner == holder:
        return Text("own_card", {"value": one.value})
    return Text("card", {"owner": one.owner, "value": one.value})


def cards(several: Iterable[Card], holder: str | None = None) -> tuple[Text, ...]:
    """Name several loads; `holder` as in `card`."""
    return tuple(card(one, holder) for one in several)


def donkey(now: Round) -> Text:
    """Name the donkey of a round; a void double says so (DV-38)."""
    return Text("donkey.double_void" if now.void else f"donkey.{now.donkey}")


def limit(now: Round) -> Text:
    """Say what the donkey carries: a capacity or the precision donkey's limit."""
    if now.spread_limit is not None:
        return Text("limit.spread", {"limit": now.spread_limit})
    return Text("limit.capacity", {"limit": now.capacity or 0})


def ruling(state: State, name: str) -> Text:
    """Say how this table plays what the sheet leaves open."""
    return chosen(name, state.setup.options[name])


def awaited(state: State) -> Text:
    """Say what is awaited now, and from whom."""
    open_turns = turns(state)
    if not open_turns:
        return Text("awaited.game_over")
    do = open_turns[0].do
    players = tuple(state.players[turn.seat].name for turn in open_turns if turn.seat is not None)
    return Text(f"awaited.{do}", {"players": players}, len(players) or None)


def describe(state: State, event: Event) -> Text | None:
    """Put `event` into words (`state`: after it); None for what nobody needs to hear."""
    say = _SAY.get(type(event))
    return None if say is None else say(state, event)


def _donkey_revealed(state: State, event: ev.DonkeyRevealed) -> Text:
    now = state.now
    return Text(
        "event.donkey_revealed",
        {
            "round": event.round,
            "donkey": donkey(now),
            "limit": limit(now),
            "effect": Text("effect.double_void" if event.void else f"effect.{event.donkey}"),
        },
    )


def _load_played(_state: State, event: ev.LoadPlayed) -> Text:
    if event.values:
        return Text("event.load_played_up", {"player": event.player, "value": event.values[0]})
    return Text("event.load_played", {"player": event.player, "count": event.count}, event.count)


def _donkey_set_aside(state: State, _event: ev.DonkeySetAside) -> Text:
    if state.setup.options["first_player_card"] == "each_end":
        return Text("event.donkey_set_aside")
    return Text(
        "event.donkey_set_aside_resolved",
        {"player": state.players[state.first].name, "ruling": ruling(state, "first_player_card")},
    )


def _load_swapped(_state: State, event: ev.LoadSwapped) -> Text:
    if event.value is not None:
        return Text("event.load_swapped_up", {"player": event.player, "value": event.value})
    return Text("event.load_swapped", {"player": event.player})


def _limit_adjusted(_state: State, event: ev.LimitAdjusted) -> Text:
    name = "capacity" if event.spread_limit is None else "spread"
    value = event.capacity if event.spread_limit is None else event.spread_limit
    reached = Text(f"limit.{name}", {"limit": value})
    kind = "raised" if event.delta > 0 else "lowered" if event.delta else "kept"
    return Text(f"event.limit_{kind}", {"player": event.player, "limit": reached})


def _loads_revealed(_state: State, event: ev.LoadsRevealed) -> Text:
    code = "event.loads_overruled" if event.overruled else "event.loads_revealed"
    return Text(code, {"player": event.player, "values": event.values})


def _loads_weighed(state: State, event: ev.LoadsWeighed) -> Text:
    now = state.now
    measure = "spread" if now.spread_limit is not None else "total"
    verdict = "overloaded" if event.overloaded else "carries"
    words: dict[str, Any] = {"total": event.total, "spread": event.spread, "limit": limit(now)}
    if event.removed:
        words["removed"] = cards(event.removed)
        return Text(f"event.weighed_removed.{verdict}", words)
    return Text(f"event.weighed_{measure}.{verdict}", words)


def _loads_drawn(_state: State, event: ev.LoadsDrawn) -> Text:
    draws = tuple(
        Text("event.draft", {"player": draft.player, "card": card(draft.card, draft.player)})
        for draft in event.draws
    )
    return Text("event.loads_drawn", {"draws": draws})


def _round_resolved(_state: State, event: ev.RoundResolved) -> Text:
    hauls = tuple(
        Text("event.haul", {"player": haul.player, "cards": cards(haul.cards, haul.player)})
        for haul in event.won
    )
    if not hauls:
        return Text("event.nobody_won", {"round": event.round})
    return Text("event.round_resolved", {"round": event.round, "hauls": hauls})


_SAY: dict[type[Event], Callable[[State, Any], Text]] = {
    ev.DonkeyRevealed: _donkey_revealed,
    ev.DonkeyRemoved: lambda _s, _e: Text("event.donkey_removed"),
    ev.LoadPlayed: _load_played,
    ev.DonkeySetAside: _donkey_set_aside,
    ev.DonkeyReturned: lambda _s, e: Text("event.donkey_returned", {"round": e.round}),
    ev.FavourUsed: lambda _s, e: Text(
        "event.favour_used", {"player": e.player, "card": e.card, "favour": Text(f"favour.{e.card}")}
    ),
    ev.FavourDeclined: lambda _s, e: Text("event.favour_declined", {"player": e.player}),
    ev.LoadsLookedAt: lambda _s, e: Text(
        "event.loads_looked_at", {"player": e.player, "at": e.at}, len(e.at)
    ),
    ev.PeeksEnded: lambda _s, _e: Text("event.peeks_ended"),
    ev.ContractDecided: lambda _s, e: Text(
        "event.accepted" if e.accept else "event.refused", {"player": e.player}
    ),
    ev.LimitAdjusted: _limit_adjusted,
    ev.LoadSwapped: _load_swapped,
    ev.SwapDeclined: lambda _s, e: Text("event.swap_declined", {"player": e.player}),
    ev.DonkeyRefused: lambda s, e: Text(
        "event.donkey_refused", {"refused": e.refused, "players": len(s.players)}
    ),
    ev.LoadsRevealed: _loads_revealed,
    ev.LoadsWeighed: _loads_weighed,
    ev.LoadsExchanged: lambda _s, e: Text(
        "event.loads_exchanged",
        {
            "player": e.player,
            "partner": e.partner,
            "given": card(e.given, e.player),
            "taken": card(e.taken, e.player),
        },
    ),
    ev.LoadChosen: lambda _s, e: Text(
        "event.load_chosen", {"player": e.player, "card": card(e.card, e.player)}
    ),
    ev.ClaimDeclined: lambda _s, e: Text("event.claim_declined", {"player": e.player}),
    ev.LoadsDrawn: _loads_drawn,
    ev.RoundResolved: _round_resolved,
    ev.FirstPlayerMoved: lambda _s, e: Text("event.first_player_moved", {"player": e.player}),
    ev.GameEnded: lambda _s, e: Text("event.game_ended", {"winners": e.winners}, len(e.winners)),
}
"""`phase_began` is not said: what is awaited says it."""
