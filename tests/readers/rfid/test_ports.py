"""Which port is the reader, and which is it after it was plugged in again."""

from __future__ import annotations

import errno
import os
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from companion.readers.rfid import ports


def info(device, vid=None, pid=None, serial=None, name="thing"):
    return SimpleNamespace(device=device, vid=vid, pid=pid, serial_number=serial, description=name)


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


def test_a_board_is_found_again_under_its_new_name(monkeypatch):
    follow = ports.BoardLocator()
    plug(monkeypatch)
    assert follow() is None
    plug(monkeypatch, PLAIN, MEGA)
    assert follow() == "/dev/ttyACM0"
    plug(monkeypatch, PLAIN)
    assert follow() is None
    again = info("/dev/ttyACM3", 0x2341, 0x0042, "95737323")
    twin = info("/dev/ttyACM0", 0x2341, 0x0042, "11111111")
    plug(monkeypatch, PLAIN, NANO, twin, again)
    assert follow() == "/dev/ttyACM3", "the same serial number, not the other boards"
    plug(monkeypatch, PLAIN, NANO, info("/dev/ttyACM1", 0x2341, 0x0042, "95737323"), again)
    assert follow() == "/dev/ttyACM3", "of two that are the same, the one of that name"
    plug(monkeypatch, PLAIN, NANO, info("/dev/ttyACM5", 0x2A03, 0x0042, "95737323"))
    assert follow() is None, "another kind, though its number is the same"
    plug(monkeypatch, PLAIN)
    assert ports.BoardLocator()() is None, "what is surely no board is not tried"


def test_two_readers_take_two_boards(monkeypatch):
    taken: set[str] = set()
    first, second = ports.BoardLocator(taken=taken), ports.BoardLocator(taken=taken)
    plug(monkeypatch, MEGA, NANO)
    assert first() == "/dev/ttyACM0"
    assert second() == "/dev/ttyUSB0"
    assert (first(), second()) == ("/dev/ttyACM0", "/dev/ttyUSB0"), "each keeps its own"
    assert taken == {"/dev/ttyACM0", "/dev/ttyUSB0"}
    plug(monkeypatch, MEGA)
    assert second() is None, "and takes no other's"


def test_a_named_port_is_waited_for_and_no_other_is_taken(monkeypatch):
    follow = ports.BoardLocator("/dev/ttyUSB0")
    plug(monkeypatch)
    assert follow() == "/dev/ttyUSB0", "where nothing can be listed, the name is tried"
    plug(monkeypatch, MEGA)
    assert follow() is None
    plug(monkeypatch, MEGA, NANO)
    assert follow() == "/dev/ttyUSB0"
