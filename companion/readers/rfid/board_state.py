"""What stands on the pads now, from the board's events; each becomes what the program is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from companion.readers.rfid import frames
from companion.readers.rfid.commands import Commands
from companion.readers.rfid.events import (
    Button,
    CardArrived,
    CardLeft,
    CatchingUp,
    PadState,
    ReaderFault,
    SelfTest,
    Snapshot,
    TagId,
    WireEvent,
)
from companion.readers.rfid.health import PadHealth
from companion.readers.rfid.protocol import WHOLE_BOARD, What


class BoardState:
    """Pads, tags and buttons of one board, through resets and lost lines. `commands`: learn which
    lights went out."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._count = 0
        self._reason = 0
        self._held: set[tuple[int, str]] = set()
        self._known: dict[int, PadState] = {}
        self._followed = self._restarted = False

    def meet(self, health: Sequence[tuple[int, int]], *, restarted: bool) -> None:
        """Take the greeting of a board: how each pad is, as (code, chip version), and whether it
        has started anew."""
        self._count = len(health)
        self._restarted = self._restarted or (restarted and self._followed)
        for pad, (code, version) in enumerate(health):
            self._diagnose(pad, PadHealth(code), version)

    def pads(self) -> tuple[PadState, ...]:
        """What lies on the pads now, as far as is known."""
        return tuple(self._known.get(pad, PadState(PadHealth.WELL, 0)) for pad in range(self._count))

    def tell(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        """Take the next event in order; return what it tells."""
        teller = _TELLERS.get(frame.what)
        return teller(self, frame, now) if teller else []

    def _change(self, pad: int, tag: TagId, *, present: bool) -> None:
        """Put a tag on a pad that is already known, or take it away."""
        state = self._known.get(pad, PadState(PadHealth.WELL, 0))
        tags = tuple(t for t in state.tags if t != tag) + ((tag,) if present else ())
        self._known[pad] = PadState(state.health, state.version, tags)

    def _diagnose(self, pad: int, health: PadHealth, version: int) -> None:
        tags = self._known[pad].tags if pad in self._known else ()
        self._known[pad] = PadState(health, version, tags)

    def _arrived(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._change(frame.a, tag, present=True)
        return [CardArrived(frame.a, tag, frame.ms, now)]

    def _left(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        tag = TagId(frame.id)
        self._change(frame.a, tag, present=False)
        if not self._known[frame.a].tags:
            self._commands.emptied(frame.a)
        return [CardLeft(frame.a, tag, frame.ms, now)]

    def _button(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        which = "refuse" if frame.b & 1 else "accept"
        pressed = bool(frame.b & 0x80)
        (self._held.add if pressed else self._held.discard)((frame.a, which))
        return [Button(frame.a, which, pressed, frame.ms, now)]

    def _fault(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        version = frame.id[0] if frame.id else 0
        pad = None if frame.a == WHOLE_BOARD else frame.a
        if pad is not None:
            self._diagnose(pad, PadHealth(frame.b), version)
        return [ReaderFault(pad, PadHealth(frame.b), version, frame.ms, now)]

    def _self_tested(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        return [SelfTest(frame.a, frame.b, now)]

    def _snapshot_begin(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._reason = frame.a
        return [CatchingUp(frame.a, now)]

    def _snapshot_buttons(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        bits = (("accept", frame.a), ("refuse", frame.b))
        self._held = {(seat + 1, which) for which, mask in bits for seat in range(8) if mask >> seat & 1}
        return []

    def _snapshot_pad(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        # Its tags are forgotten: those that lie there follow (PROTOCOL.md, event 7).
        self._known[frame.a] = PadState(PadHealth(frame.b), frame.id[0] if frame.id else 0)
        return []

    def _snapshot_tag(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        self._change(frame.a, TagId(frame.id), present=True)
        return []

    def _snapshot_end(self, frame: frames.EventFrame, now: float) -> list[WireEvent]:
        lost = frame.id[0] if frame.id else 0
        # Only for who followed before: the first snapshot after the program's start misses nothing.
        missed = self._followed and (lost > 0 or self._restarted)
        self._followed, self._restarted = True, False
        held, reason = frozenset(self._held), self._reason
        return [Snapshot(self.pads(), held, frame.b, lost, reason, now, missed)]


_TELLERS: dict[int, Callable[[BoardState, frames.EventFrame, float], list[WireEvent]]] = {
    What.ARRIVED: BoardState._arrived,
    What.LEFT: BoardState._left,
    What.BUTTON: BoardState._button,
    What.FAULT: BoardState._fault,
    What.SNAPSHOT_BEGIN: BoardState._snapshot_begin,
    What.SNAPSHOT_BUTTONS: BoardState._snapshot_buttons,
    What.SNAPSHOT_PAD: BoardState._snapshot_pad,
    What.SNAPSHOT_TAG: BoardState._snapshot_tag,
    What.SNAPSHOT_END: BoardState._snapshot_end,
    What.SELF_TEST: BoardState._self_tested,
}
