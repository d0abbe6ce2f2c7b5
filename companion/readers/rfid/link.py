"""The thread that holds a reader board's port: opens it, feeds the wire parser, and opens it again,
for ever, without a word.

Unplugging, plugging in again (under another name), a board that restarts when its port is opened
(DTR), a port that another program holds: all of these are states, none is an error that ends
anything.
"""

from __future__ import annotations

import errno
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import serial

from companion.readers.rfid.events import Connected, Identity, Lost, PadState, Refused, WireEvent
from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op, Tune
from companion.readers.rfid.ports import Locate, at
from companion.readers.rfid.wire import LinkState, Wire
from companion.rules.contract import Text

BAUD = 500_000  # exact with the boards' 16 MHz clock; 115,200 would be 2 % off (firmware/PROTOCOL.md)
_READ_WAIT = 0.01  # seconds: bounds how long a command waits to be sent
_RETRY_FIRST, _RETRY_MOST = 0.25, 2.0
"""Seconds between two tries to open the port: at first, and at most once they have doubled."""
_UNANSWERED = frozenset({"reader.rfid.no_answer", "reader.rfid.foreign"})
"""What stays known of a device that is tried again."""


class LinkHealth(msgspec.Struct, frozen=True):
    """How a reader board is: `problem` says in words what is wrong and what to do, or None."""

    port: str
    state: Literal["starting", "ok", "lost", "refused", "off"]
    identity: Identity | None = None
    pads: tuple[PadState, ...] = ()
    sweep_us: int = 0
    dropped: int = 0
    problem: Text | None = None


