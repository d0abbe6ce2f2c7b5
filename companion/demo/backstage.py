"""The demo behind the dashboard: the drawn table, its players, and the keys for speed, step and taking over a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import cv2
import numpy as np

from companion.decks import back_drawing, drawings
from companion.demo.conductor import Conductor
from companion.demo.deeds import Gesture, Players
from companion.live.live import Live
from companion.readers.camera.reader import CameraReader
from companion.readers.simulated.stage import Stage
from companion.readers.simulated.world import World
from companion.rules.contract import Setup, Text
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.legend import BACK
from companion.table.sightings import Press
from companion.table.zones import default
from companion.views.dashboard.widgets.preview import Picture
from companion.views.host import Command
from vision.library import Library

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The speeds to choose from; 1 is as people move."""
IDLE_FRAMES = 2.0
"""Frames a second while nothing moves on the table."""
_HEIGHT = 200
"""Pixels of a card's picture on the drawn table, where it is about 100 pixels high."""


class Backstage:
    """Everything of the demo that is not the live session itself. `camera` is the reader that sees the drawn table."""

    def __init__(self, setup: Setup, deck: Deck, *, speed: float = 1.0, language: str = "en") -> None:
        pictures = drawings(deck, language)
        back = np.asarray(back_drawing(deck.game))
        zones = default(len(setup.players))
        seed = setup.rng("demo", "table").randrange(2**31)
        small = {name: _small(picture) for name, picture in pictures.items()}
        self.world = World(small, _small(back), zones, seed=seed)
        self.stage = Stage(self.world, speed=speed, idle_frames=IDLE_FRAMES, pressed=self._press)
        library = Library.from_drawings({**pictures, BACK: back})
        layout = zones.seen_by(self.world.camera)
        self.camera = CameraReader(self.stage, library, layout)
        self.players: Players = import_module(f"companion.demo.players.{setup.game}").Players(setup)
        self.setup = setup
        self.conductor: Conductor | None = None
        self._live: Live | None = None
        self._at = 0.0

    def join(self, live: Live) -> None:
        """Begin to play `live`, from where it stands: a session taken up again finds its cards on the table."""
        self._live = live
        self.conductor = Conductor(live, self.players, self.stage, self._laid_so_far(live))
        for gestures in self.conductor.laid:
            self._lay(gestures)

    @property
    def commands(self) -> Sequence[Command]:
        """The demo's keys."""
        return (
            Command("plus", Text("demo.faster"), self._change_speed(1), "+"),
            Command("minus", Text("demo.slower"), self._change_speed(-1), "-"),
            Command("s", Text("demo.step"), self.stage.step, "s"),
            Command("o", Text("demo.take_over"), self._take_over, "o"),
        )

    def tick(self, now: float) -> None:
        """Let the players go on."""
        self._at = now
        if self.conductor is not None and not self.stage.paused:
            self.conductor.tick(now)

    def pause(self, paused: bool) -> None:
        """Stop the hands, or let them go on."""
        (self.stage.pause if paused else self.stage.resume)()

    def _change_speed(self, by: int) -> Callable[[], None]:
        def change() -> None:
            nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.stage.speed))
            self.stage.speed = SPEEDS[min(max(nearest + by, 0), len(SPEEDS) - 1)]

        return change

    def _take_over(self) -> None:
        """Give the seat of the player awaited to the person at the keys, or back to the simulated player."""
        if self._live is None or self.conductor is None:
            return
        awaited = [wait["player"] for wait in self._live.snapshot().view["waiting_for"] if wait["player"]]
        if awaited:
            self.conductor.people ^= {awaited[0]}

    def _press(self, seat: int, button: str) -> None:
        if self._live is not None:
            self._live.post(Press("demo", seat, "accept" if button == "accept" else "refuse", self._at))

    def _lay(self, gestures: Sequence[Gesture]) -> None:
        for gesture in gestures:
            match gesture.kind:
                case "lay":
                    self.world.lay(gesture.card, gesture.zone, gesture.face)
                case "turn":
                    self.world.turn(gesture.zone, gesture.card)
                case "take":
                    self.world.take(gesture.zone, gesture.card)
                case "clear":
                    self.world.clear(gesture.zone)

    def _laid_so_far(self, live: Live) -> list[tuple[Gesture, ...]]:
        """Find what the players did on the table in the acts that stand already, by asking them once more."""
        session = Session(live.game, live.setup)
        laid: list[tuple[Gesture, ...]] = []
        for act in live.acts():
            deed = self.players.next(session.acts(), session.view())
            same = deed is not None and deed.request == act.request
            laid.append(deed.gestures if deed is not None and same else ())
            session.act(act.request)
        return laid


def _small(picture: Picture) -> Picture:
    width = round(picture.shape[1] * _HEIGHT / picture.shape[0])
    return np.asarray(cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)
