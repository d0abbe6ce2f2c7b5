"""The program's side of firmware/PROTOCOL.md against a board that is spelled out here: every wait
at its edge, and conversations over a line that loses, repeats and breaks."""

from __future__ import annotations

import binascii
import random
import re
import struct
from pathlib import Path

import pytest
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st

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
    Refused,
    SelfTestResult,
    SnapshotStarted,
    TagId,
)
from companion.readers.rfid.frames import WHOLE_BOARD, Light, Op, Tune
from companion.readers.rfid.wire import BoardConnection, LinkState

BOOT = 0xCAFE1234
TAG, OTHER = b"\x04\xa2\xb3\xc4", b"\x04\x01\x02\x03\x04\x05\x06"
FRESH, OVERFLOW, ASKED = 1, 2, 3
WELL = bytes([0, 0x92])


def framed(body):
    return cobs.encode(body + binascii.crc_hqx(body, 0xFFFF).to_bytes(2, "little")) + b"\0"


def hello(boot=BOOT, major=1, pads=(WELL, WELL)):
    head = struct.pack("<BBB3sIBBHBBBB", 1, major, 0, b"\1\2\3", boot, 1, 1, 31, 2, 4, 64, len(pads))
    return framed(head + b"".join(pads))


def event(number, what, a=0, b=0, tag=b""):
    return framed(struct.pack("<BHIBBBB", 3, number, 1000 + number, what, a, b, len(tag)) + tag)


def beat(newest=0, sweep=700):
    return framed(struct.pack("<BIHH", 4, 5000, newest, sweep))


def snapshot(first, *tags, reason=FRESH, lost=0, accept=0, refuse=0, health=0):
    """The frames of a snapshot whose events are numbered from `first`: (pad, tag) lie there."""
    told = [(5, reason, 0, b""), (6, accept, refuse, b"")]
    for pad in range(2):
        told += [(7, pad, 0, b"\x92"), *((8, pad, 0, tag) for on, tag in tags if on == pad)]
    told.append((9, WHOLE_BOARD, health, bytes([lost])))
    return b"".join(event((first + at) & 0xFFFF, *one) for at, one in enumerate(told))


def read(data):
    """What the program wrote, as (name, fields)."""
    kinds = {
        0x41: ("ask", "<BB"),
        0x42: ("resume", "<HIBH"),
        0x43: ("ack", "<HH"),
        0x44: ("command", "<BBBB"),
    }
    bodies = [cobs.decode(piece)[:-2] for piece in data.split(b"\0") if piece]
    return [(kinds[body[0]][0], struct.unpack(kinds[body[0]][1], body[1:])) for body in bodies]


def heard(at=100.0, **more):
    """A wire whose port was opened at `at`, and that has heard the board's greeting since."""
    wire = BoardConnection(random.Random(1))
    wire.on_port_opened(at)
    assert wire.receive_bytes(hello(**more), at + 0.2) == []
    return wire


def open_wire(*tags, at=100.0):
    """A wire in conversation since `at` + 0.3, that knows what lies there: usually one tag, and its
    last event was number 6."""
    tags = tags or ((0, TAG),)
    wire = heard(at)
    ((_, (session, boot, known, last)),) = read(wire.next_output(at + 0.2))
    assert (boot, known, last) == (BOOT, 0, 0)
    told = wire.receive_bytes(
        framed(struct.pack("<BHIB", 2, session, boot, 1)) + snapshot(1, *tags), at + 0.3
    )
    assert [type(one) for one in told] == [Connected, SnapshotStarted, PadsSnapshot]
    wire.next_output(at + 0.3)
    return wire


