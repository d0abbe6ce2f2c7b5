from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.language import LANGUAGES
from companion.table import zones
from companion.table.zones import SEATS, Camera, Zones, ZonesError
from companion.texts import Translator


@pytest.mark.parametrize("aspect", [0.75, 1.0, 16 / 9, 2.5])
@pytest.mark.parametrize("seats", SEATS)
def test_the_seats_share_the_whole_table_and_follow_one_another_clockwise(seats, aspect):
    layout = zones.make_default_zones(seats, aspect)
    areas = [cv2.contourArea(layout.find_outline(name)) for name in layout.zone_names]
    assert sum(areas) == pytest.approx(1, abs=0.01)
    turns = []
    for seat in range(1, seats + 1):
        outline = layout.find_outline(f"seat:{seat}")
        edge = outline[: len(outline) // 2].mean(axis=0) - 0.5
        turns.append(np.arctan2(edge[1] / 1, edge[0] * aspect))
    steps = np.mod(np.diff([*turns, turns[0]]), 2 * np.pi)
    assert sum(steps) == pytest.approx(2 * np.pi)


def test_the_first_player_sits_at_the_near_edge_and_the_second_to_the_left():
    four = zones.make_default_zones(4, 1.0)
    assert four.find_zone_at(0.5, 0.95) == "seat:1"
    assert four.find_zone_at(0.05, 0.5) == "seat:2"
    assert four.find_zone_at(0.5, 0.05) == "seat:3"
    assert four.find_zone_at(0.95, 0.5) == "seat:4"
    assert four.find_zone_at(0.45, 0.5) == "middle"
    assert four.find_zone_at(0.70, 0.5) == "pile"


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.sampled_from(SEATS))
def test_every_point_of_the_table_is_in_a_zone(x, y, seats):
    assert zones.make_default_zones(seats).find_zone_at(x, y) in zones.make_default_zones(seats).zone_names


@pytest.mark.parametrize("seats", SEATS)
def test_the_edge_of_the_table_belongs_to_it(seats):
    layout = zones.make_default_zones(seats)
    edge = [(x, y) for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0) if (x, y) != (0.5, 0.5)]
    assert all(layout.find_zone_at(x, y) in layout.zone_names for x, y in edge)


@given(st.floats(-5, 5), st.floats(1.001, 5))
def test_off_the_table_is_nowhere(x, y):
    assert zones.make_default_zones(5).find_zone_at(x, y) == ""


def test_the_deeper_of_two_overlapping_zones_wins():
    box = ((0.0, 0.0), (0.6, 0.0), (0.6, 1.0), (0.0, 1.0))
    other = ((0.4, 0.0), (1.0, 0.0), (1.0, 1.0), (0.4, 1.0))
    layout = Zones((zones.Zone("seat:1", box), zones.Zone("seat:2", other)))
    assert [layout.find_zone_at(x, 0.5) for x in (0.45, 0.55)] == ["seat:1", "seat:2"]


@pytest.mark.parametrize(
    "camera",
    [
        Camera(),
        Camera("mat"),
        zones.calibrate_from_clicks([(100, 80), (900, 90), (990, 700), (10, 690)], 1000, 720),
    ],
)
def test_a_layout_is_read_as_it_was_written(tmp_path, camera):
    layout = zones.make_default_zones(5).with_camera(camera)
    layout.save(tmp_path)
    first, *_ = (tmp_path / "table.toml").read_text().splitlines()
    assert first == "# The table as the camera sees it: x from left (0) to right (1), y from far to near."
    read = zones.load_zones(tmp_path)
    assert (read.zone_names, read.camera) == (layout.zone_names, camera)
    assert np.allclose(read.find_outline("seat:3"), layout.find_outline("seat:3"))


def test_corners_may_be_clicked_in_any_order():
    corners = [(100, 80), (900, 90), (990, 700), (10, 690)]
    expected = zones.calibrate_from_clicks(corners, 1000, 720)
    assert (expected.method, expected.corners[0]) == ("corners", (0.1, 0.1111))
    assert zones.calibrate_from_clicks([corners[i] for i in (2, 0, 3, 1)], 1000, 720) == expected


