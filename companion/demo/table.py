"""The demo behind the dashboard: the drawn table, its players, keys for speed, step, seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from companion.decks import back_drawing, drawings
from companion.demo.actions import Gesture, players_of
from companion.demo.animation import Animation
from companion.demo.director import Director, Performer, retraced
from companion.demo.later import demo_keys
from companion.demo.pads import AtPads, PadHands
from companion.demo.world import World
from companion.live.live import Live
from companion.readers.camera.reader import CameraReader
from companion.readers.rfid.events import PAD_NAMES
from companion.readers.rfid.simulator import VirtualBoard
from companion.rules.acts import Act
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
        pictures = drawings(deck, language)
        back = np.asarray(back_drawing(deck.game))
        zones = default(len(setup.players))
        seed = setup.rng("demo", "table").randrange(2**31)
        small = {name: _small(picture) for name, picture in pictures.items()}
        world = self.world = World(small, _small(back), zones, seed=seed)
        stage = Animation(
            world,
            speed=speed,
            idle_frames=IDLE_FRAMES,
            pressed=self._press if self.pads is None else None,
            acted=None if self.pads is None else self.pads.follow,
        )
        library = Library.from_drawings({**pictures, BACK: back})
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


def _small(picture: Picture) -> Picture:
    width = round(picture.shape[1] * _HEIGHT / picture.shape[0])
    return np.asarray(cv2.resize(picture, (width, _HEIGHT), interpolation=cv2.INTER_AREA), dtype=np.uint8)
