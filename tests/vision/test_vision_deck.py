import base64
import io
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import command_line, photo
from vision.__main__ import main
from vision.decks import capture, enrol, labels, separation
from vision.decks.capture import Shutter
from vision.errors import LabelsError, LibraryError, PhotoError, PlaneError, VisionError
from vision.geometry import make_box, transform_points
from vision.homography import TablePlane
from vision.library import Library
from vision.markers import Marker, draw_marker, find_markers
from vision.outlines.shape import CardPlane
from vision.reader import Reader
from vision.reading import Reading, apply_stickers

PHOTOS = Path(__file__).parents[2].parent / "shared" / "photos" / "labels.json"


def test_a_deck_is_the_same_after_saving_and_loading(tmp_path, library):
    library.save(tmp_path)
    again = Library.load(tmp_path)
    assert again.designs == library.designs
    assert all(
        np.array_equal(a.picture, b.picture)
        for a, b in zip(again.references, library.references, strict=True)
    )
    assert again.margins == library.margins


def test_a_deck_saved_again_leaves_no_old_views_behind(tmp_path, deck):
    small = Library.from_drawings({"a:1/2": deck["bench:red:1"], "b": deck["bench:red:2"]})
    small.save(tmp_path)
    small.remove_design("b")
    small.save(tmp_path)
    assert Library.load(tmp_path).designs == ["a:1/2"]
    assert len(list((tmp_path / "references").glob("*.png"))) == 1


def test_a_damaged_deck_says_so(tmp_path, library):
    with pytest.raises(LibraryError, match="run enrol first"):
        Library.load(tmp_path)
    library.save(tmp_path)
    next((tmp_path / "references").glob("*.png")).write_bytes(b"")
    with pytest.raises(LibraryError, match="enrol it again"):
        Library.load(tmp_path)
    (tmp_path / "references" / "index.json").write_text("[1]")
    with pytest.raises(LibraryError, match="damaged"):
        Library.load(tmp_path)


def test_photos_that_cannot_be_read_say_why(tmp_path):
    empty, text = tmp_path / "empty.jpg", tmp_path / "text.png"
    empty.touch()
    text.write_text("no picture")
    for file, words in (
        (tmp_path / "none.jpg", "cannot be opened"),
        (empty, "empty"),
        (text, "damaged"),
        (tmp_path, "not a file"),
    ):
        with pytest.raises(PhotoError, match=words):
            photo.load_photo(file)


def test_a_photo_taken_upright_is_read_upright(tmp_path):
    """EXIF orientation 6: the camera was turned a quarter."""
    _, data = cv2.imencode(".jpg", np.zeros((40, 60, 3), np.uint8))
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    turned = data.tobytes()[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data.tobytes()[2:]
    (tmp_path / "turned.jpg").write_bytes(turned)
    assert photo.load_photo(tmp_path / "turned.jpg").shape[:2] == (60, 40)


HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAaFtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAA"
    "AAAAAAAAADRpbG9jAAAAAERAAAIAAQAAAAABxQABAAAAAAAAADoAAgAAAAAB/wABAAAAAAAAAFYAAAA4aWluZgAAAAAA"
    "AgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAAAQACAABFeGlmAAAAAA5waXRtAAAAAAABAAAA4GlwcnAAAADA"
    "aXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAr"
    "QgEBA3AAAAMAkAAAAwAAAwAeoDCBBZbqSSmubgIaDAgAAAMAyAAAAwAIQGIAAQAHRAHBcrAiQAAAABNjb2xybmNseAAB"
    "AA0ABoAAAAAUaXNwZQAAAAAAAABgAAAAQAAAABBwaXhpAAAAAAMICAgAAAAJaXJvdAMAAAAYaXBtYQAAAAAAAAABAAEF"
    "gQIDBIUAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAJhtZGF0AAAANigBrxOAdzGA/f/twaIOn1B8mTIgIMq8U/y0"
    "GwLRpNjy7oMGcIV1JE1Tpb1lSQ+4AQtKrcuIpgAAAAZFeGlmAABNTQAqAAAACAACARIAAwAAAAEABgAAh2kABAAAAAEA"
    "AAAmAAAAAAABkAMAAgAAABQAAAA4AAAAADIwMjY6MDU6MDYgMDc6MDg6MDkA"
)
"""96 x 64 pixels, red below a blue stripe, as an iPhone writes them, with orientation 6."""


