"""How a camera renders the ink of a deck's print: one change of colour for all cards of a picture, and a little for each card.

Paper and light are told from a card's own paper (`align.light`). What is left is the ink: another print run, another
white balance or tone curve makes all ink of a picture stronger or weaker, or turns its colour, on every card alike. The
*ink* of a pixel is how far it lies from the card's paper; a response is a 3 x 3 matrix M by which seen ink is (1 + M) times
the ink of the reference. Hatching stays hatching under it, and a plain field plain.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.align import Flat

Matrix3 = NDArray[np.float64]

STRENGTH, COLOUR = 0.3, 0.05
"""How far, in parts, the strength of the ink and its colour may be expected to differ on one card of an unknown picture."""

TABLE_STRENGTH, TABLE_COLOUR = 0.6, 0.3
"""The same for a whole picture, of which several cards tell."""

TOLD_STRENGTH, TOLD_COLOUR = 0.15, 0.04
"""The same on one card of a picture whose response is known."""

NOISE = 0.01**2
"""Squared difference of a pixel that says nothing of the ink."""

STRANGE = 0.3**2
"""Squared difference of a pixel that no rendering of its ink explains: a finger, a reflection, another design."""

FEWEST = 3
"""Cards from which a picture's response is told: of one or two the print may be at fault, or the name."""


@dataclass(frozen=True)
class Told:
    """What one card tells of the response: the sums of a least-squares fit, ink by ink and ink by difference."""

    ink: Matrix3
    off: Matrix3
    pixels: float

    def solve(self, about: Matrix3, strength: float, colour: float) -> Matrix3:
        """The response that fits best and lies near `about`."""
        hold = self.pixels * NOISE
        # first the strength, one number for all colours; then what the colours have of their own
        off = self.off - about @ self.ink
        common = float(np.trace(off)) / (float(np.trace(self.ink)) + hold / strength**2)
        common = float(np.clip(common, -2 * strength, 2 * strength))
        off = off - common * self.ink
        own = np.linalg.solve(self.ink + np.eye(3) * hold / colour**2, off.T).T
        return np.asarray(about + common * np.eye(3) + np.clip(own, -2 * colour, 2 * colour))


def told(seen: Flat, lit: Flat, weights: Flat) -> Told:
    """What the pixels `seen` (n x 3) tell against those of a reference in the same light."""
    ink = (lit - paper_of(lit)).astype(np.float64)
    heavy = ink * weights[:, None]
    total = max(float(weights.sum()), 1.0)
    return Told(heavy.T @ ink, (seen - lit).astype(np.float64).T @ heavy, total)


def paper_of(pixels: Flat) -> Flat:
    """The colour of the paper among pixels (n x 3): the middle of the brighter half of them."""
    bright = pixels.sum(axis=1)
    return np.asarray(np.median(pixels[bright >= np.median(bright)], axis=0), dtype=np.float32)


def of_picture(cards: Iterable[Told]) -> Matrix3 | None:
    """The response of a whole picture; each card has one say. None if too few tell."""
    says = list(cards)
    if len(says) < FEWEST:
        return None
    # a card with much ink shall not outweigh all others, and one with little not be lost
    scaled = [1 / max(float(np.trace(s.ink)), 1e-6) for s in says]
    ink = sum((s.ink * by for s, by in zip(says, scaled, strict=True)), np.zeros((3, 3)))
    off = sum((s.off * by for s, by in zip(says, scaled, strict=True)), np.zeros((3, 3)))
    return Told(ink, off, len(says) * 0.02 / NOISE).solve(np.zeros((3, 3)), TABLE_STRENGTH, TABLE_COLOUR)
