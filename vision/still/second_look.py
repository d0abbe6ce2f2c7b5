"""Read the outlines of one photograph twice: the second time with what the clear cards have shown
of its ink.

Also splits the outline of two cards laid edge to edge: one outline surrounds both, and a card's
proportions show where the seam must be.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, aspect, centre, contains, to_quad, transform
from vision.naming.identify import Terms, identifying_occluded
from vision.naming.response import of_picture
from vision.outline_reader import SIDEWAYS, WORTH, OutlineReader, Picture
from vision.outlines import quads
from vision.outlines.detect import Outline
from vision.outlines.keypoints import Placed, place
from vision.outlines.shape import of_card_shape
from vision.reading import Reading, worth
from vision.same_print import may_become_sure
from vision.steps import finish
from vision.still.missed import low_contrast, occluded

DOUBTFUL = 0.6
"""Confidence below which an outline may hold two cards instead of the one it was read as: two cards
of one sign each were taken for one of two signs with 0.53."""

REACH = 4.0
"""Pixels within which an edge of a half is sought; white cards that touch may show none."""

WHOLE = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
LEFT, UPPER = WHOLE * np.array([0.5, 1], np.float32), WHOLE * np.array([1, 0.5], np.float32)
RIGHT, LOWER = LEFT + np.array([1, 0], np.float32), UPPER + np.array([0, 1], np.float32)
"""A square, and its halves."""


def parted(
    image: NDArray[np.uint8],
    quad: Quad,
    sure: list[Quad],
    wanted: float,
    read: Callable[[NDArray[np.uint8], Quad], Reading],
) -> list[Reading]:
    """Read two touching cards in an outline; none unless both halves have a card's shape and are
    sure, because half a card looks like no design.

    `sure`: cards that define a card's shape and size; `wanted`: its long by its short side; `read`
    reads a quad.
    """
    for cut in halves(image, quad):
        if all(of_card_shape(half, sure, wanted) for half in cut):
            pair = []
            for half in cut:
                pair.append(read(image, half))
                if not pair[-1].sure:
                    break
            else:
                return pair
    return []


def halves(image: NDArray[np.uint8], quad: Quad) -> list[list[Quad]]:
    """Return the two halves of a quad, cut lengthwise and cut across as seen in perspective, moved
    onto their edges where these show."""
    square = to_quad(WHOLE, quad)
    cuts = [[transform(square, half) for half in cut] for cut in ((LEFT, RIGHT), (UPPER, LOWER))]
    return [quads.sharpen(image, cut, REACH)[0] for cut in cuts]


CLEAR = 0.75
"""Confidence from which a sure card is not compared again: a rival that is nearer can be so by the
picture's ink alone."""