def test_photos_of_iphones_are_read_upright(tmp_path):
    (tmp_path / "a.heic").write_bytes(HEIC)
    picture = photo.load_photo(tmp_path / "a.heic")
    assert picture.shape == (96, 64, 3)
    assert np.abs(picture[10, 10].astype(int) - (30, 30, 200)).max() < 4
    assert np.abs(picture[10, 60].astype(int) - (200, 30, 30)).max() < 4
    with pytest.raises(PhotoError, match="cannot be read"):
        photo.decode_photo(np.frombuffer(HEIC[:400], np.uint8))


def test_without_its_library_a_photo_of_an_iphone_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    monkeypatch.setattr("PIL.Image.open", lambda _: 1 / 0)
    with pytest.raises(PhotoError, match="pip install pi-heif"):
        photo.decode_photo(np.frombuffer(HEIC, np.uint8))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("9" * 9_000, "not valid JSON"),
        (" " * 10_000_001 + "[]", "more than 10 MB"),
        ('[{"photo": "a", "cards": [{"card": "x", "x": 1' + "0" * 400 + ', "y": 1}]}]', "card 1"),
        ("{}", "list"),
        ('[{"cards": []}]', "photo 1"),
        ('[{"photo": "a", "cards": [{"card": "x"}]}]', "card 1"),
        ('[{"photo": "a", "cards": [{"card": "x", "x": 1, "y": 1, "quad": [[1, 2]]}]}]', "card 1"),
    ],
)
def test_a_mistake_in_a_labels_file_is_named(tmp_path, text, words):
    file = tmp_path / "labels.json"
    file.write_text(text)
    with pytest.raises(LabelsError, match=words):
        labels.load_labels(file)


@pytest.mark.parametrize("read", [labels.load_labels, lambda file: Library.load(file.parent.parent)])
def test_a_pipe_a_device_and_a_folder_are_no_labels_and_no_views_and_nobody_waits(tmp_path, read):
    file = tmp_path / "references" / "index.json"
    file.parent.mkdir()
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir):
        make(file)
        with pytest.raises(VisionError):
            read(file)
        file.rmdir() if file.is_dir() else file.unlink()


