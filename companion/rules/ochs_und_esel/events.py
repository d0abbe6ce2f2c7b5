"""What happens in Ochs & Esel; `docs/events/ochs_und_esel.md` lists it for programs."""

from __future__ import annotations

from companion.rules.contract import Event
from companion.rules.ochs_und_esel.cards import Animal, Kind


class CardsPlayed(Event, frozen=True):
    """OE-4, OE-7: cards were played. `trick_kind` is that of the trick they lead or follow in."""

    player: str
    cards: tuple[str, ...]
    trick_kind: Kind


class PlayerPassed(Event, frozen=True):
    """OE-4, OE-11: the player played nothing. `leader`: who leads the trick instead, if the player
    should have led it."""

    player: str
    leader: str | None


class TrickEnded(Event, frozen=True):
    """OE-6, OE-7, OE-21: all have acted; `cards` are out.

    After a donkey trick they are in the winner's hand instead, after an ox trick in front of the
    winner.
    """

    trick: int
    trick_kind: Kind
    winner: str
    cards: tuple[str, ...]


class AnimalTaken(Event, frozen=True):
    """OE-7, OE-8, OE-20: the player took the animal into the hand, and may lead it in trick
    `free_from` at the earliest."""

    player: str
    animal: Animal
    free_from: int


class HandEnded(Event, frozen=True):
    """OE-9: somebody has no card left; the hands of `players` are laid out and counted. `leader`
    leads the next hand, if there is one."""

    hand_number: int
    players: tuple[str, ...]
    leader: str


class HandCounted(Event, frozen=True):
    """OE-9: the cards that the player had left."""

    player: str
    cards: tuple[str, ...]


class PileCounted(Event, frozen=True):
    """OE-12, OE-21: the ox trick's cards in front of the player, told at the end of a hand of which
    nothing else is known."""

    player: str
    cards: tuple[str, ...]


class HandScored(Event, frozen=True):
    """OE-9, OE-21, OE-22: the hand's penalties, by seat, are added to the points."""

    hand_number: int
    penalties: tuple[int, ...]


class HandBegan(Event, frozen=True):
    """OE-2, OE-10, OE-22: cards were dealt anew, and who leads."""

    hand_number: int
    leader: str


class GameEnded(Event, frozen=True):
    """OE-9: the last hand is counted."""

    points: tuple[int, ...]
