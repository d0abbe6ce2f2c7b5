"""What happened: the facts that the journal keeps and from which the state follows.

Documented for users in docs/events/donkey_valley.md.
"""

from __future__ import annotations

import msgspec

from companion.rules.commitments import Opening
from companion.rules.contract import Event
from companion.rules.donkey_valley.cards import Card


class Draft(msgspec.Struct, frozen=True):
    """One load drawn: who took which card."""

    player: str
    card: Card


class Haul(msgspec.Struct, frozen=True):
    """What one player won in a round."""

    player: str
    cards: tuple[Card, ...]


class DonkeyRevealed(Event, frozen=True):
    """A donkey was turned up. `void`: a double with none left in the pile: a normal one (DV-38)."""

    donkey: str
    round: int
    capacity: int | None
    spread_limit: int | None
    void: bool = False


class DonkeyRemoved(Event, frozen=True):
    """The last donkey of the pile left the game unseen, because of a double (DV-38)."""


class PhaseBegan(Event, frozen=True):
    """A phase of the round began, because somebody has a part in it."""

    phase: str


class LoadPlayed(Event, frozen=True, omit_defaults=True):
    """A player laid loads: `values` of those that lie face up; `sealed` stands for those that a
    reader read face down."""

    player: str
    count: int
    values: tuple[int, ...] = ()
    sealed: tuple[str, ...] | None = None


class DonkeySetAside(Event, frozen=True):
    """A lost donkey went aside with its loads under it (DV-37)."""

    round: int


class DonkeyReturned(Event, frozen=True):
    """A lost donkey that was set aside goes on with its loads (DV-37)."""

    round: int


class FavourUsed(Event, frozen=True):
    """A player spent a load for a favour (DV-12)."""

    player: str
    card: int


class FavourDeclined(Event, frozen=True):
    """A player wanted no favour."""

    player: str


class LoadsLookedAt(Event, frozen=True):
    """A player looked at a load of each of these players (DV-14)."""

    player: str
    at: tuple[str, ...]


class PeeksEnded(Event, frozen=True):
    """Nobody looks at any further load."""


class ContractDecided(Event, frozen=True):
    """A player accepted or refused (DV-15)."""

    player: str
    accept: bool


class LimitAdjusted(Event, frozen=True):
    """Favour 6: the capacity or the precision donkey's limit as it is now (DV-16, DV-33)."""

    player: str
    delta: int
    capacity: int | None
    spread_limit: int | None


class LoadSwapped(Event, frozen=True, omit_defaults=True):
    """Favour 4: a load was exchanged for one from the hand (DV-16); `value` where it lies face up,
    `sealed` where a reader read it."""

    player: str
    value: int | None = None
    sealed: str | None = None


class SwapDeclined(Event, frozen=True):
    """Favour 4: the player kept their load."""

    player: str


class DonkeyRefused(Event, frozen=True):
    """The stubborn donkey was refused by more than half: all loads left the game unseen (DV-39)."""

    refused: int


class LoadsRevealed(Event, frozen=True):
    """A player's face-down loads were turned up. `overruled`: the reader had seen others, the table
    said it is right (DV-51).

    `opened`: what opens the seals of those that a reader had read.
    """

    player: str
    values: tuple[int, ...]
    overruled: bool = False
    opened: tuple[Opening, ...] | msgspec.UnsetType = msgspec.UNSET


class LoadsWeighed(Event, frozen=True):
    """All loads lie open: what the donkey removed, what the rest weighs, and whether that is too
    much (DV-17, DV-33)."""

    removed: tuple[Card, ...]
    total: int
    spread: int
    overloaded: bool


class LoadsExchanged(Event, frozen=True):
    """Favour 8: two players exchanged a load (DV-20)."""

    player: str
    partner: str
    given: Card
    taken: Card


class LoadChosen(Event, frozen=True):
    """Favour 8: a player chose a load before anybody drew (DV-20)."""

    player: str
    card: Card


class ClaimDeclined(Event, frozen=True):
    """Favour 8: a player exchanged or chose nothing."""

    player: str


class LoadsDrawn(Event, frozen=True):
    """Loads were drawn, in this order (DV-19)."""

    draws: tuple[Draft, ...]


class RoundResolved(Event, frozen=True):
    """The round is over: who won which loads (DV-18, DV-19). Who won nothing is not listed."""

    round: int
    won: tuple[Haul, ...]


class FirstPlayerMoved(Event, frozen=True):
    """The first-player card went to the next player clockwise (DV-21)."""

    player: str


class GameEnded(Event, frozen=True):
    """The last donkey was played (DV-22)."""

    winners: tuple[str, ...]


EVENTS = (
    DonkeyRevealed,
    DonkeyRemoved,
    PhaseBegan,
    LoadPlayed,
    DonkeySetAside,
    DonkeyReturned,
    FavourUsed,
    FavourDeclined,
    LoadsLookedAt,
    PeeksEnded,
    ContractDecided,
    LimitAdjusted,
    LoadSwapped,
    SwapDeclined,
    DonkeyRefused,
    LoadsRevealed,
    LoadsWeighed,
    LoadsExchanged,
    LoadChosen,
    ClaimDeclined,
    LoadsDrawn,
    RoundResolved,
    FirstPlayerMoved,
    GameEnded,
)
