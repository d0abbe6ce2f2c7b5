"""What everybody at the table may know."""

from __future__ import annotations

from companion.rules.contract import GAME_OVER, View, ranked
from companion.rules.ochs_und_esel.cards import Animal
from companion.rules.ochs_und_esel.state import State


def view(state: State) -> View:
    """Return the view of Ochs & Esel.

    Our own are `donkey_free_in`, `ox_free_in`, `plays`, and how this hand is dealt: `dealer`, `deal` cards each, `put_aside`.

    `..._free_in` counts the tricks until the holder may lead the animal (0: in this one), and is null while nobody holds it.
    """
    names = state.players
    return {
        "game": "ochs_und_esel",
        "phase": state.phase,
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


def whereabouts(state: State, animal: Animal) -> str | None:
    """Return the name of the animal's holder, `middle`, or None."""
    at = state.beast(animal).at
    return state.players[at] if isinstance(at, int) else at


def countdown(state: State, animal: Animal) -> int | None:
    """OE-8, OE-20: the tricks that the holder still has to wait; None where nobody holds the animal in a running hand."""
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
