"""The program's side of the reader's protocol (firmware/PROTOCOL.md), sans-IO: bytes in, events out, no port and no clock.

The theory, and what holds while editing this file:

- The state is one of `State`; a frame that is not in `_HANDLERS` for it does nothing. Illegal means *not in the table*.
- Whoever owns the port calls `opened` when it is open, `receive` with what was read, `work` often (it returns what to write),
  and closes the port when `lost` says so. Time is a value: seconds of one monotonic clock.
- An event counts as taken at the moment `receive` returns it; only then does `work` acknowledge it.
- `_last` is the number of the last event taken of boot `_boot`. It outlives the port, so that `RESUME` can go on after it.
- The program speaks only to a board that has just been heard (`_SPEAK_WITHIN`). Opening the port resets most boards, and bytes at our
  speed are garbage to their boot loaders, of which the Mega's then waits for more and never starts the firmware (ArduinoCore-avr #172).
- The board counts the events it has given up, but not those of a start before: whoever followed one is told so (`_restarted`).
- Levels (lights, gains, the scan policy) are remembered and sent again to a board that has restarted; a tune is not.

What could be better: one command is under way at a time, so a burst of forty lights takes forty round trips (about 80 ms).
"""

from __future__ import annotations

import enum
import random
from collections import deque
from collections.abc import Callable

from companion.readers.rfid import frames
from companion.readers.rfid.events import (
    Button,
    CardArrived,
    CardLeft,
    CatchingUp,
    Connected,
    Identity,
    PadState,
    ReaderFault,
    Refused,
    SelfTest,
    Snapshot,
    TagId,
    WireEvent,
)
from companion.readers.rfid.health import PadHealth

WHOLE_BOARD = 255
# Seconds: the waits that firmware/PROTOCOL.md promises the board.
_ASK_EVERY, _RESUME_EVERY, _COMMAND_EVERY = 0.2, 0.1, 0.1
_SETTLED_AFTER = 0.1  # what comes sooner may have been sent before opening the port reset the board
_SPEAK_WITHIN = 0.6  # a board that runs is heard every 0.5 s at least
_SILENT_AFTER = 2.0  # four BEATs of 500 ms have not come (firmware/PROTOCOL.md)
# Measured in the simulator: the Mega's boot loader gives up 0.8 s after a reset, but 5 s after a byte that it did not understand; other
# builds of it take 9.
_BOOT_LOADER_MOST = 10.0
_NO_ANSWER_AFTER = 6.0
_NO_SNAPSHOT_AFTER = 1.0
_HALF = 1 << 15


class State(enum.Enum):
    """Where the conversation stands."""

    CLOSED = "closed"
    ASKING = "asking"
    RESUMING = "resuming"
    OPEN = "open"
    REFUSED = "refused"


class Op(enum.IntEnum):
    """Commands of the board."""

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
    """What the buzzer plays."""

    SILENCE = 0
    ACCEPTED = 1
    UNKNOWN = 2
    HURRY = 3
    TIME_UP = 4
    TEST = 5


class What(enum.IntEnum):
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


_JUMPS = (1, 2)  # reasons of a snapshot that may skip numbers: fresh, overflow


class _Draft:
    """A snapshot being received, and afterwards what lies on the pads now."""

    def __init__(self) -> None:
        self.reason = 0
        self.held: set[tuple[int, str]] = set()
        self.pads: dict[int, PadState] = {}

    def change(self, pad: int, tag: TagId, *, present: bool) -> None:
        """Put a tag on a pad that is already known, or take it away."""
        state = self.pads.get(pad, PadState(PadHealth.WELL, 0))
        tags = tuple(t for t in state.tags if t != tag) + ((tag,) if present else ())
        self.pads[pad] = PadState(state.health, state.version, tags)

    def diagnose(self, pad: int, health: PadHealth, version: int) -> None:
        """Note how a pad is."""
        self.pads[pad] = PadState(health, version, self.pads[pad].tags if pad in self.pads else ())


