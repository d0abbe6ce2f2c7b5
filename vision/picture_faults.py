"""Find what is wrong with a whole picture, so that people are told once and not card by card."""

import cv2
import numpy as np
from numpy.typing import NDArray

BLOCKS = 60
"""Blocks along the longer side of a picture of which the mean colours are compared."""

COLOURLESS = 4.0
"""Levels by which the channels of a block's mean may differ in a picture without colour: sensor
noise leaves 1.5."""


def shrink_to_blocks(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the mean BGR colour of each block of a picture."""
    scale = BLOCKS / max(picture.shape[:2])
    size = [max(1, round(scale * length)) for length in picture.shape[1::-1]]
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def is_colourless(blocks: NDArray[np.uint8] | NDArray[np.float32]) -> bool:
    """Check whether a picture, given by the colours of its blocks, shows no colour anywhere, as of
    a camera in night mode."""
    return float(np.ptp(blocks.astype(np.float32), axis=-1).max()) < COLOURLESS
