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

from companion.decks import render_back, render_drawings
from companion.demo.actions import Gesture, make_players
from companion.demo.deferred_table import make_demo_commands
from companion.demo.director import Director, Performer, retrace_gestures
from companion.demo.pad_hands import PadHands, PadOnlyPlayers
from companion.demo.world import HandPose, World
from companion.live.live_session import LiveSession
from companion.readers.camera.reader import CameraReader
from companion.readers.camera.sources import Frame, Source
from companion.readers.rfid.simulator import VirtualTrays
from companion.rules.acts import Act
from companion.rules.claims import ZoneId
from companion.rules.contract import Choice, Request, Setup, Text
from companion.rules.session import Session
from companion.table.decks import Deck
from companion.table.identification import BACK, Pad
from companion.table.pad_plan import make_pad_key
from companion.table.sightings import Press
from companion.table.zones import make_default_zones
from companion.views.dashboard.widgets.camera_preview import Picture
from companion.views.table_session import Backstage
from vision.library import Library

REACH_TIME = 0.45
"""Seconds for a hand to reach the card at speed 1; leaving takes as long."""
TOUCH_TIME = 0.3
"""Seconds that it stays there."""
_AWAY = 620.0
_STILL = 1.0
_SHOWN = 12.5
"""Frames per second while a hand moves at human speed: fifteen from its arrival to its departure.
Faster hands get more."""


OnPress = Callable[[int, Literal["accept", "refuse"]], None]


