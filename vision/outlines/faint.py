"""Cards on a cloth as pale as they are: outlines of a picture whose faint steps are made clear.

A white card on a white tablecloth is told by a few grey levels, less than what counts as an edge on
other tables. Beside the usual colour of its surroundings, amplified, it is as clear as any other.
So is the weave of the cloth: of what is found, only print tells what is a card.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad
from vision.outlines import detect

GAIN, NOISE = 6.0, 0.8
"""Times by which steps are amplified, and pixels of the working picture by which it is blurred
before: of 30 cards on cloths 8, 4 and 2 grey levels darker 27, 23 and 17 are outlined; 28, 20 and
17 with 4 and no blur, 27, 20 and 15 with 10 and 1.2 pixels, 16, 11 and 10 as they are."""

SURROUNDINGS, COARSE = 0.42, 8
"""Part of the picture's longer side over which the usual colour is taken, more than a card of a
whole table, and how many times smaller the picture is for that. With half as much one card in ten
is outlined that is not with this one, and the other way round."""

FAINT = (30, 10, 10)
"""Steps of CIE Lab, of 8 bits, up to which a table may differ from the borders of the cards for
others to be hidden on it: on a cloth 16 grey levels darker 25 of 30 are outlined as they are, on
one 32 darker 29."""

ROOM = 0.02
"""Part of a picture that such a table takes beside the cards from which others may be hidden on it:
that of one small card."""

Picture = NDArray[np.uint8]


def may_hide(image: Picture, cards: Sequence[Quad], things: Sequence[Quad]) -> bool:
    """Whether other cards may lie unseen in a BGR picture: beside the `cards` and all `things` that
    were found, the table is as pale as their borders. Without cards nobody knows how pale they are.
    """
    if not cards:
        return True
    lab, scale = detect.working(image, None)
    small = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in cards]
    borders = np.array([_border(lab, quad) for quad in small])
    alike = cv2.inRange(lab, borders.min(axis=0) - FAINT, borders.max(axis=0) + FAINT)
    seen = np.asarray(alike, np.uint8)
    for quad in things:
        _fill(seen, ((quad + 0.5) * scale - 0.5).astype(np.float32), 1.06, 0)
    return cv2.countNonZero(seen) > ROOM * seen.size


def outlines(image: Picture) -> list[Quad]:
    """The quads, in pixels of a BGR picture, that faint edges make."""
    scale = min(1.0, detect.WORKING_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    clear = amplified(np.asarray(small, np.uint8))
    return [
        ((quad + 0.5) / scale - 0.5).astype(np.float32)
        for quad, _ in detect.everything(detect.outlines(clear))
    ]


def amplified(image: Picture) -> Picture:
    """The picture beside the usual colour of its surroundings, which is made a middle grey."""
    size = [max(1, length // COARSE) for length in image.shape[1::-1]]
    coarse = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    median = cv2.medianBlur(coarse, int(SURROUNDINGS * max(size)) | 1)
    usual = cv2.resize(median, image.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    steps = cv2.GaussianBlur(image, (0, 0), NOISE) - usual
    return np.asarray(np.clip(128 + GAIN * steps, 0, 255), np.uint8)


def _border(lab: Picture, quad: Quad) -> NDArray[np.float64]:
    """The usual colour along the border of a card."""
    mask = np.zeros(lab.shape[:2], np.uint8)
    _fill(mask, quad, 0.96, 1)
    _fill(mask, quad, 0.88, 0)
    left, top, width, height = cv2.boundingRect(quad)
    here = np.s_[max(top, 0) : top + height, max(left, 0) : left + width]
    shown = lab[here][mask[here] > 0]
    return np.median(shown, axis=0) if len(shown) else np.full(3, 128.0)


def _fill(mask: Picture, quad: Quad, grown: float, value: int) -> None:
    """Fill a quad whose sides are `grown` times as far from its middle."""
    middle = quad.mean(axis=0)
    cv2.fillConvexPoly(mask, np.round(middle + grown * (quad - middle)).astype(np.int32), value)
