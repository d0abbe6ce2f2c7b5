"""What happens in a game of Ascend; documented in `docs/events/ascend.md`. Points are whole
numbers, or strings such as `7/3`."""

from __future__ import annotations

import msgspec

from companion.rules.ascend.combinations import Kind
from companion.rules.contract import Event


class CardsExchanged(Event, frozen=True):
    """AS-2: the neighbours have exchanged cards; `leader` leads."""

    leader: str


class CombinationPlayed(Event, frozen=True):
    """AS-4: a combination was played, as a lead or on the last one."""

    player: str
    cards: tuple[str, ...]
    kind: Kind
    rank: str
    led: bool


class MountainPlayed(Event, frozen=True):
    """AS-30: the mountain was played in a game with bidding; this hand has no more promises."""

    player: str


class PlayerPassed(Event, frozen=True):
    """AS-4: a player passed, for now."""

    player: str


class PromiseMade(Event, frozen=True):
    """AS-30: a player promised to go out first."""

    player: str
    worth: int


class PlayerWentOut(Event, frozen=True):
    """AS-20: a player has no cards left, as number `place` of this hand."""

    player: str
    place: int


class TurnPassed(Event, frozen=True):
    """AS-4: `player` is to play or pass now."""

    player: str


class TrickEnded(Event, frozen=True):
    """AS-4: all others have passed; `player` played last, `leader` leads the next trick."""

    player: str
    leader: str


class Bid(msgspec.Struct, frozen=True):
    """AS-30: what became of a promise: its worth to the promiser, or `share` to each opponent."""

    player: str
    worth: int
    kept: bool
    share: int | str


class HandScored(Event, frozen=True):
    """AS-20, AS-30: `order` of going out, the last player included; `places` and `points` (with the
    promise) in that order."""

    hand_number: int
    order: tuple[str, ...]
    places: tuple[int, ...]
    points: tuple[int | str, ...]
    promise: Bid | None


class HandBegan(Event, frozen=True):
    """AS-3: the next hand was dealt; `leader` will lead it."""

    hand_number: int
    leader: str


class GameWon(Event, frozen=True):
    """AS-21: a player leads alone at or above the target."""

    player: str
    points: int | str
