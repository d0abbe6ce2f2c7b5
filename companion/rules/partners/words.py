"""Partners in words: what is awaited, what happened, and why a player has these points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.contract import GAME_OVER, Event, Reason, Text
from companion.rules.options import chosen
from companion.rules.partners import events as fact
from companion.rules.partners.board import (
    BASE,
    INNER,
    OUTER,
    START,
    STRETCH,
    locked,
    own,
    place_of,
    square,
    start_owner,
)
from companion.rules.partners.cards import BACK, SPLIT
from companion.rules.partners.state import State


def card_word(card: str) -> Text:
    """Say one card."""
    return Text(f"card.{card}")


def place_word(state: State, seat: int, place: int) -> Text:
    """Say one place of a pawn of `seat`: squares by the player after whose start they lie."""
    if place == BASE:
        return Text("place.base")
    if place == START:
        return Text("place.start")
    owner = start_owner(seat, place)
    if owner is not None:
        return Text("place.other_start", {"player": state.players[owner]})
    if place >= OUTER:
        return Text("place.goal", {"number": INNER + 1 - place})
    number = square(seat, place)
    return Text("place.square", {"number": number % STRETCH + 1, "player": state.players[number // STRETCH]})


def _named(state: State, owner: str, name: str) -> Text:
    seat = state.players.index(owner)
    place = place_of(seat, name)
    assert place is not None, name
    return place_word(state, seat, place)


def awaited(state: State) -> Text:
    """Say what is awaited now, and from whom."""
    if state.phase == GAME_OVER:
        return Text("awaited.game_over")
    player = state.players[state.turn]
    if state.phase == "exchange":
        return Text("awaited.exchange", {"player": player})
    left = state.left[state.turn]
    if state.mover != state.turn:
        return Text("awaited.play_partner", {"player": player, "partner": state.players[state.mover]}, left)
    return Text("awaited.play", {"player": player}, left)


def explain(state: State, player: str) -> Sequence[Reason]:
    """PA-13, PA-18: one point for each locked pawn; at the end who won, whatever the points."""
    seat = state.players.index(player)
    fixed = locked(state.pawns, seat)
    reasons = [
        Reason(
            Text("explain.locked", {"player": player, "pawn": pawn, "place": place_word(state, seat, place)}),
            ("PA-13", "PA-18"),
            1,
        )
        for pawn, place in enumerate(own(state.pawns, seat), 1)
        if place in fixed
    ]
    if not reasons:
        reasons.append(Reason(Text("explain.none_locked", {"player": player}), ("PA-18",)))
    if state.phase == GAME_OVER:
        code = "explain.won" if seat in state.winners else "explain.lost"
        partner = state.players[(seat + 2) % 4]
        reasons.append(Reason(Text(code, {"player": player, "partner": partner}), ("PA-18",)))
    return reasons


def report(state: State) -> Sequence[Reason]:
    """Say what the last card did, pawn by pawn, with the clauses; empty before the first card."""
    reasons = []
    card = getattr(state.last[0], "card", "") if state.last else ""
    for event in state.last:
        text = describe(state, event)
        clauses = _move_clauses(event, card) if isinstance(event, fact.PawnMoved) else _CLAUSES[type(event)]
        if isinstance(event, fact.PawnSentHome) and event.reason == "captured" and event.by == event.owner:
            text = Text(
                "report.own_captured",
                {"owner": event.owner, "pawn": event.pawn, "ruling": chosen("own_pawn", "capture")},
            )
        if text is not None:
            reasons.append(Reason(text, clauses))
    return reasons


def _move_clauses(event: fact.PawnMoved, card: str) -> tuple[str, ...]:
    """Cite what let the pawn go so far, and the goal's rules when it went in or out of it."""
    if event.source == "base":
        return ("PA-10",)
    way = {BACK: "PA-14", SPLIT: "PA-15"}.get(card, "PA-4")
    goal = event.source.startswith("goal") or event.to.startswith("goal")
    return (way, "PA-13") if goal else (way,)


