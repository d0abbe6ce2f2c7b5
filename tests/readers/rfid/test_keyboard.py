"""Readers that type: taken exclusively, read, unplugged, let go."""

from __future__ import annotations

import errno
import os
import queue
import threading
from types import SimpleNamespace

import pytest

from companion.language import LANGUAGES
from companion.readers.rfid.events import ReaderProblem, TagId
from companion.readers.rfid.keyboard import (
    KeyboardDevice,
    KeyboardReader,
    KeyDecoder,
    is_card_reader,
    list_keyboard_readers,
    parse_tag,
)
from companion.table.decks import Deck
from companion.table.identification import Pad
from companion.table.sightings import Health, Sighting
from companion.table.table import Table
from companion.texts import Translator

ROW = dict(zip("1234567890", range(2, 12), strict=True))
LETTERS = {"a": 30, "b": 48, "c": 46, "d": 32, "e": 18, "f": 33}
CODES = ROW | LETTERS | {"\n": 28, "q": 16}
BLOCK = dict(zip("7894561230", (71, 72, 73, 75, 76, 77, 79, 80, 81, 82), strict=True)) | {"\n": 96}
"""Codes of linux/input-event-codes.h: the row, and the block of digits."""


def type_in(
    typing: KeyDecoder, text: str, *, start: float = 0.0, gap: float = 0.01, codes=CODES
) -> list[TagId]:
    found = [typing.add_key(codes[c], start + i * gap) for i, c in enumerate(text)]
    return [tag for tag in found if tag is not None]


@pytest.mark.parametrize(
    ("codes", "typed", "tag"),
    [
        (CODES, "12345678\n", "12345678"),
        (CODES, "90abcdef\n", "90abcdef"),
        (BLOCK, "1234567890\n", "499602d2"),
    ],
)
def test_every_key_is_known_in_the_row_and_in_the_block(codes, typed, tag):
    assert [found.hex() for found in type_in(KeyDecoder(), typed, codes=codes)] == [tag]


@pytest.mark.parametrize(("gap", "found"), [(0.49, ["deadbeef"]), (0.51, [])])
def test_a_key_that_is_no_digit_and_a_long_pause_spoil_an_id(gap, found):
    assert [tag.hex() for tag in type_in(KeyDecoder(), "deadbeef\n", gap=gap)] == found
    assert type_in(KeyDecoder(), "deadqbeef\n") == []
    assert type_in(KeyDecoder(), "deadbeqf\n") == []


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
    assert [found.hex() for found in type_in(KeyDecoder(), typed + "\n")] == [tag]


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "1",
        "4294967296",
        "123456789",
        "01234567890",
        "04a1b2c3d4e5",
        "0000000000000",
        "deadbeeg",
        "123456789a",
    ],
)
def test_what_is_no_tag_is_nothing(typed):
    assert parse_tag(typed) is None


def test_a_pause_begins_a_new_tag_so_that_half_of_one_spoils_nothing():
    typing = KeyDecoder()
    assert type_in(typing, "0412") == []
    assert [t.hex() for t in type_in(typing, "deadbeef\n", start=5.0)] == ["deadbeef"]


def test_a_reader_is_told_by_name_or_ids_from_a_person_s_keyboard():
    assert is_card_reader("Sycreader RFID Technology Co., Ltd SYC ID&IC USB Reader", 0xFFFF, 0x0035)
    for name in ("RFID", "my IC Reader", "an id reader", "Card Reader 2", "Sycreader", "nfc pad"):
        assert is_card_reader(name, 1, 1), name
    for ids in ((0xFFFF, 0x0035), (0x08FF, 0x0009), (0x16C0, 0x27DB), (0x13BA, 0x0018)):
        assert is_card_reader("HID", *ids), ids
    assert not is_card_reader("AT Translated Set 2 keyboard", 1, 1)


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
        # Pressed, repeated by being held, let go; and what is no key.
        told = [(1, 1), (1, 2), (1, 2), (1, 0), (4, 1)]
        return [SimpleNamespace(type=t, value=v, code=c) for c in keys for t, v in told]

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.has_closed.set()
            os.close(self.fd)
            os.close(self._write)


ANNS, BENS = "Sycreader, usb-1/input0", "Sycreader, usb-2/input0"
"""Two readers of one make: what tells them apart is the USB socket."""


