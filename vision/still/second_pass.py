"""Read the outlines of one photograph twice: the second time with what the clear cards have shown
of its ink.

Also splits the outline of two cards laid edge to edge: one outline surrounds both, and a card's
proportions show where the seam must be.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, aspect_ratio, contains_point, find_homography, quad_centre, transform_points
from vision.naming.identify import NamingTerms, identify_crossed_in_steps
from vision.naming.ink_response import fit_response
from vision.outline_reader import SIDEWAYS, WORTH, OutlineReader, Picture
from vision.outlines import quads
from vision.outlines.detect import Outline
from vision.outlines.keypoints import LocatedCard, locate_cards
from vision.outlines.shape import has_card_shape
from vision.print_check import may_become_sure
from vision.reading import Reading, reading_rank
from vision.steps import run_to_end
from vision.still.missed_cards import find_low_contrast_cards, find_occluded_cards

DOUBTFUL = 0.6
"""Confidence below which an outline may hold two cards instead of the one it was read as: two cards
of one sign each were taken for one of two signs with 0.53."""

REACH = 4.0
"""Pixels within which an edge of a half is sought; white cards that touch may show none."""

WHOLE = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
LEFT, UPPER = WHOLE * np.array([0.5, 1], np.float32), WHOLE * np.array([1, 0.5], np.float32)
RIGHT, LOWER = LEFT + np.array([1, 0], np.float32), UPPER + np.array([0, 1], np.float32)
"""A square, and its halves."""


def split_touching_cards(
    image: NDArray[np.uint8],
    quad: Quad,
    sure_cards: list[Quad],
    card_aspect: float,
    read_quad: Callable[[NDArray[np.uint8], Quad], Reading],
) -> list[Reading]:
    """Read two touching cards in an outline; none unless both halves have a card's shape and are
    sure, because half a card looks like no design.

    `sure_cards`: cards that define a card's shape and size; `card_aspect`: its long by its short
    side; `read_quad` reads a quad.
    """
    for cut in halve_quad(image, quad):
        if all(has_card_shape(half, sure_cards, card_aspect) for half in cut):
            pair = []
            for half in cut:
                pair.append(read_quad(image, half))
                if not pair[-1].sure:
                    break
            else:
                return pair
    return []


def halve_quad(image: NDArray[np.uint8], quad: Quad) -> list[list[Quad]]:
    """Return the two halves of a quad, cut lengthwise and cut across as seen in perspective, moved
    onto their edges where these show."""
    square = find_homography(WHOLE, quad)
    cuts = [[transform_points(square, half) for half in cut] for cut in ((LEFT, RIGHT), (UPPER, LOWER))]
    return [quads.snap_to_edges(image, cut, REACH)[0] for cut in cuts]


CLEAR = 0.75
"""Confidence from which a sure card is not compared again: a rival that is nearer can be so by the
picture's ink alone."""


