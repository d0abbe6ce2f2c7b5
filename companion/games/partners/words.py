"""Partners in words: cards, places, what is awaited, and why a player has these points."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.partners.board import (
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
from companion.games.partners.state import State
from companion.rules.contract import GAME_OVER, Reason, Text


def card_word(card: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{card}")


def place_word(state: State, seat: int, place: int) -> Text:
    """Return the words for a place of a pawn of `seat`; squares are named by the player after whose
    start they lie."""
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


def place_named(state: State, owner: str, name: str) -> Text:
    """Return the words for the place `name` (as on the wire) of a pawn of `owner`."""
    seat = state.players.index(owner)
    place = place_of(seat, name)
    # Names in events were written by this program.
    assert place is not None, name
    return place_word(state, seat, place)


def awaited(state: State) -> Text:
    """Describe who must act now, and how."""
    if state.phase == GAME_OVER:
        return Text("awaited.game_over")
    if state.phase == "told":
        rows = zip(state.players, state.told, strict=True)
        return Text("awaited.told", {"players": tuple(name for name, told in rows if told is None)})
    player = state.players[state.turn]
    if state.phase == "exchange":
        return Text("awaited.exchange", {"player": player})
    left = state.left[state.turn]
    if state.mover != state.turn:
        return Text("awaited.play_partner", {"player": player, "partner": state.players[state.mover]}, left)
    return Text("awaited.play", {"player": player}, left)


def explain(state: State, player: str) -> Sequence[Reason]:
    """Explain the points (PA-13, PA-18): one for each locked pawn; at the end the winners, whatever
    the points. With PA-19 the pawns' numbers are unknown."""
    seat = state.players.index(player)
    if state.told and (home := state.told[seat]):
        told = Reason(Text("explain.told", {"player": player}, home), ("PA-13", "PA-18", "PA-19"), home)
        return [told, *_won(state, seat)]
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
    return [*reasons, *_won(state, seat)]


def _won(state: State, seat: int) -> list[Reason]:
    """Return, at the end, whether the team of `seat` has won (PA-18)."""
    if state.phase != GAME_OVER:
        return []
    # Points do not decide: the other team may have almost as many.
    code = "explain.won" if seat in state.winners else "explain.lost"
    words = {"player": state.players[seat], "partner": state.players[(seat + 2) % 4]}
    return [Reason(Text(code, words), ("PA-18",))]
