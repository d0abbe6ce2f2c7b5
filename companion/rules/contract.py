"""The contract between a game and everything around it.

A game is pure: `decide(state, request) -> events | refusal` and `evolve(state, event) -> state`. It does no I/O, reads no clock,
and its only randomness is `Setup.rng`, which is derived from the session's seed. It speaks in codes and arguments (`Text`);
the views translate. Requests, events and states are frozen msgspec Structs: requests are tagged by `do`, events by `type`.

A new game is one package with an entry point in the group `companion.games` that names an instance of `Game`.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypedDict, TypeVar, get_args

import msgspec

from companion.rules.commitments import HIDDEN, HiddenSeed
from companion.rules.figures import Odds, Tally

Arg: TypeAlias = "int | str | Text | tuple[Arg, ...]"
View: TypeAlias = dict[str, Any]
"""What `Game.view` returns: plain JSON values. Every game has the fields of `COMMON_VIEW`; docs/requests lists each game's own."""


class Waiting(TypedDict):
    """Something that can be accepted now: the request's `do`, and whose it would be (None: the table's)."""

    do: str
    player: str | None


class CommonView(TypedDict):
    """The part that every game's view has; `COMMON_VIEW` says what the fields mean."""

    game: str
    phase: str
    players: list[dict[str, Any]]
    waiting_for: list[Waiting]
    result: dict[str, Any] | None


COMMON_VIEW: Mapping[str, str] = {
    "game": "the game's id",
    "phase": "what is being done, one of the game's phases; `game_over` at the end",
    "players": "one object a player, in the order of the start, with at least `name` and `points`",
    "waiting_for": "what can be accepted now: objects with `do` and `player` (null: the table); empty when the game is over",
    "result": "null before the end, then `winners` (names) and `ranking` (`player`, `points`, `rank`; equal ranks for ties: 1, 1, 3)",
}
"""The fields that every view has, and what they mean. A game's own panel, program or page may rely on them."""


class Text(msgspec.Struct, frozen=True):
    """A sentence still to be said: a message id of the game's catalogue (or the common one) and its arguments.

    `args` values: an `int`, a `str` that is shown as it is (a player's name), another `Text` (a word to translate), or a tuple of
    these, which is shown as a list. `n` chooses the plural form where the message has one.
    """

    code: str
    args: Mapping[str, Any] = {}
    n: int | None = None


class Problem(Exception):
    """What cannot be done, in words for people: `text` says what is wrong and what to do.

    Raised with a `Text`, or with its code and arguments; `prefix` stands before the code then.
    """

    prefix: ClassVar[str] = ""

    def __init__(self, what: Text | str, /, **args: Any) -> None:
        self.text = what if isinstance(what, Text) else Text(self.prefix + what, args)
        super().__init__(self.text.code)

    def said(self, say: Callable[[Text], str]) -> str:
        """Put it into words; `say` knows the language."""
        return say(self.text)


class Reason(msgspec.Struct, frozen=True):
    """One line of an explanation: the sentence, the clauses that decided, and the points that it is worth (0: none)."""

    text: Text
    clauses: tuple[str, ...] = ()
    points: int | str = 0


class Refusal(msgspec.Struct, frozen=True):
    """Why a request cannot be accepted: the code, listed in docs/requests, the clause or None, and the words."""

    code: str
    clause: str | None
    text: Text


LONGEST_NAME = 100
"""The most characters of a player's name; what is longer fits no screen."""
_LONGEST_QUOTE = 120


def refuse(code: str, clause: str | None = None, /, *, say: str | None = None, **args: Any) -> Refusal:
    """Make a refusal whose words are the message `refusal.<code>`, or `refusal.<say>` where one code has several reasons.

    Of a word that the request held no more is quoted than fits a sentence.

    >>> refuse("card_spent", "DV-50", player="Ann", value=7).text
    Text(code='refusal.card_spent', args={'player': 'Ann', 'value': 7}, n=None)
    """
    quoted = {
        name: value[:_LONGEST_QUOTE] if isinstance(value, str) else value for name, value in args.items()
    }
    return Refusal(code, clause, Text(f"refusal.{say or code}", quoted))


