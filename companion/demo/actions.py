"""What simulated players do: gestures with real cards, and the request these amount to; and whose
players they are: a folder of a game has them (`player.Players`), or the entry point of its id in
the group `companion.players` names them, a class that is made with a `Setup`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec

from companion.rules import registry
from companion.rules.acts import Act
from companion.rules.contract import Choice, Request, Setup, Text, View


class Gesture(msgspec.Struct, frozen=True):
    """One movement of a hand at the table.

    `lay`: put `card` (a card id of the deck) into `zone`, face `up` or `down`; `turn`: turn over
    the card that lies there; `take`: take it away; `clear`: take away everything in `zone`;
    `press`:
    press the seat's button (`card` is `accept` or `refuse`).
    """

    kind: Literal["lay", "turn", "take", "clear", "press"]
    zone: str
    card: str = ""
    face: Literal["up", "down"] = "up"


class PlayerAction(msgspec.Struct, frozen=True):
    """What one player (None: the table) does next: the gestures in order and the request.

    `seen` True: the camera sees it and the game turns it into the request by itself. False: it is
    said aloud (an offer, a pass, no favour), so the demo enters `request` by hand, as the table
    would. `told`: what only the player sees by it.
    """

    player: str | None
    request: Request
    gestures: tuple[Gesture, ...] = ()
    seen: bool = False
    told: Text | None = None


def same(one: Request, other: Request) -> bool:
    """Tell whether two requests are the same to those at the table: the seals that the pads add are
    in only one of them."""
    return _bare(one) == _bare(other)


def _bare(request: Request) -> Request:
    return msgspec.structs.replace(request, sealed=None) if hasattr(request, "sealed") else request


class SimulatedPlayers(Protocol):
    """All simulated players of one session. They know the real cards, which the referee does not.

    Everything is rebuilt from the acts that stand each time, so undo and correction need no care:
    the same seed and the same acts give the same next action. `chosen` remembers what people at
    seats that they have taken over wished, by the number of the act: which card they laid face down
    is in no event.
    """

    @property
    def chosen(self) -> dict[int, Request]:
        """What people wished, by the number of the act; the director writes it."""

    def __init__(self, setup: Setup) -> None:
        """Deal the real cards, from the setup's own generator (`setup.rng("demo", ...)`)."""

    def next(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, None when the game is over. `acts` stand, oldest first."""

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand, for a person who takes over this seat."""

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat may do with the real cards there; `choices`: the
        game's own menu."""

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return what a hand does when a person chooses `wish`, one of `wishes`."""


MakePlayers: TypeAlias = Callable[[Setup], SimulatedPlayers]


def _found(game_id: str) -> MakePlayers | None:
    found: MakePlayers | None = registry.part(game_id, "player:Players")
    return found


def has_players(game_id: str) -> bool:
    """Tell whether a game has simulated players that can be loaded."""
    return _found(game_id) is not None


def players_of(setup: Setup) -> SimulatedPlayers:
    """Make the simulated players of a session; raises `LookupError` for a game that has none."""
    make = _found(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)
