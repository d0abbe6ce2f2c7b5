"""Finding the outlines of cards in a picture, with no knowledge of any deck."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import complete, quads, segment
from vision.geometry import Quad, area, aspect, boxes, meeting, overlap, sides

WORKING_SIDE = 960
"""The longer side of the picture in which outlines are sought; corners are then refined in full size."""

MIN_SIDE = 18.0
"""A card's short side in the working picture, in pixels, below which nothing could be read."""

RIVAL = 0.6
"""Two outlines whose shared area is above this part of their joint area are rivals for one thing."""

FRAGMENT, NESTED = 0.4, 0.9
"""Shared area, in parts of the smaller outline: above the second it lies inside, between them it is a fragment."""

MOST_PARTS = 16
"""Completed outlines that are looked at in one picture."""

MAX_ASPECT = 2.6
"""A rectangle longer than this many times its width is no card, even seen from the side."""


@dataclass(frozen=True)
class Outline:
    """Four straight sides in a picture, which may be those of a card.

    `quad`: float32 (4, 2) in full-size pixels, clockwise in the image, corner 0 anywhere.
    `support`: 0..1, the share of the sides that shows a clear edge.
    `alternatives`: other quads found for the same thing (a printed frame inside the border, say).
    `inside`: outlines that lie wholly within this one (pips, or cards on a sheet of paper).
    """

    quad: Quad
    support: float
    alternatives: tuple[Quad, ...] = ()
    inside: tuple["Outline", ...] = field(default=(), repr=False)


def outlines(image: NDArray[np.uint8], side: int | None = None) -> list[Outline]:
    """The outlines of everything in a BGR picture that could be a card, the best supported first.

    `side`: the longer side in pixels of the whole frame, if `image` is only a part of it.
    """
    lab, scale = _working(image, side)
    found = [q for mask in segment.maps(lab) for q in _in_mask(mask)]
    refined = [_refine(image, lab, quad, scale) for quad in _distinct(found)]
    return _arrange([o for o in refined if o is not None])


def parts(image: NDArray[np.uint8], whole: Sequence[Quad], side: int | None = None) -> list[Outline]:
    """Outlines completed from the corners of cards that touch, lie under others or carry a finger.

    `whole`: the quads in full-size pixels of cards that were found whole; they tell the size of a card.
    """
    if not whole:
        return []
    lab, scale = _working(image, side)
    known = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in whole]
    found = []
    for mask in segment.maps(lab):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        found += complete.completions((np.asarray(c, dtype=np.int32) for c in contours), known)
    new = [q for q in _distinct(found) if not any(_similarity(q, k) > RIVAL for k in known)]
    standing = [s for s in (complete.stands(lab, quad) for quad in new) if s is not None]
    result: list[Outline] = []
    for quad, support in sorted(standing, key=lambda s: -s[1]):
        full = ((quad + 0.5) / scale - 0.5).astype(np.float32)
        if not any(_similarity(full, o.quad) > RIVAL for o in result):
            result.append(Outline(full, support))
    return result[:MOST_PARTS]


def _working(image: NDArray[np.uint8], side: int | None) -> tuple[NDArray[np.uint8], float]:
    scale = min(1.0, WORKING_SIDE / (side or max(image.shape[:2])))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    return segment.opponent(np.asarray(small, dtype=np.uint8)), scale


def _in_mask(mask: segment.Mask) -> list[Quad]:
    height, width = mask.shape
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    result = []
    for contour in contours:
        _, _, w, h = cv2.boundingRect(contour)
        if min(w, h) < MIN_SIDE or w * h > 0.8 * width * height:
            continue
        quad = quads.from_contour(np.asarray(contour, dtype=np.int32))
        if quad is not None and _plausible(quad, width, height):
            result.append(quad)
    return result


def _plausible(quad: Quad, width: int, height: int) -> bool:
    slack = 2.0
    inside = (
        (quad >= -slack).all()
        and (quad[:, 0] <= width + slack).all()
        and (quad[:, 1] <= height + slack).all()
    )
    lengths = sides(quad)
    return bool(
        inside
        and lengths.min() >= MIN_SIDE
        and aspect(quad) <= MAX_ASPECT
        and max(
            lengths[0] / lengths[2], lengths[2] / lengths[0], lengths[1] / lengths[3], lengths[3] / lengths[1]
        )
        < 1.6
    )


