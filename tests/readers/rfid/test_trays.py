"""Four trays at once, each a board of its own on the USB: the tray's firmware, compiled for this
machine."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable

import pytest

from companion import settings
from companion.commands import check, pads, tags
from companion.equipment.board import BoardStep
from companion.equipment.diagnosis import KnownTags
from companion.equipment.steps import EquipmentCheck
from companion.evening.card_readers import TRAYS, resolve_reader_kind
from companion.readers.rfid import ports
from companion.readers.rfid.board import TraysReader, find_tray_port, list_trays
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Health, Press, Sighting
from companion.texts import Translator
from tests.firmware.light_colours import GREEN
from tests.readers.rfid.test_ports import MEGA, NANO, info
from tests.simulated.lock_step import card

NUMBERS = [f"E66140C3000000A{n}" for n in range(4)]
NAMES = [f"Card tray {number}" for number in NUMBERS]
PLAN = {NAMES[0]: Pad("seat:1", face_down=True), NAMES[1]: Pad("seat:2"), NAMES[2]: Pad("middle")}
ZONES = ["seat:1", "seat:2", "middle", "middle"]
"""Where they stand; the last one has no place yet."""


def tray_at(device: str, number: str):
    return info(device, 0x2E8A, 0x000A, f"TRAY{number}", "Card tray")


class Hub:
    """A USB hub with four trays on it."""

    def __init__(self) -> None:
        self.boards: dict[int, SimulatedBoard] = {}
        self.beside: list = []

    def plug(self, n: int) -> SimulatedBoard:
        board = SimulatedBoard("pico", native=True, seed=n + 1)
        board.start()
        self.boards[n] = board
        return board

    def unplug(self, n: int) -> None:
        self.boards.pop(n).close()

    def comports(self) -> list:
        there = [tray_at(board.port, NUMBERS[n]) for n, board in list(self.boards.items())]
        return [*self.beside, *reversed(there)]


@pytest.fixture
def hub(monkeypatch):
    hub = Hub()
    monkeypatch.setattr(ports.list_ports, "comports", hub.comports)
    for n in range(4):
        hub.plug(n)
    yield hub
    for n in list(hub.boards):
        hub.unplug(n)


def until(done: Callable[[], object]) -> None:
    """Wait; AssertionError after half a minute."""
    end = time.monotonic() + 30
    while not done():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def reports():
    return []


@pytest.fixture
def trays(hub, reports):
    trays = TraysReader({card(n).hex(): f"card {n}" for n in range(8)}.get, PLAN)
    trays.start(reports.append)
    until(lambda: sum(tray.health.state == "ok" for tray in trays.boards) == 4)
    yield trays
    trays.close()


def seen(reports: list) -> list[tuple[str | None, str, str, bool]]:
    return [(one.design, one.where, one.face, one.present) for one in reports if isinstance(one, Sighting)]


def test_each_is_a_pad_at_its_place_and_the_same_one_when_it_is_plugged_in_again(hub, trays, reports):
    tapped = []
    trays.pads.on_tag = lambda device, tag: tapped.append((device, tag))
    for n, board in hub.boards.items():
        board.put_tags(0, card(n))
    until(lambda: len(seen(reports)) == 4)
    assert set(seen(reports)) == {(f"card {n}", ZONES[n], "down" if n == 0 else "up", True) for n in range(4)}
    assert set(tapped) == {(NAMES[n], card(n)) for n in range(4)}
    assert len({one.reader for one in reports if isinstance(one, Sighting)}) == 4, "one may be lost alone"

    reports.clear()
    hub.unplug(1)
    until(lambda: any(isinstance(one, Health) and one.state == "lost" for one in reports))
    (lost,) = [one for one in reports if isinstance(one, Health) and one.state == "lost"]
    assert NAMES[1] in Translator("en").translate(lost.text)
    hub.boards[2].put_tags(0, card(6))
    until(lambda: seen(reports))
    assert seen(reports) == [("card 6", "middle", "up", True)], "the others go on; what lay there is known"

    reports.clear()
    hub.plug(1).put_tags(0, card(1))
    until(lambda: ("card 1", "seat:2", "up", True) in seen(reports))
    # That the other three are well may be reported late, too.
    back = [one for one in reports if isinstance(one, Health) and one.reader == lost.reader]
    assert (back[0].state, back[0].text.args["device"]) == ("ok", NAMES[1])
    assert not any(one.state == "lost" for one in reports if isinstance(one, Health))

    hub.boards[1].press_button(1, "refuse")
    until(lambda: any(isinstance(one, Press) for one in reports))
    (press,) = [one for one in reports if isinstance(one, Press)]
    assert (press.seat, press.button) == (2, "refuse")
    sighting = next(one for one in reports if isinstance(one, Sighting) and one.design == "card 1")
    next(tray for tray in trays.boards if tray.name == sighting.reader).show_decision([sighting.track], True)
    until(lambda: hub.boards[1].lights == (GREEN,))
    hub.boards[3].press_button(1, "accept")
    hub.boards[3].put_tags(0, card(7))
    until(lambda: ("card 7", "middle", "up", True) in seen(reports))
    assert len([one for one in reports if isinstance(one, Press)]) == 1, "in the middle they are nobody's"


def test_the_check_tests_each_alone_by_its_name(hub, monkeypatch):
    monkeypatch.setattr("companion.equipment.board.GAIN_DWELL", 0.15)
    known = KnownTags(Deck.load_builtin("dtc").find_design_by_tag, taught=False)
    benches = check._make_benches(Namespace(reader=[TRAYS]), known, Translator("en"))
    assert sorted(bench.name for bench in benches) == NAMES
    hub.boards[2].send_command("kill", 0)
    steps = EquipmentCheck([BoardStep(bench) for bench in benches])
    try:

        def turn(done: Callable[[], object]) -> None:
            until(lambda: (steps.tick(time.monotonic()), done())[1])

        def asks(what: str) -> bool:
            return steps.current is not None and steps.current.prompt.code == f"check.do.{what}"

        for name in [bench.name for bench in benches]:
            if name != NAMES[2]:
                turn(lambda: asks("tap"))
                assert steps.current.prompt.args["where"] == name
                hub.boards[NAMES.index(name)].put_tags(0, card(1))
            for what in ("buttons", "lights", "buzzer"):
                turn(lambda what=what: asks(what))
                steps.skip_step()
        turn(lambda: steps.is_done)
        verdicts = {
            one.part.args["where"]: one.verdict
            for one in steps.findings
            if one.part.code == "check.part.pad"
            and not one.text.code.startswith(("check.tap", "check.range"))
        }
        assert {one.text.code for one in steps.findings} >= {"check.tap.read", "check.range.ok"}
        assert verdicts == {NAMES[n]: "fault" if n == 2 else "ok" for n in range(4)}
    finally:
        for bench in benches:
            bench.close()


def test_auto_means_the_trays_where_there_is_one_whatever_else_is_plugged_in(hub):
    named = ("auto", hub.boards[1].port, "pcsc", "/dev/ttyACM0")
    assert [resolve_reader_kind(what) for what in named] == [TRAYS, TRAYS, "pcsc", "/dev/ttyACM0"]
    (reader,) = pads._open_readers(["auto"])
    assert isinstance(reader, TraysReader)
    hub.beside = [MEGA, NANO]
    assert resolve_reader_kind("auto") == TRAYS, "a printer beside them must not keep them dark"
    assert ports.BoardLocator()() == MEGA.device, "a tray is never taken for a board of several pads"


def test_the_check_opens_no_port_unasked_that_may_be_a_printers(hub):
    known = KnownTags(Deck.load_builtin("dtc").find_design_by_tag, taught=False)
    hub.beside = [MEGA, NANO]

    def list_benches(*named):
        return [
            bench.name for bench in check._make_benches(Namespace(reader=[*named]), known, Translator("en"))
        ]

    assert sorted(list_benches()) == NAMES
    assert set(list_benches("auto")) == {*NAMES, MEGA.device, NANO.device}
    settings.try_change_settings(lambda saved: saved.with_board("1a86:7523 @/dev/ttyUSB0"))
    assert set(list_benches()) == {*NAMES, NANO.device}


def test_of_two_trays_with_one_number_both_are_opened(hub, monkeypatch):
    monkeypatch.setattr(ports, "_shared_numbers", set())
    twins = [tray_at(hub.boards[n].port, "FF") for n in range(2)]
    for n, twin in enumerate(twins):
        twin.location = f"1-1.{n}"
    monkeypatch.setattr(ports.list_ports, "comports", lambda: twins)
    assert set(list_trays()) == {"Card tray FF @1-1.0", "Card tray FF @1-1.1"}
    reader = TraysReader(lambda _tag: None, {})
    reader.start(lambda _report: None)
    try:
        until(lambda: sum(tray.health.state == "ok" for tray in reader.boards) == 2)
    finally:
        reader.close()


def test_cards_are_enrolled_at_any_tray(hub):
    table = Namespace(deck=Deck.load_builtin("dtc"))
    heard = []
    reader = tags._start_reader("auto", table, heard.append, Translator("en"))
    try:
        until(lambda: len(reader.boards) == 4 and all(one.health.state == "ok" for one in reader.boards))
        hub.boards[3].put_tags(0, card(1))
        until(lambda: heard == [card(1)])
    finally:
        reader.close()


def test_a_tray_is_known_by_its_serial_number_and_not_by_what_any_pico_says(hub):
    hub.beside = [info("/dev/ttyACM9", 0x2E8A, 0x000A, "E6614C311B7A8B27", "Board in FS mode")]
    assert sorted(list_trays()) == NAMES
    assert find_tray_port(NAMES[3]) == hub.boards[3].port
    assert find_tray_port("Card tray 0") is None
