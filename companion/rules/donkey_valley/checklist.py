"""Donkey Valley before the first round: the sheet's own steps."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.contract import Step, Text
from companion.rules.donkey_valley.cards import DONKEY_CARDS, ROUNDS, VALUES
from companion.rules.donkey_valley.state import State


def checklist(state: State) -> Sequence[Step]:
    """DV-1 to DV-3, DV-21: nothing missing, colours, the pile, the first-player card. Contracts and
    that card can be seen to lie there."""
    seats = range(1, len(state.players) + 1)
    pile = {"pile": ROUNDS, "all": DONKEY_CARDS, "box": DONKEY_CARDS - ROUNDS}
    loads = len(VALUES) * len(state.players)
    return (
        Step(Text("step.loads", {"loads": loads}), "DV-1", count=(("load:", loads),)),
        Step(Text("step.donkeys", {"donkeys": DONKEY_CARDS}), "DV-2", count=(("donkey:", DONKEY_CARDS),)),
        Step(Text("step.colours"), "DV-1", tuple(("contract:", seat) for seat in seats)),
        Step(Text("step.pile", pile), "DV-3"),
        Step(Text("step.first", {"player": state.players[0].name}), "DV-21", (("first_player", None),)),
    )
