"""When what the readers say cannot all be so: then nothing is done, and the table is asked.

Two things cannot be. Two readers look at one place and each is sure of another card; or more cards
of one design lie on the table than the deck has. Both are let pass for a moment first: a card on
its way from one zone to another is in two places to readers that are not equally fast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

import msgspec

from companion.rules.contract import Text
from companion.table.fusion import Fusion, Placement
from companion.table.identification import Cards, Key
from companion.table.tracks import ReaderTrack
from companion.table.words import card_words, zone_words

GRACE = 0.8
"""Seconds for which a contradiction must last before the table is asked. What it is about is held
back from the first moment."""
BUSY_GRACE = 4.0
"""The same where one card is at two places, while its reader still has something to make out: on a
slow machine a card is named at its new place seconds before its old one is found empty."""
SETTLED = 3.0
"""Seconds after which a card that a game has used is beyond dispute: a later reading beside it is
another card."""


class Dispute(msgspec.Struct, frozen=True):
    """What is to be put to the table: which card is it really, of all that the deck has.

    `about`: the placements that are held back, of a contradiction; none for a card that no reader
    can name. `cards`: what the readers say, to be named first among the choices. The answer goes to
    `Table.rule` with `id`.
    """

    id: int
    zone: str
    text: Text
    about: tuple[int, ...]
    cards: tuple[str, ...]


class Conflict(msgspec.Struct, frozen=True):
    """What a `Dispute` is about, as found at one moment: the zone, the placements and tracks, and
    what is said of them.

    `waits_for`: readers that may yet find out that there is none, as long as they have something to
    make out.
    """

    zone: str
    text: Text
    placements: tuple[int, ...]
    tracks: tuple[Key, ...]
    cards: tuple[str, ...]
    waits_for: frozenset[str] = frozenset()


def conflicts(fusion: Fusion, deck: Cards, now: float) -> list[Conflict]:
    """List what cannot be, by the placements and tracks as they are settled at `now`."""
    return [*_two_names(fusion, now), *_too_many(fusion, deck)]


def _two_names(fusion: Fusion, now: float) -> Iterator[Conflict]:
    """Two readers are sure of different cards of one kind in one zone, and neither sees anything
    there that may be the other's card."""
    for zone, placements in _by_zone(fusion.placements.values()):
        fresh = [p for p in placements if not p.used or now - p.used_at < SETTLED]
        for one, other in _by_different_readers(fusion, zone, fresh):
            if one.reading.card is None or other.reading.card is None or not _alike(one, other):
                continue
            cards = tuple(sorted((one.reading.card, other.reading.card)))
            yield Conflict(
                zone,
                Text(
                    "table.dispute.readers",
                    {"place": zone_words(zone), "cards": tuple(map(card_words, cards))},
                ),
                (one.id, other.id),
                tuple(sorted([*one.tracks, *other.tracks])),
                cards,
            )


def _by_different_readers(
    fusion: Fusion, zone: str, placements: Sequence[Placement]
) -> Iterator[tuple[Placement, Placement]]:
    """Give each two cards that no reader sees both of. One reader's many cards are not compared: a
    flood of them would take its square."""
    by_readers: dict[frozenset[str], list[Placement]] = {}
    for placement in placements:
        by_readers.setdefault(frozenset(t.reader for t in placement.tracks.values()), []).append(placement)
    for (here, ours), (there, theirs) in combinations(by_readers.items(), 2):
        if here.isdisjoint(there) and _covers(fusion, here, zone) and _covers(fusion, there, zone):
            yield from product(ours, theirs)


def _too_many(fusion: Fusion, deck: Cards) -> Iterator[Conflict]:
    """More cards of a design lie on the table than the deck has: the newest is in doubt."""
    lying: dict[str, list[Placement]] = {}
    for placement in fusion.placements.values():
        card = placement.reading.card
        if card is not None and placement.watched:
            lying.setdefault(card, []).append(placement)
    for card, placements in lying.items():
        copies = deck.copies(card)
        # Placements stand in the order of their coming, so those beyond the copies came last.
        for placement in placements[copies:] if copies else ():
            places = tuple(zone_words(p.reading.zone) for p in placements)
            said = {"card": card_words(card), "places": places, "last": zone_words(placement.reading.zone)}
            yield Conflict(
                placement.reading.zone,
                Text("table.dispute.copies", said, copies),
                (placement.id,),
                tuple(sorted(placement.tracks)),
                (card,),
                frozenset(reader for one in placements for reader, _ in one.tracks),
            )


def _covers(fusion: Fusion, readers: frozenset[str], zone: str) -> bool:
    """Tell whether these readers see no card in the zone that they cannot name: if they did, that
    may be the card in question."""
    return not any(
        track.reader in readers and _unnamed(track, zone) and not fusion.ruled(track)
        for track in fusion.tracks.values()
    )


def _unnamed(track: ReaderTrack, zone: str) -> bool:
    if track.steady is None:
        return track.vague is not None and track.vague.zone == zone
    return track.steady.zone == zone and track.steady.card is None


def _alike(one: Placement, other: Placement) -> bool:
    """Tell whether the cards are of one kind (`load`, `donkey`), as a misread card and its true
    name nearly always are."""
    kinds = {(placement.reading.card or "").partition(":")[0] for placement in (one, other)}
    return len(kinds) == 1


def _by_zone(placements: Iterable[Placement]) -> Iterator[tuple[str, list[Placement]]]:
    zones: dict[str, list[Placement]] = {}
    for placement in placements:
        if placement.watched and placement.reading.face == "up":
            zones.setdefault(placement.reading.zone, []).append(placement)
    yield from zones.items()
