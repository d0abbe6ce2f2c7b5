"""The contract between a game and everything around it.

A game is a pure state machine. A **move** is one class: a `Request` says what it leads to
(`decide`), an `Event` what it changes (`apply`) and how it is told (`said`). `PHASES`, a table at
the top of the module of the moves, says what is done in each phase and what follows there by
itself. The `Game` checks phase and turn, once for all games, and calls these.

It does no I/O, reads no clock, and its only randomness is `Setup.rng`, which is derived from the
session's seed. It speaks in codes and arguments (`Text`); the views translate. Requests, events and
states are frozen msgspec Structs: requests are tagged by `do`, events by `type`.

All that a game needs is imported from here, whichever file it stands in.

A new game is one package with an entry point in the group `companion.games` that names an instance
of `Game`.
"""

from __future__ import annotations

import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeAlias, TypedDict, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from companion.rules.choices import (
    Choice,
    Domain,
    Legal,
    Named,
    Open,
    Part,
    Parts,
    Pick,
    Shortcut,
    Spots,
    parts,
)
from companion.rules.claims import BoardSeen, Claim, Doubt, Interpretation, Proposal, Step
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
    refuse,
    tag_of,
)


class Tally(msgspec.Struct, frozen=True):
    """One thing that a player did or met, to be counted.

    `table` names the count it belongs to: the message `figures.<table>` of the game's catalogue is
    its heading. `row`: what exactly, in words. `times`: how often. `points`: what it won, all times
    together (a text such as `7/3` where points are shared), None where nothing is won by it.
    `right`: whether it came out as the player meant, None where that is no question. `usual`: the
    row beside which the others are judged (a round without a favour).
    """

    table: str
    row: Text
    player: str
    points: int | str | None = None
    right: bool | None = None
    usual: bool = False
    times: int = 1


class Odds(msgspec.Struct, frozen=True):
    """How likely something is: the words for it (with the argument `percent`), and `ways` of
    `among` equally likely ones."""

    code: str
    ways: int
    among: int

    @property
    def chance(self) -> Fraction:
        """The exact chance, 0 to 1."""
        return Fraction(self.ways, self.among)

    @property
    def text(self) -> Text:
        """The words, with the chance in percent."""
        return Text(self.code, {"percent": Text("figures.percent", {"percent": self.percent})})

    @property
    def percent(self) -> int:
        """The chance in whole percent; never 0 or 100 for what is not certain.

        >>> Odds("odds.overloaded", 1, 1000).percent, Odds("odds.overloaded", 999, 1000).percent
        (1, 99)
        """
        rounded = round(100 * self.chance)
        return rounded if self.ways in (0, self.among) else min(max(rounded, 1), 99)


class Option(msgspec.Struct, frozen=True):
    """A ruling that players may choose: `kind` is the type that msgspec checks a value against
    (`Literal`, `bool`, ...).

    `sheet` is the rule sheet's own sentence that the readings differ about, in the sheet's
    language; "" where the sheet is silent. The game's catalogue says what the option is about,
    `option.<name>`, and what each value changes, `option.<name>.<value>`.
    """

    name: str
    default: Any
    kind: Any
    clause: str
    sheet: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The values in words of the wire, the usual one first; () where there are too many to list
        (a number of a range, a map).

        >>> from typing import Literal
        >>> Option("draws", "app", Literal["table", "app"], "DV-19").values
        ('app', 'table')
        >>> Option("favours", 2, Literal[1, 2, 3], "DV-13").values
        ('2', '1', '3')
        """
        listed = (True, False) if self.kind is bool else get_args(self.kind)
        words = [one for one in listed if isinstance(one, str | int)]
        return tuple(str(one).lower() for one in sorted(words, key=lambda one: one != self.default))

    def fits(self, value: object) -> bool:
        """Tell whether `value` has the option's type and lies in its range."""
        try:
            msgspec.convert(value, self.kind, strict=True)
        except msgspec.ValidationError:
            return False
        return True


