"""Readers that type: taken exclusively, read, unplugged, let go."""

from __future__ import annotations

import errno
import os
import queue
import threading
from types import SimpleNamespace

import pytest

from companion.readers.rfid.events import TagId
from companion.readers.rfid.keyboard import KeyboardReader, Typing, is_reader, tag_of

CODES = {
    **{str((i + 1) % 10): 2 + i for i in range(10)},
    "a": 30,
    "b": 48,
    "c": 46,
    "d": 32,
    "e": 18,
    "f": 33,
    "\n": 28,
}


def type_in(typing: Typing, text: str, *, start: float = 0.0, gap: float = 0.01) -> list[TagId]:
    found = [typing.key(CODES[c], start + i * gap) for i, c in enumerate(text)]
    return [tag for tag in found if tag is not None]


@pytest.mark.parametrize(
    ("typed", "tag"),
    [
        ("04a1b2c3d4e5f6", "04a1b2c3d4e5f6"),
        ("deadbeef", "deadbeef"),
        ("0012345678", "00bc614e"),
        ("4294967295", "ffffffff"),
    ],
)
def test_what_is_typed_is_a_tag(typed, tag):
    assert [found.hex() for found in type_in(Typing(), typed + "\n")] == [tag]


@pytest.mark.parametrize(
    "typed", ["", "1", "4294967296", "123456789", "04a1b2c3d4e5", "00000000000000000000"]
)
def test_what_is_no_tag_is_nothing(typed):
    assert tag_of(typed) is None


def test_a_pause_begins_a_new_tag_so_that_half_of_one_spoils_nothing():
    typing = Typing()
    assert type_in(typing, "0412") == []
    assert [t.hex() for t in type_in(typing, "deadbeef\n", start=5.0)] == ["deadbeef"]


def test_a_reader_is_told_by_name_or_ids_from_a_person_s_keyboard():
    assert is_reader("Sycreader RFID Technology Co., Ltd SYC ID&IC USB Reader", 0xFFFF, 0x0035)
    assert is_reader("HID 13ba:0018", 0x13BA, 0x0018)
    assert not is_reader("AT Translated Set 2 keyboard", 1, 1)


class FakeDevice:
    """What evdev offers of a device, over a pipe."""

    def __init__(self, path: str, grabbed_by_other: bool = False) -> None:
        self.path, self.grabbed, self.gone, self.closed = path, False, False, False
        self.other = grabbed_by_other
        self.has_closed = threading.Event()
        self.fd, self._write = os.pipe()
        self.keys: list[int] = []

    def grab(self) -> None:
        if self.other:
            raise OSError(errno.EBUSY, "busy")
        self.grabbed = True

    def ungrab(self) -> None:
        self.grabbed = False

    def type(self, text: str) -> None:
        self.keys += [CODES[c] for c in text]
        os.write(self._write, b"x")

    def unplug(self) -> None:
        self.gone = True
        os.write(self._write, b"x")

    def read(self):
        os.read(self.fd, 1)
        if self.gone:
            raise OSError(errno.ENODEV, "gone")
        keys, self.keys = self.keys, []
        return [SimpleNamespace(type=1, value=v, code=c) for c in keys for v in (1, 0)]

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.has_closed.set()
            os.close(self.fd)
            os.close(self._write)


def test_a_reader_is_taken_exclusively_and_let_go_in_the_end():
    device, cards = FakeDevice("/dev/input/event9"), queue.Queue()
    reader = KeyboardReader(cards.put, lambda: iter([device]) if not device.grabbed else iter(()))
    reader.start()
    device.type("04a1b2c3d4e5f6\n")
    card = cards.get(timeout=10)
    assert (card.device, card.tag.hex()) == ("/dev/input/event9", "04a1b2c3d4e5f6")
    assert device.grabbed
    reader.close()
    assert not device.grabbed
    assert device.closed


def test_unplugged_and_plugged_in_again(monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.keyboard._RETRY", 0.01)
    first, second, cards = FakeDevice("/dev/input/event9"), FakeDevice("/dev/input/event9"), queue.Queue()
    there = [first]
    reader = KeyboardReader(cards.put, lambda: iter([d for d in there if not d.grabbed]))
    reader.start()
    first.type("deadbeef\n")
    cards.get(timeout=10)
    there[:] = [second]
    first.unplug()
    second.type("cafebabe\n")
    assert cards.get(timeout=10).tag.hex() == "cafebabe"
    reader.close()
    assert first.closed


def test_a_device_that_another_program_holds_is_not_read():
    device, cards = FakeDevice("/dev/input/event9", grabbed_by_other=True), queue.Queue()
    reader = KeyboardReader(cards.put, lambda: iter([device]) if not device.closed else iter(()))
    reader.start()
    device.has_closed.wait(10)
    reader.close()
    assert reader.held == ()
    assert cards.empty()
