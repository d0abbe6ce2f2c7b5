"""Donkey Valley as a game of the contract: options, public view, statistics and odds. The rules are
in `moves`, the real table in `table`.

The odds are the exact chance that the donkey is overloaded, from public information. Each player is
taken to lay any of the cards that they can still hold with equal probability: those of 1 to 10 that
are not known to be gone (DV-50) and do not lie face up. Loads that left unseen (DV-39) make no
difference, since their values are unknown. Private looks (DV-14) and the readings of readers under
the table are not part of the state, so they cannot influence the odds.

With seven players there are 10^7 combinations, too many to list. So they are counted by folding in
one player after the other, keeping for each reachable result (the sum, or what else the donkey
measures) the number of ways to reach it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypedDict, TypeVar

import msgspec

from companion.games.donkey_valley import moves, position, table, words
from companion.games.donkey_valley.cards import (
    COLOURS,
    DONKEY_CARDS,
    DONKEYS,
    FAVOURS_A_GAME,
    ROUNDS,
    VALUES,
    Card,
)
from companion.games.donkey_valley.moves import ROUND
from companion.games.donkey_valley.state import Player, Round, Stake, State, build_first_state
from companion.rules.contract import (
    GAME_OVER,
    Chance,
    Event,
    FieldDoc,
    Game,
    LegalRequests,
    Named,
    Option,
    PlayerRow,
    Refusal,
    Request,
    Setup,
    TableView,
    Tally,
    Text,
    View,
    Waiting,
    refuse,
)
from companion.rules.options import describe_option_value

PossibleLoads: TypeAlias = "tuple[tuple[int, ...], ...]"
"""All combinations of values that one player's loads can have."""
M = TypeVar("M")
_WITH_LOADS = ROUND[ROUND.index("loads") + 1 :]
_BITS = 32
"""The bits for one count in `_count_distinct_totals`: seven players have 10^7 combinations at
most."""


def compute_overload_odds(state: State) -> Chance | None:
    """Return the chance that the donkey is overloaded, while all loads are laid but not yet
    weighed; None otherwise."""
    this_round = state.round
    if this_round is None or state.phase not in _WITH_LOADS or this_round.total is not None:
        return None
    laid = tuple(
        _list_possible_loads(player, stake)
        for player, stake in zip(state.players, this_round.stakes, strict=True)
    )
    ways, among = _count_overloads(this_round.donkey, this_round.capacity, this_round.spread_limit, laid)
    return Chance("odds.overloaded", ways, among)


def _list_possible_loads(player: Player, stake: Stake) -> PossibleLoads:
    # Loads that left unseen (DV-39) stay possible: nobody knows which they were.
    held = [value for value in VALUES if value not in player.gone and value not in stake.face_up_values]
    return tuple((*stake.face_up_values, *closed) for closed in combinations(held, stake.face_down_count))


@lru_cache(maxsize=64)  # asked again at every act of a round, which changes nothing in it
def _count_overloads(
    donkey: str, capacity: int | None, spread_limit: int | None, laid: Sequence[PossibleLoads]
) -> tuple[int, int]:
    """Count the overloading combinations, and all combinations (DV-17, DV-33, DV-36, DV-41)."""
    if spread_limit is not None:
        spreads = _convolve_loads(
            laid, (max(VALUES), 0), lambda ends, value: (min(ends[0], value), max(ends[1], value))
        )
        return _count_above(spread_limit, {ends: ends[1] - ends[0] for ends in spreads}, spreads)
    limit = capacity or 0
    if donkey == "attacked":
        highest = _convolve_loads(laid, (0, 0, 0), _add_below_highest)
        return _count_above(limit, {left: left[0] for left in highest}, highest)
    # Equal values are removed together (DV-41), so sums alone are not enough.
    totals = (
        _count_distinct_totals(laid) if donkey == "hand_picked" else _convolve_loads(laid, 0, int.__add__)
    )
    return _count_above(limit, {total: total for total in totals}, totals)


def _count_above(limit: int, measure: Mapping[M, int], ways: Mapping[M, int]) -> tuple[int, int]:
    return sum(count for what, count in ways.items() if measure[what] > limit), sum(ways.values())


