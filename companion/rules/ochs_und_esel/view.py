"""What everybody at the table may know."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules.contract import GAME_OVER, CommonView, View, ranked
from companion.rules.ochs_und_esel.cards import Animal
from companion.rules.ochs_und_esel.state import State

FIELDS: Mapping[str, str] = {
    "hand_number": "from 1",
    "hands": "how many are played",
    "trick": "its number in the hand; 0 with `hands_only`, where tricks are not heard of",
    "trick_kind": "`normal`, `donkey`, `ox` or null",
    "leader": "who leads or led this trick",
    "to_beat": "`count` and `value` of the last play, or null; null in animal tricks",
    "plays": "`player` and `cards` of each act of this trick; no cards: a pass",
    "donkey": "its holder's name, `middle`, or null",
    "donkey_free_in": "tricks until its holder may lead it, 0: in this one; null while nobody holds it",
    "ox": "as `donkey`",
    "ox_free_in": "as `donkey_free_in`",
    "dealer": "who deals this hand: the right neighbour of its first player",
    "deal": "cards dealt to each",
    "put_aside": "cards of the 108 that are not dealt",
    "players[].hand": "cards in the hand, animals included; with `hands_only` as dealt, then as told",
    "players[].pile": "cards in front from an ox trick",
}
"""What the view holds besides the fields of every game, for docs/requests."""


def view(state: State) -> View:
    """Return the view; what its fields mean stands in `FIELDS`."""
    names = state.players
    common: CommonView = {
        "game": "ochs_und_esel",
        "phase": state.phase,
        "players": [
            {
                "name": name,
                "points": state.points[seat],
                "hand": state.hand(seat),
                "pile": len(state.piles[seat]),
            }
            for seat, name in enumerate(names)
        ],
        "waiting_for": [{"do": do, "player": player} for do, player in waiting(state)],
        "result": result(state),
    }
    return {
        **common,
        "hand_number": state.hand_number,
        "hands": state.rounds,
        "trick": state.trick,
        "trick_kind": state.kind,
        "leader": names[state.leader],
        "dealer": names[state.dealer],
        "deal": state.deal,
        "put_aside": state.put_aside,
        "to_beat": None if state.to_beat is None else {"count": state.to_beat[0], "value": state.to_beat[1]},
        "plays": [{"player": names[play.seat], "cards": play.cards} for play in state.plays],
        "donkey": whereabouts(state, "donkey"),
        "donkey_free_in": countdown(state, "donkey"),
        "ox": whereabouts(state, "ox"),
        "ox_free_in": countdown(state, "ox"),
    }


def whereabouts(state: State, animal: Animal) -> str | None:
    """Return the name of the animal's holder, `middle`, or None."""
    at = state.beast(animal).at
    return state.players[at] if isinstance(at, int) else at


def countdown(state: State, animal: Animal) -> int | None:
    """OE-8, OE-20: the tricks that the holder still has to wait; None where nobody holds the animal
    in a running hand."""
    held = isinstance(state.beast(animal).at, int) and state.phase in ("lead", "follow")
    return state.tricks_to_wait(animal) if held else None


def waiting(state: State) -> list[tuple[str, str | None]]:
    """List what can be accepted now, and from whom."""
    name = state.players[state.turn]
    match state.phase:
        case "lead":
            return [("pass" if state.cannot_lead() else "play", name)]
        case "follow" if state.only_animals(state.turn):
            return [("pass", name)]
        case "follow":
            return [("play", name), ("pass", name)] if state.kind == "normal" else [("play", name)]
        case "hands" if state.pile_awaited():
            return [("pile", name) for name in state.players]
        case "hands":
            return [("hand", state.players[seat]) for seat in state.asked()]
        case _:
            return []


def result(state: State) -> View | None:
    """OE-9: fewest points wins, a tie is shared; None before the end."""
    if state.phase != GAME_OVER:
        return None
    rows = [(name, (points,)) for name, points in zip(state.players, state.points, strict=True)]
    return ranked(rows, lowest=True)
