"""Where a camera's frames come from: a device, a film, a folder of photos, a camera of the local
network, a phone's browser; and which of them a person named (`find`).

Each is opened, read and closed by one thread.
"""

from __future__ import annotations

import math
import os
import re
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.given_files import path_of
from companion.readers import thread
from companion.readers.camera.addresses import SCHEMES, host, is_address
from companion.rules.contract import Problem, Text
from companion.table.sightings import Battery, NoPictures
from companion.texts import system_reason
from vision.errors import PhotoError
from vision.photo import decode, load

PHOTOS = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"}
"""What counts as a photo in a folder, by the end of its name."""
_MISSES = 5

# OpenCV and its video library write warnings straight to the terminal, that is, into the dashboard.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

Wait = Callable[[float], bool]
"""Sleep for at most so many seconds; the answer tells whether the reader is to end."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture: BGR uint8, when it came in (seconds on the monotonic clock), and the file it is
    from, if any.

    `alone`: a picture for itself, with nothing to do with the one before (a photo); otherwise one
    of a moving scene.
    """

    image: NDArray[np.uint8]
    at: float
    name: str = ""
    alone: bool = False


class SourceError(Problem):
    """Frames cannot be had. `text` says why and what to do. `skip`: only this one picture is bad,
    the next may be read."""

    prefix = "reader.camera."

    def __init__(self, code: str, *, skip: bool = False, **args: Any) -> None:
        super().__init__(code, **args)
        self.skip = skip


def spelt(name: str) -> str:
    """Return a device, film or address as OpenCV takes it; raise `SourceError` where its bytes are
    no UTF-8.

    OpenCV 4 and 5 do not look whether such a name could be read, and the whole program ends with a
    segmentation fault.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        raise SourceError("odd_name", file=name) from None
    return name


class Source(ABC):
    """Frames, one after another. `every`: each frame counts, and waits until it has been looked at;
    otherwise only the newest does.

    `returns`: after it was lost it may come back (a device that is plugged in again).
    `silent`: seconds for which `read` may give nothing before people are told; a photo may wait for
    its turn for ever. `same`: seconds for which its pictures may be the same to the last bit; see
    `Blindness`.
    """

    every: bool = True
    returns: ClassVar[bool] = False
    silent: float = math.inf
    again: ClassVar[float] = math.inf
    """Seconds after which, at most, it is tried again once it was lost."""
    opening: ClassVar[float] = 3.0
    """How many times as long as between two pictures it may be silent at its opening."""
    same: float = math.inf

    def __init__(self, name: str) -> None:
        self.name = name
        self.battery: Battery | None = None
        """What the device runs on, where it tells."""

    def open(self) -> None:
        """Get ready to read; raise `SourceError` when that cannot be."""
        return

    def well(self, width: int, height: int) -> Text:
        """Say that pictures of this size come in, and how."""
        return Text("reader.camera.ok", {"device": self.name, "width": width, "height": height})

    def late(self, waited: float) -> Text | None:
        """Say that what is seen is older than people take it for; None: it is not. `waited`:
        seconds for which the next picture has been waited for."""
        return None

    def silence_words(self) -> Text:
        """Say that it has been silent for too long."""
        return Text("reader.camera.silent", {"device": self.name, "seconds": round(self.silent)})

    @abstractmethod
    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame, None at the end or when `wait` says so; raise `SourceError` when
        the device is lost."""

    def close(self) -> None:
        """Release the device or file."""
        return


