"""How a pad of a board is: the codes of PROTOCOL.md ("health"), and what each means for those who
lay cards on it."""

from __future__ import annotations

from enum import IntEnum


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
