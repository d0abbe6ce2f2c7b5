"""The program's side of the reader's protocol (firmware/PROTOCOL.md), without I/O: bytes in, events
out.

The owner of the port calls `BoardConnection.on_port_opened` when the port is open, `receive_bytes`
with the bytes read, and `next_output` often, which returns the bytes to write. When `lost` returns
a reason, the owner closes the port and opens it again. Times are passed in, as seconds of one
monotonic clock.

A conversation begins with the board's greeting (HELLO), to which the program answers with the
number of the last event it has received (RESUME). The board confirms (READY) and sends numbered
events from there on, each of which the program acknowledges. If the board has restarted or lost
events, it sends a snapshot of all pads first. So no event is lost or processed twice while the
cable is touched or the program hangs for a moment. `LinkState` is where the conversation stands;
`_HANDLERS` lists which frame is processed in which state, and any other frame is ignored.

Three classes share the work: `BoardConnection` opens the conversation and counts the events;
`BoardState` derives the present state of the pads from each event in order; `CommandQueue` is the
queue of commands to the board.

Keep in mind when editing:

- An event counts as received when `receive_bytes` returns it; only then does `next_output`
  acknowledge it.
- `_last` is the number of the last event received from boot `_boot`. It outlives the port, so that
  `RESUME` can continue after it.
- The program speaks only to a board that was heard a moment ago (`_SPEAK_WITHIN`). Opening the port
  resets a Nano, and bytes at our speed are garbage to its boot loader; a Mega's then waits for more
  and never starts the firmware (ArduinoCore-avr #172).
- The board counts the events it has discarded, but not those before its last start; `BoardState`
  notices a restart itself.
- Levels (lights, gains, the scan policy) are remembered and sent again to a board that has
  restarted; tunes are not (`CommandQueue`).

Possible improvement: only one command is in progress at a time, so a burst of forty lights takes
forty round trips (about 80 ms).
"""

from __future__ import annotations

import enum
import random
from collections import deque
from collections.abc import Callable, Sequence

from companion.readers.rfid import frames
from companion.readers.rfid.events import (
    ButtonEvent,
    CardArrived,
    CardLeft,
    Connected,
    Identity,
    PadHealth,
    PadsSnapshot,
    PadState,
    ReaderFault,
    Refused,
    SelfTestResult,
    SnapshotStarted,
    TagId,
    WireEvent,
)
from companion.readers.rfid.frames import WHOLE_BOARD, EventKind, Light, Op, Tune
from companion.readers.thread import BOARD_TIMEOUT, SilenceWatchdog

_RESEND_INTERVAL = 0.1
"""Seconds after which an unanswered command is sent again (firmware/PROTOCOL.md, "Commands")."""
_GO_OUT = (Light.ACCEPTED, Light.UNKNOWN)
"""Lights that the board turns off by itself when a pad's last tag leaves."""


