"""PN532 module on a USB serial adapter (its switches set to HSU): one pad, named by its port.

The module is asked continuously which cards are there; a card has gone when several answers in a
row lack it. The functions that build commands and parse answers come first; they need neither port
nor clock.

Source: NXP UM0701-02, "PN532 User Manual": frames 6.2.1, wake-up on the serial line 6.3.2.3,
commands 7. A frame is `00 00 FF LEN LCS TFI DATA... DCS 00`: LEN counts TFI and DATA, LEN + LCS is
0 and TFI + DATA + DCS is 0 (each modulo 256); TFI is D4 from the program and D5 from the chip.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from companion.readers.nfc.tag_pads import DesignOf, PadReader
from companion.readers.rfid import ports
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.readers.thread import PN532_TIMEOUT, SilenceWatchdog
from companion.rules.contract import Text
from companion.table.identification import Pad

BAUD: Final = 115_200
"""Speed after a reset (PN532 user manual, HSU: 115,200 until another one is set)."""
WAKE_UP: Final = b"\x55\x55" + bytes(14)
"""Bytes before the first command, enough for the chip to wake up (7.2.11)."""
GET_FIRMWARE_VERSION, SAM_CONFIGURATION, RF_CONFIGURATION, IN_LIST_PASSIVE_TARGET = 0x02, 0x14, 0x32, 0x4A
NORMAL_MODE: Final = bytes([SAM_CONFIGURATION, 0x01, 0x14, 0x01])
"""No security module, no interrupt pin (7.2.10)."""
FEW_TRIES: Final = bytes([RF_CONFIGURATION, 0x05, 0xFF, 0x01, 0x02])
"""Look for a card three times instead of endlessly, so that an empty pad answers too (7.3.1, item
5: passive activation retries)."""
LIST_CARDS: Final = bytes([IN_LIST_PASSIVE_TARGET, 0x02, 0x00])
"""List up to two cards of ISO 14443A at 106 kbit/s; the chip cannot distinguish more (7.3.5)."""
_FROM_PROGRAM, _FROM_CHIP = 0xD4, 0xD5
"""TFI, the first byte of a frame's data: the sender (6.2.1.1)."""
_START: Final = b"\x00\xff"
_ACK: Final = b"\x00\xff\x00\xff\x00"


def encode_frame(command: bytes) -> bytes:
    """Return the frame for a command (code first, at most 254 bytes)."""
    body = bytes([_FROM_PROGRAM]) + command
    return b"\x00" + _START + bytes([len(body), -len(body) & 0xFF]) + body + bytes([-sum(body) & 0xFF, 0])


class AnswerParser:
    """Parser of the chip's answers. Damaged frames are dropped."""

    def __init__(self) -> None:
        self._rest = b""
        self.dropped = 0
        """Number of frames with a wrong checksum."""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Parse bytes and yield the answers they complete, as code (the command's plus one) and
        data. Acknowledgements are left out."""
        self._rest += data
        while True:
            start = self._rest.find(_START)
            if start < 0:
                # The last byte may be the first half of a start code.
                self._rest = self._rest[-1:]
                return
            self._rest = self._rest[start:]
            if self._rest.startswith(_ACK):
                self._rest = self._rest[len(_ACK) :]
                continue
            # Bytes come in arbitrary pieces: an incomplete frame stays in `_rest` until the next
            # call.
            if len(self._rest) < 4:
                return
            length, check = self._rest[2], self._rest[3]
            if (length + check) & 0xFF or length < 2:
                self._skip_frame_start()
                continue
            if len(self._rest) < 4 + length + 1:
                return
            body, total = self._rest[4 : 4 + length], self._rest[4 + length]
            if (sum(body) + total) & 0xFF or body[0] != _FROM_CHIP:
                self._skip_frame_start()
                continue
            self._rest = self._rest[5 + length :]
            yield body[1], body[2:]

    def _skip_frame_start(self) -> None:
        """Drop this start of a frame, so that the next one is looked for."""
        self.dropped += 1
        self._rest = self._rest[len(_START) :]


def decode_tag_ids(data: bytes) -> list[TagId] | None:
    """Return the tag ids in an answer to `LIST_CARDS` (7.3.5: count, then for each card its number,
    ATQA, SAK, length of the id, the id, ATS).

    None if the answer is cut short or contains an id of unknown length.
    """
    if not data:
        return None
    found, at = [], 1
    for _ in range(data[0]):
        if at + 5 > len(data):
            return None
        sak, length = data[at + 3], data[at + 4]
        uid = data[at + 5 : at + 5 + length]
        if len(uid) != length or length not in (4, 7, 10):
            return None
        found.append(TagId(uid))
        at += 5 + length
        # ISO 14443-4 cards: an ATS follows, which starts with its own length.
        if sak & 0x20 and at < len(data):
            at += data[at]
    return found


MISSES = 3
"""Answers in a row that must lack a card before it has gone: a hand over the card spoils one."""


class Pn532Reader(PadReader):
    """Reader of the cards on the module at `port`, for which `plan` may give a place. The module is
    found again after it was unplugged."""

    def __init__(self, port: str, design_of: DesignOf, plan: Mapping[str, Pad]) -> None:
        super().__init__(f"pn532 {port.rpartition('/')[2]}", design_of, plan)
        self._port = port
        self._there: dict[TagId, int] = {}
        self._reported_problem: Text | None = None
        self._silence = SilenceWatchdog(PN532_TIMEOUT)

    def serve_connection(self) -> None:
        """Open the port and ask continuously for cards."""
        with ports.hold_port(self._port, BAUD, 0.05) as line:
            try:
                self._poll_module(line)
            except (*ports.FAULTS, ValueError) as error:
                raise ports.explain_port_error(error, self._port) from error

    def _poll_module(self, serial_link: Any) -> None:
        answers = AnswerParser()
        serial_link.write(WAKE_UP)
        for command in (NORMAL_MODE, bytes([GET_FIRMWARE_VERSION]), FEW_TRIES):
            self._send_command(serial_link, answers, command)
        self._reported_problem = None
        self.pads.report_ready(self._port, time.monotonic())
        while not self.is_ending:
            found = decode_tag_ids(self._send_command(serial_link, answers, LIST_CARDS))
            if found is not None:
                self._update_tags(found)

    def _send_command(self, serial_link: Any, answers: AnswerParser, command: bytes) -> bytes:
        """Send a command and return the data of its answer. Raises `ReaderProblem` if none
        comes."""
        serial_link.write(encode_frame(command))
        self._silence.feed(time.monotonic())
        while not self._silence.has_expired(time.monotonic()) and not self.is_ending:
            for code, data in answers.feed(serial_link.read(max(serial_link.in_waiting, 1))):
                if code == command[0] + 1:
                    return data
        if self.is_ending:
            return b""
        raise ReaderProblem("reader.pn532.silent", port=self._port)

    def _update_tags(self, tags: list[TagId]) -> None:
        """Count misses of each card, and report the cards on the pad if they have changed."""
        before = set(self._there)
        misses = {
            tag: count + 1 for tag, count in self._there.items() if tag not in tags and count + 1 < MISSES
        }
        self._there = misses | dict.fromkeys(tags, 0)
        if set(self._there) != before:
            self.pads.report_tags(self._port, tuple(self._there), time.monotonic())

    def handle_disconnect(self, why: Text) -> None:
        """Report once why the module is away; the cards on it stay known."""
        if why != self._reported_problem:
            self._reported_problem = why
            # So that cards still on the module are reported again when it is back.
            self._there = {}
            self.pads.report_health(self._port, "lost", why, time.monotonic())
