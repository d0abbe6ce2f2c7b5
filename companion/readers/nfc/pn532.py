"""What a PN532 says and is told over its serial line (HSU): bytes in, answers out; no port, no
clock.

Source: NXP UM0701-02, "PN532 User Manual": frames 6.2.1, the serial line's wake-up 6.3.2.3,
commands 7. A frame is `00 00 FF LEN LCS TFI DATA... DCS 00`: LEN counts TFI and DATA, LEN + LCS is
0 and TFI + DATA + DCS is 0 (each modulo 256); TFI is D4 from the program and D5 from the chip.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from companion.readers.rfid.events import TagId

BAUD: Final = 115_200
"""What the chip speaks after a reset (PN532 user manual, HSU: 115,200 until told otherwise)."""
WAKE_UP: Final = b"\x55\x55" + bytes(14)
"""Long enough for the chip to leave its sleep before the first command's frame comes (7.2.11)."""
GET_FIRMWARE_VERSION, SAM_CONFIGURATION, RF_CONFIGURATION, IN_LIST_PASSIVE_TARGET = 0x02, 0x14, 0x32, 0x4A
NORMAL_MODE: Final = bytes([SAM_CONFIGURATION, 0x01, 0x14, 0x01])
"""No security module, no interrupt pin (7.2.10)."""
FEW_TRIES: Final = bytes([RF_CONFIGURATION, 0x05, 0xFF, 0x01, 0x02])
"""Look for a card three times, not for ever, so that an empty pad answers too (7.3.1, item 5:
passive activation retries)."""
LIST_CARDS: Final = bytes([IN_LIST_PASSIVE_TARGET, 0x02, 0x00])
"""Up to two cards of ISO 14443A at 106 kbit/s: more it cannot tell apart (7.3.5)."""
_FROM_PROGRAM, _FROM_CHIP = 0xD4, 0xD5
"""TFI, the first byte of a frame's data: who speaks (6.2.1.1)."""
_START: Final = b"\x00\xff"
_ACK: Final = b"\x00\xff\x00\xff\x00"


def frame(command: bytes) -> bytes:
    """Return a command, its code first, as it goes over the line. At most 254 bytes."""
    body = bytes([_FROM_PROGRAM]) + command
    return b"\x00" + _START + bytes([len(body), -len(body) & 0xFF]) + body + bytes([-sum(body) & 0xFF, 0])


class Answers:
    """Bytes that were read in, the chip's answers out: code (the command's plus one) and data. What
    is damaged is dropped."""

    def __init__(self) -> None:
        self._rest = b""
        self.dropped = 0
        """How many frames had a wrong sum."""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Take bytes; give the answers they complete. Acknowledgements are left out."""
        self._rest += data
        while True:
            start = self._rest.find(_START)
            if start < 0:
                # The last byte may be the first half of a beginning that is still on its way.
                self._rest = self._rest[-1:]
                return
            self._rest = self._rest[start:]
            if self._rest.startswith(_ACK):
                self._rest = self._rest[len(_ACK) :]
                continue
            if len(self._rest) < 4:
                return
            length, check = self._rest[2], self._rest[3]
            if (length + check) & 0xFF or length < 2:
                self._skip()
                continue
            if len(self._rest) < 4 + length + 1:
                return
            body, total = self._rest[4 : 4 + length], self._rest[4 + length]
            if (sum(body) + total) & 0xFF or body[0] != _FROM_CHIP:
                self._skip()
                continue
            self._rest = self._rest[5 + length :]
            yield body[1], body[2:]

    def _skip(self) -> None:
        """Look for the next beginning behind this one."""
        self.dropped += 1
        self._rest = self._rest[len(_START) :]


def cards(data: bytes) -> list[TagId] | None:
    """Return the ids in an answer to `LIST_CARDS` (7.3.5: count, then for each its number, ATQA,
    SAK, length of the id, the id, ATS).

    None if it is cut short or holds an id of no known length.
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
        if sak & 0x20 and at < len(data):  # ISO 14443-4: an ATS follows, its own length first
            at += data[at]
    return found
