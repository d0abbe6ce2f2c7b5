"""Model how each place of the table looks bare, and how a card on it looked.

All work is done on the small grey picture of `vision.video.motion`; quads are in pixels of the full
frame. `Appearance` is a small picture of one quad, straightened, so that looks of one place can be
compared whatever the exposure. `Background` remembers the bare table wherever nothing lies or
moves. A card has gone when its place looks like the remembered table; where the table was never
seen bare, when it looks like the ring round it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, find_homography, make_rectangle, transform_points, unscale_quad
from vision.video.motion import Grid, expand_blocks, max_gradient
from vision.video.view_transform import Mask, Matrix, Mosaic, Thumb

ACROSS, DOWN = 24, 34
"""Width and height of the picture kept of a card's look."""

UNLIKE = 14.0
"""Difference in grey levels, anywhere in a look, from which it shows another thing."""

RING = np.ones((DOWN, ACROSS), dtype=np.bool_)
RING[4:-4, 3:-3] = False
"""Mask of the pixels that show the table, in the look of a card's wider surroundings."""

FLAT = 4.0
"""Spread in grey levels below which a look is too even to estimate the exposure from."""

STRANGE = 10.0
"""Difference in grey levels from the bare table from which a pixel shows something else."""

SHADE = 30.0
"""Grey levels by which a shadow, or light reflected by an arm, may make the bare table darker or
brighter."""

LEAST_FREE = 0.06
"""Part of a place that must be visible beside other cards to decide whether it is bare."""


@dataclass(frozen=True)
class Appearance:
    """A small grey picture of the inside of a quad."""

    pixels: NDArray[np.float32]

    @classmethod
    def from_quad(cls, thumb: Thumb, quad: Quad, factor: int) -> Self:
        """Take the look of `quad` from a picture `factor` times smaller than the frame."""
        # a little inside the outline, which is not exact to a pixel
        inner = (quad - quad.mean(axis=0)) * 0.92 + quad.mean(axis=0)
        matrix = find_homography(unscale_quad(inner, factor), make_rectangle(ACROSS, DOWN))
        pixels = cv2.warpPerspective(
            thumb, matrix, (ACROSS, DOWN), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return cls(np.asarray(cv2.GaussianBlur(pixels, (0, 0), 0.8), dtype=np.float32))

    @classmethod
    def from_surroundings(cls, thumb: Thumb, quad: Quad, factor: int) -> Self:
        """Take the look of a quad's surroundings, the quad itself blanked out."""
        wide = cls.from_quad(thumb, _enlarge_quad(quad), factor).pixels.copy()
        # filled with the median, so that the blank part adds no contrast
        wide[~RING] = float(np.median(wide[RING]))
        return cls(wide)

    def matches(self, other: "Appearance", slack: float = 0.0) -> bool:
        """Check whether both show the same thing down to the last sign, whatever the exposure.

        `slack`: pixels of the look by which one may be displaced from the other.
        """
        a, b = self.pixels.ravel(), other.pixels.ravel()
        spread = float(b.var())
        # without contrast, a gain could not be told from noise
        gain = 1.0 if spread < FLAT**2 else float(np.clip(np.cov(a, b)[0, 1] / spread, 0.5, 2.0))
        off = self.pixels - gain * other.pixels
        # exposure may have changed: the median difference is the light's, not the card's
        unlike = np.abs(off - np.median(off))
        if slack:
            unlike -= slack * max_gradient(other.pixels)
        return float(unlike.max()) < UNLIKE


class Background:
    """The bare table, learned wherever no card lies and nothing moves."""

    def __init__(self) -> None:
        self._mosaic: Mosaic | None = None
        self._view: Matrix = np.eye(3)
        self._shown: tuple[Thumb, Mask] | None = None

    def update_view(self, view: Matrix, rebased_view: Matrix | None) -> None:
        """Follow the camera; `view` and `rebased_view` as `view` and `carried` in
        `vision.video.motion.FrameChange`."""
        if self._mosaic is not None:
            if rebased_view is not None:
                self._mosaic.rebase(rebased_view)
            self._view, self._shown = view, None

    @property
    def _visible_background(self) -> tuple[Thumb, Mask] | None:
        """The bare table as the camera shows it now, and a mask of what is known of it; rendered on
        demand."""
        if self._shown is None and self._mosaic is not None:
            self._shown = self._mosaic.render_view(self._view)
        return self._shown

    def learn_frame(
        self, thumb: Thumb, resting: Grid, cards: Iterable[Quad], factor: int, view: Matrix
    ) -> None:
        """Learn from a frame seen under a view: `resting` blocks outside all cards show the
        table."""
        if self._mosaic is None:
            self._mosaic = Mosaic(thumb.shape)
        free = expand_blocks(resting, thumb.shape).astype(np.uint8)
        for quad in cards:
            # a little wider: a card's shadow and blurred rim are not table either
            wide = (quad - quad.mean(axis=0)) * 1.1 + quad.mean(axis=0)
            cv2.fillConvexPoly(free, np.round(wide / factor).astype(np.int32), 0)
        self._mosaic.write_pixels(thumb, np.asarray(free > 0, dtype=np.bool_), view)
        self._view, self._shown = view, None

    def find_unexplained(
        self, thumb: Thumb, region: Grid, cards: Iterable[Quad], factor: int
    ) -> NDArray[np.uint8]:
        """Mark the small pixels of a region that show neither a card nor the bare table, or were
        never seen bare: 1, else 0."""
        strange = expand_blocks(region, thumb.shape).astype(np.uint8)
        if self._visible_background is not None:
            bare, known = self._visible_background
            # averaged over neighbours, because single pixels are noisy
            off = cv2.blur(np.abs(thumb - bare), (3, 3))
            strange[known & (off < STRANGE)] = 0
        for quad in cards:
            middle = quad.mean(axis=0)
            wide = (quad - middle) * 1.04 + middle
            cv2.fillConvexPoly(strange, np.round(wide / factor).astype(np.int32), 0)
        return np.asarray(
            # single pixels and lines of one pixel are edges, slightly displaced
            cv2.morphologyEx(strange, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)),
            dtype=np.uint8,
        )

    def is_table_visible(
        self,
        thumb: Thumb,
        quad: Quad,
        card: Appearance,
        ring: Appearance,
        factor: int,
        covers: Sequence[Quad] = (),
        neighbours: Sequence[Quad] = (),
        shade: float = SHADE,
    ) -> bool:
        """Check whether the table shows where a card lay, rather than the card or something that
        covers it.

        `card` and `ring`: looks of the card and of its surroundings when it was last seen.
        `covers`: other cards that may lie on the place; the rest of it must decide, and
        clearly. `neighbours`: where cards lay or lie round it. `shade`: grey levels by which the
        table may look darker or brighter than it did.
        """
        now = Appearance.from_quad(thumb, quad, factor)
        if now.matches(card):
            return False
        free = _uncovered_mask(quad, covers)
        if float(free.mean()) < LEAST_FREE:
            return False
        around = RING & _uncovered_mask(_enlarge_quad(quad), [*covers, *neighbours])
        if self._visible_background is not None:
            bare = self._visible_background[0]
            known = _rectify_quad(self._visible_background[1].astype(np.float32), quad, factor)
            # mostly known: the remembered table decides; otherwise the surroundings have to
            if float(known[free].mean()) > 0.6:
                before = Appearance.from_quad(bare, quad, factor)
                off = (now.pixels - before.pixels)[free]
                # a shadow darkens the whole place evenly; a card or a hand does not
                shaded = float(np.median(off))
                if float(np.mean(np.abs(off - shaded) < 12)) <= 0.85 or abs(shaded) >= shade:
                    return False
                return not covers or _brightened_like_surroundings(thumb, bare, quad, shaded, around, factor)
        return self._matches_surroundings(thumb, quad, now, ring, factor, free, around, shade)

    @staticmethod
    def _matches_surroundings(
        thumb: Thumb,
        quad: Quad,
        current: Appearance,
        previous: Appearance,
        factor: int,
        free: Grid,
        around: Grid,
        shade: float,
    ) -> bool:
        """Check, where the bare table was never seen, whether the place looks like the ring round
        it, which itself must be unchanged."""
        if not around.any():
            return False
        ring = Appearance.from_surroundings(thumb, quad, factor).pixels[around]
        off = ring - previous.pixels[around]
        if float(np.mean(np.abs(off - np.median(off)) < 12)) < 0.75 or abs(float(np.median(off))) > shade:
            return False
        return bool(
            abs(float(np.median(current.pixels[free]) - np.median(ring))) < 15
            and float(current.pixels[free].std()) < float(ring.std()) + 5
        )