def _convolve_loads(laid: Sequence[PossibleLoads], nothing: M, add: Callable[[M, int], M]) -> Counter[M]:
    """Count the ways to reach each measure of all loads, by folding in one player after the
    other."""
    ways = Counter({nothing: 1})
    for possible in laid:
        more: Counter[M] = Counter()
        for before, count in ways.items():
            for values in possible:
                more[reduce(add, values, before)] += count
        ways = more
    return ways


def _add_below_highest(left: tuple[int, int, int], value: int) -> tuple[int, int, int]:
    """DV-36: add a load to the total without the highest loads, the highest value, and its
    number."""
    rest, highest, times = left
    if value > highest:
        return rest + highest * times, value, 1
    return (rest, highest, times + 1) if value == highest else (rest + value, highest, times)


def _count_distinct_totals(laid: Sequence[PossibleLoads]) -> Counter[int]:
    """DV-41: count the totals of the loads whose value is unique; each player lays one.

    It goes value by value and asks which of the remaining players lay this one. For each set of
    players who have laid, the counts of all totals are packed in one integer, `_BITS` each: adding
    a load of value v is a shift by v places.
    """
    ways = {0: 1}
    for value in VALUES:
        holders = sum(1 << seat for seat, possible in enumerate(laid) if (value,) in possible)
        more = dict(ways)
        for done, counts in ways.items():
            # Every non-empty choice of the players who can lay this value and have not laid yet.
            free = chosen = holders & ~done
            while chosen:
                # A value laid by one player counts; laid by several, it is removed and adds
                # nothing.
                counted = counts << (_BITS * value) if chosen.bit_count() == 1 else counts
                more[done | chosen] = more.get(done | chosen, 0) + counted
                # Standard enumeration of the subsets of a bit set.
                chosen = (chosen - 1) & free
        ways = more
    counts, totals = ways.get((1 << len(laid)) - 1, 0), Counter[int]()
    for total in range(sum(VALUES) + 1):
        totals[total] = (counts >> (_BITS * total)) & ((1 << _BITS) - 1)
    return totals


DonkeyName = Literal[
    "normal",
    "giant",
    "puny",
    "precision",
    "hurried",
    "holed",
    "attacked",
    "lost",
    "double",
    "stubborn",
    "difficult",
    "hand_picked",
]
Copies = dict[DonkeyName, Annotated[int, msgspec.Meta(ge=0, le=DONKEY_CARDS)]]


class ShownLoad(TypedDict):
    """A face-up load: the player who owns its colour, and its value."""

    owner: str
    value: int


class DonkeyRow(PlayerRow):
    """The public information about a player."""

    loads_won: Annotated[
        list[ShownLoad],
        FieldDoc(
            description="loads with `owner` and `value`, each from the moment at which it is won; with `hands_only` `owner` is empty"
        ),
    ]
    favours_left: Annotated[int, FieldDoc(description="how many the player may still ask for in this game")]
    favour: Annotated[int | None, FieldDoc(description="this round's, or null")]
    decision: Annotated[bool | None, FieldDoc(description="true (accepted), false (refused) or null")]
    loads_down: Annotated[int, FieldDoc(description="face-down loads on the table now")]
    loads_up: Annotated[list[int], FieldDoc(description="values that lie face up, after the reveal too")]
    hand: Annotated[int, FieldDoc(description="cards left in the hand")]
    gone: Annotated[
        list[int],
        FieldDoc(
            description="values known to be out of the game or won: like those that lie face up they cannot be shown again"
        ),
    ]
    looked_at: Annotated[
        list[str],
        FieldDoc(description="whose loads this player has looked at in this round, a name for each"),
    ]
    peeks_left: Annotated[int, FieldDoc(description="how many loads this player may still look at")]
    held: Annotated[
        list[ShownLoad],
        FieldDoc(
            description="after the reveal: the loads that count as this player's, not removed, after exchanges, and taken by nobody yet"
        ),
    ]


