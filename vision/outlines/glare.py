"""Where a lamp is mirrored in a picture, and cards of which it hides a whole side."""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, clockwise
from vision.outlines.shape import Metric, metric
from vision.outlines.straight import Line, Mask
from vision.outlines.turns import Turns

BURNT, COLOUR = 252, 4
"""Luma of CIE Lab from which, and steps of chroma from grey up to which, a pixel shows the lamp."""

HALO = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (17, 17))
"""By how much a reflection is taken to be wider, in pixels of the working picture: its rim is an
edge, too."""

MOST = 0.35
"""Part of a picture beyond which what is burnt out is the paper of an overexposed one: reflections
nearly as wide as the cards, one on each of nine, take up to 0.34 of it with their halos."""

FITS = 0.2
"""Part by which a side may be longer or shorter than that of the nearest card that is known."""

HIDDEN = 0.5
"""Part of a side that must lie in reflections for it to be placed by the other three."""

ARMS = 0.6
"""Part of what is in sight of the two sides beside it that must show."""


def reflections(lab: NDArray[np.uint8]) -> Mask | None:
    """Not 0 where a lamp is mirrored in a picture as from `segment.opponent`, and near by; None if
    nowhere, or if the whole picture is overexposed."""
    least, most = (BURNT, 128 - COLOUR, 128 - COLOUR), (255, 128 + COLOUR, 128 + COLOUR)
    burnt = cv2.morphologyEx(cv2.inRange(lab, least, most), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    wide = np.asarray(cv2.dilate(burnt, HALO), np.uint8)
    return wide if 0 < cv2.countNonZero(wide) <= MOST * wide.size else None


def open_ended(turns: Turns, lamp: Mask, known: Sequence[Quad], tall: float) -> list[Quad]:
    """Quads of three sides that show, and a fourth that `lamp` hides, where a card's proportions
    have it.

    `known`: cards of the picture, which tell the size of others near them; without any they are
    taken to be seen from above. `tall`: a card's long side by its short one.
    """
    found = []
    metrics = [(quad.mean(axis=0), *metric(quad)) for quad in known]
    for first, leaving in turns.corners.items():
        for second, out, start in leaving:
            for third, end, start_3 in turns.sides_from(second, start):
                one, base, other = (turns.lines[i] for i in (first, second, third))
                a, b = base.at + start * base.along, base.at + end * base.along
                for back, on in _arms(one.along, b - a, other.along, (a + b) / 2, metrics, tall):
                    arms = [(one, out - back, out), (other, start_3, start_3 + on)]
                    quad = np.array([a - back * one.along, a, b, b + on * other.along], np.float32)
                    if _shows(arms) and _part_in(lamp, quad[3], quad[0]) > HIDDEN:
                        found.append(clockwise(quad))
    return found


def _arms(
    one: NDArray[np.float64],
    base: NDArray[np.float64],
    other: NDArray[np.float64],
    at: NDArray[np.float64],
    metrics: Sequence[tuple[NDArray[np.float32], Metric, float]],
    tall: float,
) -> Iterator[tuple[float, float]]:
    """How long, in pixels, the sides beside a base are: if that is a short side, and if it is a
    long one."""
    if not metrics:
        length = float(np.linalg.norm(base))
        yield length * tall, length * tall
        yield length / tall, length / tall
        return
    _, to_widths, height = min(metrics, key=lambda known: float(((known[0] - at) ** 2).sum()))
    wide = float(np.linalg.norm(to_widths @ base))
    for expected, length in ((1.0, height), (height, 1.0)):
        if abs(wide / expected - 1) < FITS:
            back, on = (length / float(np.linalg.norm(to_widths @ arm)) for arm in (one, other))
            yield back, on


def _shows(arms: Sequence[tuple[Line, float, float]]) -> bool:
    """Whether enough of both sides shows."""
    return all(line.shows(start, end) > ARMS for line, start, end in arms)


def _part_in(mask: Mask, start: Quad, end: Quad) -> float:
    """The part of a side that lies in the mask."""
    at = np.round(np.linspace(start, end, 24)).astype(int)
    column, row = np.clip(at, 0, np.array(mask.shape[::-1]) - 1).T
    return float((mask[row, column] > 0).mean())
