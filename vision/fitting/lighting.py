"""Fit the light that falls on a seen card, relative to a reference: one gain a channel that may
change evenly across the card, and a veil."""

import numpy as np

from vision.fitting import moments
from vision.fitting.moments import Flat

NEUTRAL = 0.15
"""Relative difference to be expected in the colour of the light of two pictures."""

EXPOSURE = 0.5
"""Relative difference to be expected in the brightness of two pictures after both were exposed
alike."""

VEIL = 0.1
"""Haze to be expected over a card, in parts of full scale."""

EVERY = 2
"""Interval at which pixels are sampled: half of some two thousand determine four numbers a channel
as well as all."""

EVEN = np.diag([1 / EXPOSURE**2, 1 / EXPOSURE**2, 1 / EXPOSURE**2, 1 / VEIL**2])
OWN = np.diag([1 / NEUTRAL**2, 4 / NEUTRAL**2, 4 / NEUTRAL**2, 1 / VEIL**2])
"""Weights that hold the common light of all channels near neutral, and each channel's own light
near the common one."""


def fit_lighting_robustly(observed: Flat, reference: Flat, weights: Flat, where: Flat) -> Flat:
    """Fit as `fit_lighting` does, then again with less weight on what did not fit the first time;
    by one pixel of `EVERY`."""
    observed, reference, weights, where = (
        observed[:, :, ::EVERY],
        reference[:, :, ::EVERY],
        weights[:, ::EVERY],
        where[::EVERY],
    )
    gain, veil = evaluate_lighting(fit_lighting(observed, reference, weights, where), where)
    gain *= reference
    gain += veil - observed
    off = np.einsum("ncp,ncp->np", gain, gain)
    middle = np.partition(off, off.shape[1] // 2, axis=1)[:, off.shape[1] // 2]
    scale = np.maximum(np.float32(0.03**2), np.float32(2.25) * middle)
    return fit_lighting(observed, reference, weights / (1 + off / scale[:, None]) ** 2, where)


def fit_lighting(observed: Flat, reference: Flat, weights: Flat, where: Flat) -> Flat:
    """Fit the light that best turns the pixels `reference` into those `observed`, each N x 3 x n
    for N pictures, by least squares: seen = gain * wanted + veil.

    Returns numbers for `evaluate_lighting`, N x 3 x 4: a channel's gain, its change along x and y,
    and the veil, which is haze or a lamp's diffuse reflection. `weights`: N x n; `where` as from
    `moments.evaluate_monomials`. Brightness and its slope across the card are nearly free (both
    pictures are exposed alike before); the colour of the light is held near neutral, as otherwise a
    red card could pass for an orange one in other light; the veil is held near zero.
    """
    normal, right = moments.lighting_normal_equations(observed, reference, weights, where)
    # at least one pixel's worth: where nothing is visible, the result is the light expected, not
    # zero
    noise = (np.maximum(weights.sum(axis=1), 1.0) * 0.05**2)[:, None, None]
    even = EVEN * noise
    common = np.linalg.solve(normal.sum(axis=1) + even, (right.sum(axis=1) + even[:, 0])[:, :, None])
    hold = OWN * noise
    own = np.linalg.solve(normal + hold[:, None], right[:, :, :, None] + (hold @ common)[:, None])
    return own[:, :, :, 0].astype(np.float32)


def evaluate_lighting(numbers: Flat, where: Flat) -> tuple[Flat, Flat]:
    """Return the gains N x 3 x n and the veils N x 3 x 1 at these pixels, given the numbers of
    `fit_lighting`."""
    # one matrix product for all, without a second array: three times as fast
    gain = numbers[:, :, :3].reshape(-1, 3) @ where[:, :3].T
    np.clip(gain, 0.3, 3.0, out=gain)
    return gain.reshape(*numbers.shape[:2], len(where)), numbers[:, :, 3:]