class SecondPass:
    """Reads the outlines of one BGR picture. One camera in one light shows one print, so what the
    clear cards show of it holds for the others."""

    def __init__(self, reader: OutlineReader, image: Picture, outlines: Sequence[Outline]) -> None:
        self._reader, self._image, self._outlines = reader, image, outlines
        # a first reading of every outline, from which the picture's ink is measured
        self._first_readings = [
            run_to_end(reader.name_quad_in_steps(image, outline.quad)) for outline in outlines
        ]
        self._response = fit_response([one.ink for one in self._first_readings if one.ink is not None])

    def read_all(self) -> list[Reading]:
        """Return the readings of all outlines."""
        closer = [self._read_closer(*one) for one in zip(self._outlines, self._first_readings, strict=True)]
        return self._reread_sideways(self._split_touching(closer))

    def _read_closer(self, outline: Outline, first_reading: Reading) -> list[Reading]:
        """Read an outline after its first reading: again with the response known, or by other
        outlines, if it was not clear."""
        reader, image = self._reader, self._image
        is_clear = first_reading.sure and first_reading.confidence >= CLEAR
        # no response, nothing near, or sure already: a second reading would add nothing
        if self._response is None or first_reading.confidence < WORTH or is_clear:
            return run_to_end(reader.read_outline_in_steps(lambda: image, outline, first_reading))
        again = run_to_end(reader.rename_with_response_in_steps(image, first_reading, self._response))
        if first_reading.ink is not None and again.card != first_reading.card:
            # if the response turns a clear card into another, neither reading is believed
            return [replace(again, sure=False, evidence=None)]
        return run_to_end(
            reader.read_outline_in_steps(lambda: image, outline, max(first_reading, again, key=reading_rank))
        )

    def _split_touching(self, readings: Sequence[list[Reading]]) -> list[list[Reading]]:
        """Replace the readings of an outline that holds two touching cards by those of the
        cards."""

        def read_half(image: Picture, quad: Quad) -> Reading:
            return run_to_end(self._reader.name_quad_in_steps(image, quad, NamingTerms(least=WORTH)))

        # half an outline is mostly no card: not worth look-alikes and shadows
        sure, wanted = [r.quad for of_one in readings for r in of_one if r.sure], self._reader.card_aspect
        return [
            of_one
            if any(r.sure or r.confidence >= DOUBTFUL for r in of_one)
            else split_touching_cards(self._image, outline.quad, sure, wanted, read_half) or of_one
            for outline, of_one in zip(self._outlines, readings, strict=True)
        ]

    def _reread_sideways(self, readings: Sequence[list[Reading]]) -> list[Reading]:
        """Return the readings of all outlines; those without a sure one are read sideways where the
        table may be seen at a slant, because a card that stands upright then looks lower than
        wide."""
        if not self._reader.may_be_slanted([r.quad for of_one in readings for r in of_one if r.sure]):
            return [r for of_one in readings for r in of_one]
        terms = NamingTerms(response=self._response, least=WORTH, sideways=True)
        found: list[Reading] = []
        for outline, of_one in zip(self._outlines, readings, strict=True):
            if any(r.sure for r in of_one) or aspect_ratio(outline.quad) > SIDEWAYS:
                found += of_one
                continue
            turned = run_to_end(self._reader.name_quad_in_steps(self._image, outline.quad, terms))
            # only if it is better than all other readings of the outline
            better = all(reading_rank(turned) > reading_rank(r) for r in of_one)
            found += [turned] if better and (turned.sure or may_become_sure(turned)) else of_one
        return found

    def read_low_contrast(self, readings: Sequence[Reading]) -> list[Reading]:
        """Find cards where there is no outline because the table is as pale."""
        if not self._reader.library.references:
            return []
        return find_low_contrast_cards(self._image, readings, self._reader.card_aspect, self._read_new_quad)

    def read_occluded(self, readings: Sequence[Reading]) -> list[Reading]:
        """Find cards without an outline, or unsure, because something lies across them, by the
        pieces of their border. `read_by_print` finds a painted deck's cards instead."""
        library = self._reader.library
        # only missed cards are sought, so there is nothing to do if every outline has been read
        if self._is_complete(readings) or not library.references or library.keypoints.is_painted:
            return []
        return find_occluded_cards(self._image, readings, self._reader.card_aspect, self._read_crossed_quad)

    def read_by_print(self, readings: Sequence[Reading]) -> list[Reading]:
        """Find cards by their print where there is no sure reading: it shows where the border must
        be, for a dark frame on a dark mat or a white rim on white paper."""
        known = self._reader.library.keypoints
        if self._is_complete(readings) or not known.can_locate_cards:
            return []
        sure = [r.quad for r in readings if r.sure]
        placed = [self._read_located_card(one) for one in locate_cards(self._image, known, sure)]
        return [r for r in placed if r.sure or may_become_sure(r)]

    def _is_complete(self, readings: Sequence[Reading]) -> bool:
        """Check whether there are sure readings, and every outline holds one of them."""
        sure = [r.quad for r in readings if r.sure]
        is_explained = (
            any(contains_point(quad, quad_centre(one.quad)) for quad in sure) for one in self._outlines
        )
        return bool(sure) and all(is_explained)

    def _read_located_card(self, placed: LocatedCard) -> Reading:
        """Read the card where a design's print was found; it is of that design, whatever lamp or
        shadow lies on it, if enough of its print was found."""
        reading = run_to_end(self._reader.name_quad_in_steps(self._image, placed.quad))
        design = self._reader.library.references[placed.view].card
        # the comparison of the whole card must agree with the points
        if not placed.is_proven or reading.evidence is None or reading.evidence.card != design:
            return reading
        confidence = max(reading.confidence, CLEAR)
        return replace(
            reading, card=design, sure=True, confidence=confidence, quad=placed.quad, leads=True, proven=True
        )

    def _read_new_quad(self, image: Picture, quad: Quad) -> Reading:
        """Read an outline that the first look did not find."""
        return run_to_end(
            self._reader.name_quad_in_steps(image, quad, NamingTerms(response=self._response, least=WORTH))
        )

    def _read_crossed_quad(self, image: Picture, quad: Quad) -> Reading | None:
        """Read a card by the part visible beside things lying across it; None if there are none."""
        verdict = run_to_end(identify_crossed_in_steps(image, quad, self._reader.library, least=WORTH))
        return None if verdict is None else self._reader.apply_margins(verdict)
