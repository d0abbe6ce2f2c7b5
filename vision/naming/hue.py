"""Whether the coloured ink of a seen card has the hue of the design's that named it.

Pale print, a pale picture, another white balance or a dim lamp make all ink of a card weaker or
stronger, against its own paper, and turn its hue a little; nothing makes green ink purple while the
paper beside it stays white. Where ink is thin and pale that difference is below what may differ
harmlessly at a pixel (`compare.NOISE`), but not below it on all of the ink together.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import Map, quarter
from vision.fitting.patch import Pixels
from vision.naming.response import density

CHROMA = np.array([[0, 1, -1], [1, -0.5, -0.5]], dtype=np.float32)
"""Green against red and blue against both, from densities of blue, green and red."""

SOFT, RIM = 1.0, 2
"""Small pixels by which densities are blurred, so that an edge a little aside does not matter, and
those left out along the border, where the table shines through."""

COARSE = 2.0
"""Pixels of a patch by which cards are blurred before: cameras keep colour coarser than brightness,
and sharpen thin lines to black. Two of 352 red signs, as a small webcam with a sharpened picture
shows them, passed for purple ones without."""

COLOURED = 0.1
"""Chroma, in parts of the ink's density, from which ink is coloured: black ink has a hue, too, of
the sensor's noise."""

FAINT, NOISE = 0.03, 3.0
"""Chroma from which ink counts, and how many times that of the bare paper it must be as well: the
palest hatching of `bench.vision_tables` has 0.06, black ink hardly any, and then its hue says
nothing."""

PALEST = 0.25
"""Chroma, in parts of the design's, below which a card shows no hue: printed in grey, or all but
faded."""


def turned(seen: Pixels, laid: Pixels) -> float:
    """By how many degrees, 0 to 180, the coloured ink of a seen card is of another hue than that of
    the design laid over it; 0 where either has none to speak of.

    Both are without margin. Hue is told against each one's own paper: the light does not matter.
    """
    dark_seen, dark_laid = _densities(seen), _densities(laid)
    ink = dark_laid.sum(axis=1)
    bare = ink <= np.median(ink)
    (has, noise), (had, noise_laid) = _chroma(dark_seen, bare), _chroma(dark_laid, bare)
    least = np.maximum(max(FAINT, NOISE * noise, NOISE * noise_laid), COLOURED * ink)
    counts = np.hypot(had[:, 0], had[:, 1]) > least
    has, had = has[counts], had[counts]
    along = float((had * has).sum())
    aside = float((had[:, 0] * has[:, 1] - had[:, 1] * has[:, 0]).sum())
    if np.hypot(along, aside) <= PALEST * float((had * had).sum()):
        return 0.0
    return float(abs(np.degrees(np.arctan2(aside, along))))


def _densities(pixels: Pixels) -> Map:
    """Of small pixels, n x 3."""
    coarse = np.asarray(cv2.GaussianBlur(pixels, (0, 0), COARSE), dtype=np.float32)
    dark = cv2.GaussianBlur(density(quarter(coarse)), (0, 0), SOFT)[RIM:-RIM, RIM:-RIM]
    return np.asarray(dark.reshape(-1, 3), dtype=np.float32)


def _chroma(dark: Map, bare: NDArray[np.bool_]) -> tuple[Map, float]:
    """Chroma, n x 2, against that of the bare paper, and its spread there."""
    chroma = np.asarray((dark - np.median(dark[bare], axis=0)) @ CHROMA.T, dtype=np.float32)
    return chroma, float(np.sqrt((chroma[bare] ** 2).sum(axis=1).mean()))
