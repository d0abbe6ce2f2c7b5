"""Prepare reference views for being aligned with a seen card (`align_reference`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import moments
from vision.fitting.moments import Flat
from vision.fitting.patch import WIDTH, Pixels

STEP = 4
"""Factor by which the pictures are shrunk for alignment."""

SPARSE = 2
"""Side in pixels of the squares from each of which most steps of alignment use one pixel."""

ANY = 1
"""Seed for the choice of that pixel: were it always the same one, hatching as fine as the squares
would look like another displaced by a line."""

BORDER = 0.3
"""Weight of a card's outermost twentieth in aligning: hand-cut borders are uneven, the print is
not."""

SHADING = 0.4
"""Part of a card's width over which a change of brightness is shading, not print."""

SHADE = WIDTH / STEP * SHADING
"""The same in pixels of the reduced picture."""


@dataclass(frozen=True)
class Level:
    """A reference view's data for aligning, at some pixels of the reduced view or at all.

    `points`: 3 x n, each pixel's x and y, and 1; `values`: 3 x n; `slopes`: 2 x 3 x n, their change
    along x and y, over a card's half length; `products`: 3 x n, of the slopes (xx, xy, yy), all
    colours together; `where`: n x 15, the monomials of each pixel's place; `prior`: n weights
    before anything is seen; `part`: share of the view's pixels that these are, 0 to 1.
    """

    points: Flat
    values: Flat
    slopes: Flat
    products: Flat
    where: Flat
    prior: Flat
    part: float


@dataclass(frozen=True)
class Template:
    """A reference view prepared for aligning.

    `few`: the card for a rough look (`RoughComparison`); `shape`: height and width of the reduced
    view; `sparse`: a quarter of its pixels, for coming near; `full`: all of them, for the exact
    place.
    """

    few: Pixels
    shape: tuple[int, int]
    sparse: Level
    full: Level


def make_template(pixels: Pixels) -> Template:
    """Prepare a reference view, the card without margin (height x width x 3, 0 to 1), for
    aligning."""
    few = np.asarray(
        cv2.resize(pixels, None, fx=1 / STEP, fy=1 / STEP, interpolation=cv2.INTER_AREA), np.float32
    )
    small = extract_structure(pixels)
    height, width = small.shape[:2]
    # a Sobel kernel sums to 8, and slopes are for a card's half length
    steep = max(height, width) / 2 / 8
    slopes = [
        np.asarray(cv2.Sobel(small, cv2.CV_32F, *along, ksize=3, scale=steep), dtype=np.float32)
        for along in ((1, 0), (0, 1))
    ]
    sparse, full = (
        _build_level(small, slopes, _sample_pixels(height, width, every)) for every in (SPARSE, 1)
    )
    return Template(few, (height, width), sparse, full)


class _PixelSample(NamedTuple):
    """Some pixels of a reduced view, by their numbers, row by row, and the parts of a `Level` that
    depend only on their places; all views of a deck share them."""

    places: NDArray[np.intp]
    points: Flat
    where: Flat
    prior: Flat
    part: float


@lru_cache(maxsize=16)
def _sample_pixels(height: int, width: int, every: int) -> _PixelSample:
    """Choose one pixel of each square of `every` by `every`."""
    prior = np.ones((height, width), dtype=np.float32)
    rim = max(1, width // 20)
    for side in (prior[:rim], prior[-rim:], prior[:, :rim], prior[:, -rim:]):
        side[...] = BORDER
    rng = np.random.default_rng(ANY)
    down, across = (every * (np.arange(side // every)) for side in (height, width))
    size = (down.size, across.size)
    y, x = down[:, None] + rng.integers(every, size=size), across + rng.integers(every, size=size)
    places = np.asarray((y * width + x).ravel())
    points = np.stack([places % width, places // width, np.ones_like(places)]).astype(np.float32)
    where = moments.evaluate_monomials(height, width)[places]
    return _PixelSample(places, points, where, prior.ravel()[places], places.size / prior.size)


def _build_level(small: Pixels, slopes: Sequence[Pixels], sample: _PixelSample) -> Level:
    values, gx, gy = (np.ascontiguousarray(of.reshape(-1, 3)[sample.places].T) for of in (small, *slopes))
    products = [(one * other).sum(axis=0) for one, other in ((gx, gx), (gx, gy), (gy, gy))]
    return Level(
        sample.points, values, np.stack([gx, gy]), np.stack(products), sample.where, sample.prior, sample.part
    )


def reduce_picture(pixels: Pixels, step: float = STEP) -> Pixels:
    """Shrink a picture by `step`, and soften it a little."""
    small = cv2.resize(pixels, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), dtype=np.float32)


def extract_structure(pixels: Pixels) -> Pixels:
    """Reduce a picture to what alignment uses: without shading, shadows and a lamp's soft
    reflection."""
    small = reduce_picture(pixels)
    height, width = small.shape[:2]
    down, across = make_blur_matrix(height, SHADE), _shading_removal_matrix(width)
    # two matrix products blur the columns, and the rows with their three channels interleaved
    return small - (down @ (small.reshape(height, -1) @ across)).reshape(small.shape)


@lru_cache(maxsize=16)
def _shading_removal_matrix(width: int) -> NDArray[np.float32]:
    """Return the matrix that blurs the shading of a line of pixels of three colours, one after the
    other."""
    return np.kron(make_blur_matrix(width, SHADE).T, np.eye(3, dtype=np.float32))


@lru_cache(maxsize=16)
def make_blur_matrix(length: int, sigma: float) -> NDArray[np.float32]:
    """Return the matrix that blurs a line of `length` pixels by a Gaussian of `sigma`, reflected at
    the ends: a product of matrices is quicker than a filter that is wider than the picture."""
    line = np.eye(length, dtype=np.float32)
    return np.asarray(cv2.GaussianBlur(line, (1, 0), sigma, sigmaY=sigma), dtype=np.float32)
