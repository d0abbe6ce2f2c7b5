"""Complete the outlines of partly hidden cards (touching, overlapped, with a finger on their edge),
in small steps, because a video goes on meanwhile.

Once some cards of a picture are found whole, a card's size is known in every direction near them.
Any right corner with two straight sides can then be completed to the one or two cards to which it
may belong; a completion is kept if enough of its sides show an edge.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import compress, islice

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    NEXT,
    Quad,
    bounding_boxes,
    find_overlapping_boxes,
    make_rectangle,
    match_corner_order,
    order_clockwise,
    overlap_area,
    quad_area,
    quad_areas,
    scale_quad,
    unscale_quad,
)
from vision.outlines import cloth, quads
from vision.outlines.covers import RIM, find_covers, find_frame_covers, hidden_share
from vision.outlines.detect import (
    RIVAL,
    SAME,
    Outline,
    intersection_over_union,
    remove_duplicate_quads,
)
from vision.outlines.lines import intersect_lines
from vision.outlines.shape import card_width_metric
from vision.outlines.working_picture import WorkingPicture

MOST_HIDDEN = 0.75
"""Greatest part of a card under others with which it is still examined."""

MOST_PARTS = 16
"""Most completed outlines examined in one picture."""

AT_ONCE = 16
"""Completed outlines that are moved onto their edges in one step."""

SHIFTS, SHIFT_STEP = (0.15, 0.55), 5
"""`SHIFTS`: least and greatest displacement of cards in a row or a column, in parts of the side
along which they are displaced. `SHIFT_STEP`: pixels of the working picture from one displacement
that is tried to the next; sides are moved onto edges up to 4 pixels away."""

SAME_STRIP = 0.85
"""Shared part of their joint area from which two outlines in a row are one card's."""

RIM_DEPTHS, RIM_INSET, SAME_RIM = (0.03, 0.06, 0.1), 0.08, (30, 15, 15)
"""Where the rims of a card and of its neighbour are compared, in parts of a card's length on both
sides of their border and in parts of its width from the border's ends, and greatest difference of
8-bit CIE Lab of the same rim."""


def complete_outlines_in_steps(
    picture: WorkingPicture, whole_cards: Sequence[Quad], card_aspect: float
) -> Generator[None, None, list[Outline]]:
    """Complete outlines from the corners of cards that touch, lie under others, carry a finger or
    are cut off by the edge of the picture.

    `whole_cards`: the quads in full-size pixels of cards that were found whole, their side 0-1 a
    short one; they determine the size of a card, whose long side is `card_aspect` times its short
    one. The edges of a part of a frame cut off nothing. At most `MOST_PARTS`, the best supported
    first; some milliseconds of work a step.
    """
    if not whole_cards:
        return []
    lab, scale = picture.lab, picture.scale
    known = [scale_quad(quad, scale) for quad in whole_cards]
    usual = float(np.median(quad_areas(known)))
    pieces: list[NDArray[np.float64]] = []
    for contours, boxes in picture.iterate_contours():
        yield
        of_map = contours_to_polygons(contours, boxes, usual)
        plain = cloth.find_blank_rectangles(lab, of_map)
        if len(plain) >= cloth.REPEATED:
            of_map = [polygon for i, polygon in enumerate(of_map) if i not in plain]
        pieces += of_map
        yield
    width, height = lab.shape[1], lab.shape[0]
    found = complete_quads(pieces, known, card_aspect, (width, height))
    yield
    found = _select_new_quads(found, known)
    yield
    found = remove_duplicate_quads(found, SAME)
    yield
    # beyond the edge of a cut-out part nothing is known: completions there are dropped
    most = MOST_HIDDEN if picture.side is None else RIM
    found = [
        quad
        for quad in found
        if hidden_share(quad, find_frame_covers(quad, make_rectangle(width, height))) <= most
    ]
    yield
    found = [
        quad
        for quad, plain in zip(found, cloth.find_bare_table_quads(lab, found, known), strict=True)
        if not plain
    ]
    supported: list[tuple[Quad, float]] = []
    for first in range(0, len(found), AT_ONCE):
        supported += verify_on_edges(lab, found[first : first + AT_ONCE])
        yield
    return list(islice(_iterate_best_supported(supported, scale, RIVAL), MOST_PARTS))