class Sockets:
    """What is plugged in where."""

    def __init__(self, **devices):
        self.devices = {ANNS: devices.get("ann"), BENS: devices.get("ben")}
        self.reports, self.looks, self.cards = [], queue.Queue(), queue.Queue()

    def plugged(self):
        self.looks.put(None)
        return [KeyboardDevice(name, name) for name, device in self.devices.items() if device is not None]

    def open(self, name):
        device = self.devices[name]
        if device is None or device.gone:
            raise OSError(errno.ENODEV, "gone")
        return device

    def keyboards(self):
        return {"devices": self.plugged, "open_device": self.open}

    def reader(self):
        reader = KeyboardReader({}.get, {}, **self.keyboards())
        reader.pads.on_tag = lambda device, tag: self.cards.put((device, tag.hex()))
        reader.start(self.reports.append)
        return reader

    @property
    def said(self):
        """What was told of the devices."""
        told = [one.text for one in self.reports if isinstance(one, Health)]
        return [(text.args["device"], text.code) for text in told if "device" in text.args]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.keyboard._POLL_INTERVAL", 0.01)


def test_a_reader_is_taken_exclusively_and_let_go_in_the_end():
    device = FakeDevice("/dev/input/event9")
    sockets = Sockets(ann=device)
    reader = sockets.reader()
    device.type("04a1b2c3d4e5f6\n")
    assert sockets.cards.get(timeout=10) == (ANNS, "04a1b2c3d4e5f6")
    assert device.grabbed
    reader.close()
    assert not device.grabbed
    assert device.closed


def test_unplugged_and_plugged_in_again():
    first, second = FakeDevice("/dev/input/event9"), FakeDevice("/dev/input/event11")
    sockets = Sockets(ann=first)
    reader = sockets.reader()
    first.type("deadbeef\n")
    sockets.cards.get(timeout=10)
    sockets.devices[ANNS] = second
    first.unplug()
    second.type("cafebabe\n")
    assert sockets.cards.get(timeout=10) == (ANNS, "cafebabe"), "whatever the kernel calls it"
    reader.close()
    assert first.closed
    assert sockets.said == [
        (ANNS, "reader.pad.unplaced"),
        (ANNS, "reader.pad.unplugged"),
        (ANNS, "reader.pad.unplaced"),
    ]


def test_a_device_that_another_program_holds_is_not_read_and_is_told_once():
    device = FakeDevice("/dev/input/event9", grabbed_by_other=True)
    sockets = Sockets(ann=device)
    reader = sockets.reader()
    for _ in range(4):
        sockets.looks.get(timeout=10)
    reader.close()
    assert sockets.cards.empty()
    assert sockets.said == [(ANNS, "reader.typed.busy")]


def test_the_kernel_names_readers_to_everybody(tmp_path):
    for number, (name, vendor, product, phys) in enumerate(
        [
            (
                "Sycreader RFID Technology Co., Ltd SYC ID&IC USB Reader",
                "ffff",
                "0035",
                "usb-0000:00:14.0-2/input0",
            ),
            ("AT Translated Set 2 keyboard", "0001", "0001", "isa0060/serio0/input0"),
            ("HID \xe9", "13ba", "0018", ""),
        ]
    ):
        ids = tmp_path / f"event{number}" / "device" / "id"
        ids.mkdir(parents=True)
        (ids / "vendor").write_text(vendor + "\n")
        (ids / "product").write_text(product + "\n")
        (ids.parent / "name").write_bytes(name.encode("latin-1") + b"\n")
        (ids.parent / "phys").write_text(phys + "\n")
    assert list_keyboard_readers(tmp_path) == [
        KeyboardDevice(
            "Sycreader RFID Technology Co., Ltd SYC ID&IC USB Reader, usb-0000:00:14.0-2/input0",
            "/dev/input/event0",
        ),
        KeyboardDevice("HID \ufffd, /dev/input/event2", "/dev/input/event2"),
    ]


# ---- as readers of the table ----


def told_by(sockets, plan, enough):
    """Let the readers of the table run until `enough` reports of them have come."""
    told = queue.Queue()
    reader = KeyboardReader({"deadbeef": "load:red:7"}.get, plan, **sockets.keyboards())
    for device in sockets.devices.values():
        if device is not None:
            device.type("deadbeef\n")  # it waits in the device until somebody reads
    reader.start(told.put)
    found = [told.get(timeout=10) for _ in range(enough)]
    reader.close()
    return found


