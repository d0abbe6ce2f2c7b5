"""The demo behind the dashboard: players' hands at the drawn table (gestures performed in time),
the table as a source of frames for the camera's thread, keys for speed, step, seats."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import cv2
import numpy as np

from companion.decks import back_drawing, drawings
from companion.demo.actions import Gesture, players_of
from companion.demo.director import Director, Performer, retraced
from companion.demo.later import demo_keys
from companion.demo.pads import AtPads, PadHands
from companion.demo.world import HandPose, World
from companion.live.live import Live
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, Source
from companion.readers.rfid.events import PAD_NAMES
from companion.readers.rfid.simulator import VirtualBoard
from companion.rules.acts import Act
from companion.rules.claims import ZoneId
from companion.rules.contract import Choice, Request, Setup, Text
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.identification import BACK, Pad
from companion.table.pads import key
from companion.table.sightings import Press
from companion.table.zones import default
from companion.views.dashboard.widgets.preview import Picture
from companion.views.evening import Backstage
from vision.library import Library

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


class Animation(Source, Performer):
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
        Performer.__init__(self, speed)
        self.world = world
        self.pressed = pressed
        self.acted = acted
        self._frames, self._idle_frames = frames, idle_frames
        self._done = False
        self._progress = 0.0
        self._seat = 1
        self._still_for = 0.0
        self._due = 0.0
        self._last = 0.0

    def advance(self, seconds: float) -> None:
        """Let `seconds` of the camera's time pass."""
        with self._changed:
            self._still_for += seconds
            left = seconds * self.speed
            while left > 0 and self._begin():
                self._still_for = 0.0
                left = self._move(left)

    @property
    def pace(self) -> float:
        """Frames a second now."""
        if self._still_for > _STILL:
            return self._idle_frames
        return min(self._frames, _SHOWN * self.speed)

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
        if not self._may_go:
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


SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The speeds to choose from; 1 is as people move."""
IDLE_FRAMES = 2.0
"""Frames a second while nothing moves on the table."""
_HEIGHT = 200
"""Pixels of a card's picture on the drawn table, where it is about 100 pixels high."""


MIXED_UP = 2
"""The how manieth card in the middle has another card's sticker on it, where camera and pads both
look: the table is asked once."""


