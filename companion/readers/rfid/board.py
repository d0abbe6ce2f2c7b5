"""Reader of one RFID board: the connection over its port, sightings of the cards on its pads, its
buttons, health, lights and buzzer.

Many things happen to the connection that are states to report, not errors: the board is unplugged,
plugged in again under another name, restarted because its port was opened (DTR), or its port is
held by another program (`ReconnectingReader`). The protocol itself is `wire`; this module reads and
writes bytes and translates the protocol's events into reports to the table. In the protocol a pad
is a number from 0; its name is for people, for the plan of pads and for the reports.

This module knows cards only through a function that maps tag ids to designs, and it knows no rules.
Cards on a face-down pad are marked as such here, at once, so that nothing later prints, records or
shows them.

A tray is a board by itself: a Raspberry Pi Pico with one pad, two buttons, a light and a buzzer,
connected by USB (`TraysReader`). It is recognised by the serial number of its Pico. However the
trays are plugged in, tonight or another day, each is the same pad at the same place (`companion
pads`).
"""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from companion.readers.nfc.tag_pads import DesignOf, PadReader, TagPads
from companion.readers.rfid import ports
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
    ReaderProblem,
    Refused,
    SelfTestResult,
    TagId,
    WireEvent,
)
from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op, Tune
from companion.readers.rfid.ports import format_tray_name
from companion.readers.rfid.simulator import SimulatedBoard, VirtualTrays
from companion.readers.rfid.wire import BoardConnection, LinkState
from companion.readers.thread import ReconnectingReader
from companion.rules.claims import ZoneId
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.pad_plan import find_button_seat, make_pad_key
from companion.table.sightings import Face, HealthState, Post, Press, Sighting

BAUD = 500_000  # exact with the boards' 16 MHz clock; 115,200 would be 2 % off (firmware/PROTOCOL.md)
_READ_TIMEOUT = 0.01  # seconds: bounds how long a command waits to be sent
_UNANSWERED = frozenset({"reader.rfid.no_answer", "reader.rfid.foreign"})
"""Problems that stay on display while the same port is tried again."""
_NOT_THERE = frozenset({"reader.rfid.no_board", "reader.rfid.no_port", "reader.rfid.none_ours"})

BoardLinkState: TypeAlias = Literal["starting", "ok", "lost", "refused", "off"]


class LinkHealth(msgspec.Struct, frozen=True):
    """State of a reader board. `problem` says in words what is wrong and what to do; None if
    nothing is."""

    port: str
    state: BoardLinkState
    identity: Identity | None = None
    pads: tuple[PadState, ...] = ()
    sweep_us: int = 0
    dropped: int = 0
    problem: Text | None = None


