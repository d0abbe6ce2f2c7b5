"""Find the outlines of cards in a picture, without knowledge of any deck.

Several maps of the picture (`segment.iterate_maps`) are traced into contours, and these fitted by
quadrilaterals, in a reduced picture; the sides are then moved onto the edges in the full-size one.
As each map finds most cards again, and cards carry frames and pictures, the result is ordered in
the end: rival outlines of one thing are grouped, fragments dropped, and outlines within others
nested.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    NEXT,
    Quad,
    aspect_ratio,
    bounding_boxes,
    find_overlapping_boxes,
    overlap_area,
    pair_ranges_with_values,
    quad_area,
    quad_areas,
    unscale_quad,
)
from vision.outlines import cloth, quads, segment
from vision.outlines.working_picture import WorkingPicture
from vision.steps import run_to_end

MIN_SIDE = 18.0
"""Short side of a card in the working picture, in pixels, below which it could not be read."""

RIVAL = 0.6
"""Shared area of two outlines, as a part of their joint area, from which they are rivals for one
thing."""

FRAGMENT, NESTED = 0.4, 0.9
"""Shared area, in parts of the smaller outline: from `NESTED` it lies inside the other, from
`FRAGMENT` to `NESTED` it is a fragment."""

FILLED, UP_TO = 0.7, 0.9
"""Parts of an outline that others in it must fill, and that their hull must cover, for it to be
only the rim of theirs."""

SAME = 0.93
"""Shared part of their joint area from which two quads are the same."""

MAX_ASPECT = 5.0
"""Ratio of length to width from which a rectangle is not a card, even seen from the side."""

TOGETHER = 60
"""Contours that are fitted at once; the calls alone take as long as fitting thirty contours."""

LIKE = 1.6
"""Ratio of opposite sides from which a quad is not a card, however near."""


@dataclass(frozen=True)
class Outline:
    """Four straight sides in a picture, which may be those of a card.

    `quad`: float32 (4, 2) in full-size pixels, clockwise in the image, corner 0 anywhere.
    `support`: the share of the sides that shows a clear edge, 0 to 1. `alternatives`: other quads
    found for the same thing (a printed frame inside the border, say). `inside`: outlines that lie
    completely within this one (pips, or cards on a sheet of paper).
    """

    quad: Quad
    support: float
    alternatives: tuple[Quad, ...] = ()
    inside: tuple["Outline", ...] = field(default=(), repr=False)

    @cached_property
    def aspect(self) -> float:
        """The long side by the short one; cached, because it is used in every frame while the
        outline waits."""
        return aspect_ratio(self.quad)


def iterate_quads(outlines: Sequence[Outline]) -> Iterator[tuple[Quad, float]]:
    """Yield all quads that the reader may look into, with their support: outlines, their rivals
    with less support, and the outlines within them."""
    for one in outlines:
        yield one.quad, one.support
        for rival in one.alternatives:
            yield rival, one.support - 0.2
        yield from iterate_quads(one.inside)


def find_outlines(image: NDArray[np.uint8], side: int | None = None) -> list[Outline]:
    """Find the outlines of everything in a BGR picture that could be a card, the best supported
    first.

    `side`: the longer side in pixels of the whole frame, if `image` is only a part of it.
    """
    return run_to_end(find_outlines_in_steps(WorkingPicture(image, side)))


def find_outlines_in_steps(picture: WorkingPicture) -> Generator[None, None, list[Outline]]:
    """Do the work of `find_outlines` in small steps: some 6 ms each for a whole picture, in
    proportion for a part of one."""
    traced = yield from _trace_maps(picture)
    yield
    clear = refine_quads(picture, remove_duplicate_quads(traced, SAME))
    yield
    return _group_and_nest(clear)


def _trace_maps(picture: WorkingPicture) -> Generator[None, None, list[Quad]]:
    """Trace the contours of the maps into quads, one map a step; a contour equal to one traced in
    an earlier map is skipped."""
    height, width = picture.lab.shape[:2]
    traced, checks = _ContourTracer(width, height), cloth.ClothChecks(picture.lab)
    for contours, box in picture.iterate_contours():
        yield
        size = box[:, 2:] - box[:, :2] + 1
        large = (size.min(axis=1) >= MIN_SIDE) & (size.prod(axis=1) <= 0.8 * width * height)
        # only contours as large as a card are compared with the earlier maps
        large[large] = ~(traced.match_known_contours(box[large]) | checks.match_known_checks(box[large]))
        traced.add_contours(checks.remove_checks([contours[i] for i in np.flatnonzero(large)], box[large]))
    traced.fit_pending()
    found = traced.quads
    return [quad for quad, check in zip(found, checks.find_check_quads(found), strict=True) if not check]


class _ContourTracer:
    """The quads traced from the contours of some maps. Fitting a few contours is not worth the
    calls: they wait for those of the next maps."""

    def __init__(self, width: int, height: int) -> None:
        self.quads: list[Quad] = []
        self._size = width, height
        self._boxes = np.zeros((0, 4), dtype=np.float32)
        self._waiting: list[Sequence[NDArray[np.int32]]] = []

    def match_known_contours(self, boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Check which contours, by their bounding boxes (n x 4), equal one that traced a quad."""
        return segment.match_boxes(boxes, self._boxes, 1)

    def add_contours(self, contours: Sequence[NDArray[np.int32]]) -> None:
        """Trace the contours of one more map, now or with those of the next."""
        self._waiting.append(contours)
        if sum(map(len, self._waiting)) >= TOGETHER:
            self.fit_pending()

    def fit_pending(self) -> None:
        """Trace all waiting contours."""
        contours = [contour for of_map in self._waiting for contour in of_map]
        number = np.repeat(np.arange(len(self._waiting)), [len(of_map) for of_map in self._waiting])
        places, found = quads.fit_quads(contours)
        good = find_plausible_quads(found, *self._size)
        places, found = places[good], found[good]
        boxes, number = segment.contour_boxes([contours[i] for i in places]), number[places]
        for one in range(len(self._waiting)):
            new = number == one
            new[new] = ~self.match_known_contours(boxes[new])
            self.quads += list(found[new])
            self._boxes = np.concatenate([self._boxes, boxes[new]])
        self._waiting.clear()


