"""Cameras are known by name and identity, not by their number in the list."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from companion.readers.camera import devices, sources
from companion.readers.camera.sources import CameraDevice, SourceError, VideoFile, find_source

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/sys and /dev/v4l")


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


@on_linux
def test_nodes_of_metadata_are_left_out_and_cameras_are_chosen_by_name(computer):
    computer.plug(10, "Integrated Camera: Integrated C")
    computer.plug(2, "HD Pro Webcam C920")
    computer.plug(3, "HD Pro Webcam C920", index=1)
    assert [(node.device, node.name) for node in devices.list_camera_nodes()] == [
        ("/dev/video2", "HD Pro Webcam C920"),
        ("/dev/video10", "Integrated Camera"),
    ]
    assert find_source("c920").device == "/dev/video2"
    assert isinstance(find_source("film.avi"), VideoFile)
    with pytest.raises(SourceError, match="several"):
        find_source("ca")


@on_linux
def test_camera_number_0_is_opened(computer, monkeypatch):
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    monkeypatch.setattr(sources.Path, "exists", lambda _self: True)
    monkeypatch.setattr(sources.os, "access", lambda *_: True)
    Capture.opened = []
    CameraDevice(0).open()
    assert Capture.opened == [0]


@on_linux
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


@on_linux
def test_who_uses_a_camera_is_named(computer):
    device = computer.plug(0, "C920")
    open_files = computer.folder / "proc" / "77" / "fd"
    open_files.mkdir(parents=True)
    (open_files / "5").symlink_to(device)
    (open_files.parent / "comm").write_text("zoom\n")
    assert devices.find_programs_using(os.path.realpath(device)) == "zoom"
    assert devices.find_programs_using("/dev/video9") == ""


AVFOUNDATION, DIRECT_SHOW, MEDIA_FOUNDATION = 1200, 700, 1400


class Elsewhere:
    """A computer with macOS or Windows: what `cv2_enumerate_cameras` says of it, by interface."""

    def __init__(self):
        self.cameras = {}

    def plug(self, interface, *cameras):
        self.cameras[interface] = [
            SimpleNamespace(index=index, name=name, path=path) for index, (name, path) in enumerate(cameras)
        ]

    def enumerate_cameras(self, interface):
        return self.cameras[interface]


@pytest.fixture(params=["darwin", "win32"])
def elsewhere(request, monkeypatch):
    computer = Elsewhere()
    computer.usual = AVFOUNDATION if request.param == "darwin" else MEDIA_FOUNDATION
    computer.plug(computer.usual)
    computer.plug(DIRECT_SHOW)
    monkeypatch.setattr(devices, "IS_LINUX", False)
    monkeypatch.setattr(devices, "sys", SimpleNamespace(platform=request.param))
    monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", computer)
    monkeypatch.delitem(vars(devices.libraries), "cv2_enumerate_cameras", raising=False)
    monkeypatch.setattr(sources.cv2, "VideoCapture", Capture)
    Capture.opened = []
    yield computer
    vars(devices.libraries).pop("cv2_enumerate_cameras", None)


def test_elsewhere_cameras_are_chosen_by_name_and_found_again_by_their_ids(elsewhere):
    built_in, webcam = ("FaceTime HD Camera", "0x1"), ("HD Pro Webcam C920", "0x2")
    elsewhere.plug(elsewhere.usual, built_in, webcam)
    camera = find_source("c920")
    camera.open()
    camera.close()
    elsewhere.plug(elsewhere.usual, built_in)
    with pytest.raises(SourceError, match="no_device") as fault:
        camera.open()
    assert fault.value.text.args["there"] == "0 FaceTime HD Camera"
    # It is plugged in again, and another before it.
    elsewhere.plug(elsewhere.usual, ("C270", "0x0"), built_in, webcam)
    camera.open()
    assert Capture.opened == [1, 2]
    with pytest.raises(SourceError, match="several"):
        find_source("hd")


def test_elsewhere_a_camera_chosen_by_number_is_found_again_too(elsewhere):
    elsewhere.plug(elsewhere.usual, ("C920", "0x2"), ("C920", "0x3"))
    camera = CameraDevice(1)
    camera.open()
    elsewhere.plug(elsewhere.usual, ("C920", "0x3"))
    camera.open()
    assert Capture.opened == [1, 0]


def test_a_number_is_opened_where_no_cameras_are_listed(elsewhere):
    def fail(_interface):
        raise OSError("no camera interface")

    elsewhere.enumerate_cameras = fail
    assert devices.list_camera_nodes() == []
    camera = CameraDevice(0)
    camera.open()
    camera.open()
    assert Capture.opened == [0, 0]


@pytest.mark.parametrize("elsewhere", ["win32"], indirect=True)
def test_programs_that_pose_as_a_camera_on_windows_are_listed_once(elsewhere):
    elsewhere.plug(MEDIA_FOUNDATION, ("C920", "usb-2"))
    elsewhere.plug(DIRECT_SHOW, ("C920", "usb-2-other"), ("OBS Virtual Camera", None))
    assert [(node.number, node.name) for node in devices.list_camera_nodes()] == [
        ("0", "C920"),
        ("701", "OBS Virtual Camera"),
    ]
    find_source("obs").open()
    assert Capture.opened == [701]