def fill_quad(mask: NDArray[np.uint8], quad: Quad, factor: int, value: int = 1) -> None:
    """Set the small pixels of a quad to `value`."""
    cv2.fillConvexPoly(mask, np.round(unscale_quad(quad, factor)).astype(np.int32), value)


def _brightened_like_surroundings(
    thumb: Thumb, bare: Thumb, quad: Quad, shade: float, around: Grid, factor: int
) -> bool:
    """Check whether the light changed in a place as it did round it, which it has not where the
    white rim of a card lies on a pale table."""
    off = (
        Appearance.from_surroundings(thumb, quad, factor).pixels
        - Appearance.from_surroundings(bare, quad, factor).pixels
    )
    return not around.any() or abs(float(np.median(off[around])) - shade) < 10


def _enlarge_quad(quad: Quad) -> Quad:
    """Return a quad enlarged by its surroundings."""
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * 1.6 + middle, dtype=np.float32)


def _rectify_quad(values: Thumb, quad: Quad, factor: int) -> Thumb:
    matrix = find_homography(unscale_quad(quad, factor), make_rectangle(ACROSS, DOWN))
    return np.asarray(cv2.warpPerspective(values, matrix, (ACROSS, DOWN)), dtype=np.float32)


def _uncovered_mask(quad: Quad, covers: Iterable[Quad]) -> Grid:
    """Mark the pixels of a quad's look that lie outside the covers, clear of their rims."""
    matrix = find_homography(quad, make_rectangle(ACROSS, DOWN))
    free = np.ones((DOWN, ACROSS), dtype=np.uint8)
    for cover in covers:
        cv2.fillConvexPoly(free, np.round(transform_points(matrix, cover)).astype(np.int32), 0)
    edge = cv2.erode(free, np.ones((5, 5), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=1)
    return np.asarray(edge > 0, dtype=np.bool_)
