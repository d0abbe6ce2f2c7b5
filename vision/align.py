"""Laying a reference view exactly over a seen card: small perspective, and the light that falls on it.

Inverse-compositional Gauss-Newton (Baker and Matthews, "Lucas-Kanade 20 Years On", IJCV 2004) on all three
colour channels, with weights that take away what does not fit (a finger, a lamp's reflection, another card's
corner), and a light of one gain a channel that may change evenly across the card.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import MARGIN, WIDTH, Pixels

STEP = 4
"""Alignment works on pictures this many times smaller than the patch."""

BORDER = 0.3
"""Weight of a card's outermost twentieth in aligning: hand-cut borders are uneven, the print is not."""

NEUTRAL = 0.15
"""How far, in parts, the colour of the light may be expected to differ between two pictures."""

LOST = 0.3**2
"""Squared difference of a pixel beyond which it counts no more in judging an alignment."""

TRUST = np.diag(0.025 / np.array([0.04, 0.02, 0.05, 0.02, 0.04, 0.05, 0.02, 0.02]) ** 2)
"""What holds an alignment near its start: how far zoom, shear, shift and perspective are usually off (in parts
of the card's half length), against the noise of a card's worth of pixels."""

RUNAWAY = 0.7
"""A step as long as this (a card's half length is 1) turns the card inside out: nothing was there to lay it over."""

WARP, EDGE = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
ONES = np.ones(3, dtype=np.float32)

SHADING = 0.4
"""Brightness that changes over this part of a card's width or more is shading, not print."""

EXPOSURE = 0.5
"""How far, in parts, the brightness of two pictures may be expected to differ after both were exposed alike."""

VEIL = 0.1
"""How much haze, in parts of full scale, may be expected over a card."""

Matrix = NDArray[np.float64]
Flat = NDArray[np.float32]


@dataclass(frozen=True)
class Template:
    """A reference view made ready for aligning; all of it follows from `pixels`, the card without margin.

    `values`: n x 3 pixels of the reduced view; `columns`: 3n x 8 their change with each parameter of a
    homography; `where`: n x 3, one and the position; `prior`: n weights before anything is seen.
    """

    pixels: Pixels
    columns: Flat
    values: Flat
    where: Flat
    prior: Flat
    shape: tuple[int, int]


def template(pixels: Pixels) -> Template:
    """Prepare a reference view (height x width x 3, 0..1) for aligning."""
    small = structure(pixels)
    height, width = small.shape[:2]
    slope = max(height, width) / 2 / 8
    gx = cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3, scale=slope).reshape(-1, 3)
    gy = cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3, scale=slope).reshape(-1, 3)
    x, y = grid(height, width)
    x3, y3 = x[:, None], y[:, None]
    turn = gx * x3 + gy * y3
    parts = [gx * x3, gx * y3, gx, gy * x3, gy * y3, gy, -x3 * turn, -y3 * turn]
    columns = np.stack(parts, axis=-1).reshape(-1, 8).astype(np.float32)
    prior = np.ones((height, width), dtype=np.float32)
    rim = max(1, width // 20)
    for part in (prior[:rim], prior[-rim:], prior[:, :rim], prior[:, -rim:]):
        part[...] = BORDER
    return Template(
        pixels, columns, small.reshape(-1, 3), place(height, width), prior.ravel(), (height, width)
    )


def reduce(pixels: Pixels, step: float = STEP) -> Pixels:
    """The picture `step` times smaller and a little softer."""
    small = cv2.resize(pixels, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), dtype=np.float32)


def structure(pixels: Pixels) -> Pixels:
    """What alignment goes by: the reduced picture freed of shading, shadows and a lamp's soft reflection."""
    small = reduce(pixels)
    return small - np.asarray(cv2.GaussianBlur(small, (0, 0), WIDTH / STEP * SHADING), dtype=np.float32)


def grid(height: int, width: int) -> tuple[Flat, Flat]:
    """Coordinates x and y of each pixel, -1..1 across the longer side, 0 in the middle."""
    unit = max(height, width) / 2
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    return ((x - (width - 1) / 2) / unit).ravel(), ((y - (height - 1) / 2) / unit).ravel()


def place(height: int, width: int) -> Flat:
    """One, x and y of each pixel, n x 3."""
    x, y = grid(height, width)
    return np.stack([np.ones_like(x), x, y], axis=1)


@dataclass(frozen=True)
class Light:
    """How the light on a seen card differs from that on a reference: seen = gain * reference + veil.

    `gain`: n x 3, changing evenly across the card; `veil`: 3, haze or a lamp's diffuse reflection.
    """

    gain: Flat
    veil: Flat