def find_plausible_quads(
    quads: Sequence[Quad] | NDArray[np.float32], width: int, height: int
) -> NDArray[np.bool_]:
    """Check which of n quads may be a card's in the working picture of that size, from any
    viewpoint."""
    # corners fitted at the picture's edge may lie a little outside it
    slack = 2.0
    corners = np.asarray(quads, dtype=np.float32).reshape(-1, 4, 2)
    inside = ((corners >= -slack) & (corners <= (width + slack, height + slack))).all(axis=(1, 2))
    lengths = np.linalg.norm(corners[:, NEXT] - corners, axis=2)
    one, other = lengths[:, :2], lengths[:, 2:]
    pairs = one + other
    return np.asarray(
        inside
        & (lengths.min(axis=1) >= MIN_SIDE)
        & (pairs.max(axis=1) <= MAX_ASPECT * pairs.min(axis=1))
        & (np.maximum(one, other) < LIKE * np.minimum(one, other)).all(axis=1)
    )


def intersection_over_union(a: Quad, b: Quad) -> float:
    """Return the shared area of two quads as a part of their joint area."""
    shared = overlap_area(a, b)
    return shared / max(quad_area(a) + quad_area(b) - shared, 1e-6)


def remove_duplicate_quads(quads: list[Quad], limit: float) -> list[Quad]:
    """Keep one quad of each set of nearly equal ones, which share more than `limit` of their joint
    area."""
    if len(quads) < 2:
        return quads
    is_kept = np.ones(len(quads), dtype=bool)
    size, box = quad_areas(quads), bounding_boxes(quads)
    middles, reach = (box[:, :2] + box[:, 2:]) / 2, (1 - limit) * (box[:, 2:] - box[:, :2])
    # the centres of nearly equal quads differ by a small part of their width
    one, other = pair_ranges_with_values(
        middles[:, 0], middles[:, 0] - reach[:, 0], middles[:, 0] + reach[:, 0]
    )
    near = (other < one) & (np.abs(middles[other, 1] - middles[one, 1]) <= reach[one, 1])
    near &= (size[other] > limit * size[one]) & (limit * size[other] < size[one])
    # of two nearly equal quads, the later one is dropped
    for i, j in zip(one[near].tolist(), other[near].tolist(), strict=True):
        if is_kept[i] and is_kept[j] and intersection_over_union(quads[i], quads[j]) > limit:
            is_kept[i] = False
    return [quad for quad, keep in zip(quads, is_kept, strict=True) if keep]


def refine_quads(
    picture: WorkingPicture, rough_quads: list[Quad], hidden: NDArray[np.uint8] | None = None
) -> list[Outline]:
    """Keep the quads that lie on clear edges, moved onto them and into the full-size picture.

    `hidden`: not 0 where the working picture shows no edge because of a reflection.
    """
    moved, support = quads.snap_to_edges(picture.lab, rough_quads, reach=3)
    if hidden is not None:
        support = quads.adjust_support_for_glare(hidden, moved, support)
    clear = (support.min(axis=1) >= 0.3) & (support.mean(axis=1) >= 0.55) if rough_quads else []
    scale = picture.scale
    full = [unscale_quad(q, scale) for q, c in zip(moved, clear, strict=True) if c]
    # edges in the working picture are exact only to its own, larger pixels
    if scale < 1:
        full, _ = quads.snap_to_edges(picture.image, full, reach=1.2 / scale)
    return [Outline(q, float(s.mean())) for q, s in zip(full, support[clear], strict=True)]


