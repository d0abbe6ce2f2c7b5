"""What everybody at the table may know."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.ascend.decide import no_promise
from companion.rules.ascend.score import shown
from companion.rules.ascend.state import State
from companion.rules.contract import GAME_OVER, CommonView, View, ranked

FIELDS: Mapping[str, str] = {
    "hand_number": "from 1",
    "target": "points that end the game",
    "dealer": "who deals this hand",
    "leader": "who leads or led this trick",
    "trick": "`kind` (`single`, `set`, `run`, `bomb`), `count`, `rank` and `player` of the last play, or null",
    "order_out": "names, in the order of going out",
    "promise": "`player` and `worth`, or null",
    "players[].hand": "cards in the hand",
}
"""What the view holds besides the fields of every game, for docs/requests."""


def view(state: State) -> View:
    """Return the view; what its fields mean stands in `FIELDS`."""
    names, trick, promise = state.players, state.trick, state.promise
    common: CommonView = {
        "game": "ascend",
        "phase": state.phase,
        "players": [
            {"name": name, "points": shown(state.points[seat]), "hand": state.hands[seat]}
            for seat, name in enumerate(names)
        ],
        "waiting_for": [{"do": do, "player": player} for do, player in _waiting(state)],
        "result": _result(state),
    }
    return {
        **common,
        "hand_number": state.hand_number,
        "target": state.target,
        "dealer": names[state.dealer],
        "leader": names[state.leader],
        "trick": None
        if trick is None
        else {
            "kind": trick.last.kind,
            "count": trick.last.count,
            "rank": trick.last.rank_name,
            "player": names[trick.seat],
        },
        "order_out": [names[seat] for seat in state.order_out],
        "promise": None if promise is None else {"player": names[promise.seat], "worth": promise.worth},
    }


def _waiting(state: State) -> list[tuple[str, str | None]]:
    """List what can be accepted now; a promise only while one can be made."""
    if state.phase == "exchange":
        return [("exchanged", None)]
    if state.phase == GAME_OVER:
        return []
    player = state.players[state.turn]
    if state.trick is None:
        return [("play", player)]
    waiting: list[tuple[str, str | None]] = [("play", player), ("pass", player)]
    last = state.players[state.trick.seat]
    if no_promise(state, last) is None:
        waiting.append(("promise", last))
    return waiting


def _result(state: State) -> View | None:
    """AS-21: most points wins; None before the end."""
    if state.phase != GAME_OVER:
        return None
    result = ranked([(name, (state.points[seat],)) for seat, name in enumerate(state.players)])
    return {**result, "ranking": [{**row, "points": shown(row["points"])} for row in result["ranking"]]}
