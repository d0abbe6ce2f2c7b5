"""Outlines of cards of which only a part is in sight, sought in small steps: a film goes on meanwhile."""

from collections.abc import Generator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import complete, segment
from vision.detect import RIVAL, Outline, _distinct, _similarity, _working
from vision.geometry import Quad

MOST_PARTS = 16
"""Completed outlines that are looked at in one picture."""

AT_ONCE = 6
"""Completed outlines that are moved onto their edges in one step."""


def seeking(
    image: NDArray[np.uint8], whole: Sequence[Quad], side: int | None = None
) -> Generator[None, None, list[Outline]]:
    """Outlines completed from the corners of cards that touch, lie under others or carry a finger.

    `whole`: the quads in full-size pixels of cards that were found whole; they tell the size of a card. `side`: the
    longer side in pixels of the whole frame, if `image` is only a part of it. At most `MOST_PARTS`, the best supported
    first; some milliseconds of work a step.
    """
    if not whole:
        return []
    lab, scale = _working(image, side)
    known = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in whole]
    found: list[Quad] = []
    for mask in segment.maps(lab):
        yield
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        corners = complete.completions((np.asarray(c, dtype=np.int32) for c in contours), known)
        found += [q for q in corners if not any(_similarity(q, k) > RIVAL for k in known)]
        yield
    found = _distinct(found)
    yield
    standing = []
    for i, quad in enumerate(found):
        moved = complete.stands(lab, quad)
        if moved is not None:
            standing.append(moved)
        if i % AT_ONCE == AT_ONCE - 1:
            yield
    result: list[Outline] = []
    for quad, support in sorted(standing, key=lambda s: -s[1]):
        full = ((quad + 0.5) / scale - 0.5).astype(np.float32)
        if not any(_similarity(full, o.quad) > RIVAL for o in result):
            result.append(Outline(full, support))
    return result[:MOST_PARTS]
