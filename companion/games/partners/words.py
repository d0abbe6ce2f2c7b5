"""Partners in words: cards, places, what is awaited, and why a player has these points."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.partners.board import (
    BASE,
    INNER,
    OUTER,
    START,
    STRETCH,
    find_locked_places,
    find_start_owner,
    parse_place,
    pawns_of_seat,
    square_for_place,
)
from companion.games.partners.state import State
from companion.rules.contract import GAME_OVER, Reason, Text


def describe_card(card: str) -> Text:
    """Return the words for one card."""
    return Text(f"card.{card}")


def describe_place(state: State, seat: int, place: int) -> Text:
    """Return the words for a place of a pawn of `seat`; squares are named by the player after whose
    start they lie."""
    if place == BASE:
        return Text("place.base")
    if place == START:
        return Text("place.start")
    owner = find_start_owner(seat, place)
    if owner is not None:
        return Text("place.other_start", {"player": state.players[owner]})
    if place >= OUTER:
        return Text("place.goal", {"number": INNER + 1 - place})
    number = square_for_place(seat, place)
    return Text("place.square", {"number": number % STRETCH + 1, "player": state.players[number // STRETCH]})


def describe_named_place(state: State, owner: str, name: str) -> Text:
    """Return the words for the place `name` (as on the wire) of a pawn of `owner`."""
    seat = state.players.index(owner)
    place = parse_place(seat, name)
    # Names in events were written by this program.
    assert place is not None, name
    return describe_place(state, seat, place)


def describe_awaited(state: State) -> Text:
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
    if state.moving_seat != state.turn:
        return Text(
            "awaited.play_partner", {"player": player, "partner": state.players[state.moving_seat]}, left
        )
    return Text("awaited.play", {"player": player}, left)


def explain_points(state: State, player: str) -> Sequence[Reason]:
    """Explain the points (PA-13, PA-18): one for each locked pawn; at the end the winners, whatever
    the points. With PA-19 the pawns' numbers are unknown."""
    seat = state.players.index(player)
    if state.told and (home := state.told[seat]):
        told = Reason(Text("explain.told", {"player": player}, home), ("PA-13", "PA-18", "PA-19"), home)
        return [told, *_explain_win(state, seat)]
    fixed = find_locked_places(state.pawns, seat)
    reasons = [
        Reason(
            Text(
                "explain.locked",
                {"player": player, "pawn": pawn, "place": describe_place(state, seat, place)},
            ),
            ("PA-13", "PA-18"),
            1,
        )
        for pawn, place in enumerate(pawns_of_seat(state.pawns, seat), 1)
        if place in fixed
    ]
    if not reasons:
        reasons.append(Reason(Text("explain.none_locked", {"player": player}), ("PA-18",)))
    return [*reasons, *_explain_win(state, seat)]


def _explain_win(state: State, seat: int) -> list[Reason]:
    """Return, at the end, whether the team of `seat` has won (PA-18)."""
    if state.phase != GAME_OVER:
        return []
    # Points do not decide: the other team may have almost as many.
    code = "explain.won" if seat in state.winning_seats else "explain.lost"
    words = {"player": state.players[seat], "partner": state.players[(seat + 2) % 4]}
    return [Reason(Text(code, words), ("PA-18",))]
