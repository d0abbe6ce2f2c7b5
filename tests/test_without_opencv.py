"""A computer without one of the libraries that OpenCV loads: what needs none of its pictures works,
everything else says in a sentence what to install."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from companion.rules import registry
from vision import markers
from vision.errors import VisionError
from vision.printed_markers import marker_cells

LIBRARIES = ["libGL.so.1", "libxcb.so.1", "libglib-2.0.so.0"]


@pytest.fixture
def companion(tmp_path):
    """Run the program, or another module, where OpenCV's loader stops at a library."""

    def run(*words, library="libxcb.so.1", module="companion"):
        fault = f"raise ImportError('{library}: cannot open shared object file: No such file or directory')"
        (tmp_path / "cv2.py").write_text(fault)
        places = {
            name: str(tmp_path / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        }
        path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
        return subprocess.run(
            [sys.executable, "-m", module, *words],
            cwd=tmp_path,
            env={**os.environ, **places, "PYTHONPATH": path, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def assert_says_what_to_install(said, library="libxcb.so.1"):
    assert f"The library {library} is missing" in said
    for way in ("apt install libgl1 libglib2.0-0", "dnf install mesa-libGL glib2", "opencv-python-headless"):
        assert way in said
    assert "crash.txt" not in said


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_is_named_with_what_brings_it(library, companion):
    tried = companion("calibrate", library=library)
    assert tried.returncode == 2
    assert_says_what_to_install(tried.stderr, library)


@pytest.mark.parametrize(
    "words",
    [
        ("play", "--camera", "0", "--plain", "--new", "--players", "Ann,Bob,Cy"),
        ("enrol", "--deck", "dtc"),
        ("calibrate", "--mat"),
    ],
    ids=" ".join,
)
def test_what_looks_through_a_camera_says_what_to_install(words, companion):
    tried = companion(*words)
    assert tried.returncode == 2
    assert_says_what_to_install(tried.stderr)


@pytest.mark.slow
def test_cards_and_boards_are_printed_and_checked(companion, tmp_path):
    tried = companion("cards", "print", "--game", "partners", "--markers", "--out", "sheets")
    assert tried.returncode == 0, tried.stderr
    assert list(tmp_path.glob("sheets/*.pdf"))
    assert (tmp_path / "sheets" / "deck.toml").exists()
    assert "references were not made" in tried.stdout
    assert_says_what_to_install(tried.stdout)
    tried = companion("cards", "check", "sheets")
    assert tried.returncode == 0, tried.stderr
    assert "no mistakes" in tried.stdout


@pytest.mark.slow
@pytest.mark.parametrize("game", registry.list_game_ids())
def test_no_game_draws_its_cards_with_opencv(game, companion):
    assert companion(module=f"companion.games.{game}.drawing").returncode == 0


def test_the_check_of_the_equipment_goes_on_without_the_camera(companion):
    companion("cards", "print", "--game", "dtc", "--out", "sheets")
    tried = companion("check", "--plain", "--camera", "0", "--deck", "sheets")
    assert tried.returncode == 1
    assert_says_what_to_install(tried.stdout)
    assert "Deck DTC: 7 designs" in tried.stdout


@pytest.mark.parametrize(("family", "count"), [("aruco4x4", 100), ("aruco5x5", 250)])
def test_markers_are_printed_as_opencv_draws_them(family, count):
    side = len(marker_cells(0, family))
    for number in range(count):
        drawn = markers.draw_marker(number, side, family)[1:-1, 1:-1]
        assert np.array_equal(marker_cells(number, family), drawn == 0), number


@pytest.mark.parametrize(("number", "family"), [(100, "aruco4x4"), (-1, "aruco5x5"), (0, "aruco9x9")])
def test_a_marker_that_there_is_not_is_refused(number, family):
    with pytest.raises(VisionError):
        marker_cells(number, family)