class DonkeyView(TableView):
    """The public information about the table."""

    players: list[DonkeyRow]
    round: Annotated[
        int,
        FieldDoc(
            description="from 1; on a double the first of its two; a lost donkey that returns shows its own"
        ),
    ]
    rounds: Annotated[int, FieldDoc(description="how many the game has")]
    donkey: Annotated[
        str | None,
        FieldDoc(description="the type of the donkey that is being loaded or was loaded last, or null"),
    ]
    void: Annotated[bool, FieldDoc(description="a double with no donkey left in the pile: a normal one")]
    capacity: Annotated[int | None, FieldDoc(description="what it carries, or null (precision)")]
    spread_limit: Annotated[
        int | None, FieldDoc(description="for precision the largest difference that it carries, else null")
    ]
    first_player: Annotated[str, FieldDoc(description="name")]
    donkeys_left: Annotated[int, FieldDoc(description="in the pile, unseen")]
    donkeys_seen: Annotated[list[str], FieldDoc(description="the types that were turned up so far, in order")]
    set_aside: Annotated[int, FieldDoc(description="lost donkeys that wait")]
    total: Annotated[int | None, FieldDoc(description="the loads' sum after the reveal, else null")]
    overloaded: Annotated[bool | None, FieldDoc(description="true or false after the reveal, else null")]