class Setup(msgspec.Struct, frozen=True):
    """How a session began: the players clockwise from the first, every option with its value, and
    the seed.

    A seed that a client gave is public; one that the program chose nobody can read before the
    session is over.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int | str | HiddenSeed

    def rng(self, *purpose: object) -> random.Random:
        """Make the generator for one purpose (`"draw", round`): the same session and purpose give
        the same numbers, also after undo."""
        seed = self.seed.open() if isinstance(self.seed, HiddenSeed) else self.seed
        # Text, not `hash`: Python salts the hash of text anew in each process.
        return random.Random(f"{seed!r}/{'/'.join(map(str, purpose))}")


__all__ = [
    "GAME_OVER",
    "LONGEST_NAME",
    "Arg",
    "BoardSeen",
    "Choice",
    "Claim",
    "CommonView",
    "CountAndValue",
    "Course",
    "Decision",
    "Domain",
    "Doubt",
    "Event",
    "Game",
    "Interpretation",
    "Legal",
    "Named",
    "Open",
    "Option",
    "Part",
    "Parts",
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
    "Shortcut",
    "Spots",
    "Step",
    "TableView",
    "Text",
    "Told",
    "View",
    "Waiting",
    "parts",
    "ranked",
    "refuse",
    "tag_of",
]

View: TypeAlias = Mapping[str, Any]
"""What `Game.view` returns: plain JSON values, for each game of the type that it `shows`."""
Told: TypeAlias = msgspec.Meta
"""What a field of a view means, for the pages: `Annotated[int, Told(description=...)]`."""


class Waiting(TypedDict):
    """Something acceptable now: the request's `do`, and whose it would be (None: the table's)."""

    do: str
    player: str | None


class Ranked(TypedDict):
    """A player's place at the end."""

    player: str
    points: int | str
    rank: int


class Result(TypedDict):
    """Who has won, and everybody's place."""

    winners: list[str]
    ranking: list[Ranked]


class CountAndValue(TypedDict):
    """So many cards of this value."""

    count: int
    value: int


class TableView(TypedDict):
    """What every game's view has besides `players`."""

    game: Annotated[str, Told(description="the game's id")]
    phase: Annotated[
        str, Told(description="what is being done, one of the game's phases; `game_over` at the end")
    ]
    waiting_for: Annotated[
        list[Waiting],
        Told(
            description="what can be accepted now: objects with `do` and `player` (null: the table); empty when the game is over"
        ),
    ]
    result: Annotated[
        Result | None,
        Told(
            description="null before the end, then `winners` and `ranking` (`player`, `points`, `rank`; equal ranks for ties: 1, 1, 3)"
        ),
    ]


class PlayerRow(TypedDict):
    """What every game's view tells of a player."""

    name: str
    points: int | str


class CommonView(TableView):
    """The part that every game's view has: panels, programs and pages rely on it."""

    players: Annotated[
        list[PlayerRow],
        Told(description="one object a player, in the order of the start, with at least `name` and `points`"),
    ]


GAME_OVER = "game_over"
MOST_LISTED = 20_000
"""The most plays that `legal` lists of one request: a quarter of a second. Of more it tells the
domain."""


def ranked(
    points: Sequence[tuple[str, Any]], *, lowest: bool = False, shown: Callable[[Any], int | str] = int
) -> Result:
    """Make a view's `result` from `(player, key)` pairs, best key first, equal keys equal ranks (1,
    1, 3).

    `key` is a tuple whose first entry is the player's points; what follows breaks ties. The highest
    key is best, with `lowest` the lowest. Winners are all of rank 1. `shown`: points as the view
    has them.

    >>> result = ranked([("Ann", (7, 2)), ("Ben", (9, 1)), ("Cy", (7, 2))])
    >>> [(row["player"], row["rank"]) for row in result["ranking"]]
    [('Ben', 1), ('Ann', 2), ('Cy', 2)]
    >>> result["winners"]
    ['Ben']
    """
    order = sorted(points, key=lambda entry: entry[1], reverse=not lowest)
    keys = [key for _, key in order]
    ranking: list[Ranked] = [
        {"player": player, "points": shown(key[0]), "rank": 1 + keys.index(key)} for player, key in order
    ]
    return {"winners": [row["player"] for row in ranking if row["rank"] == 1], "ranking": ranking}


