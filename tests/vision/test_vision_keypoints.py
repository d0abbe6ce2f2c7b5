"""Cards whose border does not show: the print tells where they lie."""

import numpy as np

from bench.vision_scene import Faults, Placed, render
from tests.vision.conftest import BLACK, painting
from vision.geometry import contains
from vision.library import Library
from vision.outlines import keypoints
from vision.reader import Reader


def on_black(painted, *cards):
    mat = np.full((560, 900, 3), BLACK, np.uint8)
    laid = [Placed(name, painted[name], x, y, 150, turn) for name, x, y, turn in cards]
    return render(mat, laid, Faults(blur=0.6, noise=2), np.random.default_rng(3))


def test_a_black_frame_on_a_black_mat_hides_no_card(painted):
    cards = [("painting 1", 230, 260, 10), ("painting 4", 620, 280, 200)]
    scene = on_black(painted, *cards)
    sure = {r.card: r.quad for r in Reader(Library.from_drawings(painted)).read(scene.picture) if r.sure}
    assert sorted(sure) == sorted(name for name, *_ in cards)
    for (name, *_), quad in zip(cards, scene.quads, strict=True):
        assert np.abs(sure[name] - quad).max() < 8  # the whole card, not the picture in its frame


def test_a_card_is_listed_once_though_its_picture_shows_an_outline_too(painted):
    scene = on_black(painted, ("painting 2", 450, 280, 30))
    readings = Reader(Library.from_drawings(painted)).read(scene.picture)
    assert [r.card for r in readings if contains(r.quad, scene.quads[0].mean(axis=0))] == ["painting 2"]


def test_a_painting_that_nobody_enrolled_is_placed_nowhere(painted):
    stranger = on_black({"stranger": painting(99)}, ("stranger", 450, 280, 30))
    known = Library.from_drawings(painted).keypoints
    assert keypoints.place(stranger.picture, known, []) == []


def test_signs_on_white_paper_are_not_placed_by_points(library):
    assert not library.keypoints.is_painted


def test_a_deck_without_cards_places_nothing():
    known = Library().keypoints
    assert not known.is_painted
    assert keypoints.place(np.zeros((40, 40, 3), np.uint8), known, []) == []