def tag_of(name: str) -> str:
    """Return what a request or event is called on the wire, unless it gives a `tag` of its own: its class's name in snake case.

    >>> tag_of("CardsExchanged")
    'cards_exchanged'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


_CLOSED = frozenset({"sealed", "opened"})
_NOTHING = (None, (), msgspec.UNSET)


class Request(msgspec.Struct, frozen=True, tag_field="do", tag=tag_of):
    """A player's act, named on the wire by `tag_of`; msgspec checks names and types (strictly: `true` is no integer).

    Two field names have a meaning of their own. `sealed`: what a reader read of a card that lies face down; the session replaces it by
    a seal before the game sees it, and no text of a request shows it. `opened`: what is known under the seals that this request turns
    up (`Game.seals`); the session alone fills it, and keeps the request without it.
    """

    hides: ClassVar[bool] = False
    """Whether requests of this kind have one of those fields; most have not, and the session passes them by at once."""

    def __init_subclass__(cls) -> None:
        cls.hides = cls.hides or not _CLOSED.isdisjoint(cls.__annotations__)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        fields = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [
            (name, HIDDEN if name in _CLOSED and value not in _NOTHING else value) for name, value in fields
        ]


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=tag_of):
    """A fact, in the past tense. Holds no face-down value in the clear, ever: seals only.

    Where it tells that sealed cards were turned up, its field `opened` holds what opens their seals (`Opening`), for whoever checks.
    """

    hides: ClassVar[bool] = False
    """Whether events of this kind hold seals or what opens them."""

    def __init_subclass__(cls) -> None:
        cls.hides = cls.hides or not _CLOSED.isdisjoint(cls.__annotations__)


class Option(msgspec.Struct, frozen=True):
    """A ruling that players may choose: `kind` is the type that msgspec checks a value against (`Literal`, `bool`, ...).

    `sheet` is the rule sheet's own sentence that the readings differ about, in the sheet's language; "" where the sheet is silent.
    The game's catalogue says what the option is about, `option.<name>`, and what each value changes, `option.<name>.<value>`.
    """

    name: str
    default: Any
    kind: Any
    clause: str
    sheet: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """The values in words of the wire, the usual one first; () where there are too many to list (a number, a map).

        >>> Option("draws", "app", Literal["table", "app"], "DV-19").values
        ('app', 'table')
        """
        listed = (True, False) if self.kind is bool else get_args(self.kind)
        words = [one for one in listed if isinstance(one, str | bool)]
        return tuple(str(one).lower() for one in sorted(words, key=lambda one: one != self.default))

    def fits(self, value: object) -> bool:
        """Tell whether `value` has the option's type and lies in its range."""
        try:
            msgspec.convert(value, self.kind, strict=True)
        except msgspec.ValidationError:
            return False
        return True


class Setup(msgspec.Struct, frozen=True):
    """How a session began: the players clockwise from the first, every option with its value, and the seed.

    A seed that a client gave is public; one that the program chose nobody can read before the session is over.
    """

    game: str
    players: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int | str | HiddenSeed

    def rng(self, *purpose: object) -> random.Random:
        """Make the generator for one purpose (`"draw", round`): the same session and purpose give the same numbers, also after undo."""
        seed = self.seed.open() if isinstance(self.seed, HiddenSeed) else self.seed
        return random.Random(f"{seed!r}/{'/'.join(map(str, purpose))}")


class Step(msgspec.Struct, frozen=True):
    """One thing to do before the first round: the words, the clause, and the cards that show that it is done.

    `cards`: ids that must all lie face up, a card of each owner's where a seat is named: `(("contract:", 1), ("contract:", 2))`, as
    (how the id begins, whose or at whose place: 1..N, or None for anywhere). `count`: how many of which cards must have been shown, in
    as many lots as people like: card ids, or how they begin (`donkey:`). Both empty for what no camera can see.
    """

    text: Text
    clause: str
    cards: tuple[tuple[str, int | None], ...] = ()
    count: tuple[tuple[str, int], ...] = ()

    @property
    def all(self) -> int:
        """How many cards there are to count."""
        return sum(number for _, number in self.count)

    def shown(self, most: Mapping[str, int]) -> int:
        """Count what has been shown of the cards to count; `most`: of each card id, how many have lain there together."""
        return sum(
            min(number, sum(seen for card, seen in most.items() if card == what or _begins(card, what)))
            for what, number in self.count
        )

    def done(self, claims: Sequence[Claim], most: Mapping[str, int] | None = None) -> bool:
        """Tell whether what lies there, and what was shown before, shows that this has been done; never, where nothing would."""
        if self.shown(most or {}) < self.all:
            return False
        return bool(self.cards or self.count) and all(
            any(
                (claim.what or "").startswith(what) and seat in (None, claim.owner, _seat_of(claim.zone))
                for claim in claims
            )
            for what, seat in self.cards
        )


def _begins(card: str, what: str) -> bool:
    """Tell whether `what` is how the ids of a kind begin (`donkey:`), and `card` is of that kind."""
    return what.endswith(":") and card.startswith(what)


def _seat_of(zone: str) -> int | None:
    kind, _, number = zone.partition(":")
    return int(number) if kind == "seat" and number.isdecimal() else None


