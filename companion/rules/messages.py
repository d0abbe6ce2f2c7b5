"""The values that pass between a game and the program: texts, refusals, requests and events."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, dataclass_transform

import msgspec

from companion.rules.commitments import HIDDEN

Arg: TypeAlias = "int | str | Text | tuple[Arg, ...]"


class Text(msgspec.Struct, frozen=True):
    """A sentence before translation: a message id of the game's catalogue (or the common one) and
    its arguments.

    `args` values: an `int`, a `str` that is shown as it is (a player's name), another `Text` (a
    word to translate), or a tuple of these, which is shown as a list. `n` chooses the plural form
    where the message has one.
    """

    code: str
    args: Mapping[str, Any] = {}
    n: int | None = None


class Problem(Exception):
    """An error that people can understand and act on: `text` says what is wrong and what to do.

    Raise it with a `Text`, or with a message code and arguments; `prefix` is put before the code.
    """

    prefix: ClassVar[str] = ""

    def __init__(self, message: Text | str, /, **args: Any) -> None:
        self.text = message if isinstance(message, Text) else Text(self.prefix + message, args)
        super().__init__(self.text.code)

    def describe(self, say: Callable[[Text], str]) -> str:
        """Translate it by `message`, which knows the language."""
        return say(self.text)


def describe_exception(fault: BaseException) -> str:
    """Return an exception in one line of at most 200 characters, to be part of a sentence."""
    return " ".join(f"{type(fault).__name__}: {fault}".split())[:200]


class Reason(msgspec.Struct, frozen=True):
    """One line of an explanation: a sentence, the clauses that decide, and the points (0: none).

    `turned`: the names of the cards it is about that lie face up now; screens turn them one by one
    before they show it.
    """

    text: Text
    clauses: tuple[str, ...] = ()
    points: int | str = 0
    turned: tuple[str, ...] = ()


class Refusal(msgspec.Struct, frozen=True):
    """A reason why a request is not accepted: the code (docs/requests), the clause or None, the
    words."""

    code: str
    clause: str | None
    text: Text


LONGEST_NAME = 100
"""The most characters of a player's name; a longer one fits no screen."""
_LONGEST_QUOTE = 120
"""The most characters that a refusal quotes from a request's text: more than `LONGEST_NAME`, so
that names are quoted completely."""


def refuse(code: str, clause: str | None = None, /, *, message: str | None = None, **args: Any) -> Refusal:
    """Make a refusal with the message `refusal.<code>`, or `refusal.<say>` where one code has
    several reasons.

    Long values from the request are shortened, so that they fit a sentence.

    >>> refuse("card_spent", "DV-50", player="Ann", value=7).text
    Text(code='refusal.card_spent', args={'player': 'Ann', 'value': 7}, n=None)
    """
    # A request may hold a word of any length, up to the limit of a line.
    quoted = {name: _truncate_quote(value) for name, value in args.items()}
    return Refusal(code, clause, Text(f"refusal.{message or code}", quoted))


def _truncate_quote(value: Any) -> Any:
    # What fits stays what it is: a name that is shown as it is (`people.AsIs`) is more than a word.
    return value[:_LONGEST_QUOTE] if isinstance(value, str) and len(value) > _LONGEST_QUOTE else value