class DonkeyValley(Game[State]):
    """Donkey Valley, its rules and options."""

    id = "donkey_valley"
    seats = range(3, 8)
    options = (
        Option(
            "decision_order",
            "clockwise",
            Literal["clockwise", "free"],
            "DV-15",
            "… en poursuivant dans le sens horaire, chaque joueur doit annoncer…",
        ),
        Option(
            "double_loads",
            "may",
            Literal["may", "must"],
            "DV-38",
            "… chaque joueur peut jouer deux cartes Charge.",
        ),
        Option(
            "draws",
            "app",
            Literal["app", "table"],
            "DV-19",
            "Mélangez les cartes Charge pour former un paquet.",
            is_preference=True,
        ),
        Option("donkey_copies", None, Copies | None, "DV-2", "Cartes Âne 20x"),
        Option(
            "barred",
            "players",
            Literal["players", "loads"],
            "DV-41",
            "… ces cartes sont retirées du jeu et ne permettent pas de gagner des points.",
            ours=True,
        ),
        Option(
            "double_draws",
            "played",
            Literal["played", "one"],
            "DV-19",
            "… gagnent aléatoirement une carte Charge de ce paquet…",
        ),
        Option(
            "first_player_card",
            "each_end",
            Literal["each_end", "resolved"],
            "DV-21",
            "Donnez la carte Premier joueur au prochain joueur…",
        ),
        Option("hands_only", False, bool, "DV-24"),
    )
    cards: ClassVar = {**dict.fromkeys(VALUES, len(COLOURS)), **dict.fromkeys(DONKEYS)}
    moves: ClassVar = moves
    tie_break = "loads"
    repeatable_requests = (moves.Load, moves.NoFavour, moves.Decide)
    view_type = DonkeyView
    fields_left_out = frozenset({"seals", "new_seal"})

    def list_cards_in_play(self, setup: Setup) -> Mapping[Any, int | None]:
        """Return the loads of as many colours as there are players (DV-1), and the donkeys, with
        their copies where these have been counted (DV-2)."""
        donkeys = setup.options["donkey_copies"] or dict.fromkeys(DONKEYS)
        shown = {kind: donkeys[kind] for kind in DONKEYS if donkeys.get(kind, 0) != 0}
        return {**dict.fromkeys(VALUES, len(setup.players)), **shown}

    def start(self, setup: Setup) -> State:
        """Return the state before the first donkey."""
        return build_first_state(setup)

    def next_event(self, state: State) -> Event | None:
        """Return the next event once no turn of this phase is left."""
        return None if state.todo else super().next_event(state)

    def clause_of(self, request: Request) -> str | None:
        """Return the request's own clause, or that of its phase."""
        return request.clause or self.clauses[str(request.phase)]

    def check_turn(self, state: State, request: Request) -> Refusal | None:
        """Refuse a player who has no turn in this phase, or a different one (DV-11 to DV-20)."""
        player = getattr(request, "player", None)
        if player is None or not request.in_turn:
            return None
        # `NoFavour` is a way to take the turn `favour`: it is due when that is.
        do = getattr(request, "takes", None) or type(request).__struct_config__.tag
        seat, clause = state.seat_of(player), self.clause_of(request)
        mine = [turn.do for turn in state.current_turns if turn.seat == seat]
        if do in mine:
            return None
        # Whose turn it is hears what they may not do; the others hear that they must wait.
        if mine:
            return refuse("not_entitled", clause, player=player, awaited=self.describe_awaited(state))
        order = state.setup.options["decision_order"]
        # Where all act in any order, a player without a turn has had it.
        free = state.phase in ("loads", "reveal", "told") or (state.phase == "decisions" and order == "free")
        if free and not any(turn.seat == seat for group in state.todo for turn in group):
            return refuse("already_done", clause, player=player)
        said: dict[str, Any] = {"player": player, "awaited": self.describe_awaited(state)}
        if do == "decide":
            ruling = words.describe_ruling(state, "decision_order")
            return refuse("not_your_turn", clause, message=f"decide_{order}", **said, ruling=ruling)
        # Loads go in turn on a difficult donkey only.
        return refuse("not_your_turn", "DV-40" if state.phase == "loads" else clause, **said)

    def check_options(self, setup: Setup) -> Refusal | None:
        """DV-2: refuse a deck whose copies do not total the cards in the box."""
        copies = setup.options["donkey_copies"]
        if copies is None or sum(copies.values()) == DONKEY_CARDS:
            return None
        return refuse(
            "bad_option",
            "DV-2",
            message="donkey_total",
            total=sum(copies.values()),
            due=DONKEY_CARDS,
            ruling=describe_option_value("donkey_copies", copies),
        )

    def check_sealed_cards(self, state: State, player: str, cards: Sequence[int | str]) -> Refusal | None:
        """DV-1, DV-50: refuse readings that are not loads, or loads that the player cannot lay any
        more."""
        values = [card for card in cards if isinstance(card, int)]
        if len(values) < len(cards):
            return refuse(
                "bad_value", "DV-1", message="value_range", value="?", least=VALUES[0], most=VALUES[-1]
            )
        return moves.check_values(state, player, values)

    def list_seals(self, state: State, player: str) -> Sequence[str]:
        """DV-51: list the seals of the loads laid first, and that of the load that came with favour
        4."""
        if state.round is None or not state.stake_of(player).face_down_count:
            return ()
        stake = state.stake_of(player)
        return stake.seals if stake.new_seal is None else (*stake.seals, stake.new_seal)

    def automatic_request(self, state: State) -> Request | None:
        """DV-14: end the looks once nobody may look any more."""
        return moves.PeeksDone() if {turn.do for turn in state.current_turns} == {"peeks_done"} else None

    def simultaneous_players(self, state: State) -> Sequence[str]:
        """DV-15: list those who decide at the same time, with free decisions: all but the players
        of favour 2."""
        free = state.phase == "decisions" and state.setup.options["decision_order"] == "free"
        return (
            [state.setup.players[turn.seat] for turn in state.current_turns if turn.seat is not None]
            if free
            else ()
        )

    def list_legal(self, state: State, player: str, cards: Sequence[Named] | None = None) -> LegalRequests:
        """List the requests that `player` may make; where `cards` are named, with loads from these
        only. In `reveal` they include the loads in front of the player."""
        found = super().list_legal(state, player, cards)
        if cards is None:
            return found
        return LegalRequests(
            [one for one in found.legal if table.list_own_cards(one) <= {*cards}], found.open
        )

    def find_round(self, view: View) -> int | str | None:
        """Return the number of the round; None if only the loads won are entered, of no round in
        particular (DV-24)."""
        return None if words.has_loads_won_only(view) else super().find_round(view)

    def count_tie_break(self, row: Mapping[str, Any]) -> int:
        """Return how many loads a player has won (DV-22)."""
        return len(row["loads_won"])

    def view(self, state: State) -> DonkeyView:
        """Return the view; its fields are described in `DonkeyView`. Face-down values are not in
        the state, so they cannot appear here."""
        this_round = state.round
        return {
            "game": state.setup.game,
            "phase": state.phase,
            "players": _build_player_rows(state),
            "waiting_for": _list_awaited_requests(state),
            "result": self.rank_scores(state.list_standings()) if state.phase == GAME_OVER else None,
            "round": this_round.number if this_round else 1,
            "rounds": ROUNDS,
            "donkey": this_round.donkey if this_round else None,
            "void": this_round.void if this_round else False,
            "capacity": this_round.capacity if this_round else None,
            "spread_limit": this_round.spread_limit if this_round else None,
            "first_player": state.players[state.first].name,
            "donkeys_left": state.left,
            "donkeys_seen": list(state.revealed),
            "set_aside": len(state.aside),
            "total": this_round.total if this_round else None,
            "overloaded": this_round.overloaded if this_round else None,
        }

    def tally_event(self, before: State, event: Any, after: State) -> Sequence[Tally]:
        """Count a round for every player when it is over; the loads entered at the end (DV-24)."""
        if isinstance(event, moves.LoadsScored):
            points = after.player_by_name(event.player).points
            return [Tally("donkeys", Text("figures.donkey.told"), event.player, points)]
        if not isinstance(event, moves.RoundResolved | moves.DonkeyRefused):
            return ()
        return [
            one
            for seat, player in enumerate(after.players)
            for one in _tally_round(after.current_round, seat, player.name)
        ]

    check_position = staticmethod(position.check_position)
    describe_awaited = staticmethod(words.describe_awaited)
    explain_points = staticmethod(words.explain_points)
    explain_round = staticmethod(words.explain_round)
    list_setup_steps = staticmethod(table.list_setup_steps)
    list_choices = staticmethod(table.list_choices)
    list_attempts = staticmethod(table.list_attempts)
    list_offered = staticmethod(table.list_offered)
    interpret_claims = staticmethod(table.interpret_claims)
    layout_cards = staticmethod(table.layout_cards)
    default_request = staticmethod(table.default_request)
    compute_odds = staticmethod(compute_overload_odds)


