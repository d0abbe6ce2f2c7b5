from __future__ import annotations

import os
import threading
import time

import cv2
import msgspec
import numpy as np
import pytest
from cards import DECK, Listener, library, until, world

from companion.demo.deeds import Gesture
from companion.demo.scene.animation import Animation
from companion.readers.camera import sources
from companion.readers.camera.finding import find
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.recognise import Eyes, distinct
from companion.readers.camera.skipping import Skipping
from companion.readers.camera.slot import Slot
from companion.readers.camera.sources import Device, Film, Frame, Photos, Source, SourceError
from companion.table import zones
from companion.table.sightings import Sighting
from companion.table.table import Table
from vision.library import Library
from vision.reader import Reader
from vision.watch import Presence

LIBRARY = library()


def frame(image=None, at=0.0):
    return Frame(np.zeros((90, 160, 3), np.uint8) if image is None else image, at)


def photograph(folder, *scenes, start=1):
    """Photograph one table after another; a scene is a list of (card, zone)."""
    folder.mkdir(exist_ok=True)
    for number, scene in enumerate(scenes, start):
        table = world(seed=number)
        for card, zone in scene:
            table.lay(card, zone)
        cv2.imwrite(str(folder / f"photo-{number}.jpg"), table.frame(), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return table


@pytest.fixture
def start():
    """Start a reader on a source, and close it in the end whatever happens."""
    readers = []

    def begin(source, layout=None):
        listener = Listener()
        layout = layout or world().zones.seen_by(world().camera)
        reader = CameraReader(source, LIBRARY, layout)
        readers.append(reader)
        reader.start(listener)
        return reader, listener

    yield begin
    for reader in readers:
        reader.close()


class Scripted(Source):
    """A camera whose frames, faults and openings follow a script; at a function in it the last frame stays until that says so."""

    every = False
    returns = True

    def __init__(self, *script):
        super().__init__("scripted")
        self.script = list(script)
        self.opened = self.closed = 0

    def open(self):
        self.opened += 1
        if self.script and isinstance(self.script[0], str):
            raise SourceError(self.script.pop(0), device=self.name)

    def read(self, wait):
        if wait(0.02):
            return None
        step = self.script.pop(0) if self.script else self.last
        if callable(step):
            if not step():
                self.script.insert(0, step)
            step = self.last
        if isinstance(step, str):
            raise SourceError(step, device=self.name)
        self.last = step
        return Frame(step, time.monotonic())

    def close(self):
        self.closed += 1


def test_each_photo_of_a_folder_is_one_reveal(tmp_path, start):
    photograph(
        tmp_path / "p", [("load:red:1", "seat:1"), ("load:blue:5", "seat:2")], [("load:red:1", "seat:1")]
    )
    source = Photos(tmp_path / "p")
    reader, listener = start(source)
    listener.wait_for_card("load:blue:5")
    time.sleep(0.1)
    assert listener.lying() == [("load:blue:5", "seat:2"), ("load:red:1", "seat:1")]
    source.next()
    listener.wait_for_card("load:blue:5", present=False)
    source.next()
    listener.wait_for_health("camera.ended")
    assert listener.lying() == [("load:red:1", "seat:1")]
    tracks = {report.track for report in listener.reports if isinstance(report, Sighting)}
    assert len(tracks) == 3
    assert reader.preview().name == "photo-2.jpg"


def test_a_damaged_photo_is_said_and_left_out(tmp_path, start):
    photograph(tmp_path / "p", [("load:red:1", "seat:1")])
    photograph(tmp_path / "p", [("load:red:2", "seat:1")], start=3)
    (tmp_path / "p" / "photo-2.jpg").write_bytes(b"\xff\xd8\xff no photo")
    source = Photos(tmp_path / "p", interval=0.05)
    _, listener = start(source)
    listener.wait_for_health("camera.ended")
    assert ("ok", "camera.bad_photo") in listener.health()
    assert listener.lying() == [("load:red:2", "seat:1")]


def test_photos_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("game2-10.jpg", "game2-9.jpg", "game10-1.JPG", "game2-1.png", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    source = Photos(tmp_path)
    source.open()
    assert [file.name for file in source.files] == [
        "game2-1.png",
        "game2-9.jpg",
        "game2-10.jpg",
        "game10-1.JPG",
    ]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (Photos, "no_photos"),
        (lambda folder: Photos(folder / "absent"), "no_folder"),
        (lambda folder: Film(folder / "absent.avi"), "no_file"),
        (lambda folder: Film(folder / "text.avi"), "no_film"),
    ],
)
def test_what_gives_no_pictures_says_why(tmp_path, start, make, code, capfd):
    (tmp_path / "text.avi").write_text("no film")
    reader, listener = start(make(tmp_path))
    listener.wait_for_health(f"camera.{code}")
    reader.close()
    assert listener.health()[-1] == ("lost", f"camera.{code}")
    assert capfd.readouterr().err == ""