def _group_and_nest(outlines: list[Outline]) -> list[Outline]:
    """Group rival outlines of one thing, and put the ones that lie inside others into them."""
    # the clearest and largest come first, and lead their groups
    order = sorted(outlines, key=_outline_weight, reverse=True)
    box = bounding_boxes([o.quad for o in order])
    leaders: list[int] = []
    groups: list[list[Outline]] = []
    for i, outline in enumerate(order):
        near = find_overlapping_boxes(box[i], box[leaders])
        rivals = next(
            (j for j in near if intersection_over_union(outline.quad, order[leaders[j]].quad) > RIVAL), None
        )
        if rivals is None:
            leaders.append(i)
            groups.append([outline])
        else:
            groups[rivals].append(outline)
    return _nest_outlines(_drop_fragments([_choose_rival(g) for g in groups]))


def _outline_weight(outline: Outline) -> float:
    """Rate an outline against others: clear ones first, and large ones rather than small."""
    return float(outline.support + 0.1 * np.log(quad_area(outline.quad)))


def _choose_rival(rivals: list[Outline]) -> Outline:
    """Choose, among several outlines of one thing, the largest that is as clear as the best; the
    others are kept as alternatives."""
    clear = max(o.support for o in rivals) - 0.12
    chosen = max((o for o in rivals if o.support >= clear), key=lambda o: quad_area(o.quad))
    # after being moved onto their edges, outlines from several maps are often identical: reading
    # one again would show nothing new
    others = remove_duplicate_quads([chosen.quad, *(o.quad for o in rivals if o is not chosen)], SAME)[1:]
    return Outline(chosen.quad, chosen.support, tuple(others[:3]))


def _drop_fragments(outlines: list[Outline]) -> list[Outline]:
    """Drop outlines that cover much of a clearer one without lying inside it: halves of cards,
    shadows."""
    order = sorted(outlines, key=_outline_weight, reverse=True)
    box = bounding_boxes([o.quad for o in order])
    keep: list[int] = []
    for i, outline in enumerate(order):
        for j in find_overlapping_boxes(box[i], box[keep]):
            other = order[keep[j]]
            smaller = min(quad_area(outline.quad), quad_area(other.quad))
            if FRAGMENT * smaller < overlap_area(outline.quad, other.quad) < NESTED * smaller:
                break
        else:
            keep.append(i)
    return [order[i] for i in keep]


def _nest_outlines(outlines: list[Outline]) -> list[Outline]:
    """Put outlines that lie within a larger one into it; drop a larger one that is only the sum of
    its parts."""
    children: dict[int, list[Outline]] = {}
    # largest first, so that whatever can contain an outline has been seen before it
    by_size = sorted(outlines, key=lambda o: quad_area(o.quad), reverse=True)
    box = bounding_boxes([o.quad for o in by_size])
    top: list[int] = []
    for i, outline in enumerate(by_size):
        size = quad_area(outline.quad)
        near = find_overlapping_boxes(box[i], box[top])
        holder = next(
            (top[j] for j in near if overlap_area(outline.quad, by_size[top[j]].quad) > NESTED * size), None
        )
        if holder is None:
            top.append(i)
        else:
            children.setdefault(holder, []).append(outline)
    result: list[Outline] = []
    for i in top:
        inside = _nest_outlines(children[i]) if i in children else []
        outline = by_size[i]
        if len(inside) > 1 and _is_rim_of_parts(outline.quad, [part.quad for part in inside]):
            result += inside
        else:
            result.append(Outline(outline.quad, outline.support, outline.alternatives, tuple(inside)))
    return sorted(result, key=lambda o: o.support, reverse=True)


def _is_rim_of_parts(whole: Quad, parts: Sequence[Quad]) -> bool:
    """Check whether a quad is only the rim of things that lie side by side in it: they fill it up
    to its sides. A picture and a box of text in a card's frame fill as much of it, but leave the
    frame; the part of crooked outlines in a card's picture that extends beyond the card does not
    count as filled."""
    if sum(map(quad_area, parts)) <= FILLED * quad_area(whole):
        return False
    hull = np.asarray(cv2.convexHull(np.concatenate(parts)), dtype=np.float32).reshape(-1, 2)
    return overlap_area(whole, hull) > UP_TO * quad_area(whole)