class Claim(msgspec.Struct, frozen=True):
    """What the table says now: a card lies there, or a button was pressed; stable, merged from all readers.

    `id` is that of the one placement: a card taken away and put down again has a new one. `what` is a card id, `button:accept`,
    `button:refuse`, or None for a card that shows its back. `zone` is `seat:1`..`seat:N` (in the order of the start), `middle` or `pile`.
    `owner` is the seat number (1..N) whose card it is, by its colour or by where it lies; None when nobody's.

    >>> from companion.rules.registry import load
    >>> from companion.rules.start import Start, begin
    >>> game, setup = begin(Start("donkey_valley", ["Ann", "Ben", "Cy"], seed=1))
    >>> [seen] = game.interpret(game.start(setup), [Claim(1, "donkey:giant", "middle")])
    >>> seen.request, seen.used
    (Donkey(type='giant'), (1,))
    """

    id: int
    what: str | None
    zone: str
    face: Literal["up", "down"] = "up"
    owner: int | None = None


class Proposal(msgspec.Struct, frozen=True):
    """A request that the claims add up to, and the ids of the claims that are used up by it, whether it is accepted or refused.

    `growing`: more cards may still join these (a lead of yet unknown size): act on it only once the table has been still for a
    moment, or an accept button at that seat says that it is complete (the game then proposes it with `growing` False).
    """

    request: Request
    used: tuple[int, ...]
    growing: bool = False


class Doubt(msgspec.Struct, frozen=True):
    """A question to the table: what is seen cannot be (a spent card, a colour nobody plays). Nothing is done until it is answered.

    `choices`, if any, are the answers: what is seen allows several requests (a card was played, but which pawn goes?). The one that is
    chosen, or the same request entered in another way, uses up the claims `about`.
    """

    text: Text
    about: tuple[int, ...]
    clause: str | None = None
    choices: tuple[Choice, ...] = ()


Interpretation: TypeAlias = "Proposal | Doubt"


class Pick(msgspec.Struct, frozen=True):
    """Cards that are still to be named before a choice is a request: `least` to `most` of them go into the request's `field`.

    `cards` are the names of the wire in the menu's order, each with how often it can be named; the message `card.<name>` of the
    game's catalogue says it in words. `keys`: one key for each of `cards`, of one or two characters, the same all evening whatever
    else can still be named; empty where a name of one character is its own key.
    """

    cards: tuple[tuple[str, int], ...]
    least: int
    most: int
    field: str = "cards"
    keys: tuple[str, ...] = ()


class Choice(msgspec.Struct, frozen=True):
    """One entry of the manual menu: the words, the request it makes, and the key when the choice has one of its own.

    `key` is one character, or a few that are typed one after the other (`34`: three cards, said to be fours). It stands for the same
    act all evening: what can be done besides never changes it.
    With a `pick`, `request` is complete only when cards have been picked for it: see `with_cards`.
    """

    label: Text
    request: Request
    key: str = ""
    pick: Pick | None = None

    def with_cards(self, cards: Sequence[str]) -> Request:
        """Return the request with the cards that were picked; as it is when there is nothing to pick."""
        if self.pick is None:
            return self.request
        return msgspec.structs.replace(self.request, **{self.pick.field: tuple(cards)})


S = TypeVar("S")
"""A game's state: a frozen Struct with at least the field `phase`, `"game_over"` when the game has ended."""