class Animation(Source, Performer):
    """Performs gestures one after another on a `World`, and takes pictures of it.

    `speed`: 1 is human speed, 4 four times as fast. `frames`: maximum frames per second while
    something moves; after a second of rest it drops to `idle_frames`. `on_press` is called with the
    seat and the button of a `press` gesture, `on_gesture` with every gesture at the moment in which
    its card appears or disappears. All methods may be called from any thread.
    """

    keeps_every_frame = False

    def __init__(
        self,
        world: World,
        *,
        speed: float = 1.0,
        frames: float = 20.0,
        idle_frames: float = 5.0,
        on_press: OnPress | None = None,
        on_gesture: Callable[[Gesture], object] | None = None,
    ) -> None:
        super().__init__("simulated table")
        Performer.__init__(self, speed)
        self.world = world
        self.on_press = on_press
        self.on_gesture = on_gesture
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
            while left > 0 and self._start_gesture():
                self._still_for = 0.0
                left = self._advance_gesture(left)

    @property
    def frame_rate(self) -> float:
        """Frames per second at the moment."""
        if self._still_for > _STILL:
            return self._idle_frames
        return min(self._frames, _SHOWN * self.speed)

    def take_picture(self) -> Frame:
        """Render the table as it is now, stamped with the monotonic clock."""
        with self._changed:
            image = self.world.render_frame(self._pose_hands())
        return Frame(image, time.monotonic())

    def read(self, wait: Callable[[float], bool]) -> Frame | None:
        """Wait until the next frame is due, advance the animation and render it; None if the wait
        was interrupted."""
        now = time.monotonic()
        # From the last due moment, not from now, so that waits that are late do not add up; but
        # never into the past, or a table that was held up would hurry through its missed frames.
        self._due = max(self._due + 1 / self.frame_rate, now)
        if wait(self._due - now):
            return None
        now = time.monotonic()
        # No time has passed before the first frame.
        self.advance(now - self._last if self._last else 0.0)
        self._last = now
        return self.take_picture()

    def _start_gesture(self) -> bool:
        """Begin the next gesture unless one is under way; return whether one is and may
        continue."""
        if not self._can_act:
            return False
        if self._current is None and self._pending:
            self._current, self._progress, self._done = self._pending.popleft(), 0.0, False
            # A gesture in a shared zone is made by the hand that moved last.
            self._seat = ZoneId.from_text(self._current.zone).seat or self._seat
        return self._current is not None

    def _advance_gesture(self, seconds: float) -> float:
        """Advance the current gesture by `seconds`; return the time left over when it ends."""
        self._progress += seconds
        if self._current is not None and not self._done and self._progress >= REACH_TIME + TOUCH_TIME / 2:
            # In the middle of the touch, when the hand covers the card.
            self._done = True
            self._apply_gesture(self._current)
        over = self._progress - (2 * REACH_TIME + TOUCH_TIME)
        if over < 0:
            return 0.0
        self._current = None
        self._steps = max(self._steps - 1, 0)
        return over

    def _apply_gesture(self, gesture: Gesture) -> None:
        if self.on_gesture is not None:
            self.on_gesture(gesture)
        self.world.apply_gesture(gesture)
        if gesture.kind == "press" and self.on_press is not None:
            self.on_press(self._seat, "accept" if gesture.card == "accept" else "refuse")

    def _pose_hands(self) -> list[HandPose]:
        if self._current is None:
            return []
        reached = min(self._progress, 2 * REACH_TIME + TOUCH_TIME - self._progress) / REACH_TIME
        part = min(max(reached, 0.0), 1.0)
        # Smoothstep: a hand starts and stops gently.
        away = _AWAY * (1 - part * part * (3 - 2 * part))
        return [self.world.pose_hand(self._seat, self._current.zone, self._current.card, away)]


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

    `virtual_trays`: simulated trays on which the cards are laid as well, mapped to zones by `pads`;
    their deck has a tag on every card. `camera`: the reader that sees the drawn table; None if
    `with_camera` is False, when the trays read alone.
    """

    def __init__(
        self,
        setup: Setup,
        deck: Deck,
        *,
        speed: float = 1.0,
        language: str = "en",
        virtual_trays: VirtualTrays | None = None,
        pads: Mapping[str, Pad] | None = None,
        with_camera: bool = True,
    ) -> None:
        self.setup = setup
        self.commands = make_demo_commands(lambda: self)
        self.players = make_players(setup)
        self.pads: PadHands | None = None
        self.world: World | None = None
        self.camera: CameraReader | None = None
        self.director: Director | None = None
        self._live: LiveSession | None = None
        self._at = 0.0
        if virtual_trays is not None:
            own = {
                pad.zone: (name, pad)
                for name in virtual_trays.pads
                if (pad := (pads or {}).get(make_pad_key(1, name))) is not None
            }
            self.pads = PadHands(
                virtual_trays,
                deck,
                own,
                alone=not with_camera,
                speed=speed,
                mixed_up=MIXED_UP if with_camera else 0,
            )
            if not with_camera:
                self.players = PadOnlyPlayers(self.players, self.pads.table)
        self.stage: Performer = (
            self._make_stage(deck, speed, language) if with_camera or self.pads is None else self.pads
        )

    def _make_stage(self, deck: Deck, speed: float, language: str) -> Animation:
        setup = self.setup
        cards, back, library = load_card_pictures(deck, language)
        zones = make_default_zones(len(setup.players))
        seed = setup.make_rng("demo", "table").randrange(2**31)
        world = self.world = World(cards, back, zones, seed=seed)
        stage = Animation(
            world,
            speed=speed,
            idle_frames=IDLE_FRAMES,
            # With pads the simulated trays have the buttons, and report them themselves.
            on_press=self._post_press if self.pads is None else None,
            on_gesture=None if self.pads is None else self.pads.follow_gesture,
        )
        self.camera = CameraReader(stage, library, zones.with_camera(world.camera))
        return stage

    def attach_session(self, live: LiveSession) -> None:
        """Play the session `live_session` from its current state; for a resumed session its cards
        are laid on the table first."""
        self._live = live
        laid = self._retrace_acts(live.list_acts())
        self.director = Director(live, self.players, self.stage, laid, self._retrace_acts)
        self.people = self.director.people
        for gestures in self.director.gestures_by_act:
            self._place_cards(gestures)
        if self.pads is not None:
            self.pads.place_cards(
                gesture for gestures in self.director.gestures_by_act for gesture in gestures
            )
            self.pads.start()

    def close(self) -> None:
        """Stop the hands at the pads."""
        if self.pads is not None:
            self.pads.close()

    def tick(self, now: float) -> None:
        """Let the players continue."""
        self._at = now
        if self.director is not None and (not self.stage.paused or self.stage.is_stepping):
            self.director.tick(now)

    def set_paused(self, paused: bool) -> None:
        """Pause or resume the hands."""
        (self.stage.pause if paused else self.stage.resume)()

    def change_speed(self, by: int) -> None:
        """Switch to the next higher speed (`by` 1) or the next lower one (-1)."""
        nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.stage.speed))
        self.stage.speed = SPEEDS[min(max(nearest + by, 0), len(SPEEDS) - 1)]

    def list_playable_choices(self, player: str) -> Sequence[Choice]:
        """List what a person at this seat can do now with the real cards there."""
        live = self._live
        if live is None:
            return ()
        return self.players.list_playable_choices(
            live.list_acts(), live.snapshot().view, player, live.list_choices(player)
        )

    def perform_request(self, wish: Request) -> Text | None:
        """Let hands perform a person's choice; return a text that only this person sees."""
        if self._live is None or self.director is None:
            return None
        self.director.queue_request(wish)
        # Asking again changes nothing: players are rebuilt from the acts each time.
        return self.players.plan_action(
            self._live.list_acts(), self._live.snapshot().view, wish
        ).private_notice

    def toggle_human_seat(self) -> Text | None:
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
        self.director.cancel_action(player)
        return Text("demo.taken", {"player": player})

    def _post_press(self, seat: int, button: str) -> None:
        if self._live is not None:
            self._live.post_report(
                Press("demo", seat, "accept" if button == "accept" else "refuse", self._at)
            )

    def _place_cards(self, gestures: Sequence[Gesture]) -> None:
        if self.world is None:
            return
        for gesture in gestures:
            self.world.apply_gesture(gesture)

    def _retrace_acts(self, acts: Sequence[Act]) -> list[tuple[Gesture, ...]]:
        """Find the gestures of these acts by asking the players again."""
        assert self._live is not None
        # In a session of its own, because replaying the acts must not touch the live one.
        return retrace_gestures(self.players, Session(self._live.game, self._live.setup), acts)


def load_card_pictures(deck: Deck, language: str) -> tuple[Mapping[str, Picture], Picture, Library]:
    """Return the cards' pictures by design, their back (both at table size), and the library by
    which the camera identifies them."""
    pictures, back = render_drawings(deck, language), np.asarray(render_back(deck.game))
    small = {name: _shrink_picture(picture) for name, picture in pictures.items()}
    return small, _shrink_picture(back), Library.from_drawings({**pictures, BACK: back})


def _shrink_picture(picture: Picture) -> Picture:
    width = round(picture.shape[1] * _HEIGHT / picture.shape[0])
    return np.asarray(cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)
