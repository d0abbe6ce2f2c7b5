"""Questions to the people at the table, for what the readers cannot settle among themselves.

There are three kinds. Two readers look at the same place, and each is certain of a different card
of the same kind. Or the table shows more cards of one design than the deck has. Or a reader is
unsure of a card, and no other reader names it. Each one is a `TableQuestion`. They are found from
scratch at every look (`find_questions`), from the placements and tracks of `fusion`.

Contradictions (`about` is not empty) are held back from the game at once, and asked about if they
last. A card on its way between two zones is at two places for readers of different speed, so
contradictions get a moment to pass. Uncertain cards hold nothing back; people are asked only if the
game has a use for the card, which the live session finds out.

Keep in mind when editing:

- A question is identified by its tracks (`key`). It keeps its number as long as they stay in
  question; otherwise every frame would make a new question, and its wait would never end.
- A reader that is still busy with something (`waits_for`) may find the answer itself: while it is
  busy, the longer wait counts (`companion.table.timeouts`). People are asked about an uncertain
  card in a moment of calm, because a hand on its way may be about to cover the card.
- If another reader names a card of that kind in the zone which the unsure reader does not see, the
  two are taken for the same card, and nobody is asked.
- People's answers (`Fusion.override_tracks`) end a question: it is not found again.
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
from companion.table.fusion import Fusion, Placement, SightingTrack
from companion.table.identification import NOWHERE, TrackKey
from companion.table.timeouts import (
    BUSY_CONTRADICTION_DELAY,
    BUSY_QUESTION_DELAY,
    CONTRADICTION_DELAY,
    DISPUTE_TIMEOUT,
    HINT_DELAY,
    IDLE_DEBOUNCE,
    QUESTION_DELAY,
)
from companion.table.zones import describe_card_id, describe_zone

QuestionKey: TypeAlias = tuple[bool, tuple[TrackKey, ...]]
"""Identity of a question: whether it holds cards back, and its tracks."""


class TableQuestion(msgspec.Struct, frozen=True):
    """A question to the people at the table: which of the deck's cards is this one really?

    `zone`: where it lies. `about`: the placements that are held back by a contradiction; empty for
    a card that no reader can name. `cards`: what the readers say, listed first among the choices.
    `since`: when it came up. It is asked after `wait` seconds, or after `busy_wait` while a reader
    of `waits_for` is busy or was less than `calm` seconds ago. The answer goes to
    `Table.resolve_question` with `id`.
    """

    id: int
    zone: str
    text: Text
    tracks: tuple[TrackKey, ...]
    cards: tuple[str, ...]
    since: float
    about: tuple[int, ...] = ()
    waits_for: frozenset[str] = frozenset()
    wait: float = CONTRADICTION_DELAY
    busy_wait: float = BUSY_CONTRADICTION_DELAY
    calm: float = 0.0

    @property
    def key(self) -> QuestionKey:
        """Identity that the question keeps from look to look."""
        return bool(self.about), self.tracks

    def is_due(self, now: float, idle_since: Mapping[str, float]) -> bool:
        """Check whether it has lasted long enough to be asked. `idle_since`: since when each reader
        has been idle, infinite for a busy one."""
        # Sums, exactly as in `find_due_times`: a difference could be rounded to just below, and
        # nothing would wake the session again.
        calm = all(now >= idle_since.get(reader, -math.inf) + self.calm for reader in self.waits_for)
        return now >= self.since + (self.wait if calm else self.busy_wait)


def find_questions(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
    """Find all questions, from the placements and tracks as settled at `now`. Their numbers are 0,
    and contradictions begin at `now`: the caller knows which of them existed before."""
    yield from _find_conflicting_names(fusion, now)
    yield from _find_surplus_copies(fusion, deck, now)
    yield from find_unsure_cards(fusion)


def list_hints(fusion: Fusion, now: float) -> tuple[Text, ...]:
    """Return advice (hold it still, enrol it, enter it by hand) for each card that has been there
    unrecognised for a while, even if nobody is asked about it."""
    return tuple(
        Text(f"table.hint.{track.unidentified.why}", {"place": describe_zone(track.unidentified.zone)})
        for track in fusion.tracks.values()
        if track.unidentified is not None
        and track.unidentified.zone != NOWHERE
        and track.gone_at is None
        and not track.is_orphan
        and not fusion.is_overridden(track)
        and now - track.unidentified_since >= HINT_DELAY
    )


def find_due_times(
    fusion: Fusion, questions: Iterable[TableQuestion], idle_since: Mapping[str, float]
) -> Iterator[float]:
    """Yield the moments at which the passing of time makes a question or hint due; `idle_since` as
    for `TableQuestion.is_due`."""
    # All waits, because which one counts depends on whether the reader is busy at that moment.
    for one in questions:
        yield from (one.since + one.wait, one.since + one.busy_wait)
        moments = [idle_since[reader] + one.calm for reader in one.waits_for & idle_since.keys()]
        yield from (moment for moment in moments if math.isfinite(moment))
    for track in fusion.tracks.values():
        if track.unidentified is not None:
            yield from (
                track.unidentified_since + wait for wait in (HINT_DELAY, QUESTION_DELAY, BUSY_QUESTION_DELAY)
            )


def find_unsure_cards(fusion: Fusion) -> Iterator[TableQuestion]:
    """Find the cards of which a reader is unsure and people have said nothing."""
    waiting: dict[tuple[str, str, str], list[TableQuestion]] = defaultdict(list)
    for track in fusion.tracks.values():
        vague = track.unidentified
        if (
            vague is None
            or not vague.likely
            or vague.zone == NOWHERE
            or track.is_orphan
            or fusion.is_overridden(track)
        ):
            continue
        text = Text("table.unsure", {"place": describe_zone(vague.zone)})
        waiting[track.reader, vague.zone, CardId.from_text(vague.likely[0]).kind].append(
            TableQuestion(
                id=0,
                zone=vague.zone,
                text=text,
                tracks=(track.key,),
                cards=vague.likely,
                since=track.unidentified_since,
                waits_for=frozenset({track.reader}),
                wait=QUESTION_DELAY,
                busy_wait=BUSY_QUESTION_DELAY,
                calm=IDLE_DEBOUNCE,
            )
        )
    for (reader, zone, kind), questions in waiting.items():
        # As many of the first ones are dropped as other readers have named: these are the same
        # cards.
        yield from questions[_count_named_by_others(fusion, reader, zone, kind) :]


def _count_named_by_others(fusion: Fusion, reader: str, zone: str, kind: str) -> int:
    """Count the cards of that kind in the zone that only other readers see."""
    return sum(
        placement.is_observed
        and placement.state.zone == zone
        and placement.state.card is not None
        and CardId.from_text(placement.state.card).kind == kind
        and reader not in {track.reader for track in placement.tracks.values()}
        for placement in fusion.placements.values()
    )


def _find_conflicting_names(fusion: Fusion, now: float) -> Iterator[TableQuestion]:
    """Find pairs of cards of one kind in one zone of which two readers are certain, where neither
    reader sees an unnamed card that may be the other's."""
    for zone, placements in _group_by_zone(fusion.placements.values()):
        fresh = [p for p in placements if not p.is_used or now - p.used_at < DISPUTE_TIMEOUT]
        for one, other in _pair_by_readers(fusion, zone, fresh):
            if one.state.card is None or other.state.card is None:
                continue
            # A misread card and its true name are nearly always of one kind (`load`, `donkey`).
            if CardId.from_text(one.state.card).kind != CardId.from_text(other.state.card).kind:
                continue
            cards = tuple(sorted((one.state.card, other.state.card)))
            args = {"place": describe_zone(zone), "cards": tuple(map(describe_card_id, cards))}
            tracks = tuple(sorted([*one.tracks, *other.tracks]))
            text = Text("table.dispute.readers", args)
            yield TableQuestion(0, zone, text, tracks, cards, now, (one.id, other.id))