class Device(Source):
    """A camera by its number or its device path. `size`: the width and height to ask it for."""

    every = False
    returns = True
    silent = thread.CAMERA
    same = 5.0

    def __init__(self, device: int | str, size: tuple[int, int] = (1280, 720)) -> None:
        super().__init__(str(device))
        self.device = device
        self.size = size
        self._capture: cv2.VideoCapture | None = None

    def open(self) -> None:
        """Open the camera and ask for compressed frames, which USB has the room for."""
        path = Path(f"/dev/video{self.device}" if isinstance(self.device, int) else self.device)
        if sys.platform.startswith("linux"):
            if not path.exists():
                raise SourceError("no_device", device=self.name, there=_devices())
            if not os.access(path, os.R_OK | os.W_OK):
                raise SourceError("no_permission", device=str(path))
        capture = cv2.VideoCapture(self.device if isinstance(self.device, int) else spelt(self.device))
        if not capture.isOpened():
            capture.release()
            raise SourceError("cannot_open", device=self.name)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.size[1])
        # Else a look that took long is followed by pictures that waited in the driver, not by now.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._capture = capture

    def read(self, wait: Wait) -> Frame | None:
        """Return the camera's next frame; a few bad ones in a row mean that it was unplugged."""
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


class Film(Source):
    """A video file. `paced`: shown at its own frame rate, of which only the newest frame counts;
    otherwise every frame does."""

    def __init__(self, path: Path, *, paced: bool = True) -> None:
        super().__init__(path.name)
        self.path = path
        self.every = not paced
        self._capture: cv2.VideoCapture | None = None
        self._began = 0.0
        self._number = 0
        self._rate = 25.0
        self._count = 0.0

    def open(self) -> None:
        """Open the file."""
        if not self.path.is_file():
            raise SourceError("no_file", file=str(self.path))
        capture = cv2.VideoCapture(spelt(str(self.path)))
        if not capture.isOpened():
            capture.release()
            raise SourceError("no_film", file=self.name)
        rate = capture.get(cv2.CAP_PROP_FPS)
        # A file that does not tell its rate gives 0, or the ticks of its clock (90,000).
        self._rate = rate if 1 <= rate <= 240 else 25.0
        self._count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        self._capture, self._began, self._number = capture, time.monotonic(), 0

    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame at its time, None after the last; raise `SourceError` where there
        is none, or the file breaks off."""
        if self._capture is None:
            return None
        good, image = self._capture.read()
        if not good or image is None:
            if self._number == 0:
                raise SourceError("empty_film", file=self.name)
            # Half: what a file says of its length is a guess where its rate changes.
            if self._number < self._count / 2:
                raise SourceError("broken_film", file=self.name, seconds=round(self._number / self._rate))
            return None
        at = self._began + self._number / self._rate
        self._number += 1
        if not self.every and wait(at - time.monotonic()):
            return None
        return Frame(np.asarray(image, dtype=np.uint8), at)

    def close(self) -> None:
        """Close the file."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class Photos(Source):
    """A folder of photos, in the order of their names (numbers by value), each one reveal.

    `interval`: seconds from one to the next; None: the next comes when `next` is called. The first
    comes at once.
    """

    def __init__(self, folder: Path, interval: float | None = None) -> None:
        super().__init__(folder.name)
        self.folder = folder
        self.interval = interval
        self.files: list[Path] = []
        self._number = 0
        self._turns = threading.Semaphore(0)

    def open(self) -> None:
        """List the folder."""
        try:
            there = list(self.folder.iterdir()) if self.folder.is_dir() else None
        except OSError as fault:
            reason = system_reason(fault)
            raise SourceError("closed_folder", folder=str(self.folder), reason=reason) from fault
        if there is None:
            raise SourceError("no_folder", folder=str(self.folder))
        self.files = sorted((file for file in there if file.suffix.lower() in PHOTOS), key=_by_number)
        if not self.files:
            raise SourceError("no_photos", folder=str(self.folder))

    def next(self) -> None:
        """Go on to the next photo."""
        self._turns.release()

    def read(self, wait: Wait) -> Frame | None:
        """Return the next photo when its turn has come; None after the last. A damaged one is an
        error to `skip`."""
        if self._number and not self._turn(wait):
            return None
        if self._number >= len(self.files):
            return None
        file = self.files[self._number]
        self._number += 1
        try:
            image = load(file)
        except PhotoError as error:
            self._turns.release()  # nobody can see it: go on to the next at once
            raise SourceError("bad_photo", skip=True, file=file.name, why=str(error)) from error
        return Frame(image, time.monotonic(), file.name, alone=True)

    def _turn(self, wait: Wait) -> bool:
        deadline = None if self.interval is None else time.monotonic() + self.interval
        while not self._turns.acquire(blocking=False):
            if wait(0.02):
                return False
            if deadline is not None and time.monotonic() >= deadline:
                return True
        return True


