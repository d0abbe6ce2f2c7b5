"""Sources of frames: a camera device, a video file, a folder of photos, a network camera, a phone's
browser.

Each source is opened, read and closed by one thread. `find_source` returns the source that a person
named.
"""

from __future__ import annotations

import math
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readers import thread
from companion.readers.camera import devices
from companion.readers.camera.addresses import SCHEMES, find_host, is_camera_url
from companion.readers.camera.jpeg_frames import FrameTooLarge, check_frame_size, decode_jpeg_frame
from companion.readers.camera.photo_files import PhotoListing, list_photos
from companion.rules.contract import Problem, Text
from companion.table.sightings import Battery, NoPictures
from companion.texts import describe_os_error
from companion.user_files import expand_path
from vision.errors import PhotoError
from vision.photo import load_photo

_MISSES = 5

# OpenCV and FFmpeg print warnings to the terminal, which would appear in the middle of the
# dashboard.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

Wait = Callable[[float], bool]
"""Sleep for at most so many seconds; return whether the reader is to end."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture: BGR uint8, its time (seconds on the monotonic clock), and the name of its file,
    if any.

    `alone`: a separate photo, unrelated to the one before; otherwise a frame of a moving scene.
    """

    image: NDArray[np.uint8]
    at: float
    name: str = ""
    alone: bool = False


class SourceError(Problem):
    """Raised when no frames can be had. `text` says why and what to do. `skip`: only this picture
    is bad, the next one may be readable."""

    prefix = "reader.camera."

    def __init__(self, code: str, *, skip: bool = False, **args: Any) -> None:
        super().__init__(code, **args)
        self.skip = skip


def check_encoding(name: str) -> str:
    """Return the name of a device, film or address for OpenCV; raise `SourceError` if it is not
    valid UTF-8.

    OpenCV 4 and 5 do not check for that, and crash the whole program with a segmentation fault.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SourceError("odd_name", file=name) from None
    return name


class Source(ABC):
    """Base class of sources of frames. `keeps_every_frame`: each frame counts and waits until it
    was looked at; otherwise only the newest one counts.

    `can_reconnect`: it may come back after it was lost (a device that is plugged in again).
    `silence_timeout`: seconds for which `read` may return nothing before players are told; infinite
    for photos, which wait for their turn. `frozen_timeout`: seconds for which pictures may be
    identical to the last bit; see `BlindnessDetector`.
    """

    keeps_every_frame: bool = True
    can_reconnect: ClassVar[bool] = False
    silence_timeout: float = math.inf
    retry_delay: ClassVar[float] = math.inf
    """Longest pause in seconds until it is tried again after it was lost."""
    opening_factor: ClassVar[float] = 3.0
    """Factor by which it may be silent for longer while it is being opened."""
    frozen_timeout: float = math.inf

    def __init__(self, name: str) -> None:
        self.name = name
        self.battery: Battery | None = None
        """Battery of the device, where it reports one."""

    def open(self) -> None:
        """Prepare for reading; raise `SourceError` if that is not possible."""
        return

    def describe_ok(self, width: int, height: int) -> Text:
        """Return the message that pictures of this size (pixels) come in."""
        return Text("reader.camera.ok", {"device": self.name, "width": width, "height": height})

    def describe_lateness(self, waited: float) -> Text | None:
        """Return a message if frames are older than people would expect, else None. `waited`:
        seconds for which the next frame has been waited for."""
        return None

    def describe_silence(self) -> Text:
        """Return the message that the source has been silent for too long."""
        return Text("reader.camera.silent", {"device": self.name, "seconds": round(self.silence_timeout)})

    @contextmanager
    def _refuse_too_large(self) -> Iterator[None]:
        """Tell people about pictures that are too large to decode. Raises `SourceError`."""
        try:
            yield
        except FrameTooLarge as found:
            raise SourceError("too_large", device=self.name, width=found.width, height=found.height) from None

    @abstractmethod
    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame, None at the end or when `wait` returns true; raise `SourceError`
        if the device is lost."""

    def close(self) -> None:
        """Release the device or file."""
        return


