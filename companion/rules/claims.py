"""Between the table and a game: what lies there, what a game makes of it, and what must lie there
before the first round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from companion.rules.choices import Choice
from companion.rules.messages import Request, Text


class CardId(NamedTuple):
    """A card id, read once: `load:red:7` is a `load`, `red`, `7`. One of two words has no colour;
    one of a single word is its own kind.

    >>> CardId.of("load:red:7").colour, CardId.of("donkey:giant").name, CardId.of("summary").kind
    ('red', 'giant', 'summary')
    >>> CardId.of("load:red:7").words, CardId.of("load:red:7").stem, CardId.of("7S").words
    (('red', '7'), 'load:red', ('7S',))
    """

    kind: str
    colour: str
    name: str

    @classmethod
    @lru_cache(1024)
    def of(cls, text: str) -> CardId:
        """Read a card id as deck files and claims write it."""
        kind, *rest = text.split(":", 2)
        return cls(kind, *rest) if len(rest) == 2 else cls(kind, "", rest[0] if rest else kind)

    @property
    def words(self) -> tuple[str, ...]:
        """Colour and name: what is said of a card where its kind goes without saying."""
        return (self.colour, self.name) if self.colour else (self.name,)

    @property
    def stem(self) -> str:
        """What its id begins with, and that of the same card's other side."""
        return f"{self.kind}:{self.colour}" if self.colour else self.kind


class ZoneId(NamedTuple):
    """Where something lies, read once: `seat:3` is a `seat`, 3; `middle` and `pile` have no number.

    >>> ZoneId.of("seat:3").seat, ZoneId.of("middle").seat, str(ZoneId("seat", 3))
    (3, None, 'seat:3')
    """

    kind: str
    number: int | None = None

    @classmethod
    @lru_cache(1024)
    def of(cls, text: str) -> ZoneId:
        """Read a zone as layouts, plans of pads and claims write it."""
        kind, _, number = text.partition(":")
        return cls(kind, int(number) if number.isdecimal() else None)

    @property
    def seat(self) -> int | None:
        """The seat (1..N) that it is, None for one that is nobody's."""
        return self.number if self.kind == "seat" else None

    def __str__(self) -> str:
        return self.kind if self.number is None else f"{self.kind}:{self.number}"


def seat_zone(seat: int) -> str:
    """Return how the zone before a seat (1..N) is written: `seat:3`."""
    return f"seat:{seat}"


class BoardSeen(msgspec.Struct, frozen=True):
    """What a camera sees on a game's board: `pawns` the spots that hold one, with its colour, in
    order; `hidden` the spots of which it cannot tell. All other spots are empty."""

    pawns: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """What the table says now: a card lies there, or a button was pressed; stable, merged from all
    readers.

    `id` is that of the one placement: a card taken away and put down again has a new one. `what` is
    a card id, `button:accept`, `button:refuse`, `board` (`board` then says what stands on it), or
    None for a card that shows its back. `zone` is
    `seat:1`..`seat:N` (in the order of the start), `middle` or `pile`. `owner` is the seat number
    (1..N) whose card it is, by its colour or by where it lies; None when nobody's.

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
    board: BoardSeen | None = None

    @property
    def card(self) -> CardId:
        """`what`, read; of a card that shows its back an empty one."""
        return CardId.of(self.what or "")

    @property
    def seat(self) -> int | None:
        """The seat (1..N) at which it lies, None where that is nobody's."""
        return ZoneId.of(self.zone).seat


class Proposal(msgspec.Struct, frozen=True):
    """A request that the claims add up to, and the ids of the claims that are used up by it,
    whether it is accepted or refused.

    `growing`: more cards may still join these (a lead of yet unknown size): act on it only once the
    table has been still for a moment, or an accept button at that seat says that it is complete
    (the game then proposes it with `growing` False).
    """

    request: Request
    used: tuple[int, ...]
    growing: bool = False


class Doubt(msgspec.Struct, frozen=True):
    """A question to the table: what is seen cannot be (a spent card, a colour nobody plays).
    Nothing is done until it is answered.

    `choices`, if any, are the answers: what is seen allows several requests (a card was played, but
    which pawn goes?). The one that is chosen, or the same request entered in another way, uses up
    the claims `about`. None: hands put it right, and nothing is to be answered.
    """

    text: Text
    about: tuple[int, ...]
    clause: str | None = None
    choices: tuple[Choice, ...] | None = ()


Interpretation: TypeAlias = "Proposal | Doubt"


class Step(msgspec.Struct, frozen=True):
    """One thing to do before the first round: the words, the clause, and the cards that show that
    it is done.

    `cards`: ids that must all lie face up, a card of each owner's where a seat is named:
    `(("contract:", 1), ("contract:", 2))`, as (how the id begins, whose or at whose place: 1..N, or
    None for anywhere). `count`: how many of which cards must have been shown, in as many lots as
    people like: card ids, or how they begin (`donkey:`). Both empty for what no camera can see.
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
        """Count what has been shown of the cards to count; `most`: of each card id, how many have
        lain there together."""
        return sum(
            min(number, sum(seen for card, seen in most.items() if card == what or _begins(card, what)))
            for what, number in self.count
        )

    def done(self, claims: Sequence[Claim], most: Mapping[str, int] | None = None) -> bool:
        """Tell whether what lies there, and what was shown before, shows that this has been done;
        never, where nothing would."""
        if self.shown(most or {}) < self.all:
            return False
        return bool(self.cards or self.count) and all(
            any(
                (claim.what or "").startswith(what) and seat in (None, claim.owner, claim.seat)
                for claim in claims
            )
            for what, seat in self.cards
        )


def _begins(card: str, what: str) -> bool:
    """Tell whether `what` begins the ids of a kind (`donkey:`), and `card` is of that kind."""
    return what.endswith(":") and card.startswith(what)