def test_each_device_is_a_pad_of_its_own_and_a_card_shown_counts_as_a_tap():
    plan = {ANNS: Pad("seat:1"), BENS: Pad("seat:2")}
    found = told_by(Sockets(ann=FakeDevice("a"), ben=FakeDevice("b")), plan, 7)
    sightings = [one for one in found if isinstance(one, Sighting)]
    assert [(one.where, one.design, one.present) for one in sightings] == [
        ("seat:1", "load:red:7", True),
        ("seat:1", None, False),
        ("seat:2", "load:red:7", True),
        ("seat:2", None, False),
    ]
    table = Table(Deck.load_builtin("donkey_valley"), {"red": 1}, {})
    for one in sightings[:2]:
        table.add_report(one)
    table.update(sightings[0].at + 5)
    assert [claim.what for claim in table.list_claims(sightings[0].at + 5)] == ["load:red:7"], (
        "it stays a claim"
    )


def test_nothing_is_well_before_a_device_is_held():
    (health,) = told_by(Sockets(), {}, 1)
    assert (health.state, health.text.code) == ("lost", "reader.typed.none")
    busy, none = told_by(Sockets(ann=FakeDevice("a", grabbed_by_other=True)), {}, 2)
    assert (busy.state, busy.text.code) == ("lost", "reader.typed.busy")
    assert (none.state, none.text.code) == ("lost", "reader.typed.none")
    unplaced, well = list(told_by(Sockets(ann=FakeDevice("a")), {}, 2))
    assert (unplaced.state, unplaced.text.code) == ("ok", "reader.pad.unplaced")
    assert (well.state, well.text.code, well.text.args["count"]) == ("ok", "reader.typed.ok", 1)


@pytest.mark.parametrize(("system", "named"), [("darwin", "macOS"), ("win32", "Windows")])
def test_where_a_keyboard_cannot_be_had_to_oneself_that_is_said_at_once(monkeypatch, system, named):
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.system", {"darwin": "Darwin", "win32": "Windows"}[system].__str__)
    with pytest.raises(ReaderProblem) as caught:
        KeyboardReader({}.get, {})
    for language in LANGUAGES:
        assert named in Translator(language).translate(caught.value.text)


def test_without_evdev_what_to_install_is_said(monkeypatch):
    monkeypatch.setattr("companion.readers.rfid.keyboard.find_spec", lambda _name: None)
    with pytest.raises(ReaderProblem) as caught:
        KeyboardReader({}.get, {})
    assert "[typed]" in Translator("en").translate(caught.value.text)


class Forbidden(FakeDevice):
    """A device that the user may not open."""

    def grab(self) -> None:
        raise PermissionError(errno.EACCES, "denied")


def test_what_is_wrong_with_a_device_is_told_once_and_again_when_it_has_changed():
    sockets = Sockets()
    reader = KeyboardReader({}.get, {}, **sockets.keyboards())
    reader.attach(sockets.reports.append)

    def poll(*devices):
        sockets.devices = dict(zip((ANNS, BENS), devices, strict=True))
        sockets.reports.clear()
        reader._poll_devices()
        return sockets.said

    def busy():
        return FakeDevice("a", grabbed_by_other=True)

    assert poll(busy(), Forbidden("b")) == [(ANNS, "reader.typed.busy"), (BENS, "reader.typed.forbidden")]
    assert poll(busy(), Forbidden("b")) == []
    assert poll(Forbidden("a"), Forbidden("b")) == [(ANNS, "reader.typed.forbidden")]
    assert poll(None, Forbidden("b")) == []
    assert poll(Forbidden("a"), Forbidden("b")) == [(ANNS, "reader.typed.forbidden")], "plugged in again"
    free = FakeDevice("a")
    assert poll(free, Forbidden("b")) == [(ANNS, "reader.pad.unplaced")]
    assert reader.held_devices == (ANNS,)
    free.unplug()
    reader._read_keys(free.fd)
    assert sockets.said[-1] == (ANNS, "reader.pad.unplugged")
    assert poll(busy(), None) == [(ANNS, "reader.typed.busy")]
    health = sockets.reports[-1]
    assert (health.state, health.text.code) == ("lost", "reader.typed.none")


def test_a_device_that_says_little_is_known_by_its_file(tmp_path):
    for number, name in enumerate(("nfc", "")):
        (tmp_path / f"event{number}" / "device").mkdir(parents=True)
        (tmp_path / f"event{number}" / "device" / "name").write_text(name)
    assert list_keyboard_readers(tmp_path) == [KeyboardDevice("nfc, /dev/input/event0", "/dev/input/event0")]
