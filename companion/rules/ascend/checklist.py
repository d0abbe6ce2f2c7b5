"""Ascend before the first round: the sheet's own steps."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.ascend.cards import DECKS, PREFIX
from companion.rules.ascend.state import State
from companion.rules.ascend.words import deal_word
from companion.rules.common import deck_step
from companion.rules.contract import Step, Text


def checklist(state: State) -> Sequence[Step]:
    """AS-1 to AS-3."""
    return (
        deck_step(PREFIX, DECKS[state.deck], "AS-1"),
        Step(Text("step.deck", {"cards": len(DECKS[state.deck])}), "AS-1"),
        Step(Text("step.deal", {"player": state.players[state.dealer], "deal": deal_word(state)}), "AS-1"),
        Step(Text("step.exchange"), "AS-2"),
        Step(Text("step.first", {"player": state.players[state.leader]}), "AS-3"),
    )
