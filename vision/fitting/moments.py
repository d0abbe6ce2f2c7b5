"""Build the normal equations of least-squares fits for many cards in one product of matrices.

The change of a pixel by a homography is the picture's slope times a polynomial of the pixel's
place, and the light on a card is a polynomial too. So every sum in their normal equations is a
moment: a map, weighted with a monomial of x and y and summed up. All moments of all maps of a batch
are one matrix product.
"""

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.float32]
Powers = tuple[int, int]

MONOMIALS: list[Powers] = sorted(((a, b) for a, b in product(range(5), repeat=2) if a + b <= 4), key=sum)
"""Powers of x and y up to the fourth degree; the first six are those up to the second."""

PLACE = {powers: i for i, powers in enumerate(MONOMIALS)}

OF_GAINS = np.array([[PLACE[a + c, b + d] for c, d in MONOMIALS[:3]] for a, b in MONOMIALS[:3]])
"""Index of the moment that is the product of two of a gain's three terms."""

ALONG_X: list[tuple[float, Powers] | None] = [
    *((1.0, powers) for powers in ((1, 0), (0, 1), (0, 0))),
    *(None, None, None),
    *((-1.0, powers) for powers in ((2, 0), (1, 1))),
]
ALONG_Y: list[tuple[float, Powers] | None] = [
    *(None, None, None),
    *((1.0, powers) for powers in ((1, 0), (0, 1), (0, 0))),
    *((-1.0, powers) for powers in ((1, 1), (0, 2))),
]
"""Factor and monomial by which each of a homography's eight parameters multiplies the slope, along
x and along y."""


def normalized_coordinates(height: int, width: int) -> tuple[Flat, Flat]:
    """Return coordinates x and y of each pixel, -1 to 1 across the longer side, 0 in the middle."""
    unit = max(height, width) / 2
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return ((x - (width - 1) / 2) / unit).ravel(), ((y - (height - 1) / 2) / unit).ravel()


@lru_cache(maxsize=16)
def evaluate_monomials(height: int, width: int) -> Flat:
    """Return each monomial at each pixel of a picture: n x 15, in the order of `MONOMIALS`."""
    x, y = normalized_coordinates(height, width)
    return np.ascontiguousarray(np.stack([x**a * y**b for a, b in MONOMIALS], axis=1))


def _slope_moment_matrix() -> NDArray[np.float64]:
    """Tabulate the contribution of each moment of the three products of slopes to the 8 x 8 normal
    matrix: 3 x 15 to 64."""
    table = np.zeros((3, len(MONOMIALS), 8, 8))
    pairs = ((0, ALONG_X, ALONG_X), (1, ALONG_X, ALONG_Y), (1, ALONG_Y, ALONG_X), (2, ALONG_Y, ALONG_Y))
    for which, first, second in pairs:
        for (i, one), (j, other) in product(enumerate(first), enumerate(second)):
            if one is not None and other is not None:
                (f, (a, b)), (g, (c, d)) = one, other
                table[which, PLACE[a + c, b + d], i, j] += f * g
    return table.reshape(-1, 64)


def _error_moment_matrix() -> NDArray[np.float64]:
    """Tabulate the contribution of each moment of the two errors along the slopes to the right
    side: 2 x 15 to 8."""
    table = np.zeros((2, len(MONOMIALS), 8))
    for which, parameters in enumerate((ALONG_X, ALONG_Y)):
        for i, one in enumerate(parameters):
            if one is not None:
                table[which, PLACE[one[1]], i] = one[0]
    return table.reshape(-1, 8)


SLOPES, ERRORS = _slope_moment_matrix(), _error_moment_matrix()


def homography_normal_equations(
    slopes: Flat, errors: Flat, monomials: Flat
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Build the normal equations of a small homography for each of N pictures: N x 8 x 8 and N x 8.

    `slopes`: N x 3 x n, the weighted products xx, xy, yy of the slopes; `errors`: N x 2 x n, the
    weighted errors times the slope along x and y; `monomials`: as from `evaluate_monomials`.
    """
    count = len(slopes)
    left = (slopes.reshape(-1, slopes.shape[2]) @ monomials).reshape(count, -1).astype(np.float64)
    right = (errors.reshape(-1, errors.shape[2]) @ monomials).reshape(count, -1).astype(np.float64)
    return (left @ SLOPES).reshape(count, 8, 8), right @ ERRORS


def lighting_normal_equations(
    observed: Flat, reference: Flat, weights: Flat, monomials: Flat
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Build the normal equations of an evenly changing gain and a veil for each channel of N
    pictures: N x 3 x 4 x 4 and N x 3 x 4.

    `observed`, `reference`: N x 3 x n; `weights`: N x n. The unknowns are the gain, its change
    along x and y, and the veil.
    """
    # one array for all maps, filled in place: a single matrix product gives every sum
    count, _, pixels = reference.shape
    maps = np.empty((count, 9, pixels), np.float32)
    heavy = np.multiply(reference, weights[:, None], out=maps[:, 3:6])
    np.multiply(heavy, reference, out=maps[:, 0:3])
    np.multiply(heavy, observed, out=maps[:, 6:9])
    # six monomials are enough: products of a gain's terms have degree two
    sums = (maps.reshape(-1, pixels) @ monomials[:, :6]).reshape(count, 3, 3, 6).astype(np.float64)
    normal, right = np.empty((count, 3, 4, 4)), np.empty((count, 3, 4))
    normal[:, :, :3, :3] = sums[:, 0][:, :, OF_GAINS]
    normal[:, :, :3, 3] = normal[:, :, 3, :3] = sums[:, 1, :, :3]
    normal[:, :, 3, 3] = weights.sum(axis=1)[:, None]
    right[:, :, :3] = sums[:, 2, :, :3]
    right[:, :, 3] = (observed @ weights[:, :, None])[:, :, 0]
    return normal, right
