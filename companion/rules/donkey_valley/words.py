"""Names of cards and the like as `Text`s, and the sentence that says what is awaited."""

from __future__ import annotations

from collections.abc import Iterable

from companion.rules.contract import Text
from companion.rules.donkey_valley.cards import Card
from companion.rules.donkey_valley.phases import turns
from companion.rules.donkey_valley.state import Round, State


def card(one: Card, holder: str | None = None) -> Text:
    """Name a load: its value, and whose colour it has unless that is `holder`, the player the sentence is about."""
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


def awaited(state: State) -> Text:
    """Say what is awaited now, and from whom."""
    open_turns = turns(state)
    if not open_turns:
        return Text("awaited.game_over")
    do = open_turns[0].do
    players = tuple(state.players[turn.seat].name for turn in open_turns if turn.seat is not None)
    return Text(f"awaited.{do}", {"players": players}, len(players) or None)
