"""Questions to the people at the table, for what the readers cannot settle among themselves.

There are three kinds. Two readers look at the same place, and each is certain of a different card
of the same kind. Or the table shows more cards of one design than the deck has. Or a reader is
unsure of a card, and no other reader names it. Each one is a `TableQuestion`. They are found from
scratch at every look (`found`), from the placements and tracks of `fusion`.

Contradictions (`about` is not empty) are held back from the game at once, and asked about if they
last. A card on its way between two zones is at two places for readers of different speed, so
contradictions get a moment to pass. Uncertain cards hold nothing back; people are asked only if the
game has a use for the card, which the live session finds out.

Keep in mind when editing:

- A question is identified by its tracks (`key`). It keeps its number as long as they stay in
  question; otherwise every frame would make a new question, and its wait would never end.
- A reader that is still busy with something (`waits_for`) may find the answer itself: while it is
  busy, the longer wait counts (`companion.table.waits`). People are asked about an uncertain card
  in a moment of calm, because a hand on its way may be about to cover the card.
- If another reader names a card of that kind in the zone which the unsure reader does not see, the
  two are taken for the same card, and nobody is asked.
- People's answers (`Fusion.rule`) end a question: it is not found again.
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
"""Identity of a question: whether it holds cards back, and its tracks."""


class TableQuestion(msgspec.Struct, frozen=True):
    """A question to the people at the table: which of the deck's cards is this one really?

    `zone`: where it lies. `about`: the placements that are held back by a contradiction; empty for
    a card that no reader can name. `cards`: what the readers say, listed first among the choices.
    `since`: when it came up. It is asked after `wait` seconds, or after `busy_wait` while a reader
    of `waits_for` is busy or was less than `calm` seconds ago. The answer goes to `Table.rule` with
    `id`.
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
        """Identity that the question keeps from look to look."""
        return bool(self.about), self.tracks

    def ripe(self, now: float, rests: Mapping[str, float]) -> bool:
        """Check whether it has lasted long enough to be asked. `rests`: since when each reader has
        been idle, infinite for a busy one."""
        # Sums, exactly as in `due`: a difference could be rounded to just below, and nothing would
        # wake the session again.
        calm = all(now >= rests.get(reader, -math.inf) + self.calm for reader in self.waits_for)
        return now >= self.since + (self.wait if calm else self.busy_wait)


def found(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
    """Find all questions, from the placements and tracks as settled at `now`. Their numbers are 0,
    and contradictions begin at `now`: the caller knows which of them existed before."""
    yield from _two_names(fusion, now)
    yield from _too_many(fusion, deck, now)
    yield from unnamed(fusion)


def hints(fusion: Fusion, now: float) -> tuple[Text, ...]:
    """Return advice (hold it still, enrol it, enter it by hand) for each card that has been there
    unrecognised for a while, even if nobody is asked about it."""
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
    """Yield the moments at which the passing of time makes a question or hint due; `rests` as for
    `TableQuestion.ripe`."""
    # All waits, because which one counts depends on whether the reader is busy at that moment.
    for one in asked:
        yield from (one.since + one.wait, one.since + one.busy_wait)
        moments = [rests[reader] + one.calm for reader in one.waits_for & rests.keys()]
        yield from (moment for moment in moments if math.isfinite(moment))
    for track in fusion.tracks.values():
        if track.vague is not None:
            yield from (track.vague_since + wait for wait in (HINT, ASK, BUSY_ASK))


def unnamed(fusion: Fusion) -> Iterator[TableQuestion]:
    """Find the cards of which a reader is unsure and people have said nothing."""
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
        # As many of the first ones are dropped as other readers have named: these are the same
        # cards.
        yield from questions[_named_by_others(fusion, reader, zone, kind) :]


def _named_by_others(fusion: Fusion, reader: str, zone: str, kind: str) -> int:
    """Count the cards of that kind in the zone that only other readers see."""
    return sum(
        placement.watched
        and (placement.reading.zone, placement.reading.face) == (zone, "up")
        and CardId.of(placement.reading.card or "").kind == kind
        and reader not in {track.reader for track in placement.tracks.values()}
        for placement in fusion.placements.values()
    )


def _two_names(fusion: Fusion, now: float) -> Iterator[TableQuestion]:
    """Find pairs of cards of one kind in one zone of which two readers are certain, where neither
    reader sees an unnamed card that may be the other's."""
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
    """Yield each pair of cards that no reader sees both of. Cards of the same reader are not
    compared: with very many of them that would take quadratic time."""
    by_readers: dict[frozenset[str], list[Placement]] = {}
    for placement in placements:
        by_readers.setdefault(frozenset(t.reader for t in placement.tracks.values()), []).append(placement)
    for (here, ours), (there, theirs) in combinations(by_readers.items(), 2):
        if here.isdisjoint(there) and _covers(fusion, here, zone) and _covers(fusion, there, zone):
            yield from product(ours, theirs)


def _too_many(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
    """Find cards beyond the number of copies that the deck has; the newest is in doubt."""
    lying: dict[str, list[Placement]] = {}
    for placement in fusion.placements.values():
        card = placement.reading.card
        if card is not None and placement.watched:
            lying.setdefault(card, []).append(placement)
    for card, placements in lying.items():
        copies = deck.copies(card)
        # Placements are in order of arrival, so those beyond the copies came last. A card that the
        # deck does not have has no number to exceed.
        for placement in placements[copies:] if copies else ():
            zone = placement.reading.zone
            places = tuple(zone_words(p.reading.zone) for p in placements)
            said = {"card": card_words(card), "places": places, "last": zone_words(zone)}
            text = Text("table.dispute.copies", said, copies)
            readers = frozenset(reader for one in placements for reader, _ in one.tracks)
            tracks = tuple(sorted(placement.tracks))
            yield TableQuestion(0, zone, text, tracks, (card,), now, (placement.id,), readers)


def _covers(fusion: Fusion, readers: frozenset[str], zone: str) -> bool:
    """Check that these readers see no unnamed card in the zone, which could be the card in
    question."""
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
