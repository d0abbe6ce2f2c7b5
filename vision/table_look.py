"""What a place of the table looks like: with a card, and bare.

Works on the small grey picture of `vision.motion`; quads are in pixels of the full frame.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, rectangle, to_quad
from vision.motion import CHANGED, Grid, Thumb, blocks, grown, translate

ACROSS, DOWN = 24, 34
"""Size of the picture that is kept of a card's look."""

UNLIKE = 14.0
"""Difference in grey levels, anywhere in a look, from which something there is another thing."""

RING = np.ones((DOWN, ACROSS), dtype=np.bool_)
RING[4:-4, 3:-3] = False
"""Where, in the look of a card's wider surroundings, the table shows."""

FLAT = 4.0
"""Spread in grey levels below which a look has nothing in it to tell the exposure by."""


@dataclass(frozen=True)
class Look:
    """A small grey picture of what lies in a quad."""

    pixels: NDArray[np.float32]

    @classmethod
    def take(cls, thumb: Thumb, quad: Quad, factor: int) -> Self:
        """The look of `quad` in a picture `factor` times smaller than the frame."""
        inner = (quad - quad.mean(axis=0)) * 0.92 + quad.mean(axis=0)
        matrix = to_quad(((inner + 0.5) / factor - 0.5).astype(np.float32), rectangle(ACROSS, DOWN))
        pixels = cv2.warpPerspective(
            thumb, matrix, (ACROSS, DOWN), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return cls(np.asarray(cv2.GaussianBlur(pixels, (0, 0), 0.8), dtype=np.float32))

    @classmethod
    def round(cls, thumb: Thumb, quad: Quad, factor: int) -> Self:
        """The look of what lies round a quad; the quad itself is blanked out."""
        middle = quad.mean(axis=0)
        wide = cls.take(thumb, ((quad - middle) * 1.6 + middle).astype(np.float32), factor).pixels.copy()
        wide[~RING] = float(np.median(wide[RING]))
        return cls(wide)

    def same(self, other: "Look") -> bool:
        """Whether both show the same thing to the last sign, whatever the exposure."""
        a, b = self.pixels.ravel(), other.pixels.ravel()
        spread = float(b.var())
        gain = 1.0 if spread < FLAT**2 else float(np.clip(np.cov(a, b)[0, 1] / spread, 0.5, 2.0))
        off = self.pixels - gain * other.pixels
        return float(np.abs(off - np.median(off)).max()) < UNLIKE


class TableLook:
    """The bare table, learnt wherever no card lies and nothing moves."""

    def __init__(self) -> None:
        self._bare: Thumb | None = None
        self._known: NDArray[np.bool_] | None = None

    def learn(self, thumb: Thumb, calm: Grid, cards: Iterable[Quad], factor: int) -> None:
        """Take in a frame: `calm` blocks that lie under no card show the table."""
        if self._bare is None or self._known is None:
            self._bare = thumb.copy()
            self._known = np.zeros(thumb.shape, dtype=np.bool_)
        free = grown(calm, thumb.shape).astype(np.uint8)
        for quad in cards:
            wide = (quad - quad.mean(axis=0)) * 1.1 + quad.mean(axis=0)
            cv2.fillConvexPoly(free, np.round(wide / factor).astype(np.int32), 0)
        table = free > 0
        self._bare[table] = thumb[table]
        self._known |= table

    def strange(self, thumb: Thumb) -> Grid:
        """The blocks that do not look like the bare table, or where it has never been seen."""
        if self._bare is None or self._known is None:
            return np.ones(blocks(thumb).shape, dtype=np.bool_)
        off = blocks(np.where(self._known, np.abs(thumb - self._bare), np.float32(CHANGED * 2)))
        return np.asarray(off > CHANGED, dtype=np.bool_)

    def carry(self, shift: tuple[float, float]) -> None:
        """The camera has moved by `shift` small pixels and stays there."""
        if self._bare is not None and self._known is not None:
            self._bare = translate(self._bare, *shift)
            self._known = translate(self._known.astype(np.float32), *shift) > 0.99

    def is_bare(self, thumb: Thumb, quad: Quad, card: Look, ring: Look, factor: int) -> bool:
        """Whether the table shows where a card lay, rather than the card or something that covers it.

        `card` and `ring`: the looks of the card and of its surroundings when it was last seen.
        """
        now = Look.take(thumb, quad, factor)
        if now.same(card):
            return False
        if self._bare is not None and self._known is not None:
            matrix = to_quad(((quad + 0.5) / factor - 0.5).astype(np.float32), rectangle(ACROSS, DOWN))
            known = cv2.warpPerspective(self._known.astype(np.float32), matrix, (ACROSS, DOWN))
            if float(known.mean()) > 0.6:
                before = Look.take(self._bare, quad, factor)
                off = now.pixels - before.pixels
                shade = float(np.median(off))
                return float(np.mean(np.abs(off - shade) < 12)) > 0.85 and abs(shade) < 30
        return self._like_surroundings(thumb, quad, now, ring, factor)

    @staticmethod
    def _like_surroundings(thumb: Thumb, quad: Quad, now: Look, before: Look, factor: int) -> bool:
        """Without memory of the bare table: whether the place looks like the ring round it, itself unchanged."""
        ring = Look.round(thumb, quad, factor)
        around = ring.pixels[RING]
        off = around - before.pixels[RING]
        if float(np.mean(np.abs(off - np.median(off)) < 12)) < 0.75 or abs(float(np.median(off))) > 30:
            return False
        return bool(
            abs(float(np.median(now.pixels) - np.median(around))) < 15
            and float(now.pixels.std()) < float(around.std()) + 5
        )
