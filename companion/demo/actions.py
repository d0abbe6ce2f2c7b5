"""Define what simulated players do: gestures with real cards, and the request these amount to.

A game's folder provides its players (`player.Players`), or an entry point with the game's id in the
group `companion.players` names them: a class that is constructed with a `Setup`.

The base classes here hold what all games share: the real cards, rebuilt from the acts of the
session, and the players who hold them. A game's own module defines what each event does to its
cards (`moves`) and what its players do in turn (`choose_action`). A person at a seat may choose
from the game's menu, minus the cards not in that hand (`limit_choices_to_hand`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from companion.rules import registry
from companion.rules.acts import Act
from companion.rules.claims import format_seat_zone
from companion.rules.contract import Choice, Event, Pick, Request, Setup, Text, View


class Gesture(msgspec.Struct, frozen=True):
    """One movement of a hand at the table.

    `lay`: put `card` (a card id of the deck) into `zone`, face `up` or `down`;
    `turn`: turn that card over; `take`: remove it; `clear`: remove everything in
    `zone`; `press`: press the seat's button (`card` is `accept` or `refuse`).
    """

    kind: Literal["lay", "turn", "take", "clear", "press"]
    zone: str
    card: str = ""
    face: Literal["up", "down"] = "up"


class PlayerAction(msgspec.Struct, frozen=True):
    """The next action of one player (None: of the table): its gestures in order, and the request.

    `seen_by_readers` True: the camera sees it, and the game derives the request from that. False:
    it is said aloud (an offer, a pass, no favour), so the demo enters `request` manually, as
    players would. `private_notice`: a text for this player only.
    """

    player: str | None
    request: Request
    gestures: tuple[Gesture, ...] = ()
    seen_by_readers: bool = False
    private_notice: Text | None = None


def requests_match(one: Request, other: Request) -> bool:
    """Check that two requests are the same for players: a seal added by the pads is ignored."""
    return _without_seals(one) == _without_seals(other)


def _without_seals(request: Request) -> Request:
    return msgspec.structs.replace(request, sealed=None) if hasattr(request, "sealed") else request


class SimulatedPlayers(Protocol):
    """All simulated players of one session. They know the real cards, which the referee does not.

    Everything is rebuilt from the session's acts each time, so undo and correction need no special
    care: the same seed and the same acts give the same next action. `human_requests` holds the
    choices of people who have taken over a seat, by the number of the act: the card that they laid
    face down is in no event.
    """

    @property
    def human_requests(self) -> dict[int, Request]:
        """The choices of people at seats, by the number of the act; written by the director."""

    def __init__(self, setup: Setup) -> None:
        """Deal the real cards, using the setup's own generator (`setup.rng("demo", ...)`)."""

    def next_action(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, None when the game is over. `acts`: the session's acts, oldest
        first."""

    def list_hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand, for a person who takes over this seat."""

    def list_playable_choices(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat can do with the real cards there; `choices`: the
        game's own menu."""

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the action of a person who chose `wish`, one of `list_playable_choices`."""


MakePlayers: TypeAlias = Callable[[Setup], SimulatedPlayers]


def _find_players_class(game_id: str) -> MakePlayers | None:
    found: MakePlayers | None = registry.load_part(game_id, "player:Players")
    return found


def has_simulated_players(game_id: str, *, needs_drawings: bool) -> bool:
    """Check that the demo can play a game: it has simulated players and, if `needs_drawings` (for a
    camera), drawn cards."""
    return _find_players_class(game_id) is not None and (
        not needs_drawings or registry.has_part(game_id, "drawing:draw_card_face")
    )


def make_players(setup: Setup) -> SimulatedPlayers:
    """Create the simulated players of a session. Raises `LookupError` if the game has none."""
    make = _find_players_class(setup.game)
    if make is None:
        raise LookupError(f"{setup.game} has no simulated players")
    return make(setup)


def limit_choices_to_hand(choices: Sequence[Choice], hand: Sequence[str]) -> list[Choice]:
    """Filter choices by what `hand` (card names as in requests) can do; where cards are picked,
    offer those in the hand."""
    return list(_filter_choices(choices, Counter(hand)))


def _filter_choices(choices: Sequence[Choice], hand: Mapping[str, int]) -> Iterator[Choice]:
    for choice in choices:
        if choice.pick is not None:
            pick = _limit_pick(choice.pick, hand)
            if sum(copies for _, copies in pick.cards) >= pick.least:
                yield msgspec.structs.replace(choice, pick=pick)
        # Counters, not sets: a request may name two copies of a card of which the hand has one.
        elif not Counter(list_named_cards(choice.request)) - Counter(hand):
            yield choice


def list_named_cards(request: Request) -> tuple[str, ...]:
    """Return the cards that a request contains, from its field `card` or `cards`."""
    card = getattr(request, "card", None)
    return tuple(getattr(request, "cards", None) or ()) if card is None else (str(card),)


def _limit_pick(pick: Pick, hand: Mapping[str, int]) -> Pick:
    cards = tuple((name, copies) for name, copies in hand.items() if name in dict(pick.cards))
    likely = tuple(left for one in pick.likely for left in one.limit_to_hand(hand))
    most = min(pick.most, sum(hand.values()))
    # Nothing may be typed that the rules would accept although this hand does not hold it.
    return msgspec.structs.replace(pick, cards=cards, most=most, likely=likely, others=(), attempts=())


class TableCards:
    """The real cards of a game, after the acts so far."""

    moves: ClassVar[Mapping[type[Event], Callable[[Any, Any], None]]]
    """How each kind of event moves the cards; other events move none."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.players = setup.players
        self.wish: Request | None = None
        """The choice of a person at a seat in the act being followed, if any."""

    def apply_event(self, event: Event, wish: Request | None = None) -> None:
        """Move the real cards for `event`; `wish`: the choice of the person at that seat, if
        any."""
        self.wish = wish
        move = self.moves.get(type(event))
        if move is not None:
            move(self, event)

    def find_seat_index(self, player: str) -> int:
        """Return the player's seat, 0 to n-1 clockwise."""
        return self.players.index(player)

    def find_zone(self, player: str) -> str:
        """Return the zone in front of the player."""
        return format_seat_zone(self.find_seat_index(player) + 1)


class DealtHands(TableCards):
    """The cards of a game with dealt hands: one hand per seat, names without the deck's prefix."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.hands: list[list[str]] = []

    def find_hand(self, player: str) -> list[str]:
        """Return the cards in the player's hand."""
        return self.hands[self.find_seat_index(player)]

    def remove_cards(self, player: str, cards: Iterable[str], excluded: Container[str] = ()) -> None:
        """Remove cards from a hand; a card that a person named but did not hold is replaced by
        another one, none of `excluded`."""
        hand = self.find_hand(player)
        for card in cards:
            hand.remove(card if card in hand else next(one for one in hand if one not in excluded))


C = TypeVar("C", bound=TableCards)
H = TypeVar("H", bound=DealtHands)


class CardPlayers(ABC, Generic[C]):
    """All players of one game. See `companion.demo.actions.SimulatedPlayers`."""

    cards: type[C]
    """The class of the game's real cards."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.human_requests: dict[int, Request] = {}

    def next_action(self, acts: Sequence[Act], view: View) -> PlayerAction | None:
        """Return the next action, or None when the game is over."""
        return self.choose_action(self.rebuild_table(acts), acts, view) if view["waiting_for"] else None

    @abstractmethod
    def choose_action(self, table: C, acts: Sequence[Act], view: View) -> PlayerAction:
        """Return the action to perform now; at least one player is awaited."""

    def rebuild_table(self, acts: Sequence[Act]) -> C:
        """Return the real cards after these acts."""
        # Built from scratch each time: after an undo or a correction nothing has to be reverted.
        table = self.cards(self.setup)
        for number in range(self.find_last_deal(acts), len(acts)):
            for event in acts[number].events:
                table.apply_event(event, self.human_requests.get(number))
        return table

    def find_last_deal(self, acts: Sequence[Act]) -> int:
        """Return the number of the act from which cards are followed: the last deal in a game that
        deals several times."""
        return 0


class HandPlayers(CardPlayers[H]):
    """All players of one game in which each holds a hand. See
    `companion.demo.actions.SimulatedPlayers`."""

    prefix: ClassVar[str]
    """Prefix of the deck's card ids."""

    def sort_hand(self, hand: Sequence[str]) -> Iterable[str]:
        """Sort a hand as players hold it: by name unless a game overrides this."""
        return sorted(hand)

    def list_hand(self, acts: Sequence[Act], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return tuple(
            f"{self.prefix}{card}" for card in self.sort_hand(self.rebuild_table(acts).find_hand(player))
        )

    def list_playable_choices(
        self, acts: Sequence[Act], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """Filter the menu by what this hand can do."""
        return limit_choices_to_hand(
            choices, [card.removeprefix(self.prefix) for card in self.list_hand(acts, player)]
        )

    def plan_action(self, acts: Sequence[Act], view: View, wish: Request) -> PlayerAction:
        """Return the action for a person's choice: without gestures unless a game overrides
        this."""
        return PlayerAction(getattr(wish, "player", None), wish)