def test_a_greeting_is_answered_by_a_session_and_the_snapshot_tells_what_lies_there():
    wire = heard()
    asked = read(wire.next_output(100.2))
    assert [name for name, _ in asked] == ["resume"]
    session = asked[0][1][0]
    assert 1 <= session <= 0xFFFF
    for wrong in ((session ^ 1, BOOT), (session, BOOT + 1)):
        assert wire.receive_bytes(framed(struct.pack("<BHIB", 2, *wrong, 1)), 100.25) == []
    assert wire.state is LinkState.RESUMING
    connected, begun, end = wire.receive_bytes(
        framed(struct.pack("<BHIB", 2, session, BOOT, 1))
        + snapshot(1, (0, TAG), (1, OTHER), (1, TAG), accept=0b10, refuse=0b10000001, health=10),
        100.3,
    )
    who = connected.identity
    assert (who.board, who.firmware, who.boot, who.cause) == (1, (1, 2, 3), BOOT, 1)
    assert (who.capabilities, who.seats, who.pads) == (31, 2, 2)
    assert (connected.fresh, connected.received) == (True, 100.3)
    assert begun == SnapshotStarted(FRESH, 100.3)
    pads = (
        PadState(PadHealth.WELL, 0x92, (TagId(TAG),)),
        PadState(PadHealth.WELL, 0x92, (TagId(OTHER), TagId(TAG))),
    )
    held = frozenset({(2, "accept"), (1, "refuse"), (8, "refuse")})
    assert end == PadsSnapshot(pads, held, 10, 0, FRESH, 100.3, missed=False)
    assert wire.pads == pads
    assert read(wire.next_output(100.3)) == [("ack", (session, 8))]
    assert wire.next_output(100.3) == b"", "one acknowledgement for all that came together"


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (event(7, 1, 1, 0, OTHER), CardArrived(1, TagId(OTHER), 1007, 101.0)),
        (event(7, 2, 0, 0, TAG), CardLeft(0, TagId(TAG), 1007, 101.0)),
        (event(7, 3, 2, 0x80), ButtonEvent(2, "accept", True, 1007, 101.0)),
        (event(7, 3, 2, 0x81), ButtonEvent(2, "refuse", True, 1007, 101.0)),
        (event(7, 3, 2, 1), ButtonEvent(2, "refuse", False, 1007, 101.0)),
        (event(7, 4, 1, 2, b"\xff"), ReaderFault(1, PadHealth.ABSENT, 0xFF, 1007, 101.0)),
        (event(7, 4, 1, 2), ReaderFault(1, PadHealth.ABSENT, 0, 1007, 101.0)),
        (event(7, 4, 255, 10), ReaderFault(None, PadHealth(10), 0, 1007, 101.0)),
        (event(7, 10, 1, 2, b"\x92"), SelfTestResult(1, 2, 101.0)),
        (event(7, 77, 1, 2), None),
    ],
)
def test_each_event_is_told_once_and_acknowledged(frame, told):
    wire = open_wire((0, TAG))
    assert wire.receive_bytes(frame, 101.0) == ([] if told is None else [told])
    assert wire.receive_bytes(frame, 101.1) == []
    assert [(name, fields[1]) for name, fields in read(wire.next_output(101.1))] == [("ack", 7)]


def test_the_greeting_says_how_each_pad_is():
    wire = heard(pads=(WELL, b"\2\xff", b"\5\x12"))
    assert [(one.health.name, one.version) for one in wire.pads] == [
        ("WELL", 0x92),
        ("ABSENT", 0xFF),
        ("MUTE", 0x12),
    ]


def test_pads_are_followed_event_by_event():
    wire = open_wire((0, TAG))
    wire.receive_bytes(event(7, 1, 0, 0, OTHER) + event(8, 1, 0, 0, TAG) + event(9, 4, 1, 2, b"\xff"), 101.0)
    assert wire.pads == (
        PadState(PadHealth.WELL, 0x92, (TagId(OTHER), TagId(TAG))),
        PadState(PadHealth.ABSENT, 0xFF),
    )
    wire.receive_bytes(event(10, 2, 0, 0, OTHER) + event(11, 4, 0, 5, b"\x92"), 101.0)
    assert wire.pads[0] == PadState(PadHealth.MUTE, 0x92, (TagId(TAG),))