class Wire:
    """One conversation with one reader board. Not thread-safe: it belongs to the thread that owns the port."""

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()
        self.state = State.CLOSED
        self.identity: Identity | None = None
        self.sweep_us = 0
        self.newest = 0
        """Number of the newest event that the board says it has."""
        self._unframer = frames.Unframer()
        self._boot: int | None = None
        self._followed = self._restarted = False
        self._last: int | None = None
        self._session = self._rng.randrange(1 << 16)
        self._heard = self._asked = self._since = 0.0
        self._commanded = float("-inf")
        self._ack_due = False
        self._draft = _Draft()
        self._levels: dict[tuple[Op, int], int] = {}
        self._commands: deque[tuple[Op, int, int]] = deque()
        self._number = self._rng.randrange(256)
        self._sent: tuple[Op, int, int] | None = None

    # ---- the port's owner calls these ----

    def opened(self, now: float) -> None:
        """Wait for the board to greet: the port has just been opened."""
        self._unframer = frames.Unframer()
        self._enter(State.ASKING, now)
        self._heard = float("-inf")
        self._keep_command()

    def closed(self) -> None:
        """Rest until the port is open again; what has been taken is remembered."""
        self.state = State.CLOSED

    def receive(self, data: bytes, now: float) -> list[WireEvent]:
        """Take bytes that were read at `now`, return what they tell, in order, each event exactly once."""
        if self.state is State.ASKING and now - self._since < _SETTLED_AFTER:
            return []
        told: list[WireEvent] = []
        for frame in self._unframer.feed(data):
            if self.state is not State.CLOSED:
                self._heard = now
            handler = _HANDLERS.get((self.state, type(frame)))
            if handler is not None:
                told += handler(self, frame, now)
        return told

    def work(self, now: float) -> bytes:
        """Return the bytes that are due to be written."""
        if self.state is State.ASKING:
            spoken = self._heard > self._asked or now - max(self._since, self._asked) > _BOOT_LOADER_MOST
            return self._again(now, _ASK_EVERY, frames.ask) if spoken else b""
        if now - self._heard > _SPEAK_WITHIN:
            return b""
        if self.state is State.RESUMING:
            boot = self._boot or 0
            return self._again(now, _RESUME_EVERY, lambda: frames.resume(self._session, boot, self._last))
        if self.state is not State.OPEN:
            return b""
        if self._last is None and now - self._since > _NO_SNAPSHOT_AFTER:
            # The board takes our session for one that is open already: begin another.
            self._resume(now)
            return b""
        out = b""
        if self._last is not None and self._ack_due:
            out += frames.ack(self._session, self._last)
            self._ack_due = False
        return out + self._due_command(now)

    def lost(self, now: float) -> str | None:
        """Return why the port should be closed and opened again, as a message code, or None."""
        patience = {State.ASKING: _BOOT_LOADER_MOST + 1, State.RESUMING: _NO_ANSWER_AFTER}.get(self.state)
        if patience is not None and now - self._since > patience:
            return "reader.no_answer"
        if self.state in (State.RESUMING, State.OPEN) and now - self._heard > _SILENT_AFTER:
            return "reader.silent"
        return None

    @property
    def pads(self) -> tuple[PadState, ...]:
        """What lies on the pads now, as far as is known."""
        count = self.identity.pads if self.identity else 0
        return tuple(self._draft.pads.get(pad, PadState(PadHealth.WELL, 0)) for pad in range(count))

    @property
    def dropped(self) -> int:
        """How many pieces of the line were no whole frame since the port was opened."""
        return self._unframer.dropped

    # ---- commands ----

    def level(self, op: Op, a: int, b: int) -> None:
        """Set a light, a gain, a drive or the scan policy; it is kept, and told again to a board that has restarted."""
        if a == WHOLE_BOARD:
            self._levels = {key: value for key, value in self._levels.items() if key[0] is not op}
        self._levels[op, a] = b
        self._commands = deque(c for c in self._commands if c[:2] != (op, a))
        self._commands.append((op, a, b))

    def play(self, tune: Tune) -> None:
        """Play a tune once; forgotten if there is no board to play it."""
        if self.state is State.OPEN:
            self._commands.append((Op.BUZZ, tune, 0))

    def ask_snapshot(self) -> None:
        """Ask for all that lies on the pads."""
        self._commands.append((Op.SNAPSHOT, 0, 0))

    def self_test(self, pad: int) -> None:
        """Let a pad's chip test itself; a `SelfTest` tells what became of it."""
        self._commands.append((Op.SELF_TEST, pad, 0))

    def _due_command(self, now: float) -> bytes:
        if self._sent is None:
            if not self._commands:
                return b""
            self._sent = self._commands.popleft()
            self._number = (self._number + 1) % 256
        elif now - self._commanded < _COMMAND_EVERY:
            return b""
        self._commanded = now
        return frames.command(self._number, *self._sent)

    def _done(self, frame: frames.Done, now: float) -> list[WireEvent]:
        if self._sent is not None and frame.command == self._number:
            self._sent = None
        return []

    def _keep_command(self) -> None:
        """Put an unanswered command back, for the line broke; but play no tune twice."""
        if self._sent is not None and self._sent[0] is not Op.BUZZ:
            self._commands.appendleft(self._sent)
        self._sent = None

    # ---- opening ----

    def _enter(self, state: State, now: float) -> None:
        self.state, self._since, self._asked = state, now, float("-inf")

    def _resume(self, now: float) -> None:
        self._session = self._session % 0xFFFF + 1  # another one than before, and never 0
        self._keep_command()
        self._enter(State.RESUMING, now)

    def _again(self, now: float, every: float, make: Callable[[], bytes]) -> bytes:
        if now - self._asked < every:
            return b""
        self._asked = now
        return make()

    def _meet(self, hello: frames.Hello, now: float) -> list[WireEvent]:
        if hello.major != frames.MAJOR:
            self.state = State.REFUSED
            return [Refused((hello.major, hello.minor), (frames.MAJOR, frames.MINOR), now)]
        if self.state is not State.ASKING and hello.boot == self._boot:
            self._ack_due = True  # it crossed our RESUME, or the board has not heard us for a while
            return []
        if hello.boot != self._boot:
            self._boot, self._last = hello.boot, None
            self._restarted = self._followed
        self.identity = Identity(
            board=hello.board,
            firmware=(hello.firmware[0], hello.firmware[1], hello.firmware[2]),
            boot=hello.boot,
            cause=hello.cause,
            capabilities=hello.capabilities,
            seats=hello.seats,
            pads=hello.pads,
        )
        for pad, (health, version) in enumerate(hello.health):
            self._draft.diagnose(pad, PadHealth(health), version)
        self._resume(now)
        return []

    def _ready(self, ready: frames.Ready, now: float) -> list[WireEvent]:
        if ready.session != self._session or ready.boot != self._boot or self.identity is None:
            return []
        self._enter(State.OPEN, now)
        self._ack_due = False
        if ready.fresh:
            self._last = None
            # What was said before is forgotten by the board: say all of it again, the whole board's settings first.
            whole = [(op, a, b) for (op, a), b in self._levels.items() if a == WHOLE_BOARD]
            each = [(op, a, b) for (op, a), b in self._levels.items() if a != WHOLE_BOARD]
            others = [c for c in self._commands if c[0] in (Op.BUZZ, Op.SNAPSHOT, Op.SELF_TEST)]
            self._commands = deque(whole + each + others)
        return [Connected(self.identity, bool(ready.fresh), now)]

    # ---- the stream of events ----

    def _beat(self, beat: frames.Beat, now: float) -> list[WireEvent]:
        self.newest, self.sweep_us = beat.newest, beat.sweep
        self._ack_due = True
        return []

    def _event(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._ack_due = True
        jump = frame.what == What.SNAPSHOT_BEGIN and frame.a in _JUMPS
        if self._last is None:
            if not jump:
                return []
        elif frame.number != (self._last + 1) % (1 << 16):
            ahead = (frame.number - self._last) % (1 << 16)
            if not jump or not 0 < ahead < _HALF:
                return []
        self._last = frame.number
        teller = _TELLERS.get(frame.what)
        return teller(self, frame, now) if teller else []

    def _arrived(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._draft.change(frame.a, tag, present=True)
        return [CardArrived(frame.a, tag, frame.ms, now)]

    def _left(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._draft.change(frame.a, tag, present=False)
        if not self._draft.pads[frame.a].tags and self._levels.get((Op.LIGHT, frame.a)) in (
            Light.ACCEPTED,
            Light.UNKNOWN,
        ):
            del self._levels[Op.LIGHT, frame.a]  # the board puts these out by itself
        return [CardLeft(frame.a, tag, frame.ms, now)]

    def _button(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        which = "refuse" if frame.b & 1 else "accept"
        pressed = bool(frame.b & 0x80)
        (self._draft.held.add if pressed else self._draft.held.discard)((frame.a, which))
        return [Button(frame.a, which, pressed, frame.ms, now)]

    def _fault(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        version = frame.id[0] if frame.id else 0
        pad = None if frame.a == WHOLE_BOARD else frame.a
        if pad is not None:
            self._draft.diagnose(pad, PadHealth(frame.b), version)
        return [ReaderFault(pad, PadHealth(frame.b), version, frame.ms, now)]

    def _self_tested(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        return [SelfTest(frame.a, frame.b, now)]

    def _snapshot_begin(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._draft.reason = frame.a
        return [CatchingUp(frame.a, now)]

    def _snapshot_buttons(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        bits = (("accept", frame.a), ("refuse", frame.b))
        self._draft.held = {
            (seat + 1, which) for which, mask in bits for seat in range(8) if mask >> seat & 1
        }
        return []

    def _snapshot_pad(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._draft.pads[frame.a] = PadState(PadHealth(frame.b), frame.id[0] if frame.id else 0)
        return []

    def _snapshot_tag(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._draft.change(frame.a, TagId(frame.id), present=True)
        return []

    def _snapshot_end(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        lost = frame.id[0] if frame.id else 0
        missed = self._followed and (lost > 0 or self._restarted)
        self._followed, self._restarted = True, False
        held, reason = frozenset(self._draft.held), self._draft.reason
        return [Snapshot(self.pads, held, frame.b, lost, reason, now, missed)]


_HANDLERS: dict[tuple[State, type], Callable[..., list[WireEvent]]] = {
    (State.ASKING, frames.Hello): Wire._meet,
    (State.RESUMING, frames.Hello): Wire._meet,
    (State.RESUMING, frames.Ready): Wire._ready,
    (State.OPEN, frames.Hello): Wire._meet,
    (State.OPEN, frames.EventFrame): Wire._event,
    (State.OPEN, frames.Beat): Wire._beat,
    (State.OPEN, frames.Done): Wire._done,
}

_TELLERS: dict[int, Callable[[Wire, frames.EventFrame, float], list[WireEvent]]] = {
    What.ARRIVED: Wire._arrived,
    What.LEFT: Wire._left,
    What.BUTTON: Wire._button,
    What.FAULT: Wire._fault,
    What.SNAPSHOT_BEGIN: Wire._snapshot_begin,
    What.SNAPSHOT_BUTTONS: Wire._snapshot_buttons,
    What.SNAPSHOT_PAD: Wire._snapshot_pad,
    What.SNAPSHOT_TAG: Wire._snapshot_tag,
    What.SNAPSHOT_END: Wire._snapshot_end,
    What.SELF_TEST: Wire._self_tested,
}
