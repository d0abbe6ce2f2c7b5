"""Cards a reader was long unsure of and nothing else names: the table is asked what they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import msgspec

from companion.rules.contract import Text
from companion.table.conflicts import Dispute
from companion.table.fusion import Fusion
from companion.table.identification import NOWHERE, Key
from companion.table.words import zone_words

ASK = 4.0
"""Seconds for which a reader must have been unsure of a card before the table is asked.

By then the camera has looked for the last time (`vision.film.attention.WAITS`), and people have had
the hint to lay the card flat and free. Twice as long while the reader still has something to make
out: a slow machine, hands over the table.
"""


class UnnamedCard(msgspec.Struct, frozen=True):
    """A card that no reader can name, by the track of the one that is unsure of it `since` a
    moment: where it lies, what it may be."""

    track: Key
    zone: str
    likely: tuple[str, ...]
    since: float

    def question(self, number: int) -> Dispute:
        """Put it as a question to the table."""
        text = Text("table.unsure", {"place": zone_words(self.zone)})
        return Dispute(number, self.zone, text, (), self.likely)


def unnamed(fusion: Fusion) -> Iterator[UnnamedCard]:
    """List the cards of which a reader is unsure and the table has not spoken, by the placements
    and tracks as they are settled.

    Where another reader sees a card of that kind in the zone (its tag lies on the pad there), and
    the unsure reader does not, the two are taken to be one, and nobody is asked.
    """
    waiting: dict[tuple[str, str, str], list[UnnamedCard]] = defaultdict(list)
    for track in fusion.tracks.values():
        if track.vague is not None and track.vague.likely and not (fusion.ruled(track) or track.orphan):
            one = UnnamedCard(track.key, track.vague.zone, track.vague.likely, track.vague_since)
            waiting[track.reader, one.zone, _kind(one.likely[0])].append(one)
    for (reader, zone, kind), found in waiting.items():
        if zone != NOWHERE:
            yield from found[_named_by_others(fusion, reader, zone, kind) :]


def _named_by_others(fusion: Fusion, reader: str, zone: str, kind: str) -> int:
    """Count the cards of that kind that lie in the zone by the word of other readers alone."""
    return sum(
        placement.watched
        and (placement.reading.zone, placement.reading.face) == (zone, "up")
        and _kind(placement.reading.card or "") == kind
        and reader not in {track.reader for track in placement.tracks.values()}
        for placement in fusion.placements.values()
    )


def _kind(card: str) -> str:
    """Return what a card's id begins with (`load`, `donkey`)."""
    return card.partition(":")[0]
