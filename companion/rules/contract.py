"""The contract between a game and everything around it: the base class `Game` and its values.

A game is a pure state machine: it does no I/O, reads no clock, and its only randomness is
`Setup.make_rng`, derived from the session's seed. The same set-up and the same requests therefore
lead to the same state on every machine, which is what makes undo, correction and replay from the
journal possible. States, requests and events are frozen msgspec Structs; on the wire, requests are
tagged by `do`, events by `type`. A game speaks in message codes and arguments (`Text`); views
translate them.

A move has two halves. A `Request` is what a player wants; its `decide` returns the events it leads
to, or a refusal. An `Event` is what happened; its `apply` returns the next state without checking
anything, and its `describe` describes it for people. Only `decide` is skipped when a journal is
replayed: past events stay as they are, even if a later version would decide differently. `PHASES`,
a table at the top of the module of the moves, lists the phases with their rule clauses and the
event, if any, that follows in a phase without a request. `Game.decide` checks phase and turn, once
for all games, and applies consequences until somebody must act.

Everything a game needs can be imported from here. A new game is one package with an entry point in
the group `companion.games` that names an instance of `Game`.
"""

from __future__ import annotations

import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeAlias, TypedDict, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from companion.rules.choices import (
    Choice,
    ChoicePart,
    ChoiceParts,
    Domain,
    LegalRequests,
    Named,
    OpenRequest,
    Pick,
    Shortcut,
    Spots,
    generate_card_subsets,
)
from companion.rules.claims import BoardClaim, Claim, Doubt, Interpretation, Proposal, SetupStep
from companion.rules.commitments import HiddenSeed
from companion.rules.messages import (
    LONGEST_NAME,
    Arg,
    Decision,
    Event,
    Problem,
    Question,
    Reason,
    Refusal,
    Request,
    Text,
    derive_tag,
    refuse,
)


class Tally(msgspec.Struct, frozen=True):
    """One countable result of a player's move, for the statistics.

    `table` names the statistic it belongs to: the message `figures.<table>` of the game's catalogue
    is its heading. `row`: the category within it, in words. `times`: how often it happened.
    `points`: points won in total (text such as `7/3` where points are shared), None where this wins
    none. `right`: whether it turned out as the player intended, None where that does not apply.
    `usual`: this row is the baseline for the others (a round without a favour).
    """

    table: str
    row: Text
    player: str
    points: int | str | None = None
    right: bool | None = None
    usual: bool = False
    times: int = 1


class Chance(msgspec.Struct, frozen=True):
    """The probability of something: `ways` of `among` equally likely outcomes, and the message
    `code` that says it (with the argument `percent`)."""

    code: str
    ways: int
    among: int

    @property
    def exact_fraction(self) -> Fraction:
        """The exact chance, 0 to 1."""
        return Fraction(self.ways, self.among)

    @property
    def text(self) -> Text:
        """The sentence with the chance in percent."""
        return Text(self.code, {"percent": Text("figures.percent", {"percent": self.percent})})

    @property
    def percent(self) -> int:
        """The chance in whole percent, 0 to 100; 0 and 100 only where the outcome is certain.

        >>> Chance("odds.overloaded", 1, 1000).percent, Chance("odds.overloaded", 999, 1000).percent
        (1, 99)
        """
        # Rounded, a chance of 1 in 1000 would read as "impossible": only what is certain is 0 or
        # 100.
        rounded = round(100 * self.exact_fraction)
        return rounded if self.ways in (0, self.among) else min(max(rounded, 1), 99)


