"""Define what simulated players do: gestures with real cards, and the request these amount to.

A game's folder provides its players (`player.Players`), or an entry point with the game's id in the
group `companion.players` names them: a class that is constructed with a `Setup`.

The base classes here hold what all games share: the real cards, rebuilt from the acts of the
session, and the players who hold them. A game's own module defines what each event does to its
cards (`moves`) and what its players do in turn (`turn`). A person at a seat may choose from the
game's menu, minus the cards not in that hand (`with_hand`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from companion.rules import registry
from companion.rules.acts import Act
from companion.rules.claims import seat_zone
from companion.rules.contract import Choice, Event, Pick, Request, Setup, Text, View


class Gesture(msgspec.Struct, frozen=True):
    """One movement of a hand at the table.

    `lay`: put `card` (a card id of the deck) into `zone`, face `up` or `down`; `turn`: turn that
    card over; `take`: remove it; `clear`: remove everything in `zone`; `press`: press the seat's
    button (`card` is `accept` or `refuse`).
    """

    kind: Literal["lay", "turn", "take", "clear", "press"]
    zone: str
    card: str = ""
    face: Literal["up", "down"] = "up"


class PlayerAction(msgspec.Struct, frozen=True):
    """The next action of one player (None: of the table): its gestures in order, and the request.

    `seen` True: the camera sees it, and the game derives the request from that. False: it is said
    aloud (an offer, a pass, no favour), so the demo enters `request` manually, as players would.
    `told`: a text for this player only.
    """

    player: str | None
    request: Request
    gestures: tuple[Gesture, ...] = ()
    seen: bool = False
    told: Text | None = None


def same(one: Request, other: Request) -> bool:
    """Check that two requests are the same for players: a seal added by the pads is ignored."""
    return _bare(one) == _bare(other)


def _bare(request: Request) -> Request:
    return msgspec.structs.replace(request, sealed=None) if hasattr(request, "sealed") else request


class SimulatedPlayers(Protocol):
    """All simulated players of one session. They know the real cards, which the referee does not.

    Everything is rebuilt from the session's acts each time, so undo and correction need no special
    care: the same seed and the same acts give the same next action. `chosen` holds the choices of
    people who have taken over a seat, by the number of the act: the card that they laid face down
    is in no event.
    """

    @property
    def chosen(self) -> dict[int, Request]:
        """The choices of people at seats, by the number of the act; written by the director."""

    def __init__(self, setup: Setup) -> None:
        """Deal the real cards, using the setup's own generator (`setup.rng("demo", ...)`)."""

    def next(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, None when the game is over. `acts`: the session's acts, oldest
        first."""

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand, for a person who takes over this seat."""

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat can do with the real cards there; `choices`: the
        game's own menu."""

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the action of a person who chose `wish`, one of `wishes`."""


MakePlayers: TypeAlias = Callable[[Setup], SimulatedPlayers]


def _found(game_id: str) -> MakePlayers | None:
    found: MakePlayers | None = registry.part(game_id, "player:Players")
    return found


def can_be_played(game_id: str, *, drawn: bool) -> bool:
    """Check that the demo can play a game: it has simulated players and, if `drawn` (for a camera),
    drawn cards."""
    return _found(game_id) is not None and (not drawn or registry.has_part(game_id, "drawing:face"))


def players_of(setup: Setup) -> SimulatedPlayers:
    """Create the simulated players of a session. Raises `LookupError` if the game has none."""
    make = _found(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)


def with_hand(choices: Sequence[Choice], hand: Sequence[str]) -> list[Choice]:
    """Filter choices by what `hand` (card names as in requests) can do; where cards are picked,
    offer those in the hand."""
    return list(_fitting(choices, Counter(hand)))


def _fitting(choices: Sequence[Choice], hand: Mapping[str, int]) -> Iterator[Choice]:
    for choice in choices:
        if choice.pick is not None:
            pick = _picked(choice.pick, hand)
            if sum(copies for _, copies in pick.cards) >= pick.least:
                yield msgspec.structs.replace(choice, pick=pick)
        # Counters, not sets: a request may name two copies of a card of which the hand has one.
        elif not Counter(named(choice.request)) - Counter(hand):
            yield choice


def named(request: Request) -> tuple[str, ...]:
    """Return the cards that a request contains, from its field `card` or `cards`."""
    card = getattr(request, "card", None)
    return tuple(getattr(request, "cards", None) or ()) if card is None else (str(card),)


def _picked(pick: Pick, hand: Mapping[str, int]) -> Pick:
    cards = tuple((name, copies) for name, copies in hand.items() if name in dict(pick.cards))
    likely = tuple(left for one in pick.likely for left in one.within(hand))
    return msgspec.structs.replace(pick, cards=cards, most=min(pick.most, sum(hand.values())), likely=likely)


class TableCards:
    """The real cards of a game, after the acts so far."""

    moves: ClassVar[Mapping[type[Event], Callable[[Any, Any], None]]]
    """How each kind of event moves the cards; other events move none."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.players = setup.players
        self.wish: Request | None = None
        """The choice of a person at a seat in the act being followed, if any."""

    def follow(self, event: Event, wish: Request | None = None) -> None:
        """Move the real cards for `event`; `wish`: the choice of the person at that seat, if
        any."""
        self.wish = wish
        move = self.moves.get(type(event))
        if move is not None:
            move(self, event)

    def seat(self, player: str) -> int:
        """Return the player's seat, 0 to n-1 clockwise."""
        return self.players.index(player)

    def zone(self, player: str) -> str:
        """Return the zone in front of the player."""
        return seat_zone(self.seat(player) + 1)


class Hands(TableCards):
    """The cards of a game with dealt hands: one hand per seat, names without the deck's prefix."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.hands: list[list[str]] = []

    def hand(self, player: str) -> list[str]:
        """Return the cards in the player's hand."""
        return self.hands[self.seat(player)]

    def leave(self, player: str, cards: Iterable[str], kept: Container[str] = ()) -> None:
        """Remove cards from a hand; a card that a person named but did not hold is replaced by
        another one, none of `kept`."""
        hand = self.hand(player)
        for card in cards:
            hand.remove(card if card in hand else next(one for one in hand if one not in kept))


C = TypeVar("C", bound=TableCards)
H = TypeVar("H", bound=Hands)


class CardPlayers(ABC, Generic[C]):
    """All players of one game. See `companion.demo.actions.SimulatedPlayers`."""

    cards: type[C]
    """The class of the game's real cards."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.chosen: dict[int, Request] = {}

    def next(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, or None when the game is over."""
        return self.turn(self.table(acts), acts, view) if view["waiting_for"] else None

    @abstractmethod
    def turn(self, table: C, acts: Sequence[Act], view: View) -> PlayerAction:
        """Return the action to perform now; at least one player is awaited."""

    def table(self, acts: Sequence[Act]) -> C:
        """Return the real cards after these acts."""
        # Built from scratch each time: after an undo or a correction nothing has to be reverted.
        table = self.cards(self.setup)
        for number in range(self.dealt(acts), len(acts)):
            for event in acts[number].events:
                table.follow(event, self.chosen.get(number))
        return table

    def dealt(self, acts: Sequence[Act]) -> int:
        """Return the number of the act from which cards are followed: the last deal in a game that
        deals several times."""
        return 0


class HandPlayers(CardPlayers[H]):
    """All players of one game in which each holds a hand. See
    `companion.demo.actions.SimulatedPlayers`."""

    prefix: ClassVar[str]
    """Prefix of the deck's card ids."""

    def in_order(self, hand: Sequence[str]) -> Iterable[str]:
        """Sort a hand as players hold it: by name unless a game overrides this."""
        return sorted(hand)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return tuple(f"{self.prefix}{card}" for card in self.in_order(self.table(acts).hand(player)))

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Filter the menu by what this hand can do."""
        return with_hand(choices, [card.removeprefix(self.prefix) for card in self.hand(acts, player)])

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the action for a person's choice: without gestures unless a game overrides
        this."""
        return PlayerAction(getattr(wish, "player", None), wish)
