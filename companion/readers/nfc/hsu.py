"""A PN532 module on a USB serial adapter (its switches on HSU) as a reader of the table: one pad,
named by its port.

It is asked without a pause what lies there; a card counts as gone when it was missing several times
in a row.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import serial

from companion.readers.nfc import pn532
from companion.readers.nfc.pads import FAMILY, DesignOf, TagPads
from companion.readers.rfid.events import TagId
from companion.readers.rfid.link import why_not_open
from companion.readers.thread import ThreadReader
from companion.rules.contract import Text
from companion.table.identification import Pad
from companion.table.sightings import Post

ANSWER_WITHIN = 1.0
"""Seconds that a command may take; three looks for a card take 0.1."""
MISSES = 3
"""Looks in a row that must miss a card before it is gone: a hand over it spoils one."""
RETRY = 1.0


class _Silence(Exception):
    """The module does not answer."""


class Pn532Reader(ThreadReader):
    """Reports what lies on the module at `port`; `plan` may give the port a place. Found again by
    itself when it was away."""

    def __init__(self, port: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        name = f"pn532 {port.rpartition('/')[2]}"
        super().__init__(f"{FAMILY} {name}")
        self.pads = TagPads(name, design_of, plan)
        self._port = port
        self._there: dict[TagId, int] = {}
        self._said: Text | None = None

    def attach(self, post: Post) -> None:
        """Report to `post`."""
        super().attach(post)
        self.pads.attach(post)

    def run(self) -> None:
        """Read until the end."""
        while not self.ending:
            try:
                with serial.Serial(
                    self._port, pn532.BAUD, timeout=0.05, write_timeout=1.0, exclusive=True
                ) as line:
                    self._serve(line)
            except _Silence:
                self._lose(Text("reader.pn532.silent", {"port": self._port}))
            except (serial.SerialException, OSError, TypeError, ValueError) as error:
                self._lose(why_not_open(error, self._port))
            self.wait(RETRY)

    def _serve(self, line: serial.Serial) -> None:
        answers = pn532.Answers()
        line.write(pn532.WAKE_UP)
        for command in (pn532.NORMAL_MODE, bytes([pn532.GET_FIRMWARE_VERSION]), pn532.FEW_TRIES):
            self._ask(line, answers, command)
        self._said = None
        self.pads.greet(self._port, time.monotonic())
        while not self.ending:
            found = pn532.cards(self._ask(line, answers, pn532.LIST_CARDS))
            if found is not None:
                self._look(found)

    def _ask(self, line: serial.Serial, answers: pn532.Answers, command: bytes) -> bytes:
        """Give a command and return its answer's data. Raises `_Silence`."""
        line.write(pn532.frame(command))
        until = time.monotonic() + ANSWER_WITHIN
        while time.monotonic() < until and not self.ending:
            for code, data in answers.feed(line.read(max(line.in_waiting, 1))):
                if code == command[0] + 1:
                    return data
        if self.ending:
            return b""
        raise _Silence

    def _look(self, found: list[TagId]) -> None:
        """Note what lies there; tell when that has changed."""
        before = set(self._there)
        misses = {
            tag: count + 1 for tag, count in self._there.items() if tag not in found and count + 1 < MISSES
        }
        self._there = misses | dict.fromkeys(found, 0)
        if set(self._there) != before:
            self.pads.lying(self._port, tuple(self._there), time.monotonic())

    def _lose(self, text: Text) -> None:
        if text != self._said:
            self._said = text
            self._there = {}
            self.pads.health(self._port, "lost", text, time.monotonic())
