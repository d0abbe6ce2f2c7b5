"""The state of a game: frozen values, and the small questions that the rules ask of them.

Players are named by their seat, 0 to n-1 clockwise in the order of the start; names appear only in
requests, events and views.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from companion.games.donkey_valley.cards import (
    DONKEYS,
    FAVOURS_A_GAME,
    NORMAL,
    ROUNDS,
    SPREAD_LIMIT,
    VALUES,
    Card,
)
from companion.rules.contract import Setup


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A player's turn in a phase: the request they are to make (its `do`), and their seat (None:
    the table as a whole)."""

    do: str
    seat: int | None


Todo: TypeAlias = tuple[tuple[Turn, ...], ...]


class Player(msgspec.Struct, frozen=True):
    """The part of a player's state that lasts from round to round.

    `hand`: the number of cards left in hand. Cards that left unseen (DV-39) are not counted, and
    nobody knows their values. `gone`: values known to be out of the game or won by a player
    (DV-50).
    """

    name: str
    hand: int = 10
    favours_used: int = 0
    gone: frozenset[int] = frozenset()
    won: tuple[Card, ...] = ()

    @property
    def points(self) -> int:
        """The sum of the loads won (DV-22)."""
        return sum([card.value for card in self.won])

    @property
    def can_ask_favour(self) -> bool:
        """Whether a favour is left for the game (DV-13)."""
        return self.favours_used < FAVOURS_A_GAME


class Stake(msgspec.Struct, frozen=True):
    """A player's state in one round.

    `loads`: values, None for a face-down load. `seals`: the seals of those that a reader read
    (DV-51). `swapped`: favour 4 was used; `new_seal` is the new load's seal. `looks`: the seats
    whose loads the player looked at. `removed`: the donkey removed a load (DV-36, DV-41); `barred`:
    therefore the player wins nothing. `claimed`: favour 8 was answered. `held`: the loads that
    count as the player's after exchanges; `taken`: loads chosen or drawn; `won`: what the player
    has won so far in this round.
    """

    loads: tuple[int | None, ...] = ()
    seals: tuple[str, ...] = ()
    swapped: bool = False
    new_seal: str | None = None
    overruled: bool = False
    favour: int | None = None
    looks: tuple[int, ...] = ()
    decision: bool | None = None
    removed: bool = False
    barred: bool = False
    claimed: bool = False
    held: tuple[Card, ...] = ()
    chosen: Card | None = None
    taken: tuple[Card, ...] = ()
    won: tuple[Card, ...] = ()

    @property
    def face_down_count(self) -> int:
        """The number of face-down loads."""
        return self.loads.count(None)

    @property
    def face_up_values(self) -> tuple[int, ...]:
        """The values of the face-up loads."""
        return tuple([value for value in self.loads if value is not None])


class Adjustment(msgspec.Struct, frozen=True, gc=False):
    """A use of favour 6, for the explanation of the points."""

    player: str
    delta: int


class Round(msgspec.Struct, frozen=True):
    """One donkey with everything played on it. `returned`: a lost donkey that was taken up again;
    `refused`: a stubborn one that more than half of the players refused."""

    number: int
    donkey: str
    capacity: int | None
    spread_limit: int | None
    stakes: tuple[Stake, ...]
    void: bool = False
    returned: bool = False
    refused: bool = False
    adjustments: tuple[Adjustment, ...] = ()
    removed: tuple[Card, ...] = ()
    total: int | None = None
    spread: int | None = None
    overloaded: bool | None = None

    @property
    def is_doubled(self) -> bool:
        """Whether the effects of a double apply (DV-38)."""
        return self.donkey == "double" and not self.void

    @property
    def table_load_count(self) -> int:
        """The number of loads that all players have laid in this round."""
        return sum(len(stake.loads) for stake in self.stakes)

    def is_right(self, seat: int) -> bool:
        """Tell whether this seat decided correctly and is not barred by the donkey (DV-18, DV-19,
        DV-36, DV-41)."""
        stake = self.stakes[seat]
        # Accepting is right when the donkey carries its loads, refusing when it is overloaded.
        return not stake.barred and stake.decision is not None and stake.decision != self.overloaded

    def list_won_loads(self, seat: int) -> tuple[Card, ...]:
        """Return the loads that a seat wins: its own or exchanged ones when it accepted, those
        taken when it refused, none when it was wrong."""
        if not self.is_right(seat):
            return ()
        return self.stakes[seat].taken if self.overloaded else self.stakes[seat].held

    def list_pool(self) -> list[Card]:
        """List the loads that can be chosen or drawn: those not removed and not yet taken
        (DV-19)."""
        taken = [card for stake in self.stakes for card in stake.taken]
        return [card for stake in self.stakes for card in stake.held if card not in taken]


