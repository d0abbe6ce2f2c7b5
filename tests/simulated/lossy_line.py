"""Both sides of the reader's protocol over a line that loses and garbles bytes: every event must be
taken exactly once.

The board's side is the firmware's own code, compiled for this machine (`make -C firmware native`),
the program's side is `companion.readers.rfid.wire`. Time is simulated, in steps of two
milliseconds.
"""

from __future__ import annotations

import ctypes
import functools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from companion.readers.rfid import events
from companion.readers.rfid.frames import Op
from companion.readers.rfid.simulator import build_firmware
from companion.readers.rfid.wire import BoardConnection, LinkState

_STEP_MS = 2
_PADS = 7
BEGIN, END, END_MISSED = (-1,), (-2,), (-3,)


@functools.cache
def library() -> ctypes.CDLL:
    """Build (when needed) and load the board's side."""
    lib = ctypes.CDLL(str(build_firmware("native") / "native" / "liblink.so"))
    lib.bench_new.restype = ctypes.c_void_p
    return lib


class NativeBoard:
    """The firmware's link with invented cards and keys, restartable. `now` is the board's clock in
    milliseconds."""

    def __init__(self, lib: ctypes.CDLL, pads: int, boot: int, now: int = 0) -> None:
        self._lib, self.pads, self._at = lib, pads, ctypes.c_void_p(lib.bench_new(pads))
        self._buffer = ctypes.create_string_buffer(4096)
        lib.bench_begin(self._at, ctypes.c_uint32(boot), ctypes.c_uint32(now))

    def close(self) -> None:
        """Free the board."""
        self._lib.bench_free(self._at)

    def receive(self, data: bytes, now: int) -> None:
        """Hand over bytes that came in over the line."""
        if data:
            self._lib.bench_receive(self._at, data, len(data), ctypes.c_uint32(now))

    def work(self, now: int) -> bytes:
        """Let it work; return what it sends."""
        count = self._lib.bench_work(self._at, ctypes.c_uint32(now), self._buffer, len(self._buffer))
        return self._buffer.raw[:count]

    def arrive(self, now: int, pad: int, tag: bytes) -> None:
        """Put a tag on a pad."""
        self._lib.bench_arrive(self._at, ctypes.c_uint32(now), pad, tag, len(tag))

    def leave(self, now: int, pad: int) -> None:
        """Take away the tag that has lain there longest."""
        self._lib.bench_leave(self._at, ctypes.c_uint32(now), pad)

    def button(self, now: int, seat: int, refuse: bool, pressed: bool) -> None:
        """Press a key or let it go."""
        self._lib.bench_button(self._at, ctypes.c_uint32(now), seat, int(refuse), int(pressed))

    def commands(self) -> list[tuple[int, int, int]]:
        """Return the commands carried out since last asked."""
        count = self._lib.bench_commands(self._at, self._buffer, len(self._buffer))
        raw = self._buffer.raw[:count]
        return list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


@contextmanager
def native_board(pads: int = 3, boot: int = 1, now: int = 0) -> Iterator[NativeBoard]:
    """One board, freed in the end."""
    board = NativeBoard(library(), pads, boot, now)
    try:
        yield board
    finally:
        board.close()


def spoil(data: bytes, rng: random.Random, rate: float) -> bytes:
    """Lose half and change the other half of the bytes that meet with an accident."""
    if not data or rate == 0:
        return data
    out = bytearray()
    for byte in data:
        accident = rng.random()
        if accident >= rate:
            out.append(byte)
        elif accident >= rate / 2:
            out.append(byte ^ (1 << rng.randrange(8)) if rng.random() < 0.5 else rng.randrange(256))
    return bytes(out)


@dataclass
class Tally:
    """What a run came to. `silent` and `twice` must be 0, `agree` and `obeyed` true."""

    posted: int = 0
    taken: int = 0
    told_lost: int = 0
    silent: int = 0
    twice: int = 0
    closes: int = 0
    resets: int = 0
    snapshots: int = 0
    agree: bool = False
    obeyed: bool = False
    commands: int = 0


@dataclass
class _Table:
    """The truth: what lies on the pads, and every event in order."""

    pads: int
    posted: list[tuple[int, ...]] = field(default_factory=list)
    lying: list[list[bytes]] = field(init=False)
    serial: int = 0
    epoch: int = 0

    def __post_init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nothing lies on any pad."""
        self.lying = [[] for _ in range(self.pads)]

    def happen(self, board: NativeBoard, now: int, rng: random.Random) -> None:
        """Let one random thing happen on the board."""
        pad = rng.randrange(self.pads)
        if rng.random() < 0.2:
            seat, refuse, pressed = rng.randrange(1, 7), rng.random() < 0.5, rng.random() < 0.5
            board.button(now, seat, refuse, pressed)
            self.posted.append((self.epoch, 3, seat, now))
        elif self.lying[pad] and (len(self.lying[pad]) > 5 or rng.random() < 0.5):
            self.lying[pad].pop(0)
            board.leave(now, pad)
            self.posted.append((self.epoch, 2, pad, now))
        else:
            self.serial += 1
            tag = b"\x04" + self.serial.to_bytes(6, "big")
            self.lying[pad].append(tag)
            board.arrive(now, pad, tag)
            self.posted.append((self.epoch, 1, pad, now))


def _account(table: _Table, told: list[tuple[int, ...]], tally: Tally) -> None:
    """Compare what was told with what happened. What was not told must be owned up to by the end of
    a snapshot beside the gap."""
    order = {event: i for i, event in enumerate(table.posted)}
    spans = list(_spans(told))
    before, expected = -1, 0  # where in `told` the last event stands, and which event should be next
    seen: set[tuple[int, ...]] = set()
    for position, event in [*enumerate(told), (len(told), None)]:
        if event in (BEGIN, END, END_MISSED):
            continue
        place = len(order) if event is None else order.get(event, -1)
        if place < expected or event in seen:
            tally.twice += 1
            continue
        missing = place - expected
        if any(begin < position and end > before for begin, end in spans):
            tally.told_lost += missing
        else:
            tally.silent += missing
        if event is not None:
            seen.add(event)
            tally.taken += 1
        before, expected = position, place + 1


def _spans(told: list[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Give the snapshots that say that something may be missing, by where they begin and end; what
    was before the first is not promised."""
    begin, first = None, True
    for position, event in enumerate(told):
        if event == BEGIN and begin is None:
            begin = position
        elif event in (END, END_MISSED):
            if first or event == END_MISSED:
                yield position if begin is None else begin, position
            begin, first = None, False