class BoardReader(ReconnectingReader):
    """Reader of the cards on the pads of board `number` (1, 2, ...), and of the buttons there.

    `port` is a device name, or a callable that finds one (`ports.BoardLocator`). `pads`
    is the plan of pads, those of other boards included. `only_pad` is the name of the pad of a
    board that has only one. A pad's light turns red by itself if no card of the deck has the tag;
    the program requests green when it has accepted the card. `on_tag`, if set, is called in the
    reader's thread with the pad's name and the tag of each card that arrives.
    """

    retry_delays = (0.25, 0.5, 1.0, 2.0)

    def __init__(
        self,
        port: str | ports.Locate,
        design_of: DesignOf,
        number: int = 1,
        pads: Mapping[str, Pad] | None = None,
        *,
        only_pad: str | None = None,
    ) -> None:
        super().__init__("rfid" if number == 1 else f"rfid {number}")
        self.number = number
        self.on_tag: Callable[[str, TagId], None] | None = None
        self.self_tests: dict[str, int] = {}
        """Result of each pad's self-test: 0 passed, 1 failed, 2 not known (`SelfTestResult`)."""
        self.health = LinkHealth(port if isinstance(port, str) else "", "off")
        """State of board, pads and connection."""
        self.pads: tuple[str, ...] = ()
        """Names of the board's pads, once it has answered."""
        self._locate: ports.Locate = (lambda: port) if isinstance(port, str) else port
        self._design_of = design_of
        self._plan = pads or {}
        self._only_pad = only_pad
        self._wire = BoardConnection()
        self._orders: queue.SimpleQueue[Callable[[BoardConnection], None]] = queue.SimpleQueue()
        self._refused: tuple[int, int] | None = None
        self._sightings: dict[tuple[int, TagId], Sighting] = {}
        self._unconfirmed: set[tuple[int, TagId]] = set()
        """Cards on pads that are restarting: the pads will report whether the cards are still
        there."""
        self._missed = False
        self._tracks = itertools.count(1)

    def start(self, post: Post) -> None:
        """Begin to report to `post`."""
        self.attach(post)
        self.report_health("starting", Text("reader.rfid.starting", {"reader": self.name}))
        super().start(post)

    # ---- what the table can do to the board; from any thread ----

    def show_decision(self, tracks: Collection[int], accepted: bool) -> None:
        """Show with the lights of these tracks' pads whether their cards were accepted; a refusal
        is also audible."""
        pads = [pad for (pad, _), sighting in tuple(self._sightings.items()) if sighting.track in tracks]
        for pad in pads:
            self._set_level(Op.LIGHT, pad, Light.ACCEPTED if accepted else Light.UNKNOWN)
        if pads and not accepted:
            self.play_tune(Tune.UNKNOWN)

    def play_time_warning(self, is_up: bool) -> None:
        """Play the tune that time is short, or up."""
        self.play_tune(Tune.TIME_UP if is_up else Tune.HURRY)

    def set_light(self, pad: str | None, light: Light) -> None:
        """Set the light of the pad of that name, or all lights (None); an unknown name is
        ignored."""
        for number in [WHOLE_BOARD] if pad is None else self._find_pad_numbers(pad):
            self._set_level(Op.LIGHT, number, light)

    def set_gain(self, pad: str, gain: int) -> None:
        """Set the receiver gain of the pad of that name, 0 to 7 (PROTOCOL.md, command 3). 5 is
        usual; higher values report tags that are not there."""
        for number in self._find_pad_numbers(pad):
            self._set_level(Op.GAIN, number, gain)

    def start_self_tests(self, pads: Iterable[str]) -> None:
        """Let the chips of these pads test themselves; the results go to `self_tests`."""
        for number in self._find_pad_numbers(*pads):
            self._queue_once(Op.SELF_TEST, number)

    def play_tune(self, tune: Tune) -> None:
        """Play a tune once."""
        self._orders.put(lambda wire: wire.play_tune(tune))

    def _find_pad_numbers(self, *names: str) -> list[int]:
        return [number for number, name in enumerate(self.pads) if name in names]

    def _queue_once(self, op: Op, pad: int) -> None:
        self._orders.put(lambda wire: wire.commands.queue_once(op, pad))

    def _set_level(self, op: Op, pad: int, level: int) -> None:
        self._orders.put(lambda wire: wire.commands.set_level(op, pad, level))

    # ---- the line; in the reader's thread ----

    def run(self) -> None:
        """Talk to the board until the reader is to end."""
        try:
            super().run()
        except Exception as error:
            args = {"reader": self.name, "what": self.describe_fault(error)}
            self._set_link_state("lost", Text("reader.failed", args))
            raise
        self._set_link_state("off", None)

    def serve_connection(self) -> None:
        """Open the port and talk until the connection is lost. A board with another protocol
        version is released, so that its firmware can be updated, and asked again now and then."""
        device = self._locate()
        before = self.health
        self.health = msgspec.structs.replace(before, port=device or "")
        if device is None:
            raise ports.explain_missing_board()
        is_asking = isinstance(self._locate, ports.BoardLocator) and self._locate.is_asking
        with ports.hold_port(device, BAUD, _READ_TIMEOUT, is_quiet=is_asking) as port:
            if self._refused is None:
                known = before.problem is not None and before.problem.code in _UNANSWERED
                self._set_link_state("starting", before.problem if known and before.port == device else None)
            try:
                self._exchange_frames(port)
            except ports.FAULTS as error:
                raise ReaderProblem("reader.rfid.unplugged", port=device) from error
            finally:
                self._wire.on_port_closed()

    def _exchange_frames(self, port: Any) -> None:
        wire = self._wire
        wire.on_port_opened(time.monotonic())
        # Bytes received before are half a frame of an earlier conversation.
        port.reset_input_buffer()
        while not self.is_ending and wire.state is not LinkState.REFUSED:
            # At least one byte: reading none would return at once, and the loop would spin.
            data = port.read(max(1, min(port.in_waiting, 4096)))
            now = time.monotonic()
            for event in wire.receive_bytes(data, now) if data else ():
                self.handle_event(event)
            # Commands come from other threads, but `BoardConnection` belongs to this one: they are
            # run here, between two reads.
            while not self._orders.empty():
                self._orders.get()(wire)
            out = wire.next_output(now)
            if out:
                port.write(out)
            # After reading and writing: an answer that has just arrived keeps the connection.
            why = wire.find_failure(now)
            if why is not None:
                raise ReaderProblem(why, port=self.health.port)

    def handle_disconnect(self, why: Text) -> None:
        """Report once why there is no board. If it was there before, the message that it was
        unplugged stays, because it says more than that it is missing. Cards on it stay known."""
        before = self.health.problem
        if isinstance(self._locate, ports.BoardLocator):
            self._locate.reject_port(is_foreign=why.code in _UNANSWERED)
        self._set_link_state("lost", why)
        if why != before and not (self.pads and why.code in _NOT_THERE):
            self.report_health("lost", why)

    def _set_link_state(self, state: BoardLinkState, problem: Text | None) -> None:
        wire = self._wire
        self.health = LinkHealth(
            self.health.port, state, wire.identity, wire.pads, wire.sweep_us, wire.dropped_frames, problem
        )

    # ---- what the board tells; in the reader's thread ----

    def handle_event(self, event: WireEvent) -> None:
        """Handle one event of the protocol."""
        if isinstance(event, Refused):
            self._report_wrong_version(event)
            return
        self._refused = None
        # Any event but a refusal means that the board speaks our version.
        self._set_link_state("ok" if self._wire.state is LinkState.OPEN else self.health.state, None)
        match event:
            case CardArrived(pad=pad, tag=tag, received=at):
                self._add_tag(pad, tag, at)
            case CardLeft(pad=pad, tag=tag, received=at):
                self._remove_tag(pad, tag, at)
            case ButtonEvent(seat=seat, pressed=True, which=which, received=at):
                self._clear_missed(at)
                if (table_seat := self.find_table_seat(seat)) is not None:
                    act: Literal["accept", "refuse"] = "accept" if which == "accept" else "refuse"
                    self._post(Press(self.name, table_seat, act, at))
            case PadsSnapshot():
                self._apply_snapshot(event)
            case ReaderFault():
                self._report_pad_fault(event)
            case SelfTestResult(pad=pad, result=result):
                self.self_tests[self._find_pad_name(pad)] = result
            case Connected(identity=identity, received=at):
                self.reset_retries()
                if isinstance(self._locate, ports.BoardLocator):
                    self._locate.confirm_port()
                only = self._only_pad if identity.pads == 1 else None
                self.pads = identity.pad_names if only is None else (only,)
                self._report_ok(at)
            case _:
                pass

    def _report_wrong_version(self, event: Refused) -> None:
        """Report once that the board speaks another version, and whether board or program is
        older."""
        theirs, ours = (".".join(map(str, version)) for version in (event.board, event.ours))
        older = "board" if event.board < event.ours else "program"
        args = {"port": self.health.port, "board": theirs, "program": ours}
        text = Text(f"reader.rfid.other_version.{older}", args)
        self._set_link_state("refused", text)
        if self._refused != event.board:
            self._refused = event.board
            self.report_health("lost", text)

    def _find_pad_name(self, pad: int) -> str:
        return self.pads[pad] if pad < len(self.pads) else f"pad{pad + 1}"

    def locate_pad(self, pad: int) -> tuple[str, Face]:
        """Return the table's name of a pad, and which face of a card there is up."""
        where = make_pad_key(self.number, self._find_pad_name(pad))
        plan = self._plan.get(where)
        return where, "up" if plan is None else plan.visible_face

    def find_table_seat(self, seat: int) -> int | None:
        """Return the table's seat of the buttons that the board numbers `seat`; None if
        nobody's."""
        return find_button_seat(self._plan, self.number, seat)

    def describe_ok(self) -> Text:
        """Return the message that the board works."""
        return Text("reader.rfid.ok", {"reader": self.name}, len(self.pads))

    def _add_tag(self, pad: int, tag: TagId, at: float) -> None:
        design = self._design_of(tag.hex())
        self._unconfirmed.discard((pad, tag))
        known = self._sightings.get((pad, tag))
        # Only a card that was not there before shows that players have moved on.
        if known is None:
            self._clear_missed(at)
        track = next(self._tracks) if known is None else known.track
        where, face = self.locate_pad(pad)
        sighting = self._sightings[pad, tag] = Sighting(
            self.name, track, design, where, at, face, sense="tag"
        )
        self._post(sighting)
        if design is None:
            self._set_level(Op.LIGHT, pad, Light.UNKNOWN)
        if self.on_tag is not None:
            self.on_tag(self._find_pad_name(pad), tag)

    def _remove_tag(self, pad: int, tag: TagId, at: float) -> None:
        sighting = self._sightings.pop((pad, tag), None)
        if sighting is not None:
            # Without its design: where a card lies face down, its departure must not name it
            # either.
            self._post(msgspec.structs.replace(sighting, design=None, at=at, present=False))

    def _apply_snapshot(self, snapshot: PadsSnapshot) -> None:
        """Update the table from a snapshot: departures first, then arrivals.

        A pad that is restarting has not looked yet: its cards count as present until it has.
        """
        there = {(pad, tag) for pad, state in enumerate(snapshot.pads) for tag in state.tags}
        starting = {pad for pad, state in enumerate(snapshot.pads) if state.health is PadHealth.RESTARTING}
        unseen = [one for one in self._sightings if one not in there]
        self._unconfirmed = {one for one in unseen if one[0] in starting}
        # Departures before arrivals: a card that was moved must never be on two pads.
        for pad, tag in unseen:
            if pad not in starting:
                self._remove_tag(pad, tag, snapshot.received)
        for pad, state in enumerate(snapshot.pads):
            for tag in state.tags:
                if (pad, tag) not in self._sightings:
                    self._add_tag(pad, tag, snapshot.received)
        if snapshot.missed:
            self._missed = True
            self._report_ok(snapshot.received)

    def _clear_missed(self, at: float) -> None:
        """Withdraw the warning about missed events: players have moved on, whether they checked the
        table or not."""
        if self._missed:
            self._missed = False
            self._report_ok(at)

    def _report_ok(self, at: float) -> None:
        """Report that the reader works, or that it may have missed something, and repeat all cards
        on the pads, because the table waits for that after an interruption."""
        state: HealthState = "look" if self._missed else "ok"
        self.report_health(
            state,
            Text("reader.rfid.look", {"reader": self.name}) if self._missed else self.describe_ok(),
            at=at,
        )
        for sighting in tuple(self._sightings.values()):
            self._post(msgspec.structs.replace(sighting, at=at))

    def _report_pad_fault(self, fault: ReaderFault) -> None:
        """Report what is wrong with a pad, or that the reader works again once all pads do."""
        if not fault.health.is_harmless:
            where = "" if fault.pad is None else self._find_pad_name(fault.pad)
            args = {"pad": where, "version": f"{fault.version:02x}"}
            self.report_health("lost", Text(f"reader.rfid.pad.{fault.health.cause}", args), at=fault.received)
            return
        for pad, tag in [one for one in self._unconfirmed if one[0] == fault.pad]:
            self._remove_tag(pad, tag, fault.received)
        if all(state.health.is_harmless for state in self.health.pads):
            self._report_ok(fault.received)


