"""What a round adds to the figures: points by donkey, favours' worth, right decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from companion.rules.contract import Text
from companion.rules.donkey_valley.events import DonkeyRefused, RoundResolved
from companion.rules.donkey_valley.state import Round, State
from companion.rules.figures import Tally


def tallies(before: State, event: Any, after: State) -> Sequence[Tally]:
    """Count a round when it is over, for every player."""
    if not isinstance(event, RoundResolved | DonkeyRefused):
        return ()
    return [one for seat, player in enumerate(after.players) for one in _of(after.now, seat, player.name)]


def _of(now: Round, seat: int, player: str) -> Iterator[Tally]:
    stake = now.stakes[seat]
    points = sum(card.value for card in stake.won)
    right = (
        None if now.overloaded is None else stake.decision != now.overloaded
    )  # DV-39: a refused donkey judges nobody
    yield Tally("donkeys", Text(f"donkey.{now.donkey}"), player, points, right)
    favour = "none" if stake.favour is None else stake.favour
    yield Tally(
        "favours", Text(f"figures.favour.{favour}"), player, points, right, usual=stake.favour is None
    )
    if right is not None:
        word = Text("card.accept" if stake.decision else "card.refuse")
        yield Tally("decisions", word, player, right=right)
