"""What everybody at the table may know."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.contract import GAME_OVER, CommonView, View, Waiting
from companion.rules.partners.board import SEATS, name_of, own
from companion.rules.partners.state import State

FIELDS: Mapping[str, str] = {
    "deal": "1 to 3, of this dealer",
    "dealer": "name",
    "players[].cards_left": "cards in the hand",
    "players[].pawns": "the places of pawns 1 to 4: `base`, `start`, `goal:1` to `goal:4`, `K:S`, or `K:0` (option `swap_start`)",
    "players[].locked": "pawns that never move again",
}
"""What the view holds besides the fields of every game, for docs/requests."""


def view(state: State) -> View:
    """Return the view; what its fields mean stands in `FIELDS`."""
    locked = [state.locked(seat) for seat in SEATS]
    common: CommonView = {
        "game": "partners",
        "phase": state.phase,
        "players": [
            {
                "name": name,
                "points": locked[seat],
                "cards_left": state.left[seat],
                "pawns": [name_of(seat, place) for place in own(state.pawns, seat)],
                "locked": locked[seat],
            }
            for seat, name in enumerate(state.players)
        ],
        "waiting_for": _waiting(state),
        "result": _result(state),
    }
    return {
        **common,
        "deal": state.deal,
        "dealer": state.players[state.dealer],
    }


def _waiting(state: State) -> list[Waiting]:
    if state.phase == "exchange":
        return [{"do": "exchanged", "player": None}]
    if state.phase == GAME_OVER:
        return []
    name = state.players[state.turn]
    return [{"do": do, "player": name} for do in ("play", "fold")]


def _result(state: State) -> View | None:
    """PA-18: the team with eight pawns locked ranks 1, the other 3; None before the end."""
    if state.phase != GAME_OVER:
        return None
    won = state.winners
    order = sorted(range(4), key=lambda seat: seat not in won)
    return {
        "winners": [state.players[seat] for seat in sorted(won)],
        "ranking": [
            {"player": state.players[seat], "points": state.locked(seat), "rank": 1 if seat in won else 3}
            for seat in order
        ],
    }
