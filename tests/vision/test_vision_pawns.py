"""Pawns on our printed board: drawn under every light, slant and sway, as pawns and as coins."""

import cv2
import numpy as np
import pytest

from companion.games.partners.drawing import build_camera_board
from tests.simulated.pawn_films import SETTINGS, shot, truth
from vision import pawns

BOARD = build_camera_board()
CROWDED = (
    ["start", "start", "1:5", "goal:2"],
    ["base", "base", "2:14", "3:1"],
    ["base", "4:3", "base", "3:2"],
    ["goal:4", "1:6", "base", "1:10"],
)


def looked(picture):
    found = pawns.find_board_plane(picture, BOARD)
    return None if found is None else pawns.detect_pawns(picture, BOARD, found)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.name)
@pytest.mark.parametrize("arm", [False, True])
def test_every_pawn_is_seen_and_none_that_is_not_there(setting, arm):
    held = truth(CROWDED)
    seen = looked(shot(setting, CROWDED, np.random.default_rng(4), arm=arm))
    assert {name: held.get(name) for name in seen.pawns} == seen.pawns, "none is seen that is not there"
    assert held.keys() <= seen.pawns.keys() | seen.hidden, "none is taken for an empty spot"
    assert len(seen.hidden) <= (24 if arm else 2)


def test_a_board_whose_marks_are_not_in_sight_is_not_read():
    picture = shot(SETTINGS[0], CROWDED, np.random.default_rng(4))
    two = pawns.find_board_plane(picture, BOARD).to_image([(0, 0), (23, 0), (23, 6), (0, 6)])
    cv2.fillConvexPoly(picture, two.astype(np.int32), (60, 80, 90))
    assert looked(picture) is None


def test_cards_are_looked_for_beside_the_squares_only():
    picture = shot(SETTINGS[0], CROWDED, np.random.default_rng(4))
    found = pawns.find_board_plane(picture, BOARD)
    blank = pawns.hide_board(picture, BOARD, found)
    places = found.to_image([*BOARD.spots.values(), (11.5, 8.1), (-0.5, -0.5)]).round().astype(int)
    same = (blank[places[:, 1], places[:, 0]] == picture[places[:, 1], places[:, 0]]).all(axis=1)
    assert same.tolist() == [False] * len(BOARD.spots) + [True, True]
