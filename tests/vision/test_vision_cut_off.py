"""Cards that the edge of the picture cuts off, in photos: named by what is in sight."""

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from vision.geometry import contains_point, overlap_area, quad_area
from vision.library import Library
from vision.outlines import occlusion, segment
from vision.reader import Reader

WHOLE = [("bench:red:6", 420, 250, 12), ("bench:blue:10", 860, 430, 95)]
EDGES = ("left", "top", "right", "bottom")


def cut(lay, edge, card, part):
    """A picture that ends within a card: so much of the card's width lies beyond; the quad of
    the card in it."""
    x, y = {"left": (140, 360), "top": (640, 160), "right": (1140, 360), "bottom": (640, 560)}[edge]
    scene = lay(*WHOLE, (card, x, y, 20))
    quad, picture = scene.quads[-1], scene.picture
    low, high = quad.min(axis=0), quad.max(axis=0)
    axis = EDGES.index(edge) % 2
    if edge in ("left", "top"):
        at = round(float((low + part * (high - low))[axis]))
        kept = picture[:, at:] if axis == 0 else picture[at:]
        shift = np.float32([at, 0] if axis == 0 else [0, at])
    else:
        at = round(float((high - part * (high - low))[axis]))
        kept = picture[:, :at] if axis == 0 else picture[:at]
        shift = np.float32([0, 0])
    return np.ascontiguousarray(kept), quad - shift


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("part", [0.25, 0.4])
def test_a_card_that_the_edge_cuts_off_is_named_where_it_lies(lay, library, edge, part):
    picture, quad = cut(lay, edge, "bench:violet:3", part)
    sure = {r.card: r for r in Reader(library).read(picture) if r.sure}
    assert sorted(sure) == sorted(["bench:red:6", "bench:blue:10", "bench:violet:3"])
    assert overlap_area(sure["bench:violet:3"].quad, quad) > 0.9 * quad_area(quad)


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_one_that_nobody_enrolled_is_not_named(lay, deck, edge):
    known = Library.from_drawings({name: card for name, card in deck.items() if name != "bench:violet:3"})
    picture, quad = cut(lay, edge, "bench:violet:3", 0.4)
    sure = [r for r in Reader(known).read(picture) if r.sure]
    assert sorted(r.card for r in sure) == ["bench:blue:10", "bench:red:6"]
    assert not any(contains_point(r.quad, quad.mean(axis=0)) for r in sure)


def test_beside_the_edge_a_whole_card_is_not_completed_the_other_way_round(lay):
    """Lying across, it would have a side beyond the edge that nobody can ask for."""
    scene = lay(("bench:violet:3", 75, 360, 0), table=scenes.table("dark", 1280, 720, 1))
    lab, quad = segment.to_smoothed_lab(scene.picture), scene.quads[0]
    left, top = quad.min(axis=0)
    right, bottom = quad.max(axis=0)
    across = np.float32([[right - bottom + top, top], [right, top], [right, top + right - left]])
    across = np.vstack([across, [[across[0, 0], across[2, 1]]]]).astype(np.float32)
    assert occlusion.verify_on_edges(lab, [across]) == []
    cut_off, rest = np.ascontiguousarray(lab[:, 65:]), quad - np.float32([65, 0])
    ((found, _),) = occlusion.verify_on_edges(cut_off, [rest])
    assert overlap_area(found, rest) > 0.93 * quad_area(rest)


def traced(radius):
    """What is traced of a card of 120 x 180 pixels with corners so round."""
    mask = np.zeros((300, 300), np.uint8)
    low, high = np.array([60, 60]) + radius, np.array([179, 239]) - radius
    for corner in ((low[0], low[1]), (low[0], high[1]), (high[0], low[1]), (high[0], high[1])):
        cv2.circle(mask, [int(v) for v in corner], radius, 255, -1)
    cv2.rectangle(mask, (60, int(low[1])), (179, int(high[1])), 255, -1)
    cv2.rectangle(mask, (int(low[0]), 60), (int(high[0]), 239), 255, -1)
    contours = segment.find_contours(mask)
    (polygon,) = occlusion.contours_to_polygons(contours, segment.contour_boxes(contours), 120 * 180)
    return polygon


@pytest.mark.parametrize("radius", [4, 8, 12])
def test_the_corner_of_a_rounded_card_is_where_its_sides_would_meet(radius):
    sharp = np.array([[60, 60], [179, 60], [179, 239], [60, 239]])
    found = traced(radius)
    assert len(found) == 4
    assert np.linalg.norm(found[:, None] - sharp, axis=2).min(axis=0).max() < 3


def test_corners_that_are_cut_off_for_good_stay_so():
    assert len(traced(45)) > 4
