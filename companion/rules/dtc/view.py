"""What everybody at the table may know."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.contract import GAME_OVER, CommonView, View, ranked
from companion.rules.dtc.state import State

FIELDS: Mapping[str, str] = {
    "draw_pile": "cards in it",
    "offer": "`giver`, `challenger`, `count`, `value` of the offer that lies there, or null",
    "to_beat": "`count` and `value` that the next offer must beat, or null",
    "giver": "who offers next, or made the offer that lies there",
    "last_challenge": "the pile has run out: the next challenge ends the game",
    "players[].hand": "cards in the hand; 0 at the end",
}
"""What the view holds besides the fields of every game, for docs/requests."""


def view(state: State) -> View:
    """Return the view; what its fields mean stands in `FIELDS`."""
    offer, names = state.offer, state.players
    hands, piles, left = state.hands, state.piles, state.left
    common: CommonView = {
        "game": "dtc",
        "phase": state.phase,
        "players": [
            {"name": name, "points": piles[seat] + left[seat], "hand": hands[seat]}
            for seat, name in enumerate(names)
        ],
        "waiting_for": [{"do": do, "player": player} for do, player in waiting(state)],
        "result": result(state),
    }
    return {
        **common,
        "draw_pile": state.draw_pile,
        "last_challenge": state.last_challenge,
        "giver": names[state.giver],
        "offer": None
        if offer is None
        else {
            "giver": names[offer.giver],
            "challenger": names[offer.challenger],
            "count": offer.count,
            "value": offer.value,
        },
        "to_beat": None if state.to_beat is None else {"count": state.to_beat[0], "value": state.to_beat[1]},
    }


def waiting(state: State) -> list[tuple[str, str | None]]:
    """List what can be accepted now, and from whom; an `accept` that DTC-6 forbids is left out."""
    names = state.players
    match state.phase:
        case "offer":
            return [("offer", names[state.giver])]
        case "answer":
            answers = ("challenge",) if state.must_challenge() else ("accept", "challenge")
            return [(do, names[state.challenger]) for do in answers]
        case "reveal":
            return [("reveal", None)]
        case _:
            return []


def result(state: State) -> View | None:
    """DTC-10: fewest cards wins, a tie is shared; None before the end."""
    if state.phase != GAME_OVER:
        return None
    rows = [(name, (state.points(seat),)) for seat, name in enumerate(state.players)]
    return ranked(rows, lowest=True)
