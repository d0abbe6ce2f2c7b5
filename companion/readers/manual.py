"""The reader that needs no device: what a person enters by keys and menus, as sightings like any other."""

from __future__ import annotations

import itertools
import time
from typing import Literal

from companion.rules.contract import Text
from companion.table.identification import KEYS
from companion.table.sightings import Health, Post, Press, Sighting


class ManualReader:
    """Posts what is entered. A card entered here counts like one tapped on a pad: until the phase moves on."""

    name = KEYS

    def __init__(self) -> None:
        self._post: Post | None = None
        self._tracks = itertools.count(1)

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self._post = post
        post(Health(self.name, "ok", Text("reader.keys.ok"), time.monotonic()))

    def close(self) -> None:
        """Stop: what is entered from now on goes nowhere."""
        self._post = None

    def show(self, design: str | None, zone: str, face: Literal["up", "down"] = "up") -> None:
        """Say that the card `design` (the deck's name of it; None: a card face down) lies in `zone` now."""
        if self._post is not None:
            track, now = next(self._tracks), time.monotonic()
            shown = Sighting(self.name, track, design, zone, now, face if design is not None else "down")
            self._post(shown)
            self._post(Sighting(self.name, track, None, zone, now, present=False))

    def press(self, seat: int, button: Literal["accept", "refuse"]) -> None:
        """Say that the seat (1..N) pressed its button."""
        if self._post is not None:
            self._post(Press(self.name, seat, button, time.monotonic()))
