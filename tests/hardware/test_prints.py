"""What is printed: the mounts in plastic, the mat and the sheets on paper."""

from __future__ import annotations

import re
import shutil
import subprocess

import cv2
import numpy as np
import pypdfium2
import pytest

from companion.readers.camera import calibration
from companion.table import zones
from hardware import mat, sheets
from hardware.circuit import HARDWARE
from hardware.pictures import PRINTS
from hardware.solids import Label, Solid, draw_solids, load_stl

PARTS = [(file, part) for file, parts in PRINTS.items() for part in parts]


def pixels(document, scale=1.0):
    picture = pypdfium2.PdfDocument(bytes(document.output()))[0].render(scale=scale).to_numpy()
    return np.ascontiguousarray(picture[..., :3])


def printed(tmp_path, file, part, *settings):
    target = tmp_path / "part.stl"
    words = [word for setting in (f'part="{part}"', "$fn=16", *settings) for word in ("-D", setting)]
    done = subprocess.run(
        ["openscad", "-o", str(target), *words, str(HARDWARE / "mounts" / f"{file}.scad")],
        capture_output=True,
        text=True,
        check=False,
    )
    return done, target


@pytest.mark.parametrize(("file", "part"), PARTS, ids=lambda word: word)
def test_openscad_makes_a_solid_that_fits_a_printer(tmp_path, file, part):
    done, target = printed(tmp_path, file, part)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert re.search(r"Simple: +yes", done.stderr)
    triangles = load_stl(target)
    low, high = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    assert abs(low[2]) < 0.01
    assert (high - low < (210, 210, 200)).all()
    # closed: every edge is run along once in each direction
    edges = [(tuple(t[i]), tuple(t[(i + 1) % 3])) for t in np.round(triangles, 4) for i in range(3)]
    assert sorted(edges) == sorted((b, a) for a, b in edges)


def test_the_base_takes_an_rp2040_zero_too(tmp_path):
    done, _ = printed(tmp_path, "pad_tray", "base", "pico=[18,23.5,1]")
    assert done.returncode == 0, done.stderr


def test_a_card_too_large_for_the_tray_is_refused(tmp_path):
    done, _ = printed(tmp_path, "pad_tray", "plate", "card=[70,140]")
    assert done.returncode != 0
    assert "enlarge size.y" in done.stderr


def test_the_mat_and_the_tray_agree_on_sizes():
    source = (HARDWARE / "mounts" / "pad_tray.scad").read_text(encoding="utf-8")
    assert re.search(r"^size = \[(\d+), (\d+)\];", source, re.M).groups() == tuple(
        f"{side:g}" for side in mat.TRAY
    )
    assert re.search(r"^coil = \[size.x / 2, (\d+)\];", source, re.M)[1] == f"{mat.COIL:g}"
    assert re.search(r"^card = \[(\d+), (\d+)\];", source, re.M).groups() == tuple(
        f"{side:g}" for side in mat.CARD
    )


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_camera_finds_the_printed_mat_where_it_is(seats):
    picture = cv2.copyMakeBorder(
        pixels(mat.make_mat(seats, mat.SIZE), 0.45), 60, 60, 80, 80, cv2.BORDER_CONSTANT, value=(30, 40, 60)
    )
    height, width = picture.shape[0] - 120, picture.shape[1] - 160
    found = calibration.find_plane(picture, mat.SIZE[0] / mat.SIZE[1])
    corners = found.to_image([[0, 0], [1, 0], [1, 1], [0, 1]])
    expected = np.array([[80, 60], [80 + width, 60], [80 + width, 60 + height], [80, 60 + height]])
    assert np.abs(corners - expected).max() < 3


@pytest.mark.parametrize("seats", range(2, 7))
def test_every_tray_stands_in_its_seats_zone_clear_of_marks_and_of_other_trays(seats):
    layout = zones.make_default_zones(seats, mat.SIZE[0] / mat.SIZE[1])
    size = np.array(mat.SIZE)
    taken = [corners * size for corners in calibration.list_mark_corners(size[0] / size[1]).values()]
    for seat in range(1, seats + 1):
        x, y, turn = mat.card_place(seat, seats, mat.SIZE)
        assert layout.find_zone_at(x / size[0], y / size[1]) == f"seat:{seat}"
        half = np.array(mat.TRAY) / 2
        outline = np.array([(-half[0], mat.COIL - 2 * half[1]), (half[0], mat.COIL)])
        angle = np.radians(turn)
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        tray = outline @ spin.T + (x, y)
        low, high = tray.min(axis=0), tray.max(axis=0)
        assert (low >= 0).all()
        assert (high <= size).all()
        for other in taken:
            assert (other.min(axis=0) >= high - 1e-6).any() or (other.max(axis=0) <= low + 1e-6).any()
        taken.append(np.array([low, high]))


def test_the_tiles_cover_the_whole_mat():
    pages = mat.make_tiled_mat(4, mat.SIZE).pages_count
    step = [mat.A4[i] - 2 * mat.MARGIN - mat.LAP for i in (0, 1)]
    columns, rows = (next(n for n in range(1, 20) if n * step[i] + mat.LAP >= mat.SIZE[i]) for i in (0, 1))
    assert pages == columns * rows


def test_the_mats_layout_is_one_the_program_takes(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["mat", str(tmp_path), "--seats", "3"])
    mat.main()
    layout = zones.load_zones(tmp_path / "mat-3.toml")
    assert layout.camera.method == "mat"
    assert [name for name in layout.zone_names if name.startswith("seat")] == ["seat:1", "seat:2", "seat:3"]
    assert (tmp_path / "mat-3.pdf").exists()


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", sheets.SHEETS)
def test_each_sheet_is_one_page_with_nothing_cut_off(name, language):
    document = sheets.SHEETS[name](language)
    assert document.pages_count == 1
    ink = np.argwhere(pixels(document).min(axis=2) < 200)
    height, width = pixels(document).shape[:2]
    assert ink.min() > 15
    assert (ink.max(axis=0) < (height - 12, width - 15)).all()


def test_both_languages_check_the_same_on_the_bench():
    counts = [
        [len(part["checks"]) for part in sheets.load_texts(language)["bench"]["part"]]
        for language in ("en", "fr")
    ]
    assert counts[0] == counts[1]


def test_an_stl_draws_as_a_picture(tmp_path):
    done, target = printed(tmp_path, "pad_tray", "plate")
    assert done.returncode == 0
    picture = draw_solids(
        [Solid(load_stl(target), (200, 80, 80))], [Label("1", (50, 62, 2), (0.2, 0.2))], size=(300, 220)
    )
    assert picture.shape == (220, 300, 3)
    red = (picture[..., 2].astype(int) - picture[..., 0]) > 60
    assert 0.1 < red.mean() < 0.8
    assert (picture[0] == 255).all()


def test_without_openscad_the_makefile_says_what_to_install(tmp_path):
    for name in ("make", "sh", "dot"):
        (tmp_path / name).symlink_to(shutil.which(name) or "/bin/true")
    done = subprocess.run(
        [str(tmp_path / "make"), "-C", str(HARDWARE), "mounts"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "apt-get install openscad" in done.stdout
