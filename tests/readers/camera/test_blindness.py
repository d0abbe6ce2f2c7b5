"""A camera that sees nothing is not called well: black, frozen, tiny pictures, a driver that hangs,
films and photos that cannot be read."""

from __future__ import annotations

import math
import threading

import cv2
import numpy as np
import pytest
from cards import Listener, until

from companion.readers.camera import frames
from companion.readers.camera.frames import (
    DARK_DELAY,
    RATE_SAMPLES,
    SMALLEST,
    AnalysisRate,
    BlindnessDetector,
    FrameForwarder,
)
from companion.readers.camera.reader import CameraReader, PictureWatchdog
from companion.readers.camera.sources import CameraDevice, Frame, PhoneCamera, PhotoFolder, VideoFile
from companion.table.zones import Zones
from companion.texts import Translator
from tests.readers.camera.script import Scripted, frame
from vision.library import Library

GRAIN = np.random.default_rng(1)


def grainy(bright: float = 100, shape=(90, 160, 3)):
    """A picture with the noise that every real camera has."""
    return np.clip(GRAIN.normal(bright, 2, shape), 0, 255).astype(np.uint8)


STILL = grainy()


@pytest.mark.parametrize(
    ("pictures", "said"),
    [
        ([grainy(), grainy(), grainy(), grainy()], [None, None, None, None]),
        ([STILL, STILL, STILL, STILL], [None, None, None, "frozen"]),
        ([STILL, STILL, grainy(), STILL], [None, None, None, None]),
        ([grainy(3), grainy(3), grainy(), grainy(3)], ["", "black", None, ""]),
        (
            [np.zeros((90, 160, 3), np.uint8)] * 4,
            ["", "black", "black", "black"],
        ),  # no more frozen than black
        ([grainy(shape=(1, 1, 3))], ["small"]),
        ([grainy(shape=(SMALLEST, SMALLEST, 3))], [None]),
    ],
)
def test_what_shows_that_a_picture_shows_nothing(pictures, said) -> None:
    blindness = BlindnessDetector(same=3 * DARK_DELAY)
    assert [blindness.find_problem(frame(one, n * DARK_DELAY)) for n, one in enumerate(pictures)] == said


def test_what_was_recorded_may_stand_still_and_a_photo_may_be_dark() -> None:
    blindness = BlindnessDetector(VideoFile.frozen_timeout)
    assert [blindness.find_problem(frame(STILL, float(at))) for at in range(1000)] == [None] * 1000
    night = Frame(np.zeros((90, 160, 3), np.uint8), 0.0, "night.jpg", alone=True)
    assert {blindness.find_problem(night) for _ in range(10)} == {None}


@pytest.fixture
def watching(listening):
    return lambda source: listening(FrameForwarder(source, lambda _frame: True))


class Moving(Scripted):
    """A camera with noise of its own that shows the script's pictures."""

    frozen_timeout = 0.3

    def __init__(self, *script) -> None:
        super().__init__(*script)
        self.grain = True

    def read(self, wait):
        taken = super().read(wait)
        return frame(grainy(), taken.at) if taken is not None and self.grain else taken


def test_a_frozen_camera_is_opened_anew_and_well_when_it_moves_again(watching, monkeypatch) -> None:
    monkeypatch.setattr(frames, "RETRY_DELAYS", (0.01,))
    camera = Moving(grainy())
    _, listener = watching(camera)
    listener.wait_for_health("camera.ok")
    camera.grain = False
    assert listener.wait_for_health("camera.frozen").state == "lost"
    until(lambda: camera.opened >= 3)  # tried again and again, and said once
    camera.grain = True
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))
    assert [code for _, code in listener.health()].count("camera.frozen") == 1


def test_a_covered_lens_is_told_and_nobody_looks_at_the_dark(watching, monkeypatch) -> None:
    monkeypatch.setattr("companion.readers.camera.frames.DARK_DELAY", 0.1)
    covered = threading.Event()
    dark = np.zeros((90, 160, 3), np.uint8)
    reader, listener = watching(
        Scripted(grainy(), lambda: reader.processed_frames, dark, covered.is_set, grainy())
    )
    listener.wait_for_health("camera.ok")
    assert listener.wait_for_health("camera.black").state == "lost"
    looked = reader.processed_frames
    covered.set()
    until(lambda: reader.processed_frames > looked)
    assert listener.health()[-1] == ("ok", "camera.ok")


def test_a_picture_of_one_point_is_no_picture(watching) -> None:
    reader, listener = watching(Scripted(grainy(shape=(1, 1, 3))))
    assert listener.wait_for_health("camera.small").state == "lost"
    assert reader.processed_frames == 0


class Hanging(Scripted):
    """A driver that does not come back."""

    silence_timeout = 0.1

    def __init__(self, *script) -> None:
        super().__init__(*script)
        self.back = threading.Event()
        self.hangs = False

    def read(self, wait):
        if self.hangs:
            self.back.wait()
        return super().read(wait)


