"""What a game says and is told: sentences still without words, refusals, requests, events."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, dataclass_transform

import msgspec

from companion.rules.commitments import HIDDEN

Arg: TypeAlias = "int | str | Text | tuple[Arg, ...]"


class Text(msgspec.Struct, frozen=True):
    """A sentence still to be said: a message id of the game's catalogue (or the common one) and its
    arguments.

    `args` values: an `int`, a `str` that is shown as it is (a player's name), another `Text` (a
    word to translate), or a tuple of these, which is shown as a list. `n` chooses the plural form
    where the message has one.
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
    """One line of an explanation: sentence, deciding clauses, points it is worth (0: none).

    `turned`: the cards that it is about, by their names, as they lie open now; screens turn them
    one by one before they say it.
    """

    text: Text
    clauses: tuple[str, ...] = ()
    points: int | str = 0
    turned: tuple[str, ...] = ()


class Refusal(msgspec.Struct, frozen=True):
    """Why a request cannot be accepted: the code (docs/requests), the clause or None, the words."""

    code: str
    clause: str | None
    text: Text


LONGEST_NAME = 100
"""The most characters of a player's name; what is longer fits no screen."""
_LONGEST_QUOTE = 120
"""The most characters of a request's own word that a refusal repeats: more than
`LONGEST_NAME`, so that a name is quoted whole."""


def refuse(code: str, clause: str | None = None, /, *, say: str | None = None, **args: Any) -> Refusal:
    """Make a refusal whose words are the message `refusal.<code>`, or `refusal.<say>` where one
    code has several reasons.

    Of a word that the request held no more is quoted than fits a sentence.

    >>> refuse("card_spent", "DV-50", player="Ann", value=7).text
    Text(code='refusal.card_spent', args={'player': 'Ann', 'value': 7}, n=None)
    """
    quoted = {name: _quoted(value) for name, value in args.items()}
    return Refusal(code, clause, Text(f"refusal.{say or code}", quoted))


def _quoted(value: Any) -> Any:
    # What fits stays what it is: a name that is shown as it is (`people.AsIs`) is more than a word.
    return value[:_LONGEST_QUOTE] if isinstance(value, str) and len(value) > _LONGEST_QUOTE else value


def tag_of(name: str) -> str:
    """Return what a request or event is called on the wire, unless it gives a `tag` of its own: its
    class's name in snake case.

    >>> tag_of("CardsExchanged")
    'cards_exchanged'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


_CLOSED = frozenset({"sealed", "opened"})
_NOTHING = (None, (), msgspec.UNSET)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, frozen=True, tag_field="do", tag=tag_of):
    """A player's act, named on the wire by `tag_of`; msgspec checks names and types (strictly:
    `true` is no integer). A field `player` is whoever makes it.

    Each kind says when it can be made (`phase`), by whom (`in_turn`), and what it leads to
    (`decide`). The game asks in this order: `others`, `barred`, phase, turn, `decide`.

    One field name has a meaning of its own, `sealed`: what a reader read of a card that lies face
    down; the session replaces it by a seal before the game sees it, and no text of a request shows
    it. A request that turns cards up (`hides` is True of it) says in `knowing` how it is decided
    with what is known under their seals (`Game.seals`).
    """

    phase: ClassVar[str | tuple[str, ...]] = ()
    """The phases in which it can be made: one name or several."""
    in_turn: ClassVar[bool] = True
    """Whether nobody but the player in turn can make it."""
    clause: ClassVar[str | None] = None
    """The clause that is cited when it is not the time for it."""
    hides: ClassVar[bool] = False
    """Whether requests of this kind lay or turn up cards face down; most do not: passed by at
    once."""

    def __init_subclass__(cls) -> None:
        cls.hides = cls.hides or not _CLOSED.isdisjoint(cls.__annotations__)

    def others(self) -> Sequence[str]:
        """Name the players besides `player` whom it is about: each must play."""
        return ()

    def barred(self, state: Any) -> Refusal | None:
        """Refuse what players hear before they hear that it is not the time, or not their turn."""
        return None

    def decide(self, state: Any) -> Decision:
        """Say what it leads to, or why not, now that it is its time and its player's turn. What
        then follows by itself is the game's to say (`Game.follows`)."""
        raise NotImplementedError(type(self).__name__)

    def knowing(self, openings: Sequence[Any]) -> Request:
        """Return what the game decides on where `openings` are known of the seals that it turns up.
        The session alone can say so: no field of a request does."""
        return self

    def again(self, events: Sequence[Event]) -> Request:
        """Return what is asked when an earlier act is put right and this one, which led to
        `events`, is done again."""
        return self

    def draw(self, state: Any) -> Hashable:
        """Name the draw that it makes in `state`, None if it makes none: once made, it comes out
        the same (as `again` asks for it), also where the seed it was made with is lost."""
        return None

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__rich_repr__())
        return f"{type(self).__name__}({shown})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        fields = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return [
            (name, HIDDEN if name in _CLOSED and value not in _NOTHING else value) for name, value in fields
        ]


class Question(Request):
    """A request that changes nothing and is not undone: it is answered, and makes no event."""

    def answer(self, state: Any) -> Mapping[str, Any] | Refusal:
        """Return the fields that join `ok` and `view` in the reply."""
        raise NotImplementedError(type(self).__name__)


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Event(msgspec.Struct, frozen=True, tag_field="type", tag=tag_of):
    """A fact, in the past tense. Holds no face-down value in the clear, ever: seals only.

    Each kind says what it changes (`apply`) and how it is told (`said`).

    Where it tells that sealed cards were turned up, its field `opened` holds what opens their seals
    (`Opening`), for whoever checks.
    """

    hides: ClassVar[bool] = False
    """Whether events of this kind hold seals or what opens them."""

    def __init_subclass__(cls) -> None:
        cls.hides = cls.hides or not _CLOSED.isdisjoint(cls.__annotations__)

    def apply(self, state: Any) -> Any:
        """Return the state after it. Nothing is checked: what happened has happened."""
        raise NotImplementedError(type(self).__name__)

    def said(self, state: Any) -> Text | None:
        """Put it into words (`state`: the one after it); None for what nobody needs to hear."""
        return None

    def draw(self, state: Any) -> tuple[Hashable, tuple[int, ...]] | None:
        """Name the draw that it tells, made in `state` (the one before it), and the places that
        were drawn; None where the program drew nothing.

        Once made, it comes out the same (as `redrawn` tells it), also where the seed it was made
        with is lost.
        """
        return None

    def redrawn(self, state: Any, places: Sequence[int]) -> Event:
        """Return it with these places drawn in `state`."""
        return self


Decision: TypeAlias = Event | Sequence[Event] | Refusal
"""What a request leads to: what happens, or why not."""
