"""What simulated players do: gestures with real cards, and the request these amount to; and whose
players they are: a folder of a game has them (`player.Players`), or the entry point of its id in
the group `companion.players` names them, a class that is made with a `Setup`.

What those of every game share stands here: real cards, rebuilt from the acts that stand, and
players who hold them. A game's own module says what each event does to its cards (`moves`), and
what its players do in turn (`turn`). What a person may do at a seat is the game's menu, less the
cards not in hand (`with_hand`).
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


def can_be_played(game_id: str, *, drawn: bool) -> bool:
    """Tell whether the demo table can play a game: whether simulated players can be loaded, and
    where its cards are drawn for a camera, `drawn`, what draws them."""
    return _found(game_id) is not None and (not drawn or registry.has_part(game_id, "drawing:face"))


def players_of(setup: Setup) -> SimulatedPlayers:
    """Make the simulated players of a session; raises `LookupError` for a game that has none."""
    make = _found(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)


def with_hand(choices: Sequence[Choice], hand: Sequence[str]) -> list[Choice]:
    """Leave out what `hand` (names as on the wire) cannot do; where cards are picked, offer those
    of the hand."""
    return list(_fitting(choices, Counter(hand)))


def _fitting(choices: Sequence[Choice], hand: Mapping[str, int]) -> Iterator[Choice]:
    for choice in choices:
        if choice.pick is not None:
            pick = _picked(choice.pick, hand)
            if sum(copies for _, copies in pick.cards) >= pick.least:
                yield msgspec.structs.replace(choice, pick=pick)
        elif not Counter(named(choice.request)) - Counter(hand):
            yield choice


def named(request: Request) -> tuple[str, ...]:
    """Return the cards that a request names: its field `card` or `cards`."""
    card = getattr(request, "card", None)
    return tuple(getattr(request, "cards", None) or ()) if card is None else (str(card),)


def _picked(pick: Pick, hand: Mapping[str, int]) -> Pick:
    cards = tuple((name, copies) for name, copies in hand.items() if name in dict(pick.cards))
    likely = tuple(left for one in pick.likely for left in one.within(hand))
    return msgspec.structs.replace(pick, cards=cards, most=min(pick.most, sum(hand.values())), likely=likely)


class TableCards:
    """The real cards after the acts so far."""

    moves: ClassVar[Mapping[type[Event], Callable[[Any, Any], None]]]
    """What each kind of event does to the cards; other events move none."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.players = setup.players
        self.wish: Request | None = None
        """What a person at a seat chose in the act that is being followed, if one did."""

    def follow(self, event: Event, wish: Request | None = None) -> None:
        """Move the real cards as `event` says; `wish`: what the person at that seat chose, if one
        did."""
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
    """Cards that are dealt: a hand at each seat, in names without the deck's prefix."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.hands: list[list[str]] = []

    def hand(self, player: str) -> list[str]:
        """Return the cards that the player holds."""
        return self.hands[self.seat(player)]

    def leave(self, player: str, cards: Iterable[str], kept: Container[str] = ()) -> None:
        """Take cards out of a hand; for one that a person named but was not dealt here another
        goes, none of `kept`."""
        hand = self.hand(player)
        for card in cards:
            hand.remove(card if card in hand else next(one for one in hand if one not in kept))


C = TypeVar("C", bound=TableCards)
H = TypeVar("H", bound=Hands)


class CardPlayers(ABC, Generic[C]):
    """All players of one game. See `companion.demo.actions.SimulatedPlayers`."""

    cards: type[C]
    """The game's real cards."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.chosen: dict[int, Request] = {}

    def next(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, or None when the game is over."""
        return self.turn(self.table(acts), acts, view) if view["waiting_for"] else None

    @abstractmethod
    def turn(self, table: C, acts: Sequence[Act], view: View) -> PlayerAction:
        """Return what is done now; somebody is waited for."""

    def table(self, acts: Sequence[Act]) -> C:
        """Return the real cards after these acts."""
        table = self.cards(self.setup)
        for number in range(self.dealt(acts), len(acts)):
            for event in acts[number].events:
                table.follow(event, self.chosen.get(number))
        return table

    def dealt(self, acts: Sequence[Act]) -> int:
        """Return the number of the act from which the cards have to be followed: a game that deals
        anew begins with its last deal."""
        return 0


class HandPlayers(CardPlayers[H]):
    """All players of one game in which each holds a hand. See
    `companion.demo.actions.SimulatedPlayers`."""

    prefix: ClassVar[str]
    """What the deck's card ids begin with."""

    def in_order(self, hand: Sequence[str]) -> Iterable[str]:
        """Put a hand in the order in which it is held: by name unless a game knows better."""
        return sorted(hand)

    def hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return tuple(f"{self.prefix}{card}" for card in self.in_order(self.table(acts).hand(player)))

    def wishes(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Offer the menu, less what this hand cannot do."""
        return with_hand(choices, [card.removeprefix(self.prefix) for card in self.hand(acts, player)])

    def action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return what the hand does for a person's wish: nothing, unless a game says more."""
        return PlayerAction(getattr(wish, "player", None), wish)