def light(seen: Flat, wanted: Flat, where: Flat, weights: Flat) -> Light:
    """The light that best turns the pixels `wanted` into those `seen`; weighted least squares.

    Brightness and its slope across the card are nearly free (both pictures are exposed alike before); the
    colour of the light is held near neutral, for else a red card could pass for an orange one in other
    light; the veil is held near none.
    """
    basis = np.empty((3, 4, len(wanted)), dtype=np.float32)
    np.multiply(wanted.T[:, None, :], where.T[None, :, :], out=basis[:, :3])
    basis[:, 3] = 1
    heavy = basis * weights
    normal = (heavy @ basis.transpose(0, 2, 1)).astype(np.float64)
    right = (heavy @ seen.T[:, :, None]).astype(np.float64)[:, :, 0]
    # at least one pixel's worth: where nothing is in sight the answer is the light that is held to, not none
    noise = max(float(weights.sum()), 1.0) * 0.05**2
    even = np.diag([1 / EXPOSURE**2, 1 / EXPOSURE**2, 1 / EXPOSURE**2, 1 / VEIL**2]) * noise
    common = np.linalg.solve(normal.sum(axis=0) + even, right.sum(axis=0) + even @ np.array([1.0, 0, 0, 0]))
    hold = np.diag([1 / NEUTRAL**2, 4 / NEUTRAL**2, 4 / NEUTRAL**2, 1 / VEIL**2]) * noise
    own = np.linalg.solve(normal + hold, (right + hold @ common)[:, :, None])[:, :, 0]
    gain = np.clip(where @ own[:, :3].T.astype(np.float32), 0.3, 3.0)
    return Light(gain.astype(np.float32), own[:, 3].astype(np.float32))


def begin(height: int, zoom: float = 1.0, dx: float = 0.0, dy: float = 0.0, upside: bool = False) -> Matrix:
    """The map from reference pixels to patch pixels that trusts the outline, but for a small change."""
    cx, cy = (WIDTH - 1) / 2, (height - 1) / 2
    sign = -1.0 if upside else 1.0
    s = zoom * sign
    return np.array([[s, 0, MARGIN + cx + dx - s * cx], [0, s, MARGIN + cy + dy - s * cy], [0, 0, 1.0]])


def half_turn(height: int) -> Matrix:
    """The map that turns a reference `height` pixels high upside down."""
    return np.array([[-1.0, 0, WIDTH - 1], [0, -1.0, height - 1], [0, 0, 1.0]])


@dataclass(frozen=True)
class Aligned:
    """`matrix` maps reference pixels to patch pixels, margin included; `rest` is the mean squared difference."""

    matrix: Matrix
    rest: float


def align(
    small: Pixels, reference: Template, first: Matrix, rounds: int, visible: Pixels | None = None
) -> Aligned:
    """Refine `first`, the map from reference pixels to patch pixels, in at most `rounds` steps.

    `small` is the patch, margin included, as `structure` makes it. `visible` says, in its size,
    what is in sight (1) or hidden (0). The result is the best of all steps.
    """
    height, width = reference.shape
    shift = (1 / STEP - 1) / 2
    shrink = np.array([[1 / STEP, 0, shift], [0, 1 / STEP, shift], [0, 0, 1.0]])
    unit = max(height, width) / 2
    pixel = np.array([[unit, 0, (width - 1) / 2], [0, unit, (height - 1) / 2], [0, 0, 1.0]])
    to_unit = np.linalg.inv(pixel)
    now = shrink @ first @ np.linalg.inv(shrink) @ pixel
    best, least = now, np.inf
    weights, gone = reference.prior, np.zeros(8)
    lit = Light(np.ones((1, 3), dtype=np.float32), np.zeros(3, dtype=np.float32))
    for i in range(rounds + 1):
        seen = cv2.warpPerspective(small, now @ to_unit, (width, height), flags=WARP, borderMode=EDGE)
        pixels = np.asarray(seen, dtype=np.float32).reshape(-1, 3)
        prior = reference.prior
        if visible is not None:
            prior = prior * cv2.warpPerspective(visible, now @ to_unit, (width, height), flags=WARP).ravel()
            weights = weights * prior
        if i % 3 == 0:
            lit = light(pixels, reference.values, reference.where, weights)
        residual = (pixels - lit.veil) / lit.gain - reference.values
        size = (residual * residual) @ ONES
        rest = float((np.minimum(size, LOST) * prior).sum() / max(float(prior.sum()), 1.0))
        if rest < least:
            best, least = now, rest
        if i == rounds:
            break
        scale = max(0.03**2, 2.25 * float(np.median(size)))
        weights = prior / (1 + size / scale) ** 2
        heavy = np.repeat(weights, 3)[:, None] * reference.columns
        normal = (reference.columns.T @ heavy).astype(np.float64) + TRUST
        step = np.linalg.solve(normal, (heavy.T @ residual.ravel()).astype(np.float64) - TRUST @ gone)
        if not np.abs(step).max() < RUNAWAY:
            break
        gone += step
        now = now @ np.linalg.inv(np.append(step, 0.0).reshape(3, 3) + np.eye(3))
        now /= now[2, 2]
        if np.abs(step).max() < 4e-4:
            rounds = i + 1
    matrix = np.linalg.inv(shrink) @ best @ to_unit @ shrink
    return Aligned(np.asarray(matrix / matrix[2, 2], dtype=np.float64), least)