def test_a_driver_that_hangs_is_told_and_well_when_it_comes_back(watching) -> None:
    camera = Hanging(grainy())
    _, listener = watching(camera)
    listener.wait_for_health("camera.ok")
    camera.hangs = True
    assert listener.wait_for_health("camera.silent").state == "lost"
    camera.back.set()
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))


def test_nobody_waits_for_a_driver_that_hangs(watching, monkeypatch) -> None:
    monkeypatch.setattr(frames, "RELEASE_TIMEOUT", 0.1)
    camera = Hanging(grainy())
    reader, listener = watching(camera)
    listener.wait_for_health("camera.ok")
    camera.hangs = True
    listener.wait_for_health("camera.silent")
    reader.close()
    assert camera.closed == 0  # it still hangs
    told = len(listener.reports)
    camera.hangs = False
    again = Listener()
    reader.start(again)  # waits for the device, which the one left behind still holds
    again.wait_for_health("camera.silent")
    camera.back.set()
    again.wait_for_health("camera.ok")
    assert (camera.opened, camera.closed) == (2, 1)
    assert len(listener.reports) == told


def test_real_cameras_have_both_limits() -> None:
    assert CameraDevice(0).silence_timeout < 10
    assert CameraDevice(0).frozen_timeout < 10
    assert PhoneCamera().frozen_timeout < 10


def jpeg(image) -> bytes:
    return cv2.imencode(".jpg", image)[1].tobytes()


def test_a_phone_that_sends_the_same_picture_again_and_again_is_told(watching, monkeypatch) -> None:
    monkeypatch.setattr(PhoneCamera, "frozen_timeout", 0.3)
    phone = PhoneCamera()
    _, listener = watching(phone)
    taking = threading.Event()
    picture = jpeg(STILL)

    def send() -> None:
        while not taking.wait(0.02):
            phone.receive_picture(picture)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        assert listener.wait_for_health("camera.frozen").state == "lost"
    finally:
        taking.set()
        thread.join()


def test_a_phone_that_says_its_camera_has_stopped_is_lost_until_it_sees(watching, monkeypatch) -> None:
    monkeypatch.setattr(frames, "RETRY_DELAYS", (0.01,))
    phone = PhoneCamera()
    _, listener = watching(phone)
    phone.receive_picture(jpeg(grainy()))
    listener.wait_for_health("camera.ok")
    phone.set_block_reason("taken")
    assert listener.wait_for_health("camera.phone_blind").state == "lost"
    phone.set_block_reason("")
    phone.receive_picture(jpeg(grainy()))
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))


@pytest.mark.parametrize(("late", "code"), [(0.0, "phone_late"), (2.5, "phone_slow")])
def test_a_phones_picture_that_is_old_is_said_once_and_until_they_come_in_time(
    watching, monkeypatch, late, code
) -> None:
    monkeypatch.setattr(frames, "RECOVERY_TIME", 0.2)
    phone = PhoneCamera()
    _, listener = watching(phone)
    phone.receive_picture(jpeg(grainy()))
    listener.wait_for_health("camera.ok")
    phone.receive_picture(jpeg(grainy()), late)  # and then none for a while
    assert listener.wait_for_health(f"camera.{code}").state == "look"

    def well() -> bool:
        phone.receive_picture(jpeg(grainy()))
        return listener.health()[-1][0] == "ok"

    until(well)


@pytest.mark.parametrize("camera", ["device", "phone"])
def test_a_computer_that_looks_too_seldom_is_told_until_it_keeps_up(watching, monkeypatch, camera) -> None:
    monkeypatch.setattr(frames, "RECOVERY_TIME", 0.2)
    monkeypatch.setattr(frames, "LOWEST_RATE", math.inf)
    source = Moving(grainy()) if camera == "device" else PhoneCamera()

    def told(state: str, code: str) -> bool:
        if isinstance(source, PhoneCamera):
            source.receive_picture(jpeg(grainy()))
        return listener.health()[-1] == (state, code)

    _, listener = watching(source)
    until(lambda: told("look", "camera.slow_computer"))
    monkeypatch.setattr(frames, "LOWEST_RATE", 0.0)
    until(lambda: told("ok", "camera.ok"))


def test_a_look_of_which_one_is_slow_is_not_told() -> None:
    rate = AnalysisRate()
    for number in range(2 * RATE_SAMPLES):
        rate.record_duration(3.0 if number % 3 == 0 else 0.1)
    assert (round(rate.per_second or 0), rate.slow_notice) == (10, None)


def test_a_phone_that_is_turned_is_looked_at_in_its_new_shape(watching) -> None:
    phone = PhoneCamera()
    reader, listener = watching(phone)
    for picture in (grainy(), np.rot90(grainy()).copy()):
        phone.receive_picture(jpeg(picture))
        size = picture.shape[1::-1]
        until(lambda size=size: reader.frame_size == size and listener.health()[-1] == ("ok", "camera.ok"))