def complete_displaced_cards_in_steps(
    picture: WorkingPicture, cards: Sequence[Quad], known: Sequence[Quad]
) -> Generator[None, None, list[Outline]]:
    """Complete the outlines of cards that lie with some of the `cards` in a row, a column or a fan:
    of those under others only a strip shows, and white on white it has no contour of its own.

    `known`: all cards found so far, `cards` among them, in full-size pixels. In small steps.
    """
    lab, scale = picture.lab, picture.scale
    small, found = ([scale_quad(quad, scale) for quad in of] for of in (cards, known))
    proposed: list[Quad] = []
    for card, is_open in zip(small, _find_open_sides(lab, small), strict=True):
        proposed += [quad for side in np.flatnonzero(is_open).tolist() for quad in _displace_quad(card, side)]
        overlapping = [
            other for other in find_covers(card, found) if intersection_over_union(card, other) < SAME
        ]
        proposed += [quad for other in overlapping for quad in _continue_row(card, other)]
    new = _select_new_quads(proposed, found)
    supported: list[tuple[Quad, float]] = []
    for first in range(0, len(new), AT_ONCE):
        supported += verify_on_edges(lab, new[first : first + AT_ONCE])
        yield
    return list(_iterate_best_supported(supported, scale, SAME_STRIP))


def _find_open_sides(lab: NDArray[np.uint8], cards: Sequence[Quad]) -> NDArray[np.bool_]:
    """Check beyond which sides of each card (n x 4; side k joins the corners k + 1 and k + 2)
    another may lie: near both ends of the side the picture goes on in a colour of its rim."""
    corners = np.asarray(cards, np.float32).reshape(-1, 4, 2)
    start, end = corners[:, NEXT], corners[:, [2, 3, 0, 1]]
    ends = np.stack([start + RIM_INSET * (end - start), end + RIM_INSET * (start - end)], axis=2)
    outward = (start - corners)[:, :, None, None]
    depths = np.array(RIM_DEPTHS)[:, None]
    limits = np.array(lab.shape[1::-1]) - 1
    inside, outside = (
        lab[tuple(np.moveaxis(np.clip(np.round(at).astype(int), 0, limits), -1, 0)[::-1])].astype(int)
        for at in (ends[:, :, :, None] - depths * outward, ends[:, :, :, None] + depths * outward)
    )
    same = (np.abs(inside[..., :, None, :] - outside[..., None, :, :]) <= SAME_RIM).all(axis=-1)
    return np.asarray(same.any(axis=(3, 4)).all(axis=2))


def _displace_quad(card: Quad, side: int) -> list[Quad]:
    """Return a card displaced beyond one of its sides, numbered as in `_find_open_sides`, by all
    that is tried."""
    along = card[NEXT[side]] - card[side]
    length = float(np.linalg.norm(along))
    shifts = np.arange(SHIFTS[0] * length, SHIFTS[1] * length, SHIFT_STEP)
    return [(card + along * (shift / length)).astype(np.float32) for shift in shifts]


def _continue_row(card: Quad, neighbour: Quad) -> list[Quad]:
    """Return the cards that would lie between two neighbours and beyond each, if the row went on
    evenly."""
    other = match_corner_order(card, neighbour)
    return [order_clockwise(quad) for quad in ((card + other) / 2, 2 * card - other, 2 * other - card)]


def _iterate_best_supported(
    supported: Sequence[tuple[Quad, float]], scale: float, same: float
) -> Iterator[Outline]:
    """Yield the outlines in full-size pixels, the best supported first; of those that share more
    than `same` of their joint area only the first."""
    better: list[Quad] = []
    for quad, support in sorted(supported, key=lambda s: -s[1]):
        full = unscale_quad(quad, scale)
        if not any(intersection_over_union(full, other) > same for other in better):
            better.append(full)
            yield Outline(full, support)


def _select_new_quads(completed: Sequence[Quad], known: Sequence[Quad]) -> list[Quad]:
    """Return the completed cards that are different from the known ones and do not lie for the
    greater part under one."""
    of_known, sizes = bounding_boxes(known), quad_areas(known)

    def is_new(quad: Quad, box: NDArray[np.float32]) -> bool:
        size = quad_area(quad)
        for i in find_overlapping_boxes(box, of_known):
            shared = overlap_area(quad, known[i])
            if shared > MOST_HIDDEN * size or shared > RIVAL * (size + sizes[i] - shared):
                return False
        return True

    return [quad for quad, box in zip(completed, bounding_boxes(completed), strict=True) if is_new(quad, box)]


LEG = 0.3
"""Length of a straight side, in parts of a card's short side, from which a corner is trusted."""

