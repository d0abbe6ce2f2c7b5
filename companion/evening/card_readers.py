"""Card readers of an evening, by the value of `--reader`. A new kind of reader is one new file, and
one line in `KINDS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from companion.live.live import Live
from companion.live.snapshot import Snapshot
from companion.plan import CannotBegin, Plan
from companion.readers.nfc.pads import DesignOf, OwnPads, PhonePads
from companion.readers.nfc.pcsc import PcscReader
from companion.readers.nfc.pn532 import Pn532Reader
from companion.readers.rfid import ports
from companion.readers.rfid.board import BoardReader, SimulatedBoardReader, Trays
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.keyboard import TypedReader
from companion.readers.rfid.ports import Follow, Locate
from companion.readers.rfid.simulator import SimulatedBoard, VirtualBoard
from companion.rules.contract import Game
from companion.table import pads as pad_plans
from companion.table import zones as layouts
from companion.table.decks import Deck
from companion.table.identification import Key, Pad
from companion.table.sightings import TableReader


class ReaderOption(msgspec.Struct, frozen=True):
    """One `--reader` option: its value `what`, its `number` (from 1), the deck with its tags, and
    what the pads are for.

    `taken` is shared by all: the ports that are in use already.
    """

    what: str
    number: int
    deck: Deck
    pads: Mapping[str, Pad]
    taken: set[str]


TRAYS = "trays"
"""Value of `--reader` for all trays that have a board of their own."""


def meant(what: str) -> str:
    """Return the kind of reader that `what` stands for: trays, if it is `auto` and only trays are
    plugged in, or if it is the port of one; else `what` itself."""
    likely = {
        port.likely for port in ports.ports() if port.likely != "other" and what in ("auto", port.device)
    }
    return TRAYS if likely == {"tray"} else what


PHONE = "phone"
"""Value of `--reader` for phones whose browsers read stickers."""


def _any_board(wanted: ReaderOption) -> TableReader:
    return _board(wanted, Follow(None, wanted.taken))


def _at_port(wanted: ReaderOption) -> TableReader:
    """Make a reader for the board first seen at this port, also if the port changes its name later;
    for a pseudo-terminal or link only that path is used."""
    # A board that is plugged in again may get another port; a pseudo-terminal is never followed.
    follow = Follow(wanted.what, wanted.taken)
    return _board(wanted, lambda: follow() or wanted.what)


def _board(wanted: ReaderOption, port: Locate) -> TableReader:
    return BoardReader(port, wanted.deck.design_of_tag, wanted.number, wanted.pads)


def _simulated(wanted: ReaderOption) -> TableReader:
    board = SimulatedBoard()
    board.start()
    return SimulatedBoardReader(wanted.number, board, wanted.deck, wanted.pads)


def _pn532(port: str, design_of: DesignOf, pads: Mapping[str, Pad]) -> OwnPads:
    if not port:
        raise ReaderProblem("reader.pn532.no_port")
    return Pn532Reader(port, design_of, pads)


FOUND_BY_THEMSELVES = ("pcsc", "typed")
"""Kinds of readers that need no port: each device that is plugged in is a pad."""
OWN_PADS: Mapping[str, Callable[[str, DesignOf, Mapping[str, Pad]], OwnPads]] = {
    "pcsc": lambda _port, design_of, pads: PcscReader(design_of, pads),
    "typed": lambda _port, design_of, pads: TypedReader(design_of, pads),
    "pn532": _pn532,
    TRAYS: lambda _port, design_of, pads: Trays(design_of, pads),
}
"""Kinds of readers that need no soldering, by the part before `=PORT`: each device is a pad."""


def has_own_pads(what: str) -> bool:
    """Return whether this value of `--reader` names devices that are one pad each."""
    return what.partition("=")[0] in OWN_PADS


def open_own_pads(what: str, design_of: DesignOf, pads: Mapping[str, Pad]) -> OwnPads:
    """Make such a reader: `pcsc`, `typed`, `pn532=PORT`; `pads`: what its devices are for.

    Raises `ReaderProblem` if there is none.
    """
    kind, _, port = what.partition("=")
    return OWN_PADS[kind](port, design_of, pads)


def _own_pads(wanted: ReaderOption) -> TableReader:
    return open_own_pads(wanted.what, wanted.deck.design_of_tag, wanted.pads)


def _phones(wanted: ReaderOption) -> TableReader:
    return PhonePads(wanted.deck.design_of_tag)


KINDS: Mapping[str, Callable[[ReaderOption], TableReader]] = {
    "auto": _any_board,
    "simulated": _simulated,
    **dict.fromkeys(OWN_PADS, _own_pads),
    PHONE: _phones,
}
"""Values of `--reader` besides a port: the first likely board, the simulated one, all PC/SC
readers, all keyboard-like readers, all trays, phones."""


class CardReaders(NamedTuple):
    """Card readers of an evening, what their pads are for, and the simulated board if there is
    one."""

    readers: list[TableReader]
    pads: Mapping[str, Pad]
    board: VirtualBoard | None


def opened(plan: Plan, game: Game[Any], deck: Deck) -> CardReaders:
    """Make the readers in the plan; a simulated board is started.

    Raises `CannotBegin` if one cannot be made, or if the pads' file is faulty; no reader is left
    running then.
    """
    pads = _pads(plan, lays_face_down(game))
    taken: set[str] = set()
    readers: list[TableReader] = []
    try:
        for number, what in enumerate(plan.readers, 1):
            wanted = ReaderOption(meant(what), number, deck, pads, taken)
            readers.append(KINDS.get(wanted.what.partition("=")[0], _at_port)(wanted))
    # Also for Ctrl-C: a simulated board is a process of its own and would outlive us.
    except BaseException as fault:
        for reader in readers:
            reader.close()
        if isinstance(fault, ReaderProblem):
            raise CannotBegin(fault.text) from fault
        raise
    boards = (one.board for one in readers if isinstance(one, SimulatedBoardReader))
    return CardReaders(readers, pads, next(boards, None))


def _pads(plan: Plan, face_down: bool) -> Mapping[str, Pad]:
    """Return what the pads are for: from the table's layout and from their own file; boards that
    neither mentions get the usual plan."""
    named: dict[str, Pad] = {}
    try:
        if plan.zones is not None:
            named |= pad_plans.load(layouts.file_of(plan.zones), face_down=face_down)
        if plan.pads is not None:
            named |= pad_plans.load(plan.pads, face_down=face_down)
    except pad_plans.PadsError as fault:
        raise CannotBegin(fault.text) from fault
    usual = pad_plans.usual(len(plan.readers), face_down=face_down)
    return named if any(name in usual for name in named) else {**usual, **named}


def lays_face_down(game: Game[Any]) -> bool:
    """Return whether players of this game lay face-down cards that their pads may seal: whether one
    of its requests takes them."""
    return any("sealed" in request.__struct_fields__ for request in game.requests)


def join(live: Live, readers: Sequence[TableReader]) -> None:
    """Let the readers show whether their cards were accepted, and sound the clock's warnings."""

    def boards() -> list[BoardReader]:
        single = [reader for reader in readers if isinstance(reader, BoardReader)]
        return [*single, *(tray for reader in readers if isinstance(reader, Trays) for tray in reader.boards)]

    def answered(tracks: Sequence[Key], accepted: bool) -> None:
        answering = {reader.name: reader for reader in boards()}
        # Sorted, because `groupby` only joins neighbours.
        for name, group in groupby(sorted(tracks), key=itemgetter(0)):
            if name in answering:
                answering[name].answered([track for _, track in group], accepted)

    # Only boards have lights and buzzers.
    if any(isinstance(reader, BoardReader | Trays) for reader in readers):
        live.on_answered(answered)
        live.subscribe(_Alarm(boards).hear)


class _Alarm:
    """Relay of the clock's warnings to the buzzers, each once."""

    def __init__(self, boards: Callable[[], Sequence[BoardReader]]) -> None:
        self._boards = boards
        self._said: tuple[str | None, str] = (None, "none")

    def hear(self, snapshot: Snapshot) -> None:
        clock = snapshot.clock
        if clock is None:
            return
        now = (clock.player, clock.warning)
        if now != self._said and clock.warning != "none":
            for reader in self._boards():
                reader.hurry(clock.warning == "up")
        self._said = now