class CameraDevice(Source):
    """Camera by its number or device path. `size`: width and height in pixels to request."""

    keeps_every_frame = False
    can_reconnect = True
    silence_timeout = thread.CAMERA_TIMEOUT
    frozen_timeout = 5.0

    def __init__(self, device: int | str, size: tuple[int, int] = (1280, 720)) -> None:
        super().__init__(str(device))
        self.device = device
        self.size = size
        self._identity = ""
        self._capture: cv2.VideoCapture | None = None

    def open(self) -> None:
        """Open the camera and request compressed frames, for which USB has enough bandwidth. A
        camera that was open before is opened again wherever it is now."""
        device: int | str | None = self.device
        if self._identity:
            # After a suspend its number may be another camera's.
            device = devices.find_device(self._identity)
        path = Path(f"/dev/video{device}" if isinstance(device, int) else device or "")
        # OpenCV says only that it did not open; on Linux we can say whether it is missing or
        # forbidden.
        if device is None or (devices.IS_LINUX and not path.exists()):
            raise SourceError("no_device", device=self.name, there=_list_devices())
        if devices.IS_LINUX and not os.access(path, os.R_OK | os.W_OK):
            raise SourceError("no_permission", device=str(path))
        capture = cv2.VideoCapture(device if isinstance(device, int) else check_encoding(device))
        if not capture.isOpened():
            capture.release()
            if programs := devices.find_programs_using(str(path.resolve())):
                raise SourceError("used_by", device=self.name, programs=programs)
            raise SourceError("cannot_open", device=self.name)
        self._identity = self._identity or devices.find_identity(device)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        # Otherwise frames that waited in the driver during a long look would be delivered late.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._capture = capture

    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame; raise `SourceError` (unplugged) after `_MISSES` bad ones in a
        row."""
        for _ in range(_MISSES):
            if self._capture is None:
                break
            good, image = self._capture.read()
            if good and image is not None and image.size:
                return Frame(np.asarray(image, dtype=np.uint8), time.monotonic())
            if wait(0.05):
                return None
        raise SourceError("unplugged", device=self.name)

    def close(self) -> None:
        """Release the camera."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class VideoFile(Source):
    """Video file. `real_time`: played at its own frame rate, where only the newest frame counts;
    otherwise every frame counts."""

    def __init__(self, path: Path, *, real_time: bool = True) -> None:
        super().__init__(path.name)
        self.path = path
        self.keeps_every_frame = not real_time
        self._capture: cv2.VideoCapture | None = None
        self._began = 0.0
        self._number = 0
        self._rate = 25.0
        self._count = 0.0

    def open(self) -> None:
        """Open the file; raise `SourceError` if it is missing or not a video."""
        if not self.path.is_file():
            raise SourceError("no_file", file=str(self.path))
        capture = cv2.VideoCapture(check_encoding(str(self.path)))
        if not capture.isOpened():
            capture.release()
            raise SourceError("no_film", file=self.name)
        rate = capture.get(cv2.CAP_PROP_FPS)
        # A file without a rate reports 0, or the ticks of its clock (90,000).
        self._rate = rate if 1 <= rate <= 240 else 25.0
        self._count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self._capture, self._began, self._number = capture, time.monotonic(), 0

    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame at its time, None after the last; raise `SourceError` if there is
        none at all, or the file breaks off."""
        if self._capture is None:
            return None
        good, image = self._capture.read()
        if not good or image is None:
            if self._number == 0:
                raise SourceError("empty_film", file=self.name)
            # Only half: where the frame rate changes, the reported length is a guess.
            if self._number < self._count / 2:
                raise SourceError("broken_film", file=self.name, seconds=round(self._number / self._rate))
            return None
        at = self._began + self._number / self._rate
        self._number += 1
        if not self.keeps_every_frame and wait(at - time.monotonic()):
            return None
        return Frame(np.asarray(image, dtype=np.uint8), at)

    def close(self) -> None:
        """Close the file."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class PhotoFolder(Source):
    """Folder of photos, in the order of `list_photos`; each one is a separate reveal.

    `interval`: seconds between two photos; None: each comes when `show_next` is called. The first
    comes at once.
    """

    def __init__(self, folder: Path, interval: float | None = None) -> None:
        super().__init__(folder.name)
        self.folder = folder
        self.interval = interval
        self.listing = PhotoListing((), False)
        self._number = 0
        self._turns = threading.Semaphore(0)

    def open(self) -> None:
        """List the photos of the folder; raise `SourceError` if there are none."""
        try:
            listing = list_photos(self.folder) if self.folder.is_dir() else None
        except OSError as fault:
            reason = describe_os_error(fault)
            raise SourceError("closed_folder", folder=str(self.folder), reason=reason) from fault
        if listing is None:
            raise SourceError("no_folder", folder=str(self.folder))
        if not listing.photos:
            raise SourceError("no_photos", folder=str(self.folder))
        self.listing = listing

    @property
    def files(self) -> tuple[Path, ...]:
        """The photos in their order."""
        return self.listing.photos

    def show_next(self) -> None:
        """Let the next photo come."""
        self._turns.release()

    def read(self, wait: Wait) -> Frame | None:
        """Return the next photo when its turn has come, None after the last. A damaged photo raises
        `SourceError` with `skip`."""
        if self._number and not self._wait_for_turn(wait):
            return None
        if self._number >= len(self.files):
            return None
        file = self.files[self._number]
        self._number += 1
        try:
            image = load_photo(file)
        except PhotoError as error:
            # A photo that cannot be shown is not waited for.
            self._turns.release()
            raise SourceError("bad_photo", skip=True, file=file.name, why=str(error)) from error
        return Frame(image, time.monotonic(), file.name, alone=True)

    def _wait_for_turn(self, wait: Wait) -> bool:
        deadline = None if self.interval is None else time.monotonic() + self.interval
        # Polled, not awaited: only `wait` knows when the reader is to end.
        while not self._turns.acquire(blocking=False):
            if wait(0.02):
                return False
            if deadline is not None and time.monotonic() >= deadline:
                return True
        return True