ROUNDED, SQUARE_OFF = 0.12, 0.7
"""Length of the chamfer that remains of a rounded corner, in parts of a card's size, and the sine
of the angle at which the sides must meet there."""

AT_BORDER = 4
"""Pixels along the picture's border in which no corner is trusted, because the edge cuts cards off
there."""

OWN = 0.08
"""How far, in parts of a card's size, a corner and its two neighbours may be off a whole card's
corners to be that card's: of a card that lies under it, displaced as far, a longer side shows. On
photographs of 9 to 27 cards seven of ten corners are such."""

SQUARE = 0.25
"""Greatest cosine of a corner's angle, measured on the table, for it to be a card's corner."""


def complete_quads(
    polygons: Sequence[NDArray[np.float64]],
    whole_cards: Sequence[Quad],
    card_aspect: float,
    size: tuple[int, int],
) -> list[Quad]:
    """Return the cards to which the corners of the polygons may belong, given cards that are whole,
    their side 0-1 a short one. `card_aspect`: a card's long side by its short one; `size`: the
    picture's width and height.

    A corner is trusted if its sides are long and meet at a right angle, as measured by the nearest
    whole card; if it does not lie so deep inside a whole card that it belongs to its print; if it
    is not that card's own; and if it is not at the picture's border.
    """
    if not len(polygons):
        return []
    corners = np.concatenate(polygons)
    one = np.concatenate([np.roll(p, 1, axis=0) for p in polygons]) - corners
    other = np.concatenate([np.roll(p, -1, axis=0) for p in polygons]) - corners
    middles = np.array([quad.mean(axis=0) for quad in whole_cards], dtype=float)
    nearest = ((corners[:, None] - middles) ** 2).sum(axis=2).argmin(axis=1)
    in_widths = np.stack([card_width_metric(quad, card_aspect) for quad in whole_cards])[nearest]
    on_table = [np.einsum("nij,nj->ni", in_widths, leg) for leg in (one, other)]
    legs = [np.linalg.norm(leg, axis=1) for leg in on_table]
    shorter, longer = np.minimum(*legs), np.maximum(*legs)
    square = np.abs((on_table[0] * on_table[1]).sum(axis=1)) <= SQUARE * shorter * longer
    at = np.flatnonzero((shorter >= LEG) & (longer >= 0.6) & square)
    at = at[((corners[at] > AT_BORDER) & (corners[at] < np.subtract(size, AT_BORDER))).all(axis=1)]
    cards = np.stack(whole_cards)[nearest[at]]
    own = _are_corners(np.stack([corners, corners + one, corners + other], axis=1)[at], cards)
    at = at[~own & ~_are_deep_inside(corners[at], cards)]
    a, b = (leg[at] / length[at][:, None] for leg, length in zip((one, other), legs, strict=True))
    # either side may be the long one: two cards are possible
    ways = [np.stack([0 * a, x, x + y, y], axis=1) for x, y in ((a, b * card_aspect), (a * card_aspect, b))]
    found = (corners[at][:, None, None] + np.stack(ways, axis=1)).reshape(-1, 4, 2).astype(np.float32)
    return [order_clockwise(quad) for quad in found[quads.find_convex_quads(found)]]


def _are_corners(points: NDArray[np.float64], cards: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Check whether all points (n x m x 2) are corners of the card with the same index."""
    off = np.linalg.norm(points[:, :, None] - cards[:, None], axis=3).min(axis=2).max(axis=1)
    return np.asarray(off < OWN * np.sqrt(quad_areas(cards)))


def _are_deep_inside(points: NDArray[np.float64], cards: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Check which of the points lie deep inside the card with the same index."""
    along = cards[:, NEXT] - cards
    apart = points[:, None] - cards
    off = (along[..., 0] * apart[..., 1] - along[..., 1] * apart[..., 0]) / np.linalg.norm(along, axis=2)
    return np.asarray(off.min(axis=1) > 0.08 * np.sqrt(quad_areas(cards)))


def contours_to_polygons(
    contours: Sequence[NDArray[np.int32]], boxes: NDArray[np.float32], card_area: float
) -> list[NDArray[np.float64]]:
    """Approximate the contours of a mask that may be of partly hidden cards by polygons with few
    corners; `boxes`: their bounding boxes; `card_area`: a card's area."""
    found = []
    # none encloses more than its bounding box, and most of those of a map are small
    large = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1) > 0.2 * card_area
    for contour in compress(contours, large):
        if 0.2 * card_area < cv2.contourArea(contour) < 12 * card_area:
            polygon = cv2.approxPolyDP(contour, 0.02 * float(np.sqrt(card_area)), True).reshape(-1, 2)
            if 3 <= len(polygon) <= 40:
                found.append(_unround_corners(polygon.astype(float), ROUNDED * float(np.sqrt(card_area))))
    return found


