from __future__ import annotations

import time

import cv2
import numpy as np
import pytest
from cards import Listener, library, world

from companion.readers.camera import calibration
from companion.readers.camera.calibration import CalibrationTracker
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, Source
from companion.table import zones
from companion.table.zones import Camera

WIDTH, HEIGHT, SIDE, EDGE = 960, 560, 56, 14
ASPECT = WIDTH / HEIGHT


def picture(homography=None, marks=range(4)):
    """A mat of 960 x 560 as the camera sees it through a homography, in a picture of 1060 x 660."""
    sheet = np.full((660, 1060, 3), (74, 92, 52), np.uint8)
    sheet[50:610, 50:1010] = 255
    bits = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100)
    right, bottom = 1010 - EDGE - SIDE, 610 - EDGE - SIDE
    places = [(50 + EDGE, 50 + EDGE), (right, 50 + EDGE), (right, bottom), (50 + EDGE, bottom)]
    for number in marks:
        x, y = places[number]
        sheet[y : y + SIDE, x : x + SIDE] = cv2.aruco.generateImageMarker(bits, number, SIDE)[:, :, None]
    sheet = (
        sheet if homography is None else cv2.warpPerspective(sheet, homography, (1060, 660), borderValue=40)
    )
    return cv2.GaussianBlur(sheet, (0, 0), 0.7)


OUTER = np.array([[50, 50], [1010, 50], [1010, 610], [50, 610]], np.float32)
ASKEW = cv2.getPerspectiveTransform(
    OUTER, np.array([[150, 90], [870, 60], [960, 560], [70, 590]], np.float32)
)
SHIFT = np.array([[1, 0, 60], [0, 1, 10], [0, 0, 1.0]])


def on_table(x, y, homography):
    """Where in the picture the point of the table lies, as a card's outline."""
    point = np.array([[[50 + WIDTH * x, 50 + HEIGHT * y]]])
    return np.tile(cv2.perspectiveTransform(point, homography)[0], (4, 1))


def frame(image, at=0.0):
    return Frame(np.ascontiguousarray(image), at)


@pytest.mark.parametrize("marks", [range(4), [0, 1, 3]], ids=["all marks", "one covered"])
@pytest.mark.parametrize("turn", [np.eye(3), ASKEW, SHIFT @ ASKEW], ids=["straight", "askew", "moved"])
def test_the_marks_show_where_the_table_is(turn, marks):
    found = calibration.find_plane(picture(turn, marks), ASPECT)
    corners = found.to_image([[0, 0], [1, 0], [1, 1], [0, 1]])
    expected = cv2.perspectiveTransform(OUTER.reshape(-1, 1, 2), turn).reshape(4, 2)
    assert np.abs(corners - expected).max() < 5


@pytest.mark.parametrize("marks", [[], [0], [1, 3]])
def test_with_too_few_marks_there_is_no_mat(marks):
    assert calibration.find_plane(picture(marks=marks), ASPECT) is None


def test_cards_keep_their_zones_when_the_camera_is_moved():
    survey = CalibrationTracker(zones.make_default_zones(4, ASPECT).with_camera(Camera("mat")))
    for at, homography in ((0.0, ASKEW), (10.0, SHIFT @ ASKEW)):
        placing = survey.find_zone_map(frame(picture(homography), at))
        where = [placing.find_zone(n, on_table(0.45, y, homography)) for n, y in enumerate((0.5, 0.95))]
        assert where == ["middle", "seat:1"]
    assert not survey.is_blind


def test_marks_that_are_covered_for_a_while_leave_the_table_where_it_was():
    survey = CalibrationTracker(zones.make_default_zones(4).with_camera(Camera("mat")))
    before = survey.find_zone_map(frame(picture(ASKEW), 0.0))
    assert survey.find_zone_map(frame(picture(ASKEW, marks=[0]), 10.0)) is before


def test_a_mat_that_was_never_seen_is_missed():
    survey = CalibrationTracker(zones.make_default_zones(4).with_camera(Camera("mat")))
    survey.find_zone_map(frame(picture(marks=[]), 0.0))
    assert survey.is_blind
    survey.find_zone_map(frame(picture(), 10.0))
    assert not survey.is_blind


class Shown(Source):
    """One picture, over and over."""

    keeps_every_frame = False

    def __init__(self, image):
        super().__init__("shown")
        self.image = image

    def read(self, wait):
        return None if wait(0.02) else Frame(self.image, time.monotonic())


def test_the_players_are_told_once_that_the_mat_is_not_in_sight():
    listener = Listener()
    reader = CameraReader(
        Shown(picture(marks=[])), library(), zones.make_default_zones(4).with_camera(Camera("mat"))
    )
    reader.start(listener)
    try:
        listener.wait_for_health("camera.no_mat")
        looked = reader.processed_frames
        while reader.processed_frames < looked + 3:
            time.sleep(0.01)
    finally:
        reader.close()
    assert [code for _, code in listener.health()].count("camera.no_mat") == 1


def test_a_camera_that_was_moved_far_away_is_said_to_be(monkeypatch):
    drifts = [(np.inf, np.inf)]
    monkeypatch.setattr(
        "companion.readers.camera.reader.CardRecognizer.drift", property(lambda self: drifts[-1])
    )
    monkeypatch.setattr(
        "companion.readers.camera.reader.CardRecognizer.reset_drift", lambda self: drifts.append((0, 0))
    )
    listener = Listener()
    reader = CameraReader(Shown(world().render_frame()), library(), zones.make_default_zones(4))
    reader.start(listener)
    try:
        listener.wait_for_health("camera.moved")
    finally:
        reader.close()
    assert len(drifts) == 2
