"""Helpers that several games share: reading claims, counting cards, rows with one entry per
seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from companion.rules.claims import seat_zone
from companion.rules.contract import Claim, Doubt, Step, Text

N = TypeVar("N", str, int | str)
T = TypeVar("T")


def upturned(claims: Iterable[Claim], prefix: str, zones: Iterable[str] | None = None) -> list[Claim]:
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


def short(claim: Claim) -> str:
    """Return the name on the wire of the claimed card: `dtc:joker` is `joker`."""
    # A word that is its own kind names no card of a deck.
    return "" if claim.what == claim.card.kind else ":".join(claim.card.words)


def pressed(claims: Iterable[Claim], seat: int, button: str) -> Claim | None:
    """Return the claim that `button` (`accept`, `refuse`) was pressed at `seat` (1..N), or None."""
    what, zone = f"button:{button}", seat_zone(seat)
    return next((claim for claim in claims if claim.what == what and claim.zone == zone), None)


def presses(claims: Sequence[Claim], players: Iterable[str], button: str) -> list[tuple[str, int]]:
    """List the `players` (by seat) who pressed `button`, with the id of that claim."""
    found = ((player, pressed(claims, seat, button)) for seat, player in enumerate(players, 1))
    return [(player, press.id) for player, press in found if press is not None]


def strangers(claims: Iterable[Claim], prefix: str, deck: Mapping[str, int]) -> Sequence[Doubt]:
    """Return a doubt for every face-up card of another game or of no known design."""
    return [
        Doubt(Text("doubt.foreign_card", {"card": claim.what}), (claim.id,))
        for claim in claims
        if claim.what is not None
        and claim.face == "up"
        and claim.board is None
        and not claim.what.startswith("button:")
        and not (claim.what.startswith(prefix) and short(claim) in deck)
    ]


def beyond_deck(deck: Mapping[str, int], *seen: Iterable[str]) -> str | None:
    """Return a card that occurs more often in all of `seen` together than `deck` has copies, or
    None.

    `deck` maps each card's name to its number of copies. Used for the refusal `impossible_cards`.

    >>> beyond_deck({"7": 2, "joker": 1}, ["7"], ["7", "7"])
    '7'
    """
    total = Counter(chain.from_iterable(seen))
    return next((card for card, count in total.items() if count > deck[card]), None)


def stranger(deck: Mapping[N, Any], cards: Iterable[N]) -> N | None:
    """Return the first of `cards` that is not in `deck`, or None; for the refusal
    `unknown_card`."""
    return next((card for card in cards if card not in deck), None)


def deck_step(prefix: str, deck: Mapping[str, int], clause: str) -> Step:
    """Return the set-up step that counts the cards of a deck; `prefix` precedes a card's name in
    its id.

    >>> step = deck_step("oe:", {"7": 2, "joker": 1}, "OE-1")
    >>> step.done([], {"oe:7": 1, "oe:joker": 1}), step.done([], {"oe:7": 2, "oe:joker": 1})
    (False, True)
    """
    # Cards that this table has taken out (no copies) are not counted.
    count = tuple((prefix + card, copies) for card, copies in deck.items() if copies)
    return Step(Text("step.complete", {"cards": sum(deck.values())}), clause, count=count)


def replaced(row: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """Return `row` (one entry per seat) with the entry of `seat` (from 0) replaced by `value`."""
    return (*row[:seat], value, *row[seat + 1 :])