def _pair_by_readers(
    fusion: Fusion, zone: str, placements: Sequence[Placement]
) -> Iterator[tuple[Placement, Placement]]:
    """Yield each pair of cards that no reader sees both of. Cards of the same reader are not
    compared: with very many of them that would take quadratic time."""
    by_readers: dict[frozenset[str], list[Placement]] = {}
    for placement in placements:
        by_readers.setdefault(frozenset(t.reader for t in placement.tracks.values()), []).append(placement)
    for (here, ours), (there, theirs) in combinations(by_readers.items(), 2):
        if (
            here.isdisjoint(there)
            and _can_name_all(fusion, here, zone)
            and _can_name_all(fusion, there, zone)
        ):
            yield from product(ours, theirs)


def _find_surplus_copies(fusion: Fusion, deck: Deck, now: float) -> Iterator[TableQuestion]:
    """Find cards beyond the number of copies that the deck has; the newest is in doubt."""
    by_card: dict[str, list[Placement]] = {}
    for placement in fusion.placements.values():
        card = placement.state.card
        if card is not None and placement.is_observed:
            by_card.setdefault(card, []).append(placement)
    for card, placements in by_card.items():
        copies = deck.count_copies(card)
        # Placements are in order of arrival, so those beyond the copies came last. A card that the
        # deck does not have has no number to exceed.
        for placement in placements[copies:] if copies else ():
            zone = placement.state.zone
            places = tuple(describe_zone(p.state.zone) for p in placements)
            args = {"card": describe_card_id(card), "places": places, "last": describe_zone(zone)}
            text = Text("table.dispute.copies", args, copies)
            readers = frozenset(reader for one in placements for reader, _ in one.tracks)
            tracks = tuple(sorted(placement.tracks))
            yield TableQuestion(0, zone, text, tracks, (card,), now, (placement.id,), readers)


def _can_name_all(fusion: Fusion, readers: frozenset[str], zone: str) -> bool:
    """Check that these readers see no unnamed card in the zone, which could be the card in
    question."""
    return not any(
        track.reader in readers and _is_unnamed_in(track, zone) and not fusion.is_overridden(track)
        for track in fusion.tracks.values()
    )


def _is_unnamed_in(track: SightingTrack, zone: str) -> bool:
    if track.stable_state is None:
        return track.unidentified is not None and track.unidentified.zone == zone
    return track.stable_state.zone == zone and track.stable_state.card is None


def _group_by_zone(placements: Iterable[Placement]) -> Iterator[tuple[str, list[Placement]]]:
    zones: dict[str, list[Placement]] = {}
    for placement in placements:
        if placement.is_observed and placement.state.face == "up":
            zones.setdefault(placement.state.zone, []).append(placement)
    yield from zones.items()
