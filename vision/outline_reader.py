"""Read one outline of a picture: identify the card in it, and decide whether that is sure."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, aspect_ratio
from vision.library import Library, Margins
from vision.markers import Stickers
from vision.naming.evidence import Evidence, Verdict
from vision.naming.identify import USUAL, NamingTerms, identify_in_steps, reidentify_in_steps
from vision.naming.ink_response import Response
from vision.outlines.covers import blank_covers
from vision.outlines.detect import Outline
from vision.outlines.shape import may_be_card
from vision.picture_faults import PictureFault
from vision.print_check import may_become_sure, verify_partial_print_in_steps, verify_prints_in_steps
from vision.reading import Reading, reading_rank
from vision.steps import Steps
from vision.unenrolled_cards import name_partial_card_in_steps

ODD = float(np.log(1.25))
"""Oddness from which an outline that no design explains is not a card: cards of no design may still
lie in it if nothing in it is identified either."""

WORTH = 0.25
"""Confidence below which an unsure card is not read again once it is known how the picture renders
ink, and likeness below which a completed outline does not hold a card: it is of no design."""

ASTRAY = 0.2
"""Card widths by which a corner of a design may lie off the outline of the card that it explains.
Of 346 sure cards of `bench tables` none lay off by more than 0.173. Where a card lies on another
and the outline ends at its edge, two visible signs of three were explained by the design with two,
0.35 to 0.7 off; a strip of dark cloth by one large dark sign, 0.7 off and more."""

ANYWHERE = math.inf
"""`ASTRAY` for a video, where several readings must agree, and a card that slides under another
would be lost."""

MOVED, LOST = 0.1, 0.5
"""Card widths, least and most, by which the design of a partly hidden card may lie off for its
outline to be corrected: beyond the part of a patch outside an outline, the design is not compared
with anything. From 0.05 on as many cards of `bench covered` were identified, of another throw three
more of 154, but the estimate of what such a card hides of the next one was less exact: of a fan in
a video one was lost."""

SLANT = float(np.log(1.2))
"""Oddness of the sure cards up to which the camera looks down on the table."""

SIDEWAYS = 2.7
"""Long side by short side up to which a card may stand upright though it looks lower than wide: one
of 7 to 5 does so at 2.1 from a slant of 3 : 1, a quarter more at the table's far edge. With a limit
of 2.2, and only where the usual way explained less than 0.6, of 38 cards 33 were identified at 2 :
1 and 25 at 3 : 1, now 34 and 32 (`bench outlines`)."""

Picture = NDArray[np.uint8]


class OutlineReader:
    """Identifies the cards in single outlines of pictures, by the views and the stickers of one
    deck.

    `astray`: card widths by which a design may lie off the outline of the card that
    it explains.
    """

    def __init__(
        self,
        library: Library,
        margins: Margins | None = None,
        stickers: Stickers | None = None,
        astray: float = ASTRAY,
    ) -> None:
        self.library, self.astray = library, astray
        self.margins = margins or library.margins
        self.stickers = stickers or Stickers({})

    @property
    def card_aspect(self) -> float:
        """A card's long side by its short one."""
        return self.library.card_aspect

    def shape_deviation(self, outline: Outline) -> float:
        """Return how far an outline's shape is from the deck's cards; a chequered cloth has many
        outlines of other shapes."""
        return self._aspect_deviation(outline.aspect)

    def _aspect_deviation(self, aspect: float) -> float:
        return abs(math.log(aspect / self.card_aspect))

    def may_be_card(self, quad: Quad, sure_cards: list[Quad]) -> bool:
        """Check whether a quad may be one of the deck's cards beside those that are sure."""
        return may_be_card(quad, sure_cards, self.card_aspect)

    def may_be_slanted(self, sure_readings: Sequence[Quad]) -> bool:
        """Check whether, as far as the sure cards show, the table may be seen at a slant."""
        return (
            not sure_readings
            or max(self._aspect_deviation(aspect_ratio(quad)) for quad in sure_readings) >= SLANT
        )

    def read_outline_in_steps(
        self,
        grab_picture: Callable[[], Picture],
        outline: Outline,
        first_reading: Reading | None = None,
        response: Response | None = None,
        sure_cards: Sequence[Quad] = (),
    ) -> Steps[list[Reading]]:
        """Do the work of `read_outline` in small steps of some milliseconds each.

        `grab_picture` returns the current picture; each outline is read from the picture at its
        turn. `first_reading`: the reading of the outline itself, if there was one. `response`: how
        the camera renders the deck's ink. `sure_cards`: cards of the picture that are sure already;
        outlines that are nothing like them are not read.
        """
        terms, sure, best = NamingTerms(response=response), [*sure_cards], first_reading
        if best is None:
            best = yield from self.name_likely_quad_in_steps(grab_picture(), outline.quad, sure, terms)
        # rivals of the outline: a frame printed on the card, say, that is as clear as its border
        for quad in outline.alternatives:
            if best.sure:
                return [best]
            if not self.may_be_card(quad, sure):
                continue
            yield
            other = yield from self.name_quad_in_steps(grab_picture(), quad, terms)
            best = max(best, other, key=reading_rank)
        if best.sure or not outline.inside:
            return [best]
        within: list[Reading] = []
        # the likeliest first, because they show how large a card is
        for inside in sorted(outline.inside, key=self.shape_deviation):
            yield
            known = [*sure, *(r.quad for r in within if r.sure)]
            within += yield from self.read_outline_in_steps(grab_picture, inside, None, response, known)
        # an outline unlike a card may hold cards, unless its own reading may still become sure
        no_card = self.shape_deviation(outline) > ODD and not may_become_sure(best)
        return within if no_card or any(r.sure for r in within) else [best]

    def read_sideways_in_steps(
        self, image: Picture, quad: Quad, response: Response | None
    ) -> Steps[list[Reading]]:
        """Identify a card that stands upright though it looks lower than wide, in small steps;
        returns an empty reading at once if it looks too low for that."""
        if aspect_ratio(quad) > SIDEWAYS:
            return [Reading(None, False, 0.0, quad)]
        return [
            (yield from self.name_quad_in_steps(image, quad, NamingTerms(response=response, sideways=True)))
        ]

    def read_part_in_steps(
        self,
        image: Picture,
        quad: Quad,
        covers: Sequence[Quad],
    ) -> Steps[list[Reading]]:
        """Identify the card in a completed quad by the part outside its covers, in small steps.

        More may lie on it than is known, and a card of no design would be explained by the part
        that shows: so its print must be the same for certain.
        """
        terms = NamingTerms(covers, least=WORTH)
        reading = yield from self.name_quad_in_steps(image, quad, terms)
        if reading.evidence is not None and MOVED < reading.evidence.measure_outline_offset() < LOST:
            yield
            reading = yield from self._reread_in_place(image, reading.evidence, terms)
        yield
        reading = yield from verify_partial_print_in_steps(reading)
        reading = yield from name_partial_card_in_steps(image, reading, self.library, covers)
        return [replace(reading, partly_hidden=True)]

    def _reread_in_place(self, image: Picture, evidence: Evidence, terms: NamingTerms) -> Steps[Reading]:
        """Identify a card again in the place where its design lies; not sure if its border does not
        show there."""
        reading = yield from self.name_quad_in_steps(image, evidence.find_design_quad(), terms)
        shows = reading.evidence is not None and reading.evidence.has_visible_border()
        return reading if shows else replace(reading, sure=False, leads=False)

    def name_quad_in_steps(self, image: Picture, quad: Quad, terms: NamingTerms = USUAL) -> Steps[Reading]:
        """Identify the content of a quad outside its covers, in small steps: by its sticker if it
        has one, otherwise by its looks."""
        stuck = self.read_sticker(image, quad, terms.hidden)
        if stuck is not None:
            return stuck
        verdict = yield from identify_in_steps(image, quad, self.library, terms)
        # only a card read as enrolled can show how the camera renders ink
        return self.apply_margins(verdict, with_ink=terms.response is None)

    def name_likely_quad_in_steps(
        self, image: Picture, quad: Quad, sure_cards: list[Quad], terms: NamingTerms = USUAL
    ) -> Steps[Reading]:
        """Identify the content of a quad as `name_quad_in_steps` does if it may be a card beside
        those that are sure; anything else has no name."""
        if not self.may_be_card(quad, sure_cards):
            return Reading(None, False, 0.0, quad)
        return (yield from self.name_quad_in_steps(image, quad, terms))

    def find_distortion_in_steps(self, image: Picture, quad: Quad) -> Steps[PictureFault | None]:
        """Return how the whole picture is distorted, if only that makes the card in a quad one of
        the deck; in small steps."""
        mirrored = np.array([image.shape[1] - 1, 0], np.float32) + quad * np.array([-1, 1], np.float32)
        distortions: list[tuple[PictureFault, Picture, Quad]] = [
            # corners in reverse, so that they go round clockwise again
            ("mirrored", image[:, ::-1], mirrored[::-1]),
            ("exchanged", image[:, :, ::-1], quad),
        ]
        for fault, picture, there in distortions:
            yield
            named = yield from self.name_quad_in_steps(np.ascontiguousarray(picture), there)
            (reading,) = yield from verify_prints_in_steps([named])
            if reading.sure:
                return fault
        return None

    def read_sticker(self, image: Picture, quad: Quad, covers: Sequence[Quad] = ()) -> Reading | None:
        """Return the card in a quad by the sticker visible outside its covers; None without one."""
        # covers are blanked: a sticker on one of them belongs to another card
        found = self.stickers.find_on_quad(
            blank_covers(image, covers) if self.stickers.cards else image, quad
        )
        return None if found is None else Reading(found[0], True, 1.0, found[1], ((found[0], 1.0),))

    def rename_with_response_in_steps(
        self, image: Picture, first_reading: Reading, response: Response
    ) -> Steps[Reading]:
        """Identify a card again with the response known; only among designs that came near in the
        first reading, if there are any."""
        if first_reading.evidence is None:
            return (
                yield from self.name_quad_in_steps(image, first_reading.quad, NamingTerms(response=response))
            )
        return self.apply_margins(
            (yield from reidentify_in_steps(first_reading.evidence, response)), with_ink=False
        )

    def apply_margins(self, verdict: Verdict, with_ink: bool = True) -> Reading:
        """Apply the deck's margins to a verdict. `with_ink`: whether to measure how the camera
        renders the card's ink."""
        margins = self.margins
        # a design that lies off the outline explains something else than the card in it
        off = verdict.evidence is not None and verdict.evidence.measure_outline_offset() > self.astray
        lead = -1.0 if off else verdict.lead
        confidence = float(np.clip(min(verdict.likeness, 0.5 + 0.5 * lead), 0, 1))
        sure = verdict.likeness >= margins.likeness and lead >= margins.lead
        card = verdict.card if verdict.likeness >= margins.known else None
        leads = card is not None and lead >= margins.lead
        ink = verdict.evidence.measure_ink() if verdict.evidence is not None and leads and with_ink else None
        return Reading(
            card,
            sure,
            confidence,
            verdict.quad,
            verdict.candidates,
            ink,
            verdict.evidence,
            leads=leads,
            fills=1.0 if verdict.evidence is None else verdict.evidence.measure_filled_share(),
        )


def reject_if_off_outline(reading: Reading) -> Reading:
    """Make a reading unsure if its design lies off the outline: then it explains something else
    than the card in it."""
    off = reading.evidence is not None and reading.evidence.measure_outline_offset() > ASTRAY
    return replace(reading, sure=False, leads=False, confidence=0.0, evidence=None) if off else reading
