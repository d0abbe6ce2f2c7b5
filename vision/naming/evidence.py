"""Hold the verdict on one card, the evidence behind it, and the part of that which is shown to the
network."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from vision.fitting.bending import bend_reference, to_bending_resolution
from vision.fitting.compare import Map, rim_weights
from vision.fitting.patch import MARGIN, WIDTH, Pixels, crop_margin, visible_mask
from vision.geometry import Quad, find_homography, make_rectangle, quad_area, transform_points
from vision.naming.candidates import Candidate, CardQuery
from vision.naming.ink_response import InkSums, measure_ink
from vision.outlines.quads import adjust_support_for_glare, snap_to_edges

CLEAR_INK = 0.25
"""Part of a design's darkest ink from which a difference is print; the paper's shading, and the
table beside a card aligned a little off, are not. With them, more than half of an outlined oval
counted as visible when a fifth of its line was."""

NEAR_BORDER, BORDER_SHOWS = 12.0, 0.3
"""`NEAR_BORDER`: pixels of a patch within which a side shows its edge. `BORDER_SHOWS`: part of its
visible length that must. Of 157 right cards of two throws of `bench covered` three showed less, and
all four that had another number of signs than their design."""


@dataclass(frozen=True)
class ExpectedLook:
    """The expected look of a card of one design: `pixels`, and `flat` before it was bent; `weights`
    and `in_sight`: how much each pixel counts."""

    design: Candidate
    pixels: Pixels
    flat: Pixels
    weights: Map
    in_sight: Map


@dataclass(frozen=True)
class Evidence:
    """The evidence for a verdict; takes megabytes, so it is kept only while its picture is read.

    `quad`: the card's outline, corner 0 its own top left; `laid`: the designs that were aligned
    with it; `look`: how it should look by the design that explains it best, `others`: by the others
    that were looked at closely.
    """

    query: CardQuery
    quad: Quad
    laid: tuple[Candidate, ...]
    look: ExpectedLook
    others: tuple[ExpectedLook, ...]

    def measure_ink(self) -> InkSums | None:
        """Measure how the picture renders the deck's ink, assuming that the card is that design.
        None for a partly hidden card, as not everything that lies on it is known, and for an
        overexposed one, whose paper has an unknown brightness."""
        if self._is_covered or self.query.patch.overexposed is not None:
            return None
        best, patch = self.look.design, self.query.patch.pixels
        return measure_ink(
            patch, self.query.library.prepare_view(best.index), best.aligned.matrix, self.look.weights
        )

    @property
    def _is_covered(self) -> bool:
        """Whether other cards lie on this one; a card with only something lying across it does
        count for the ink."""
        return self.query.visible is not None and not self.query.occluded

    @property
    def is_occluded(self) -> bool:
        """Whether something lies across the card, or a lamp is mirrored in it."""
        return self.query.patch.burnt is not None

    @property
    def is_colourless(self) -> bool:
        """Whether the card was compared with grey views, because the picture has no colour."""
        return self.query.library.is_colourless

    def measure_contrast(self) -> float:
        """Return the contrast of the seen card, in parts of that of its enrolled design: less in
        haze or behind a diffuse reflection, where print fades."""
        enrolled = self.query.library.prepare_view(self.look.design.index)
        return _brightness_range(crop_margin(self.query.patch.pixels)) / max(
            _brightness_range(enrolled), 1e-3
        )

    @property
    def may_lack_print(self) -> bool:
        """Whether print that would show another design may be invisible: the card is crossed or
        overexposed."""
        return self.is_occluded or self.query.patch.overexposed is not None

    def with_covers(self, covers: Sequence[Quad]) -> Self:
        """Return the same evidence with these other cards lying on the card, which were unknown
        when it was read."""
        # the mask of things lying across the card is kept: covers would replace it
        query = self.query
        if not covers or query.occluded:
            return self
        visible = visible_mask(query.quad, query.library.patch_height, covers)
        return replace(self, query=replace(query, visible=visible))

    def list_rival_evidence(self) -> list[Self]:
        """Return the evidence for each other design that explained the card."""
        return [self._for_design(other) for other in self.others]

    def _for_design(self, look: ExpectedLook) -> Self:
        # its outline must begin at the other design's own top left
        upside = self.look.design.upside != look.design.upside
        quad = np.ascontiguousarray(np.roll(self.quad, -2, axis=0)) if upside else self.quad
        return replace(self, quad=quad, look=look, others=())

    def find_design_quad(self) -> Quad:
        """Return the place of the design in the picture, its corner 0 the card's own top left."""
        return transform_points(
            find_homography(self._outline_corners(), self.query.quad), self._design_corners()
        )

    def measure_outline_offset(self) -> float:
        """Return the distance of the design from the outline, at the corner that is off most, in
        card widths."""
        outline = self._outline_corners()
        turned = np.roll(outline, -2, axis=0) if self.look.design.upside else outline
        return float(np.linalg.norm(self._design_corners() - turned, axis=1).max()) / WIDTH

    def measure_filled_share(self) -> float:
        """Return the part of the outline's length that the design fills."""
        return float(np.sqrt(quad_area(self._design_corners()) / quad_area(self._outline_corners())))

    def has_visible_border(self) -> bool:
        """Check whether each side of the design shows an edge near it, in the visible part of the
        card."""
        seen = np.asarray(np.clip(self.query.patch.pixels, 0, 1) * 255, dtype=np.uint8)
        sides = [self._design_corners()]
        _, support = snap_to_edges(seen, sides, NEAR_BORDER)
        # parts of sides under covers show no edge, and must not count
        if self.query.visible is not None:
            support = adjust_support_for_glare(
                np.asarray(self.query.visible == 0, dtype=np.uint8), sides, support
            )
        return bool(support.min() >= BORDER_SHOWS)

    def _outline_corners(self) -> Quad:
        """Return the outline's corners in the patch."""
        return make_rectangle(WIDTH, self.query.library.patch_height) + MARGIN

    def _design_corners(self) -> Quad:
        """Return the design's corners in the patch."""
        design = make_rectangle(WIDTH, self.query.library.patch_height)
        return transform_points(self.look.design.aligned.matrix, design)

    @property
    def card(self) -> str:
        """The design that explains the card best."""
        return self.query.library.references[self.look.design.index].card

    def measure_visible_print(self) -> float:
        """Return the visible part of the design's print, 0 to 1."""
        if self.query.visible is None:
            return 1.0
        flat = self.look.flat
        # the more a pixel differs from the median, which is paper, the more ink it has
        ink = np.abs(flat - np.median(flat, axis=(0, 1))).sum(axis=2) * rim_weights(*flat.shape[:2])
        ink[ink < CLEAR_INK * np.percentile(ink, 99)] = 0
        return float(ink[crop_margin(self.query.visible) > 0].sum() / max(float(ink.sum()), 1e-6))

    def make_print_pair(self) -> tuple[Pixels, Pixels]:
        """Return the seen card and its expected look, bent once: bent twice, an oval turned into
        the wavy sign that was seen, and counted as the same print.

        Parts hidden by another card or a lamp's reflection are grey in both, as in the network's
        training: otherwise white passes for paper, and 9 of 48 drawn cards under a lamp were unsure
        because of it.
        """
        seen, burnt, laid = crop_margin(self.query.patch.pixels), self.query.patch.burnt, self.look.pixels
        hidden = np.zeros(seen.shape[:2], dtype=np.bool_)
        if self._is_covered and self.query.visible is not None:
            hidden |= crop_margin(self.query.visible) == 0
        if burnt is not None:
            # hidden pixels must not pull at the design when it is bent
            known = np.where(burnt, np.float32(0), self.look.in_sight)
            laid = bend_reference(
                to_bending_resolution(seen), self.look.flat, np.asarray(known, dtype=np.float32)
            )
            hidden |= burnt
        if not hidden.any():
            return seen, laid
        grey = np.float32(0.5)
        return np.where(hidden[:, :, None], grey, seen), np.where(hidden[:, :, None], grey, laid)


def _brightness_range(pixels: Pixels) -> float:
    """Return the difference between paper and dark ink."""
    # one pixel in sixteen is enough for percentiles
    low, high = np.percentile(pixels[::4, ::4].mean(axis=2), (3, 95))
    return float(high - low)


@dataclass(frozen=True)
class Verdict:
    """Result of the comparison of one card with the designs, before any margin is applied.

    `card`: the best explanation, None if no design comes near; `likeness`: the part of the card
    that it explains, at most 1; `lead`: the least lead over any other design, -1 to 1; `rival`:
    that design; `candidates`: designs with their likeness, best first; `quad`: corner 0 is the
    card's own top left; `evidence`: the data behind the verdict, if some design comes near.
    """

    card: str | None
    likeness: float
    lead: float
    rival: str | None
    candidates: tuple[tuple[str, float], ...]
    quad: Quad
    detail: float
    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @classmethod
    def no_match(cls, query: CardQuery, likeness: float) -> Self:
        """Build a verdict without a card; `likeness` is the most that any design explains."""
        return cls(None, likeness, -1.0, None, (), query.quad, query.patch.detail)
