from __future__ import annotations

import dataclasses
import threading
import time

import cv2
import msgspec
import numpy as np
from cards import DECK, Listener, library, until, world

from companion.demo.actions import Gesture
from companion.demo.table import Animation
from companion.readers.camera.frames import FrameSlot
from companion.readers.camera.reader import CameraReader, drop_duplicates
from companion.readers.camera.sources import PhotoFolder, Source, VideoFile
from companion.table import zones
from companion.table.sightings import Sighting
from companion.table.table import Table
from tests.readers.camera.script import Scripted, frame, photograph
from vision.library import Library
from vision.video.presence import Presence


def test_each_photo_of_a_folder_is_one_reveal(tmp_path, start):
    photograph(
        tmp_path / "p", [("load:red:1", "seat:1"), ("load:blue:5", "seat:2")], [("load:red:1", "seat:1")]
    )
    source = PhotoFolder(tmp_path / "p")
    reader, listener = start(source)
    listener.wait_for_card("load:blue:5")
    time.sleep(0.1)
    assert listener.lying() == [("load:blue:5", "seat:2"), ("load:red:1", "seat:1")]
    source.show_next()
    listener.wait_for_card("load:blue:5", present=False)
    source.show_next()
    listener.wait_for_health("camera.ended")
    assert listener.lying() == [("load:red:1", "seat:1")]
    tracks = {report.track for report in listener.reports if isinstance(report, Sighting)}
    assert len(tracks) == 3
    assert reader.draw_preview().name == "photo-2.jpg"


def test_a_damaged_photo_is_said_and_left_out(tmp_path, start):
    photograph(tmp_path / "p", [("load:red:1", "seat:1")])
    photograph(tmp_path / "p", [("load:red:2", "seat:1")], start=3)
    (tmp_path / "p" / "photo-2.jpg").write_bytes(b"\xff\xd8\xff no photo")
    source = PhotoFolder(tmp_path / "p", interval=0.05)
    _, listener = start(source)
    listener.wait_for_health("camera.ended")
    assert ("look", "camera.bad_photo") in listener.health()
    assert listener.lying() == [("load:red:2", "seat:1")]


