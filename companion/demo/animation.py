"""Players' hands at the drawn table: gestures performed in time, and the table as a source of
frames for the camera's thread."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Literal

from companion.demo.actions import Gesture
from companion.demo.world import HandPose, World
from companion.readers.camera.sources import Frame, Source
from companion.rules.claims import ZoneId

REACH = 0.45
"""Seconds in which a hand comes to the card, at speed 1; it takes as long to leave."""
TOUCH = 0.3
"""Seconds for which it stays there."""
_AWAY = 620.0
_STILL = 1.0
_SHOWN = 12.5
"""Frames in which a hand that moves as people's do is shown each second: fifteen from its coming to
its leaving. A faster one has more a second."""


Pressed = Callable[[int, Literal["accept", "refuse"]], None]


class Animation(Source):
    """Performs gestures one after another on a `World`, and takes its picture.

    `speed`: 1 as people move, 4 four times as fast. `frames`: frames a second at most while
    something moves; a table that has been still for a second gives `idle_frames`. `pressed` is
    called with the seat and the button of a `press` gesture, `acted` with every gesture in the
    moment in which its card comes or goes. All methods may be called from any thread.
    """

    every = False

    def __init__(
        self,
        world: World,
        *,
        speed: float = 1.0,
        frames: float = 20.0,
        idle_frames: float = 5.0,
        pressed: Pressed | None = None,
        acted: Callable[[Gesture], object] | None = None,
    ) -> None:
        super().__init__("simulated table")
        self.world = world
        self.pressed = pressed
        self.acted = acted
        self._frames, self._idle_frames = frames, idle_frames
        self._speed = speed
        self._paused = False
        self._steps = 0
        self._waiting: deque[Gesture] = deque()
        self._acting: Gesture | None = None
        self._done = False
        self._progress = 0.0
        self._seat = 1
        self._still_for = 0.0
        self._due = 0.0
        self._last = 0.0
        self._changed = threading.Condition()

    def perform(self, gestures: Iterable[Gesture]) -> None:
        """Add gestures to those that are still to be performed."""
        with self._changed:
            self._waiting.extend(gestures)

    @property
    def idle(self) -> bool:
        """Whether every gesture has been performed and the hands are gone."""
        with self._changed:
            return self._acting is None and not self._waiting

    @property
    def speed(self) -> float:
        """How much faster than people the hands move."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._speed = min(max(value, 0.1), 50.0)

    @property
    def paused(self) -> bool:
        """Whether the hands stand still."""
        return self._paused

    @property
    def stepping(self) -> bool:
        """Whether a step is still to be made."""
        return self._steps > 0

    def pause(self) -> None:
        """Let the hands stand still; the camera goes on."""
        self._paused = True

    def resume(self) -> None:
        """Let the hands move on."""
        with self._changed:
            self._paused, self._steps = False, 0

    def step(self) -> None:
        """Perform the next gesture, or finish this one, and stand still again."""
        with self._changed:
            self._paused = True
            self._steps += 1

    def forget(self) -> None:
        """Drop the gestures not begun yet: a person has taken over, or something was taken back."""
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def advance(self, seconds: float) -> None:
        """Let `seconds` of the camera's time pass."""
        with self._changed:
            self._still_for += seconds
            left = seconds * self._speed
            while left > 0 and self._begin():
                self._still_for = 0.0
                left = self._move(left)

    @property
    def pace(self) -> float:
        """Frames a second now."""
        if self._still_for > _STILL:
            return self._idle_frames
        return min(self._frames, _SHOWN * self._speed)

    def picture(self) -> Frame:
        """Take the table's picture as it is now, stamped with the monotonic clock."""
        with self._changed:
            image = self.world.frame(self._hands())
        return Frame(image, time.monotonic())

    def read(self, wait: Callable[[float], bool]) -> Frame | None:
        """Wait for the next frame's moment, let the time pass and take the picture."""
        now = time.monotonic()
        # From the last due moment, not from now, so that waits that are late do not add up; but
        # never into the past, or a table that was held up would hurry through its missed frames.
        self._due = max(self._due + 1 / self.pace, now)
        if wait(self._due - now):
            return None
        now = time.monotonic()
        self.advance(now - self._last if self._last else 0.0)
        self._last = now
        return self.picture()

    def _begin(self) -> bool:
        """Take up the next gesture if none is under way; tell whether one is, and may go on."""
        if self._paused and not self._steps:
            return False
        if self._acting is None and self._waiting:
            self._acting, self._progress, self._done = self._waiting.popleft(), 0.0, False
            self._seat = ZoneId.of(self._acting.zone).seat or self._seat
        return self._acting is not None

    def _move(self, seconds: float) -> float:
        """Let the gesture go on by `seconds`; return what is left of them when it ends."""
        self._progress += seconds
        if self._acting is not None and not self._done and self._progress >= REACH + TOUCH / 2:
            self._done = True
            self._act(self._acting)
        over = self._progress - (2 * REACH + TOUCH)
        if over < 0:
            return 0.0
        self._acting = None
        self._steps = max(self._steps - 1, 0)
        self._changed.notify_all()
        return over

    def _act(self, gesture: Gesture) -> None:
        if self.acted is not None:
            self.acted(gesture)
        self.world.touch(gesture)
        if gesture.kind == "press" and self.pressed is not None:
            self.pressed(self._seat, "accept" if gesture.card == "accept" else "refuse")

    def _hands(self) -> list[HandPose]:
        if self._acting is None:
            return []
        reached = min(self._progress, 2 * REACH + TOUCH - self._progress) / REACH
        part = min(max(reached, 0.0), 1.0)
        away = _AWAY * (1 - part * part * (3 - 2 * part))
        return [self.world.hand(self._seat, self._acting.zone, self._acting.card, away)]