class Option(msgspec.Struct, frozen=True):
    """A rule variant that players may choose. `kind` is the type that msgspec checks a value
    against (`Literal`, `bool`, ...).

    `sheet` is the rule sheet's own sentence that the readings differ about, in the sheet's
    language; "" where the sheet is silent. `ours`: the sentence does not support the default, which
    is our choice, as it always is where the sheet is silent. `is_preference`: a habit of the group
    rather than a rule; the set-up form asks for it first, and remembers it. The game's catalogue
    says what the option is about, `option.<name>`, and what each value changes,
    `option.<name>.<value>`.
    """

    name: str
    default: Any
    kind: Any
    clause: str
    sheet: str = ""
    ours: bool = False
    is_preference: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values as written in requests, the default first; () where there are too many to list
        (a range of numbers, a map).

        >>> from typing import Literal
        >>> Option("draws", "app", Literal["table", "app"], "DV-19").values
        ('app', 'table')
        >>> Option("favours", 2, Literal[1, 2, 3], "DV-13").values
        ('2', '1', '3')
        """
        listed = (True, False) if self.kind is bool else get_args(self.kind)
        # Not `None`, which stands for "as the game has it", and cannot be chosen by a word.
        words = [one for one in listed if isinstance(one, str | int)]
        # `str(True)` would be Python's spelling; in requests it is `true`.
        return tuple(str(one).lower() for one in sorted(words, key=lambda one: one != self.default))

    def accepts_value(self, value: object) -> bool:
        """Tell whether `value` has the option's type and is in its range."""
        try:
            msgspec.convert(value, self.kind, strict=True)
        except msgspec.ValidationError:
            return False
        return True


class Setup(msgspec.Struct, frozen=True):
    """The set-up of a session: the players clockwise from the first, every option with its value,
    and the seed.

    A seed given by a client is public; one chosen by the program cannot be read before the session
    is over.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int | str | HiddenSeed

    def make_rng(self, *purpose: object) -> random.Random:
        """Make the random generator for one purpose (`"draw", round`). The same session and purpose
        give the same numbers, also after undo."""
        seed = self.seed.reveal_seed() if isinstance(self.seed, HiddenSeed) else self.seed
        # Text, not `hash`: Python salts the hash of text anew in each process.
        return random.Random(f"{seed!r}/{'/'.join(map(str, purpose))}")


__all__ = [
    "GAME_OVER",
    "LONGEST_NAME",
    "Arg",
    "BoardClaim",
    "Choice",
    "ChoicePart",
    "ChoiceParts",
    "Claim",
    "CommonView",
    "CountAndValue",
    "Decision",
    "Domain",
    "Doubt",
    "Event",
    "FieldDoc",
    "Game",
    "Interpretation",
    "LegalRequests",
    "Named",
    "OpenRequest",
    "Option",
    "Phase",
    "Pick",
    "PlayerRow",
    "Problem",
    "Proposal",
    "Question",
    "Reason",
    "Refusal",
    "Request",
    "Result",
    "Setup",
    "SetupStep",
    "Shortcut",
    "Spots",
    "TableView",
    "Text",
    "Transitions",
    "View",
    "Waiting",
    "derive_tag",
    "format_points",
    "generate_card_subsets",
    "rank_players",
    "refuse",
    "replace_at_seat",
]

View: TypeAlias = Mapping[str, Any]
"""The result of `Game.view`: plain JSON values, typed for each game by `view_type`."""
FieldDoc: TypeAlias = msgspec.Meta
"""The description of a view's field for the pages: `Annotated[int, Told(description=...)]`."""


class Waiting(TypedDict):
    """A request that is acceptable now: its `do`, and the player who may make it (None: the
    table)."""

    do: str
    player: str | None


class Ranked(TypedDict):
    """A player's place at the end."""

    player: str
    points: int | str
    rank: int


class Result(TypedDict):
    """The winners and the final ranking."""

    winners: list[str]
    ranking: list[Ranked]


class CountAndValue(TypedDict):
    """A number of cards of one value."""

    count: int
    value: int


class TableView(TypedDict):
    """The fields besides `players` that every game's view has."""

    game: Annotated[str, FieldDoc(description="the game's id")]
    phase: Annotated[
        str, FieldDoc(description="what is being done, one of the game's phases; `game_over` at the end")
    ]
    waiting_for: Annotated[
        list[Waiting],
        FieldDoc(
            description="what can be accepted now: objects with `do` and `player` (null: the table); empty when the game is over"
        ),
    ]
    result: Annotated[
        Result | None,
        FieldDoc(
            description="null before the end, then `winners` and `ranking` (`player`, `points`, `rank`; equal ranks for ties: 1, 1, 3)"
        ),
    ]