def test_photos_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("game2-10.jpg", "game2-9.jpg", "game10-1.JPG", "game2-1.png", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    source = PhotoFolder(tmp_path)
    source.open()
    assert [file.name for file in source.files] == [
        "game2-1.png",
        "game2-9.jpg",
        "game2-10.jpg",
        "game10-1.JPG",
    ]


def test_a_film_is_read_to_its_end(tmp_path, start):
    stage = Animation(world(seed=7), speed=2)
    stage.perform([Gesture("lay", "seat:1", "load:red:1"), Gesture("lay", "middle", "donkey:giant")])
    film = cv2.VideoWriter(str(tmp_path / "a.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 15, stage.world.size)
    for _ in range(36):
        stage.advance(1 / 15)
        film.write(stage.take_picture().image)
    film.release()
    reader, listener = start(VideoFile(tmp_path / "a.avi", real_time=False))
    listener.wait_for_health("camera.ended", 60)
    assert listener.lying() == [("donkey:giant", "middle"), ("load:red:1", "seat:1")]
    assert (reader.processed_frames, reader.dropped_frames) == (36, 0)
    assert listener.health()[-1] == ("off", "camera.ended")


def test_a_film_at_its_own_pace_keeps_its_time():
    waited = []
    film = VideoFile.__new__(VideoFile)
    Source.__init__(film, "film")
    film.keeps_every_frame, film._began, film._number, film._rate = False, time.monotonic(), 50, 25.0
    film._capture = type("Capture", (), {"read": lambda self: (True, np.zeros((20, 20, 3), np.uint8))})()
    taken = film.read(waited.append)
    assert taken.at == film._began + 2
    assert 1 < waited[0] <= 2


def test_an_unplugged_camera_comes_back_and_the_table_notices_nothing(start, monkeypatch):
    monkeypatch.setattr("companion.readers.camera.frames.RETRY_DELAYS", (0.01,))
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")
    named = threading.Event()
    source = Scripted("no_device", "no_device", table.render_frame(), named.is_set, "unplugged", "no_device")
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
        merged.add_report(msgspec.structs.replace(report, at=at))
        merged.update(at + 0.1)
        claims |= {claim.id for claim in merged.list_claims(at + 0.1)}
    merged.update(at + 10)
    assert [claim.what for claim in merged.list_claims(at + 10)] == ["donkey:giant"]
    assert len(claims) == 1


def test_only_the_newest_frame_is_looked_at(start, monkeypatch):
    seen = []
    release = threading.Event()

    def slow(self, frame):
        seen.append(int(frame.image[0, 0, 0]))
        release.wait(10)
        return []

    monkeypatch.setattr("companion.readers.camera.reader.CardRecognizer.detect_cards", slow)
    source = Scripted(*(np.full((40, 60, 3), 100 + number, np.uint8) for number in range(8)))
    reader, _ = start(source)
    until(lambda: reader.dropped_frames >= 4)
    release.set()
    until(lambda: len(seen) >= 2)
    assert seen[1] - seen[0] >= 4


def test_close_returns_when_the_camera_is_free_again(start):
    source = Scripted(np.full((40, 60, 3), 100, np.uint8))
    reader, _ = start(source)
    until(lambda: reader.processed_frames >= 1)
    reader.close()
    assert source.opened == source.closed == 1
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("camera")]


def test_before_any_card_is_enrolled_the_camera_shows_its_picture_and_names_nothing():
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")
    reader = CameraReader(Scripted(), Library(), world().zones.with_camera(world().camera))
    listener = Listener()
    reader.attach(listener)
    for number in range(30):
        reader.process_frame(frame(table.render_frame(), number / 30))
    assert reader.draw_preview().image.any()
    assert [(one.design, one.where) for one in listener.reports if isinstance(one, Sighting)] == [
        (None, "middle")
    ] * 2


def test_a_card_that_is_posted_is_among_the_faces_already(tmp_path):
    """Who acts on a sighting at once, as the pictures of the reveals do, finds the card in the
    newest picture."""
    photograph(tmp_path / "p", [("load:red:1", "seat:1"), ("load:blue:5", "seat:2")])
    reader = CameraReader(Scripted(), library(), world().zones.with_camera(world().camera))
    named = {}

    def post(report):
        if isinstance(report, Sighting) and report.sure and report.design:
            named[report.design] = report.design in reader.list_face_up_designs().values()

    reader.attach(post)
    picture = cv2.imread(str(tmp_path / "p" / "photo-1.jpg"))
    reader.process_frame(dataclasses.replace(frame(picture), alone=True))
    assert named == {"load:red:1": True, "load:blue:5": True}


def test_a_source_that_breaks_altogether_is_a_lost_reader(start):
    class Broken(Source):
        def read(self, wait):
            raise RuntimeError("no bytes")

    _, listener = start(Broken("broken"))
    assert listener.wait_for_health("failed").state == "lost"


def test_the_preview_is_small_and_shows_the_outlines(tmp_path, start):
    table = photograph(tmp_path / "p", [("load:red:1", "seat:1")])
    reader, listener = start(PhotoFolder(tmp_path / "p"))
    assert reader.draw_preview() is None or reader.draw_preview().number == 1
    listener.wait_for_card("load:red:1")
    until(lambda: reader.draw_preview() is not None)
    preview = reader.draw_preview(320)
    assert preview.image.shape == (180, 320, 3)
    green = (preview.image.astype(int) @ [-1, 2, -1]) > 200
    ys, xs = np.nonzero(green)
    x, y = table.table_cards[0].quad.mean(axis=0) * 320 / 960
    assert abs(xs.mean() - x) < 15
    assert abs(ys.mean() - y) < 25


def test_zones_can_be_calibrated_anew_while_the_camera_runs(start):
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")
    shown = table.render_frame()
    source = Scripted(shown)
    reader, listener = start(source)
    assert listener.wait_for_card("donkey:giant").where == "middle"
    everything = zones.Zones((zones.Zone("pile", ((0, 0), (1, 0), (1, 1), (0, 1))),))
    reader.calibrate(everything)
    listener.wait_for(lambda report: isinstance(report, Sighting) and report.where == "pile")


def test_every_frame_waits_for_its_turn_and_the_newest_does_not():
    slot, order = FrameSlot(), []

    def look():
        while (taken := slot.take_frame()) is not None:
            order.append(taken.at)

    looker = threading.Thread(target=look)
    looker.start()
    for number in range(50):
        slot.put_frame(frame(at=number), every=True)
    slot.drain()
    assert order == list(range(50))
    assert slot.dropped == 0
    slot.close()
    looker.join()
    lonely = FrameSlot()
    for number in range(5):
        lonely.put_frame(frame(at=number), every=False)
    assert (lonely.dropped, lonely.take_frame().at) == (4, 4)


def square(number, card, x, size=60):
    quad = np.array([[x, 0], [x + size, 0], [x + size, size], [x, size]], np.float32)
    return Presence(number, card, card is not None, 0.9, quad, 0.0, True)


def test_a_card_whose_outline_is_found_twice_is_one_card():
    seen = [square(1, "donkey:giant", 0), square(2, "donkey:giant", 8), square(3, "donkey:giant", 70)]
    assert [one.id for one in drop_duplicates(seen)] == [1, 3]


def test_of_a_named_and_a_nameless_outline_the_named_one_counts():
    seen = [square(1, None, 0, 80), square(2, "load:red:1", 8), square(3, None, 90)]
    assert [one.id for one in drop_duplicates(seen)] == [2, 3]


def test_two_cards_that_overlap_are_two_cards():
    seen = [square(1, "load:red:2", 0), square(2, "load:red:1", 8)]
    assert [one.id for one in drop_duplicates(seen)] == [1, 2]


def test_what_a_swaying_camera_shows_elsewhere_has_not_moved(monkeypatch):
    """A card that is lost and found again is the same one if it lies where it lay
    (`is_same_place`): on the table, not in the picture."""
    quad = np.array([[100, 100], [160, 100], [160, 190], [100, 190]], np.float32)
    now = {"id": 1, "drift": (0.0, 0.0)}

    def see(_eyes, image):
        lies = (quad + now["drift"]).astype(np.float32)
        return [Presence(now["id"], "load:red:1", True, 1.0, lies, image.at, still=True)]

    monkeypatch.setattr("companion.readers.camera.reader.CardRecognizer.detect_cards", see)
    monkeypatch.setattr(
        "companion.readers.camera.reader.CardRecognizer.drift", property(lambda self: now["drift"])
    )
    listener = Listener()
    reader = CameraReader(Scripted(), library(), zones.make_default_zones(4))
    reader.attach(listener)
    for number, (card, drift) in enumerate([(1, (0, 0)), (1, (9, -4)), (1, (14, 6)), (2, (14, 6))]):
        now.update(id=card, drift=drift)
        reader.process_frame(frame(at=number / 30))
    told = [one for one in listener.reports if isinstance(one, Sighting)]
    assert [(one.track, one.present) for one in told] == [(1, True), (2, True), (1, False)]
    assert {one.quad for one in told} == {tuple(map(tuple, quad.tolist()))}