@pytest.mark.parametrize(
    ("number", "what", "a", "taken"),
    [
        (7, 1, 0, True),
        (6, 1, 0, False),
        (8, 1, 0, False),
        (20, 5, FRESH, True),
        (20, 5, OVERFLOW, True),
        (20, 5, ASKED, False),
        (20, 6, FRESH, False),
        (7, 5, ASKED, True),
        (6, 5, FRESH, False),
        (6 + 32767, 5, FRESH, True),
        (6 + 32768, 5, FRESH, False),
    ],
)
def test_an_event_is_taken_in_turn_and_only_some_snapshots_jump(number, what, a, taken):
    wire = open_wire()
    wire.receive_bytes(event(number, what, a, 0, TAG), 101.0)
    (ack,) = read(wire.next_output(101.0))
    assert ack[1][1] == (number if taken else 6)


def test_numbers_go_round():
    wire = heard()
    ((_, (session, *_)),) = read(wire.next_output(100.2))
    wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, BOOT, 1)) + snapshot(65531), 100.3)
    wire.receive_bytes(event(5, 5, OVERFLOW) + event(6, 7, 0, 2), 100.4)
    assert wire.pads[0] == PadState(PadHealth.ABSENT, 0)
    (told,) = wire.receive_bytes(event(7, 1, 0, 0, TAG), 100.4)
    assert told.pad == 0


@pytest.mark.parametrize(("lost", "boot", "missed"), [(0, BOOT, False), (1, BOOT, True), (0, BOOT + 1, True)])
def test_a_snapshot_says_whether_something_was_missed(lost, boot, missed):
    wire = open_wire()
    wire.receive_bytes(hello(boot), 101.0)
    if boot == BOOT:
        (end,) = wire.receive_bytes(snapshot(7, reason=ASKED, lost=lost), 101.0)[1:]
    else:
        ((_, (session, *_)),) = read(wire.next_output(101.0))
        end = wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, boot, 1)) + snapshot(1), 101.1)[-1]
        again = wire.receive_bytes(snapshot(6, reason=ASKED), 101.2)[-1]
        assert not again.missed
    assert (end.lost, end.missed) == (lost, missed)


# ---- waits ----


def waits(make, edges):
    """Check at each moment, on a wire made anew, what happens by then."""
    for moment, expected in edges.items():
        assert make(moment) == expected, moment


def test_what_comes_at_once_after_opening_is_dropped():
    def state(after):
        wire = BoardConnection(random.Random(1))
        wire.on_port_opened(100.0)
        wire.receive_bytes(hello(), 100.0 + after)
        return wire.state

    waits(state, {0.09: LinkState.ASKING, 0.11: LinkState.RESUMING})


def test_nobody_is_asked_before_a_frame_was_heard_but_for_a_board_that_is_silent_for_long():
    def asks(after, *, beats=()):
        wire = BoardConnection(random.Random(1))
        wire.on_port_opened(100.0)
        for moment in beats:
            wire.receive_bytes(beat(), 100.0 + moment)
        return [name for name, _ in read(wire.next_output(100.0 + after))]

    waits(asks, {0.3: [], 9.9: [], 10.1: ["ask"]})
    waits(lambda after: asks(after, beats=[0.2]), {0.3: ["ask"]})


def test_a_question_is_asked_again_only_after_its_wait():
    wire = BoardConnection(random.Random(1))
    wire.on_port_opened(100.0)
    asked = []
    for moment in (0.2, 0.21, 0.39, 0.41, 0.5):
        wire.receive_bytes(beat(), 100.0 + moment)
        asked += [moment] if wire.next_output(100.0 + moment) else []
    assert asked == [0.2, 0.41]
    wire.receive_bytes(hello(), 101.0)
    resumed = [m for m in (0.0, 0.05, 0.09, 0.11, 0.15, 0.22) if wire.next_output(101.0 + m)]
    assert resumed == [0.0, 0.11, 0.22]


def test_the_program_speaks_only_to_a_board_that_was_just_heard():
    def speaks(after):
        wire = open_wire()
        wire.receive_bytes(beat(), 101.0)
        wire.play_tune(Tune.TEST)
        return [name for name, _ in read(wire.next_output(101.0 + after))]

    waits(speaks, {0.0: ["ack", "command"], 0.59: ["ack", "command"], 0.61: []})
    wire = heard()
    assert (wire.next_output(100.79) != b"", wire.next_output(100.9)) == (True, b"")


