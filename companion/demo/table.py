"""Run the demo behind the dashboard: hands at the drawn table, its picture, and its keys.

`Animation` performs gestures in real time and is the source of frames for the camera's thread;
`DemoTable` joins it with simulated players, pads and the keys for speed, single steps and seats.
"""

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
"""Seconds for a hand to reach the card at speed 1; leaving takes as long."""
TOUCH = 0.3
"""Seconds that it stays there."""
_AWAY = 620.0
_STILL = 1.0
_SHOWN = 12.5
"""Frames per second while a hand moves at human speed: fifteen from its arrival to its departure.
Faster hands get more."""


Pressed = Callable[[int, Literal["accept", "refuse"]], None]


class Animation(Source, Performer):
    """Performs gestures one after another on a `World`, and takes pictures of it.

    `speed`: 1 is human speed, 4 four times as fast. `frames`: maximum frames per second while
    something moves; after a second of rest it drops to `idle_frames`. `pressed` is called with the
    seat and the button of a `press` gesture, `acted` with every gesture at the moment in which its
    card appears or disappears. All methods may be called from any thread.
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
        """Advance the animation by `seconds` of the camera's time."""
        with self._changed:
            self._still_for += seconds
            left = seconds * self.speed
            # At high speed several gestures fit between two frames.
            while left > 0 and self._begin():
                self._still_for = 0.0
                left = self._move(left)

    @property
    def pace(self) -> float:
        """Frames per second at the moment."""
        if self._still_for > _STILL:
            return self._idle_frames
        return min(self._frames, _SHOWN * self.speed)

    def picture(self) -> Frame:
        """Render the table as it is now, stamped with the monotonic clock."""
        with self._changed:
            image = self.world.frame(self._hands())
        return Frame(image, time.monotonic())

    def read(self, wait: Callable[[float], bool]) -> Frame | None:
        """Wait until the next frame is due, advance the animation and render it; None if the wait
        was interrupted."""
        now = time.monotonic()
        # From the last due moment, not from now, so that waits that are late do not add up; but
        # never into the past, or a table that was held up would hurry through its missed frames.
        self._due = max(self._due + 1 / self.pace, now)
        if wait(self._due - now):
            return None
        now = time.monotonic()
        # No time has passed before the first frame.
        self.advance(now - self._last if self._last else 0.0)
        self._last = now
        return self.picture()

    def _begin(self) -> bool:
        """Begin the next gesture unless one is under way; return whether one is and may
        continue."""
        if not self._may_go:
            return False
        if self._acting is None and self._waiting:
            self._acting, self._progress, self._done = self._waiting.popleft(), 0.0, False
            # A gesture in a shared zone is made by the hand that moved last.
            self._seat = ZoneId.of(self._acting.zone).seat or self._seat
        return self._acting is not None

    def _move(self, seconds: float) -> float:
        """Advance the current gesture by `seconds`; return the time left over when it ends."""
        self._progress += seconds
        if self._acting is not None and not self._done and self._progress >= REACH + TOUCH / 2:
            # In the middle of the touch, when the hand covers the card.
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
        # Smoothstep: a hand starts and stops gently.
        away = _AWAY * (1 - part * part * (3 - 2 * part))
        return [self.world.hand(self._seat, self._acting.zone, self._acting.card, away)]


SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The available speeds; 1 is human speed."""
IDLE_FRAMES = 2.0
"""Frames per second while nothing moves on the table."""
_HEIGHT = 200
"""Height in pixels of the card pictures on the drawn table, where a card appears about 100 pixels
high."""


MIXED_UP = 2
"""With both camera and pads: the number of the card in the middle that carries another card's
sticker, so that the players are asked once."""


class DemoTable(Backstage):
    """The whole demo except the live session itself.

    `board`: a simulated reader on which the cards are laid as well, mapped to zones by `pads`; its
    deck has a tag on every card. `camera`: the reader that sees the drawn table; None if `seen` is
    False, when the board reads alone.
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
            # With pads the simulated board has the buttons, and reports them itself.
            pressed=self._press if self.pads is None else None,
            acted=None if self.pads is None else self.pads.follow,
        )
        self.camera = CameraReader(stage, library, zones.seen_by(world.camera))
        return stage

    def join(self, live: Live) -> None:
        """Play the session `live` from its current state; for a resumed session its cards are laid
        on the table first."""
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
        """Stop the hands at the pads."""
        if self.pads is not None:
            self.pads.close()

    def tick(self, now: float) -> None:
        """Let the players continue."""
        self._at = now
        if self.director is not None and (not self.stage.paused or self.stage.stepping):
            self.director.tick(now)

    def pause(self, paused: bool) -> None:
        """Pause or resume the hands."""
        (self.stage.pause if paused else self.stage.resume)()

    def change_speed(self, by: int) -> None:
        """Switch to the next higher speed (`by` 1) or the next lower one (-1)."""
        nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.stage.speed))
        self.stage.speed = SPEEDS[min(max(nearest + by, 0), len(SPEEDS) - 1)]

    def wishes(self, player: str) -> Sequence[Choice]:
        """List what a person at this seat can do now with the real cards there."""
        live = self._live
        if live is None:
            return ()
        return self.players.wishes(live.acts(), live.snapshot().view, player, live.choices(player))

    def enact(self, wish: Request) -> Text | None:
        """Let hands perform a person's choice; return a text that only this person sees."""
        if self._live is None or self.director is None:
            return None
        self.director.wish(wish)
        # Asking again changes nothing: players are rebuilt from the acts each time.
        return self.players.action(self._live.acts(), self._live.snapshot().view, wish).told

    def take_over(self) -> Text | None:
        """Hand the awaited player's seat to the person at the keys, or back to the simulated
        player."""
        if self._live is None or self.director is None:
            return None
        awaited = [wait["player"] for wait in self._live.snapshot().view["waiting_for"] if wait["player"]]
        people = self.director.people
        # A seat that a person already has comes first: the key then gives it back.
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
        """Find the gestures of these acts by asking the players again."""
        assert self._live is not None
        # In a session of its own, because replaying the acts must not touch the live one.
        return retraced(self.players, Session(self._live.game, self._live.setup), acts)


def drawn_cards(deck: Deck, language: str) -> tuple[Mapping[str, Picture], Picture, Library]:
    """Return the cards' pictures by design, their back (both at table size), and the library by
    which the camera identifies them."""
    pictures, back = drawings(deck, language), np.asarray(back_drawing(deck.game))
    small = {name: _small(picture) for name, picture in pictures.items()}
    return small, _small(back), Library.from_drawings({**pictures, BACK: back})


def _small(picture: Picture) -> Picture:
    width = round(picture.shape[1] * _HEIGHT / picture.shape[0])
    return np.asarray(cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)