class PlayerRow(TypedDict):
    """The fields of a player that every game's view has."""

    name: str
    points: int | str


class CommonView(TableView):
    """The fields that every game's view has: panels, programs and pages rely on them."""

    players: Annotated[
        list[PlayerRow],
        FieldDoc(
            description="one object a player, in the order of the start, with at least `name` and `points`"
        ),
    ]


T = TypeVar("T")

GAME_OVER = "game_over"
MOST_LISTED = 20_000
"""The most plays that `list_legal` lists for one request: a quarter of a second. Beyond that it
returns the domain instead."""


def format_points(points: Fraction) -> int | str:
    """Format a score (points) for views: a whole number, or a string such as `7/3`.

    >>> format_points(Fraction(4)), format_points(Fraction(7, 3))
    (4, '7/3')
    """
    # JSON has no fractions, and a decimal would not be exact.
    return points.numerator if points.denominator == 1 else str(points)


def rank_players(
    points: Sequence[tuple[str, Any]],
    *,
    lowest: bool = False,
    sides: Sequence[Sequence[int]] = (),
) -> Result:
    """Build a view's `result` from `(player, key)` pairs, best key first, with equal ranks for
    equal keys (1, 1, 3).

    `key` is a tuple whose first entry is the player's points; what follows breaks ties. The highest
    key is best, with `lowest` the lowest. Winners are all of rank 1. `sides`: who plays together
    (see `Game.list_sides`); the players of a side share its rank, which the sums of their keys
    decide.

    >>> result = rank_players([("Ann", (7, 2)), ("Ben", (9, 1)), ("Cy", (7, 2))])
    >>> [(row["player"], row["rank"]) for row in result["ranking"]]
    [('Ben', 1), ('Ann', 2), ('Cy', 2)]
    >>> result["winners"]
    ['Ben']
    >>> four = [("Ann", (2,)), ("Ben", (4,)), ("Cy", (3,)), ("Dee", (4,))]
    >>> result = rank_players(four, sides=((0, 2), (1, 3)))
    >>> [(row["player"], row["rank"]) for row in result["ranking"]]
    [('Ben', 1), ('Dee', 1), ('Ann', 3), ('Cy', 3)]
    """
    decisive = [key for _, key in points]
    for side in sides:
        total = tuple(map(sum, zip(*(points[seat][1] for seat in side), strict=True)))
        for seat in side:
            decisive[seat] = total
    # The sort is stable: tied players stay in the order of their seats.
    order = sorted(range(len(points)), key=lambda seat: decisive[seat], reverse=not lowest)
    # The rank is one more than the number of players with a better key, so that ties share it.
    keys = [decisive[seat] for seat in order]
    ranking: list[Ranked] = [
        {
            "player": points[seat][0],
            "points": format_points(Fraction(points[seat][1][0])),
            "rank": 1 + keys.index(decisive[seat]),
        }
        for seat in order
    ]
    return {"winners": [row["player"] for row in ranking if row["rank"] == 1], "ranking": ranking}


