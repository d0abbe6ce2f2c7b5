"""What the readers cannot settle among themselves: the table is asked, and nothing is done before.

The theory, and what holds while editing this file:

- Three things cannot be settled. Two readers look at one place and each is sure of another card of
  the same kind; more cards of one design lie on the table than the deck has; a reader is unsure of
  a card, and no other names it. Each is a `TableQuestion`, found anew at every look (`found`).
- A question is told from the next by the tracks that it is about (`key`). It keeps its number as
  long as these stay in question: else it would be a new one with every frame, and its wait would
  never end.
- What contradicts itself (`about` is not empty) is held back from the first moment and asked when
  it has lasted. A card on its way from one zone to another is in two places to readers that are not
  equally fast, so it is let pass for a moment first.
- What is unsure holds nothing back. The table is asked only where the game has a use for the card,
  which the live session finds out.
- A reader that has still something to make out (`waits_for`) may find the answer by itself: while
  it is busy the wait is the longer one (`companion.table.waits`). What is unsure is asked about in
  a moment of calm: a hand on its way may be about to cover the card.
- A card of which another reader has named one of that kind in the zone, that the unsure reader does
  not see, is taken to be that one: nobody is asked.
- What people say (`Fusion.rule`) ends a question: what is ruled is found no more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TypeAlias

import msgspec

from companion.rules.claims import CardId
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.fusion import Fusion, Placement, ReaderTrack
from companion.table.identification import NOWHERE, Key
from companion.table.waits import ASK, BEYOND_DISPUTE, BUSY_ASK, BUSY_GRACE, CALM, GRACE, HINT
from companion.table.zones import card_words, zone_words

QuestionKey: TypeAlias = tuple[bool, tuple[Key, ...]]
"""What tells one question from the next: whether it holds cards back, and its tracks."""


class TableQuestion(msgspec.Struct, frozen=True):
    """What is to be put to the table: which card is it really, of all that the deck has.

    `zone`: where it lies. `about`: the placements that are held back, of a contradiction; none for
    a card that no reader can name. `cards`: what the readers say, to be named first among the
    choices. `since`: from when it is in question; asked after `wait` seconds, or `busy_wait` while
    a reader of `waits_for` has something to make out, or had less than `calm` seconds ago. The
    answer goes to `Table.rule` with `id`.
    """

    id: int
    zone: str
    text: Text
    tracks: tuple[Key, ...]
    cards: tuple[str, ...]
    since: float
    about: tuple[int, ...] = ()
    waits_for: frozenset[str] = frozenset()
    wait: float = GRACE
    busy_wait: float = BUSY_GRACE
    calm: float = 0.0

    @property
    def key(self) -> QuestionKey:
        """What it keeps from look to look."""
        return bool(self.about), self.tracks

    def ripe(self, now: float, rests: Mapping[str, float]) -> bool:
        """Tell whether it has lasted long enough to be asked; `rests`: since when each reader has
        had nothing to make out, infinite for one that has."""
        # Sums, as in `due`: a difference may fall short by a rounding, and nobody would be woken.
        calm = all(now >= rests.get(reader, -math.inf) + self.calm for reader in self.waits_for)
        return now >= self.since + (self.wait if calm else self.busy_wait)


def found(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
    """Find what is in question, by the placements and tracks as they are settled at `now`. Numbers
    are 0, and what is held back is so since `now`: whoever keeps questions knows better."""
    yield from _two_names(fusion, now)
    yield from _too_many(fusion, deck, now)
    yield from unnamed(fusion)


def hints(fusion: Fusion, now: float) -> tuple[Text, ...]:
    """Say what to do (hold it still, enrol it, enter it by hand) about each card that has long been
    lying there unrecognised, also where nobody is asked."""
    return tuple(
        Text(f"table.hint.{track.vague.why}", {"place": zone_words(track.vague.zone)})
        for track in fusion.tracks.values()
        if track.vague is not None
        and track.vague.zone != NOWHERE
        and track.gone is None
        and not track.orphan
        and not fusion.ruled(track)
        and now - track.vague_since >= HINT
    )


def due(fusion: Fusion, asked: Iterable[TableQuestion], rests: Mapping[str, float]) -> Iterator[float]:
    """Give the moments at which time alone makes something to be asked, or told; `rests` as for
    `TableQuestion.ripe`."""
    # All waits: which of them counts, only the reader's being busy at that moment will tell.
    for one in asked:
        yield from (one.since + one.wait, one.since + one.busy_wait)
        moments = [rests[reader] + one.calm for reader in one.waits_for & rests.keys()]
        yield from (moment for moment in moments if math.isfinite(moment))
    for track in fusion.tracks.values():
        if track.vague is not None:
            yield from (track.vague_since + wait for wait in (HINT, ASK, BUSY_ASK))


def unnamed(fusion: Fusion) -> Iterator[TableQuestion]:
    """Find the cards of which a reader is unsure and the table has not spoken."""
    waiting: dict[tuple[str, str, str], list[TableQuestion]] = defaultdict(list)
    for track in fusion.tracks.values():
        vague = track.vague
        if vague is None or not vague.likely or vague.zone == NOWHERE or track.orphan or fusion.ruled(track):
            continue
        text = Text("table.unsure", {"place": zone_words(vague.zone)})
        waiting[track.reader, vague.zone, CardId.of(vague.likely[0]).kind].append(
            TableQuestion(
                id=0,
                zone=vague.zone,
                text=text,
                tracks=(track.key,),
                cards=vague.likely,
                since=track.vague_since,
                waits_for=frozenset({track.reader}),
                wait=ASK,
                busy_wait=BUSY_ASK,
                calm=CALM,
            )
        )
    for (reader, zone, kind), questions in waiting.items():
        yield from questions[_named_by_others(fusion, reader, zone, kind) :]


def _named_by_others(fusion: Fusion, reader: str, zone: str, kind: str) -> int:
    """Count the cards of that kind that lie in the zone by the word of other readers alone."""
    return sum(
        placement.watched
        and (placement.reading.zone, placement.reading.face) == (zone, "up")
        and CardId.of(placement.reading.card or "").kind == kind
        and reader not in {track.reader for track in placement.tracks.values()}
        for placement in fusion.placements.values()
    )


def _two_names(fusion: Fusion, now: float) -> Iterator[TableQuestion]:
    """Two readers are sure of different cards of one kind in one zone, and neither sees anything
    there that may be the other's card."""
    for zone, placements in _by_zone(fusion.placements.values()):
        fresh = [p for p in placements if not p.used or now - p.used_at < BEYOND_DISPUTE]
        for one, other in _by_different_readers(fusion, zone, fresh):
            if one.reading.card is None or other.reading.card is None:
                continue
            # A misread card and its true name are nearly always of one kind (`load`, `donkey`).
            if CardId.of(one.reading.card).kind != CardId.of(other.reading.card).kind:
                continue
            cards = tuple(sorted((one.reading.card, other.reading.card)))
            said = {"place": zone_words(zone), "cards": tuple(map(card_words, cards))}
            tracks = tuple(sorted([*one.tracks, *other.tracks]))
            text = Text("table.dispute.readers", said)
            yield TableQuestion(0, zone, text, tracks, cards, now, (one.id, other.id))


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


