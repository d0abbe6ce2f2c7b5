from __future__ import annotations

import time

import cv2
import numpy as np
import pytest
from cards import Listener, library, world

from companion.readers.camera import mat
from companion.readers.camera.mat import Survey
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, Source
from companion.table import zones
from companion.table.zones import Camera

SIZE = (1000, 600)


def picture(homography=None, marks=range(4), ground=None):
    """A mat as the camera sees it: 1000 x 600 with a mark of 70 pixels in each corner, through a homography."""
    sheet = np.full((600, 1000, 3), (74, 92, 52), np.uint8)
    bits = cv2.aruco.getPredefinedDictionary(mat.DICTIONARY)
    places = [(20, 20), (910, 20), (910, 510), (20, 510)]
    for number in marks:
        x, y = places[number]
        cv2.rectangle(sheet, (x - 12, y - 12), (x + 82, y + 82), (255, 255, 255), -1)
        mark = cv2.aruco.generateImageMarker(bits, number, 70)
        sheet[y : y + 70, x : x + 70] = mark[:, :, None]
    if homography is None:
        return sheet
    return cv2.warpPerspective(sheet, homography, SIZE, borderValue=(30, 40, 60))


OUTER = np.array([[20, 20], [980, 20], [980, 580], [20, 580]], np.float32)
ASKEW = cv2.getPerspectiveTransform(
    OUTER, np.array([[150, 90], [840, 60], [930, 520], [70, 560]], np.float32)
)
SHIFT = np.array([[1, 0, 40], [0, 1, 10], [0, 0, 1.0]])


def frame(image, at=0.0, alone=False):
    return Frame(np.ascontiguousarray(image), at, alone=alone)


@pytest.mark.parametrize("turn", [np.eye(3), ASKEW, SHIFT @ ASKEW], ids=["straight", "askew", "moved"])
def test_the_marks_outer_corners_are_the_tables(turn):
    found = np.array(mat.corners(picture(turn))) * SIZE
    expected = cv2.perspectiveTransform(OUTER.reshape(-1, 1, 2), turn).reshape(4, 2)
    assert np.abs(found - expected).max() < 3


@pytest.mark.parametrize("marks", [[], [0, 1, 2], [1, 3]])
def test_without_all_four_marks_there_is_no_mat(marks):
    assert mat.corners(picture(marks=marks)) is None


def test_cards_keep_their_zones_when_the_camera_is_moved():
    survey = Survey(zones.default(4).seen_by(Camera("mat")))
    for at, homography in ((0.0, ASKEW), (10.0, SHIFT @ ASKEW)):
        placing = survey.placing(frame(picture(homography), at))
        middle = cv2.perspectiveTransform(np.array([[[430.0, 300.0]], [[500.0, 560.0]]]), homography)
        where = [placing.zone(int(at) + n, np.tile(point, (4, 1))) for n, point in enumerate(middle)]
        assert where == ["middle", "seat:1"]
    assert not survey.blind


def test_marks_that_are_covered_for_a_while_leave_the_table_where_it_was():
    survey = Survey(zones.default(4).seen_by(Camera("mat")))
    before = survey.placing(frame(picture(ASKEW), 0.0))
    assert survey.placing(frame(picture(ASKEW, marks=[0]), 10.0)) is before


def test_a_mat_that_was_never_seen_is_missed():
    survey = Survey(zones.default(4).seen_by(Camera("mat")))
    survey.placing(frame(picture(marks=[]), 0.0))
    assert survey.blind
    survey.placing(frame(picture(), 10.0))
    assert not survey.blind


class Shown(Source):
    """One picture, over and over."""

    every = False

    def __init__(self, image):
        super().__init__("shown")
        self.image = image

    def read(self, wait):
        return None if wait(0.02) else Frame(self.image, time.monotonic())


def test_the_players_are_told_once_that_the_mat_is_not_in_sight():
    listener = Listener()
    reader = CameraReader(Shown(picture(marks=[])), library(), zones.default(4).seen_by(Camera("mat")))
    reader.start(listener)
    try:
        listener.wait_for_health("camera.no_mat")
        looked = reader.looked
        while reader.looked < looked + 3:
            time.sleep(0.01)
    finally:
        reader.close()
    assert [code for _, code in listener.health()].count("camera.no_mat") == 1


def test_a_camera_that_was_moved_far_away_is_said_to_be(monkeypatch):
    drifts = [(np.inf, np.inf)]
    monkeypatch.setattr("companion.readers.camera.recognise.Eyes.drift", property(lambda self: drifts[-1]))
    monkeypatch.setattr(
        "companion.readers.camera.recognise.Eyes.forget_drift", lambda self: drifts.append((0, 0))
    )
    listener = Listener()
    reader = CameraReader(Shown(world().frame()), library(), zones.default(4))
    reader.start(listener)
    try:
        listener.wait_for_health("camera.moved")
    finally:
        reader.close()
    assert len(drifts) == 2
