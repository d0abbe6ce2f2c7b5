"""The state of a game of Ochs & Esel: open cards, holders of the animals, and sizes of hands."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from companion.games.ochs_und_esel.cards import (
    ANIMALS,
    DEALABLE,
    DONKEY,
    OX,
    Animal,
    Kind,
    animal_trick_value,
    compute_hand_size,
)
from companion.rules.contract import Setup

Phase: TypeAlias = Literal["lead", "follow", "hands", "game_over"]
MIDDLE: Literal["middle"] = "middle"


class Beast(msgspec.Struct, frozen=True, gc=False):
    """The position of the donkey or the ox: a seat (from 0), the middle, or None (in its own trick,
    out of play, or not in the game).

    `free_from` is the first trick of the hand in which its holder may lead it (OE-8, OE-20).
    """

    at: int | Literal["middle"] | None = None
    free_from: int = 1


class TrickPlay(msgspec.Struct, frozen=True, gc=False):
    """One player's play in a trick; no cards: a pass."""

    seat: int
    cards: tuple[str, ...]


class FinishedTrick(msgspec.Struct, frozen=True):
    """A finished trick: the winner, and all plays in order."""

    number: int
    kind: Kind
    winner: int
    plays: tuple[TrickPlay, ...]

    @property
    def cards(self) -> tuple[str, ...]:
        """All cards of the trick, in the order of play."""
        return tuple(card for play in self.plays for card in play.cards)


class Score(msgspec.Struct, frozen=True):
    """OE-9: a counted hand: the cards left at each seat, and the ox's trick in front of it."""

    left: tuple[tuple[str, ...], ...]
    piles: tuple[tuple[str, ...], ...]