def _list_devices() -> str | Text:
    """List the cameras of this computer, for a person to choose from."""
    nodes = devices.list_camera_nodes()
    return ", ".join(f"{node.number} {node.name}" for node in nodes) or Text("list.none")


OPEN_TIMEOUT_MS, READ_TIMEOUT_MS = 5000, 4000
"""Milliseconds within which a network camera must open, and deliver each frame, before it counts as
lost."""
_MJPEG = cv2.VideoWriter.fourcc(*"MJPG")


class NetworkCamera(Source):
    """Camera in the local network: MJPEG over HTTP, as phone apps serve it, or RTSP, as
    surveillance cameras do.

    Its name is the host alone: the address may contain a password, so it appears on no screen and
    in no file.
    """

    keeps_every_frame = False
    can_reconnect = True
    silence_timeout = thread.NETWORK_CAMERA_TIMEOUT
    # In a compressed stream nothing may change for many seconds.
    frozen_timeout = 60.0

    def __init__(self, address: str) -> None:
        super().__init__(find_host(address))
        self._address = address
        self._capture: cv2.VideoCapture | None = None
        self._sends_jpegs = False

    def __repr__(self) -> str:
        """Show only the host."""
        return f"NetworkCamera({self.name!r})"

    def open(self) -> None:
        """Connect; raise `SourceError` if nothing answers in time, or no pictures come."""
        capture = cv2.VideoCapture()
        limits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS),
        ]
        # FFmpeg explicitly: of OpenCV's back ends only it and GStreamer respect these timeouts.
        if not capture.open(check_encoding(self._address), cv2.CAP_FFMPEG, limits):
            capture.release()
            raise SourceError("no_network_camera", device=self.name)
        self._capture = capture
        # Of MJPEG we take the JPEGs as they are, because FFmpeg would decode any size. Of other
        # codecs the stream tells the size before the first picture.
        self._sends_jpegs = int(capture.get(cv2.CAP_PROP_FOURCC)) == _MJPEG and capture.set(
            cv2.CAP_PROP_FORMAT, -1
        )
        if not self._sends_jpegs:
            width, height = cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT
            with self._refuse_too_large():
                check_frame_size(int(capture.get(width)), int(capture.get(height)))

    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame; raise `SourceError` if none comes in time, or too large ones."""
        for _ in range(_MISSES):
            good, image = self._capture.read() if self._capture is not None else (False, None)
            if not good or image is None or not image.size:
                break
            at = time.monotonic()
            with self._refuse_too_large():
                if self._sends_jpegs:
                    image = decode_jpeg_frame(np.asarray(image, dtype=np.uint8).ravel())
                else:
                    check_frame_size(image.shape[1], image.shape[0])
            if image is not None:
                return Frame(np.asarray(image, dtype=np.uint8), at)
            if wait(0.0):
                return None
        raise SourceError("network_camera_lost", device=self.name)

    def close(self) -> None:
        """Disconnect."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


