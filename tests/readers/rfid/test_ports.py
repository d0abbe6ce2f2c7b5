"""Which port is the reader, and which is it after it was plugged in again."""

from __future__ import annotations

import errno
import os
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from companion.readers.rfid import board, ports


def info(device, vid=None, pid=None, serial=None, name="thing", location=None):
    return SimpleNamespace(
        device=device, vid=vid, pid=pid, serial_number=serial, description=name, location=location
    )


MEGA = info("/dev/ttyACM0", 0x2341, 0x0042, "95737323", "Arduino Mega")
NANO = info("/dev/ttyUSB0", 0x1A86, 0x7523, None, "USB Serial")
PLAIN = info("/dev/ttyS0")


def test_the_known_ids_are_those_of_the_boards_in_the_pin_map():
    pins = tomllib.loads((Path(__file__).parents[3] / "firmware" / "pins.toml").read_text())
    named = {usb for board in pins["board"] for usb in board.get("usb", ())}
    assert named == (ports.BOARD_IDS | ports.BRIDGE_IDS | ports.TRAY_IDS) - ports.MEGA_IDS
    assert {usb[:4] for usb in ports.BOARD_IDS} == {"2341", "2a03"}, "Arduino's own"


def test_boards_that_say_who_they_are_come_first_then_likely_chips():
    other = info("/dev/ttyACM1", 0x2341, 0x0042, name=None)
    assert ports.list_serial_ports([PLAIN, NANO, other, MEGA]) == [
        ports.Port("/dev/ttyACM0", "Arduino Mega", "2341:0042", "95737323", "board"),
        ports.Port("/dev/ttyACM1", "", "2341:0042", "", "board"),
        ports.Port("/dev/ttyUSB0", "USB Serial", "1a86:7523", "", "bridge"),
        ports.Port("/dev/ttyS0", "thing", "", "", "other"),
    ]


@pytest.mark.parametrize(
    ("fault", "port", "code"),
    [
        (OSError(errno.EACCES, "denied"), os.devnull, "no_permission"),
        (OSError(errno.EPERM, "denied"), os.devnull, "no_permission"),
        (OSError(errno.EBUSY, "busy"), os.devnull, "busy"),
        (OSError(errno.EAGAIN, "again"), os.devnull, "busy"),
        (serial.SerialException("Could not exclusively lock port"), os.devnull, "busy"),
        (OSError(errno.ENOTTY, "no terminal"), os.devnull, "not_a_port"),
        (ValueError("no number"), "/dev/no-such-port", "no_port"),
    ],
)
def test_why_a_port_does_not_open(fault, port, code):
    assert (
        ports.explain_port_error(fault, port).text
        == ports.ReaderProblem(f"reader.rfid.{code}", port=port).text
    )


def plug(monkeypatch, *there):
    monkeypatch.setattr(ports.list_ports, "comports", lambda: list(there))


def ch340(device, socket):
    """A Nano, a 3D printer, or anything else: nothing tells them apart."""
    return info(device, 0x1A86, 0x7523, None, "USB Serial", socket)


def test_a_board_is_found_again_under_its_new_name(monkeypatch):
    find = ports.BoardLocator()
    plug(monkeypatch)
    assert find() is None
    plug(monkeypatch, PLAIN, MEGA)
    assert find() == "/dev/ttyACM0"
    plug(monkeypatch, PLAIN)
    assert find() is None
    again = info("/dev/ttyACM3", 0x2341, 0x0042, "95737323")
    twin = info("/dev/ttyACM0", 0x2341, 0x0042, "11111111")
    plug(monkeypatch, PLAIN, NANO, twin, again)
    assert find() == "/dev/ttyACM3", "the same serial number, not the other boards"
    plug(monkeypatch, PLAIN, NANO, info("/dev/ttyACM5", 0x2A03, 0x0042, "95737323"))
    assert find() is None, "another kind, though its number is the same"
    plug(monkeypatch, PLAIN)
    assert ports.BoardLocator()() is None, "what is surely no board is not tried"


