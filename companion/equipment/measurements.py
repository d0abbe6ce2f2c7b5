"""Measurements of the check of the equipment: what a picture is like, and how the disk does."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion import libraries
from companion.rules.contract import Text
from companion.texts import system_reason

_WIDTH = 640
_BURNT = 250
_WRITES = 8


class PictureQuality(msgspec.Struct, frozen=True):
    """What the camera's pictures are like.

    `sharpness`: variance of the Laplacian at 640 pixels' width. `brightness`: mean, 0 to 255;
    `contrast`: its standard deviation; `burnt`: part of the picture (0 to 1) at the end of the
    scale; `drift`: how far the mean moved from the first to the last picture.
    """

    sharpness: float
    brightness: float
    contrast: float
    burnt: float
    drift: float = 0.0


class Disk(msgspec.Struct, frozen=True):
    """A folder: bytes free, seconds for a write that is really on the disk; `error`: why it cannot
    be written, or empty."""

    folder: str
    free: int = 0
    fsync: float = 0.0
    error: Text | str = ""


def look_at(pictures: Sequence[NDArray[np.uint8]]) -> PictureQuality:
    """Measure pictures (BGR) taken one after the other; the newest counts, the first tells the
    drift. Raises ValueError for none."""
    if not pictures:
        raise ValueError("no picture")
    grey = _grey(pictures[-1])
    first = _grey(pictures[0])
    return PictureQuality(
        sharpness=float(libraries.cv2.Laplacian(grey, libraries.cv2.CV_64F).var()),
        brightness=float(grey.mean()),
        contrast=float(grey.std()),
        burnt=float((grey >= _BURNT).mean()),
        drift=abs(float(grey.mean()) - float(first.mean())),
    )


def disk(folder: Path) -> Disk:
    """Write a small file into `folder` (or the nearest that exists), durably, and remove it."""
    # Before the first evening the journal's folder is not there yet.
    there = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        number, name = tempfile.mkstemp(prefix=".companion-check-", dir=there)
        try:
            began = time.perf_counter()
            for _ in range(_WRITES):
                os.write(number, b"\0" * 4096)
                os.fsync(number)
            taken = (time.perf_counter() - began) / _WRITES
        finally:
            os.close(number)
            with contextlib.suppress(OSError):
                Path(name).unlink()
        return Disk(str(folder), shutil.disk_usage(there).free, taken)
    except OSError as error:
        return Disk(str(folder), error=system_reason(error))


def _grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height = max(round(picture.shape[0] * _WIDTH / picture.shape[1]), 1)
    small = libraries.cv2.resize(picture, (_WIDTH, height), interpolation=libraries.cv2.INTER_AREA)
    return np.asarray(libraries.cv2.cvtColor(small, libraries.cv2.COLOR_BGR2GRAY), dtype=np.uint8)