_STEP = 0.1
LATE_AFTER = 1.0
"""Delay in seconds up to which players are not warned about a phone's pictures."""
FLOW_WINDOW = 5.0
"""Seconds over which a phone's pictures are counted."""


class PictureFlow(NamedTuple):
    """Rates at which a phone's pictures arrive: pictures a second, kilobytes a second, and their
    delay in seconds (median over some seconds)."""

    rate: int
    kilobytes: int
    late: float


class PhoneCamera(Source):
    """Phone as camera: its browser sends JPEG pictures, of which only the newest counts. It may
    disappear and come back at any moment. `receive_picture` may be called from any thread."""

    keeps_every_frame = False
    can_reconnect = True
    silence_timeout = thread.PHONE_TIMEOUT
    opening_factor = 1.0
    retry_delay = 0.1
    frozen_timeout = 5.0

    def __init__(self) -> None:
        super().__init__("phone")
        self._changed = threading.Condition()
        self._newest: tuple[bytes, float] | None = None
        self._there = False
        self._missing = "no_phone"
        self._blind: NoPictures = ""
        self._late = 0.0
        self._counted: list[tuple[int, float]] = []
        self._since = 0.0
        self.flow: PictureFlow | None = None
        """Rates at which pictures came lately; None before they are known."""

    def receive_picture(self, picture: bytes, late: float = 0.0) -> None:
        """Store a picture that has just arrived, replacing one that was not looked at.
        `describe_lateness`: seconds since it was taken."""
        now = time.monotonic()
        with self._changed:
            self._newest = (picture, now)
            self._there, self._late = True, late
            # Once a phone was there, the message is that it has gone.
            self._missing = "phone_lost"
            self._update_flow(len(picture), now)
            self._changed.notify_all()

    def _update_flow(self, size: int, now: float) -> None:
        # The first picture at all, or after a pause.
        if now - self._since > 2 * FLOW_WINDOW:
            self._counted, self._since = [], now
        self._counted.append((size, self._late))
        lasted = now - self._since
        if lasted >= FLOW_WINDOW:
            sizes, lates = zip(*self._counted, strict=True)
            rate, kilobytes = round(len(sizes) / lasted), round(sum(sizes) / lasted / 1000)
            self.flow = PictureFlow(rate, kilobytes, round(float(np.median(lates)), 2))
            self._counted, self._since = [], now

    def set_battery(self, battery: Battery | None) -> None:
        """Set the phone's battery; None if its browser does not tell."""
        self.battery = battery

    def set_block_reason(self, reason: NoPictures) -> None:
        """Set the reason why the phone sends no pictures ("": it does)."""
        with self._changed:
            self._blind = reason
            self._changed.notify_all()

    @property
    def is_sending(self) -> bool:
        """Whether a phone is connected and sending."""
        return self._there

    def disconnect(self) -> None:
        """Note that the phone has disconnected."""
        with self._changed:
            self._there = False
            self._blind = ""
            self.battery = self.flow = None
            self._changed.notify_all()

    def open(self) -> None:
        """Return if a phone is sending; raise `SourceError` while none is."""
        with self._changed:
            if self._blind:
                raise SourceError(_BLIND[self._blind])
            if not self._there:
                raise SourceError(self._missing)

    def read(self, wait: Wait) -> Frame | None:
        """Return the newest picture that can be decoded, each once; raise `SourceError` when the
        phone has gone or its camera has stopped."""
        while True:
            with self._changed:
                newest, self._newest = self._newest, None
                if newest is None:
                    # In short steps, so that the reader's end is noticed while no phone sends.
                    self._changed.wait(_STEP)
            if newest is not None:
                # Outside the lock: `receive_picture` runs in the server's thread, which must not
                # wait for decoding.
                with self._refuse_too_large():
                    image = decode_jpeg_frame(np.frombuffer(newest[0], np.uint8))
                if image is not None:
                    return Frame(image, newest[1])
            if wait(0.0):
                return None
            if self._blind:
                raise SourceError(_BLIND[self._blind])
            if not self._there:
                raise SourceError(self._missing)

    def describe_ok(self, width: int, height: int) -> Text:
        """Return the message about incoming pictures, their data rate and the battery."""
        args: dict[str, object] = {"device": self.name, "width": width, "height": height}
        battery, flow = self.battery, self.flow
        if battery is not None:
            args["level"] = battery.level
        if battery is not None and battery.is_low:
            return Text("reader.camera.battery_low", args)
        if flow is not None:
            args |= {"rate": flow.rate, "kilobytes": flow.kilobytes, "late": flow.late}
            return Text("reader.camera.ok_phone", args)
        return Text("reader.camera.ok" if battery is None else "reader.camera.ok_battery", args)

    def describe_lateness(self, waited: float) -> Text | None:
        """Return a message if no picture has come for a second, or if those that come are late;
        else None."""
        if waited > LATE_AFTER:
            return Text("reader.camera.phone_late")
        return (
            Text("reader.camera.phone_slow", {"late": round(self._late, 1)})
            if self._late > LATE_AFTER
            else None
        )

    def describe_silence(self) -> Text:
        """Return the message that the phone sends nothing."""
        return Text("reader.camera.phone_lost")


