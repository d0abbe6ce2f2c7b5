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
    Card,
)
from companion.rules.contract import Setup


class Turn(msgspec.Struct, frozen=True, gc=False):
    """Somebody's part in a phase: what they are to do (a request's `do`), and their seat (None: the
    table as a whole)."""

    do: str
    seat: int | None


Todo: TypeAlias = tuple[tuple[Turn, ...], ...]


class Player(msgspec.Struct, frozen=True):
    """What lasts for a player from round to round.

    `hand` counts the cards left in it; what left unseen (DV-39) is missing there and known to
    nobody. `gone`: values known to be out of the game or won by somebody (DV-50).
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
    def may_ask_favour(self) -> bool:
        """Whether a favour is left for the game (DV-13)."""
        return self.favours_used < FAVOURS_A_GAME


class Stake(msgspec.Struct, frozen=True):
    """What a player has in one round.

    `loads`: values, None for a load that lies face down. `seals`: of those that a reader read
    (DV-51). `swapped`: favour 4 was used, and `new_seal` is what came. `looks`: seats looked at.
    `removed`: the donkey removed a load (DV-36, DV-41); `barred`: its player wins nothing
    therefore.
    `claimed`: favour 8 was answered. `held`: the loads that count as the player's after exchanges;
    `taken`: loads chosen or drawn; `won`: what the player has won so far in this round.
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
    def down(self) -> int:
        """How many loads lie face down."""
        return self.loads.count(None)

    @property
    def up(self) -> tuple[int, ...]:
        """The values that lie face up."""
        return tuple([value for value in self.loads if value is not None])


class Adjustment(msgspec.Struct, frozen=True, gc=False):
    """Favour 6 as it was used, for the explanation."""

    player: str
    delta: int


class Round(msgspec.Struct, frozen=True):
    """One donkey and what lies with it. `returned`: a lost donkey that goes on; `refused`: a
    stubborn one that more than half refused."""

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
    def doubled(self) -> bool:
        """Whether the effects of a double hold (DV-38)."""
        return self.donkey == "double" and not self.void

    @property
    def on_table(self) -> int:
        """How many loads all players have in this round."""
        return sum(len(stake.loads) for stake in self.stakes)

    def right(self, seat: int) -> bool:
        """Tell whether this seat decided rightly and is not barred by the donkey (DV-18, DV-19,
        DV-36, DV-41)."""
        stake = self.stakes[seat]
        return not stake.barred and stake.decision is not None and stake.decision != self.overloaded

    def wins(self, seat: int) -> tuple[Card, ...]:
        """Return what a seat wins: its own or exchanged loads when it accepted, those taken when it
        refused, nothing when it was wrong."""
        if not self.right(seat):
            return ()
        return self.stakes[seat].taken if self.overloaded else self.stakes[seat].held

    def pool(self) -> list[Card]:
        """List the loads that can be chosen or drawn: not removed, not taken yet (DV-19)."""
        taken = [card for stake in self.stakes for card in stake.taken]
        return [card for stake in self.stakes for card in stake.held if card not in taken]


