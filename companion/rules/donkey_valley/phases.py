"""Who has a part in each phase, and in which order (DV-12 to DV-20).

The phases give each favour its moment, and within a moment the turns go clockwise from the first
player (DV-23).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from companion.rules.donkey_valley.state import State, Turn

Todo: TypeAlias = "tuple[tuple[Turn, ...], ...]"

PHASES = ("loads", "favours", "peeks", "decisions", "adjustments", "reveal", "claims")
"""The phases of a round, in order."""


def todo(state: State, phase: str) -> Todo:
    """Return who has a part in `phase` of the round, were it to begin now: groups that act one
    after the other; () when nobody has."""
    return _TODO[phase](state)


def turns(state: State) -> tuple[Turn, ...]:
    """Return the turns that may be taken now, in any order."""
    return state.todo[0] if state.todo else ()


def without(groups: Todo, seat: int) -> Todo:
    """Return the groups after the seat, one of the first group, has done its part."""
    rest = tuple(turn for turn in groups[0] if turn.seat != seat)
    return (rest, *groups[1:]) if rest else groups[1:]


def _one_by_one(entries: Iterable[Turn]) -> Todo:
    return tuple((turn,) for turn in entries)


def _together(entries: Iterable[Turn]) -> Todo:
    group = tuple(entries)
    return (group,) if group else ()


def _loads(state: State) -> Todo:
    """All at once (DV-11), on a difficult donkey clockwise (DV-40)."""
    entries = [Turn("load", seat) for seat in state.clockwise()]
    return _one_by_one(entries) if state.now.donkey == "difficult" else _together(entries)


def _favours(state: State) -> Todo:
    """Clockwise, those who have one left (DV-12, DV-13); nobody on a hurried donkey (DV-34)."""
    if state.now.donkey == "hurried":
        return ()
    return _one_by_one(
        Turn("favour", seat) for seat in state.clockwise() if state.players[seat].may_ask_favour
    )


def _peeks(state: State) -> Todo:
    """Those who may look, in any order, until the table says that all have looked (DV-14)."""
    entries = [Turn("peek", seat) for seat in state.clockwise() if state.peeks_left(seat) > 0]
    return _together([*entries, Turn("peeks_done", None)]) if entries else ()


def _decisions(state: State) -> Todo:
    """Clockwise, or in any order; the players of favour 2 after all others, clockwise (DV-15)."""
    entries = [Turn("decide", seat) for seat in state.clockwise()]
    stakes = state.now.stakes
    late = [turn for turn in entries if turn.seat is not None and stakes[turn.seat].favour == 2]
    early = [turn for turn in entries if turn not in late]
    if state.setup.options["decision_order"] == "free":
        return _together(early) + _one_by_one(late)
    return _one_by_one(early + late)


def _adjustments(state: State) -> Todo:
    """The players of favours 4 and 6, clockwise (DV-16)."""
    does = {4: "swap_load", 6: "adjust"}
    favours = [(seat, state.now.stakes[seat].favour) for seat in state.clockwise()]
    return _one_by_one(Turn(does[favour], seat) for seat, favour in favours if favour in does)


def _reveal(state: State) -> Todo:
    """Everybody with a face-down load (DV-17)."""
    return _together(Turn("reveal", seat) for seat in state.clockwise() if state.now.stakes[seat].down)


def _claims(state: State) -> Todo:
    """Those of favour 8 who were right (DV-20), then those who draw at the table (DV-19)."""
    now = state.now
    do = "choose" if now.overloaded else "exchange"
    favoured = [
        Turn(do, seat)
        for seat in state.clockwise()
        if now.stakes[seat].favour == 8 and now.right(seat) and not now.stakes[seat].claimed
    ]
    if favoured or state.setup.options["draws"] == "app":
        return _one_by_one(favoured)
    return _one_by_one(Turn("draw", seat) for seat in state.draws_due())


_TODO: dict[str, Callable[[State], Todo]] = {
    "loads": _loads,
    "favours": _favours,
    "peeks": _peeks,
    "decisions": _decisions,
    "adjustments": _adjustments,
    "reveal": _reveal,
    "claims": _claims,
}
