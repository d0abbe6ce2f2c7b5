"""What is to be told to the board: one command under way at a time, levels told again to a board
that has restarted."""

from __future__ import annotations

import random
from collections import deque

from companion.readers.rfid import frames
from companion.readers.rfid.protocol import WHOLE_BOARD, Light, Op, Tune

_EVERY = 0.1
"""Seconds after which an unanswered command is sent again (firmware/PROTOCOL.md, "Commands")."""
_GO_OUT = (Light.ACCEPTED, Light.UNKNOWN)
"""Lights that the board puts out by itself when a pad's last tag leaves."""


class Commands:
    """The queue of commands. Levels (lights, gains, the scan policy) are remembered; a tune or a
    question is not."""

    def __init__(self, rng: random.Random) -> None:
        self._levels: dict[tuple[Op, int], int] = {}
        self._waiting: deque[tuple[Op, int, int]] = deque()
        self._number = rng.randrange(
            256
        )  # the board carries out a number that differs from the last one's only
        self._sent: tuple[Op, int, int] | None = None
        self._sent_at = float("-inf")

    def level(self, op: Op, a: int, b: int) -> None:
        """Set a light, a gain, a drive or the scan policy; it is kept, and told again to a board
        that has restarted."""
        if a == WHOLE_BOARD:
            self._levels = {key: value for key, value in self._levels.items() if key[0] is not op}
        self._levels[op, a] = b
        # The newest level counts: a light changed twice while the line was broken is set once.
        self._waiting = deque(c for c in self._waiting if c[:2] != (op, a))
        self._waiting.append((op, a, b))

    def play(self, tune: Tune) -> None:
        """Play a tune once."""
        self._waiting.append((Op.BUZZ, tune, 0))

    def ask_snapshot(self) -> None:
        """Ask for all that lies on the pads."""
        self._waiting.append((Op.SNAPSHOT, 0, 0))

    def self_test(self, pad: int) -> None:
        """Let a pad's chip test itself; a `SelfTest` tells what became of it."""
        self._waiting.append((Op.SELF_TEST, pad, 0))

    def due(self, now: float) -> bytes:
        """Return the command to be written now, or b""."""
        if self._sent is None:
            if not self._waiting:
                return b""
            self._sent = self._waiting.popleft()
            self._number = (self._number + 1) % 256
        elif now - self._sent_at < _EVERY:
            return b""
        self._sent_at = now
        return frames.command(self._number, *self._sent)

    def done(self, number: int) -> None:
        """Take the answer to command `number`; one not under way is an old answer come twice."""
        if self._sent is not None and number == self._number:
            self._sent = None

    def keep(self) -> None:
        """Put an unanswered command back, for the line broke; but play no tune twice."""
        if self._sent is not None and self._sent[0] is not Op.BUZZ:
            self._waiting.appendleft(self._sent)
        self._sent = None

    def start_over(self) -> None:
        """Say all levels again: the board has forgotten them. The whole board's come first, for
        they would undo a pad's."""
        whole = [(op, a, b) for (op, a), b in self._levels.items() if a == WHOLE_BOARD]
        each = [(op, a, b) for (op, a), b in self._levels.items() if a != WHOLE_BOARD]
        others = [c for c in self._waiting if c[0] in (Op.BUZZ, Op.SNAPSHOT, Op.SELF_TEST)]
        self._waiting = deque(whole + each + others)

    def emptied(self, pad: int) -> None:
        """Forget a light that the board puts out by itself: the pad's last tag has left."""
        if self._levels.get((Op.LIGHT, pad)) in _GO_OUT:
            del self._levels[Op.LIGHT, pad]