def test_enrol_read_and_measure_from_the_command_line(tmp_path, lay, capsys):
    spots = [("bench:red:6", 250, 300, 5), ("bench:red:9", 600, 300, -20), ("bench:blue:3", 950, 350, 80)]
    entries = []
    for use, shift in (("reference", 0), ("test", 40)):
        scene = lay(*[(card, x + shift, y + shift, turn + shift) for card, x, y, turn in spots])
        cv2.imwrite(str(tmp_path / f"{use}.png"), scene.picture)
        cards = [{"card": c, "x": x + shift, "y": y + shift} for c, x, y, _ in spots]
        entries.append({"photo": f"{use}.png", "deck": "mine", "use": use, "cards": cards})
    (tmp_path / "labels.json").write_text(json.dumps(entries))
    (tmp_path / "broken.jpg").write_bytes(b"\xff\xd8 no")
    deck = ["--deck", str(tmp_path / "deck")]
    given = ["--labels", str(tmp_path / "labels.json"), "--only-deck", "mine"]
    assert main(["enrol", *deck, *given]) == 0
    capsys.readouterr()
    assert main(["read", *deck, "--json", str(tmp_path / "broken.jpg"), str(tmp_path / "test.png")]) == 1
    broken, good = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert "damaged" in broken["error"]
    assert sorted((c["card"], c["sure"]) for c in good["cards"]) == sorted((c, True) for c, *_ in spots)
    assert main(["measure", *deck, *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mine"]["right_sure"] == 3
    assert main(["read", "--deck", str(tmp_path), str(tmp_path / "test.png")]) == 2


def test_labels_that_are_hidden_or_ignored_are_counted_apart(tmp_path):
    marks = [{}, {"hidden": True}, {"hidden": True}, {"ignore": True}, {}]
    cards = [
        {"card": card, "x": 20 * i + 5, "y": 5, **mark}
        for i, (card, mark) in enumerate(zip("abcde", marks, strict=True))
    ]
    (tmp_path / "labels.json").write_text(json.dumps([{"photo": "p.png", "deck": "d", "cards": cards}]))
    (photo_of,) = labels.load_labels(tmp_path / "labels.json")
    corners = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    readings = [Reading(card, True, 1, corners + np.float32([20 * i, 0])) for i, card in enumerate("abxy")]
    tally = command_line.AccuracyRow()
    command_line.score_photo(tally, "p.png", photo_of.cards, readings)
    assert (tally.card_count, tally.right_sure, tally.missed, tally.false_cards) == (2, 1, 1, 0)
    assert (tally.hidden, tally.hidden_right, tally.hidden_wrong) == (2, 1, 1)


def test_every_label_is_counted_once():
    def quad(x):
        return np.array([[x, 0], [x + 10, 0], [x + 10, 10], [x, 10]], np.float32)

    tally = command_line.AccuracyRow()
    marks = [labels.Label(card, x, 5, None) for card, x in (("a", 5), ("b", 25), ("c", 45), ("d", 65))]
    readings = [
        Reading("a", True, 1, quad(0)),
        Reading("x", True, 1, quad(20)),
        Reading("c", False, 0, quad(40)),
        Reading("e", True, 1, quad(90)),
    ]
    command_line.score_photo(tally, "photo", marks, readings)
    assert (tally.right_sure, tally.wrong_sure, tally.right_unsure, tally.missed, tally.false_sure) == (
        1,
        1,
        1,
        1,
        1,
    )
    assert tally.card_count == 4


def test_a_sheet_of_cards_is_enrolled_in_the_decks_order(lay, deck):
    order = list(deck)
    spots = [(order[i], 220 + 250 * (i % 4), 200 + 300 * (i // 4), 3 * i) for i in range(8)]
    own = Library()
    assert enrol.enrol_sheet(own, lay(*spots).picture, order[0], order) == order[:8]
    assert own.designs == order[:8]
    with pytest.raises(LibraryError, match="only 4 follow"):
        enrol.enrol_sheet(Library(), lay(*spots).picture, order[-4], order)


@pytest.mark.slow
def test_cards_are_captured_one_by_one_once_they_lie_still(lay, deck):
    shutter, taken, t = Shutter(), 0, 0.0
    for scene in (lay(), lay(("bench:red:1", 400, 300, 5)), lay(), lay(("bench:red:2", 500, 350, 20))):
        for _ in range(10):
            taken += shutter.update(scene.picture, t) is not None
            t += 0.1
    assert taken == 2


@pytest.mark.slow
def test_the_next_card_may_lie_where_the_last_one_was_taken_away_though_a_hand_is_in_sight(lay):
    """The king was laid where the queen had been, and never taken."""
    hand = [lay(("bench:violet:7", 200 + 60 * step, 200, 5)) for step in range(6)]
    shutter, taken, t = Shutter(), 0, 0.0
    first, second = lay(("bench:red:1", 600, 450, 5)), lay(("bench:red:2", 600, 450, 5))
    for scene in (*[lay()] * 10, *[first] * 10, *hand, *[second] * 10):
        taken += shutter.update(scene.picture, t) is not None
        t += 0.1
    assert taken == 2


def test_separation_finds_the_look_alikes(deck):
    """A card with one small spot more than another."""
    twin = deck["bench:red:5"].copy()
    cv2.circle(twin, (60, 320), 14, (40, 40, 200), -1)
    some = {c: deck[c] for c in ("bench:red:5", "bench:blue:2", "bench:violet:7", "bench:orange:1")}
    result = separation.measure_separation(Library.from_drawings({**some, "twin": twin}))
    assert {result.look_alikes[0][0], result.look_alikes[0][1]} == {"bench:red:5", "twin"}
    assert any("look alike" in line for line in result.list_advice())


def test_the_plane_goes_there_and_back():
    plane = TablePlane.from_corners([[100, 50], [900, 80], [980, 700], [40, 650]], 800, 600)
    points = np.array([[300, 200], [700, 500]], np.float32)
    assert plane.to_image(plane.to_table(points)) == pytest.approx(points, abs=0.01)
    assert plane.to_table([[100, 50]])[0] == pytest.approx((0, 0), abs=0.01)
    assert TablePlane.identity().to_table(points) == pytest.approx(points)
    with pytest.raises(PlaneError):
        TablePlane.from_corners([[0, 0], [10, 10], [10, 0], [0, 10]])
    with pytest.raises(PlaneError):
        TablePlane.from_corners([[0, 0], [1, 0], [2, 0], [3, 0]])


def test_a_mat_tells_the_plane_and_that_the_camera_was_pushed():
    page = np.full((600, 800, 3), 255, np.uint8)
    mat = {}
    for number, (x, y) in enumerate([(50, 50), (650, 50), (650, 450), (50, 450)]):
        marker = draw_marker(number, 80)
        page[y : y + marker.shape[0], x : x + marker.shape[1]] = marker[:, :, None]
    for marker in find_markers(page):
        mat[marker.id] = marker.quad / 2
    assert sorted(mat) == [0, 1, 2, 3]
    plane = TablePlane.from_markers(find_markers(page), mat)
    assert plane.to_table([[200, 100]])[0] == pytest.approx((100, 50), abs=0.3)
    pushed = TablePlane.from_markers(find_markers(np.roll(page, 30, axis=1)), mat)
    assert plane.has_drifted(pushed, 800, 600)
    assert not plane.with_shift(30, 0).has_drifted(pushed, 800, 600)
    with pytest.raises(PlaneError, match="in sight"):
        TablePlane.from_markers(find_markers(np.full((100, 100, 3), 255, np.uint8)), mat)


def test_a_sticker_names_the_card_it_is_on():
    quad = np.array([[0, 0], [100, 0], [100, 150], [0, 150]], np.float32)
    spot = np.array([[10, 10], [20, 10], [20, 20], [10, 20]], np.float32)
    far = spot + 500
    result = apply_stickers(
        [Reading("x", False, 0.4, quad)],
        [Marker(3, spot), Marker(4, far), Marker(9, spot)],
        {3: "oe:13", 4: "oe:joker"},
    )
    assert [(r.card, r.sure) for r in result] == [("oe:13", True), ("oe:joker", True)]
    with pytest.raises(VisionError, match="choose one of"):
        find_markers(np.zeros((50, 50, 3), np.uint8), "qr")


@cache
def photographed(deck_name):
    """The views of a deck that was photographed, from its photographs once."""
    library = Library()
    assert enrol.enrol_photos(library, labels.load_labels(PHOTOS, deck_name, "reference")).problems == ()
    return library.references


@pytest.mark.slow
@pytest.mark.photos
@pytest.mark.skipif(not PHOTOS.exists(), reason="the photographs are not there")
@pytest.mark.parametrize("deck_name", ["epfl52", "set81"])
def test_real_photographs_are_read_and_no_card_wrongly(deck_name):
    library = Library(photographed(deck_name))
    tally = command_line.measure_accuracy(Reader(library), labels.load_labels(PHOTOS, deck_name, "test")[::8])
    assert tally.wrong_sure == tally.false_sure == tally.missed == 0
    assert tally.right_sure >= 0.97 * tally.card_count


@pytest.mark.slow
@pytest.mark.photos
@pytest.mark.skipif(not PHOTOS.exists(), reason="the photographs are not there")
def test_a_further_view_in_another_light_names_nobody_elses_card():
    library = Library(photographed("epfl52"))
    told = labels.load_labels(PHOTOS, "epfl52", "test")
    enrol.enrol_photos(library, [photo for photo in told if "game3" in photo.name])
    jacks = [photo for photo in told if photo.name.endswith("game2-2.jpg")]
    tally = command_line.measure_accuracy(Reader(library), jacks)
    assert (tally.right_sure, tally.wrong_sure) == (4, 0)


def test_the_library_has_a_public_face_that_loads_no_opencv_until_it_is_needed():
    code = "import sys, vision; assert 'cv2' not in sys.modules; from vision import Library, Presence, Reader, Watcher"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_before_any_module_of_the_program_loads_numpy_its_blas_is_told_to_have_one_thread():
    code = "import os, sys, companion; assert 'numpy' not in sys.modules; print(os.environ['OPENBLAS_NUM_THREADS'])"
    bare = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=bare)
    assert done.stdout.strip() == "1"


def laid_out(*boxes):
    """Things of one colour on a dark table that a camera sees from a slant: where the middle of
    each lies, and its width, in centimetres; all are 1.4 times as high."""
    slant = np.array([[18.0, 4, 200], [0, 14, 160], [0, 0.012, 1]])
    picture = np.full((720, 960, 3), 40, np.uint8)
    found = []
    for x, y, wide in boxes:
        high = 1.4 * wide
        corners = make_box(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        found.append(transform_points(slant, corners))
        cv2.fillConvexPoly(
            picture, np.round(found[-1] * 16).astype(np.int32), (220, 225, 230), cv2.LINE_AA, 4
        )
        pip = transform_points(slant, (corners - corners.mean(axis=0)) * 0.3 + corners.mean(axis=0))
        cv2.fillConvexPoly(picture, np.round(pip * 16).astype(np.int32), (40, 40, 160), cv2.LINE_AA, 4)
    return picture, found


CARDS = [(9.0 * column, 12.0 * row, 6.3) for row in range(3) for column in range(4)]


def test_what_is_of_another_size_than_the_cards_is_none_whatever_the_slant():
    """Nearer the camera a box looked no larger than a card may: it was the thirteenth."""
    picture, _ = laid_out(*CARDS, (36.0, 24.0, 7.4))
    assert len(capture.detect_cards_in_reading_order(picture)) == 12


def test_cards_of_one_size_tell_their_plane_and_shape():
    _, found = laid_out(*CARDS, (36.0, 24.0, 7.4))
    plane = CardPlane.fit_to_cards(found[:12], (960, 720), 1.5)
    assert plane.card_aspect == pytest.approx(1.4, rel=0.1)
    off = plane.measure_deviation(found)
    assert off[:12].max() < 0.01 < 0.1 < off[12]


def test_a_full_disk_and_ctrl_c_are_no_tracebacks(capsys, monkeypatch):
    def full(_options):
        raise OSError(28, "No space left on device")

    def stopped(_options):
        raise KeyboardInterrupt

    for instead, status in ((full, 2), (stopped, 130)):
        monkeypatch.setattr(command_line, "_run_read", instead)
        assert main(["read", "--deck", "d", "x.jpg"]) == status
    said = "vision: what this command writes cannot be written: No space left on device.\n"
    assert capsys.readouterr().err == said


def test_a_photo_whose_name_is_no_text_is_told_as_json_has_it(monkeypatch):
    monkeypatch.setattr(command_line.Library, "load", lambda _deck: Library())
    told = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", told)
    assert command_line.main(["read", "--deck", "d", os.fsdecode(b"caf\xe9.jpg")]) == 1
    assert json.loads(told.buffer.getvalue())["photo"] == os.fsdecode(b"caf\xe9.jpg")
