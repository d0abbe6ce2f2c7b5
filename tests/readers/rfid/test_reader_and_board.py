"""A board reader from its port to its reports: a board that is spelled out at the other end of the
line, and one clock for both. What the real firmware says to it: `test_link.py`."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest
import serial

from companion.readers.rfid import board as module
from companion.readers.rfid import ports
from companion.readers.rfid.board import BoardReader, LinkHealth
from companion.readers.rfid.events import PadHealth, PadState, TagId
from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op, Tune
from companion.rules.messages import Text
from companion.table.identification import Pad
from companion.table.sightings import Health, Press, Sighting
from tests.readers.rfid.test_wire import BOOT, OTHER, TAG, beat, event, framed, hello, read, snapshot

DEVICE = "/dev/ttyUSB7"
NAMES = {TagId(TAG).hex(): "red-1"}.get
UNPLUGGED = serial.SerialException("device reports readiness to read but returned no data")


class Line:
    """The port and the board behind it: it greets, takes up every session and carries out every
    command. What else happens is one step of `evening` each twentieth of a second; the reader ends
    with it."""

    in_waiting = 0

    def __init__(self, reader, evening):
        self.reader, self.evening = reader, evening
        self.now, self.coming, self.number = 100.0, b"", 0
        self.commands, self.opened, self.is_open = [], [], False
        self.port, self.how = None, ()
        self.rests = []
        """How the reader was whenever it waited to open the line again, and for how long."""
        self.fault = None

    def __call__(self, device, baud, **how):
        self.port, self.how = device, (baud, how)
        return self

    def open(self):
        self.opened.append((self.port, *self.how))
        if isinstance(self.fault, OSError):
            fault, self.fault = self.fault, None
            raise fault
        self.is_open = True

    def monotonic(self):
        return self.now

    def wait(self, seconds):
        health = self.reader.health
        self.rests.append((seconds, health.port, health.state, health.problem and health.problem.code))
        self.now += seconds
        return self.reader.is_ending

    def say(self, what, a=0, b=0, tag=b""):
        self.number += 1
        self.coming += event(self.number, what, a, b, tag)

    def reset_input_buffer(self):
        self.coming = b""

    def read(self, size):
        assert size >= 1
        self.now += 0.05
        if next(self.evening, "end") == "end":
            self.reader._ending.set()
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        data, self.coming = self.coming + beat(self.number, 700), b""
        return data

    def write(self, data):
        for name, fields in read(data):
            match name, fields:
                case "ask", _:
                    self.coming += hello()
                case "resume", (session, boot, known, _last):
                    self.coming += framed(struct.pack("<BHIB", 2, session, boot, not known))
                    if not known:
                        self.coming += snapshot(1, (0, TAG))
                        self.number = 6
                case "command", (number, *what):
                    self.commands.append(tuple(what))
                    self.coming += framed(bytes([5, number, 0]))

    def close(self):
        self.is_open = False


@pytest.fixture
def evening(monkeypatch):
    """Play an evening with a reader: `evening(steps)` gives the line, the reader and its
    reports."""

    def play(steps, *, locate=lambda: DEVICE, on_tag=None, **how):
        reader = BoardReader(locate, NAMES, **how)
        reader.on_tag = on_tag
        told = []
        line = Line(reader, None)
        line.evening = steps(line, reader, told)
        monkeypatch.setattr(module, "time", line)
        monkeypatch.setattr(ports.serial, "Serial", line)
        monkeypatch.setattr(reader, "wait", line.wait)
        monkeypatch.setattr("companion.readers.thread.time", line)
        reader.attach(told.append)
        reader.run()
        assert not line.is_open
        return SimpleNamespace(line=line, reader=reader, told=told)

    return play


def pause(steps=40):
    yield from range(steps)


def said(told):
    return [(one.state, one.text.code) for one in told if isinstance(one, Health)]


def test_from_the_greeting_to_a_card_taken_and_a_key(evening):
    def steps(line, reader, told):
        assert reader.health == LinkHealth(DEVICE, "starting")
        yield from pause()
        assert reader.pads == ("pad1", "pad2")
        pads = (PadState(PadHealth.WELL, 0x92, (TagId(TAG),)), PadState(PadHealth.WELL, 0x92))
        assert reader.health == LinkHealth(DEVICE, "ok", reader.health.identity, pads, 700)
        assert reader.health.identity.boot == BOOT
        line.say(1, 1, 0, OTHER)
        for seat, key in ((2, 0x80), (2, 0), (1, 0x81)):
            line.say(3, seat, key)
        line.say(2, 0, 0, TAG)
        line.say(10, 1, 1)
        yield from pause(5)

    pads = {"2.pad1": Pad("seat:3"), "2.pad2": Pad("seat:5", face_down=True), "2.seat2": Pad("seat:5")}
    tags = []
    whole = evening(steps, number=2, pads=pads, on_tag=lambda pad, tag: tags.append((pad, tag)))
    assert whole.reader.name == "rfid 2"
    assert whole.line.opened == [
        (DEVICE, 500_000, {"timeout": 0.01, "write_timeout": 1.0, "exclusive": True})
    ]
    assert said(whole.told) == [("ok", "reader.rfid.ok")]
    assert whole.told[0].text == Text("reader.rfid.ok", {"reader": "rfid 2"}, 2)
    cards = [one for one in whole.told if isinstance(one, Sighting)]
    assert [(one.where, one.design, one.face, one.present, one.track, one.sense) for one in cards] == [
        ("2.pad1", "red-1", "up", True, 1, "tag"),
        ("2.pad2", None, "down", True, 2, "tag"),
        ("2.pad1", None, "up", False, 1, "tag"),
    ]
    keys = [(one.seat, one.button) for one in whole.told if isinstance(one, Press)]
    assert keys == [(5, "accept"), (7, "refuse")], "as the plan has it, or after the first board's seats"
    assert whole.line.commands == [(Op.LIGHT, 1, Light.UNKNOWN)], "a card that nobody knows"
    assert whole.reader.self_tests == {"pad2": 1}
    assert tags == [("pad1", TagId(TAG)), ("pad2", TagId(OTHER))]
    assert whole.reader.health.state == "off"


def test_what_the_table_does_to_the_board_arrives_there(evening):
    def steps(line, reader, told):
        yield from pause()
        reader.set_light("pad2", Light.TURN)
        reader.set_light("nowhere", Light.TURN)
        reader.set_light(None, Light.OFF)
        reader.set_gain("pad1", 6)
        reader.start_self_tests(["pad2", "nowhere"])
        reader.play_tune(Tune.TEST)
        reader.play_time_warning(False)
        reader.play_time_warning(True)
        reader.show_decision([1], True)
        reader.show_decision([1], False)
        reader.show_decision([2], False)
        yield from pause(15)

    assert evening(steps).line.commands == [
        (Op.LIGHT, 1, Light.TURN),
        (Op.LIGHT, WHOLE_BOARD, Light.OFF),
        (Op.GAIN, 0, 6),
        (Op.SELF_TEST, 1, 0),
        (Op.BUZZ, Tune.TEST, 0),
        (Op.BUZZ, Tune.HURRY, 0),
        (Op.BUZZ, Tune.TIME_UP, 0),
        (Op.LIGHT, 0, Light.UNKNOWN),
        (Op.BUZZ, Tune.UNKNOWN, 0),
    ], "the newest of two lights of a pad is enough"


def test_who_is_unplugged_is_missed_once_and_goes_on_where_it_stopped(evening):
    def steps(line, reader, told):
        yield from pause()
        line.fault = UNPLUGGED
        yield from pause()
        assert reader.health.problem is None
        line.say(2, 0, 0, TAG)
        yield from pause(5)

    whole = evening(steps)
    assert said(whole.told) == [
        ("ok", "reader.rfid.ok"),
        ("lost", "reader.rfid.unplugged"),
        ("ok", "reader.rfid.ok"),
    ]
    assert whole.line.rests[0] == (0.25, DEVICE, "lost", "reader.rfid.unplugged")
    cards = [(one.track, one.present) for one in whole.told if isinstance(one, Sighting)]
    assert cards == [(1, True), (1, True), (1, False)], "named again with the line, and then taken"


def test_no_port_is_told_once_and_a_board_that_went_is_not_said_to_be_missing(evening):
    there = [None, None, DEVICE, None, None, DEVICE]

    def steps(line, reader, told):
        assert said(told) == [("lost", "reader.rfid.no_board")]
        yield from pause()
        line.fault = UNPLUGGED
        yield
        yield from pause(8)

    whole = evening(steps, locate=lambda: there.pop(0))
    gone = ("", "lost", "reader.rfid.no_board")
    assert whole.line.rests == [
        (0.25, *gone),
        (0.5, *gone),
        (0.25, DEVICE, "lost", "reader.rfid.unplugged"),
        (0.5, *gone),
        (1.0, *gone),
        (0.25, DEVICE, "ok", None),
    ]
    assert [code for _, code in said(whole.told)] == [
        "reader.rfid.no_board",
        "reader.rfid.ok",
        "reader.rfid.unplugged",
        "reader.rfid.ok",
    ]


def test_what_is_known_of_a_device_that_does_not_answer_is_said_until_it_does(evening, monkeypatch):
    names = [DEVICE, DEVICE, "/dev/ttyUSB8"]

    def steps(line, reader, told):
        answer, line.write = line.write, lambda data: None
        seen = []
        for _ in pause(600):
            seen.append((reader.health.port, reader.health.problem and reader.health.problem.code))
            line.evening_ends = len(names) == 0 and seen[-1][1] is None
            if line.evening_ends:
                break
            yield
        assert list(dict.fromkeys(seen)) == [
            (DEVICE, None),
            (DEVICE, "reader.rfid.no_answer"),
            ("/dev/ttyUSB8", None),
        ]
        line.write = answer
        yield

    whole = evening(steps, locate=lambda: names.pop(0))
    assert [code for _, code in said(whole.told)] == ["reader.rfid.no_answer"]


@pytest.mark.parametrize(("version", "older"), [(0, "board"), (2, "program")])
def test_another_version_is_told_once_and_the_port_let_go(evening, version, older):
    def steps(line, reader, told):
        for _ in pause(60):
            line.coming = hello(major=version)
            yield
        assert reader.health.state == "refused"

    whole = evening(steps)
    assert said(whole.told) == [("lost", f"reader.rfid.other_version.{older}")]
    told = {"port": DEVICE, "board": f"{version}.0", "program": "1.0"}
    assert whole.told[0].text.args == told
    assert len(whole.line.opened) > 5
    assert whole.line.commands == []


def test_a_chip_that_fails_is_told_until_all_are_well(evening):
    def steps(line, reader, told):
        yield from pause()
        for pad, health in ((0, PadHealth.MUTE), (1, PadHealth.ABSENT), (0, PadHealth.WELL), (1, 0)):
            line.say(4, pad, health, b"\xb2")
            yield from pause(3)
        line.say(4, WHOLE_BOARD, PadHealth.MISO_DRIVEN)
        yield from pause(3)

    whole = evening(steps)
    states = [
        (one.state, one.text.code, one.text.args.get("pad")) for one in whole.told if isinstance(one, Health)
    ]
    assert states == [
        ("ok", "reader.rfid.ok", None),
        ("lost", "reader.rfid.pad.mute", "pad1"),
        ("lost", "reader.rfid.pad.absent", "pad2"),
        ("ok", "reader.rfid.ok", None),
        ("lost", "reader.rfid.pad.miso_driven", ""),
    ]
    assert {one.text.args.get("version") for one in whole.told if isinstance(one, Health)} == {
        None,
        "b2",
        "00",
    }


def test_a_fault_of_our_own_is_said_by_its_kind_alone(evening):
    seen = []

    def steps(line, reader, told):
        seen.append(reader)
        yield from pause()
        line.fault = KeyError(TagId(TAG).hex())
        yield

    with pytest.raises(KeyError):
        evening(steps)
    (reader,) = seen
    assert (reader.health.state, reader.health.problem.code) == ("lost", "reader.failed")
    assert reader.health.problem.args == {"reader": "rfid", "what": "KeyError"}
