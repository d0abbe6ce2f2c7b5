"""Outlines of cards of which only a part is in sight, sought in small steps: a film goes on
meanwhile."""

from collections.abc import Generator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, areas, boxes, meeting, overlap, rectangle
from vision.outlines import cloth, completion, segment
from vision.outlines.covers import RIM, beyond, hidden_part
from vision.outlines.detect import RIVAL, SAME, Outline, distinct, similarity, working

MOST_HIDDEN = 0.75
"""Part of a card that may lie under others for it to be looked at still."""

MOST_PARTS = 16
"""Completed outlines that are looked at in one picture."""

AT_ONCE = 16
"""Completed outlines that are moved onto their edges in one step."""


def seeking(
    image: NDArray[np.uint8], whole: Sequence[Quad], tall: float, side: int | None = None
) -> Generator[None, None, list[Outline]]:
    """Outlines completed from the corners of cards that touch, lie under others, carry a finger or
    are cut off by the edge of the picture.

    `whole`: the quads in full-size pixels of cards that were found whole, their side 0-1 a short
    one; they tell the size of a card, whose long side is `tall` times its short one. `side`: the
    longer side in pixels of the whole frame, if `image` is only a part of it: its edges cut off
    nothing then. At most `MOST_PARTS`, the best supported first; some milliseconds of work a step.
    """
    if not whole:
        return []
    lab, scale = working(image, side)
    known = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in whole]
    usual = float(np.median(areas(known)))
    polygons: list[NDArray[np.float64]] = []
    for mask in segment.maps(lab):
        yield
        of_map = completion.polygons(segment.contours(mask), usual)
        plain = cloth.blank_rectangles(lab, of_map)
        if len(plain) >= cloth.REPEATED:
            of_map = [polygon for i, polygon in enumerate(of_map) if i not in plain]
        polygons += of_map
        yield
    width, height = lab.shape[1], lab.shape[0]
    found = completion.completions(polygons, known, tall, (width, height))
    yield
    found = _new(found, known)
    yield
    found = distinct(found, SAME)
    yield
    most = MOST_HIDDEN if side is None else RIM
    found = [quad for quad in found if hidden_part(quad, beyond(quad, rectangle(width, height))) <= most]
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


def _new(found: Sequence[Quad], known: Sequence[Quad]) -> list[Quad]:
    """The completed cards that are none of the known ones and do not lie for the greater part under
    one."""
    of_known, sizes = boxes(known), areas(known)

    def is_new(quad: Quad, box: NDArray[np.float32]) -> bool:
        size = area(quad)
        for i in meeting(box, of_known):
            shared = overlap(quad, known[i])
            if shared > MOST_HIDDEN * size or shared > RIVAL * (size + sizes[i] - shared):
                return False
        return True

    return [quad for quad, box in zip(found, boxes(found), strict=True) if is_new(quad, box)]
