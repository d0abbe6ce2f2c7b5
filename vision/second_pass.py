"""Read the outlines of one picture twice: the second time with what the clear cards have shown
of its ink.

Also splits the outline of two cards laid edge to edge: one outline surrounds both, and a card's
proportions show where the seam must be.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, aspect_ratio, contains_point, find_homography, quad_centre, transform_points
from vision.missed_cards import find_low_contrast_cards_in_steps, find_occluded_cards_in_steps
from vision.naming.identify import NamingTerms, identify_crossed_in_steps
from vision.naming.ink_response import Response, fit_response
from vision.outline_reader import SIDEWAYS, WORTH, OutlineReader, Picture
from vision.outlines import quads
from vision.outlines.detect import Outline
from vision.outlines.keypoints import LocatedCard, locate_cards_in_steps
from vision.outlines.shape import has_card_shape
from vision.outlines.working_picture import WorkingPicture
from vision.print_check import may_become_sure
from vision.reading import Reading, reading_rank
from vision.steps import Steps
from vision.unenrolled_cards import name_whole_card_in_steps

DOUBTFUL = 0.6
"""Confidence below which an outline may hold two cards instead of the one it was read as: two cards
of one sign each were taken for one of two signs with 0.53."""

REACH = 4.0
"""Pixels within which an edge of a half is sought; white cards that touch may show none."""

WHOLE = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
LEFT, UPPER = WHOLE * np.array([0.5, 1], np.float32), WHOLE * np.array([1, 0.5], np.float32)
RIGHT, LOWER = LEFT + np.array([1, 0], np.float32), UPPER + np.array([0, 1], np.float32)
"""A square, and its halves."""


def split_touching_cards_in_steps(
    image: NDArray[np.uint8],
    quad: Quad,
    sure_cards: list[Quad],
    card_aspect: float,
    read_quad: Callable[[NDArray[np.uint8], Quad], Steps[Reading]],
) -> Steps[list[Reading]]:
    """Read two touching cards in an outline, in small steps; none unless both halves have a card's
    shape and are sure, because half a card looks like no design.

    `sure_cards`: cards that define a card's shape and size; `card_aspect`: its long by its short
    side; `read_quad` reads a quad.
    """
    for cut in halve_quad(image, quad):
        if all(has_card_shape(half, sure_cards, card_aspect) for half in cut):
            pair = []
            for half in cut:
                yield
                pair.append((yield from read_quad(image, half)))
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
    """Reads the outlines of one picture, and finds the cards that have none, in small steps.
    One camera in one light shows one print, so what the clear cards show of it holds for the
    others.

    `known`: cards of the picture that are sure already.
    """

    def __init__(
        self,
        reader: OutlineReader,
        picture: WorkingPicture,
        outlines: Sequence[Outline],
        known: Sequence[Reading] = (),
    ) -> None:
        self._reader, self._picture, self._outlines = reader, picture, outlines
        self._image, self._known = picture.image, known
        self._response: Response | None = None

    def read_all_in_steps(self) -> Steps[list[Reading]]:
        """Return the readings of all outlines."""
        reader, image = self._reader, self._image
        # a first reading of every outline, from which the picture's ink is measured
        # all of them before any second reading: these need what the clear ones have shown
        first_readings: list[Reading] = []
        for outline in self._outlines:
            yield
            # the likeliest outlines come first, and show what else may be a card
            sure = self._list_sure_quads(first_readings)
            first_readings.append((yield from reader.name_likely_quad_in_steps(image, outline.quad, sure)))
        self._response = fit_response([one.ink for one in first_readings if one.ink is not None])
        closer, sure = [], self._list_sure_quads(first_readings)
        for outline, first_reading in zip(self._outlines, first_readings, strict=True):
            closer.append((yield from self._read_closer(outline, first_reading, sure)))
        touching = yield from self._split_touching(closer)
        return (yield from self._reread_sideways(touching))

    def _list_sure_quads(self, readings: Iterable[Reading]) -> list[Quad]:
        return [r.quad for r in (*self._known, *readings) if r.sure]

    def _read_closer(
        self, outline: Outline, first_reading: Reading, sure_cards: Sequence[Quad]
    ) -> Steps[list[Reading]]:
        """Read an outline after its first reading: again with the response known, or by other
        outlines that may be cards beside the `sure_cards`, if it was not clear."""
        reader, image = self._reader, self._image
        is_clear = first_reading.sure and first_reading.confidence >= CLEAR
        best = first_reading
        # no response, nothing near, or sure already: a second reading would add nothing
        if self._response is not None and first_reading.confidence >= WORTH and not is_clear:
            yield
            again = yield from reader.rename_with_response_in_steps(image, first_reading, self._response)
            if first_reading.ink is not None and again.card != first_reading.card:
                # if the response turns a clear card into another, neither reading is believed
                return [replace(again, sure=False, evidence=None)]
            best = max(first_reading, again, key=reading_rank)
        return (yield from reader.read_outline_in_steps(lambda: image, outline, best, None, sure_cards))

    def _split_touching(self, readings: Sequence[list[Reading]]) -> Steps[list[list[Reading]]]:
        """Replace the readings of an outline that holds two touching cards by those of the
        cards."""

        def read_half(image: Picture, quad: Quad) -> Steps[Reading]:
            return self._reader.name_quad_in_steps(image, quad, NamingTerms(least=WORTH))

        # half an outline is mostly no card: not worth look-alikes and shadows
        sure = self._list_sure_quads(r for of_one in readings for r in of_one)
        result = []
        for outline, of_one in zip(self._outlines, readings, strict=True):
            halves: list[Reading] = []
            if not any(r.sure or r.confidence >= DOUBTFUL for r in of_one):
                halves = yield from split_touching_cards_in_steps(
                    self._image, outline.quad, sure, self._reader.card_aspect, read_half
                )
            result.append(halves or of_one)
        return result

    def _reread_sideways(self, readings: Sequence[list[Reading]]) -> Steps[list[Reading]]:
        """Return the readings of all outlines; those without a sure one are read sideways where the
        table may be seen at a slant, because a card that stands upright then looks lower than
        wide."""
        if not self._reader.may_be_slanted(self._list_sure_quads(r for of_one in readings for r in of_one)):
            return [r for of_one in readings for r in of_one]
        terms = NamingTerms(response=self._response, least=WORTH, sideways=True)
        found: list[Reading] = []
        for outline, of_one in zip(self._outlines, readings, strict=True):
            if any(r.sure for r in of_one) or aspect_ratio(outline.quad) > SIDEWAYS:
                found += of_one
                continue
            yield
            turned = yield from self._reader.name_quad_in_steps(self._image, outline.quad, terms)
            # only if it is better than all other readings of the outline
            better = all(reading_rank(turned) > reading_rank(r) for r in of_one)
            found += [turned] if better and (turned.sure or may_become_sure(turned)) else of_one
        return found

    def read_low_contrast(self, readings: Sequence[Reading]) -> Steps[list[Reading]]:
        """Find cards where there is no outline because the table is as pale."""
        return (
            yield from find_low_contrast_cards_in_steps(
                self._picture, readings, self._reader.card_aspect, self._read_new_quad
            )
        )

    def read_occluded(self, readings: Sequence[Reading]) -> Steps[list[Reading]]:
        """Find cards without an outline, or unsure, because something lies across them, by the
        pieces of their border. `read_by_print` finds a painted deck's cards instead."""
        library = self._reader.library
        # only missed cards are sought, so there is nothing to do if every outline has been read
        if self._is_complete(readings) or not library.references:
            return []
        if (yield from library.load_keypoints_in_steps()).is_painted:
            return []
        return (
            yield from find_occluded_cards_in_steps(
                self._picture, readings, self._reader.card_aspect, self._read_crossed_quad
            )
        )

    def read_by_print(self, readings: Sequence[Reading]) -> Steps[list[Reading]]:
        """Find cards by their print where there is no sure reading: it shows where the border must
        be, for a dark frame on a dark mat or a white rim on white paper."""
        if self._is_complete(readings):
            return []
        known = yield from self._reader.library.load_keypoints_in_steps()
        if not known.can_locate_cards:
            return []
        sure = [r.quad for r in readings if r.sure]
        placed = []
        for one in (yield from locate_cards_in_steps(self._image, known, sure, self._picture.side)):
            yield
            placed.append((yield from self._read_located_card(one)))
        return [r for r in placed if r.sure or may_become_sure(r)]

    def _is_complete(self, readings: Sequence[Reading]) -> bool:
        """Check whether there are sure readings, and every outline holds one of them."""
        sure = [r.quad for r in readings if r.sure]
        is_explained = (
            any(contains_point(quad, quad_centre(one.quad)) for quad in sure) for one in self._outlines
        )
        return bool(sure) and all(is_explained)

    def _read_located_card(self, placed: LocatedCard) -> Steps[Reading]:
        """Read the card where a design's print was found; it is of that design, whatever lamp or
        shadow lies on it, if enough of its print was found."""
        reading = yield from self._reader.name_quad_in_steps(self._image, placed.quad)
        design = self._reader.library.references[placed.view].card
        # the comparison of the whole card must agree with the points
        if not placed.is_proven or reading.evidence is None or reading.evidence.card != design:
            return reading
        confidence = max(reading.confidence, CLEAR)
        return replace(
            reading, card=design, sure=True, confidence=confidence, quad=placed.quad, leads=True, proven=True
        )

    def _read_new_quad(self, quad: Quad) -> Steps[Reading]:
        """Read an outline that the first look did not find, by a print of the deck or as any pack's
        card."""
        terms = NamingTerms(response=self._response, least=WORTH)
        reading = yield from self._reader.name_quad_in_steps(self._image, quad, terms)
        return (yield from name_whole_card_in_steps(self._image, reading, self._reader.library))

    def _read_crossed_quad(self, image: Picture, quad: Quad) -> Steps[Reading | None]:
        """Read a card by the part visible beside things lying across it; None if there are none."""
        verdict = yield from identify_crossed_in_steps(image, quad, self._reader.library, least=WORTH)
        return None if verdict is None else self._reader.apply_margins(verdict)