def describe(state: State, event: Any) -> Text | None:
    """Put one event into words."""
    return _WORDS[type(event)](state, event)


def step_word(state: State, event: Any) -> Text:
    """Say one step of a play in a few words, for the menu of the player in turn."""
    whose = "" if getattr(event, "owner", None) == state.players[state.turn] else "_partner"
    match event:
        case fact.PawnMoved():
            code = ("step.stays" if event.source == event.to else "step.moved") + whose
            args = {"owner": event.owner, "pawn": event.pawn, "to": _named(state, event.owner, event.to)}
        case fact.PawnSentHome():
            code, args = f"step.{event.reason}", {"owner": event.owner, "pawn": event.pawn, "by": event.by}
        case fact.PawnsSwapped():
            code, args = "step.swapped", {"owner": event.owner, "pawn": event.pawn}
            args |= {"other_owner": event.other_owner, "other_pawn": event.other_pawn}
        case _:
            code, args = "step.locked", {}
    return Text(code, args)


def _card_played(_state: State, event: fact.CardPlayed) -> Text:
    return Text("event.card_played", {"player": event.player, "card": card_word(event.card)})


def _pawn_moved(state: State, event: fact.PawnMoved) -> Text:
    source, to = (_named(state, event.owner, name) for name in (event.source, event.to))
    args = {"owner": event.owner, "pawn": event.pawn, "source": source, "to": to}
    return Text("event.pawn_stays" if event.source == event.to else "event.pawn_moved", args)


def _pawn_sent_home(_state: State, event: fact.PawnSentHome) -> Text:
    args = {"owner": event.owner, "pawn": event.pawn, "by": event.by}
    return Text(f"event.sent_home.{event.reason}", args)


def _pawns_swapped(state: State, event: fact.PawnsSwapped) -> Text:
    return Text(
        "event.pawns_swapped",
        {
            "owner": event.owner,
            "pawn": event.pawn,
            "to": _named(state, event.owner, event.to),
            "other_owner": event.other_owner,
            "other_pawn": event.other_pawn,
            "other_to": _named(state, event.other_owner, event.other_to),
        },
    )


def _pawn_locked(state: State, event: fact.PawnLocked) -> Text:
    place = _named(state, event.owner, event.place)
    return Text("event.pawn_locked", {"owner": event.owner, "pawn": event.pawn, "place": place})


def _player_folded(_state: State, event: fact.PlayerFolded) -> Text:
    if event.cards is None:
        return Text("event.folded", {"player": event.player}, event.count)
    cards = tuple(card_word(card) for card in event.cards)
    return Text("event.folded_shown", {"player": event.player, "cards": cards})


def _cards_dealt(_state: State, event: fact.CardsDealt) -> Text:
    code = "event.shuffled" if event.shuffled else "event.dealt"
    return Text(code, {"dealer": event.dealer, "deal": event.deal})


_WORDS: Mapping[type[Event], Callable[[State, Any], Text | None]] = {
    fact.CardsExchanged: lambda _state, event: Text("event.exchanged", {"player": event.player}),
    fact.CardPlayed: _card_played,
    fact.PawnMoved: _pawn_moved,
    fact.PawnSentHome: _pawn_sent_home,
    fact.PawnsSwapped: _pawns_swapped,
    fact.PawnLocked: _pawn_locked,
    fact.PlayerFolded: _player_folded,
    fact.TurnPassed: lambda _state, event: Text("event.turn_passed", {"player": event.player}),
    fact.CardsDealt: _cards_dealt,
    fact.GameWon: lambda _state, event: Text("event.game_won", {"winners": event.winners}),
}
_CLAUSES: Mapping[type[Event], tuple[str, ...]] = {
    fact.CardPlayed: ("PA-7",),
    fact.PawnSentHome: ("PA-12",),
    fact.PawnsSwapped: ("PA-16",),
    fact.PawnLocked: ("PA-13",),
    fact.PlayerFolded: ("PA-6",),
    fact.GameWon: ("PA-18",),
}
