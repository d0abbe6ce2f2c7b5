"""A phone as camera beside a film of the very same pictures: from the card laid to its name, by
turns in one run."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from companion.decks import drawings
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Film, Phone, Source
from companion.rules import registry
from companion.share.access import CAMERA
from companion.share.address import here
from companion.share.running import Share
from companion.table import zones
from companion.table.decks import Deck
from companion.table.sightings import Report, Sighting
from companion.texts import Translator
from vision.library import Library

Row = tuple[str, str, str, str]
Faces = Mapping[str, NDArray[np.uint8]]
RATE = 15
BARE, LAID = 2, 8
"""Seconds of film without the card, and with it."""
QUALITY = 85
"""Of the JPEGs: what `camera.js` asks the phone's browser for."""
TURNS = 5


def run() -> Iterator[Row]:
    """Measure both ways by turns."""
    faces = _faces()
    jpegs = _pictures(faces)
    kept: dict[str, list[float]] = {"film": [], "phone": []}
    with TemporaryDirectory() as folder:
        film = _film(Path(folder), jpegs)
        for _ in range(TURNS):
            kept["film"].append(_by_film(film, faces))
            kept["phone"].append(_by_phone(jpegs, faces))
    size = f"1280x720, {RATE} a second, {len(jpegs[-1]) // 1000} kB each, {TURNS} turns"
    yield "card laid to named, film, median / slowest", _said(kept["film"]), size, "peer of the next row"
    ratio = statistics.median(kept["phone"]) / statistics.median(kept["film"])
    through = "the same JPEGs from another process through the real socket"
    yield (
        "card laid to named, phone, median / slowest",
        _said(kept["phone"]),
        through,
        f"{ratio:.2f} x the film",
    )


def _faces() -> Faces:
    deck = Deck.find("donkey_valley")
    return {
        name: np.asarray(face) for name, face in drawings(deck, "en").items() if name.startswith("donkey:")
    }


def _pictures(faces: Faces) -> list[bytes]:
    """Give the film's pictures as a phone encodes them: the bare table, then the card, each with
    its own grain."""
    grain = np.random.default_rng(1)
    bare = np.full((720, 1280, 3), (70, 95, 60), np.uint8)
    laid = bare.copy()
    laid[250:470, 560:717] = cv2.resize(faces["donkey:giant"], (157, 220), interpolation=cv2.INTER_AREA)
    scenes = [bare] * (BARE * RATE) + [laid] * (LAID * RATE)
    noisy = (np.clip(one + grain.normal(0, 2, one.shape), 0, 255).astype(np.uint8) for one in scenes)
    return [cv2.imencode(".jpg", one, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes() for one in noisy]


def _film(folder: Path, jpegs: list[bytes]) -> Path:
    """Put the same JPEGs, byte for byte, into a film: an encoder's own would smooth the grain away
    and be easier to read."""
    stream, film = folder / "film.mjpeg", folder / "film.mkv"
    stream.write_bytes(b"".join(jpegs))
    words: list[str | Path] = [
        "ffmpeg",
        "-loglevel",
        "error",
        "-f",
        "mjpeg",
        "-framerate",
        str(RATE),
        "-i",
        stream,
        "-c",
        "copy",
        film,
    ]
    subprocess.run(words, check=True)
    return film


class _Timed(Film):
    """A film that tells when it began."""

    began = 0.0

    def open(self) -> None:
        super().open()
        self.began = time.monotonic()


class _Naming:
    """Reads a source until the card has its sure name; `at`: when that was."""

    def __init__(self, source: Source, faces: Faces) -> None:
        self.at = 0.0
        self._found = threading.Event()
        self.reader = CameraReader(source, Library.from_drawings(faces), zones.default(4))
        self.reader.start(self._hear)

    def _hear(self, report: Report) -> None:
        if isinstance(report, Sighting) and report.design == "donkey:giant" and report.sure:
            self.at = self.at or time.monotonic()
            self._found.set()

    def end(self) -> float:
        """Wait for the name; return its moment. Raises `TimeoutError` where there is none."""
        named = self._found.wait(30)
        self.reader.close()
        if not named:
            raise TimeoutError("the card got no name")
        return self.at


def _by_film(file: Path, faces: Faces) -> float:
    source = _Timed(file)
    return _Naming(source, faces).end() - (source.began + BARE)


def _by_phone(jpegs: list[bytes], faces: Faces) -> float:
    phone = Phone()
    share = Share(here(0), Translator("en", registry.load("donkey_valley")), camera=phone)
    share.start()
    mine, theirs = multiprocessing.get_context("spawn").Pipe()
    arguments = (share.place.port, share.doors.link(CAMERA), jpegs, theirs)
    sending = multiprocessing.get_context("spawn").Process(target=_send, args=arguments)
    sending.start()
    try:
        mine.recv()
        naming = _Naming(phone, faces)
        mine.send("begin")
        at = naming.end()
        mine.send("enough")
        return at - (float(mine.recv()) + BARE)
    finally:
        sending.join()
        share.close()


def _send(port: int, token: str, jpegs: list[bytes], told: Connection) -> None:
    """Be the phone: the newest picture as soon as the table took the one before, as `camera.js`
    does."""
    root = f"http://127.0.0.1:{port}"
    entering = http.client.HTTPConnection("127.0.0.1", port)
    entering.request("POST", "/enter", json.dumps({"token": token}), {"origin": root})
    given = json.loads(entering.getresponse().read())["pass"]
    with connect(
        f"ws://127.0.0.1:{port}/frames",
        origin=Origin(root),
        subprotocols=[Subprotocol("card-table"), Subprotocol(given)],
    ) as line:
        line.send(jpegs[0])
        told.send("there")
        told.recv()
        began, sent = time.monotonic(), -1
        while not told.poll():
            number = min(int((time.monotonic() - began) * RATE), len(jpegs) - 1)
            if number == sent:
                time.sleep(0.002)
                continue
            sent = number
            line.recv()
            line.send(jpegs[number])
        told.send(began)


def _said(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} / {max(seconds):.2f} s"


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "share_camera")