def derive_tag(name: str) -> str:
    """Return the tag of a request or event on the wire: its class's name in snake case. A class may
    give its own `tag` instead.

    >>> derive_tag("CardsExchanged")
    'cards_exchanged'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


_CLOSED = frozenset({"sealed", "opened"})
_NOTHING = (None, (), msgspec.UNSET)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, frozen=True, tag_field="do", tag=derive_tag):
    """A player's action, named on the wire by `derive_tag`; msgspec checks names and types
    (strictly: `true` is not an integer). A field `player` names the player who makes it.

    Each kind defines when it can be made (`phase`), by whom (`in_turn`), and what it leads to
    (`decide`). The game checks in this order: `mentioned_players`, `check_before_phase`, phase,
    turn, `decide`.

    The field name `sealed` is special: it holds a reader's reading of a face-down card. The session
    replaces it by a seal before the game sees it, and no text of a request shows it. A request that
    turns cards up (`hides_cards` is True) returns from `with_openings` the request to decide on
    once the cards under their seals are known (`Game.list_seals`).
    """

    phase: ClassVar[str | tuple[str, ...]] = ()
    """The phases in which it can be made: one name or several."""
    in_turn: ClassVar[bool] = True
    """Whether only the player in turn can make it."""
    clause: ClassVar[str | None] = None
    """The clause that a refusal cites when it is made in the wrong phase."""
    is_pass: ClassVar[bool] = False
    """Whether the player plays nothing by it, but passes or discards: screens set it apart."""
    hides_cards: ClassVar[bool] = False
    """Whether requests of this kind lay or turn up face-down cards; most do not, and skip the
    seals."""

    def __init_subclass__(cls) -> None:
        cls.hides_cards = cls.hides_cards or not _CLOSED.isdisjoint(cls.__annotations__)

    def mentioned_players(self) -> Sequence[str]:
        """List the players besides `player` that it names; each must take part in the game."""
        return ()

    def check_before_phase(self, state: Any) -> Refusal | None:
        """Refuse for a reason that comes before the wrong phase and the wrong turn."""
        return None

    def decide(self, state: Any) -> Decision:
        """Return the events it leads to, or a refusal; phase and turn have been checked. Events
        that follow automatically come from `Game.next_event`."""
        raise NotImplementedError(type(self).__name__)

    def with_openings(self, openings: Sequence[Any]) -> Request:
        """Return the request to decide on, given `list_openings` of the seals of the cards it turns
        up. Only the session provides them: no field of a request holds them."""
        return self

    def for_replay(self, events: Sequence[Event]) -> Request:
        """Return the request to repeat after an earlier act was corrected; `events` are those that
        it led to the first time."""
        return self

    def draw_key(self, state: Any) -> Hashable:
        """Return a key for the random draw that it makes in `state`, None if it makes none. A draw
        with the same key always has the same result (as `for_replay` repeats it), even when its
        seed is lost."""
        return None

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        fields = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [
            # An empty field hides nothing, and says so.
            (name, HIDDEN if name in _CLOSED and value not in _NOTHING else value)
            for name, value in fields
        ]


class Question(Request):
    """A request that only asks: it changes nothing, makes no event and cannot be undone."""

    def answer(self, state: Any) -> Mapping[str, Any] | Refusal:
        """Return the fields that are added to `ok` and `view` in the reply."""
        raise NotImplementedError(type(self).__name__)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Event(msgspec.Struct, frozen=True, tag_field="type", tag=derive_tag):
    """A fact, in the past tense. It never holds a face-down value in the clear, only its seal.

    Each kind defines what it changes (`apply`) and how it is described (`describe`).

    Where sealed cards were turned up, its field `opened` holds the `Opening` of each seal, so that
    anybody can check them.
    """

    hides_cards: ClassVar[bool] = False
    """Whether events of this kind hold seals or their openings."""

    def __init_subclass__(cls) -> None:
        cls.hides_cards = cls.hides_cards or not _CLOSED.isdisjoint(cls.__annotations__)

    def apply(self, state: Any) -> Any:
        """Return the state after it. Nothing is checked: it has already happened."""
        raise NotImplementedError(type(self).__name__)

    def describe(self, state: Any) -> Text | None:
        """Describe it (`state`: the one after it); None for events that need no announcement."""
        return None

    def recorded_draw(self, state: Any) -> tuple[Hashable, tuple[int, ...]] | None:
        """Return a key for the random draw that it records, made in `state` (the one before it),
        and the places drawn; None where nothing was drawn.

        Once made, it comes out the same (as `with_draw` tells it), also where the seed it was made
        with is lost.
        """
        return None

    def with_draw(self, state: Any, places: Sequence[int]) -> Event:
        """Return this event with other places drawn, in `state`."""
        return self


Decision: TypeAlias = Event | Sequence[Event] | Refusal
"""The result of deciding on a request: events, or a refusal."""
