"""Evenings of Donkey Valley by film, the camera alone, under other light and other cameras.

The demo's drawn table supplies the film: each frame is worn by the condition, written to a video
file (Motion JPEG, half a second a file) and read again by the code that reads people's films. Hands
lay the cards and press no key for them; what the table asks, and what has to be entered for the
camera, is counted (`python -m bench by_film` plays them to their end).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.demo.table import Animation, DemoTable
from companion.live.live_session import LiveSession
from companion.plan import Plan, prepare_setup
from companion.readers.camera.sources import Frame, VideoFile
from companion.table.decks import Deck
from companion.table.identification import BACK
from companion.table.sightings import Report, Sighting
from companion.table.table import Table
from companion.table.zones import Camera
from vision.geometry import transform_points

Picture = NDArray[np.uint8]
Matrix = NDArray[np.float64]
Light = tuple[float, float, float]

NEARER = 1.03
"""Zoom of the camera that sways: beyond the drawn table's edge there is nothing to be seen."""
FPS, A_FILE = 12.5, 6
"""Frames a second, and frames a video file: the camera hears of them half a second late at most."""
SPEED = 3.0
"""How much faster than people the hands move: as the demo's own evening in the tests."""
STALE = 2.0
"""Seconds after which a card that was taken away counts as named wrongly."""
LONGEST = 420.0
"""Seconds of the evening after which it is given up."""
NAMES = ("Ann", "Bob", "Chloé", "Dan", "Eve")


@dataclass(frozen=True)
class Condition:
    """What lies between the table and the film.

    `light`: gain of blue, green, red, or what it is by the frame's number; `noise`: grey levels;
    `wide`: pixels across of its pictures, those of the drawing unless told; `view`: where the
    camera stands, by the frame's number.
    """

    light: Light | Callable[[int], Light] = (1.0, 1.0, 1.0)
    noise: float = 0.0
    wide: int = 0
    view: Callable[[int, tuple[int, int]], Matrix] | None = None


def _slant(_number: int, size: tuple[int, int]) -> Matrix:
    """Seen from a chair: the far edge is a quarter shorter, and the depth a fifth."""
    width, height = size
    old = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    new = np.array([[0.12, 0.18], [0.88, 0.18], [1.0, 1.0], [0.0, 1.0]], np.float32) * (width, height)
    return np.asarray(cv2.getPerspectiveTransform(old, new.astype(np.float32)), dtype=np.float64)


def _sway(number: int, size: tuple[int, int]) -> Matrix:
    """A hand or a boom: one to two pixels a frame, two waves across and two down, and a little
    turn."""
    t = number / FPS
    dx = 5 * math.sin(2.1 * t) + 3 * math.sin(3.7 * t + 1)
    dy = 4 * math.sin(1.7 * t + 2) + 3 * math.sin(4.3 * t)
    turn = cv2.getRotationMatrix2D((size[0] / 2, size[1] / 2), 0.15 * math.sin(1.3 * t), NEARER)
    return np.array([[*turn[0, :2], turn[0, 2] + dx], [*turn[1, :2], turn[1, 2] + dy], [0, 0, 1]])


def _drifting(number: int) -> Light:
    """A cheap webcam that never leaves its white balance alone: a fifth warmer, a fifth colder."""
    wave = 0.2 * math.sin(2 * math.pi * number / FPS / 6)
    return 1 - wave, 1.0, 1 + wave


CONDITIONS = {
    "as drawn": Condition(),
    "dim": Condition((0.42, 0.42, 0.42), noise=4.0),
    "other white balance": Condition((0.62, 0.9, 1.12)),
    "slanted": Condition(view=_slant),
    "swaying": Condition(noise=1.5, view=_sway),
    "drifting white balance": Condition(_drifting, noise=2.0),
    "small webcam": Condition(noise=3.0, wide=960),
}


