"""What a hand adds to the figures: places, and promises kept or broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.rules.ascend.events import HandScored
from companion.rules.ascend.state import State
from companion.rules.contract import Text
from companion.rules.figures import Tally


def tallies(before: State, event: Any, after: State) -> Sequence[Tally]:
    """Count a hand when it is scored: everybody's place with its points, and the promise."""
    if not isinstance(event, HandScored):
        return ()
    rows = zip(event.order, event.points, strict=True)
    found = [
        Tally("places", Text("figures.place", {"place": place}), player, points)
        for place, (player, points) in enumerate(rows, 1)
    ]
    if (bid := event.promise) is not None:
        word = Text("figures.promise.kept" if bid.kept else "figures.promise.broken")
        found.append(Tally("promises", word, bid.player, bid.worth if bid.kept else 0, bid.kept))
    return found
