"""Cameras are known by name and identity, not by their number in the list."""

from __future__ import annotations

import os
import sys

import pytest

from companion.readers.camera import devices, sources
from companion.readers.camera.sources import CameraDevice, SourceError, VideoFile, find_source

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/sys and /dev/v4l")


class Computer:
    """The files of Linux that tell which cameras there are."""

    def __init__(self, folder):
        self.folder = folder

    def plug(self, number, name, identity=None, index=0):
        node = self.folder / "sys" / f"video{number}"
        node.mkdir(parents=True)
        (node / "index").write_text(f"{index}\n")
        (node / "name").write_text(f"{name}\n")
        (self.folder / "dev").mkdir(exist_ok=True)
        device = self.folder / "dev" / f"video{number}"
        device.touch()
        if identity:
            link = self.folder / "v4l" / identity
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(device)
        return str(device)


@pytest.fixture
def computer(tmp_path, monkeypatch):
    monkeypatch.setattr(devices, "NODES", tmp_path / "sys")
    monkeypatch.setattr(devices, "LINKS", tmp_path / "v4l")
    monkeypatch.setattr(devices, "PROCESSES", tmp_path / "proc")
    return Computer(tmp_path)


class Capture:
    """OpenCV's camera: opens what exists."""

    opened: list[str | int] = []

    def __init__(self, device):
        self.opened.append(device)

    def isOpened(self):  # noqa: N802 - OpenCV's name
        return True

    def set(self, *_):
        return True

    def release(self):
        pass


def test_nodes_of_metadata_are_left_out_and_cameras_are_chosen_by_name(computer):
    computer.plug(10, "Integrated Camera: Integrated C")
    computer.plug(2, "HD Pro Webcam C920")
    computer.plug(3, "HD Pro Webcam C920", index=1)
    assert [(node.path, node.name) for node in devices.list_camera_nodes()] == [
        ("/dev/video2", "HD Pro Webcam C920"),
        ("/dev/video10", "Integrated Camera"),
    ]
    assert find_source("c920").device == "/dev/video2"
    assert isinstance(find_source("film.avi"), VideoFile)
    with pytest.raises(SourceError, match="several"):
        find_source("ca")


def test_camera_number_0_is_opened(computer, monkeypatch):
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(sources.Path, "exists", lambda _self: True)
    monkeypatch.setattr(sources.os, "access", lambda *_: True)
    Capture.opened = []
    CameraDevice(0).open()
    assert Capture.opened == [0]


def test_the_same_camera_is_opened_again_and_not_the_same_number(computer, monkeypatch):
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    Capture.opened = []
    name = "by-id/usb-Logitech_C920_1234-video-index0"
    first = computer.plug(0, "C920", name)
    camera = CameraDevice(first)
    camera.open()
    camera.close()
    (computer.folder / "v4l" / name).unlink()
    with pytest.raises(SourceError, match="no_device"):
        camera.open()
    again = computer.plug(2, "C920", name)
    camera.open()
    assert Capture.opened == [first, again]


def test_who_uses_a_camera_is_named(computer):
    device = computer.plug(0, "C920")
    open_files = computer.folder / "proc" / "77" / "fd"
    open_files.mkdir(parents=True)
    (open_files / "5").symlink_to(device)
    (open_files.parent / "comm").write_text("zoom\n")
    assert devices.find_programs_using(os.path.realpath(device)) == "zoom"
    assert devices.find_programs_using("/dev/video9") == ""
