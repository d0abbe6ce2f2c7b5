"""What everybody at the table may know."""

from __future__ import annotations

from companion.rules.contract import GAME_OVER, View
from companion.rules.partners.board import name_of, own
from companion.rules.partners.state import State


def view(state: State) -> View:
    """Return the view with the fields of the rules' README and of Partners."""
    return {
        "game": "partners",
        "phase": state.phase,
        "deal": state.deal,
        "dealer": state.players[state.dealer],
        "players": [
            {
                "name": name,
                "points": state.locked(seat),
                "cards_left": state.left[seat],
                "pawns": [name_of(seat, place) for place in own(state.pawns, seat)],
                "locked": state.locked(seat),
            }
            for seat, name in enumerate(state.players)
        ],
        "waiting_for": _waiting(state),
        "result": _result(state),
    }


def _waiting(state: State) -> list[View]:
    if state.phase == "exchange":
        return [{"do": "exchanged", "player": None}]
    if state.phase == GAME_OVER:
        return []
    name = state.players[state.turn]
    return [{"do": do, "player": name} for do in ("play", "fold")]


def _result(state: State) -> View | None:
    """PA-18: the team whose eight pawns are locked ranks 1, the other 3, whatever their points; None before the end."""
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