_NO_STAKE = Stake()


def _build_player_rows(state: State) -> list[DonkeyRow]:
    this_round = state.round
    stakes = (_NO_STAKE,) * len(state.players) if this_round is None else this_round.stakes
    taken = [card for stake in stakes for card in stake.taken]
    # In other phases nobody may look, whatever is left; nor after the own decision.
    looking = state.phase in ("peeks", "decisions")
    return [
        {
            "name": player.name,
            "points": player.points,
            "loads_won": _build_load_rows(player.won) if player.won else [],
            "favours_left": FAVOURS_A_GAME - player.favours_used,
            "favour": stake.favour,
            "decision": stake.decision,
            "loads_down": stake.face_down_count,
            "loads_up": list(stake.face_up_values),
            "hand": player.hand,
            "gone": sorted(player.gone),
            "looked_at": [state.players[looked].name for looked in stake.looks] if stake.looks else [],
            "peeks_left": state.count_peeks_left(seat) if looking and stake.decision is None else 0,
            "held": _build_load_rows(card for card in stake.held if card not in taken) if stake.held else [],
        }
        for seat, (player, stake) in enumerate(zip(state.players, stakes, strict=True))
    ]


def _build_load_rows(cards: Iterable[Card]) -> list[ShownLoad]:
    return [{"owner": card.owner, "value": card.value} for card in cards]


def _list_awaited_requests(state: State) -> list[Waiting]:
    """List the acceptable requests; a player who may ask for a favour may also decline it, and one
    whose decision is due may use a look that is left."""
    entries: list[Waiting] = []
    for turn in state.current_turns:
        name = None if turn.seat is None else state.players[turn.seat].name
        entries.append({"do": turn.do, "player": name})
        if turn.do == "favour":
            entries.append({"do": "no_favour", "player": name})
        elif turn.do == "decide" and turn.seat is not None and state.list_peekable_seats(turn.seat):
            entries.append({"do": "peek", "player": name})
    return entries


def _tally_round(this_round: Round, seat: int, player: str) -> Iterator[Tally]:
    stake = this_round.stakes[seat]
    points = sum(card.value for card in stake.won)
    # DV-39: a refused donkey judges nobody.
    right = None if this_round.overloaded is None else stake.decision != this_round.overloaded
    yield Tally("donkeys", Text(f"donkey.{this_round.donkey}"), player, points, right)
    favour = "none" if stake.favour is None else stake.favour
    yield Tally(
        "favours", Text(f"figures.favour.{favour}"), player, points, right, usual=stake.favour is None
    )
    if right is not None:
        word = Text("card.accept" if stake.decision else "card.refuse")
        yield Tally("decisions", word, player, right=right)
