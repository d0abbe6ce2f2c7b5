"""Hold the reading of one card in one picture, and combine many: keep each card once, heed
stickers, find the uppermost."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vision.geometry import Quad, contains_point, is_gap_between, overlap_area, quad_area
from vision.markers import Marker
from vision.naming.evidence import Evidence
from vision.naming.ink_response import InkSums
from vision.outlines.covers import find_covers
from vision.outlines.detect import Outline
from vision.outlines.shape import find_cut_off_cards, has_card_shape, is_unlike_all

WITHIN = 0.7
"""Part of an outline that must lie in a card for it to be an outline of that card."""

WHOLE = 0.95
"""Part of a sure card that must lie in an outline for the outline to surround it: a card that lies
on another of its size hardly lies in it by so much."""

PIECE = 0.9
"""Part of an outline without a sure name that must lie in a completed card, without hiding it, to
be a part of that card: of the size of a card it would hide as much of it."""

NEXT_TO, FELLOW = 3, 1.25
"""`NEXT_TO`: number of neighbouring sure cards with which a card's size is compared. `FELLOW`:
factor by which it may differ from one of them: of 165 right and sure cards of other people's
photographs none differed from each by more than 1.12."""

PRINTED = (1.4, 2.2)
"""Range of the size of a card, relative to a sure reading, on which that is only printed: smaller
things are its sleeve or border or the zone of a mat, larger ones a sheet or a tray on which it
lies."""

FILLED, AS_LARGE = 0.86, 1.1
"""`FILLED`: part, by length, of an outline round a design below which the design does not fill it.
`AS_LARGE`: factor by which the outline may differ in size from the next sure card to be another
card: then the design is only printed on it, nearly as large; a mat's zone is not a card. Of 349
sure cards of other people's photographs none fills less than 0.899 of any such outline."""

OVERLAID, OVERLAID_STRIP = 0.7, 0.8
"""Part of a card that another may hide, and of one of which a strip with its index shows: cards in
a column lie a third of their length apart, or less."""


@dataclass(frozen=True)
class Reading:
    """One card found in a picture.

    `card`: the best guess, or None for a card of no enrolled design or its back. `sure`: whether
    the program would act on it. `confidence`: 0 to 1. `quad`: float32 (4, 2) pixels, clockwise;
    corner 0 is the card's own top left if `card` is set. `candidates`: (card, likeness 0 to 1),
    best first.
    """

    card: str | None
    sure: bool
    confidence: float
    quad: Quad
    candidates: tuple[tuple[str, float], ...] = ()
    ink: InkSums | None = field(default=None, repr=False, compare=False)
    """Measurement of how the picture renders the deck's ink; None if the design is not clear."""
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    """The evidence for the reading, while the picture is being read."""
    leads: bool = field(default=False, repr=False, compare=False)
    """Whether its design leads all others by the deck's margin, however much of the card it
    explains."""
    proven: bool = field(default=False, repr=False, compare=False)
    """Whether so much of its design's print was found, point by point, that no light can make
    another card of it."""
    same: float = field(default=math.inf, repr=False, compare=False)
    """Log odds that it shows the print of its design; infinite if that was not tested, minus
    infinity if another test had excluded it."""
    fills: float = field(default=1.0, repr=False, compare=False)
    """Part of its outline's length that its design fills."""
    partly_hidden: bool = field(default=False, repr=False, compare=False)
    """Whether its outline was completed, because something lies on it."""

    @property
    def mean_side(self) -> float:
        """The geometric mean of its design's sides, in pixels."""
        return math.sqrt(quad_area(self.quad)) * self.fills

    @property
    def needs_face(self) -> bool:
        """Whether it was read by its face; an index or a sticker shows beside its covers."""
        return self.evidence is not None or not math.isinf(self.same)

    @property
    def needs_card_shape(self) -> bool:
        """Whether nothing but its outline's shape can show that it is one card: a whole card on
        which no enrolled design leads, as of a pack that nobody enrolled, and without a sticker."""
        return not (self.leads or self.partly_hidden) and self.confidence < 1


def remove_duplicate_readings(readings: Sequence[Reading]) -> list[Reading]:
    """Suppress duplicates of one card (non-maximum suppression).

    Drops the readings that lie within a sure one (half a card, the picture in its frame, the same
    card again), and those without a sure name that surround one (its sleeve).
    """
    result: list[Reading] = []
    # sure ones first, then by size: a part of a card comes after the card itself
    for reading in sorted(readings, key=lambda r: (not r.sure, -quad_area(r.quad))):
        enclosing = [r for r in result if r.sure and _is_same_place(r, reading)]
        # two sure readings of different designs may be cards that overlap
        if not any(not reading.sure or r.card == reading.card for r in enclosing):
            result.append(reading)
    return result


def _is_same_place(sure: Reading, reading: Reading) -> bool:
    """Check whether a reading lies within a sure one, or contains it completely; cards of one deck
    have one size."""
    shared = overlap_area(sure.quad, reading.quad)
    holds = not reading.sure and shared > WHOLE * quad_area(sure.quad)
    return holds or shared > WITHIN * quad_area(reading.quad)


def reading_rank(reading: Reading) -> tuple[bool, float]:
    """Return a key by which readings of the same card are compared: sure ones before all others."""
    return reading.sure, reading.confidence