def _devices() -> str | Text:
    """Name the cameras that are there, for a person to choose from."""
    return ", ".join(sorted(str(path) for path in Path("/dev").glob("video*"))) or Text("none")


def _by_number(file: Path) -> list[int | str]:
    """Sort `game2-10.jpg` after `game2-9.jpg`."""
    return [
        int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", file.name.lower()))
    ]


OPENING, READING = 5000, 4000
"""Milliseconds that opening a network camera and each of its frames may take before it counts as
lost."""


class NetworkCamera(Source):
    """A camera of the local network by its address: MJPEG over HTTP, as phones' camera apps serve
    it, or RTSP, as surveillance cameras do.

    Its name is the host alone: an address may hold a password, and stands on no screen and in no
    file.
    """

    every = False
    returns = True
    silent = thread.NETWORK_CAMERA
    # What is compressed as a film may say for many seconds that nothing has changed.
    same = 60.0

    def __init__(self, address: str) -> None:
        super().__init__(host(address))
        self._address = address
        self._capture: cv2.VideoCapture | None = None

    def __repr__(self) -> str:
        """Name the host only."""
        return f"NetworkCamera({self.name!r})"

    def open(self) -> None:
        """Connect; raise `SourceError` when nothing answers in time, or sends no pictures."""
        capture = cv2.VideoCapture()
        limits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPENING),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, READING),
        ]
        # FFmpeg is named: of OpenCV's back ends only it and GStreamer heed these limits.
        if not capture.open(spelt(self._address), cv2.CAP_FFMPEG, limits):
            capture.release()
            raise SourceError("no_network_camera", device=self.name)
        self._capture = capture

    def read(self, wait: Wait) -> Frame | None:
        """Return the next frame; raise `SourceError` when none comes in time."""
        good, image = self._capture.read() if self._capture is not None else (False, None)
        if not good or image is None or not image.size:
            raise SourceError("network_camera_lost", device=self.name)
        return Frame(np.asarray(image, dtype=np.uint8), time.monotonic())

    def close(self) -> None:
        """Hang up."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


_STEP = 0.1
LATE = 1.0
"""Seconds by which nobody is told that a phone's pictures are late."""
COUNTED = 5.0
"""Seconds over which a phone's pictures are counted."""


class Flow(NamedTuple):
    """How a phone's pictures come: so many a second, kilobytes a second, how late in seconds (the
    median of some seconds)."""

    rate: int
    kilobytes: int
    late: float