class State(msgspec.Struct, frozen=True):
    """Everything. `todo`: who has a part in this phase; the first group may act now, in any order,
    the next ones after it.

    `left`: donkeys in the pile; `aside`: lost donkeys that wait; `past`: rounds that are resolved,
    in that order; `revealed`: donkeys seen. `round` keeps the last round until the next donkey is
    turned up.
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
    def now(self) -> Round:
        """The round that is being played or was played last; there is one in every phase but the
        first `donkey`."""
        if self.round is None:
            raise LookupError("no donkey has been revealed yet")
        return self.round

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that may be taken now, in any order."""
        return self.todo[0] if self.todo else ()

    @property
    def acting(self) -> str | None:
        """Whose turn it is; None: several may act in any order, or the table as a whole."""
        seats = {turn.seat for turn in self.turns}
        seat = seats.pop() if len(seats) == 1 else None
        return None if seat is None else self.players[seat].name

    def seat(self, player: str) -> int:
        """Return the seat of `player`, who plays."""
        return self.setup.players.index(player)

    def stake(self, player: str) -> Stake:
        """Return what `player` has in this round."""
        return self.now.stakes[self.seat(player)]

    def player(self, name: str) -> Player:
        """Return what lasts for the player of this name."""
        return self.players[self.seat(name)]

    def known(self, player: str) -> frozenset[int]:
        """Return the values that everybody knows `player` cannot show any more (DV-50)."""
        return self.player(player).gone | frozenset(self.stake(player).up)

    def staked(self) -> list[tuple[str, Stake]]:
        """List every player's name and stake, by seat."""
        return list(zip(self.setup.players, self.now.stakes, strict=True))

    def standing(self) -> list[tuple[str, tuple[int, int]]]:
        """List every player with points and, for ties, the number of loads won (DV-22)."""
        return [(player.name, (player.points, len(player.won))) for player in self.players]

    def with_player(self, name: str, **changes: Any) -> State:
        """Change what lasts for a player."""
        players, seat = list(self.players), self.seat(name)
        players[seat] = replace(players[seat], **changes)
        return replace(self, players=tuple(players))

    def with_stake(self, name: str, **changes: Any) -> State:
        """Change what a player has in this round."""
        stakes, seat = list(self.now.stakes), self.seat(name)
        stakes[seat] = replace(stakes[seat], **changes)
        return replace(self, round=replace(self.now, stakes=tuple(stakes)))

    def acted(self, name: str, **changes: Any) -> State:
        """Change a player's stake, and take them off the list of those who are to act."""
        seat = self.seat(name)
        rest = tuple(turn for turn in self.todo[0] if turn.seat != seat)
        todo = (rest, *self.todo[1:]) if rest else self.todo[1:]
        return replace(self.with_stake(name, **changes), todo=todo)

    def clockwise(self) -> list[int]:
        """List all seats clockwise from the first player."""
        count = len(self.players)
        return [(self.first + step) % count for step in range(count)]

    def face_up_due(self, seat: int) -> bool:
        """Tell whether this seat's load must lie face up: the first and the last on a difficult
        donkey (DV-40)."""
        return self.now.donkey == "difficult" and seat in (self.first, self.clockwise()[-1])

    def load_counts(self) -> tuple[int, ...]:
        """Return how many loads a player may lay on this donkey (DV-11, DV-38, `double_loads`)."""
        if not self.now.doubled:
            return (1,)
        return (2,) if self.setup.options["double_loads"] == "must" else (1, 2)

    def draws_due(self) -> list[int]:
        """List whose draws are to come, in their order, a seat once for each load (DV-19), as far
        as the loads go (DV-41)."""
        now = self.now
        if not now.overloaded:
            return []
        one = self.setup.options["double_draws"] == "one"
        due = [
            seat
            for seat in self.clockwise()
            if now.right(seat)
            for _ in range((1 if one else len(now.stakes[seat].loads)) - len(now.stakes[seat].taken))
        ]
        # Removed loads (DV-41) may leave fewer than are due: the first in turn draw.
        return due[: len(now.pool())]

    def peeks_left(self, seat: int) -> int:
        """Return how many loads this seat may still look at (DV-14)."""
        stake = self.now.stakes[seat]
        holed = 1 if self.now.donkey == "holed" else 0
        half = self.now.on_table // 2 if stake.favour == 10 else 0
        return holed + half - len(stake.looks)


def first_state(setup: Setup) -> State:
    """Return the state before the first donkey."""
    players = tuple(Player(name) for name in setup.players)
    return State(setup, players, ((Turn("donkey", None),),))


def limits(donkey: str, players: int, void: bool) -> tuple[int | None, int | None]:
    """Return a donkey's capacity and spread limit, one of them None (DV-10, DV-33, DV-38)."""
    kind = NORMAL if void else DONKEYS[donkey]
    return (None, SPREAD_LIMIT) if kind.per_player is None else (kind.per_player * players, None)