def test_a_camera_that_is_not_there_is_waited_for_quietly(start, monkeypatch, capfd):
    monkeypatch.setattr("companion.readers.camera.frames.RETRY", (0.01,))
    opened = []
    real = Device.open
    monkeypatch.setattr(Device, "open", lambda self: opened.append(1) or real(self))
    reader, listener = start(Device(93))
    listener.wait_for_health("camera.no_device" if sources.sys.platform == "linux" else "camera.cannot_open")
    until(lambda: len(opened) >= 5)
    reader.close()
    assert len(listener.health()) == 2
    assert capfd.readouterr().err == ""


def test_a_film_is_read_to_its_end(tmp_path, start):
    stage = Animation(world(seed=7), speed=2)
    stage.perform([Gesture("lay", "seat:1", "load:red:1"), Gesture("lay", "middle", "donkey:giant")])
    film = cv2.VideoWriter(str(tmp_path / "a.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, stage.world.size)
    for _ in range(36):
        stage.advance(1 / 15)
        film.write(stage.picture().image)
    film.release()
    reader, listener = start(Film(tmp_path / "a.avi", paced=False))
    listener.wait_for_health("camera.ended", 60)
    assert listener.lying() == [("donkey:giant", "middle"), ("load:red:1", "seat:1")]
    assert (reader.looked, reader.dropped) == (36, 0)
    assert listener.health()[-1] == ("off", "camera.ended")


def test_a_film_at_its_own_pace_keeps_its_time():
    waited = []
    film = Film.__new__(Film)
    Source.__init__(film, "film")
    film.every, film._began, film._number, film._rate = False, time.monotonic(), 50, 25.0
    film._capture = type("Capture", (), {"read": lambda self: (True, np.zeros((20, 20, 3), np.uint8))})()
    taken = film.read(waited.append)
    assert taken.at == film._began + 2
    assert 1 < waited[0] <= 2


def test_an_unplugged_camera_comes_back_and_the_table_notices_nothing(start, monkeypatch):
    monkeypatch.setattr("companion.readers.camera.frames.RETRY", (0.01,))
    table = world(seed=3)
    table.lay("donkey:giant", "middle")
    named = threading.Event()
    source = Scripted("no_device", "no_device", table.frame(), named.is_set, "unplugged", "no_device")
    reader, listener = start(source)
    listener.wait_for_card("donkey:giant")
    named.set()
    listener.wait_for_health("camera.unplugged")
    until(lambda: source.opened >= 5)
    until(lambda: listener.named_since("camera.ok"))
    reader.close()
    assert [code for _, code in listener.health()] == [
        "camera.starting",
        "camera.no_device",
        "camera.ok",
        "camera.unplugged",
        "camera.no_device",
        "camera.ok",
    ]
    merged, claims, at = Table(DECK), set(), 0.0
    for report in listener.reports:  # as they come where the camera is looked at without delay
        at += 0.2
        merged.put(msgspec.structs.replace(report, at=at))
        merged.settle(at + 0.1)
        claims |= {claim.id for claim in merged.claims(at + 0.1)}
    merged.settle(at + 10)
    assert [claim.what for claim in merged.claims(at + 10)] == ["donkey:giant"]
    assert len(claims) == 1


def test_only_the_newest_frame_is_looked_at(start, monkeypatch):
    seen = []
    release = threading.Event()

    def slow(self, frame):
        seen.append(int(frame.image[0, 0, 0]))
        release.wait(10)
        return []

    monkeypatch.setattr("companion.readers.camera.recognise.Eyes.see", slow)
    source = Scripted(*(np.full((40, 60, 3), number, np.uint8) for number in range(8)))
    reader, _ = start(source)
    until(lambda: reader.dropped >= 4)
    release.set()
    until(lambda: len(seen) >= 2)
    assert seen[1] - seen[0] >= 4


def test_close_returns_when_the_camera_is_free_again(start):
    source = Scripted(np.zeros((40, 60, 3), np.uint8))
    reader, _ = start(source)
    until(lambda: reader.looked >= 1)
    reader.close()
    assert source.opened == source.closed == 1
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


def test_pictures_that_cannot_be_read_are_left_out_and_said_once_when_it_goes_on(start, monkeypatch):
    monkeypatch.setattr("companion.readers.camera.skipping.GOES_ON", 0.1)
    seeing = threading.Event()
    see = Eyes.see

    def fails(self, frame):
        if not seeing.is_set():
            raise np.linalg.LinAlgError("Singular matrix")
        return see(self, frame)

    monkeypatch.setattr(Eyes, "see", fails)
    table = world(seed=3)
    table.lay("donkey:giant", "middle")
    reader, listener = start(Scripted(table.frame()))
    listener.wait_for_health("camera.unreadable_frames")
    until(lambda: reader.skipped >= 12)
    seeing.set()
    listener.wait_for_card("donkey:giant")
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))
    reader.close()
    assert listener.health() == [
        ("starting", "camera.starting"),
        ("ok", "camera.ok"),
        ("lost", "camera.unreadable_frames"),
        ("ok", "camera.ok"),
    ]