class Phone(Source):
    """A phone as camera: its browser sends one JPEG after another, of which only the newest counts;
    lost and back again at any moment. `take` may be called from whatever thread."""

    every = False
    returns = True
    silent = thread.PHONE
    opening = 1.0
    again = 0.1
    same = 5.0

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
        self.flow: Flow | None = None
        """How pictures came of late; None before that is known."""

    def take(self, picture: bytes, late: float = 0.0) -> None:
        """Take a picture as it came, stamped with the moment; one not looked at is forgotten.
        `late`: seconds since it was taken."""
        now = time.monotonic()
        with self._changed:
            self._newest = (picture, now)
            self._there, self._late = True, late
            self._missing = "phone_lost"  # from now on one that has gone is to come back
            self._count(len(picture), now)
            self._changed.notify_all()

    def _count(self, size: int, now: float) -> None:
        if now - self._since > 2 * COUNTED:  # the first, or the first after a pause
            self._counted, self._since = [], now
        self._counted.append((size, self._late))
        lasted = now - self._since
        if lasted >= COUNTED:
            sizes, lates = zip(*self._counted, strict=True)
            rate, kilobytes = round(len(sizes) / lasted), round(sum(sizes) / lasted / 1000)
            self.flow = Flow(rate, kilobytes, round(float(np.median(lates)), 2))
            self._counted, self._since = [], now

    def charge(self, battery: Battery | None) -> None:
        """Take note of the phone's battery; None: its browser does not tell."""
        self.battery = battery

    def look(self, blind: NoPictures) -> None:
        """Take note why the phone sends no pictures."""
        with self._changed:
            self._blind = blind
            self._changed.notify_all()

    @property
    def there(self) -> bool:
        """Whether a phone is sending."""
        return self._there

    def leave(self) -> None:
        """Take note that the phone has gone."""
        with self._changed:
            self._there = False
            self._blind = ""
            self.battery = self.flow = None
            self._changed.notify_all()

    def open(self) -> None:
        """Begin when a phone sends; raise `SourceError` until then."""
        with self._changed:
            if self._blind:
                raise SourceError(_BLIND[self._blind])
            if not self._there:
                raise SourceError(self._missing)

    def read(self, wait: Wait) -> Frame | None:
        """Return the newest picture that can be read, once; raise `SourceError` when the phone has
        gone, or says that its camera has stopped."""
        while True:
            with self._changed:
                newest, self._newest = self._newest, None
                if newest is None:
                    # In steps, so that the reader's end is noticed although no phone sends.
                    self._changed.wait(_STEP)
            if newest is not None:
                # Outside the lock: `take` runs in the server's thread, which must not wait for a
                # JPEG.
                with suppress(PhotoError):
                    return Frame(decode(np.frombuffer(newest[0], np.uint8)), newest[1])
            if wait(0.0):
                return None
            if self._blind:
                raise SourceError(_BLIND[self._blind])
            if not self._there:
                raise SourceError(self._missing)

    def well(self, width: int, height: int) -> Text:
        """Say how pictures come in, what that costs, and how the battery is."""
        told: dict[str, object] = {"device": self.name, "width": width, "height": height}
        battery, flow = self.battery, self.flow
        if battery is not None:
            told["level"] = battery.level
        if battery is not None and battery.low:
            return Text("reader.camera.battery_low", told)
        if flow is not None:
            told |= {"rate": flow.rate, "kilobytes": flow.kilobytes, "late": flow.late}
            return Text("reader.camera.ok_phone", told)
        return Text("reader.camera.ok" if battery is None else "reader.camera.ok_battery", told)

    def late(self, waited: float) -> Text | None:
        """Say that no picture has come for a second, or that those that come are late."""
        if waited > LATE:
            return Text("reader.camera.phone_late")
        return Text("reader.camera.phone_slow", {"late": round(self._late, 1)}) if self._late > LATE else None

    def silence_words(self) -> Text:
        """Say that the phone sends nothing."""
        return Text("reader.camera.phone_lost")


_BLIND = {"taken": "phone_blind", "away": "phone_away"}

PHONE = "phone"
"""What `--camera` says for a phone's browser as camera."""

_DIGITS = 9
"""No camera has a longer number: Python reads at most 4,300 digits, OpenCV 32 bits."""

_SHOWN = 80
"""Characters of a name that no file can have: so much is told of it."""


def find(what: str, *, interval: float | None = None, size: tuple[int, int] = (1280, 720)) -> Source:
    """Return the source that a person named.

    A camera's number or device path, `phone`, an address (`http://`, `https://`, `rtsp://`), a
    video file, or a folder of photos. Raises `SourceError` for an address of another scheme, and
    for a name that no file can have.
    """
    if what == PHONE:
        return Phone()
    if is_address(what):
        if what.partition("://")[0].lower() not in SCHEMES:
            raise SourceError("odd_scheme", device=host(what))
        return NetworkCamera(what)
    path = path_of(what)
    if what.isdecimal() and len(what) <= _DIGITS:
        return Device(int(what), size)
    try:
        if path.is_dir():
            return Photos(path, interval)
        if path.is_file():
            return Film(path)
    except OSError as fault:  # a name that is too long
        raise SourceError("no_file", file=what[:_SHOWN]) from fault
    return Device(what, size) if what.startswith("/dev/") else Film(path)