class CommandQueue:
    """Queue of commands. Levels (lights, gains, the scan policy) are remembered; tunes and
    questions are not."""

    def __init__(self, rng: random.Random) -> None:
        self._levels: dict[tuple[Op, int], int] = {}
        self._waiting: deque[tuple[Op, int, int]] = deque()
        # Any start will do: the board executes a command whose number differs from the last one's.
        self._number = rng.randrange(256)
        self._sent: tuple[Op, int, int] | None = None
        self._sent_at = float("-inf")

    def set_level(self, op: Op, a: int, b: int) -> None:
        """Set a light, a gain, a drive or the scan policy, now and again after each restart of the
        board."""
        if a == WHOLE_BOARD:
            self._levels = {key: value for key, value in self._levels.items() if key[0] is not op}
        self._levels[op, a] = b
        # Only the newest level counts: a light changed twice while the connection was broken is set
        # once.
        self._waiting = deque(c for c in self._waiting if c[:2] != (op, a))
        self._waiting.append((op, a, b))

    def queue_once(self, op: Op, a: int = 0) -> None:
        """Play a tune, start a pad's self-test (`SelfTestResult` is its result), or request a
        snapshot of all pads."""
        self._waiting.append((op, a, 0))

    def next_command(self, now: float) -> bytes:
        """Return the command to be written now, or b"" if there is none."""
        if self._sent is None:
            if not self._waiting:
                return b""
            self._sent = self._waiting.popleft()
            self._number = (self._number + 1) % 256
        elif now - self._sent_at < _RESEND_INTERVAL:
            return b""
        self._sent_at = now
        return frames.encode_command(self._number, *self._sent)

    def confirm_command(self, number: int) -> None:
        """Process the answer to command `number`; another number is a repeated answer to an earlier
        one."""
        if self._sent is not None and number == self._number:
            self._sent = None

    def requeue_unanswered(self) -> None:
        """Put an unanswered command back into the queue, because the connection broke; tunes are
        not played twice."""
        if self._sent is not None and self._sent[0] is not Op.BUZZ:
            self._waiting.appendleft(self._sent)
        self._sent = None

    def resend_levels(self) -> None:
        """Send all levels again, because the board has restarted. Those of the whole board come
        first: they would overwrite a single pad's."""
        whole = [(op, a, b) for (op, a), b in self._levels.items() if a == WHOLE_BOARD]
        each = [(op, a, b) for (op, a), b in self._levels.items() if a != WHOLE_BOARD]
        others = [c for c in self._waiting if c[0] in (Op.BUZZ, Op.SNAPSHOT, Op.SELF_TEST)]
        self._waiting = deque(whole + each + others)

    def on_pad_emptied(self, pad: int) -> None:
        """Forget a light that the board turns off by itself, because the pad's last tag has
        left."""
        if self._levels.get((Op.LIGHT, pad)) in _GO_OUT:
            del self._levels[Op.LIGHT, pad]