def replace_at_seat(row: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """Return `row` (one entry per seat) with the entry of `seat` (from 0) replaced by `value`."""
    return (*row[:seat], value, *row[seat + 1 :])


class VisibleCards(msgspec.Struct, frozen=True):
    """Cards that a player has laid on the table: their names as in requests, "" for each face-down
    card. `leads`: they are the cards that the next player must beat."""

    player: str
    cards: tuple[str, ...]
    leads: bool = False


_ROUND_NAMES = ("round", "hand_number")
"""Fields of views that number the rounds; a game with neither has none."""


class GameState(Protocol):
    """The properties that every game's state has."""

    @property
    def phase(self) -> str:
        """The current phase: a name in `PHASES`, `"game_over"` when the game has ended."""

    @property
    def acting_player(self) -> str | None:
        """The player in turn; None if the table as a whole or several players may act."""


S = TypeVar("S", bound=GameState)
"""A game's state: a frozen Struct."""
Transitions: TypeAlias = list[tuple[Event, S]]
"""A sequence of events, each with the state after it."""


def _generate_distinct(plays: Iterable[T]) -> Iterator[T]:
    """Generate each play once, at its first occurrence."""
    found: set[T] = set()
    for play in plays:
        if play not in found:
            found.add(play)
            yield play


def _return_no_event(_state: Any) -> Event | None:
    return None


class Phase(msgspec.Struct, frozen=True):
    """A phase of a game: its clause, and the event that may follow without a request."""

    clause: str | None
    """The clause that describes the phase, at which a rules page is opened. None: a moment in which
    nobody is asked, which no view shows."""
    then: Callable[[Any], Event | None] = _return_no_event
    """Return the event that happens next without a request; None: somebody must act."""


M = TypeVar("M", bound=Request | Event)


def _list_message_types(moves: ModuleType, kind: type[M]) -> tuple[type[M], ...]:
    """List the public classes of this kind that the module `moves` itself defines, in its order."""
    return tuple(
        one
        for name, one in vars(moves).items()
        if isinstance(one, type) and issubclass(one, kind)
        # Not the imported ones, nor base classes that begin with an underscore.
        if one.__module__ == moves.__name__ and not name.startswith("_")
    )


class Game(ABC, Generic[S]):
    """A game's rules. Instances are stateless: everything that changes is in the state `S`, a
    frozen value."""

    id: ClassVar[str]
    """The name of the game's folder, `donkey_valley`; also the domain of its message catalogue and
    the name of its deck."""
    seats: ClassVar[range]
    """The numbers of players that can play, `range(3, 8)`."""
    options: ClassVar[tuple[Option, ...]] = ()
    cards: ClassVar[Mapping[Any, int | None]] = {}
    """Every card by its name on the wire, with the number of its copies as the game is usually
    played (None: they differ from box to box); {} where requests name no cards."""
    moves: ClassVar[ModuleType]
    """The module that defines its requests, questions, events and `PHASES`, in the order of play;
    the module of the game itself unless set."""
    requests: ClassVar[tuple[type[Request], ...]]
    questions: ClassVar[tuple[type[Question], ...]]
    events: ClassVar[tuple[type[Event], ...]]
    draws: ClassVar[frozenset[type[Request | Event]]]
    """The requests and events in which the program may draw something at random."""
    phases: ClassVar[Mapping[str, Phase]]
    clauses: ClassVar[Mapping[str, str]]
    """The clause that describes each phase, by the name of the phase."""
    turn_clause: ClassVar[str | None] = None
    """The clause that says whose turn it is."""
    view_type: ClassVar[Any] = CommonView
    """The type of its view, a `TypedDict` with `players`; pages and schemas are generated from
    it."""
    repeatable_requests: ClassVar[tuple[type[Request], ...]] = ()
    """Requests that all players often make identically, one after the other; views offer to enter
    them for everybody at once."""
    lowest_wins: ClassVar[bool] = False
    tie_break: ClassVar[str] = ""
    """What decides between players with equal points, "" for nothing: a number that is counted at
    the end as points are, as the game's catalogue calls it (`tie_break.<name>`). The sentence of
    the rules about it is `tie_break.<name>.decided`, and `tie_break.<name>.shared` where it is
    equal, too."""
    fields_left_out: ClassVar[frozenset[str]] = frozenset()
    """Fields of the state, and of the values in it, that positions leave out: seals, which nobody
    could open, and what is kept only for the report of the last move."""

    def __init_subclass__(cls) -> None:
        # A game of one file (`docs/sixth_game`) names no module: its moves stand beside the class.
        moves = cls.moves = getattr(cls, "moves", None) or sys.modules[cls.__module__]
        cls.requests = tuple(
            one for one in _list_message_types(moves, Request) if not issubclass(one, Question)
        )
        cls.questions, cls.events = _list_message_types(moves, Question), _list_message_types(moves, Event)
        # Sessions ask these few kinds for what they drew, and skip the others (most) at once.
        drawing_requests = [kind for kind in cls.requests if kind.draw_key is not Request.draw_key]
        drawing_events = [kind for kind in cls.events if kind.recorded_draw is not Event.recorded_draw]
        cls.draws = frozenset[type[Request | Event]]((*drawing_requests, *drawing_events))
        cls.phases = moves.PHASES
        cls.clauses = {name: one.clause for name, one in cls.phases.items() if one.clause}

    def default_options(self, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the default of every option that is not `chosen`. A default may depend on the
        chosen ones (Ascend's target on bidding)."""
        return {option.name: option.default for option in self.options}

    def check_options(self, setup: Setup) -> Refusal | None:
        """Refuse a set-up whose options do not fit together (`bad_option`). Types and ranges have
        been checked already."""
        return None

    @abstractmethod
    def start(self, setup: Setup) -> S:
        """Return the first state."""

    def check_position(self, state: S) -> Refusal | None:
        """Refuse a state that was read from a position (`companion.rules.positions`) and cannot
        occur (`bad_position`). Its types have been checked already.

        A game that does not override it takes no positions: its rules would fail in impossible
        ones.
        """
        return refuse("bad_position", message="position_unsupported")

    def list_cards_in_play(self, setup: Setup) -> Mapping[Any, int | None]:
        """Return the cards of `cards` that these options leave in play, with their copies."""
        return self.cards

    def describe_card_attributes(self, card: Named) -> Mapping[str, Any]:
        """Return what the rules read from a card, as JSON values, where its name does not tell
        (`rank`, `suits`); {} where it does."""
        return {}

    def decide(self, state: S, request: Any) -> Transitions[S] | Refusal:
        """Decide on `request`: return the events it leads to, with all consequences, or a refusal.
        The players that it names are known to play, and the game is not over."""
        refusal = (
            request.check_before_phase(state)
            or self.check_phase(state, request)
            or self.check_turn(state, request)
        )
        if refusal is not None:
            return refusal
        decided: Decision = request.decide(state)
        return decided if isinstance(decided, Refusal) else self.with_consequences(state, decided)

    def check_phase(self, state: S, request: Request) -> Refusal | None:
        """Refuse a request that is not possible in this phase."""
        # A tuple where a request is possible in several phases.
        due = request.phase
        if state.phase == due or (isinstance(due, tuple) and state.phase in due):
            return None
        return refuse("wrong_phase", self.clause_of(request), awaited=self.describe_awaited(state))

    def clause_of(self, request: Request) -> str | None:
        """Return the clause that a refusal cites when `request` is made in the wrong phase."""
        return request.clause

    def check_turn(self, state: S, request: Request) -> Refusal | None:
        """Refuse a player who acts out of turn. A game in which several players may do different
        things at the same time overrides this."""
        player = getattr(request, "player", None)
        # Requests of the table as a whole have no player.
        if player is None or not request.in_turn or player == state.acting_player:
            return None
        return refuse("not_your_turn", self.turn_clause, player=player, awaited=self.describe_awaited(state))

    def next_event(self, state: S) -> Event | None:
        """Return the event that happens next without a request; None: somebody must act."""
        return self.phases[state.phase].then(state)

    def with_consequences(self, state: S, decided: Event | Sequence[Event]) -> Transitions[S]:
        """Return these events and all that follow from them without a request, each with its
        state."""
        course = []
        for event in (decided,) if isinstance(decided, Event) else decided:
            state = self.evolve(state, event)
            course.append((event, state))
        # Repeatedly: the last card of a trick ends it, which may end the hand, and that the game.
        while (following := self.next_event(state)) is not None:
            state = self.evolve(state, following)
            course.append((following, state))
        return course

    def evolve(self, state: S, event: Any) -> S:
        """Return the state after `event`, whether it happens now or is read from a journal."""
        # In a variable of its own: `apply` is declared with `Any`.
        after: S = event.apply(state)
        return after

    @abstractmethod
    def view(self, state: S) -> View:
        """Return all public information as JSON values, with the fields of `CommonView`."""

    @abstractmethod
    def explain_points(self, state: S, player: str) -> Sequence[Reason]:
        """Explain the points of `player`, round by round; the reasons' points add up to the
        player's."""

    @abstractmethod
    def explain_round(self, state: S) -> Sequence[Reason]:
        """Explain the last resolved round (trick, hand, move): its result with numbers, clause and
        option. Empty before the first."""

    def list_sides(self, players: int) -> Sequence[Sequence[int]]:
        """List the sides at a table of this many players, each with its seats (from 0): who plays
        together, and shares the result. Everybody alone unless overridden."""
        return tuple((seat,) for seat in range(players))

    def rank_scores(self, scores: Sequence[tuple[str, Any]]) -> Result:
        """Rank the players by their scores at the end, by seat: `(player, (points,))`, or `(player,
        (points, tie_break))`.

        A view's `result` is made by it, and so is the ranking of a result that was counted without
        the program: nothing else decides the order.
        """
        return rank_players(scores, lowest=self.lowest_wins, sides=self.list_sides(len(scores)))

    def find_round(self, view: View) -> int | str | None:
        """Return the number of the round (or hand) in a view, by which score sheets and corrections
        are divided; None in a game without rounds."""
        return next((view[name] for name in _ROUND_NAMES if view.get(name) is not None), None)

    def count_tie_break(self, row: Mapping[str, Any]) -> int:
        """Return what a player has of `tie_break`. `row`: the player's in the view."""
        return 0

    def describe(self, state: S, event: Any) -> Text | None:
        """Describe one event for the voice and the plain view (`state`: the one after it); None for
        events that need no announcement."""
        said: Text | None = event.describe(state)
        return said

    def check_sealed_cards(self, state: S, player: str, cards: Sequence[int | str]) -> Refusal | None:
        """Refuse readings that cannot be the cards before `player`: unknown cards, or cards that
        are known to be elsewhere. They come in a request's field `sealed`; this is called only for
        requests that are accepted otherwise."""
        return None

    def list_seals(self, state: S, player: str) -> Sequence[str]:
        """List the seals of the cards that `player` is to turn up, in the order in which the cards
        were laid; () where none is sealed."""
        return ()

    def list_setup_steps(self, state: S) -> Sequence[SetupStep]:
        """List the steps of the rule sheet before the first round, in order; `state` is the first
        state."""
        return ()

    @abstractmethod
    def describe_awaited(self, state: S) -> Text:
        """Describe in one short sentence who must act now, and what they must do."""

    @abstractmethod
    def list_choices(self, state: S, player: str | None) -> Sequence[Choice]:
        """List every request that can be entered manually now by `player` (None: those of the whole
        table), for keys and menus."""

    def list_attempts(self, state: S, player: str | None) -> Sequence[Choice]:
        """List the entries of the right shape that people may type now, possible or not, each with
        its key: those that `list_choices` leaves out are refused by the rules, with the reason.

        Override it wherever `list_choices` depends on more than the phase.
        """
        return ()

    def refuse_idle_player(self, state: S, player: str) -> Refusal:
        """Return why `player` has nothing to do now: who must act, and the clause."""
        awaited = self.describe_awaited(state)
        return refuse(
            "not_your_turn", self.clauses.get(state.phase), message="idle", player=player, awaited=awaited
        )

    def list_legal(self, state: S, player: str, cards: Sequence[Named] | None = None) -> LegalRequests:
        """List the requests that `player` may make now, their own and the table's. `cards`: the
        cards that they hold, as they claim; then only plays of these cards are listed."""
        offered = self.list_offered(state, player)
        if cards is None:
            return offered
        legal, left = list(offered.legal), []
        for one in offered.open:
            # Its cards are not from the hand, so `cards` does not narrow it.
            if not one.held:
                left.append(one)
                continue
            plays = self.generate_plays(state, one, cards)
            # One more than the limit, to see whether there are more. Distinct plays count: some are
            # generated several times.
            listed = list(islice(_generate_distinct(plays), MOST_LISTED + 1))
            if len(listed) > MOST_LISTED:
                domain = replace(one.free[one.held], of=tuple(cards))
                left.append(replace(one, free={**one.free, one.held: domain}))
                continue
            requests = [replace(one.request, **{one.held: play}) for play in listed]
            # `generate_plays` only narrows the search: each play is judged by the rules themselves.
            legal += [each for each in requests if not isinstance(self.decide(state, each), Refusal)]
        return LegalRequests(legal, left)

    def list_offered(self, state: S, player: str) -> LegalRequests:
        """List the requests that `player` may make, whatever cards they hold: those of the menus.
        Override it where menus leave out forms of a request, or list what the player cannot
        know."""
        # The table's requests may be sent by any player.
        table, own = self.list_choices(state, None), self.list_choices(state, player)
        legal = [one.request for one in (*table, *own) if one.pick is None]
        # Only a player's own choices take cards from the hand; the table's name cards that lie
        # open.
        picked = [(one, False) for one in table] + [(one, True) for one in own]
        free = [
            OpenRequest(one.request, {one.pick.field: one.pick.domain}, one.pick.field if held else "")
            for one, held in picked
            if one.pick is not None
        ]
        return LegalRequests(legal, free)

    def generate_plays(
        self, state: S, request: OpenRequest, cards: Sequence[Named]
    ) -> Iterable[tuple[Named, ...]]:
        """Generate the parts of `cards` that may go into `request`; `decide` checks each of them.
        Override it where legal plays have a form: thirteen cards have thousands of parts."""
        domain = request.free[request.held]
        # A field without bounds takes one card.
        return generate_card_subsets(cards, domain.least or 1, domain.most or 1)

    def simultaneous_players(self, state: S) -> Sequence[str]:
        """List the players who decide simultaneously now, without knowing each other's choices; ()
        where decisions are public.

        A view that lets them act apart keeps each of their requests sealed until all have decided.
        """
        return ()

    def answer(self, state: S, question: Any) -> Mapping[str, Any] | Refusal:
        """Answer a question with the fields that are added to `ok` and `view` in the reply."""
        answer: Mapping[str, Any] | Refusal
        # Questions, too, are refused out of phase and turn.
        answer = (
            self.check_phase(state, question) or self.check_turn(state, question) or question.answer(state)
        )
        return answer

    def interpret_claims(self, state: S, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        """Turn the unused cards and buttons on the table into requests and doubts. Claims without a
        meaning in this phase are ignored."""
        return ()

    def layout_cards(self, state: S) -> Mapping[str, tuple[str, ...]]:
        """Return where each known card should be: place (`seat:2 up`, `seat:2 won`, `pawns of Ann`)
        to sorted names of cards or pieces.

        Two layouts' difference is the list of real cards to move after a correction, and what to
        check after a resume.
        """
        return {}

    def list_visible_cards(self, state: S) -> Sequence[VisibleCards]:
        """List the cards on the table that matter now, for screens that draw them; () where none
        do."""
        return ()

    def tally_event(self, before: S, event: Any, after: S) -> Sequence[Tally]:
        """Return what `event` adds to the statistics: what was tried, whether it succeeded, what it
        won. Usually nothing."""
        return ()

    def compute_odds(self, state: S) -> Chance | None:
        """Return the chance of the next reveal, computed from public information; None where
        nothing is about to be revealed."""
        return None

    def automatic_request(self, state: S) -> Request | None:
        """Return the request that is due although nobody has anything to tell by it; a table makes
        it by itself. None in most games."""
        return None

    def default_request(self, state: S) -> Request | None:
        """Return the least harmful request when a player's time has run out (no favour, refuse,
        pass); None where there is none."""
        return None