class DemoTable(Backstage):
    """Everything of the demo that is not the live session itself.

    `board`: the simulated reader at which cards are laid too, by the plan `pads`; its deck has a
    tag on every card. `camera` is the reader that sees the drawn table, None with `seen` False:
    then the board reads alone.
    """

    def __init__(
        self,
        setup: Setup,
        deck: Deck,
        *,
        speed: float = 1.0,
        language: str = "en",
        board: VirtualBoard | None = None,
        pads: Mapping[str, Pad] | None = None,
        seen: bool = True,
    ) -> None:
        self.setup = setup
        self.commands = demo_keys(lambda: self)
        self.players = players_of(setup)
        self.pads: PadHands | None = None
        self.world: World | None = None
        self.camera: CameraReader | None = None
        self.director: Director | None = None
        self._live: Live | None = None
        self._at = 0.0
        if board is not None:
            own = {
                pad.zone: (name, pad)
                for name in PAD_NAMES[1]
                if (pad := (pads or {}).get(key(1, name))) is not None
            }
            self.pads = PadHands(
                board, deck, own, alone=not seen, speed=speed, mixed_up=MIXED_UP if seen else 0
            )
            if not seen:
                self.players = AtPads(self.players, self.pads.table)
        self.stage: Performer = (
            self._drawn_table(deck, speed, language) if seen or self.pads is None else self.pads
        )

    def _drawn_table(self, deck: Deck, speed: float, language: str) -> Animation:
        setup = self.setup
        cards, back, library = drawn_cards(deck, language)
        zones = default(len(setup.players))
        seed = setup.rng("demo", "table").randrange(2**31)
        world = self.world = World(cards, back, zones, seed=seed)
        stage = Animation(
            world,
            speed=speed,
            idle_frames=IDLE_FRAMES,
            pressed=self._press if self.pads is None else None,
            acted=None if self.pads is None else self.pads.follow,
        )
        self.camera = CameraReader(stage, library, zones.seen_by(world.camera))
        return stage

    def join(self, live: Live) -> None:
        """Begin to play `live` as it stands; a session taken up finds its cards on the table."""
        self._live = live
        laid = self._retrace(live.acts())
        self.director = Director(live, self.players, self.stage, laid, self._retrace)
        self.people = self.director.people
        for gestures in self.director.laid:
            self._lay(gestures)
        if self.pads is not None:
            self.pads.catch_up(gesture for gestures in self.director.laid for gesture in gestures)
            self.pads.start()

    def close(self) -> None:
        """Let the hands go."""
        if self.pads is not None:
            self.pads.close()

    def tick(self, now: float) -> None:
        """Let the players go on."""
        self._at = now
        if self.director is not None and (not self.stage.paused or self.stage.stepping):
            self.director.tick(now)

    def pause(self, paused: bool) -> None:
        """Stop the hands, or let them go on."""
        (self.stage.pause if paused else self.stage.resume)()

    def change_speed(self, by: int) -> None:
        """Let the hands move at the next speed (`by` 1), or at the one before (-1)."""
        nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.stage.speed))
        self.stage.speed = SPEEDS[min(max(nearest + by, 0), len(SPEEDS) - 1)]

    def wishes(self, player: str) -> Sequence[Choice]:
        """List what a person at this seat may do now with the real cards there."""
        live = self._live
        if live is None:
            return ()
        return self.players.wishes(live.acts(), live.snapshot().view, player, live.choices(player))

    def enact(self, wish: Request) -> Text | None:
        """Let hands do what a person has chosen; return what only this person sees by it."""
        if self._live is None or self.director is None:
            return None
        self.director.wish(wish)
        return self.players.action(self._live.acts(), self._live.snapshot().view, wish).told

    def take_over(self) -> Text | None:
        """Give the seat of the player awaited to the person at the keys, or back to the simulated
        player."""
        if self._live is None or self.director is None:
            return None
        awaited = [wait["player"] for wait in self._live.snapshot().view["waiting_for"] if wait["player"]]
        people = self.director.people
        player = next((name for name in awaited if name in people), awaited[0] if awaited else None)
        if player is None:
            return Text("demo.nobody")
        people ^= {player}
        if player not in people:
            return Text("demo.given_back", {"player": player})
        self.director.stop(player)
        return Text("demo.taken", {"player": player})

    def _press(self, seat: int, button: str) -> None:
        if self._live is not None:
            self._live.post(Press("demo", seat, "accept" if button == "accept" else "refuse", self._at))

    def _lay(self, gestures: Sequence[Gesture]) -> None:
        if self.world is None:
            return
        for gesture in gestures:
            self.world.touch(gesture)

    def _retrace(self, acts: Sequence[Act]) -> list[tuple[Gesture, ...]]:
        """Find what hands did on the table in these acts, by asking the players once more."""
        assert self._live is not None
        return retraced(self.players, Session(self._live.game, self._live.setup), acts)


def drawn_cards(deck: Deck, language: str) -> tuple[Mapping[str, Picture], Picture, Library]:
    """Return the cards of `deck` by their designs and their back, as large as the table shows them,
    and the library by which its camera knows them."""
    pictures, back = drawings(deck, language), np.asarray(back_drawing(deck.game))
    small = {name: _small(picture) for name, picture in pictures.items()}
    return small, _small(back), Library.from_drawings({**pictures, BACK: back})


def _small(picture: Picture) -> Picture:
    width = round(picture.shape[1] * _HEIGHT / picture.shape[0])
    return np.asarray(cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)
