"""Frames of the wire protocol: COBS framing, CRC-16, fixed fields, and the numbers used in them.

Source: firmware/PROTOCOL.md, "Frames".
"""

from __future__ import annotations

import binascii
import enum
import struct
from typing import TypeAlias

import msgspec
from cobs import cobs

WHOLE_BOARD = 255
"""Value in place of a pad number: all pads, or none in particular."""


class Op(enum.IntEnum):
    """Commands to the board."""

    LIGHT = 1
    BUZZ = 2
    GAIN = 3
    SCAN = 4
    SNAPSHOT = 5
    DRIVE = 6
    SELF_TEST = 7


class Light(enum.IntEnum):
    """What a pad's light shows."""

    OFF = 0
    ACCEPTED = 1
    UNKNOWN = 2
    LOOK = 3
    TURN = 4
    HURRY = 5
    WHITE = 6


class Tune(enum.IntEnum):
    """Tunes of the buzzer."""

    SILENCE = 0
    ACCEPTED = 1
    UNKNOWN = 2
    HURRY = 3
    TIME_UP = 4
    TEST = 5


class EventKind(enum.IntEnum):
    """Kinds of events on the wire."""

    ARRIVED = 1
    LEFT = 2
    BUTTON = 3
    FAULT = 4
    SNAPSHOT_BEGIN = 5
    SNAPSHOT_BUTTONS = 6
    SNAPSHOT_PAD = 7
    SNAPSHOT_TAG = 8
    SNAPSHOT_END = 9
    SELF_TEST = 10


MAJOR, MINOR = 1, 0
_LONGEST = 128  # bytes: no frame of any 1.x board is half as long; more than that without a zero is no frame


class Hello(msgspec.Struct, frozen=True):
    """Greeting of the board: its identity and the state of its pads; `health` is (health,
    VersionReg) for each pad."""

    major: int
    minor: int
    firmware: bytes
    boot: int
    board: int
    cause: int
    capabilities: int
    seats: int
    tags: int
    outbox: int
    pads: int
    health: tuple[tuple[int, int], ...]


class Ready(msgspec.Struct, frozen=True):
    """The board has accepted the session."""

    session: int
    boot: int
    fresh: int


class EventFrame(msgspec.Struct, frozen=True):
    """One numbered event; the meaning of `a` and `b` depends on `what`. Its `repr` hides the id."""

    number: int
    ms: int
    what: int
    a: int
    b: int
    id: bytes

    def __repr__(self) -> str:
        return f"EventFrame(number={self.number}, what={self.what})"


class Beat(msgspec.Struct, frozen=True):
    """Sign of life: `newest` event number, `sweep` duration in microseconds."""

    ms: int
    newest: int
    sweep: int


class Done(msgspec.Struct, frozen=True):
    """Answer to a command."""

    command: int
    result: int


Frame: TypeAlias = Hello | Ready | EventFrame | Beat | Done

_HELLO = struct.Struct("<BB3sIBBHBBBB")
_READY = struct.Struct("<HIB")
_EVENT = struct.Struct("<HIBBBB")
_BEAT = struct.Struct("<IHH")
_DONE = struct.Struct("<BB")


def _decode_body(kind: int, fields: bytes) -> Frame | None:
    """Parse the fields of one body; None for an unknown kind or a size that does not match it."""
    try:
        match kind:
            case 0x01:
                head, pairs = fields[: _HELLO.size], fields[_HELLO.size :]
                values = _HELLO.unpack(head)
                if len(pairs) != 2 * values[-1]:
                    return None
                health = tuple(zip(pairs[::2], pairs[1::2], strict=True))
                return Hello(*values, health)  # type: ignore[call-arg]  # twelve fields, one by one from the struct
            case 0x02:
                return Ready(*_READY.unpack(fields))
            case 0x03:
                number, ms, what, a, b, size = _EVENT.unpack(fields[: _EVENT.size])
                tag = fields[_EVENT.size :]
                return EventFrame(number, ms, what, a, b, tag) if len(tag) == size <= 7 else None
            case 0x04:
                return Beat(*_BEAT.unpack(fields))
            case 0x05:
                return Done(*_DONE.unpack(fields))
            case _:
                return None
    except struct.error:
        return None


def decode_frame(wire: bytes) -> Frame | None:
    """Parse the bytes between two zeros; None if they are not an intact frame."""
    try:
        body = cobs.decode(wire)
    except cobs.DecodeError:
        return None
    if len(body) < 3 or binascii.crc_hqx(body[:-2], 0xFFFF) != int.from_bytes(body[-2:], "little"):
        return None
    return _decode_body(body[0], body[1:-2])


class FrameDecoder:
    """Splitter of incoming bytes into frames. Bytes before the first zero are not a frame."""

    def __init__(self) -> None:
        self._rest = b""
        self.dropped = 0
        """Number of pieces that were not a frame since the port was opened."""

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes and return the frames they complete."""
        *pieces, self._rest = (self._rest + data).split(b"\0")
        # A device that never sends a zero must not fill the memory.
        if len(self._rest) > _LONGEST:
            self._rest = self._rest[-_LONGEST:]
        frames = []
        for piece in pieces:
            frame = decode_frame(piece)
            if frame is not None:
                frames.append(frame)
            elif piece:
                self.dropped += 1
        return frames


def encode_frame(body: bytes) -> bytes:
    """Return the bytes on the wire for a body."""
    return bytes(cobs.encode(body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "little"))) + b"\0"


def encode_ask() -> bytes:
    """Return ASK, the question which board is there."""
    return encode_frame(struct.pack("<BBB", 0x41, MAJOR, MINOR))


def encode_resume(session: int, boot: int, last: int | None) -> bytes:
    """Return RESUME: continue after event `last`, or None to start over."""
    return encode_frame(struct.pack("<BHIBH", 0x42, session, boot, last is not None, last or 0))


def encode_ack(session: int, last: int) -> bytes:
    """Return ACK: every event up to number `last` was received."""
    return encode_frame(struct.pack("<BHH", 0x43, session, last))


def encode_command(number: int, op: int, a: int, b: int) -> bytes:
    """Return COMMAND `number` (0 to 255)."""
    return encode_frame(struct.pack("<BBBBB", 0x44, number, op, a, b))