POLL_INTERVAL = 1.0
"""Seconds between two looks for trays that were plugged in."""


Trays: TypeAlias = Callable[[], "Mapping[str, str]"]
"""Function that returns the port of each tray that is there, by the tray's name."""


def find_trays() -> dict[str, str]:
    """Return the ports of the trays that are plugged in, by name."""
    return {
        format_tray_name(port): port.device for port in ports.list_serial_ports() if port.likely == "tray"
    }


def list_trays() -> list[str]:
    """List the names of the trays that are plugged in."""
    return list(find_trays())


def find_tray_port(tray: str) -> str | None:
    """Return the port of a tray; None while it is not plugged in."""
    return find_trays().get(tray)


class TraysReader(PadReader):
    """Reader of all trays that are plugged in, and of their buttons. `plan`: the pad of each tray,
    by its name; `trays`: where they are found."""

    def __init__(self, design_of: DesignOf, plan: Mapping[str, Pad], trays: Trays = find_trays) -> None:
        super().__init__("tray", design_of, plan)
        self._design_of = design_of
        self._find_trays = trays
        self._boards: dict[str, TrayReader] = {}

    @property
    def boards(self) -> Sequence[BoardReader]:
        """The trays that were found so far."""
        return tuple(self._boards.values())

    def serve_connection(self) -> None:
        """Look for new trays until the reader is to end."""
        while not self.is_ending:
            there = self._find_trays()
            for name in there:
                if name not in self._boards:
                    tray = self._boards[name] = TrayReader(name, self._design_of, self.pads, self._find_trays)
                    tray.start(self._post)
            if there:
                self.report_changed_health("ok", Text("reader.tray.ok", {"count": len(there)}))
            else:
                self.report_changed_health("lost", Text("reader.tray.none"))
            self.wait(POLL_INTERVAL)

    def handle_disconnect(self, why: Text) -> None:
        """Report a failure; it concerns all trays, as no connection is shared by them."""
        self.report_changed_health("lost", why)

    def close(self) -> None:
        """Stop looking, then close every tray."""
        super().close()
        for tray in self.boards:
            tray.close()


