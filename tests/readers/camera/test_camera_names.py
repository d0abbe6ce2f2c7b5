"""What a camera may be called, and what is said of one that gives no pictures."""

from __future__ import annotations

import os
import sys

import pytest
from cards import until

from companion.readers.camera.sources import CameraDevice, PhotoFolder, SourceError, VideoFile, find_source


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (PhotoFolder, "no_photos"),
        (lambda folder: PhotoFolder(folder / "absent"), "no_folder"),
        (lambda folder: PhotoFolder(folder / ("n" * 300)), "closed_folder"),
        (lambda folder: VideoFile(folder / "absent.avi"), "no_file"),
        (lambda folder: VideoFile(folder / "text.avi"), "no_film"),
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
    monkeypatch.setattr("companion.readers.camera.frames.RETRY_DELAYS", (0.01,))
    opened = []
    real = CameraDevice.open
    monkeypatch.setattr(CameraDevice, "open", lambda self: opened.append(1) or real(self))
    reader, listener = start(CameraDevice(93))
    listener.wait_for_health("camera.no_device" if sys.platform == "linux" else "camera.cannot_open")
    until(lambda: len(opened) >= 5)
    reader.close()
    assert len(listener.health()) == 2
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("0", CameraDevice),
        ("/dev/video7", CameraDevice),
        ("film.mp4", VideoFile),
        ("folder", PhotoFolder),
        ("absent.avi", VideoFile),
    ],
)
def test_a_camera_is_named_by_number_path_film_or_folder(tmp_path, monkeypatch, what, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "film.mp4").write_bytes(b"")
    assert type(find_source(what)) is kind


@pytest.mark.parametrize("what", ["9" * 5000, "a" * 5000])
def test_a_name_that_nothing_can_have_is_told_in_short(what):
    with pytest.raises(SourceError, match="no_file") as told:
        find_source(what)
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
            find_source(what).open()
