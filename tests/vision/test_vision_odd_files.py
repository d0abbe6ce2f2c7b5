"""Picture files of every kind that a phone, a scanner or an editor writes: each is read, or one
sentence says why not."""

import json

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from vision.__main__ import main
from vision.library import Library


def as_scanned(picture):
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)


def of_sixteen_bits(picture):
    return picture.astype(np.uint16) * 257


def with_alpha(picture):
    alpha = np.full((*picture.shape[:2], 1), 128, np.uint8)
    return np.concatenate([picture, alpha], axis=2)


def of_light(picture):
    """What a raw developer writes: parts of full scale."""
    return picture.astype(np.float32) / 255


def not_a_number(picture):
    light = of_light(picture)
    light[::7, ::5] = np.nan
    light[3::7, ::5] = np.inf
    return light


READ = {
    "grey.png": as_scanned, "alpha.png": with_alpha, "sixteen.png": of_sixteen_bits,
    "sixteen.tiff": of_sixteen_bits, "photo.webp": np.copy,
}  # fmt: skip
"""Files in which a person sees the cards as in the photo itself."""

ODD = {
    "light.tiff": of_light, "nan.tiff": not_a_number, "light.hdr": of_light, "nan.hdr": not_a_number,
    "strip.png": lambda p: cv2.resize(p, (9000, 16)), "pillar.png": lambda p: cv2.resize(p, (17, 5000)),
    "tiny.png": lambda p: cv2.resize(p, (16, 16)), "line.png": lambda p: p[:1], "point.png": lambda p: p[:1, :1],
    "black.jpg": np.zeros_like, "white.jpg": lambda p: np.full_like(p, 255), "red.png": lambda p: p * np.array([0, 0, 1], np.uint8),
    "two.pbm": lambda p: np.where(as_scanned(p) > 127, np.uint8(255), np.uint8(0)),
}  # fmt: skip
"""Files of which it is only asked that they are answered."""


@pytest.fixture(scope="module")
def table(tmp_path_factory, deck):
    """A deck folder, and a table of two of its cards."""
    folder = tmp_path_factory.mktemp("odd")
    names = ("bench:red:8", "bench:blue:3", "bench:orange:5", "bench:violet:2")
    Library.from_drawings({name: deck[name] for name in names}).save(folder / "deck")
    cards = [
        scenes.Placed(name, deck[name], 130 + 180 * i, 160, 100, 15 * i) for i, name in enumerate(names[:2])
    ]
    return folder, scenes.render(scenes.table("wood", 460, 320), cards, scenes.Faults(blur=0.5)).picture


def told(folder, capsys, names):
    """What `read` says of each file, and its exit code."""
    capsys.readouterr()
    code = main(["read", "--deck", str(folder / "deck"), *(str(folder / name) for name in names)])
    out, err = capsys.readouterr()
    assert err == ""
    return code, [json.loads(line) for line in out.splitlines()]


def written(folder, picture, kinds):
    for name, change in kinds.items():
        assert cv2.imwrite(str(folder / name), np.ascontiguousarray(change(picture))), name
    return list(kinds)


def test_a_photo_is_read_in_every_form_that_it_is_kept_in(table, capsys):
    folder, picture = table
    code, lines = told(folder, capsys, written(folder, picture, READ))
    assert code == 0
    for line in lines:
        sure = {card["card"] for card in line["cards"] if card["sure"]}
        lying = {"bench:red:8", "bench:blue:3"}
        # without colour a card may stay unsure; it is no other
        assert sure <= lying if "grey" in line["photo"] else sure == lying, line


@pytest.mark.slow
def test_odd_files_are_answered_and_the_next_one_is_read(table, capsys):
    folder, picture = table
    names = written(folder, picture, {**ODD, "good.png": np.copy})
    (folder / "cut.jpg").write_bytes((folder / "black.jpg").read_bytes()[:300])
    (folder / "text.png").write_text("no picture")
    _code, lines = told(folder, capsys, [*names[:-1], "cut.jpg", "text.png", "missing.png", "good.png"])
    assert len(lines) == len(ODD) + 4
    for line in lines:
        assert {card["card"] for card in line["cards"] if card["sure"]} <= {"bench:red:8", "bench:blue:3"}
        assert line.get("error", "a sentence.").endswith(".")
    assert lines[-1].get("error") is None
    assert any(card["sure"] for card in lines[-1]["cards"])


def test_odd_files_enrol_what_they_show_and_no_more(table, tmp_path, capsys):
    folder, picture = table
    names = written(folder, picture, {**READ, **ODD})
    label = {"card": "new:one", "x": 130, "y": 160}
    photos = [{"photo": name, "deck": "odd", "use": "reference", "cards": [label]} for name in names]
    (folder / "labels.json").write_text(json.dumps(photos), encoding="utf-8")
    code = main(["enrol", "--deck", str(tmp_path / "own"), "--labels", str(folder / "labels.json")])
    out, err = capsys.readouterr()
    assert code == 1
    problems = err.splitlines()
    assert all(line.startswith("vision: ") and line.endswith(".") for line in problems)
    assert f"{len(names) - len(problems)} views added; the deck has 1 designs" in out
    assert not any(name in line for name in READ for line in problems)
