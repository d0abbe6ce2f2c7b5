"""DTC before the first round: the sheet's own steps."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.common.counting import deck_step
from companion.rules.contract import Step, Text
from companion.rules.dtc.cards import DECK, PREFIX
from companion.rules.dtc.state import State


def checklist(state: State) -> Sequence[Step]:
    """DTC-1, DTC-2."""
    return (
        deck_step(PREFIX, DECK, "DTC-1"),
        Step(Text("step.summaries"), "DTC-1"),
        Step(Text("step.deal"), "DTC-1"),
        Step(Text("step.first", {"player": state.players[0]}), "DTC-2"),
    )
