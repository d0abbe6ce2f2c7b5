"""Hold a picture in the size in which outlines are sought, so that each search for them prepares it
no second time."""

from collections.abc import Iterator
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outlines import segment

WORKING_SIDE = 960
"""Longer side in pixels of the picture in which outlines are sought; corners are then refined in
full size."""

Contours = list[NDArray[np.int32]]


class WorkingPicture:
    """A BGR picture, reduced for the search for outlines.

    `image`: in full size; `side`: the longer side in pixels of the whole frame, if `image` is only
    a part of it; `scale`: pixels of the reduced picture for each of `image`. What is derived is
    computed when it is needed first, and kept: some megabytes.
    """

    def __init__(self, image: NDArray[np.uint8], side: int | None = None) -> None:
        self.image, self.side = image, side
        self.scale = min(1.0, WORKING_SIDE / (side or max(image.shape[:2])))
        self._traced: list[tuple[Contours, NDArray[np.float32]]] = []

    @cached_property
    def reduced(self) -> NDArray[np.uint8]:
        """The reduced picture, in BGR."""
        if self.scale == 1:
            return self.image
        small = cv2.resize(self.image, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA)
        return np.asarray(small, dtype=np.uint8)

    @cached_property
    def lab(self) -> NDArray[np.uint8]:
        """The reduced picture, as from `segment.to_smoothed_lab`."""
        return segment.to_smoothed_lab(self.reduced)

    @cached_property
    def _maps(self) -> Iterator[segment.Mask]:
        return segment.iterate_maps(self.lab)

    def iterate_contours(self) -> Iterator[tuple[Contours, NDArray[np.float32]]]:
        """Yield the contours of each map (`segment.iterate_maps`) and their bounding boxes (n x 4),
        traced once for all searches."""
        done = 0
        while True:
            if done == len(self._traced):
                mask = next(self._maps, None)
                if mask is None:
                    return
                contours = segment.find_contours(mask)
                self._traced.append((contours, segment.contour_boxes(contours)))
            yield self._traced[done]
            done += 1