def run(
    count: int,
    *,
    seed: int,
    rate: float = 0.01,
    mean_gap_ms: int = 10,
    troubles: bool = True,
    settle_ms: int = 3000,
    make_wire: Callable[[random.Random], BoardConnection] = BoardConnection,
) -> Tally:
    """Let `count` events happen while `rate` of the bytes are lost or garbled each way, the port
    closes and the board resets.

    `make_wire`: the program's side, or one that is broken on purpose.
    """
    line = _Line(seed, rate, make_wire)
    quiet_until: int | None = None
    while quiet_until is None or line.now < quiet_until:
        line.now += _STEP_MS
        if len(line.table.posted) >= count:
            quiet_until = line.now + settle_ms if quiet_until is None else quiet_until
        elif line.rng.random() < _STEP_MS / mean_gap_ms:
            line.happen()
        line.carry()
        if quiet_until is None and troubles:
            line.trouble()
    return line.close()


class _Line:
    """The board, the program's side and the line between them. `now`: milliseconds."""

    def __init__(self, seed: int, rate: float, make_wire: Callable[[random.Random], BoardConnection]) -> None:
        self.rng, self.now = random.Random(seed), 0
        self.table = _Table(_PADS)
        self._rate = rate
        self._tally = Tally()
        self._board = self._booted()
        self._wire = make_wire(random.Random(seed + 1))
        self._told: list[tuple[int, ...]] = []
        self._boots: dict[int, int] = {}
        self._wanted: dict[int, int] = {}
        self._gains: dict[int, int] = {}
        self._started = self._closed_until = 0
        self._wire.on_port_opened(0.0)

    def happen(self) -> None:
        """Let something happen on the board; now and then the program gives an order."""
        self.table.happen(self._board, self.now - self._started, self.rng)
        if self.rng.random() < 0.1:
            pad, gain = self.rng.randrange(_PADS), self.rng.randrange(8)
            self._wanted[pad] = gain
            self._wire.commands.set_level(Op.GAIN, pad, gain)
            self._tally.commands += 1

    def carry(self) -> None:
        """Let both sides work for a step and carry what they send, if the port is open."""
        clock, seconds = self.now - self._started, self.now / 1000
        out = self._board.work(clock)
        if self.now < self._closed_until:
            return
        if self._wire.state is LinkState.CLOSED:
            self._wire.on_port_opened(seconds)
        self._note(self._wire.receive_bytes(spoil(out, self.rng, self._rate), seconds))
        self._board.receive(spoil(self._wire.next_output(seconds), self.rng, self._rate), clock)
        self._gains |= {pad: gain for _, pad, gain in self._board.commands()}
        if self._wire.find_failure(seconds):
            self._wire.on_port_closed()

    def trouble(self) -> None:
        """Rarely reset the board; ten times as often close the port for a while."""
        trouble = self.rng.random()
        if trouble < 0.00002:
            self._tally.resets += 1
            self.table.epoch += 1
            self._board.close()
            self._board, self._started = self._booted(), self.now
            self.table.clear()
            self._gains = {}
        elif trouble < 0.0002:
            self._tally.closes += 1
            self._wire.on_port_closed()
            self._closed_until = self.now + self.rng.randrange(2, 200)

    def close(self) -> Tally:
        """Say what it came to, and free the board."""
        tally = self._tally
        _account(self.table, self._told, tally)
        tally.posted = len(self.table.posted)
        tally.agree = [sorted(t.hex() for t in pad.tags) for pad in self._wire.pads] == [
            sorted(t.hex() for t in pad) for pad in self.table.lying
        ]
        tally.obeyed = self._gains == self._wanted
        self._board.close()
        return tally

    def _booted(self) -> NativeBoard:
        return NativeBoard(library(), _PADS, boot=self.rng.randrange(1, 1 << 32))

    def _note(self, received: list[events.WireEvent]) -> None:
        """Write down what the program was told, each event with the board's boot that it is of."""
        told, boots = self._told, self._boots
        for event in received:
            match event:
                case events.Connected(identity=identity):
                    boots.setdefault(identity.boot, self.table.epoch)
                    boots[-1] = boots[identity.boot]
                case events.CardArrived(pad=pad, board_ms=ms):
                    told.append((boots[-1], 1, pad, ms))
                case events.CardLeft(pad=pad, board_ms=ms):
                    told.append((boots[-1], 2, pad, ms))
                case events.ButtonEvent(seat=seat, board_ms=ms):
                    told.append((boots[-1], 3, seat, ms))
                case events.SnapshotStarted(reason=reason):
                    self._tally.snapshots += 1
                    if reason != 3:
                        told.append(BEGIN)
                case events.PadsSnapshot(missed=missed):
                    told.append(END_MISSED if missed else END)
