"""Ochs & Esel before the first round: the sheet's own steps."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.common import deck_step
from companion.rules.contract import Step, Text
from companion.rules.ochs_und_esel.cards import DECK, PREFIX
from companion.rules.ochs_und_esel.state import State


def checklist(state: State) -> Sequence[Step]:
    """OE-2, OE-3, OE-20."""
    first = state.players[0]
    animals = (
        Text("step.animals_in_the_middle") if state.ox_variant else Text("step.donkey", {"player": first})
    )
    dealt = {"player": state.players[state.dealer], "deal": state.deal, "aside": state.put_aside}
    return (
        deck_step(PREFIX, DECK, "OE-1"),
        Step(animals, "OE-20" if state.ox_variant else "OE-3"),
        Step(Text("step.deal", dealt), "OE-2"),
        Step(Text("step.first", {"player": first}), "OE-3"),
    )
