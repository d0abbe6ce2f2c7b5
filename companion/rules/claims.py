"""The interface between the real table and a game: claims about cards, the game's interpretation of
them, and the steps of the set-up; and what every game reads from claims in the same way."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from companion.rules.choices import Choice
from companion.rules.messages import Request, Text


class CardId(NamedTuple):
    """A parsed card id: `load:red:7` has the kind `load`, the colour `red` and the name `7`. An id
    of two words has no colour; a single word is both kind and name.

    >>> load, summary = CardId.from_text("load:red:7"), CardId.from_text("summary")
    >>> load.colour, CardId.from_text("donkey:giant").name, summary.kind
    ('red', 'giant', 'summary')
    >>> load.display_words, load.id_prefix, CardId.from_text("7S").display_words
    (('red', '7'), 'load:red', ('7S',))
    """

    kind: str
    colour: str
    name: str

    @classmethod
    @lru_cache(maxsize=1024)
    def from_text(cls, text: str) -> CardId:
        """Parse a card id as deck files and claims write it."""
        # At most three words: a name may contain a colon itself.
        kind, *rest = text.split(":", 2)
        return cls(kind, *rest) if len(rest) == 2 else cls(kind, "", rest[0] if rest else kind)

    @property
    def display_words(self) -> tuple[str, ...]:
        """Colour and name: the words for a card where its kind is clear from the context."""
        return (self.colour, self.name) if self.colour else (self.name,)

    @property
    def spoken_name(self) -> str:
        """Its words as people say them, for a card that this game has no name for.

        >>> CardId.from_text("load:yellow:2").spoken_name
        'yellow 2'
        """
        return " ".join(self.display_words).replace("_", " ")

    @property
    def id_prefix(self) -> str:
        """The part of its id that is common to both sides of the card."""
        return f"{self.kind}:{self.colour}" if self.colour else self.kind


class ZoneId(NamedTuple):
    """A parsed zone: `seat:3` has the kind `seat` and the number 3; `middle` and `pile` have none.

    >>> ZoneId.from_text("seat:3").seat, ZoneId.from_text("middle").seat, str(ZoneId("seat", 3))
    (3, None, 'seat:3')
    """

    kind: str
    number: int | None = None

    @classmethod
    @lru_cache(maxsize=1024)
    def from_text(cls, text: str) -> ZoneId:
        """Parse a zone as layouts, plans of reader pads and claims write it."""
        kind, _, number = text.partition(":")
        return cls(kind, int(number) if number.isdecimal() else None)

    @property
    def seat(self) -> int | None:
        """The seat (1..N), None for a zone that belongs to no player."""
        return self.number if self.kind == "seat" else None

    def __str__(self) -> str:
        return self.kind if self.number is None else f"{self.kind}:{self.number}"


def format_seat_zone(seat: int) -> str:
    """Return the zone in front of a seat (1..N): `seat:3`."""
    return f"seat:{seat}"


class BoardClaim(msgspec.Struct, frozen=True):
    """A camera's view of a game's board: `pawns` lists the occupied spots with the pawn's colour,
    in order; `hidden` the spots that cannot be seen. All other spots are empty."""

    pawns: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...] = ()


class Claim(msgspec.Struct, frozen=True):
    """A fact that the table reports to a game: a card lies in a zone, or a button was pressed. It
    is stable, and merged from all readers.

    `id` is that of the one placement: a card taken away and put down again has a new one.
    `kind_prefix` is a card id, `button:accept`, `button:refuse`, `board` (`board` then says what
    stands on it), or None for a card that shows its back. `zone` is `seat:1`..`seat:N` (in the
    order of the start), `middle` or `pile`. `owner` is the seat number (1..N) whose card it is, by
    its colour or by where it lies; None when nobody's.

    >>> from companion.rules.registry import load_game
    >>> from companion.rules.start import Start, prepare_game
    >>> game, setup = prepare_game(Start("donkey_valley", ["Ann", "Ben", "Cy"], seed=1))
    >>> [seen] = game.interpret_claims(game.start(setup), [Claim(1, "donkey:giant", "middle")])
    >>> seen.request, seen.used
    (Donkey(type='giant'), (1,))
    """

    id: int
    what: str | None
    zone: str
    face: Literal["up", "down"] = "up"
    owner: int | None = None
    board: BoardClaim | None = None

    @property
    def card_id(self) -> CardId:
        """The parsed card id; an empty one for a card that shows its back."""
        return CardId.from_text(self.what or "")

    @property
    def seat(self) -> int | None:
        """The seat (1..N) in front of which the card lies, None if it lies elsewhere."""
        return ZoneId.from_text(self.zone).seat


class Proposal(msgspec.Struct, frozen=True):
    """A request that the claims add up to, and the ids of the claims it uses up, whether it is
    accepted or refused.

    `growing`: more cards may still join these (a lead whose size is not known yet). It is sent only
    once the table has been still for a moment, or when that seat's accept button says that it is
    complete (the game then proposes it with `growing` False).
    """

    request: Request
    used: tuple[int, ...]
    growing: bool = False


class Doubt(msgspec.Struct, frozen=True):
    """A question to the table about an impossible observation (a spent card, a colour that is not
    played). Nothing is done until it is answered.

    `choices`, if any, are the answers: what is seen allows several requests (a card was played, but
    which pawn goes?). The one that is chosen, or the same request entered in another way, uses up
    the claims `about`. None: the table must be corrected by hand, and no answer is possible.
    """

    text: Text
    about: tuple[int, ...]
    clause: str | None = None
    choices: tuple[Choice, ...] | None = ()


Interpretation: TypeAlias = "Proposal | Doubt"


class SetupStep(msgspec.Struct, frozen=True):
    """One step of the set-up before the first round: the words, the clause, and the cards that show
    that it is done.

    `cards`: ids that must all lie face up, as pairs (beginning of the id, seat 1..N of the owner or
    place, None for anywhere): `(("contract:", 1), ("contract:", 2))`. `count`: how many of which
    cards must have been shown, in as many portions as people like, as card ids or their beginnings
    (`donkey:`). Both are empty for steps that no camera can see.
    """

    text: Text
    clause: str
    cards: tuple[tuple[str, int | None], ...] = ()
    count: tuple[tuple[str, int], ...] = ()

    @property
    def card_total(self) -> int:
        """The number of cards to count."""
        return sum(number for _, number in self.count)

    def count_shown_cards(self, most: Mapping[str, int]) -> int:
        """Return how many of the cards to count have been shown. `most`: for each card id, the
        largest number seen at the same time."""
        return sum(
            min(number, sum(seen for card, seen in most.items() if card == what or _matches_kind(card, what)))
            for what, number in self.count
        )

    def is_done(self, claims: Sequence[Claim], most: Mapping[str, int] | None = None) -> bool:
        """Tell whether the cards on the table, and those shown before (`most`), prove that the step
        is done. Always False for a step that no camera can see."""
        if self.count_shown_cards(most or {}) < self.card_total:
            return False
        # Without cards to show, `card_total` of none would be true.
        return bool(self.cards or self.count) and all(
            # The owner is known by the colour, or else by the place where the card lies.
            any(
                (claim.what or "").startswith(what) and seat in (None, claim.owner, claim.seat)
                for claim in claims
            )
            for what, seat in self.cards
        )


def _matches_kind(card: str, kind_prefix: str) -> bool:
    """Tell whether `kind_prefix` is the beginning of a kind's ids (`donkey:`) and `card_id` is of
    that kind."""
    return kind_prefix.endswith(":") and card.startswith(kind_prefix)


def list_upturned(claims: Iterable[Claim], prefix: str, zones: Iterable[str] | None = None) -> list[Claim]:
    """List the claims about face-up cards of this game (`prefix`, e.g. `dtc:`), in `zones` or
    anywhere."""
    wanted = None if zones is None else set(zones)
    return [
        claim
        for claim in claims
        if claim.what is not None
        and claim.what.startswith(prefix)
        and claim.face == "up"
        and (wanted is None or claim.zone in wanted)
    ]


def format_card_name(claim: Claim) -> str:
    """Return the name on the wire of the claimed card: `dtc:joker` is `joker`."""
    # A word that is its own kind names no card of a deck.
    return "" if claim.what == claim.card_id.kind else ":".join(claim.card_id.display_words)


def find_press(claims: Iterable[Claim], seat: int, button: str) -> Claim | None:
    """Return the claim that `button` (`accept`, `refuse`) was pressed at `seat` (1..N), or None."""
    what, zone = f"button:{button}", format_seat_zone(seat)
    return next((claim for claim in claims if claim.what == what and claim.zone == zone), None)


def list_presses(claims: Sequence[Claim], players: Iterable[str], button: str) -> list[tuple[str, int]]:
    """List the `players` (by seat) who pressed `button`, with the id of that claim."""
    found = ((player, find_press(claims, seat, button)) for seat, player in enumerate(players, 1))
    return [(player, press.id) for player, press in found if press is not None]


def doubt_foreign_cards(claims: Iterable[Claim], prefix: str, known: Container[str]) -> Sequence[Doubt]:
    """Return a doubt for every face-up card of another game, or whose name is not `known`."""
    return [
        Doubt(Text("doubt.foreign_card", {"card": claim.card_id.spoken_name}), (claim.id,))
        for claim in claims
        if claim.what is not None
        and claim.face == "up"
        and claim.board is None
        and not claim.what.startswith("button:")
        and not (claim.what.startswith(prefix) and format_card_name(claim) in known)
    ]


def build_deck_step(prefix: str, deck: Mapping[str, int], clause: str) -> SetupStep:
    """Return the set-up step that counts the cards of a deck; `prefix` precedes a card's name in
    its id.

    >>> step = build_deck_step("oe:", {"7": 2, "joker": 1}, "OE-1")
    >>> step.is_done([], {"oe:7": 1, "oe:joker": 1}), step.is_done([], {"oe:7": 2, "oe:joker": 1})
    (False, True)
    """
    # Cards that this table has taken out (no copies) are not counted.
    count = tuple((prefix + card, copies) for card, copies in deck.items() if copies)
    return SetupStep(Text("step.complete", {"cards": sum(deck.values())}), clause, count=count)
