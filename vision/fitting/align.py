"""Laying a reference view exactly over a seen card: small perspective, and the light that falls on
it (`lighting`).

Inverse-compositional Gauss-Newton (Baker and Matthews, "Lucas-Kanade 20 Years On", IJCV 2004) on
all three colour channels, with weights that take away what does not fit (a finger, a lamp's
reflection, another card's corner), and a light of one gain a channel that may change evenly across
the card.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import moments
from vision.fitting.lighting import lights
from vision.fitting.moments import Flat
from vision.fitting.patch import MARGIN, WIDTH, Pixels

STEP = 4
"""Alignment works on pictures this many times smaller than the patch."""

BORDER = 0.3
"""Weight of a card's outermost twentieth in aligning: hand-cut borders are uneven, the print is
not."""

LOST = 0.3**2
"""Squared difference of a pixel beyond which it counts no more in judging an alignment."""

TRUST = np.diag(0.025 / np.array([0.04, 0.02, 0.05, 0.02, 0.04, 0.05, 0.02, 0.02]) ** 2)
"""What holds an alignment near its start: how far zoom, shear, shift and perspective are usually
off (in parts of the card's half length), against the noise of a card's worth of pixels."""

RUNAWAY = 0.7
"""A step as long as this (a card's half length is 1) turns the card inside out: nothing was there
to lay it over."""

SETTLED = 1e-3
"""A step shorter than this moves no pixel of a patch by more than an eighth."""

WARP, EDGE = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE

SHADING = 0.4
"""Brightness that changes over this part of a card's width or more is shading, not print."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Template:
    """A reference view made ready for aligning; all of it follows from `pixels`, the card without
    margin.

    `values`: n x 3 pixels of the reduced view; `slopes`: 2 x 3 x n, their change along x and y, for
    a card's half length; `products`: 3 x n, of the slopes (xx, xy, yy), all colours together;
    `where`: n x 15, the monomials of each pixel's place; `prior`: n weights before anything is
    seen.
    """

    pixels: Pixels
    values: Flat
    slopes: Flat
    products: Flat
    where: Flat
    prior: Flat
    shape: tuple[int, int]


def template(pixels: Pixels) -> Template:
    """Prepare a reference view (height x width x 3, 0..1) for aligning."""
    small = structure(pixels)
    height, width = small.shape[:2]
    steep = max(height, width) / 2 / 8
    along = [cv2.Sobel(small, cv2.CV_32F, dx, dy, ksize=3, scale=steep) for dx, dy in ((1, 0), (0, 1))]
    gx, gy = (np.ascontiguousarray(g.reshape(-1, 3).T) for g in along)
    products = np.stack([(one * other).sum(axis=0) for one, other in ((gx, gx), (gx, gy), (gy, gy))])
    prior = np.ones((height, width), dtype=np.float32)
    rim = max(1, width // 20)
    for part in (prior[:rim], prior[-rim:], prior[:, :rim], prior[:, -rim:]):
        part[...] = BORDER
    return Template(
        pixels,
        small.reshape(-1, 3),
        np.stack([gx, gy]),
        products,
        moments.monomials(height, width),
        prior.ravel(),
        (height, width),
    )


def reduce(pixels: Pixels, step: float = STEP) -> Pixels:
    """The picture `step` times smaller and a little softer."""
    small = cv2.resize(pixels, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), dtype=np.float32)


def structure(pixels: Pixels) -> Pixels:
    """What alignment goes by: the reduced picture freed of shading, shadows and a lamp's soft
    reflection."""
    small = reduce(pixels)
    return small - np.asarray(cv2.GaussianBlur(small, (0, 0), WIDTH / STEP * SHADING), dtype=np.float32)


def begin(height: int, zoom: float = 1.0, dx: float = 0.0, dy: float = 0.0, upside: bool = False) -> Matrix:
    """The map from reference pixels to patch pixels that trusts the outline, but for a small
    change."""
    cx, cy = (WIDTH - 1) / 2, (height - 1) / 2
    sign = -1.0 if upside else 1.0
    s = zoom * sign
    return np.array([[s, 0, MARGIN + cx + dx - s * cx], [0, s, MARGIN + cy + dy - s * cy], [0, 0, 1.0]])


def half_turn(height: int) -> Matrix:
    """The map that turns a reference `height` pixels high upside down."""
    return np.array([[-1.0, 0, WIDTH - 1], [0, -1.0, height - 1], [0, 0, 1.0]])


@dataclass(frozen=True)
class Alignment:
    """`matrix` maps reference pixels to patch pixels, margin included; `rest` is the mean squared
    difference."""

    matrix: Matrix
    rest: float


def align(
    small: Pixels, reference: Template, first: Matrix, rounds: int, visible: Pixels | None = None
) -> Alignment:
    """Refine `first`, the map from reference pixels to patch pixels, in at most `rounds` steps.

    `small` is the patch, margin included, as `structure` makes it. `visible` says, in its size,
    what is in sight (1) or hidden (0). The result is the best of all steps.
    """
    return align_all(small, [reference], [first], rounds, visible)[0]


def align_all(
    small: Pixels,
    references: Sequence[Template],
    firsts: Sequence[Matrix],
    rounds: int,
    visible: Pixels | None = None,
) -> list[Alignment]:
    """Align several references, all of one size, to one patch; each as `align` does it, but all as
    one array."""
    if not references:
        return []
    batch = _Batch(small, references, firsts, visible)
    batch.judge(new_light=True)
    for i in range(1, rounds + 1):
        batch.step()
        if len(batch.at):
            batch.judge(new_light=i % 3 == 0)
            batch.rest()
        if not len(batch.at):
            break
    return batch.best()


ROWS = (
    "at",
    "now",
    "values",
    "slopes",
    "products",
    "prior",
    "weights",
    "gone",
    "settled",
    "gain",
    "veil",
    "residual",
    "size",
)
"""What a batch holds of each reference that still moves."""


class _Batch:
    """References being aligned to one patch: `at` names those that still move, and every array has
    a row for each of them."""

    def __init__(
        self, small: Pixels, references: Sequence[Template], firsts: Sequence[Matrix], visible: Pixels | None
    ) -> None:
        self.small, self.visible, self.shape = small, visible, references[0].shape
        height, width = self.shape
        self.where = references[0].where
        shift = (1 / STEP - 1) / 2
        self.shrink = np.array([[1 / STEP, 0, shift], [0, 1 / STEP, shift], [0, 0, 1.0]])
        unit = max(height, width) / 2
        pixel = np.array([[unit, 0, (width - 1) / 2], [0, unit, (height - 1) / 2], [0, 0, 1.0]])
        self.to_unit = np.linalg.inv(pixel)
        self.now = self.shrink @ np.stack(firsts) @ np.linalg.inv(self.shrink) @ pixel
        count = len(references)
        self.matrix, self.least = self.now.copy(), np.full(count, np.inf)
        self.at = np.arange(count)
        self.values = np.stack([reference.values.T for reference in references])
        self.slopes = np.stack([reference.slopes for reference in references])
        self.products = np.stack([reference.products for reference in references])
        self.first_prior = np.tile(references[0].prior, (count, 1))
        self.prior = self.weights = self.first_prior
        self.gone = np.zeros((count, 8))
        self.settled = np.zeros(count, dtype=bool)
        self.gain = np.ones((count, 3, 1), dtype=np.float32)
        self.veil = np.zeros((count, 3, 1), dtype=np.float32)
        self.residual, self.size = self.values, self.prior

    def judge(self, new_light: bool) -> None:
        """Lay the patch over each reference, and note which lie better than before."""
        seen = np.stack([self._warped(self.small, m, EDGE).reshape(-1, 3).T for m in self.now])
        if self.visible is not None:
            hidden = np.stack([self._warped(self.visible, m, cv2.BORDER_CONSTANT).ravel() for m in self.now])
            self.prior = self.first_prior[: len(self.at)] * hidden
            self.weights = self.weights * self.prior
        if new_light:
            self.gain, self.veil = lights(seen, self.values, self.weights, self.where)
        self.residual = (seen - self.veil) / self.gain - self.values
        squared = self.residual * self.residual
        self.size = squared[:, 0] + squared[:, 1] + squared[:, 2]
        total = np.maximum(self.prior.sum(axis=1), 1.0)
        rest = (np.minimum(self.size, LOST) * self.prior).sum(axis=1) / total
        better = rest < self.least[self.at]
        self.matrix[self.at[better]] = self.now[better]
        self.least[self.at[better]] = rest[better]

    def step(self) -> None:
        """Move each by a step; one whose step would turn the card inside out rests where it was
        best."""
        scale = np.maximum(0.03**2, 2.25 * np.median(self.size[:, ::3], axis=1)).astype(np.float32)
        self.weights = self.prior / (1 + self.size / scale[:, None]) ** 2
        heavy = self.residual * self.weights[:, None]
        errors = np.einsum("kcn,kdcn->kdn", heavy, self.slopes)
        normal, right = moments.homography(self.products * self.weights[:, None], errors, self.where)
        step = np.linalg.solve(normal + TRUST, (right - self.gone @ TRUST)[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1)
        self.gone = self.gone + step
        self.settled = length < SETTLED
        sane = length < RUNAWAY
        self._keep(sane)
        change = np.zeros((len(self.at), 9))
        change[:, :8] = step[sane]
        # The step was worked out for the reference, which never moves: the patch takes its inverse.
        self.now = self.now @ np.linalg.inv(change.reshape(-1, 3, 3) + np.eye(3))
        self.now /= self.now[:, 2:, 2:]

    def rest(self) -> None:
        """Let those rest that hardly moved any more."""
        if self.settled.any():
            self._keep(~self.settled)

    def _keep(self, moving: NDArray[np.bool_]) -> None:
        if not moving.all():
            for name in ROWS:
                setattr(self, name, getattr(self, name)[moving])

    def _warped(self, picture: Pixels, matrix: Matrix, border: int) -> Pixels:
        height, width = self.shape
        inverse = matrix @ self.to_unit
        warped = cv2.warpPerspective(picture, inverse, (width, height), flags=WARP, borderMode=border)
        return np.asarray(warped, dtype=np.float32)

    def best(self) -> list[Alignment]:
        """How each lay best."""
        found = np.linalg.inv(self.shrink) @ self.matrix @ self.to_unit @ self.shrink
        found /= found[:, 2:, 2:]
        return [Alignment(m, float(rest)) for m, rest in zip(found, self.least, strict=True)]