def told(caught, language="en"):
    return Translator(language).translate(caught.value.text)


@pytest.mark.parametrize(
    ("clicks", "says"),
    [
        ([(0, 0)], "four corners: one point"),
        ([(0, 0), (10, 0), (10, 10), (2000, 10)], "outside the picture"),
        ([(0, 0), (1, 0), (1, 1), (0, 1)], "far apart"),
        ([(0, 0), (500, 500), (999, 0), (500, 400)], "don't form a table"),
    ],
)
def test_four_points_that_are_no_table_are_refused(clicks, says):
    with pytest.raises(ZonesError) as caught:
        zones.calibrate_from_clicks(clicks, 1000, 720)
    assert says in told(caught)


ZONE = '[[zone]]\nname = "seat:1"\ncorners = [[0, 0], [1, 0], [1, 1]]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("aspect = \ncamera = 1", "line 1"),
        ("aspect = 99\n" + ZONE, "`aspect`"),
        ('[[zone]]\nname = "seat:one"\ncorners = [[0, 0], [1, 0], [1, 1]]', "`zone[0].name`"),
        (
            '[[zone]]\nname = "pile"\ncorners = [[0, 0], [1, 0], [1, 7]]',
            "`zone[0].corners[2][1]`",
        ),
        (ZONE + ZONE, "seat:1 is listed twice"),
        ('[camera]\nmethod = "corners"\n' + ZONE, "camera.corners"),
    ],
)
def test_a_layout_with_a_mistake_says_where(tmp_path, text, says):
    file = tmp_path / "table.toml"
    file.write_text(text)
    with pytest.raises(ZonesError) as caught:
        zones.load_zones(file)
    for language in LANGUAGES:
        words = told(caught, language)
        assert str(file) in words
        assert says in words or language != "en"
    assert told(caught, "fr") != told(caught)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("aspect = 9.9", "aspect = 10"),
        ("aspect = 0.11", "aspect = 0.1"),
        ("corners = [[0, 0], [1, 0], [1, 1]]", "corners = [[0, 0], [1, 0]]"),
        ("corners = [[0, 0], [1, 0], [1, 1]]", "corners = [[0, -0.01], [1, 0], [1, 1]]"),
        ("corners = [[0, 0], [1, 0], [1, 1]]", "corners = [[0, 0], [1, 0], [1, 1.01]]"),
        ('name = "seat:99"', 'name = "seat:100"'),
        ('name = "middle"', 'name = "middles"'),
    ],
)
def test_a_layout_takes_its_edges_and_nothing_beyond(tmp_path, good, bad):
    key = good.split(" ", 1)[0]
    lines = {"aspect": "aspect = 1.5", "zone": "[[zone]]", "name": 'name = "pile"'}
    lines["corners"] = "corners = [[0, 0], [1, 0], [1, 1]]"
    for words in (good, bad):
        file = tmp_path / "table.toml"
        file.write_text("\n".join((lines | {key: words}).values()))
        if words is good:
            assert len(zones.load_zones(file).zone_names) == 1
        else:
            with pytest.raises(ZonesError) as caught:
                zones.load_zones(file)
            assert key in told(caught)


def test_a_layout_that_cannot_be_read_or_written_says_so(tmp_path):
    (tmp_path / "latin").write_bytes(b"# \xe9t\xe9")
    with pytest.raises(ZonesError) as caught:
        zones.load_zones(tmp_path / "latin")
    assert "UTF-8" in told(caught)
    with pytest.raises(ZonesError) as caught:
        zones.load_zones(tmp_path / "absent")
    assert "cannot be read" in told(caught)
    with pytest.raises(ZonesError) as caught:
        zones.make_default_zones(4).save(tmp_path / "latin" / "deeper")
    assert "cannot be written" in told(caught)


def test_a_table_for_one_has_no_layout():
    with pytest.raises(ValueError, match="2 to 12"):
        zones.make_default_zones(1)


def test_a_layout_that_was_saved_is_the_same_layout(tmp_path):
    layout = zones.make_default_zones(3, 1.2345)
    layout.save(tmp_path / "table.toml")
    assert zones.load_zones(tmp_path / "table.toml") == layout