def _unround_corners(polygon: NDArray[np.float64], max_distance: float) -> NDArray[np.float64]:
    """Return a closed polygon with its rounded corners replaced by the points where their sides
    would meet: each has been left with two points at most `max_distance` apart."""
    here = np.arange(len(polygon))
    last, following = here - 1, (here + 1) % len(polygon)
    step = polygon[following] - polygon
    into, out_of = step[last], step[following]
    chamfer = np.linalg.norm(step, axis=1) < max_distance
    lengths = np.linalg.norm(into, axis=1) * np.linalg.norm(out_of, axis=1)
    turn = into[:, 0] * out_of[:, 1] - into[:, 1] * out_of[:, 0]
    beyond = (step[:, 0] * out_of[:, 1] - step[:, 1] * out_of[:, 0]) / np.where(turn == 0, np.inf, turn)
    corner = polygon + into * beyond[:, None]
    chamfer &= (np.abs(turn) > SQUARE_OFF * lengths) & (beyond > 0)
    chamfer &= np.linalg.norm(corner - polygon, axis=1) < max_distance
    # of two chamfers in a row, neither is a rounded corner
    chamfer &= ~chamfer[last] & ~chamfer[following]
    squared = np.where(chamfer[:, None], corner, polygon)[~chamfer[last]]
    return np.asarray(squared, dtype=np.float64)


def verify_on_edges(lab: NDArray[np.uint8], completed: Sequence[Quad]) -> list[tuple[Quad, float]]:
    """Move the completions onto their edges, and return those of which two adjacent sides and half
    of all show, with their support; of a side cut by the picture's edge, only the part in the
    picture counts."""
    left, shares, size = list(completed), np.zeros(0), (lab.shape[1], lab.shape[0])
    # first from farther away, then again from nearby, where other edges cannot distract
    for reach in (4.0, 2.0):
        if not left:
            return []
        moved, support = quads.snap_to_edges(lab, left, reach)
        shows = quads.share_in_picture(size, left)
        # support counts relative to the part of a side that lies in the picture
        support = np.where(shows >= quads.LEAST_IN_SIGHT, support / np.maximum(shows, 0.01), 0)
        squared = _restore_hidden_sides(np.stack(left), np.stack(moved), support > 0.5)
        larger = quad_areas(squared) / np.maximum(quad_areas(left), 1e-6)
        good = np.flatnonzero(quads.find_convex_quads(squared) & (larger > 0.8) & (larger < 1.25))
        left, shares = [order_clockwise(squared[i]) for i in good], support.mean(axis=1)[good]
    return [(quad, share) for quad, share in zip(left, shares.tolist(), strict=True) if share > 0.5]


def _restore_hidden_sides(
    before: NDArray[np.float32], moved: NDArray[np.float32], clear: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the moved quads (n x 4 x 2) with sides that show no edge placed by the card's size,
    because print may have drawn them off. NaN for a quad of which no two adjacent sides show.

    `clear`: n x 4, which sides show an edge.
    """
    meeting = np.asarray(clear & np.roll(clear, 1, axis=1))
    # each started at a corner where two clear sides meet
    order = (meeting.argmax(axis=1)[:, None] + np.arange(4)) % 4
    before, moved = (np.take_along_axis(of, order[:, :, None], axis=1) for of in (before, moved))
    shows = np.take_along_axis(clear, order, axis=1)[:, :, None]
    steps = []
    for neighbour in (1, 3):
        along = moved[:, neighbour] - moved[:, 0]
        length = np.linalg.norm(before[:, neighbour] - before[:, 0], axis=1, keepdims=True)
        steps.append(along * (length / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-6)))
    a, b = steps
    model = moved[:, :1] + np.stack([0 * a, a, a + b, b], axis=1)
    start, end = (
        np.where(shows, of, wanted) for of, wanted in ((moved, model), (moved[:, NEXT], model[:, NEXT]))
    )
    along = end - start
    along = along / np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-6)
    better = intersect_lines(np.concatenate([along, start], axis=2))
    whole, some = (np.asarray(of)[:, None, None] for of in (clear.all(axis=1), meeting.any(axis=1)))
    return np.where(some, np.where(whole, moved, better), np.float32(np.nan))