def _too_many(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
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
            zone = placement.reading.zone
            places = tuple(zone_words(p.reading.zone) for p in placements)
            said = {"card": card_words(card), "places": places, "last": zone_words(zone)}
            text = Text("table.dispute.copies", said, copies)
            readers = frozenset(reader for one in placements for reader, _ in one.tracks)
            tracks = tuple(sorted(placement.tracks))
            yield TableQuestion(0, zone, text, tracks, (card,), now, (placement.id,), readers)


def _covers(fusion: Fusion, readers: frozenset[str], zone: str) -> bool:
    """Tell whether these readers see no card in the zone that they cannot name: if they did, that
    may be the card in question."""
    return not any(
        track.reader in readers and _no_name(track, zone) and not fusion.ruled(track)
        for track in fusion.tracks.values()
    )


def _no_name(track: ReaderTrack, zone: str) -> bool:
    if track.steady is None:
        return track.vague is not None and track.vague.zone == zone
    return track.steady.zone == zone and track.steady.card is None


def _by_zone(placements: Iterable[Placement]) -> Iterator[tuple[str, list[Placement]]]:
    zones: dict[str, list[Placement]] = {}
    for placement in placements:
        if placement.watched and placement.reading.face == "up":
            zones.setdefault(placement.reading.zone, []).append(placement)
    yield from zones.items()
