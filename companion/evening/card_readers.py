"""Card readers of an evening, by the value of `--reader`. A new kind of reader is one new file, and
one line in `KINDS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from companion import settings
from companion.live.live_session import LiveSession
from companion.live.snapshot import Snapshot
from companion.plan import CannotBegin, Plan
from companion.readers.nfc.pcsc import PcscReader
from companion.readers.nfc.pn532 import Pn532Reader
from companion.readers.nfc.tag_pads import UNPLACED, DesignOf, PadDeviceReader, PhonePads
from companion.readers.rfid import ports
from companion.readers.rfid.board import BoardReader, SimulatedTraysReader, TraysReader
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.keyboard import KeyboardReader
from companion.readers.rfid.ports import BoardLocator, Locate, PortClaims
from companion.readers.rfid.simulator import SimulatedBoard, VirtualTrays
from companion.rules.contract import Game
from companion.table import pad_plan as pad_plans
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.identification import Pad, TrackKey
from companion.table.pad_plan import MIDDLE, SEATS_A_BOARD, make_pad_key, make_seat_pad
from companion.table.sightings import TableReader


class ReaderOption(msgspec.Struct, frozen=True):
    """One `--reader` option: its value `what`, its `number` (from 1), the deck with its tags, what
    the pads are for, and how many players there are.

    `claims` is shared by all: the ports that are in use already, or are something else.
    """

    what: str
    number: int
    deck: Deck
    pads: Mapping[str, Pad]
    claims: PortClaims
    seats: int


TRAYS = "trays"
"""Value of `--reader` for all trays that have a board of their own."""


def resolve_reader_kind(name: str) -> str:
    """Return the kind of reader that `name` stands for: trays, if it is `auto` and one is plugged
    in, or if it is the port of one; else `name` itself."""
    trays = [port.device for port in ports.list_serial_ports() if port.likely == "tray"]
    return TRAYS if name in trays or (name == "auto" and trays) else name


def load_port_claims() -> PortClaims:
    """Return claims that know the boards of earlier evenings, and remember another one that
    answers."""

    def remember(identity: str) -> None:
        settings.try_change_settings(lambda saved: saved.with_board(identity))

    return PortClaims(settings.load_settings().boards, remember)


PHONE = "phone"
"""Value of `--reader` for phones whose browsers read stickers."""


def _make_any_board_reader(option: ReaderOption) -> TableReader:
    return _make_board_reader(option, BoardLocator(None, option.claims))


def _make_reader_at_port(option: ReaderOption) -> TableReader:
    """Make a reader for the board first seen at this port, also if the port changes its name later;
    for a pseudo-terminal only that path is used."""
    return _make_board_reader(option, BoardLocator(option.what, option.claims))


def _make_board_reader(option: ReaderOption, port: Locate) -> TableReader:
    return BoardReader(port, option.deck.find_design_by_tag, option.number, option.pads)


def _make_simulated_reader(option: ReaderOption) -> TableReader:
    """Start a simulated tray at each seat, up to six, and one in the middle."""
    seats = map(make_seat_pad, range(1, min(option.seats, SEATS_A_BOARD) + 1))
    trays = {place: SimulatedBoard(seed=n) for n, place in enumerate([*seats, MIDDLE], 1)}
    plan = {place: option.pads.get(make_pad_key(option.number, place), UNPLACED) for place in trays}
    with ExitStack() as started:
        for tray in trays.values():
            started.enter_context(tray)
        started.pop_all()
    return SimulatedTraysReader(trays, option.deck, plan)


def _make_pn532_reader(port: str, design_of: DesignOf, pads: Mapping[str, Pad]) -> PadDeviceReader:
    if not port:
        raise ReaderProblem("reader.pn532.no_port")
    return Pn532Reader(port, design_of, pads)


FOUND_BY_THEMSELVES = ("pcsc", "typed")
"""Kinds of readers that need no port: each device that is plugged in is a pad."""
OWN_PADS: Mapping[str, Callable[[str, DesignOf, Mapping[str, Pad]], PadDeviceReader]] = {
    "pcsc": lambda _port, design_of, pads: PcscReader(design_of, pads),
    "typed": lambda _port, design_of, pads: KeyboardReader(design_of, pads),
    "pn532": _make_pn532_reader,
    TRAYS: lambda _port, design_of, pads: TraysReader(design_of, pads),
}
"""Kinds of readers that need no soldering, by the part before `=PORT`: each device is a pad."""


def reads_single_pads(name: str) -> bool:
    """Return whether this value of `--reader` names devices that are one pad each."""
    return name.partition("=")[0] in OWN_PADS


def open_own_pads(name: str, design_of: DesignOf, pads: Mapping[str, Pad]) -> PadDeviceReader:
    """Make such a reader: `pcsc`, `typed`, `pn532=PORT`; `pads`: what its devices are for.

    Raises `ReaderProblem` if there is none.
    """
    kind, _, port = name.partition("=")
    return OWN_PADS[kind](port, design_of, pads)


def _make_own_pads_reader(option: ReaderOption) -> TableReader:
    return open_own_pads(option.what, option.deck.find_design_by_tag, option.pads)


def _make_phone_reader(option: ReaderOption) -> TableReader:
    return PhonePads(option.deck.find_design_by_tag)


KINDS: Mapping[str, Callable[[ReaderOption], TableReader]] = {
    "auto": _make_any_board_reader,
    "simulated": _make_simulated_reader,
    **dict.fromkeys(OWN_PADS, _make_own_pads_reader),
    PHONE: _make_phone_reader,
}
"""Values of `--reader` besides a port: trays or the board that answers, simulated trays, all PC/SC
readers, all keyboard-like readers, all trays, phones."""


class CardReaders(NamedTuple):
    """Card readers of an evening, what their pads are for, and the simulated trays if there are
    any."""

    readers: list[TableReader]
    pads: Mapping[str, Pad]
    virtual_trays: VirtualTrays | None


def open_card_readers(plan: Plan, game: Game[Any], deck: Deck, seats: int) -> CardReaders:
    """Make the readers in the plan, for a table of so many `seats`; simulated trays are started.

    Raises `CannotBegin` if one cannot be made, or if the pads' file is faulty; no reader is left
    running then.
    """
    pads = _load_pad_plan(plan, can_lay_face_down(game))
    claims = load_port_claims()
    readers: list[TableReader] = []
    try:
        for number, what in enumerate(plan.readers, 1):
            option = ReaderOption(resolve_reader_kind(what), number, deck, pads, claims, seats)
            readers.append(KINDS.get(option.what.partition("=")[0], _make_reader_at_port)(option))
    # Also for Ctrl-C: a simulated tray is a process of its own and would outlive us.
    except BaseException as fault:
        for reader in readers:
            reader.close()
        if isinstance(fault, ReaderProblem):
            raise CannotBegin(fault.text) from fault
        raise
    simulated = (one.virtual_trays for one in readers if isinstance(one, SimulatedTraysReader))
    return CardReaders(readers, pads, next(simulated, None))


def _load_pad_plan(plan: Plan, face_down: bool) -> Mapping[str, Pad]:
    """Return what the pads are for: from the table's layout and from their own file; boards that
    neither mentions get the usual plan."""
    pads: dict[str, Pad] = {}
    try:
        if plan.zones is not None:
            pads |= pad_plans.load_pads(layouts.file_of(plan.zones), face_down=face_down)
        if plan.pads is not None:
            pads |= pad_plans.load_pads(plan.pads, face_down=face_down)
    except pad_plans.PadsError as fault:
        raise CannotBegin(fault.text) from fault
    usual = pad_plans.make_default_pads(len(plan.readers), face_down=face_down)
    return pads if any(name in usual for name in pads) else {**usual, **pads}


def can_lay_face_down(game: Game[Any]) -> bool:
    """Return whether players of this game lay face-down cards that their pads may seal: whether one
    of its requests takes them."""
    return any("sealed" in request.__struct_fields__ for request in game.requests)


def connect_readers(live: LiveSession, readers: Sequence[TableReader]) -> None:
    """Let the readers show whether their cards were accepted, and sound the clock's warnings."""

    def list_boards() -> list[BoardReader]:
        single = [reader for reader in readers if isinstance(reader, BoardReader)]
        return [
            *single,
            *(tray for reader in readers if isinstance(reader, TraysReader) for tray in reader.boards),
        ]

    def forward_answer(tracks: Sequence[TrackKey], accepted: bool) -> None:
        answering = {reader.name: reader for reader in list_boards()}
        # Sorted, because `groupby` only joins neighbours.
        for name, group in groupby(sorted(tracks), key=itemgetter(0)):
            if name in answering:
                answering[name].show_decision([track for _, track in group], accepted)

    # Only boards have lights and buzzers.
    if any(isinstance(reader, BoardReader | TraysReader) for reader in readers):
        live.add_proposal_callback(forward_answer)
        live.subscribe(_ClockAlarm(list_boards).handle_snapshot)


class _ClockAlarm:
    """Relay of the clock's warnings to the buzzers, each once."""

    def __init__(self, boards: Callable[[], Sequence[BoardReader]]) -> None:
        self._boards = boards
        self._last_warning: tuple[str | None, str] = (None, "none")

    def handle_snapshot(self, snapshot: Snapshot) -> None:
        clock = snapshot.clock
        if clock is None:
            return
        now = (clock.player, clock.warning)
        if now != self._last_warning and clock.warning != "none":
            for reader in self._boards():
                reader.play_time_warning(clock.warning == "up")
        self._last_warning = now