def test_a_line_that_is_silent_is_given_up():
    def why(after):
        return open_wire().find_failure(100.3 + after)

    waits(why, {1.9: None, 2.1: "reader.rfid.silent"})


def test_a_board_that_never_answers_is_given_up():
    def why(after):
        wire = heard()
        for tenth in range(1, int(10 * after)):
            wire.receive_bytes(beat(), 100.2 + tenth / 10)
        return wire.find_failure(100.2 + after)

    waits(why, {5.9: None, 6.1: "reader.rfid.no_answer"})


@pytest.mark.parametrize(
    ("noise", "edges"),
    [
        (0, {10.9: None, 11.1: "reader.rfid.no_answer"}),
        (4, {10.9: None, 11.1: "reader.rfid.no_answer"}),
        (5, {10.9: None, 11.1: "reader.rfid.foreign"}),
        (63, {10.9: None, 11.1: "reader.rfid.foreign"}),
        (64, {2.9: None, 3.1: "reader.rfid.foreign"}),
    ],
)
def test_another_device_is_told_from_a_board_by_how_much_it_talks(noise, edges):
    def why(after):
        wire = BoardConnection(random.Random(1))
        wire.on_port_opened(100.0)
        wire.receive_bytes(b"\x55" * noise, 100.2)
        return wire.find_failure(100.0 + after)

    waits(why, edges)


def test_noise_counts_only_until_a_whole_frame_comes():
    wire = BoardConnection(random.Random(1))
    wire.on_port_opened(100.0)
    wire.receive_bytes(b"\x55" * 200 + b"\0" + beat(), 100.2)
    assert (wire.find_failure(103.5), wire.dropped_frames) == (None, 1)
    wire.receive_bytes(b"\x55" * 4, 104.0)
    assert wire.find_failure(111.1) == "reader.rfid.no_answer"
    wire.on_port_opened(200.0)
    assert wire.dropped_frames == 0


def test_without_the_snapshot_another_session_is_begun():
    def state(after):
        wire = heard()
        ((_, (session, *_)),) = read(wire.next_output(100.2))
        wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, BOOT, 1)), 100.3)
        wire.receive_bytes(beat(), 100.3 + after)
        assert wire.next_output(100.3 + after) == b""
        return wire.state

    waits(state, {0.9: LinkState.OPEN, 1.1: LinkState.RESUMING})


def test_a_board_of_another_major_version_is_refused_and_told_nothing_more():
    wire = BoardConnection(random.Random(1))
    wire.on_port_opened(100.0)
    assert wire.receive_bytes(hello(major=2), 100.2) == [Refused((2, 0), (1, 0), 100.2)]
    assert (wire.state, wire.next_output(100.2), wire.find_failure(500.0)) == (LinkState.REFUSED, b"", None)


def test_after_the_line_broke_the_stream_goes_on_where_it_stopped():
    wire = open_wire((0, TAG))
    wire.receive_bytes(event(7, 1, 1, 0, OTHER), 101.0)
    wire.on_port_closed()
    assert wire.receive_bytes(event(8, 2, 1, 0, OTHER), 101.1) == []
    wire.on_port_opened(102.0)
    wire.receive_bytes(hello(), 102.2)
    ((name, (session, boot, known, last)),) = read(wire.next_output(102.2))
    assert (name, boot, known, last) == ("resume", BOOT, 1, 7)
    (connected, left) = wire.receive_bytes(
        framed(struct.pack("<BHIB", 2, session, BOOT, 0)) + event(8, 2, 1, 0, OTHER), 102.3
    )
    assert (connected.fresh, left) == (False, CardLeft(1, TagId(OTHER), 1008, 102.3))
    assert wire.pads[0].tags == (TagId(TAG),)