class Laid(msgspec.Struct, frozen=True):
    """Cards that a player has laid for all to see: their names as requests have them, "" for each
    that lies face down. `leads`: they are what the next must beat."""

    player: str
    cards: tuple[str, ...]
    leads: bool = False


class Stands(Protocol):
    """What the state of every game says."""

    @property
    def phase(self) -> str:
        """What is being done: a name in `PHASES`, `"game_over"` when the game has ended."""

    @property
    def acting(self) -> str | None:
        """Whose turn it is; None: the table's as a whole, or several may act."""


S = TypeVar("S", bound=Stands)
"""A game's state: a frozen Struct."""
Course: TypeAlias = list[tuple[Event, S]]
"""What happens, each event with the state after it."""


def _nothing(_state: Any) -> Event | None:
    return None


class Phase(msgspec.Struct, frozen=True):
    """What is done while a game stands so."""

    clause: str | None
    """The clause that says it: where a rules page is opened. None: a moment in which nobody is
    asked, which no view shows."""
    then: Callable[[Any], Event | None] = _nothing
    """What happens next in it without anybody being asked; None: somebody is awaited."""


M = TypeVar("M", bound=Request | Event)


def _of(moves: ModuleType, kind: type[M]) -> tuple[type[M], ...]:
    """List the public classes of this kind that `moves` itself defines, in its order."""
    return tuple(
        one
        for name, one in vars(moves).items()
        if isinstance(one, type) and issubclass(one, kind)
        if one.__module__ == moves.__name__ and not name.startswith("_")
    )