def test_two_readers_take_two_boards(monkeypatch):
    claims = ports.PortClaims()
    first, second = ports.BoardLocator(claims=claims), ports.BoardLocator(claims=claims)
    plug(monkeypatch, MEGA, NANO)
    assert first() == "/dev/ttyACM0"
    assert second() == "/dev/ttyUSB0"
    assert (first(), second()) == ("/dev/ttyACM0", "/dev/ttyUSB0"), "each keeps its own"
    plug(monkeypatch, MEGA)
    assert second() is None, "and takes no other's"


def test_each_candidate_is_asked_once_and_a_printer_is_left_alone_for_good(monkeypatch):
    found = []
    claims = ports.PortClaims(remember=found.append)
    find = ports.BoardLocator(claims=claims)
    printer, nano = ch340("/dev/ttyUSB0", "1-1"), ch340("/dev/ttyUSB1", "1-2")
    plug(monkeypatch, printer, nano)
    assert find() == "/dev/ttyUSB0"
    assert find.is_asking, "quietly"
    find.reject_port(is_foreign=True)
    assert find() == "/dev/ttyUSB1"
    find.confirm_port()
    assert not find.is_asking
    assert found == ["1a86:7523 @1-2"]
    plug(monkeypatch, printer)
    assert [find() for _ in range(5)] == [None] * 5, "an unplugged reader is not looked for in a printer"
    plug(monkeypatch, printer, ch340("/dev/ttyUSB1", "1-2"))
    assert find() == "/dev/ttyUSB1"

    tomorrow = ports.BoardLocator(claims=ports.PortClaims(found))
    assert tomorrow() == "/dev/ttyUSB1", "the printer is not asked again"

    alone = ports.BoardLocator(claims=claims)
    plug(monkeypatch, printer)
    with pytest.raises(ports.ReaderProblem, match="none_ours"):
        alone()


def test_a_port_that_is_busy_is_tried_again_after_the_others(monkeypatch):
    find = ports.BoardLocator()
    plug(monkeypatch, ch340("/dev/ttyUSB0", "1-1"), ch340("/dev/ttyUSB1", "1-2"))
    tried = []
    for _ in range(4):
        tried.append(find())
        find.reject_port(is_foreign=False)
    assert tried == ["/dev/ttyUSB0", "/dev/ttyUSB1"] * 2


def test_boards_without_numbers_are_known_by_their_sockets_and_do_not_change_places(monkeypatch):
    claims = ports.PortClaims()
    first, second = ports.BoardLocator(claims=claims), ports.BoardLocator(claims=claims)
    plug(monkeypatch, ch340("/dev/ttyUSB0", "1-1.1"), ch340("/dev/ttyUSB1", "1-1.2"))
    assert (first(), second()) == ("/dev/ttyUSB0", "/dev/ttyUSB1")
    first.confirm_port(), second.confirm_port()
    plug(monkeypatch)
    assert (first(), second()) == (None, None)
    plug(monkeypatch, ch340("/dev/ttyUSB0", "1-1.2"), ch340("/dev/ttyUSB1", "1-1.1"))
    assert (first(), second()) == ("/dev/ttyUSB1", "/dev/ttyUSB0")


def test_a_board_in_another_socket_is_found_if_it_can_be_no_other(monkeypatch):
    claims = ports.PortClaims()
    printer = ch340("/dev/ttyUSB0", "1-1")
    first, second = ports.BoardLocator("/dev/ttyUSB1", claims), ports.BoardLocator("/dev/ttyUSB2", claims)
    plug(monkeypatch, printer, ch340("/dev/ttyUSB1", "1-2"), ch340("/dev/ttyUSB2", "1-3"))
    assert (first(), second()) == ("/dev/ttyUSB1", "/dev/ttyUSB2")
    plug(monkeypatch, printer, ch340("/dev/ttyUSB1", "1-4"), ch340("/dev/ttyUSB2", "1-3"))
    assert (first(), second()) == ("/dev/ttyUSB1", "/dev/ttyUSB2"), "not the printer, which was there before"
    plug(monkeypatch, printer)
    assert (first(), second()) == (None, None)
    plug(monkeypatch, printer, ch340("/dev/ttyUSB1", "1-5"))
    for find in (first, second):
        with pytest.raises(ports.ReaderProblem, match="uncertain"):
            find()
    plug(monkeypatch, printer, ch340("/dev/ttyUSB1", "1-3"), ch340("/dev/ttyUSB2", "1-4"))
    assert (second(), first()) == ("/dev/ttyUSB1", "/dev/ttyUSB2"), "back in their sockets"


