"""A camera of the local network: MJPEG over HTTP, as phones' camera apps serve it, or RTSP, as
surveillance cameras do."""

from __future__ import annotations

import time

import cv2
import numpy as np

from companion.readers.camera.addresses import host
from companion.readers.camera.sources import Frame, Source, SourceError, Wait, spelt

OPENING, READING = 5000, 4000
"""Milliseconds that opening and each frame may take before the camera counts as lost."""


class NetworkCamera(Source):
    """A camera by its address. Its name is the host alone: an address may hold a password, and
    stands on no screen and in no file."""

    every = False
    returns = True
    silent = 10.0
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