def test_a_greeting_in_conversation_is_answered_by_an_acknowledgement():
    wire = open_wire()
    assert wire.receive_bytes(hello(), 101.0) == []
    assert [name for name, _ in read(wire.next_output(101.0))] == ["ack"]
    assert wire.state is LinkState.OPEN
    wire.receive_bytes(beat(newest=9, sweep=1234), 101.1)
    assert (wire.newest, wire.sweep_us) == (9, 1234)


# ---- commands ----


def done(wire, number, now):
    return wire.receive_bytes(framed(bytes([5, number, 0])), now)


def commands(wire, now):
    return [fields for name, fields in read(wire.next_output(now)) if name == "command"]


def test_a_command_is_sent_again_until_it_is_answered_then_the_next():
    wire = open_wire()
    wire.play_tune(Tune.HURRY)
    wire.play_tune(Tune.TEST)
    ((number, *first),) = commands(wire, 100.4)
    assert first == [Op.BUZZ, Tune.HURRY, 0]
    assert [commands(wire, 100.4 + later) for later in (0.05, 0.09)] == [[], []]
    assert commands(wire, 100.51) == [(number, *first)]
    done(wire, (number + 1) % 256, 100.52)
    assert commands(wire, 100.53) == []
    done(wire, number, 100.54)
    assert commands(wire, 100.55) == [((number + 1) % 256, Op.BUZZ, Tune.TEST, 0)]


def test_a_board_that_restarted_is_told_its_levels_again_but_no_light_that_went_out():
    wire = open_wire((0, TAG), (1, OTHER))
    wire.commands.set_level(Op.LIGHT, 0, Light.ACCEPTED)
    wire.commands.set_level(Op.LIGHT, 1, Light.TURN)
    wire.commands.set_level(Op.GAIN, WHOLE_BOARD, 5)
    wire.receive_bytes(event(8, 2, 0, 0, TAG) + event(9, 2, 1, 0, OTHER), 100.35)
    wire.receive_bytes(hello(BOOT + 1), 101.0)
    ((_, (session, *_)),) = read(wire.next_output(101.0))
    wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, BOOT + 1, 1)) + snapshot(1), 101.1)
    told = []
    for step in range(5):
        for number, *what in commands(wire, 101.1 + step / 100):
            told.append(tuple(what))
            done(wire, number, 101.1 + step / 100)
    assert told == [(Op.GAIN, WHOLE_BOARD, 5), (Op.LIGHT, 1, Light.TURN)]


@pytest.mark.parametrize("op", [Op.GAIN, Op.SELF_TEST, Op.BUZZ])
def test_a_command_that_was_not_answered_goes_out_again_over_the_next_line_but_no_tune(op):
    wire = open_wire()
    if op is Op.GAIN:
        wire.commands.set_level(op, 1, 5)
    else:
        wire.commands.queue_once(op, 1)
    ((_, *what),) = commands(wire, 100.4)
    wire.commands.set_level(Op.LIGHT, 0, Light.TURN)
    wire.on_port_closed()
    wire.on_port_opened(101.0)
    wire.receive_bytes(hello(), 101.2)
    ((_, (session, *_)),) = read(wire.next_output(101.2))
    wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, BOOT, 0)), 101.3)
    ((number, *again),) = commands(wire, 101.3)
    if op is not Op.BUZZ:
        assert again == what
        done(wire, number, 101.4)
        ((_, *again),) = commands(wire, 101.4)
    assert again == [Op.LIGHT, 0, Light.TURN]


def test_a_tune_is_forgotten_where_nobody_can_play_it():
    wire = heard()
    wire.play_tune(Tune.TEST)
    ((_, (session, *_)),) = read(wire.next_output(100.2))
    wire.receive_bytes(framed(struct.pack("<BHIB", 2, session, BOOT, 1)) + snapshot(1), 100.3)
    assert commands(wire, 100.3) == []


# ---- frames ----


