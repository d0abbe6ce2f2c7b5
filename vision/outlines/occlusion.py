"""Outlines of cards of which only a part is in sight, sought in small steps: a film goes on
meanwhile."""

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, areas, boxes, meeting, overlap
from vision.outlines import cloth, completion, segment
from vision.outlines.detect import RIVAL, SAME, Outline, distinct, similarity, working

MOST_HIDDEN = 0.75
"""Part of a card that may lie under others for it to be looked at still."""

MOST_PARTS = 16
"""Completed outlines that are looked at in one picture."""

AT_ONCE = 16
"""Completed outlines that are moved onto their edges in one step."""


def seeking(
    image: NDArray[np.uint8], whole: Sequence[Quad], side: int | None = None
) -> Generator[None, None, list[Outline]]:
    """Outlines completed from the corners of cards that touch, lie under others or carry a finger.

    `whole`: the quads in full-size pixels of cards that were found whole; they tell the size of a
    card. `side`: the longer side in pixels of the whole frame, if `image` is only a part of it. At
    most `MOST_PARTS`, the best supported first; some milliseconds of work a step.
    """
    if not whole:
        return []
    lab, scale = working(image, side)
    known = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in whole]
    usual = float(np.median(areas(known)))
    found: list[Quad] = []
    for mask in segment.maps(lab):
        yield
        polygons = completion.polygons(segment.contours(mask), usual)
        plain = cloth.blank_rectangles(lab, polygons)
        if len(plain) >= cloth.REPEATED:
            polygons = [polygon for i, polygon in enumerate(polygons) if i not in plain]
        found += [q for q in completion.completions(polygons, known) if _is_new(q, known)]
        yield
    found = distinct(found, SAME)
    yield
    found = [quad for quad, plain in zip(found, cloth.blank(lab, found), strict=True) if not plain]
    standing = []
    for first in range(0, len(found), AT_ONCE):
        standing += completion.standing(lab, found[first : first + AT_ONCE])
        yield
    result: list[Outline] = []
    for quad, support in sorted(standing, key=lambda s: -s[1]):
        full = ((quad + 0.5) / scale - 0.5).astype(np.float32)
        if len(result) < MOST_PARTS and not any(similarity(full, o.quad) > RIVAL for o in result):
            result.append(Outline(full, support))
    return result


def _is_new(quad: Quad, known: Sequence[Quad]) -> bool:
    """Whether a completed card is none of the known ones and does not lie for the greater part
    under one."""
    near = meeting(boxes([quad])[0], boxes(known))
    return not any(
        similarity(quad, known[i]) > RIVAL or overlap(quad, known[i]) > MOST_HIDDEN * area(quad) for i in near
    )
