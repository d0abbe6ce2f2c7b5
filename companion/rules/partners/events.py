"""What happens in a game of Partners; documented in `docs/events/partners.md`. Places are named as
on the wire (PA-3)."""

from __future__ import annotations

from typing import Literal

from companion.rules.contract import Event


class CardsExchanged(Event, frozen=True):
    """PA-5: partners have exchanged cards; `player` plays first."""

    player: str


class CardPlayed(Event, frozen=True):
    """PA-7: a card was played."""

    player: str
    card: str


class PawnMoved(Event, frozen=True):
    """PA-10 to PA-15: a pawn went from one place to another, perhaps the same."""

    owner: str
    pawn: int
    source: str
    to: str


class PawnSentHome(Event, frozen=True):
    """PA-12: a pawn went back to its base: `captured` by a pawn of `by` that landed on it, or
    because it landed on a `stack` of `by`."""

    owner: str
    pawn: int
    source: str
    reason: Literal["captured", "stack"]
    by: str


class PawnsSwapped(Event, frozen=True):
    """PA-16: two pawns exchanged places; `to`: where the first is now, `other_to` the second."""

    owner: str
    pawn: int
    to: str
    other_owner: str
    other_pawn: int
    other_to: str


class PawnLocked(Event, frozen=True):
    """PA-13: a pawn can never move again."""

    owner: str
    pawn: int
    place: str


class PlayerFolded(Event, frozen=True):
    """PA-6: a player discarded the whole hand, `count` cards; `cards` if shown, else null."""

    player: str
    count: int
    cards: tuple[str, ...] | None


class TurnPassed(Event, frozen=True):
    """PA-5: `player` is to play now."""

    player: str


class CardsDealt(Event, frozen=True):
    """PA-5: the next four cards each were dealt, after shuffling when `shuffled`."""

    dealer: str
    deal: int
    shuffled: bool


class GameWon(Event, frozen=True):
    """PA-18: all eight pawns of a team are locked."""

    winners: tuple[str, str]
