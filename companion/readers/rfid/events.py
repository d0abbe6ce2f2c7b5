"""Events of an RFID board, as small immutable values. Pads count from 0, seats from 1.

Also the health of a pad (`PadHealth`, the codes of PROTOCOL.md, "health"), and problems with a
reader as values for views (`ReaderProblem`), so that no player sees a traceback.
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
"""Names of a board's pads, by its code in HELLO, as in `firmware/pins.toml`; 1 is a Mega, which
people built until there were trays, and 3, the simulation on the host, calls its pads the same."""


class PadHealth(IntEnum):
    """State of a pad's chip. The message `reader.rfid.pad.<cause>` describes it with its likely
    cause."""

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
        # The code of a newer firmware: something is wrong, but this program cannot say what.
        return cls.UNKNOWN_CHIP

    @property
    def cause(self) -> str:
        """Last part of the code of its message."""
        return self.name.lower()

    @property
    def is_harmless(self) -> bool:
        """Whether nobody needs to do anything."""
        return self in (PadHealth.WELL, PadHealth.CLONE, PadHealth.OFF)

    @property
    def can_read(self) -> bool:
        """Whether the pad reads cards, or will in a moment."""
        return self in _READING

    @property
    def is_broken(self) -> bool:
        """Whether the pad cannot read until somebody repairs it."""
        return not self.can_read and self is not PadHealth.OFF


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
    """Id of one RFID tag: 4 or 7 bytes (ISO 14443-3). Compared and hashed by value.

    It may belong to a face-down card, so `repr` and `str` hide it: only `hex()` returns the id.
    """

    __slots__ = ("_bytes",)

    def __init__(self, raw: bytes) -> None:
        self._bytes = bytes(raw)

    @classmethod
    def from_hex(cls, text: str) -> TagId:
        """Parse an id as `hex` writes it; spaces, colons and dashes between the digits are allowed.

        Raises ValueError, whose message contains no part of the id, if it is not an id of 4 or 7
        bytes.
        """
        try:
            raw = bytes.fromhex(text.replace(":", "").replace("-", "").replace(" ", ""))
        except ValueError:
            raw = b""
        if len(raw) not in (4, 7):
            # `from None`: the original message would quote the digits.
            raise ValueError("a tag id is 8 or 14 hexadecimal digits") from None
        return cls(raw)

    def hex(self) -> str:
        """Return the id as lower-case hexadecimal digits."""
        return self._bytes.hex()

    @property
    def cascade_level_1(self) -> bytes:
        """The part of the id by which a reader first sees the tag, before it can distinguish
        several: the bytes of cascade level 1 (ISO 14443-3, 6.5.4)."""
        return self._bytes[:3] if len(self._bytes) == 7 else self._bytes

    @property
    def is_random(self) -> bool:
        """Whether the id changes at each reading (phones and bank cards): single size, first byte
        08 (ISO 14443-3, 6.5.4)."""
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
    """State of one pad: `health`, the chip's VersionReg as `version`, and the `tags` on it."""

    health: PadHealth
    version: int
    tags: tuple[TagId, ...] = ()


class Identity(msgspec.Struct, frozen=True):
    """Greeting of a board: `board` 1 Mega 2560 (built earlier), 2 Nano or Uno, 3 simulation, 4 tray
    (Pico); `cause` of its last start; `firmware` version as (1, 0, 0)."""

    board: int
    firmware: tuple[int, int, int]
    boot: int
    cause: int
    capabilities: int
    seats: int
    pads: int

    @property
    def pad_names(self) -> tuple[str, ...]:
        """Names of its pads; `pad1`, `pad2`, ... for a board that we do not know."""
        names = PAD_NAMES.get(1 if self.board == 3 else self.board, ())
        return names if len(names) == self.pads else tuple(f"pad{n + 1}" for n in range(self.pads))


class Connected(msgspec.Struct, frozen=True):
    """A session was opened. `fresh`: a snapshot follows, and earlier events are unknown."""

    identity: Identity
    fresh: bool
    received: float


class Refused(msgspec.Struct, frozen=True):
    """The board speaks another major version: `board` its (major, minor), `ours` the program's."""

    board: tuple[int, int]
    ours: tuple[int, int]
    received: float


class CardArrived(msgspec.Struct, frozen=True):
    """A tag arrived on a pad. `board_ms`: the board's clock; `received`: monotonic seconds at which
    the bytes came in."""

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


class ButtonEvent(msgspec.Struct, frozen=True):
    """A seat's key was pressed, or released (`pressed` False); `which` is `accept` or `refuse`."""

    seat: int
    which: str
    pressed: bool
    board_ms: int
    received: float


class ReaderFault(msgspec.Struct, frozen=True):
    """The health of a pad (None: of the board) changed; `WELL` means that it has recovered."""

    pad: int | None
    health: PadHealth
    version: int
    board_ms: int
    received: float


class SelfTestResult(msgspec.Struct, frozen=True):
    """A chip's digital self-test ended. `result`: 0 passed, 1 failed (counterfeit or damaged), 2
    not known for this kind of chip."""

    pad: int
    result: int
    received: float


class SnapshotStarted(msgspec.Struct, frozen=True):
    """A snapshot begins. For `reason` 1 (fresh) and 2 (overflow) events may be missing before its
    end."""

    reason: int
    received: float


class PadsSnapshot(msgspec.Struct, frozen=True):
    """All tags on the pads now. `lost`: how many earlier events the board discarded.

    `missed`: events may be missing that the program should have received, because the board
    discarded them or has restarted.
    """

    pads: tuple[PadState, ...]
    held: frozenset[tuple[int, str]]
    board_health: int
    lost: int
    reason: int
    received: float
    missed: bool = False


WireEvent: TypeAlias = (
    Connected
    | Refused
    | CardArrived
    | CardLeft
    | ButtonEvent
    | ReaderFault
    | SelfTestResult
    | SnapshotStarted
    | PadsSnapshot
)


class ReaderProblem(Problem):
    """Problem that the people at the table can act on; `text` is shown to them. Contains no tag
    id."""
