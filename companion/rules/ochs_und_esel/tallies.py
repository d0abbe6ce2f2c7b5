"""What a trick and a hand add to the figures: tricks won, animals taken, penalties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.rules.contract import Text
from companion.rules.figures import Tally
from companion.rules.ochs_und_esel.events import AnimalTaken, HandScored, TrickEnded
from companion.rules.ochs_und_esel.state import State


def tallies(before: State, event: Any, after: State) -> Sequence[Tally]:
    """Count a trick for its winner, an animal for whoever takes it, a hand for everybody."""
    match event:
        case TrickEnded():
            return (Tally("tricks", Text(f"figures.trick.{event.trick_kind}"), event.winner),)
        case AnimalTaken():
            return (Tally("animals", Text(f"card.{event.animal}"), event.player),)
        case HandScored(penalties=penalties):
            rows = zip(after.players, penalties, strict=True)
            return [Tally("hands", Text("figures.hand"), name, points) for name, points in rows]
        case _:
            return ()