class State(msgspec.Struct, frozen=True):
    """The public state of the table. Rows hold one entry per seat; seats count from 0.

    `cards`: the numbers and jokers in each hand, counted. `plays`: the running trick. `gone`: the
    cards shed in the tricks of this hand. `piles`: the ox's trick in front of its taker. `counted`:
    the hands laid out so far (None: still to come). `leader` leads the trick; between hands and at
    the end it is the leader of the next hand. `first` leads or led the first trick of this hand.

    With `hands_only` (OE-12) a hand begins with its counting: `cards` and the animals are then as
    dealt, and for players who have entered theirs, what is left.
    """

    setup: Setup
    phase: Phase
    hand_number: int
    leader: int
    cards: tuple[int, ...]
    donkey: Beast
    ox: Beast
    piles: tuple[tuple[str, ...], ...]
    counted: tuple[tuple[str, ...] | None, ...]
    points: tuple[int, ...]
    first: int = 0
    tricks_done: int = 0
    kind: Kind | None = None
    plays: tuple[TrickPlay, ...] = ()
    to_beat: tuple[int, int] | None = None
    gone: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()
    last_trick: FinishedTrick | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return self.setup.players

    @property
    def deal(self) -> int:
        """OE-2: the cards dealt to each player: as many as the players chose, or as the sheet says
        for this number of players."""
        return self.setup.options["deal"] or compute_hand_size(len(self.players))

    @property
    def trick_number(self) -> int:
        """The number in this hand of the running trick; between hands that of the last."""
        return self.tricks_done + (self.phase in ("lead", "follow"))

    @property
    def dealer(self) -> int:
        """OE-2: the seat that deals this hand: the right neighbour of its first player."""
        return (self.first - 1) % len(self.players)

    @property
    def undealt_count(self) -> int:
        """OE-2: the cards of the deck that are not dealt."""
        return DEALABLE - self.deal * len(self.players)

    @property
    def turn(self) -> int:
        """OE-4, OE-11: the seat to act: the next clockwise, or the leader."""
        return (self.plays[-1].seat + 1) % len(self.players) if self.plays else self.leader

    @property
    def trick_winner(self) -> int:
        """OE-6: the last seat to play in a normal trick; OE-7, OE-21: in an animal trick the seat
        with the highest card, of equals the last."""
        # Stable sorting: of equal cards the one played last stays last, and wins.
        played = [play for play in self.plays if play.cards]
        # In a normal trick each play beats the one before, so that the last one wins.
        if self.kind in ANIMALS:
            played.sort(key=lambda play: animal_trick_value(play.cards[0]))
        return played[-1].seat

    @property
    def acting_player(self) -> str | None:
        """OE-4: the player in turn; None while hands are counted, in any order."""
        return self.players[self.turn] if self.phase in ("lead", "follow") else None

    @property
    def next_leader(self) -> int:
        """OE-10, OE-22: the donkey's holder. While it is still in the middle only one trick was
        played, whose winner holds the ox (OE-20)."""
        return next((at for at in (self.donkey.at, self.ox.at) if isinstance(at, int)), self.leader)

    def beast_of(self, animal: Animal) -> Beast:
        """Return the position of `animal`."""
        return self.donkey if animal == DONKEY else self.ox

    def list_held_animals(self, seat: int) -> list[Animal]:
        """List the animals in hand at `seat`."""
        return [animal for animal in ANIMALS if self.beast_of(animal).at == seat]

    def count_hand(self, seat: int) -> int:
        """Count the cards in hand at `seat`, animals included."""
        return self.cards[seat] + (self.donkey.at == seat) + (self.ox.at == seat)

    def count_tricks_to_wait(self, animal: Animal) -> int:
        """Return in how many tricks the holder may lead `animal` (OE-8, OE-20); 0: in this one."""
        return max(self.beast_of(animal).free_from - self.trick_number, 0)

    def has_only_animals(self, seat: int) -> bool:
        """Tell whether the hand at `seat` has nothing to play in a trick led by another player
        (OE-11)."""
        return self.cards[seat] == 0

    def cannot_lead(self) -> bool:
        """Tell whether the player to lead holds only animals that may not be led yet (OE-11)."""
        return self.has_only_animals(self.turn) and all(
            self.count_tricks_to_wait(one) for one in self.list_held_animals(self.turn)
        )

    def list_unreported_seats(self) -> list[int]:
        """List the seats whose cards are still to be laid out and counted (OE-9)."""
        return [seat for seat, cards in enumerate(self.counted) if cards is None]

    def is_pile_awaited(self) -> bool:
        """Tell whether every hand is entered and none holds the ox, so that its trick lies in front
        of somebody (OE-12)."""
        told = (
            self.phase == "hands"
            and self.setup.options["hands_only"]
            and self.setup.options["ox"]
            and not self.list_unreported_seats()
        )
        return told and not any(self.piles) and not any(OX in cards for cards in self.counted if cards)

    def list_open_cards(self) -> list[tuple[str, ...]]:
        """List the cards that have left the hands: shed, on the table, in piles, laid out and
        counted."""
        return [self.gone, *[play.cards for play in self.plays], *self.piles, *filter(None, self.counted)]


def build_first_state(setup: Setup) -> State:
    """Return the first state (OE-2, OE-3, OE-20): the first player leads, with the donkey unless
    the animals start in the middle."""
    none = (0,) * len(setup.players)
    bare = State(
        setup=setup,
        phase="lead",
        hand_number=0,
        leader=0,
        cards=none,
        donkey=Beast(0),
        ox=Beast(),
        piles=(),
        counted=(),
        points=none,
    )
    return deal_next_hand(bare)


def deal_next_hand(state: State) -> State:
    """Begin the next hand (OE-2, OE-8, OE-10, OE-20), led by `leader`; the donkey stays with its
    holder, who may lead it at once. With `hands_only` only the cards left at its end will be known
    (OE-12)."""
    seats = len(state.players)
    variant, hands_only = state.setup.options["ox"], state.setup.options["hands_only"]
    return msgspec.structs.replace(
        state,
        phase="hands" if hands_only else "lead",
        hand_number=state.hand_number + 1,
        first=state.leader,
        cards=(state.deal,) * seats,
        # Free at once: the wait is for an animal taken in the same hand (OE-8).
        donkey=Beast(MIDDLE) if variant else Beast(state.donkey.at),
        ox=Beast(MIDDLE) if variant else Beast(),
        piles=((),) * seats,
        counted=(None if hands_only else (),) * seats,
        tricks_done=0,
        gone=(),
    )
