"""Partners before the first round: the sheet's own steps."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules.common import deck_step
from companion.rules.contract import Step, Text
from companion.rules.options import chosen
from companion.rules.partners.cards import PREFIX
from companion.rules.partners.state import State


def checklist(state: State) -> Sequence[Step]:
    """PA-1, PA-2, PA-5: partners sit opposite, yellow and blue against red and green."""
    one, two, three, four = state.players
    return (
        deck_step(PREFIX, state.deck, "PA-4"),
        Step(Text("step.board", {"ruling": chosen("copies", state.deck)}), "PA-1"),
        Step(Text("step.teams", {"one": one, "two": two, "three": three, "four": four}), "PA-1"),
        Step(Text("step.pawns"), "PA-2"),
        Step(Text("step.deal", {"player": state.players[state.dealer]}), "PA-5"),
    )