class Game(ABC, Generic[S]):
    """One game. Instances hold nothing that changes: that is in the state `S`, a frozen value."""

    id: ClassVar[str]
    """As in the folder of its rules, `donkey_valley`; also the domain of the message catalogue and
    the name of the deck."""
    seats: ClassVar[range]
    """The numbers of players that can play, `range(3, 8)`."""
    options: ClassVar[tuple[Option, ...]] = ()
    cards: ClassVar[Mapping[Any, int | None]] = {}
    """Every card by its name on the wire, with its copies as the game is usually played (None: they
    differ from box to box); {} where requests name none."""
    moves: ClassVar[ModuleType]
    """Where its requests, questions, events and `PHASES` stand, in the order of play; the module of
    the game itself where none is named."""
    requests: ClassVar[tuple[type[Request], ...]]
    questions: ClassVar[tuple[type[Question], ...]]
    events: ClassVar[tuple[type[Event], ...]]
    draws: ClassVar[frozenset[type[Request | Event]]]
    """The moves in which the program may draw something."""
    phases: ClassVar[Mapping[str, Phase]]
    clauses: ClassVar[Mapping[str, str]]
    """The clause that says what is done in each phase."""
    turn_clause: ClassVar[str | None] = None
    """The clause that says whose turn it is."""
    shows: ClassVar[Any] = CommonView
    """The type of its view, a `TypedDict` with `players`: pages and schemas are made from it."""
    alike: ClassVar[tuple[type[Request], ...]] = ()
    """Requests that all players often make alike, one after the other; views offer to enter them
    for everybody at once."""
    lowest_wins: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        moves = cls.moves = getattr(cls, "moves", None) or sys.modules[cls.__module__]
        cls.requests = tuple(one for one in _of(moves, Request) if not issubclass(one, Question))
        cls.questions, cls.events = _of(moves, Question), _of(moves, Event)
        kinds: tuple[type[Request | Event], ...] = (*cls.requests, *cls.events)
        cls.draws = frozenset(kind for kind in kinds if kind.draw not in (Request.draw, Event.draw))
        cls.phases = moves.PHASES
        cls.clauses = {name: one.clause for name, one in cls.phases.items() if one.clause}

    def defaults(self, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the value of every option that is not `chosen`; a default may depend on what is
        (Ascend's target on bidding)."""
        return {option.name: option.default for option in self.options}

    def check(self, setup: Setup) -> Refusal | None:
        """Refuse a set-up whose options do not fit together (`bad_option`); types and ranges have
        been checked already."""
        return None

    @abstractmethod
    def start(self, setup: Setup) -> S:
        """Return the first state."""

    def decide(self, state: S, request: Any) -> Course[S] | Refusal:
        """Say what happens when `request` is made now, and all that follows from it. The players
        whom it names are known to play; the game is not over."""
        refusal = request.barred(state) or self.not_now(state, request) or self.not_yours(state, request)
        if refusal is not None:
            return refusal
        decided: Decision = request.decide(state)
        return decided if isinstance(decided, Refusal) else self.with_consequences(state, decided)

    def not_now(self, state: S, request: Request) -> Refusal | None:
        """Refuse what cannot be done in this phase."""
        due = request.phase
        if state.phase == due or (isinstance(due, tuple) and state.phase in due):
            return None
        return refuse("wrong_phase", self.clause_of(request), awaited=self.awaited(state))

    def clause_of(self, request: Request) -> str | None:
        """Return the clause that is cited when it is not the time for `request`."""
        return request.clause

    def not_yours(self, state: S, request: Request) -> Refusal | None:
        """Refuse a player whose turn it is not. A game whose turns are not the next player's, but
        of several things that several may do, says so here."""
        player = getattr(request, "player", None)
        if player is None or not request.in_turn or player == state.acting:
            return None
        return refuse("not_your_turn", self.turn_clause, player=player, awaited=self.awaited(state))

    def follows(self, state: S) -> Event | None:
        """Return what happens next without anybody being asked; None: somebody is awaited."""
        return self.phases[state.phase].then(state)

    def with_consequences(self, state: S, decided: Event | Sequence[Event]) -> Course[S]:
        """Return what happens, and all that follows from it by itself."""
        course = []
        for event in (decided,) if isinstance(decided, Event) else decided:
            state = self.evolve(state, event)
            course.append((event, state))
        while (following := self.follows(state)) is not None:
            state = self.evolve(state, following)
            course.append((following, state))
        return course

    def evolve(self, state: S, event: Any) -> S:
        """Return the state after `event`, which happens now, or is read from a journal."""
        after: S = event.apply(state)
        return after

    @abstractmethod
    def view(self, state: S) -> View:
        """Return what everybody may know, in JSON values, with the fields of `CommonView`."""

    @abstractmethod
    def explain(self, state: S, player: str) -> Sequence[Reason]:
        """Say why `player` has the points that they have, round by round; the reasons' points add
        up to the player's points."""

    @abstractmethod
    def report(self, state: S) -> Sequence[Reason]:
        """Say what the last resolved round (trick, hand, move) came to and why: numbers, clause,
        option. Empty before the first."""

    def describe(self, state: S, event: Any) -> Text | None:
        """Put one event into words for the voice and the plain view (`state`: after it); None for
        events nobody needs to hear."""
        said: Text | None = event.said(state)
        return said

    def sealable(self, state: S, player: str, cards: Sequence[int | str]) -> Refusal | None:
        """Refuse what cannot lie before `player`, in a request's field `sealed`: no card, or one
        that everybody knows to be elsewhere; asked only of requests that are accepted otherwise."""
        return None

    def seals(self, state: S, player: str) -> Sequence[str]:
        """List the seals by which `player`'s turning up is judged, in the order in which the cards
        were laid; () where none lies."""
        return ()

    def checklist(self, state: S) -> Sequence[Step]:
        """List what the sheet says to do before the first round, in order; `state`: the first."""
        return ()

    @abstractmethod
    def awaited(self, state: S) -> Text:
        """Say in one short sentence what is awaited now, and from whom."""

    @abstractmethod
    def choices(self, state: S, player: str | None) -> Sequence[Choice]:
        """List every request that can be entered by hand now for `player` (None: those of the whole
        table), for keys and menus."""

    def legal(self, state: S, player: str, cards: Sequence[Named] | None = None) -> Legal:
        """List what `player` may ask for now, of their own and of the table's. `cards`: what they
        hold, by their own word; then plays of just these are listed."""
        offered = self.offered(state, player)
        if cards is None:
            return offered
        legal, left = list(offered.legal), []
        for one in offered.open:
            if not one.held:
                left.append(one)
                continue
            plays = self.plays(state, one, cards)
            listed = list(dict.fromkeys(islice(plays, MOST_LISTED + 1)))
            if len(listed) > MOST_LISTED:
                domain = replace(one.free[one.held], of=tuple(cards))
                left.append(replace(one, free={**one.free, one.held: domain}))
                continue
            requests = [replace(one.request, **{one.held: play}) for play in listed]
            legal += [each for each in requests if not isinstance(self.decide(state, each), Refusal)]
        return Legal(legal, left)

    def offered(self, state: S, player: str) -> Legal:
        """List what `player` may ask for, whatever cards they hold: what stands in the menus. A
        game whose menus leave out forms of a request, or list what nobody can know, says so here.
        """
        table, own = self.choices(state, None), self.choices(state, player)
        legal = [one.request for one in (*table, *own) if one.pick is None]
        picked = [(one, "") for one in table] + [(one, "held") for one in own]
        free = [
            Open(one.request, {one.pick.field: one.pick.domain}, one.pick.field if held else "")
            for one, held in picked
            if one.pick is not None
        ]
        return Legal(legal, free)

    def plays(self, state: S, request: Open, cards: Sequence[Named]) -> Iterable[tuple[Named, ...]]:
        """Give every part of `cards` that may go into `request`; `decide` tells which of them
        does. A game whose plays have a form gives fewer: of thirteen cards there are thousands."""
        domain = request.free[request.held]
        return parts(cards, domain.least or 1, domain.most or 1)

    def together(self, state: S) -> Sequence[str]:
        """List the players who decide now at one moment, none knowing what the others say; () where
        decisions are open.

        A view that lets them act apart keeps each of their requests sealed until all have decided.
        """
        return ()

    def answer(self, state: S, question: Any) -> Mapping[str, Any] | Refusal:
        """Answer a question with the fields that join `ok` and `view` in the reply."""
        answer: Mapping[str, Any] | Refusal
        answer = self.not_now(state, question) or self.not_yours(state, question) or question.answer(state)
        return answer

    def interpret(self, state: S, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        """Turn what lies on the table and has not been used yet into requests and doubts. Claims
        that mean nothing now are left alone."""
        return ()

    def layout(self, state: S) -> Mapping[str, tuple[str, ...]]:
        """Say where each known real card should lie: place (`seat:2 up`, `seat:2 won`,
        `pawns of Ann`) to sorted names of cards or pieces.

        Two layouts' difference is the list of real cards to move after a correction, and what to
        check after a resume.
        """
        return {}

    def lying(self, state: S) -> Sequence[Laid]:
        """List the cards that matter now, as they lie there, for screens that draw them; () where
        none do."""
        return ()

    def tallies(self, before: S, event: Any, after: S) -> Sequence[Tally]:
        """Say what `event` adds to the figures of evenings: what was tried, whether it was right,
        what it won. Usually nothing."""
        return ()

    def odds(self, state: S) -> Odds | None:
        """Return the chance of what is about to be turned up, from what `state` knows, and that is
        public; None when nothing is."""
        return None

    def harmless(self, state: S) -> Request | None:
        """Return the request that hurts least, for a clock that ran out (no favour, refuse, pass);
        None where there is none."""
        return None