def test_a_card_whose_reading_raises_is_named_from_the_next_frames(start, monkeypatch):
    raised = []
    verdict = Reader._verdict

    def fails(self, *arguments):
        if not raised:
            raised.append(1)
            raise np.linalg.LinAlgError("Singular matrix")
        return (yield from verdict(self, *arguments))

    monkeypatch.setattr(Reader, "_verdict", fails)
    table = world(seed=3)
    table.lay("donkey:giant", "middle")
    reader, listener = start(Scripted(table.frame()))
    listener.wait_for_card("donkey:giant")
    assert reader.skipped == 1
    assert [state for state, _ in listener.health()] == ["starting", "ok"]


def test_a_photo_that_cannot_be_read_is_said_and_the_next_one_is_read(tmp_path, start, monkeypatch):
    photograph(tmp_path / "p", [("load:red:1", "seat:1")], [("load:red:2", "seat:1")])
    read = Reader.read
    raised = []

    def fails(self, image):
        if not raised:
            raised.append(1)
            raise np.linalg.LinAlgError("Singular matrix")
        return read(self, image)

    monkeypatch.setattr(Reader, "read", fails)
    source = Photos(tmp_path / "p")
    _, listener = start(source)
    told = listener.wait_for_health("camera.unread_photo")
    assert (told.state, told.text.args["file"]) == ("ok", "photo-1.jpg")
    source.next()
    listener.wait_for_card("load:red:2")


@pytest.mark.parametrize(
    ("deeds", "said"),
    [
        ([("bad", 0.0), ("good", 0.1), ("good", 5.0)], []),
        ([("bad", 0.0), ("bad", 0.5), ("bad", 1.0), ("bad", 9.0), ("good", 9.1)], ["told"]),
        ([("bad", 0.0), ("bad", 1.0), ("good", 1.1), ("good", 2.0)], ["told", "over"]),
        ([("bad", 0.0), ("good", 0.4), ("bad", 0.8), ("good", 0.9), ("bad", 1.2)], ["told"]),
        ([("bad", 0.0), ("good", 1.5), ("bad", 1.6)], []),
    ],
)
def test_what_is_said_of_bad_pictures(deeds, said):
    skipping = Skipping()
    heard = []
    for deed, at in deeds:
        if getattr(skipping, deed)(at):
            heard.append("told" if deed == "bad" else "over")
    assert heard == said
    assert skipping.skipped == [deed for deed, _ in deeds].count("bad")


def test_a_camera_whose_reader_died_is_started_again_and_says_so(start, monkeypatch):
    monkeypatch.setattr("companion.readers.thread.RESTARTS", (0.01,))
    table = world(seed=3)
    table.lay("donkey:giant", "middle")

    class Breaks(Scripted):
        def read(self, wait):
            if self.opened < 3:
                raise RuntimeError("driver")
            return super().read(wait)

    _, listener = start(Breaks(table.frame()))
    listener.wait_for_card("donkey:giant")
    assert listener.health()[:6] == [
        ("starting", "camera.starting"),
        ("lost", "restarting"),
        ("starting", "camera.starting"),
        ("lost", "restarting"),
        ("starting", "camera.starting"),
        ("ok", "camera.ok"),
    ]


def test_before_any_card_is_enrolled_the_camera_shows_its_picture_and_names_nothing():
    table = world(seed=3)
    table.lay("donkey:giant", "middle")
    reader = CameraReader(Scripted(), Library(), world().zones.seen_by(world().camera))
    listener = Listener()
    reader.attach(listener)
    for number in range(30):
        reader.look_at(frame(table.frame(), number / 30))
    assert reader.preview().image.any()
    assert [(one.design, one.where) for one in listener.reports if isinstance(one, Sighting)] == [
        (None, "middle")
    ] * 2