def test_a_number_that_two_devices_have_is_no_name(monkeypatch):
    monkeypatch.setattr(ports, "_shared_numbers", set())
    first, second = (info(f"/dev/ttyACM{n}", 0x2E8A, 0x000A, "TRAYFF", "Card tray", f"1-{n}") for n in (1, 2))
    assert [ports.format_tray_name(one) for one in ports.list_serial_ports([first])] == ["Card tray FF"]
    names = ["Card tray FF @1-1", "Card tray FF @1-2"]
    assert [ports.format_tray_name(one) for one in ports.list_serial_ports([first, second])] == names
    assert [ports.format_tray_name(one) for one in ports.list_serial_ports([second])] == names[1:], (
        "from then on"
    )


def test_a_named_port_is_waited_for_and_no_other_is_taken(monkeypatch):
    find = ports.BoardLocator("/dev/ttyUSB0")
    plug(monkeypatch)
    assert find() == "/dev/ttyUSB0", "where nothing can be listed, the name is tried"
    plug(monkeypatch, MEGA)
    assert find() == "/dev/ttyUSB0", "a pseudo-terminal is in no list"
    plug(monkeypatch, MEGA, NANO)
    assert find() == "/dev/ttyUSB0"
    find.reject_port(is_foreign=True)
    assert find() == "/dev/ttyUSB0", "a person named it"
    plug(monkeypatch, info("/dev/ttyUSB0", 0x0403, 0x6001, "A1", "GPS"))
    assert find() is None, "its name is another device's now"


def test_a_link_to_a_port_stands_for_its_device(monkeypatch, tmp_path):
    link = tmp_path / "usb-Arduino-port0"
    link.symlink_to(os.devnull)
    find = ports.BoardLocator(str(link))
    plug(monkeypatch, info(os.devnull, 0x1A86, 0x7523, None, "USB Serial", "1-1"))
    assert find() == os.devnull
    plug(monkeypatch, info("/dev/ttyUSB7", 0x1A86, 0x7523, None, "USB Serial", "1-1"))
    assert find() == "/dev/ttyUSB7"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc and /sys")
def test_brltty_and_modem_manager_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(ports, "PROCESSES", tmp_path / "proc")
    monkeypatch.setattr(ports, "USB_DEVICES", tmp_path / "usb")

    def run_program(name):
        folder = tmp_path / "proc" / str(100 + len(name))
        folder.mkdir(parents=True)
        (folder / "comm").write_text(f"{name}\n")

    busy = OSError(errno.EBUSY, "busy")
    assert ports.explain_port_error(busy, os.devnull).text.code == "reader.rfid.busy"
    run_program("ModemManager")
    assert ports.explain_port_error(busy, os.devnull).text.code == "reader.rfid.busy_modem"
    chip = tmp_path / "usb" / "1-1"
    chip.mkdir(parents=True)
    (chip / "idVendor").write_text("1a86\n")
    (chip / "idProduct").write_text("7523\n")
    assert ports.explain_missing_board().text.code == "reader.rfid.no_board"
    run_program("brltty")
    assert ports.explain_missing_board().text.code == "reader.rfid.brltty"
    (chip / "1-1:1.0" / "ttyUSB0").mkdir(parents=True)
    assert ports.explain_missing_board().text.code == "reader.rfid.no_board", "it has a port"


