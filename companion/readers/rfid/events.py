"""What an RFID board reports, as small frozen values: pads count from 0, seats from 1.

Beside them how a pad is (`PadHealth`, the codes of PROTOCOL.md, "health"), and what can be wrong
with a reader, as a value for views (`ReaderProblem`): no traceback reaches a player.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeAlias

import msgspec

from companion.rules.contract import Problem

PAD_NAMES: Final = {
    1: ("seat1", "seat2", "seat3", "seat4", "seat5", "seat6", "middle"),
    2: ("seat1", "seat2", "middle"),
    4: ("tray",),
}
"""The pads of a board by its code in HELLO, as `firmware/pins.toml` names them (3, the simulation
on the host, is a Mega)."""


class PadHealth(IntEnum):
    """The state of a pad's chip. `reader.rfid.pad.<cause>` says it with its likely cause."""

    WELL = 0
    CLONE = 1
    ABSENT = 2
    STUCK_LOW = 3
    UNKNOWN_CHIP = 4
    MUTE = 5
    RESTARTING = 6
    OFF = 7
    UNRESOLVED = 8
    CROWDED = 9
    MISO_DRIVEN = 10

    @classmethod
    def _missing_(cls, _value: object) -> PadHealth:
        return (
            cls.UNKNOWN_CHIP
        )  # a code of a newer firmware: something is wrong, and this program cannot say what

    @property
    def cause(self) -> str:
        """The end of its message's code."""
        return self.name.lower()

    @property
    def harmless(self) -> bool:
        """Whether nobody needs to do anything."""
        return self in (PadHealth.WELL, PadHealth.CLONE, PadHealth.OFF)

    @property
    def reads(self) -> bool:
        """Whether it reads cards, or will in a moment."""
        return self in _READING

    @property
    def broken(self) -> bool:
        """Whether it cannot read before somebody mends it."""
        return not self.reads and self is not PadHealth.OFF


_READING = frozenset(
    {
        PadHealth.WELL,
        PadHealth.CLONE,
        PadHealth.RESTARTING,
        PadHealth.UNRESOLVED,
        PadHealth.CROWDED,
    }
)


class TagId:
    """The id of one RFID tag: 4 or 7 bytes (ISO 14443-3). Compares and hashes by value.

    It may be the id of a card that lies face down. Hence its `repr` and `str` say nothing: who
    wants the id calls `hex()`.
    """

    __slots__ = ("_bytes",)

    def __init__(self, raw: bytes) -> None:
        self._bytes = bytes(raw)

    @classmethod
    def from_hex(cls, text: str) -> TagId:
        """Read an id as `hex` writes it; spaces, colons and dashes between the digits are allowed.

        Raises ValueError (with no part of the id in its words) if that is no id of 4 or 7 bytes.
        """
        try:
            raw = bytes.fromhex(text.replace(":", "").replace("-", "").replace(" ", ""))
        except ValueError:
            raw = b""
        if len(raw) not in (4, 7):
            raise ValueError("a tag id is 8 or 14 hexadecimal digits") from None
        return cls(raw)

    def hex(self) -> str:
        """Return the id as lower-case hexadecimal digits."""
        return self._bytes.hex()

    @property
    def first_level(self) -> bytes:
        """What a reader sees of the id before it has told tags apart: the bytes of cascade level 1
        (ISO 14443-3, 6.5.4)."""
        return self._bytes[:3] if len(self._bytes) == 7 else self._bytes

    @property
    def random(self) -> bool:
        """Whether the id changes each time (phones and bank cards): single size, first byte 08 (ISO
        14443-3, 6.5.4)."""
        return len(self._bytes) == 4 and self._bytes[0] == 0x08

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TagId) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return "TagId(...)"

    def __reduce__(self) -> str:
        raise TypeError("a tag id is not pickled: it may be that of a face-down card")


class PadState(msgspec.Struct, frozen=True):
    """How one pad is: its `health`, `version` the chip's VersionReg, `tags` what lies there."""

    health: PadHealth
    version: int
    tags: tuple[TagId, ...] = ()


class Identity(msgspec.Struct, frozen=True):
    """Who answers: `board` 1 Mega 2560, 2 Nano or Uno, 3 simulation, 4 tray (Pico); `cause` of
    its last start; firmware as (1, 0, 0)."""

    board: int
    firmware: tuple[int, int, int]
    boot: int
    cause: int
    capabilities: int
    seats: int
    pads: int

    @property
    def pad_names(self) -> tuple[str, ...]:
        """What its pads are called; those of a board that we do not know `pad1`, `pad2`, ..."""
        names = PAD_NAMES.get(1 if self.board == 3 else self.board, ())
        return names if len(names) == self.pads else tuple(f"pad{n + 1}" for n in range(self.pads))


class Connected(msgspec.Struct, frozen=True):
    """A session is open. `fresh`: a Snapshot follows, and what happened before it is not known."""

    identity: Identity
    fresh: bool
    received: float


class Refused(msgspec.Struct, frozen=True):
    """The board speaks another major version: `board` its (major, minor), `ours` the program's."""

    board: tuple[int, int]
    ours: tuple[int, int]
    received: float


class CardArrived(msgspec.Struct, frozen=True):
    """A tag came to lie on a pad. `board_ms`: the board's clock; `received`: seconds, monotonic,
    when the bytes came in."""

    pad: int
    tag: TagId
    board_ms: int
    received: float


class CardLeft(msgspec.Struct, frozen=True):
    """A tag has left a pad (after several misses and a cycle of the field)."""

    pad: int
    tag: TagId
    board_ms: int
    received: float


class Button(msgspec.Struct, frozen=True):
    """A seat's key: `which` is `accept` or `refuse`; `pressed` False when it was let go."""

    seat: int
    which: str
    pressed: bool
    board_ms: int
    received: float


class ReaderFault(msgspec.Struct, frozen=True):
    """The health of a pad (None: of the board) changed; `WELL` means that it is well again."""

    pad: int | None
    health: PadHealth
    version: int
    board_ms: int
    received: float


class SelfTest(msgspec.Struct, frozen=True):
    """A chip's digital self-test ended. `result`: 0 right, 1 wrong (a counterfeit, or damaged), 2
    not known for this kind of chip."""

    pad: int
    result: int
    received: float


class CatchingUp(msgspec.Struct, frozen=True):
    """A Snapshot has begun to come in. For `reason` 1 (fresh) and 2 (overflow) events may be
    missing from here to its end."""

    reason: int
    received: float


class PadsSnapshot(msgspec.Struct, frozen=True):
    """All that lies on the pads now. `lost`: how many events before it the board has given up.

    `missed`: events may be missing that the program would have been told, for that or because the
    board has started anew.
    """

    pads: tuple[PadState, ...]
    held: frozenset[tuple[int, str]]
    board_health: int
    lost: int
    reason: int
    received: float
    missed: bool = False


WireEvent: TypeAlias = (
    Connected | Refused | CardArrived | CardLeft | Button | ReaderFault | SelfTest | CatchingUp | PadsSnapshot
)


class ReaderProblem(Problem):
    """Something the people at the table can act on; `text` is what to show. No tag id in it."""