class TrayReader(BoardReader):
    """Reader of one tray, identified by `name` (`format_tray_name`); `pads` says where it
    stands."""

    def __init__(self, name: str, design_of: DesignOf, pads: TagPads, trays: Trays) -> None:
        super().__init__(lambda: trays().get(name), design_of, only_pad=name)
        self.name = pads.find_reader_name(name)
        self._tray, self._places = name, pads
        self.on_tag = lambda _pad, tag: pads.on_tag(name, tag) if pads.on_tag is not None else None

    def handle_disconnect(self, why: Text) -> None:
        """Report which tray is missing, instead of which port."""
        gone = why.code in ("reader.rfid.unplugged", "reader.rfid.no_board", "reader.rfid.brltty")
        super().handle_disconnect(Text("reader.pad.unplugged", {"device": self._tray}) if gone else why)

    def describe_ok(self) -> Text:
        """Return the message that says where the tray stands."""
        return self._places.describe_place(self._tray)

    def locate_pad(self, pad: int) -> tuple[str, Face]:
        """Return the tray's zone, in which its cards count as soon as they are recognised."""
        # A tray has only one pad.
        del pad
        found = self._places.find_pad(self._tray)
        return found.zone, found.visible_face

    def find_table_seat(self, seat: int) -> int | None:
        """Return the seat at which the tray stands: its buttons are that player's."""
        del seat  # a tray has one row of buttons
        return ZoneId.from_text(self._places.find_pad(self._tray).zone).seat


class SimulatedTraysReader(TraysReader):
    """Reader of simulated trays, by the names of their places (`seat1`, ..., `middle`): the real
    firmware behind pseudo-terminals. They must have been started; `plan`: the pad of each place.

    `virtual_trays` is used by people and simulated players to lay cards and press buttons.
    """

    def __init__(self, trays: Mapping[str, SimulatedBoard], deck: Deck, plan: Mapping[str, Pad]) -> None:
        own = {f"Card tray {place}": plan[place] for place in trays}
        there = {f"Card tray {place}": tray.port for place, tray in trays.items()}
        super().__init__(deck.find_design_by_tag, own, lambda: there)
        self.virtual_trays = VirtualTrays(trays, deck, [place for place in trays if plan[place].face_down])
        self._simulation = tuple(trays.values())

    def close(self) -> None:
        """Close the ports, then end the simulation."""
        # In this order: a port whose other end has gone first would be reported as unplugged.
        super().close()
        for tray in self._simulation:
            tray.close()