def test_trays_are_found_by_their_names_and_boards_are_none(monkeypatch):
    found = [
        ports.Port("/dev/ttyACM3", "tray", "2e8a:000a", "tray-0007", "tray"),
        ports.Port("/dev/ttyACM4", "tray", "2e8a:000a", "tray-0007", "tray", "1-1.2", is_unique=False),
        ports.Port("/dev/ttyACM0", "Arduino Mega", "2341:0042", "95737323", "board"),
        ports.Port("/dev/ttyUSB0", "USB Serial", "1a86:7523", "", "bridge"),
    ]
    monkeypatch.setattr(ports, "list_serial_ports", lambda: found)
    names = [ports.format_tray_name(one) for one in found[:2]]
    assert board.find_trays() == dict(zip(names, ("/dev/ttyACM3", "/dev/ttyACM4"), strict=True))
    assert board.list_trays() == names
    assert [board.find_tray_port(one) for one in (*names, "Card tray 9")] == [
        "/dev/ttyACM3",
        "/dev/ttyACM4",
        None,
    ]


KINDS = {
    "2341:0042 2341:0010 2a03:0042 2a03:0010 2341:0043 2341:0001 2a03:0043": "board",
    "1a86:7523 0403:6001 10c4:ea60": "bridge",
    "2e8a:000a 2341:0099 046d:c31c": "other",
}


@pytest.mark.parametrize(("ids", "kind"), KINDS.items(), ids=KINDS.values())
def test_what_a_port_is_likely_to_be_is_told_by_its_usb_ids(ids, kind):
    for usb in ids.split():
        vid, pid = (int(word, 16) for word in usb.split(":"))
        (port,) = ports.list_serial_ports([info("/dev/ttyX", vid, pid, "E661")])
        assert (port.usb, port.likely) == (usb, kind)
    (tray,) = ports.list_serial_ports([info("/dev/ttyX", 0x2E8A, 0x000A, "TRAYE661")])
    assert (tray.likely, ports.format_tray_name(tray)) == ("tray", "Card tray E661")


def test_a_board_is_remembered_once():
    remembered = []
    claims = ports.PortClaims(known=["a"], remember=remembered.append)
    for identity in ("a", "b", "b"):
        claims.add_known(identity)
    assert (remembered, claims.known) == (["b"], {"a", "b"})


def test_a_board_that_answered_is_not_rejected_by_a_cable(monkeypatch):
    claims = ports.PortClaims()
    find = ports.BoardLocator(claims=claims)
    find.reject_port(is_foreign=True)
    assert claims.foreign == set()
    plug(monkeypatch, MEGA)
    find()
    find.confirm_port()
    find.reject_port(is_foreign=True)
    assert (claims.foreign, claims.held) == (set(), {MEGA.device})


def test_of_two_that_came_at_once_nobody_knows_which_it_was(monkeypatch):
    find = ports.BoardLocator()
    plug(monkeypatch, ch340("/dev/ttyUSB0", "1-1"))
    find()
    find.confirm_port()
    plug(monkeypatch, ch340("/dev/ttyUSB1", "1-2"), ch340("/dev/ttyUSB2", "1-3"))
    with pytest.raises(ports.ReaderProblem) as caught:
        find()
    assert caught.value.text.code == "reader.rfid.uncertain"
    plug(monkeypatch, ch340("/dev/ttyUSB1", "1-2"))
    assert find() == "/dev/ttyUSB1"


def test_the_running_programs_are_those_that_the_system_lists():
    assert Path(f"/proc/{os.getpid()}/comm").read_text().strip() in ports.list_running_programs()


def test_a_program_whose_name_is_no_text_is_listed_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(ports, "PROCESSES", tmp_path)
    for number, name in (("12", b"caf\xe9\n"), ("self", b"nobody\n")):
        (tmp_path / number).mkdir()
        (tmp_path / number / "comm").write_bytes(name)
    assert ports.list_running_programs() == {"caf\ufffd"}