def _similarity(a: Quad, b: Quad) -> float:
    shared = overlap(a, b)
    return shared / max(area(a) + area(b) - shared, 1e-6)


def _distinct(found: list[Quad]) -> list[Quad]:
    """One quad of each set of nearly equal ones."""
    kept: list[int] = []
    box = boxes(found)
    for i, quad in enumerate(found):
        near = meeting(box[i], box[kept])
        if not any(_similarity(quad, found[kept[j]]) > 0.93 for j in near):
            kept.append(i)
    return [found[i] for i in kept]


def _refine(image: NDArray[np.uint8], lab: NDArray[np.uint8], quad: Quad, scale: float) -> Outline | None:
    quad, support = quads.sharpen(lab, quad, reach=3)
    if support.min() < 0.3 or support.mean() < 0.55:
        return None
    full = ((quad + 0.5) / scale - 0.5).astype(np.float32)
    if scale < 1:
        full, _ = quads.sharpen(image, full, reach=1.2 / scale)
    return Outline(full, float(support.mean()))


def _arrange(found: list[Outline]) -> list[Outline]:
    """Group rival outlines of one thing, and put the ones that lie inside others into them."""
    order = sorted(found, key=_weight, reverse=True)
    box = boxes([o.quad for o in order])
    leaders: list[int] = []
    groups: list[list[Outline]] = []
    for i, outline in enumerate(order):
        near = meeting(box[i], box[leaders])
        rivals = next((j for j in near if _similarity(outline.quad, order[leaders[j]].quad) > RIVAL), None)
        if rivals is None:
            leaders.append(i)
            groups.append([outline])
        else:
            groups[rivals].append(outline)
    return _nest(_without_fragments([_outermost(g) for g in groups]))


def _weight(outline: Outline) -> float:
    """How much an outline counts against others: clear, and rather large than small."""
    return float(outline.support + 0.1 * np.log(area(outline.quad)))


def _outermost(rivals: list[Outline]) -> Outline:
    """Of several outlines of one thing the largest that is as clear as the best; the others are kept."""
    clear = max(o.support for o in rivals) - 0.12
    chosen = max((o for o in rivals if o.support >= clear), key=lambda o: area(o.quad))
    return Outline(chosen.quad, chosen.support, tuple(o.quad for o in rivals if o is not chosen)[:3])


def _without_fragments(found: list[Outline]) -> list[Outline]:
    """Drop what covers much of a clearer outline without lying inside it: halves of cards, shadows."""
    order = sorted(found, key=_weight, reverse=True)
    box = boxes([o.quad for o in order])
    kept: list[int] = []
    for i, outline in enumerate(order):
        for j in meeting(box[i], box[kept]):
            other = order[kept[j]]
            smaller = min(area(outline.quad), area(other.quad))
            if FRAGMENT * smaller < overlap(outline.quad, other.quad) < NESTED * smaller:
                break
        else:
            kept.append(i)
    return [order[i] for i in kept]


def _nest(found: list[Outline]) -> list[Outline]:
    """Put outlines that lie within a larger one into it; undo a larger one that only sums up its parts."""
    children: dict[int, list[Outline]] = {}
    by_size = sorted(found, key=lambda o: area(o.quad), reverse=True)
    box = boxes([o.quad for o in by_size])
    top: list[int] = []
    for i, outline in enumerate(by_size):
        size = area(outline.quad)
        near = meeting(box[i], box[top])
        holder = next(
            (top[j] for j in near if overlap(outline.quad, by_size[top[j]].quad) > NESTED * size), None
        )
        if holder is None:
            top.append(i)
        else:
            children.setdefault(holder, []).append(outline)
    result: list[Outline] = []
    for i in top:
        inside = _nest(children[i]) if i in children else []
        outline = by_size[i]
        if len(inside) > 1 and sum(area(o.quad) for o in inside) > 0.7 * area(outline.quad):
            result += inside
        else:
            result.append(Outline(outline.quad, outline.support, outline.alternatives, tuple(inside)))
    return sorted(result, key=lambda o: o.support, reverse=True)