_BLIND = {"taken": "phone_blind", "away": "phone_away"}

PHONE = "phone"
"""Value of `--camera` for a phone's browser."""

_DIGITS = 9
"""Longest camera number in digits: Python reads at most 4,300, OpenCV takes 32 bits."""

_SHOWN = 80
"""Characters shown of a name that is too long for a file."""


def find_source(name: str, *, interval: float | None = None, size: tuple[int, int] = (1280, 720)) -> Source:
    """Return the source for what a person typed.

    That may be a camera's number, device path (on Linux) or part of its name, `phone`, an address
    (`http://`, `https://`, `rtsp://`), a video file, or a folder of photos. Raises `SourceError`
    for an address of another scheme, for a name that no file can have, and for one that several
    cameras have.
    """
    if name == PHONE:
        return PhoneCamera()
    if is_camera_url(name):
        if name.partition("://")[0].lower() not in SCHEMES:
            raise SourceError("odd_scheme", device=find_host(name))
        return NetworkCamera(name)
    path = expand_path(name)
    if name.isdecimal() and len(name) <= _DIGITS:
        return CameraDevice(int(name), size)
    try:
        if path.is_dir():
            return PhotoFolder(path, interval)
        if path.is_file():
            return VideoFile(path)
    except OSError as fault:
        # The name is too long for a file.
        raise SourceError("no_file", file=name[:_SHOWN]) from fault
    if name.startswith("/dev/"):
        return CameraDevice(name, size)
    named = devices.find_nodes_named(name)
    if len(named) > 1:
        raise SourceError("several", device=name, there=_list_devices())
    return CameraDevice(named[0].device, size) if named else VideoFile(path)
