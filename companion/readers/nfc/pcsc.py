"""PC/SC readers (ACR122U, ACR1252 and their like) as readers of the table: each that is plugged in
is a pad.

They are looked for once a second, so one may be plugged in or pulled out while people play. A card
is left alone while it lies: the service tells when it comes and goes. Of several cards on one such
reader the reader itself chooses one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from companion.readers.nfc.pads import FAMILY, DesignOf, TagPads
from companion.readers.nfc.scard import Service, blocking_driver, cards, present
from companion.readers.rfid.events import TagId
from companion.readers.rfid.problems import ReaderProblem
from companion.readers.thread import ThreadReader
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Post

LOOK_EVERY = 1.0
"""Seconds between two looks for readers that were plugged in or pulled out."""
TRIES = 6
"""How often a card is asked for its id: one still being laid down often fails the first time."""
TRY_AFTER = 0.02
"""Seconds until a card that gave no id is asked again."""


class PcscReader(ThreadReader):
    """Reports what lies on all PC/SC readers. `plan`: which reader, by its name, is which pad.
    Raises `ReaderProblem` without pyscard."""

    def __init__(self, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__(f"{FAMILY} pcsc")
        self.pads = TagPads("pcsc", design_of, plan)
        self._service = Service()
        self._states: dict[str, int] = {}
        self._said: Text | None = None

    def attach(self, post: Post) -> None:
        """Report to `post`."""
        super().attach(post)
        self.pads.attach(post)

    def wake(self) -> None:
        """Interrupt the wait for a card."""
        self._service.cancel()

    def run(self) -> None:
        """Read until the end; a service that is not there, or goes, is asked again every second."""
        while not self.ending:
            try:
                self._service.open()
                while not self.ending:
                    self._turn()
            except ReaderProblem as fault:
                self._lose(self._states, fault.text)
                self._say("lost", fault.text)
            finally:
                self._service.close()
            self.wait(LOOK_EVERY)

    def _turn(self) -> None:
        """Look which readers there are, then wait for what changes on them."""
        devices = self._service.devices()
        gone = [device for device in self._states if device not in devices]
        for device in gone:
            self._lose([device], Text("reader.pad.unplugged", {"device": device}))
        for device in [device for device in devices if device not in self._states]:
            self._states[device] = 0
            self.pads.greet(device, time.monotonic())
        if not devices:
            driver = blocking_driver()
            self._say(
                "lost",
                Text("reader.pcsc.blocked", {"driver": driver}) if driver else Text("reader.pcsc.none"),
            )
            self.wait(LOOK_EVERY)
            return
        self._say("ok", Text("reader.pcsc.ok", {"count": len(devices)}))
        for device, state in self._service.changes(self._states, LOOK_EVERY).items():
            self._look(device, state)

    def _lose(self, devices: Mapping[str, int] | list[str], text: Text) -> None:
        for device in list(devices):
            del self._states[device]
            self.pads.health(device, "lost", text, time.monotonic())

    def _look(self, device: str, state: int) -> None:
        """Report the card that a reader has, or that it has none."""
        first = self._states[device] == 0
        if not first and (present(state), cards(state)) == (
            present(self._states[device]),
            cards(self._states[device]),
        ):
            self._states[device] = state  # another program has come to the reader, or gone
            return
        try:
            tags = [self._ask(device)] if present(state) else []
        except ReaderProblem as busy:
            self.pads.health(device, "lost", busy.text, time.monotonic())
            self._states.pop(device)  # met again as if it had just been plugged in
            self.wait(LOOK_EVERY)
            return
        self._states[device] = state
        if tags or not first:
            # A reader that has just come back says "empty" for up to half a second before it has
            # found the card that still lies there: the table itself waits for that, and takes for
            # gone what is not named again.
            self.pads.lying(device, tags, time.monotonic())

    def _ask(self, device: str) -> TagId | None:
        for _ in range(TRIES):
            tag = self._service.uid(device)
            if tag is not None or self.wait(TRY_AFTER):
                return tag
        return None

    def _say(self, state: str, text: Text) -> None:
        """Say how the service is, when that has changed."""
        if text != self._said:
            self._said = text
            self.tell(state, text)  # type: ignore[arg-type]
