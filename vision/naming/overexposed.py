"""What an overexposed card no longer shows of its print: where the paper is burnt white, print that
is hardly darker is so, too, and a hatched sign looks as empty as a blank one."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.compare import Map
from vision.fitting.patch import Pixels
from vision.naming.response import density

BRIGHTER, AS_BRIGHT = 1.6, 0.96
"""How many times as bright as it is shown may be what the camera shows white: at one and a half
stops (sRGB). Part of a seen pixel's brightness from which print, so much brighter, is no darker."""

FADED = 0.093
"""Density, mean of the channels, that the darkest ink of a card must lack for paler print to be
gone altogether. On all tables of `bench.vision_tables`, a stop brighter, six of 352 cards were
wrong and sure, hatched for empty or the other way round, and 337 right; so none and 315, half a
stop brighter none and 339 of 343; without this condition 297 and 323."""

DENSE = 0.5
"""Part of the density of a design's darkest hundredth from which its ink is dense."""

FEWEST = 8
"""Pixels of dense ink below which it says nothing."""


def lost(seen: Pixels, burnt: NDArray[np.bool_], designs: tuple[Pixels, Pixels]) -> NDArray[np.bool_]:
    """Where neither design need show, of a card without margin on which these pixels are burnt:
    height x width."""
    darker = np.minimum(*designs) * np.float32(BRIGHTER) < np.float32(AS_BRIGHT) * seen
    return burnt & ~darker.any(axis=2)


def is_faded(seen: Pixels, laid: Pixels, in_sight: Map) -> bool:
    """Whether the dense ink of a card is so much paler than that of the design laid over it that
    the camera may have burnt what is paler."""
    dark_laid, dark_seen = (density(_half(one)).mean(axis=2) for one in (laid, seen))
    dense = (dark_laid > DENSE * np.percentile(dark_laid, 99)) & (_half(in_sight) > 0)
    return dense.sum() >= FEWEST and float(np.median((dark_laid - dark_seen)[dense])) > FADED


def _half(of: Map) -> Map:
    size = (of.shape[1] // 2, of.shape[0] // 2)
    return np.asarray(cv2.resize(of, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