def test_a_source_that_breaks_altogether_is_a_lost_reader(start):
    class Broken(Source):
        def read(self, wait):
            raise RuntimeError("no bytes")

    _, listener = start(Broken("broken"))
    assert listener.wait_for_health("failed").state == "lost"


def test_the_preview_is_small_and_shows_the_outlines(tmp_path, start):
    table = photograph(tmp_path / "p", [("load:red:1", "seat:1")])
    reader, listener = start(Photos(tmp_path / "p"))
    assert reader.preview() is None or reader.preview().number == 1
    listener.wait_for_card("load:red:1")
    until(lambda: reader.preview() is not None)
    preview = reader.preview(320)
    assert preview.image.shape == (180, 320, 3)
    green = (preview.image.astype(int) @ [-1, 2, -1]) > 200
    ys, xs = np.nonzero(green)
    x, y = table.lying[0].quad.mean(axis=0) * 320 / 960
    assert abs(xs.mean() - x) < 15
    assert abs(ys.mean() - y) < 25


def test_zones_can_be_calibrated_anew_while_the_camera_runs(start):
    table = world(seed=3)
    table.lay("donkey:giant", "middle")
    shown = table.frame()
    source = Scripted(shown)
    reader, listener = start(source)
    assert listener.wait_for_card("donkey:giant").where == "middle"
    everything = zones.Zones((zones.Zone("pile", ((0, 0), (1, 0), (1, 1), (0, 1))),))
    reader.calibrate(everything)
    listener.wait_for(lambda report: isinstance(report, Sighting) and report.where == "pile")


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("0", Device),
        ("/dev/video7", Device),
        ("film.mp4", Film),
        ("folder", Photos),
        ("absent.avi", Film),
    ],
)
def test_a_camera_is_named_by_number_path_film_or_folder(tmp_path, monkeypatch, what, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "film.mp4").write_bytes(b"")
    assert type(find(what)) is kind


@pytest.mark.parametrize("what", ["9" * 5000, "a" * 5000])
def test_a_name_that_nothing_can_have_is_told_in_short(what):
    with pytest.raises(SourceError, match="no_file") as told:
        find(what)
    assert len(str(told.value)) < 200


def test_a_name_that_is_no_text_is_told_and_opencv_never_sees_it(tmp_path):
    """It would end the program with a segmentation fault; so would a device and an address."""
    film = tmp_path / os.fsdecode(b"evening\xff.avi")
    try:
        film.write_bytes(b"")
    except OSError:
        pytest.skip("this file system keeps text only")
    for what in (str(film), "http://127.0.0.1:1/" + os.fsdecode(b"\xff")):
        with pytest.raises(SourceError, match="odd_name"):
            find(what).open()


def test_every_frame_waits_for_its_turn_and_the_newest_does_not():
    slot, order = Slot(), []

    def look():
        while (taken := slot.take()) is not None:
            order.append(taken.at)

    looker = threading.Thread(target=look)
    looker.start()
    for number in range(50):
        slot.put(frame(at=number), every=True)
    slot.drain()
    assert order == list(range(50))
    assert slot.dropped == 0
    slot.close()
    looker.join()
    lonely = Slot()
    for number in range(5):
        lonely.put(frame(at=number), every=False)
    assert (lonely.dropped, lonely.take().at) == (4, 4)


def square(number, card, x, size=60):
    quad = np.array([[x, 0], [x + size, 0], [x + size, size], [x, size]], np.float32)
    return Presence(number, card, card is not None, 0.9, quad, 0.0, True)


def test_a_card_whose_outline_is_found_twice_is_one_card():
    seen = [square(1, "donkey:giant", 0), square(2, "donkey:giant", 8), square(3, "donkey:giant", 70)]
    assert [one.id for one in distinct(seen)] == [1, 3]


def test_of_a_named_and_a_nameless_outline_the_named_one_counts():
    seen = [square(1, None, 0, 80), square(2, "load:red:1", 8), square(3, None, 90)]
    assert [one.id for one in distinct(seen)] == [2, 3]


def test_two_cards_that_overlap_are_two_cards():
    seen = [square(1, "load:red:2", 0), square(2, "load:red:1", 8)]
    assert [one.id for one in distinct(seen)] == [1, 2]