class BoardState:
    """Pads, tags and buttons of one board, through resets and broken connections. `commands` is
    informed about lights that go out."""

    def __init__(self, commands: CommandQueue) -> None:
        self._commands = commands
        self._count = 0
        self._reason = 0
        self._held: frozenset[tuple[int, str]] = frozenset()
        self._known: dict[int, PadState] = {}
        self._followed = self._restarted = False

    def apply_hello(self, health: Sequence[tuple[int, int]], *, restarted: bool) -> None:
        """Process the greeting of a board: how each pad is, as (code, chip version), and whether
        the board has restarted."""
        self._count = len(health)
        self._restarted = self._restarted or (restarted and self._followed)
        for pad, (code, version) in enumerate(health):
            self._set_pad_health(pad, PadHealth(code), version)

    def list_pads(self) -> tuple[PadState, ...]:
        """Return the state of each pad."""
        # The greeting names them all.
        return tuple(self._known[pad] for pad in range(self._count))

    def apply_event(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        """Process the next event in order, and return what it means."""
        teller = _EVENT_HANDLERS.get(frame.what)
        return teller(self, frame, now) if teller else []

    def _set_tag(self, pad: int, tag: TagId, *, present: bool) -> None:
        """Add a tag to a known pad, or remove it."""
        state = self._known.get(pad, PadState(PadHealth.WELL, 0))
        tags = tuple(t for t in state.tags if t != tag) + ((tag,) if present else ())
        self._known[pad] = PadState(state.health, state.version, tags)

    def _set_pad_health(self, pad: int, health: PadHealth, version: int) -> None:
        tags = self._known[pad].tags if pad in self._known else ()
        self._known[pad] = PadState(health, version, tags)

    def _on_arrival(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._set_tag(frame.a, tag, present=True)
        return [CardArrived(frame.a, tag, frame.ms, now)]

    def _on_removal(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._set_tag(frame.a, tag, present=False)
        if not self._known[frame.a].tags:
            self._commands.on_pad_emptied(frame.a)
        return [CardLeft(frame.a, tag, frame.ms, now)]

    def _on_button(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        which = "refuse" if frame.b & 1 else "accept"
        return [ButtonEvent(frame.a, which, bool(frame.b & 0x80), frame.ms, now)]

    def _on_fault(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        version = frame.id[0] if frame.id else 0
        pad = None if frame.a == WHOLE_BOARD else frame.a
        if pad is not None:
            self._set_pad_health(pad, PadHealth(frame.b), version)
        return [ReaderFault(pad, PadHealth(frame.b), version, frame.ms, now)]

    def _on_self_test(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        return [SelfTestResult(frame.a, frame.b, now)]

    def _on_snapshot_begin(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._reason = frame.a
        return [SnapshotStarted(frame.a, now)]

    def _on_snapshot_buttons(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        bits = (("accept", frame.a), ("refuse", frame.b))
        self._held = frozenset(
            (seat + 1, which) for which, mask in bits for seat in range(8) if mask >> seat & 1
        )
        return []

    def _on_snapshot_pad(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        # Without tags: those on the pad follow (PROTOCOL.md, event 7).
        self._known[frame.a] = PadState(PadHealth(frame.b), frame.id[0] if frame.id else 0)
        return []

    def _on_snapshot_tag(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._set_tag(frame.a, TagId(frame.id), present=True)
        return []

    def _on_snapshot_end(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        lost = frame.id[0] if frame.id else 0
        # Not for the first snapshot after the program's start: there is nothing it could have
        # missed.
        missed = self._followed and (lost > 0 or self._restarted)
        self._followed, self._restarted = True, False
        return [PadsSnapshot(self.list_pads(), self._held, frame.b, lost, self._reason, now, missed)]


_EVENT_HANDLERS: dict[int, Callable[[BoardState, frames.EventFrame, float], list[WireEvent]]] = {
    EventKind.ARRIVED: BoardState._on_arrival,
    EventKind.LEFT: BoardState._on_removal,
    EventKind.BUTTON: BoardState._on_button,
    EventKind.FAULT: BoardState._on_fault,
    EventKind.SNAPSHOT_BEGIN: BoardState._on_snapshot_begin,
    EventKind.SNAPSHOT_BUTTONS: BoardState._on_snapshot_buttons,
    EventKind.SNAPSHOT_PAD: BoardState._on_snapshot_pad,
    EventKind.SNAPSHOT_TAG: BoardState._on_snapshot_tag,
    EventKind.SNAPSHOT_END: BoardState._on_snapshot_end,
    EventKind.SELF_TEST: BoardState._on_self_test,
}


_ASK_INTERVAL, _RESUME_INTERVAL = 0.2, 0.1
"""Seconds between two attempts: the waits that firmware/PROTOCOL.md promises the board."""
_SETTLED_AFTER = 0.1
"""Seconds after opening the port within which bytes may have been sent before the reset."""
_SPEAK_WITHIN = 0.6
"""Seconds since the board was heard: a running board sends BEAT every 0.5 s at least
(firmware/PROTOCOL.md)."""
_BOOT_LOADER_TIMEOUT = 10.0
"""Longest time in seconds that a boot loader waits. A Mega's gives up 0.8 s after a reset, but 5 s
after a byte that it did not understand; other builds of it take 9."""
_NO_ANSWER_TIMEOUT = 6.0
"""Seconds without READY: sixty attempts (`_RESUME_INTERVAL`), so it is not a lost frame."""
_FOREIGN_TIMEOUT = 3.0
"""Seconds in which a reader would have sent six BEATs: a device that talks all the time, but never
in valid frames, is something else."""
_FOREIGN_LEAST, _NOISE_MOST = 64, 4
"""Bytes that are certainly another device's, before a reader's boot loader had its time; and bytes
of noise when a plug is inserted. A modem says little, and only when it is asked."""
_SNAPSHOT_TIMEOUT = 1.0
"""Seconds after READY within which the snapshot of a fresh session must begin."""
_HALF = 1 << 15
"""Half of the event numbers, which wrap around: a number less than this ahead of the last one is
new, any other is old."""
_JUMPS = (1, 2)
"""Reasons of a snapshot that may skip numbers: fresh, overflow."""


class LinkState(enum.Enum):
    """State of the conversation with the board."""

    CLOSED = enum.auto()
    ASKING = enum.auto()
    RESUMING = enum.auto()
    OPEN = enum.auto()
    REFUSED = enum.auto()


class BoardConnection:
    """Conversation with one reader board. Not thread-safe: it belongs to the thread with the
    port."""

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()
        self.state = LinkState.CLOSED
        self.identity: Identity | None = None
        self.sweep_us = 0
        self.newest = 0
        """Number of the board's newest event, by its own account."""
        self._unframer = frames.FrameDecoder()
        self._boot: int | None = None
        self._last: int | None = None
        self._session = self._rng.randrange(1 << 16)
        self._silence = SilenceWatchdog(BOARD_TIMEOUT)
        self._asked = self._since = 0.0
        self._strange = 0
        """Bytes received since the port was opened, while there was no valid frame."""
        self._ack_due = False
        self.commands = CommandQueue(self._rng)
        self._board_state = BoardState(self.commands)

    # ---- the port's owner calls these ----

    def on_port_opened(self, now: float) -> None:
        """Wait for the board's greeting, because the port was just opened."""
        self._unframer = frames.FrameDecoder()
        self._enter_state(LinkState.ASKING, now)
        # Earlier bytes belong to the connection that broke: opening the port may have reset the
        # board.
        self._silence.expire()
        self._strange = 0

    def on_port_closed(self) -> None:
        """Note that the port is closed; received events are remembered."""
        self.state = LinkState.CLOSED

    def receive_bytes(self, data: bytes, now: float) -> list[WireEvent]:
        """Process bytes read at `now`; return their events in order, each exactly once."""
        # The reset that opening the port causes may cut a frame, or let an old one through.
        if self.state is LinkState.ASKING and now - self._since < _SETTLED_AFTER:
            return []
        events: list[WireEvent] = []
        self._strange += len(data)
        for frame in self._unframer.feed(data):
            if self.state is not LinkState.CLOSED:
                self._silence.feed(now)
                self._strange = 0
            handler = _HANDLERS.get((self.state, type(frame)))
            if handler is not None:
                events += handler(self, frame, now)
        return events

    def next_output(self, now: float) -> bytes:
        """Return the bytes that are due to be written."""
        if self.state is LinkState.ASKING:
            spoken = (
                self._silence.since > self._asked
                or now - max(self._since, self._asked) > _BOOT_LOADER_TIMEOUT
            )
            return self._repeat_every(now, _ASK_INTERVAL, frames.encode_ask) if spoken else b""
        if self._silence.measure_silence(now) > _SPEAK_WITHIN:
            return b""
        if self.state is LinkState.RESUMING:
            boot = self._boot or 0
            return self._repeat_every(
                now, _RESUME_INTERVAL, lambda: frames.encode_resume(self._session, boot, self._last)
            )
        if self.state is not LinkState.OPEN:
            return b""
        if self._last is None and now - self._since > _SNAPSHOT_TIMEOUT:
            # The board believes that this session is open already: start another.
            self._start_resuming(now)
            return b""
        out = b""
        if self._last is not None and self._ack_due:
            out += frames.encode_ack(self._session, self._last)
            self._ack_due = False
        return out + self.commands.next_command(now)

    def find_failure(self, now: float) -> str | None:
        """Return why the port should be closed and opened again, as a message code; None if it
        should not."""
        # One second longer than we are silent, so that the ASK after that can be answered.
        timeout = {LinkState.ASKING: _BOOT_LOADER_TIMEOUT + 1, LinkState.RESUMING: _NO_ANSWER_TIMEOUT}.get(
            self.state
        )
        waited = now - self._since
        if self.state is LinkState.ASKING and waited > _FOREIGN_TIMEOUT and self._strange >= _FOREIGN_LEAST:
            return "reader.rfid.foreign"
        if timeout is not None and waited > timeout:
            return "reader.rfid.foreign" if self._strange > _NOISE_MOST else "reader.rfid.no_answer"
        if self.state in (LinkState.RESUMING, LinkState.OPEN) and self._silence.has_expired(now):
            return "reader.rfid.silent"
        return None

    @property
    def pads(self) -> tuple[PadState, ...]:
        """State of each pad, as far as it is known."""
        return self._board_state.list_pads()

    @property
    def dropped_frames(self) -> int:
        """How many pieces were not a valid frame since the port was opened."""
        return self._unframer.dropped

    def play_tune(self, tune: Tune) -> None:
        """Play a tune once; ignored if no board is connected."""
        if self.state is LinkState.OPEN:
            self.commands.queue_once(Op.BUZZ, tune)

    # ---- opening ----

    def _enter_state(self, state: LinkState, now: float) -> None:
        self.state, self._since, self._asked = state, now, float("-inf")

    def _start_resuming(self, now: float) -> None:
        # A new number for each conversation: an old ACK, still in a driver's buffer, must not
        # acknowledge events of this one.
        # Another number than before, and never 0.
        self._session = self._session % 0xFFFF + 1
        self.commands.requeue_unanswered()
        self._enter_state(LinkState.RESUMING, now)

    def _repeat_every(self, now: float, every: float, make: Callable[[], bytes]) -> bytes:
        if now - self._asked < every:
            return b""
        self._asked = now
        return make()

    def _on_hello(self, hello: frames.Hello, now: float) -> list[WireEvent]:
        if hello.major != frames.MAJOR:
            self.state = LinkState.REFUSED
            return [Refused((hello.major, hello.minor), (frames.MAJOR, frames.MINOR), now)]
        if self.state is not LinkState.ASKING and hello.boot == self._boot:
            # It crossed our RESUME, or the board has not heard us for a while.
            self._ack_due = True
            return []
        restarted = hello.boot != self._boot
        if restarted:
            self._boot, self._last = hello.boot, None
        self.identity = Identity(
            board=hello.board,
            firmware=(hello.firmware[0], hello.firmware[1], hello.firmware[2]),
            boot=hello.boot,
            cause=hello.cause,
            capabilities=hello.capabilities,
            seats=hello.seats,
            pads=hello.pads,
        )
        self._board_state.apply_hello(hello.health, restarted=restarted)
        self._start_resuming(now)
        return []

    def _on_ready(self, ready: frames.Ready, now: float) -> list[WireEvent]:
        if ready.session != self._session or ready.boot != self._boot or self.identity is None:
            return []
        self._enter_state(LinkState.OPEN, now)
        # READY tells from where the board continues; there is nothing to acknowledge before its
        # first event.
        self._ack_due = False
        if ready.fresh:
            self._last = None
            self.commands.resend_levels()
        return [Connected(self.identity, bool(ready.fresh), now)]

    # ---- the stream of events ----

    def _on_beat(self, beat: frames.Beat, now: float) -> list[WireEvent]:
        self.newest, self.sweep_us = beat.newest, beat.sweep
        self._ack_due = True
        return []

    def _on_event(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._ack_due = True
        jump = frame.what == EventKind.SNAPSHOT_BEGIN and frame.a in _JUMPS
        if self._last is None:
            # Without a snapshot it is unknown which cards these events add to.
            if not jump:
                return []
        elif frame.number != (self._last + 1) % (1 << 16):
            ahead = (frame.number - self._last) % (1 << 16)
            if not jump or not 0 < ahead < _HALF:
                return []
        self._last = frame.number
        return self._board_state.apply_event(frame, now)

    def _on_done(self, frame: frames.Done, now: float) -> list[WireEvent]:
        self.commands.confirm_command(frame.command)
        return []


_HANDLERS: dict[tuple[LinkState, type], Callable[..., list[WireEvent]]] = {
    (LinkState.ASKING, frames.Hello): BoardConnection._on_hello,
    (LinkState.RESUMING, frames.Hello): BoardConnection._on_hello,
    (LinkState.RESUMING, frames.Ready): BoardConnection._on_ready,
    (LinkState.OPEN, frames.Hello): BoardConnection._on_hello,
    (LinkState.OPEN, frames.EventFrame): BoardConnection._on_event,
    (LinkState.OPEN, frames.Beat): BoardConnection._on_beat,
    (LinkState.OPEN, frames.Done): BoardConnection._on_done,
}