@given(st.data())
def test_a_stream_cut_anywhere_gives_the_same_frames_and_a_spoiled_one_is_dropped(data):
    """The board's numbers go up one by one: what is told must be what was sent whole."""
    wire = open_wire()
    frames = [event(7 + at, 3, 1 + at % 8, 0x80 | at % 2) for at in range(8)]
    spoiled = data.draw(st.integers(0, 8))
    if spoiled < 8:
        frame = bytearray(frames[spoiled])
        at = data.draw(st.integers(0, len(frame) - 2))
        frame[at] ^= data.draw(st.integers(1, 255))
        frames[spoiled] = bytes(frame)
    stream = b"".join(frames)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=6)))
    pieces = [stream[one:two] for one, two in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    told = [one for piece in pieces for one in wire.receive_bytes(piece, 101.0)]
    assert [one.seat for one in told] == [1 + at for at in range(spoiled)]


def test_the_numbers_are_those_of_the_protocol():
    page = (Path(__file__).parents[3] / "firmware" / "PROTOCOL.md").read_text()
    rows = dict(re.findall(r"^\| (\d) \| ([a-z-]+ \| .*)", page.partition("## Commands")[2], re.MULTILINE))
    assert {int(op): row.split()[0] for op, row in rows.items()} == {
        op: op.name.lower().replace("_", "-") for op in Op
    }
    for kind, row in ((Light, rows["1"]), (Tune, rows["2"])):
        assert list(kind) == [int(number) for number in re.findall(r"\b(\d) [a-z]", row)]
    assert list(PadHealth) == [*range(11)]
    assert PadHealth(99) is PadHealth.UNKNOWN_CHIP


@pytest.mark.parametrize("size", [7, 8])
def test_an_id_is_at_most_seven_bytes(size):
    wire = open_wire()
    told = wire.receive_bytes(event(7, 1, 0, 0, b"\x04" * size), 101.0)
    assert len(told) == (size == 7)


def test_a_frame_of_a_wrong_size_or_kind_is_none():
    wire = open_wire()
    for body in (b"\x04" + bytes(7), b"\x04" + bytes(9), b"\x09" + bytes(8), b"\x05\x01", b"\x05"):
        wire.receive_bytes(framed(body), 101.0)
    assert wire.dropped_frames == 5
    wire.receive_bytes(hello(pads=(WELL, b"\0")), 101.0)
    assert wire.dropped_frames == 6


def test_bytes_without_end_are_not_kept():
    wire = open_wire()
    wire.receive_bytes(b"\x55" * 100_000, 101.0)
    assert len(wire._unframer._rest) <= 128
    assert wire.receive_bytes(b"\0" + event(7, 3, 1, 0x80), 101.0)[0].seat == 1


@pytest.mark.parametrize(
    ("tag", "changes"), [("08aabbcc", True), ("04aabbcc", False), ("08aabbccddeeff", False)]
)
def test_an_id_that_changes_each_time_is_known_by_its_size_and_first_byte(tag, changes):
    one = TagId.from_hex(tag)
    assert one.is_random is changes
    assert one.hex() == tag
    assert repr(one) == str(one) == "TagId(...)"
    assert one.cascade_level_1.hex() == (tag if len(tag) == 8 else tag[:6])
    assert one != TagId.from_hex("04112233")
    assert {one: 1}[TagId.from_hex(tag.upper())] == 1


@pytest.mark.parametrize(
    ("board", "pads", "names"),
    [(1, 7, "seat1 seat2 seat3 seat4 seat5 seat6 middle"), (2, 3, "seat1 seat2 middle"), (9, 2, None)],
)
def test_a_pad_is_called_by_its_place_on_the_board(board, pads, names):
    who = Identity(board, (1, 2, 3), BOOT, 1, 31, 2, pads)
    assert who.pad_names == tuple((names or "pad1 pad2").split())


def test_of_a_board_that_was_not_heard_nothing_is_known():
    wire = BoardConnection()
    assert (wire.state, wire.identity, wire.newest, wire.sweep_us) == (LinkState.CLOSED, None, 0, 0)
    assert (wire.pads, wire.dropped_frames, wire.next_output(1.0), wire.find_failure(1.0)) == (
        (),
        0,
        b"",
        None,
    )
