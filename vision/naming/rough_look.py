"""How well reference views come near a seen card at a rough look, a sixteenth of its pixels and no
bending, and which of them are worth a close one.

What explains hardly anything here explains hardly anything at a close look either, which costs
twenty times as much: of 2,080 designs laid over cards of four decks (`bench tables`), none
that explained less than a fifth of what the best did explained half as much as the best at the
close look.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.align import Matrix
from vision.fitting.compare import (
    BLANK,
    FEW,
    LOUDEST,
    SHADE,
    Map,
    noise_everywhere,
    opponent,
    over_channels,
    view_of,
)
from vision.fitting.lighting import cast, robust_lights
from vision.fitting.moments import monomials
from vision.fitting.patch import WITHOUT_MARGIN, Pixels, blurred, warped
from vision.fitting.template import Template
from vision.naming.candidates import Candidate, Query
from vision.naming.explain import SeenCard

ASIDE = 1.0
"""Harmless displacement of an edge, in pixels of a sketch: four of a patch, for a card is bent at
the close look only."""

SMALLER = np.array([[FEW, 0, (FEW - 1) / 2], [0, FEW, (FEW - 1) / 2], [0, 0, 1.0]])
LARGER = np.linalg.inv(SMALLER)
"""From pixels of a sketch to those of the card without margin, and back."""


def _smaller(matrix: Matrix) -> Matrix:
    """A map between cards without margin, as it is between their sketches."""
    return np.asarray(LARGER @ matrix @ SMALLER)


@dataclass(frozen=True)
class Sketch:
    """A seen card without margin in a picture `FEW` times smaller: `pixels`, their opponent
    `colours` and the squared `slope` of these, `in_sight` the weight of each."""

    pixels: Pixels
    colours: Map
    slope: Map
    in_sight: Map

    @classmethod
    def of(cls, few: Pixels, in_sight: Map) -> Self:
        """Make one of a card's pixels and their weights in so small a picture (`quarter`)."""
        colours = opponent(few)
        return cls(few, colours, view_of(colours).slope, in_sight)

    def explained(self, views: Sequence[Template], matrices: Sequence[Matrix]) -> NDArray[np.float32]:
        """How much of the card each view explains that is laid over it by its matrix, at most 1.

        The matrices map pixels of the view to those of the patch, margin included, as `align`
        returns them.
        """
        laid = np.stack(
            [
                warped(view.few, _smaller(WITHOUT_MARGIN @ matrix), cv2.BORDER_REPLICATE)
                for view, matrix in zip(views, matrices, strict=True)
            ]
        )
        off = self._misfits([opponent(one) for one in self._lit(laid)])
        return np.asarray(1 - np.array(off) / max(self._to_explain, 1.0), dtype=np.float32)

    @cached_property
    def _to_explain(self) -> float:
        """The misfit of a blank card."""
        heed = self.in_sight + np.float32(1e-3)
        around = blurred(self.colours * heed[:, :, None], BLANK / FEW)
        blank = np.asarray(around / blurred(heed, BLANK / FEW)[:, :, None], dtype=np.float32)
        (misfit,) = self._misfits([blank])
        return misfit

    def _lit(self, laid: Pixels) -> Pixels:
        """The views, laid over the card, in the light that falls on it."""
        count, height, width, _ = laid.shape
        wanted = np.ascontiguousarray(laid.reshape(count, -1, 3).transpose(0, 2, 1))
        seen = np.broadcast_to(self.pixels.reshape(-1, 3).T, wanted.shape)
        where = monomials(height, width)
        weights = np.tile(self.in_sight.ravel() + np.float32(1e-3), (count, 1))
        gain, veil = cast(robust_lights(seen, wanted, weights, where), where)
        return np.ascontiguousarray((gain * wanted + veil).transpose(0, 2, 1)).reshape(laid.shape)

    def _misfits(self, others: Sequence[Map]) -> list[float]:
        """The robust misfit of the card against each picture in opponent colours, summed over what
        is in sight."""
        wide = SHADE / FEW
        heed = np.maximum(blurred(self.in_sight, wide), np.float32(0.02))
        sums = []
        for other in others:
            off = self.colours - other
            off[:, :, 0] -= blurred(off[:, :, 0] * self.in_sight, wide) / heed
            harmless = noise_everywhere(*self.in_sight.shape) + np.float32(ASIDE**2) * (
                self.slope + view_of(other).slope
            )
            over = np.maximum(over_channels(np.asarray(off * off / harmless, dtype=np.float32)) - 1, 0)
            sums.append(float((over / (1 + over / LOUDEST) * self.in_sight).sum()))
        return sums


FAR, SOMETHING = 0.2, 0.3
"""What a design explains at a rough look, in parts of what the best does, below which it is not
explained closely; and what the best must explain for that (`vision.naming.rough_look`)."""

CLOSELY = 3
"""Designs that are explained closely: the winner and the two rivals that come nearest at a rough
look. Of 566 cards of `bench tables`, whose rivals were all explained, two would have been
decided otherwise by these two rivals alone, and of neither was anything explained."""


class RoughLook:
    """What each design that was laid over a seen card explains of it at a rough look; each is told
    of once."""

    def __init__(self, query: Query, shown: SeenCard) -> None:
        self._query, self._shown = query, shown
        self._seen: list[tuple[float, Candidate]] = []
        self._told_of: set[int] = set()

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch.of(self._shown.few, self._shown.few_in_sight)

    def nearest(self, laid: Sequence[Candidate], most: int) -> list[Candidate]:
        """What is new among the designs that come near, at most so many of these and of those that
        were asked about before; the nearest first, and all if something lies on the card."""
        if not self._shown.whole:
            self._seen += [(0.0, one) for one in laid]
            return self.rest()
        views = [self._query.library.template(one.index) for one in laid]
        parts = self._sketch.explained(views, [one.aligned.matrix for one in laid]).tolist() if laid else []
        self._seen = sorted([*self._seen, *zip(parts, laid, strict=True)], key=lambda seen: -seen[0])
        best = self._seen[0][0] if self._seen else 0.0
        # a hard shadow is not seen at a rough look: designs explain nothing of the card then
        least = FAR * best if best >= SOMETHING else -math.inf
        return self._new(one for part, one in self._seen[:most] if part >= least)

    def rest(self) -> list[Candidate]:
        """The designs that were not told of yet."""
        return self._new(one for _, one in self._seen)

    def _new(self, designs: Iterable[Candidate]) -> list[Candidate]:
        new = [one for one in designs if id(one) not in self._told_of]
        self._told_of.update(id(one) for one in new)
        return new