class FilmEvening:
    """An evening whose camera sees the drawn table through films in `folder`.

    `asked`: the questions that came up; `missed`: what was entered by hand, when, and of which
    cards the camera was unsure then.
    """

    def __init__(self, condition: Condition, folder: Path, seed: int = 1) -> None:
        rules, setup = prepare_setup(Plan("donkey_valley", NAMES[:3], seed=seed))
        deck = Deck.load_builtin("donkey_valley")
        self.demo = DemoTable(setup, deck, speed=SPEED)
        colours = {colour: seat for seat, colour in enumerate(deck.owner_colours[:3], 1)}
        self.live = LiveSession(
            rules, setup, table=Table(deck, colours, back_known=True), cards=tuple(deck.card_counts)
        )
        self.demo.attach_session(self.live)
        assert self.demo.camera is not None
        assert self.demo.world is not None
        assert isinstance(self.demo.stage, Animation)
        self.camera, self.world, self.stage = self.demo.camera, self.demo.world, self.demo.stage
        self.camera.attach(self._hear)
        self.now = 0.0
        self.asked: set[object] = set()
        self.wrong: list[str] = []
        self.missed: list[str] = []
        self._unsure: dict[int, Sighting] = {}
        self.read: set[int] = set()
        self.cost: list[float] = []
        self._condition = condition
        self._folder = folder
        self._number = 0
        self._lay_until: dict[str, float] = {}
        self._random = np.random.default_rng(seed)
        if condition.view is not None:
            self._calibrate(condition.view(0, self.world.size))

    def _calibrate(self, view: Matrix) -> None:
        """Click the table's corners where this camera shows them."""
        size = np.array(self.world.size, dtype=np.float64)
        corners = transform_points(view, np.array(self.world.camera.corners) * size) / size
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        self.camera.calibrate(self.world.zones.with_camera(Camera("corners", (a, b, c, d))))

    def _hear(self, report: Report) -> None:
        if isinstance(report, Sighting) and report.present and report.sure and report.design is not None:
            self.read.add(report.track)
            lay = self._lay_until.get(report.design, -math.inf)
            if report.design != BACK and report.at - lay > STALE:
                self.wrong.append(f"{report.design} at {report.at:.1f} s")
        if isinstance(report, Sighting):
            self._unsure.pop(report.track, None)
            if report.present and not report.sure:
                self._unsure[report.track] = report
        self.live.post_report(report)

    @property
    def entered(self) -> int:
        """How many deeds the camera did not see, or not for sure."""
        return self.demo.director.manual_entries if self.demo.director is not None else 0

    def step(self) -> None:
        """Let the time of one video file pass: hands move, the film is taken, and the camera looks
        at it."""
        file = self._folder / f"{self._number:06d}.avi"
        width, height = self.world.size
        wide = self._condition.wide or width
        size = (wide, round(height * wide / width))
        writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), FPS, size)
        times = []
        for _ in range(A_FILE):
            self.now += 1 / FPS
            self._number += 1
            times.append(self.now)
            self.stage.advance(1 / FPS)
            self._lay_until |= {card.card: self.now for card in self.world.table_cards}
            worn = self._worn(self.stage.take_picture().image)
            writer.write(cv2.resize(worn, size, interpolation=cv2.INTER_AREA))
        writer.release()
        film = VideoFile(file, real_time=False)
        film.open()
        for at in times:
            frame = film.read(lambda _seconds: False)
            assert frame is not None
            began = time.process_time()
            self.camera.process_frame(Frame(frame.image, at))
            self.cost.append(1000 * (time.process_time() - began))
            entered = self.entered
            self.demo.tick(at)
            self.live.tick(at)
            self.asked |= {msgspec.json.encode(q.text) for q in self.live.snapshot().questions}
            if self.entered > entered:
                unsure = [
                    f"{one.candidates[:2]} at {one.where}, {one.confidence}" for one in self._unsure.values()
                ]
                self.missed.append(f"{at:.1f} s: {self.live.list_acts()[-1].request}; unsure: {unsure}")
        film.close()
        file.unlink()

    def _worn(self, picture: Picture) -> Picture:
        condition = self._condition
        if condition.view is not None:
            view = condition.view(self._number, self.world.size)
            picture = np.asarray(
                cv2.warpPerspective(picture, view, self.world.size, borderMode=cv2.BORDER_REPLICATE), np.uint8
            )
        light = condition.light(self._number) if callable(condition.light) else condition.light
        if light == (1.0, 1.0, 1.0) and not condition.noise:
            return picture
        grain = self._random.standard_normal(picture.shape[:2], np.float32)[:, :, None]
        shown = picture * np.array(light, np.float32) + condition.noise * grain
        return np.asarray(np.clip(shown, 0, 255), dtype=np.uint8)
