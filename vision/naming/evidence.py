"""The verdict on one card, what it rests on, and what of that the network is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from vision.fitting.bending import bend, coarse
from vision.fitting.compare import Map, rim_weights
from vision.fitting.patch import MARGIN, WIDTH, Pixels, inner, visible_part
from vision.geometry import Quad, area, rectangle, to_quad, transform
from vision.naming.candidates import Candidate, Query
from vision.naming.response import InkSums, told
from vision.outlines.quads import beside_glare, sharpen

CLEAR_INK = 0.25
"""Part of a design's darkest ink from which it is print: the paper's shading, and the table beside
a card laid a little aside, are none. With them, of an outlined oval of which a fifth of the line
showed more than half did."""

NEAR_BORDER, BORDER_SHOWS = 12.0, 0.3
"""Pixels of a patch within which a side shows its edge, and the part of what is in sight of it that
must. Of 157 right cards of two throws of `bench covered` three showed less, and all four
that had another number of signs than their design."""


@dataclass(frozen=True)
class ExpectedLook:
    """How the card should look by one design: `pixels`, `flat` before it was bent; `weights` and
    `in_sight`: what of it counts."""

    design: Candidate
    pixels: Pixels
    flat: Pixels
    weights: Map
    in_sight: Map


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on: megabytes, so kept only while its picture is read.

    `quad`: its outline, corner 0 the card's own top left; `laid`: the designs that were laid over
    it; `look`: how it should look by the one that explains
    it best, `others` by the others that were looked at closely.
    """

    query: Query
    quad: Quad
    laid: tuple[Candidate, ...]
    look: ExpectedLook
    others: tuple[ExpectedLook, ...]

    def told(self) -> InkSums | None:
        """What the card tells of how the picture renders the deck's ink, if it is that design; of
        one that is partly hidden nobody knows all that lies on it, and of an overexposed one not
        how bright its paper is."""
        if self._lies_under or self.query.patch.overexposed is not None:
            return None
        best, patch = self.look.design, self.query.patch.pixels
        return told(patch, self.query.library.prepared(best.index), best.aligned.matrix, self.look.weights)

    @property
    def _lies_under(self) -> bool:
        """Whether other cards lie on this one; what lies across it alone is asked of, too."""
        return self.query.visible is not None and not self.query.occluded

    @property
    def is_occluded(self) -> bool:
        """Whether something lies across the card, or a lamp is mirrored in it."""
        return self.query.patch.burnt is not None

    @property
    def may_lack_print(self) -> bool:
        """Whether what would show another design may not be seen: it is crossed or overexposed."""
        return self.is_occluded or self.query.patch.overexposed is not None

    def under(self, covers: Sequence[Quad]) -> Self:
        """The same with these other cards lying on it, which nobody knew of when it was read."""
        query = self.query
        if not covers or query.occluded:
            return self
        visible = visible_part(query.quad, query.library.height, covers)
        return replace(self, query=replace(query, visible=visible))

    def of_others(self) -> list[Self]:
        """The case of each other design that explained the card."""
        return [self._of(other) for other in self.others]

    def _of(self, look: ExpectedLook) -> Self:
        upside = self.look.design.upside != look.design.upside
        quad = np.ascontiguousarray(np.roll(self.quad, -2, axis=0)) if upside else self.quad
        return replace(self, quad=quad, look=look, others=())

    def lies(self) -> Quad:
        """Where the design lies in the picture, its corner 0 the card's own top left."""
        return transform(to_quad(self._outline(), self.query.quad), self._corners())

    def astray(self) -> float:
        """How far the design lies off the outline, the corner that is off most, in card widths."""
        outline = self._outline()
        turned = np.roll(outline, -2, axis=0) if self.look.design.upside else outline
        return float(np.linalg.norm(self._corners() - turned, axis=1).max()) / WIDTH

    def fills(self) -> float:
        """How much of the outline's length the design takes up."""
        return float(np.sqrt(area(self._corners()) / area(self._outline())))

    def shows_border(self) -> bool:
        """Whether each side of the design shows an edge near it, in what is in sight of the
        card."""
        seen = np.asarray(np.clip(self.query.patch.pixels, 0, 1) * 255, dtype=np.uint8)
        sides = [self._corners()]
        _, support = sharpen(seen, sides, NEAR_BORDER)
        if self.query.visible is not None:
            support = beside_glare(np.asarray(self.query.visible == 0, dtype=np.uint8), sides, support)
        return bool(support.min() >= BORDER_SHOWS)

    def _outline(self) -> Quad:
        """The outline's corners in the patch."""
        return rectangle(WIDTH, self.query.library.height) + MARGIN

    def _corners(self) -> Quad:
        """The design's corners in the patch."""
        design = rectangle(WIDTH, self.query.library.height)
        return transform(self.look.design.aligned.matrix, design)

    @property
    def card(self) -> str:
        """The design that explains the card best."""
        return self.query.library.references[self.look.design.index].card

    def print_in_sight(self) -> float:
        """How much of the design's print is in sight of the card, 0..1."""
        if self.query.visible is None:
            return 1.0
        flat = self.look.flat
        ink = np.abs(flat - np.median(flat, axis=(0, 1))).sum(axis=2) * rim_weights(*flat.shape[:2])
        ink[ink < CLEAR_INK * np.percentile(ink, 99)] = 0
        return float(ink[inner(self.query.visible) > 0].sum() / max(float(ink.sum()), 1e-6))

    def pair(self) -> tuple[Pixels, Pixels]:
        """The seen card and how it should look, bent once: bent twice an oval came out as the wavy
        sign that was seen, the same print.

        What another card hides of it, or a lamp's reflection, is grey in both, as the network was
        taught: else white passes for paper, and 9 of 48 drawn cards under a lamp were unsure by it.
        """
        seen, burnt, laid = inner(self.query.patch.pixels), self.query.patch.burnt, self.look.pixels
        hidden = np.zeros(seen.shape[:2], dtype=np.bool_)
        if self._lies_under and self.query.visible is not None:
            hidden |= inner(self.query.visible) == 0
        if burnt is not None:
            known = np.where(burnt, np.float32(0), self.look.in_sight)
            laid = bend(coarse(seen), self.look.flat, np.asarray(known, dtype=np.float32))
            hidden |= burnt
        if not hidden.any():
            return seen, laid
        grey = np.float32(0.5)
        return np.where(hidden[:, :, None], grey, seen), np.where(hidden[:, :, None], grey, laid)


@dataclass(frozen=True)
class Verdict:
    """What the comparison says of one card, before any margin is applied.

    `card`: the best explanation, None if nothing comes near; `likeness`: how much of the card it
    explains, at most 1; `lead`: the least lead over any other design, -1..1; `rival`: that design;
    `candidates`: designs with their likeness, best first; `quad`: corner 0 is the card's own top
    left; `evidence`: what it rests on, if something comes near.
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
    def nobody(cls, query: Query, likeness: float) -> Self:
        """Nobody is named: the most that any design explains of the card is `likeness`."""
        return cls(None, likeness, -1.0, None, (), query.quad, query.patch.detail)