class State(msgspec.Struct, frozen=True):
    """The state of a game. `todo`: the turns of this phase; the first group may act now, in any
    order, the next groups after it.

    `left`: donkeys in the pile; `aside`: lost donkeys that wait; `past`: resolved rounds, in that
    order; `revealed`: donkeys seen. `round` keeps the last round until the next donkey is turned
    up.
    """

    setup: Setup
    players: tuple[Player, ...]
    todo: Todo
    phase: str = "donkey"
    first: int = 0
    left: int = ROUNDS
    round: Round | None = None
    aside: tuple[Round, ...] = ()
    past: tuple[Round, ...] = ()
    revealed: tuple[str, ...] = ()

    @property
    def current_round(self) -> Round:
        """The current or last round; there is one in every phase but the first `donkey`.

        Raises `LookupError` before the first donkey is revealed.
        """
        if self.round is None:
            raise LookupError("no donkey has been revealed yet")
        return self.round

    @property
    def current_turns(self) -> tuple[Turn, ...]:
        """The turns that may be taken now, in any order."""
        return self.todo[0] if self.todo else ()

    @property
    def acting_player(self) -> str | None:
        """The player in turn; None if several may act in any order, or the table as a whole."""
        seats = {turn.seat for turn in self.current_turns}
        seat = seats.pop() if len(seats) == 1 else None
        return None if seat is None else self.players[seat].name

    def seat_of(self, player: str) -> int:
        """Return the seat of `player_by_name`, counted from 0."""
        return self.setup.players.index(player)

    def stake_of(self, player: str) -> Stake:
        """Return the state of `player_by_name` in this round."""
        return self.current_round.stakes[self.seat_of(player)]

    def player_by_name(self, name: str) -> Player:
        """Return the lasting state of the player with this name."""
        return self.players[self.seat_of(name)]

    def list_unshowable_values(self, player: str) -> frozenset[int]:
        """Return the values that `player_by_name` is publicly known to be unable to show any more
        (DV-50)."""
        return self.player_by_name(player).gone | frozenset(self.stake_of(player).face_up_values)

    def find_round_showing(self, player: str, value: int) -> int | None:
        """Return the number of the round in which `player` showed this load, as a load or for a
        favour; None where it cannot be told."""
        seat = self.seat_of(player)
        rounds = (*self.past, *self.aside, *(() if self.round is None else (self.round,)))
        stakes = ((one.number, one.stakes[seat]) for one in reversed(rounds))
        shown = (number for number, stake in stakes if value in (*stake.face_up_values, stake.favour))
        return next(shown, None)

    def list_unreported_players(self) -> list[str]:
        """DV-24: list the players who have not entered the loads that they won."""
        return [self.players[turn.seat].name for turn in self.current_turns if turn.seat is not None]

    def count_unreported_loads(self) -> dict[int, int]:
        """DV-24: count the loads of each value that nobody has entered: every player's colour has
        one (DV-1)."""
        told = [card.value for player in self.players for card in player.won]
        return {value: len(self.players) - told.count(value) for value in VALUES}

    def list_stakes(self) -> list[tuple[str, Stake]]:
        """List every player's name and stake, by seat."""
        return list(zip(self.setup.players, self.current_round.stakes, strict=True))

    def list_standings(self) -> list[tuple[str, tuple[int, int]]]:
        """List every player with points and, to break ties, the number of loads won (DV-22)."""
        return [(player.name, (player.points, len(player.won))) for player in self.players]

    def with_player(self, name: str, **changes: Any) -> State:
        """Return the state with these changes to a player's lasting state."""
        players, seat = list(self.players), self.seat_of(name)
        players[seat] = replace(players[seat], **changes)
        return replace(self, players=tuple(players))

    def with_stake(self, name: str, **changes: Any) -> State:
        """Return the state with these changes to a player's round."""
        stakes, seat = list(self.current_round.stakes), self.seat_of(name)
        stakes[seat] = replace(stakes[seat], **changes)
        return replace(self, round=replace(self.current_round, stakes=tuple(stakes)))

    def with_turn_done(self, name: str, **changes: Any) -> State:
        """Return the state with these changes to a player's round, and without that player's
        turn."""
        seat = self.seat_of(name)
        # In the first group only: later groups hold the turns of players who are not yet due.
        rest = tuple(turn for turn in self.todo[0] if turn.seat != seat)
        todo = (rest, *self.todo[1:]) if rest else self.todo[1:]
        state = self.with_stake(name, **changes) if changes else self
        return replace(state, todo=todo)

    def list_seats_clockwise(self) -> list[int]:
        """List all seats clockwise from the first player."""
        count = len(self.players)
        return [(self.first + step) % count for step in range(count)]

    def must_lay_face_up(self, seat: int) -> bool:
        """Tell whether this seat's load must be laid face up: the first and the last on a difficult
        donkey (DV-40)."""
        return self.current_round.donkey == "difficult" and seat in (
            self.first,
            self.list_seats_clockwise()[-1],
        )

    def list_load_counts(self) -> tuple[int, ...]:
        """Return the numbers of loads that a player may lay on this donkey (DV-11, DV-38,
        `double_loads`)."""
        if not self.current_round.is_doubled:
            return (1,)
        # The sheet says "may"; some tables play "must".
        return (2,) if self.setup.options["double_loads"] == "must" else (1, 2)

    def list_due_draws(self) -> list[int]:
        """List the seats that still draw, in order, once for each load (DV-19), as long as loads
        are left (DV-41)."""
        this_round = self.current_round
        if not this_round.overloaded:
            return []
        one = self.setup.options["double_draws"] == "one"
        due = [
            seat
            for seat in self.list_seats_clockwise()
            if this_round.is_right(seat)
            # By the loads laid, also those that were removed; without those already taken.
            for _ in range(
                (1 if one else len(this_round.stakes[seat].loads)) - len(this_round.stakes[seat].taken)
            )
        ]
        # Removed loads (DV-41) may leave fewer than are due: the first in turn draw.
        return due[: len(this_round.list_pool())]

    def count_peeks_left(self, seat: int) -> int:
        """Return how many loads this seat may still look at (DV-14)."""
        # Both rights add up when favour 10 is used on a holed donkey.
        stake = self.current_round.stakes[seat]
        holed = 1 if self.current_round.donkey == "holed" else 0
        half = self.current_round.table_load_count // 2 if stake.favour == 10 else 0
        return holed + half - len(stake.looks)

    def list_peekable_seats(self, seat: int) -> list[int]:
        """List the seats of which this seat may look at a load now, clockwise from the first player
        (DV-14): in `peeks` at any time, later when its decision is due; each load once, none of
        one's own."""
        turns = ("peek", "decide") if self.count_peeks_left(seat) > 0 else ()
        if not any(turn.seat == seat and turn.do in turns for turn in self.current_turns):
            return []
        this_round = self.current_round
        looks = this_round.stakes[seat].looks
        # On a double a player may have two loads to look at.
        return [
            other
            for other in self.list_seats_clockwise()
            if other != seat and looks.count(other) < len(this_round.stakes[other].loads)
        ]


def build_first_state(setup: Setup) -> State:
    """Return the state before the first donkey. With `hands_only` only the loads won will be known
    (DV-24)."""
    players = tuple(Player(name) for name in setup.players)
    bare = State(setup, players, ((Turn("donkey", None),),))
    return replace(bare, phase="told", todo=schedule_scores(bare)) if setup.options["hands_only"] else bare


def schedule_scores(state: State) -> Todo:
    """Return the turns to enter the loads won: everybody, in any order (DV-24)."""
    return (tuple(Turn("score", seat) for seat in range(len(state.players))),)


def compute_limits(donkey: str, players: int, void: bool) -> tuple[int | None, int | None]:
    """Return a donkey's capacity and spread limit, one of them None (DV-10, DV-33, DV-38)."""
    # A void double has a normal donkey's numbers (DV-38).
    kind = NORMAL if void else DONKEYS[donkey]
    return (None, SPREAD_LIMIT) if kind.per_player is None else (kind.per_player * players, None)
