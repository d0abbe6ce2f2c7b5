"""Find what is wrong with a whole picture, so that people are told once and not card by card."""

from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

PictureFault = Literal["colourless", "burnt_out", "blurred", "mirrored", "exchanged"]
"""No colour, saturated, out of focus, mirrored, red and blue exchanged."""

BLOCKS = 60
"""Blocks along the longer side of a picture of which the mean colours are compared."""

COLOURLESS = 4.0
"""Levels by which the channels of a block's mean may differ in a picture without colour: sensor
noise leaves 1.5, and of 227 photographs of other people's tables none has less than 31."""

DARK = 24
"""Mean level below which a picture is too dark to show colours."""

WHITE, BURNT_OUT = 250, 0.25
"""Level of two channels from which a block is saturated, and the part of a picture that must be: of
76 photographs the brightest has 0.01, and half of them 0.23 when made 1.8 times as bright."""

SOFT, BLURRED = 2.0, 0.75
"""Pixels by which a picture is blurred, and the part of its steepest edges that must be left for it
to be out of focus: of 76 photographs 0.34 to 0.54, blurred by 3 pixels before 0.81 to 0.87."""

STEEP, FAINTEST = 0.001, 24.0
"""`STEEP`: part of the pixels that counts as steepest; `FAINTEST`: gradient, by Sobel's operator,
below which these are no edges but noise."""


def shrink_to_blocks(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the mean BGR colour of each block of a picture."""
    scale = BLOCKS / max(picture.shape[:2])
    size = [max(1, round(scale * length)) for length in picture.shape[1::-1]]
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def is_colourless(blocks: NDArray[np.uint8] | NDArray[np.float32]) -> bool:
    """Check whether a picture, given by the colours of its blocks, shows no colour anywhere, as of
    a camera in night mode."""
    return float(np.ptp(blocks.astype(np.float32), axis=-1).max()) < COLOURLESS


def find_picture_fault(picture: NDArray[np.uint8]) -> PictureFault | None:
    """Return what is wrong with a BGR picture as far as that shows without a deck."""
    blocks = shrink_to_blocks(picture)
    # the middle one of three channels: two are saturated if it is
    if float((np.sort(blocks, axis=-1)[..., 1] >= WHITE).mean()) > BURNT_OUT:
        return "burnt_out"
    if _is_blurred(picture):
        return "blurred"
    return "colourless" if is_colourless(blocks) and float(blocks.mean()) > DARK else None


def _is_blurred(picture: NDArray[np.uint8]) -> bool:
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    soft = np.asarray(cv2.GaussianBlur(grey, (0, 0), SOFT), dtype=np.uint8)
    before, after = _steepest_gradient(grey), _steepest_gradient(soft)
    return after > FAINTEST and after > BLURRED * before


def _steepest_gradient(grey: NDArray[np.uint8]) -> float:
    # one row in four is enough for a percentile
    along = np.abs(cv2.Sobel(grey, cv2.CV_16S, 1, 0)[::4])
    return float(np.percentile(along, 100 * (1 - STEEP)))