class SecondLook:
    """Reads the outlines of one BGR picture. One camera in one light shows one print, so what the
    clear cards show of it holds for the others."""

    def __init__(self, reader: OutlineReader, image: Picture, outlines: Sequence[Outline]) -> None:
        self._reader, self._image, self._outlines = reader, image, outlines
        # a first reading of every outline, from which the picture's ink is measured
        self._first = [finish(reader.naming(image, outline.quad)) for outline in outlines]
        self._response = of_picture([one.told for one in self._first if one.told is not None])

    def readings(self) -> list[Reading]:
        """Return the readings of all outlines."""
        closer = [self._closer(*one) for one in zip(self._outlines, self._first, strict=True)]
        return self._turned(self._parted(closer))

    def _closer(self, outline: Outline, glance: Reading) -> list[Reading]:
        """Read an outline after its first reading: again with the response known, or by other
        outlines, if it was not clear."""
        reader, image = self._reader, self._image
        is_clear = glance.sure and glance.confidence >= CLEAR
        # no response, nothing near, or sure already: a second reading would add nothing
        if self._response is None or glance.confidence < WORTH or is_clear:
            return finish(reader.judging(lambda: image, outline, glance))
        again = finish(reader.naming_again(image, glance, self._response))
        if glance.told is not None and again.card != glance.card:
            # if the response turns a clear card into another, neither reading is believed
            return [replace(again, sure=False, evidence=None)]
        return finish(reader.judging(lambda: image, outline, max(glance, again, key=worth)))

    def _parted(self, closer: Sequence[list[Reading]]) -> list[list[Reading]]:
        """Replace the readings of an outline that holds two touching cards by those of the
        cards."""

        def half(image: Picture, quad: Quad) -> Reading:
            return finish(self._reader.naming(image, quad, Terms(least=WORTH)))

        # half an outline is mostly no card: not worth look-alikes and shadows
        sure, wanted = [r.quad for of_one in closer for r in of_one if r.sure], self._reader.tall
        return [
            of_one
            if any(r.sure or r.confidence >= DOUBTFUL for r in of_one)
            else parted(self._image, outline.quad, sure, wanted, half) or of_one
            for outline, of_one in zip(self._outlines, closer, strict=True)
        ]

    def _turned(self, closer: Sequence[list[Reading]]) -> list[Reading]:
        """Return the readings of all outlines; those without a sure one are read sideways where the
        table may be seen at a slant, because a card that stands upright then looks lower than
        wide."""
        if not self._reader.seen_aslant([r.quad for of_one in closer for r in of_one if r.sure]):
            return [r for of_one in closer for r in of_one]
        terms = Terms(response=self._response, least=WORTH, sideways=True)
        found: list[Reading] = []
        for outline, of_one in zip(self._outlines, closer, strict=True):
            if any(r.sure for r in of_one) or aspect(outline.quad) > SIDEWAYS:
                found += of_one
                continue
            turned = finish(self._reader.naming(self._image, outline.quad, terms))
            # only if it is better than all other readings of the outline
            better = all(worth(turned) > worth(r) for r in of_one)
            found += [turned] if better and (turned.sure or may_become_sure(turned)) else of_one
        return found

    def low_contrast(self, found: Sequence[Reading]) -> list[Reading]:
        """Find cards where there is no outline because the table is as pale."""
        if not self._reader.library.references:
            return []
        return low_contrast(self._image, found, self._reader.tall, self._unseen)

    def occluded(self, found: Sequence[Reading]) -> list[Reading]:
        """Find cards without an outline, or unsure, because something lies across them, by the
        pieces of their border. A painted deck's cards are `placed` instead."""
        library = self._reader.library
        # only missed cards are sought, so there is nothing to do if every outline has been read
        if self._all_told(found) or not library.references or library.keypoints.is_painted:
            return []
        return occluded(self._image, found, self._reader.tall, self._across)

    def placed(self, found: Sequence[Reading]) -> list[Reading]:
        """Find cards by their print where there is no sure reading: it shows where the border must
        be, for a dark frame on a dark mat or a white rim on white paper."""
        known = self._reader.library.keypoints
        if self._all_told(found) or not known.tells_places:
            return []
        sure = [r.quad for r in found if r.sure]
        placed = [self._by_print(one) for one in place(self._image, known, sure)]
        return [r for r in placed if r.sure or may_become_sure(r)]

    def _all_told(self, found: Sequence[Reading]) -> bool:
        """Check whether there are sure readings, and every outline holds one of them."""
        sure = [r.quad for r in found if r.sure]
        told = (any(contains(quad, centre(one.quad)) for quad in sure) for one in self._outlines)
        return bool(sure) and all(told)

    def _by_print(self, placed: Placed) -> Reading:
        """Read the card where a design's print was found; it is of that design, whatever lamp or
        shadow lies on it, if enough of its print was found."""
        reading = finish(self._reader.naming(self._image, placed.quad))
        design = self._reader.library.references[placed.view].card
        # the comparison of the whole card must agree with the points
        if not placed.is_proven or reading.evidence is None or reading.evidence.card != design:
            return reading
        confidence = max(reading.confidence, CLEAR)
        return replace(
            reading, card=design, sure=True, confidence=confidence, quad=placed.quad, leads=True, proven=True
        )

    def _unseen(self, image: Picture, quad: Quad) -> Reading:
        """Read an outline that the first look did not find."""
        return finish(self._reader.naming(image, quad, Terms(response=self._response, least=WORTH)))

    def _across(self, image: Picture, quad: Quad) -> Reading | None:
        """Read a card by the part visible beside things lying across it; None if there are none."""
        verdict = finish(identifying_occluded(image, quad, self._reader.library, least=WORTH))
        return None if verdict is None else self._reader.weigh(verdict)