def why_not_open(error: Exception, port: str) -> Text:
    """Say why a port does not open."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return Text("reader.rfid.no_permission", {"port": port})
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        return Text("reader.rfid.busy", {"port": port})
    there = os.path.lexists(port)
    return Text("reader.rfid.not_a_port" if there else "reader.rfid.no_port", {"port": port})


class RfidReader:
    """One reader board on one port. `on_event` is called in the reader's own thread, in order, with
    each event once.

    `port` is a device name, or a callable that finds one (`ports.Follow`). `on_trouble` hears why
    there is no board: no such port, busy, forbidden, silent. `close` returns when the port is
    really closed.
    """

    def __init__(
        self,
        port: str | Locate,
        on_event: Callable[[WireEvent], None],
        on_trouble: Callable[[Text], None] = lambda _text: None,
    ) -> None:
        self._locate: Locate = at(port) if isinstance(port, str) else port
        self._on_event = on_event
        self._on_trouble = on_trouble
        self._wire = Wire()
        self._orders: queue.SimpleQueue[Callable[[Wire], None]] = queue.SimpleQueue()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._refused: tuple[int, int] | None = None
        self.health = LinkHealth(port if isinstance(port, str) else "", "off")

    def start(self) -> None:
        """Begin; returns at once."""
        if self._thread is None:
            self._ending.clear()
            self._thread = threading.Thread(target=self._guarded, name="rfid reader", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop, and return when the thread has ended and the port is closed."""
        self._ending.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    # ---- what the table can do to the board; from any thread ----

    def accept(self, pad: int) -> None:
        """Show that the program has taken the card on this pad: green."""
        self.light(pad, Light.ACCEPTED)

    def unknown(self, pad: int) -> None:
        """Show that the card on this pad is not enrolled: red."""
        self.light(pad, Light.UNKNOWN)

    def light(self, pad: int | None, light: Light) -> None:
        """Set a pad's light, or all of them (None)."""
        where = WHOLE_BOARD if pad is None else pad
        self._orders.put(lambda wire: wire.commands.level(Op.LIGHT, where, light))

    def buzz(self, tune: Tune) -> None:
        """Play a tune once."""
        self._orders.put(lambda wire: wire.play(tune))

    def gain(self, pad: int | None, gain: int) -> None:
        """Set the receiver's gain, 0 to 7 (PROTOCOL.md, command 3); 5 is usual, more: ghosts."""
        where = WHOLE_BOARD if pad is None else pad
        self._orders.put(lambda wire: wire.commands.level(Op.GAIN, where, gain))

    def self_test(self, pad: int) -> None:
        """Let a pad's chip test itself: `SelfTest` tells."""
        self._orders.put(lambda wire: wire.commands.self_test(pad))

    def snapshot(self) -> None:
        """Ask for all that lies on the pads."""
        self._orders.put(lambda wire: wire.commands.ask_snapshot())

    # ---- the thread ----

    def _guarded(self) -> None:
        """Run; a fault of ours ends the reader in words. Only the kind of error is said: its words
        might name a face-down card."""
        try:
            self._run()
        except Exception as error:
            what = {"reader": self.health.port or "rfid", "what": type(error).__name__}
            self._note(self.health.port, "lost", Text("reader.failed", what))

    def _run(self) -> None:
        wait = _RETRY_FIRST
        while not self._ending.is_set():
            device = self._locate()
            opened = None
            if device is None:
                self._note("", "lost", Text("reader.rfid.no_board"))
            else:
                opened = self._open(device)
            if opened is not None and device is not None:
                heard = self._serve(opened, device)
                wait = _RETRY_FIRST if heard else wait
            self._ending.wait(wait)
            # A board that resets is back in a moment; one that is unplugged for hours need not be
            # looked for four times a second.
            wait = min(wait * 2, _RETRY_MOST)
        self._note(self.health.port, "off", None)

    def _open(self, device: str) -> Any:
        try:
            # Exclusive: two programs on one port take each other's bytes, and both would call the
            # board broken.
            return serial.Serial(device, BAUD, timeout=_READ_WAIT, write_timeout=1.0, exclusive=True)
        except (serial.SerialException, OSError, ValueError) as error:
            self._note(device, "lost", why_not_open(error, device))
            return None

    def _serve(self, port: Any, device: str) -> bool:
        """Talk until the line is lost or we are to end; tell whether the board was ever heard."""
        wire = self._wire
        if self._refused is None:
            before = self.health
            known = before.problem is not None and before.problem.code in _UNANSWERED
            self._note(device, "starting", before.problem if known and before.port == device else None)
        wire.opened(time.monotonic())
        heard, why = False, None
        try:
            # What came while nobody listened is half a frame of another conversation.
            port.reset_input_buffer()
            # A board that is refused is let go, so that its firmware can be renewed; it is asked
            # again now and then.
            while not self._ending.is_set() and why is None and wire.state is not LinkState.REFUSED:
                # At least one byte is asked for: a read of none returns at once, and the thread
                # would spin.
                data = port.read(max(1, min(port.in_waiting, 4096)))
                now = time.monotonic()
                for event in wire.receive(data, now) if data else ():
                    heard = heard or isinstance(event, Connected)
                    self._tell(event, device)
                # Orders come from other threads, and `Wire` belongs to this one: they are run here,
                # between two reads.
                while not self._orders.empty():
                    self._orders.get()(wire)
                out = wire.work(now)
                if out:
                    port.write(out)
                why = wire.lost(now)
        except (serial.SerialException, OSError, TypeError):
            why = (
                "reader.rfid.unplugged"  # pyserial raises any of these when the device goes while it is read
            )
        finally:
            wire.closed()
            self._shut(port)
        if why is not None:
            if heard:
                self._on_event(Lost(why, time.monotonic()))
            self._note(device, "lost", Text(why, {"port": device}))
        return heard

    def _shut(self, port: Any) -> None:
        try:
            port.close()
        except (serial.SerialException, OSError):
            return  # a device that is gone cannot be closed any better

    def _tell(self, event: WireEvent, device: str) -> None:
        if isinstance(event, Refused):
            theirs, ours = (".".join(map(str, version)) for version in (event.board, event.ours))
            older = "board" if event.board < event.ours else "program"
            text = Text(
                f"reader.rfid.other_version.{older}", {"port": device, "board": theirs, "program": ours}
            )
            self._note(device, "refused", text)
            known, self._refused = self._refused, event.board
            if known == event.board:
                return  # said before
        else:
            self._refused = None
            self._note(device, "ok" if self._wire.state.value == "open" else self.health.state, None)
        self._on_event(event)

    def _note(
        self, device: str, state: Literal["starting", "ok", "lost", "refused", "off"], problem: Text | None
    ) -> None:
        wire = self._wire
        before = self.health.problem
        self.health = LinkHealth(
            device, state, wire.identity, wire.pads, wire.sweep_us, wire.dropped, problem
        )
        if problem is not None and problem != before:
            self._on_trouble(problem)