class Game(ABC, Generic[S]):
    """One game. Instances hold nothing that changes: all that changes is in the state `S`, a frozen value."""

    id: ClassVar[str]
    """As in the folder of its rules, `donkey_valley`; also the domain of the message catalogue and the name of the deck."""
    seats: ClassVar[range]
    """The numbers of players that can play, `range(3, 8)`."""
    options: ClassVar[tuple[Option, ...]] = ()
    requests: ClassVar[tuple[type[Request], ...]]
    questions: ClassVar[tuple[type[Request], ...]] = ()
    """Requests that change nothing and are not undone (Partners' `moves`); answered by `answer`."""
    alike: ClassVar[tuple[type[Request], ...]] = ()
    """Requests that all players often make alike, one after the other; views offer to enter them for everybody at once."""
    events: ClassVar[tuple[type[Event], ...]]
    clauses: ClassVar[Mapping[str, str]] = {}
    """The clause that says what is done in each phase: where a rules page is opened."""
    lowest_wins: ClassVar[bool] = False

    def defaults(self, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the value of every option that is not `chosen`; a default may depend on what is (Ascend's target on bidding)."""
        return {option.name: option.default for option in self.options}

    def check(self, setup: Setup) -> Refusal | None:
        """Refuse a set-up whose options do not fit together (`bad_option`); types and ranges have been checked already."""
        return None

    @abstractmethod
    def start(self, setup: Setup) -> S:
        """Return the first state."""

    @abstractmethod
    def decide(self, state: S, request: Any) -> Sequence[Event] | Refusal:
        """Say what happens when `request` is made now. Its `player`, if it has one, is known to play; the game is not over."""

    @abstractmethod
    def evolve(self, state: S, event: Any) -> S:
        """Return the state after `event`, an event that `decide` gave (now, or when the journal was written)."""

    @abstractmethod
    def view(self, state: S) -> View:
        """Return what everybody at the table may know, in JSON values, with at least the fields of `COMMON_VIEW`."""

    @abstractmethod
    def explain(self, state: S, player: str) -> Sequence[Reason]:
        """Say why `player` has the points that they have, round by round; the reasons' points add up to the player's points."""

    @abstractmethod
    def report(self, state: S) -> Sequence[Reason]:
        """Say what the last resolved round (trick, hand, move) came to and why: numbers, clause, option. Empty before the first."""

    @abstractmethod
    def describe(self, state: S, event: Any) -> Text | None:
        """Put one event into words for the voice and the plain view (`state`: after it); None for events nobody needs to hear."""

    def sealable(self, card: int | str) -> Refusal | None:
        """Refuse what can be no card in a request's field `sealed`; asked only of requests that are accepted otherwise."""
        return None

    def seals(self, state: S, player: str) -> Sequence[str]:
        """List the seals by which `player`'s turning up is judged, in the order in which the cards were laid; () where none lies."""
        return ()

    def checklist(self, state: S) -> Sequence[Step]:
        """List what the sheet says is to be done before the first round, in its order; `state` is the first."""
        return ()

    @abstractmethod
    def awaited(self, state: S) -> Text:
        """Say in one short sentence what is awaited now, and from whom."""

    @abstractmethod
    def choices(self, state: S, player: str | None) -> Sequence[Choice]:
        """List every request that can be entered by hand now for `player` (None: those of the whole table), for keys and menus."""

    def together(self, state: S) -> Sequence[str]:
        """List the players who decide now at one moment, none knowing what the others say; () where decisions are open.

        A view that lets them act apart keeps each of their requests sealed until all have decided.
        """
        return ()

    def answer(self, state: S, question: Any) -> Mapping[str, Any] | Refusal:
        """Answer a question with the fields that join `ok` and `view` in the reply."""
        raise LookupError(
            f"{self.id} has no questions"
        )  # pragma: no cover - unreachable while `questions` is empty

    def interpret(self, state: S, claims: Sequence[Claim]) -> Sequence[Interpretation]:
        """Turn what lies on the table and has not been used yet into requests and doubts. Claims that mean nothing now are left alone."""
        return ()

    def layout(self, state: S) -> Mapping[str, tuple[str, ...]]:
        """Say where each known real card should lie: place (`seat:2 up`, `seat:2 won`, `pawns of Ann`) to sorted names of cards or pieces.

        Two layouts' difference is the list of real cards to move after a correction, and what to check after a resume.
        """
        return {}

    def tallies(self, before: S, event: Any, after: S) -> Sequence[Tally]:
        """Say what `event` adds to the figures of evenings: what was tried, whether it was right, what it won. Usually nothing."""
        return ()

    def odds(self, state: S) -> Odds | None:
        """Return the chance of what is about to be turned up, from what `state` knows, and that is public; None when nothing is."""
        return None

    def harmless(self, state: S) -> Request | None:
        """Return the request that hurts least, for a clock that ran out (no favour, refuse, pass); None where there is none."""
        return None


GAME_OVER = "game_over"


def ranked(points: Sequence[tuple[str, Any]], *, lowest: bool = False) -> dict[str, Any]:
    """Make a view's `result` from `(player, key)` pairs, best key first, equal keys equal ranks (1, 1, 3).

    `key` is a tuple whose first entry is the player's points; what follows breaks ties. The highest key is best, with `lowest` the
    lowest. Winners are all of rank 1.

    >>> result = ranked([("Ann", (7, 2)), ("Ben", (9, 1)), ("Cy", (7, 2))])
    >>> [(row["player"], row["rank"]) for row in result["ranking"]]
    [('Ben', 1), ('Ann', 2), ('Cy', 2)]
    >>> result["winners"]
    ['Ben']
    """
    order = sorted(points, key=lambda entry: entry[1], reverse=not lowest)
    keys = [key for _, key in order]
    ranking = [{"player": player, "points": key[0], "rank": 1 + keys.index(key)} for player, key in order]
    return {"winners": [row["player"] for row in ranking if row["rank"] == 1], "ranking": ranking}