def apply_stickers(readings: list[Reading], markers: list[Marker], cards: Mapping[int, str]) -> list[Reading]:
    """Identify cards by the stickers on them, for decks in which some cards carry one.

    `cards`: marker number to card id; other markers (the mat's) are ignored. A sticker outside
    every outline still stands for its card, with the marker's own quad.
    """
    result = list(readings)
    for marker in markers:
        card = cards.get(marker.id)
        if card is None:
            continue
        holder = next(
            (i for i, r in enumerate(result) if contains_point(r.quad, marker.quad.mean(axis=0))), None
        )
        quad = marker.quad if holder is None else result[holder].quad
        reading = Reading(card, True, 1.0, quad, ((card, 1.0),))
        if holder is None:
            result.append(reading)
        else:
            result[holder] = reading
    return result


def split_uppermost(named: list[tuple[Reading, Outline]]) -> tuple[list[Reading], list[Outline]]:
    """Separate completed cards, found together, into those on top and those to be read again with
    the former known.

    Where two overlap, the one whose face is better explained lies on the other. What needs no face
    shows in both.
    """
    top: list[Reading] = []
    put_off = []
    for reading, outline in sorted(named, key=lambda one: -one[0].confidence):
        if any(is_mostly_same(reading, other) for other in top):
            continue
        if reading.needs_face and find_covers(reading.quad, [other.quad for other in top]):
            put_off.append(outline)
        else:
            top.append(reading)
    return top, put_off


def is_mostly_same(one: Reading, other: Reading) -> bool:
    """Check whether two readings share so much that they cannot be two cards, one on the other; two
    names that were read by an index each may share more."""
    by_index = not (one.needs_face or other.needs_face) and one.card != other.card
    shared = overlap_area(one.quad, other.quad) / min(quad_area(one.quad), quad_area(other.quad))
    return shared > (OVERLAID_STRIP if by_index else OVERLAID)


def is_part_of_card(reading: Reading, card: Quad) -> bool:
    """Check whether a reading without a sure name is only a part of this card, bright beside its
    shadow or framed by its print, and not something lying on it: a card would stick out, or hide
    nearly all."""
    return not reading.sure and overlap_area(reading.quad, card) > PIECE * quad_area(reading.quad)


def keep_card_shaped(readings: Sequence[Reading], card_aspect: float) -> list[Reading]:
    """Drop unsure outlines whose shape or size is not that of the cards, whose long side is
    `card_aspect` times the short one.

    Sure cards define a card's shape and size near them under this camera; without any, only the
    deck's shape is known.
    """
    sure = [r.quad for r in readings if r.sure]
    return [
        r
        for r in readings
        if r.sure or (has_card_shape(r.quad, sure, card_aspect) and not is_gap_between(r.quad, sure))
    ]


def demote_cut_off_cards(readings: Sequence[Reading], card_aspect: float) -> list[Reading]:
    """Make cards unsure that are cut off by a card lying on them: of three signs in a row two may
    be visible. `card_aspect` as for `keep_card_shaped`."""
    # one answer for each sure reading, in their order
    cut = iter(find_cut_off_cards([r.quad for r in readings if r.sure], card_aspect))
    return [replace(r, sure=False, evidence=None) if r.sure and next(cut) else r for r in readings]


def demote_unlike_cards(
    readings: Sequence[Reading], card_aspect: float, enclosing_quads: Callable[[Reading], Iterable[Quad]]
) -> list[Reading]:
    """Make sure readings unsure that are unlike the cards beside them: a picture of a card, printed
    on another one, and an outline round two cards.

    Cards of one table have one size, from any viewpoint. Where none of the sure cards next to one
    has its size, at most one of them may be larger (it may be held up to the camera), and no quad
    of `enclosing_quads` may look like a card on which it is printed; nor, beside a sure card, like
    another such card. A reading that `needs_card_shape` must have the shape of another whole card,
    if there are two. `card_aspect` as for `keep_card_shaped`.
    """
    sure = [r for r in readings if r.sure]
    whole = [r.quad for r in sure if not r.partly_hidden]
    unlike = set[int]()
    for reading in sure:
        if reading.needs_card_shape and is_unlike_all(reading.quad, whole, card_aspect):
            unlike.add(id(reading))
        middle, size = reading.quad.mean(axis=0), reading.mean_side
        others = [other for other in sure if other is not reading]
        others.sort(key=lambda other: float(((other.quad.mean(axis=0) - middle) ** 2).sum()))
        next_to = [other.mean_side for other in others[:NEXT_TO]]
        alone = not any(size / FELLOW <= one <= size * FELLOW for one in next_to)
        # the card on which this would be printed is larger, but smaller than a sheet of paper
        limits = [(PRINTED[0] * size, PRINTED[1] * size)] if alone else []
        # or it is as large as the card next to it
        limits += [
            (max(size / FILLED, one / AS_LARGE), min(size * PRINTED[1], one * AS_LARGE))
            for one in next_to[:1]
        ]
        if (alone and sum(one > size * FELLOW for one in next_to) > 1) or any(
            _could_enclose(quad, reading, limits, card_aspect) for quad in enclosing_quads(reading)
        ):
            unlike.add(id(reading))
    return [replace(r, sure=False) if id(r) in unlike else r for r in readings]


def _could_enclose(
    quad: Quad, reading: Reading, sizes: Iterable[tuple[float, float]], card_aspect: float
) -> bool:
    """Check whether a quad may be a card on which the reading's card is printed, with a size in one
    of the given ranges."""
    return (
        any(least < math.sqrt(quad_area(quad)) < most for least, most in sizes)
        and has_card_shape(quad, [], card_aspect)
        and overlap_area(quad, reading.quad) > PIECE * quad_area(reading.quad)
    )
