"""Which port is the reader, and which is it after it was plugged in again."""

from __future__ import annotations

from types import SimpleNamespace

from companion.readers.rfid import ports


def info(device, vid=None, pid=None, serial=None, name="thing"):
    return SimpleNamespace(device=device, vid=vid, pid=pid, serial_number=serial, description=name)


MEGA = info("/dev/ttyACM0", 0x2341, 0x0042, "95737323", "Arduino Mega")
NANO = info("/dev/ttyUSB0", 0x1A86, 0x7523, None, "USB Serial")
PLAIN = info("/dev/ttyS0")


def test_boards_that_say_who_they_are_come_first_then_likely_chips():
    found = ports.ports([PLAIN, NANO, MEGA])
    assert [(p.device, p.likely) for p in found] == [
        ("/dev/ttyACM0", "board"),
        ("/dev/ttyUSB0", "bridge"),
        ("/dev/ttyS0", "other"),
    ]


def plug(monkeypatch, *there):
    monkeypatch.setattr(ports.list_ports, "comports", lambda: list(there))


def test_a_board_is_found_again_under_its_new_name(monkeypatch):
    follow = ports.Follow()
    plug(monkeypatch)
    assert follow() is None
    plug(monkeypatch, PLAIN, MEGA)
    assert follow() == "/dev/ttyACM0"
    plug(monkeypatch, PLAIN)
    assert follow() is None
    plug(monkeypatch, PLAIN, NANO, info("/dev/ttyACM3", 0x2341, 0x0042, "95737323"))
    assert follow() == "/dev/ttyACM3", "the same serial number, not the other board"


def test_two_readers_take_two_boards(monkeypatch):
    taken: set[str] = set()
    first, second = ports.Follow(taken=taken), ports.Follow(taken=taken)
    plug(monkeypatch, MEGA, NANO)
    assert first() == "/dev/ttyACM0"
    assert second() == "/dev/ttyUSB0"
    assert (first(), second()) == ("/dev/ttyACM0", "/dev/ttyUSB0"), "each keeps its own"


def test_a_named_port_is_waited_for_and_no_other_is_taken(monkeypatch):
    follow = ports.Follow("/dev/ttyUSB0")
    plug(monkeypatch, MEGA)
    assert follow() is None
    plug(monkeypatch, MEGA, NANO)
    assert follow() == "/dev/ttyUSB0"