def test_a_phone_that_has_gone_is_asked_back_not_for_its_code_as_if_there_had_been_none(watching) -> None:
    phone = PhoneCamera()
    _, listener = watching(phone)
    listener.wait_for_health("camera.no_phone")
    phone.receive_picture(jpeg(grainy()))
    listener.wait_for_health("camera.ok")
    phone.set_block_reason("away")
    listener.wait_for_health("camera.phone_away")
    phone.disconnect()  # locked for so long that its line was given up
    listener.wait_for_health("camera.phone_lost")
    phone.receive_picture(jpeg(grainy()))
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))
    assert [code for _, code in listener.health()].count("camera.no_phone") == 1


def test_what_is_no_picture_does_not_make_a_phone_well(watching, monkeypatch) -> None:
    monkeypatch.setattr(PhoneCamera, "silence_timeout", 0.2)
    phone = PhoneCamera()
    _, listener = watching(phone)
    monkeypatch.setattr(frames, "RETRY_DELAYS", (0.01,))

    def told() -> bool:
        phone.receive_picture(b"no picture")
        return listener.health()[-1] == ("lost", "camera.phone_lost")

    until(told)
    assert "ok" not in [state for state, _ in listener.health()]


def damaged_film(folder, kept: float):
    """A film whose file is garbage from some part of it on."""
    file = folder / "evening.avi"
    film = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 15, (320, 240))
    for _ in range(45):
        film.write(grainy(shape=(240, 320, 3)))
    film.release()
    data = bytearray(file.read_bytes())
    good = max(int(kept * len(data)), data.find(b"movi") + 4)  # the head says that it is a film
    data[good:] = GRAIN.integers(0, 256, len(data) - good, dtype=np.uint8).tobytes()
    file.write_bytes(data)
    return VideoFile(file, real_time=False)


@pytest.mark.parametrize(("kept", "said"), [(0.0, "camera.empty_film"), (0.3, "camera.broken_film")])
def test_a_film_that_cannot_be_read_is_told_by_its_name(tmp_path, watching, kept, said) -> None:
    _, listener = watching(damaged_film(tmp_path, kept))
    told = listener.wait_for_health(said)
    assert told.needs_attention
    for language in ("en", "fr", "de"):
        assert "evening.avi" in Translator(language).translate(told.text)
    assert listener.health()[-1] == ("lost", said)


def folder_of(tmp_path, *good: bool) -> PhotoFolder:
    for number, one in enumerate(good, 1):
        file = tmp_path / f"photo-{number}.jpg"
        file.write_bytes(jpeg(grainy()) if one else b"\xff\xd8\xff no photo")
    return PhotoFolder(tmp_path, interval=0.05)


def test_damaged_photos_are_named_for_as_long_as_the_next_good_one_is_shown(tmp_path, watching) -> None:
    _, listener = watching(folder_of(tmp_path, False, False, True, True))
    listener.wait_for_health("camera.ended")
    assert listener.health() == [
        ("starting", "camera.starting"),
        ("look", "camera.bad_photo"),
        ("look", "camera.bad_photo"),
        ("ok", "camera.ok"),
        ("off", "camera.ended"),
    ]
    told = listener.reports[2]
    assert told.needs_attention
    assert told.text.args["file"] == "photo-1.jpg, photo-2.jpg"


def test_a_folder_of_damaged_photos_says_so_at_its_end(tmp_path, watching) -> None:
    _, listener = watching(folder_of(tmp_path, False, False))
    told = listener.wait_for_health("camera.ended_damaged")
    assert (told.state, told.text.args["file"]) == ("lost", "photo-1.jpg, photo-2.jpg")


def test_a_fault_of_the_whole_picture_is_told_when_it_lasts() -> None:
    class Recognizer:
        fault: str | None = "blurred"

        def find_picture_fault(self, _frame: Frame) -> str | None:
            return self.fault

    watchdog, recognizer = PictureWatchdog(), Recognizer()
    told = []
    for at in np.arange(0, 3, 0.5):
        watchdog.check_frame(Frame(grainy(), float(at)), recognizer)  # type: ignore[arg-type]
        told.append(watchdog.lasting_fault)
    # a camera that starts is out of focus for a moment
    assert told == [None] * 4 + ["blurred"] * 2
    recognizer.fault = None
    watchdog.check_frame(Frame(grainy(), 4.0), recognizer)  # type: ignore[arg-type]
    assert watchdog.lasting_fault is None


def test_a_picture_without_colour_is_told_with_what_to_do() -> None:
    reader = CameraReader(Moving(grainy()), Library(), Zones(()))
    for at in range(4):
        reader.process_frame(Frame(grainy(shape=(360, 640, 3)), float(at)))
    notice = reader.picture_notice
    assert notice is not None
    assert notice.code == "reader.camera.colourless"
