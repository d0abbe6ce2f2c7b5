"""Both sides of the protocol together, over lines that lose bytes, close, and boards that
restart."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from companion.readers.rfid.events import (
    ButtonEvent,
    CardArrived,
    CardLeft,
    Connected,
    PadsSnapshot,
    Refused,
    SnapshotStarted,
    TagId,
)
from companion.readers.rfid.frames import FrameDecoder, Light, Op, Tune, encode_frame
from companion.readers.rfid.wire import BoardConnection, LinkState
from tests.simulated.lossy_line import NativeBoard, native_board, run

TAG = bytes.fromhex("04a1b2c3d4e5f6")


class Talk:
    """One board and one program, a millisecond at a time; either direction can be cut."""

    def __init__(self, board: NativeBoard, wire: BoardConnection | None = None) -> None:
        self.board, self.wire, self.now = board, wire or BoardConnection(random.Random(5)), 0
        self.to_program = self.to_board = True
        self.told: list = []

    def run(self, milliseconds: int) -> list:
        since = len(self.told)
        for _ in range(milliseconds):
            self.now += 1
            out = self.board.work(self.now)
            if out and self.to_program:
                self.told += self.wire.receive_bytes(out, self.now / 1000)
            said = self.wire.next_output(self.now / 1000)
            if self.to_board:
                self.board.receive(said, self.now)
        return self.told[since:]

    def open(self) -> None:
        self.wire.on_port_opened(self.now / 1000)
        self.run(300)
        assert self.wire.state is LinkState.OPEN


@pytest.fixture
def talk():
    with native_board(pads=3, boot=77) as board:
        yield Talk(board)


def snapshots(told: list) -> list[PadsSnapshot]:
    return [event for event in told if isinstance(event, PadsSnapshot)]


def kinds(told: list) -> list[str]:
    return [type(event).__name__ for event in told]


def test_a_program_that_opens_hears_who_is_there_and_all_that_lies_there(talk):
    talk.board.arrive(0, 2, TAG)
    talk.open()
    assert kinds(talk.told) == ["Connected", "SnapshotStarted", "PadsSnapshot"]
    connected, _, snapshot = talk.told
    assert connected.fresh
    assert connected.identity.pads == 3
    assert connected.identity.boot == 77
    assert [len(pad.tags) for pad in snapshot.pads] == [0, 0, 1]
    assert snapshot.pads[2].tags == (TagId(TAG),)


def test_cards_and_keys_are_told_once_and_in_order(talk):
    talk.open()
    talk.board.arrive(talk.now, 0, TAG)
    talk.board.button(talk.now, 2, False, True)
    talk.board.button(talk.now, 2, False, False)
    talk.board.leave(talk.now, 0)
    told = talk.run(100)
    assert kinds(told) == ["CardArrived", "ButtonEvent", "ButtonEvent", "CardLeft"]
    assert told[0] == CardArrived(0, TagId(TAG), told[0].board_ms, told[0].received)
    assert told[1] == ButtonEvent(2, "accept", True, told[1].board_ms, told[1].received)
    assert not told[2].pressed


def test_a_card_laid_while_the_cable_is_out_is_told_when_it_is_back(talk):
    talk.open()
    talk.to_program = talk.to_board = False
    talk.board.arrive(talk.now, 1, TAG)
    assert talk.run(4000) == []
    assert talk.wire.find_failure(talk.now / 1000) == "reader.rfid.silent"
    talk.wire.on_port_closed()
    talk.to_program = talk.to_board = True
    talk.wire.on_port_opened(talk.now / 1000)
    told = talk.run(300)
    assert kinds(told) == ["Connected", "CardArrived"]
    assert not told[0].fresh, "nothing was lost: no snapshot is needed"


def test_a_board_that_restarts_says_so_and_tells_what_lies_there_now(talk):
    talk.open()
    talk.board.arrive(talk.now, 1, TAG)
    talk.run(50)
    with native_board(pads=3, boot=78, now=0) as reborn:
        reborn.arrive(0, 2, b"\x01\x02\x03\x04")
        talk.board = reborn
        told = talk.run(400)
    assert kinds(told) == ["Connected", "SnapshotStarted", "PadsSnapshot"]
    assert told[0].identity.boot == 78
    assert [len(pad.tags) for pad in talk.wire.pads] == [0, 0, 1]


def test_too_much_for_the_outbox_ends_in_a_snapshot_that_counts_what_was_given_up(talk):
    talk.open()
    talk.to_program = False
    for n in range(100):
        talk.board.button(talk.now, 1 + n % 6, False, True)
    talk.run(5)
    talk.to_program = True
    told = talk.run(500)
    assert kinds(told)[:1] == ["SnapshotStarted"]
    assert isinstance(told[-1], PadsSnapshot)
    presses = sum(isinstance(event, ButtonEvent) for event in told)
    assert told[0].reason == 2
    assert presses + told[-1].lost == 100, "each press is told, or counted as given up"


def test_event_numbers_wrap_without_a_gap(talk):
    talk.open()
    talk.run(10)
    first = talk.wire._last
    presses = 0
    for _ in range(1400):
        for _ in range(25):
            talk.board.button(talk.now, 1, False, True)
            talk.board.button(talk.now, 1, False, False)
        presses += sum(isinstance(event, ButtonEvent) for event in talk.run(40))
    assert presses == 70_000
    assert talk.wire._last == first + 70_000 - 65_536
    talk.board.arrive(talk.now, 0, TAG)
    assert kinds(talk.run(60)) == ["CardArrived"]


def test_a_command_is_carried_out_once_even_when_its_answer_is_lost(talk):
    talk.open()
    talk.board.commands()
    talk.to_program = False
    talk.wire.play_tune(Tune.ACCEPTED)
    talk.run(450)
    talk.to_program = True
    talk.run(200)
    assert talk.board.commands() == [(Op.BUZZ, Tune.ACCEPTED, 0)]


def test_lights_are_set_again_on_a_board_that_has_restarted_but_no_tune_is_played_twice(talk):
    talk.open()
    talk.wire.commands.set_level(Op.LIGHT, 1, Light.TURN)
    talk.wire.play_tune(Tune.TEST)
    talk.run(50)
    talk.board.commands()
    with native_board(pads=3, boot=79) as reborn:
        talk.board = reborn
        talk.run(500)
        assert reborn.commands() == [(Op.LIGHT, 1, Light.TURN)]


def test_a_key_pressed_just_before_the_board_s_reset_is_owned_up_to(talk):
    talk.open()
    assert not snapshots(talk.told)[-1].missed, "nothing is promised of what was before"
    talk.run(100)
    talk.to_program = False
    talk.board.button(talk.now, 2, False, True)
    talk.run(5)
    talk.to_program = True
    with native_board(pads=3, boot=79) as reborn:
        talk.board = reborn
        told = talk.run(500)
        (snapshot,) = snapshots(told)
        assert snapshot.lost == 0, "the board that has started anew knows nothing of it"
        assert snapshot.missed
        talk.wire.commands.queue_once(Op.SNAPSHOT)
        assert not snapshots(talk.run(100))[-1].missed, "it is said once"


class Forgetful(BoardConnection):
    """A program's side that takes every snapshot for a whole account."""

    def receive_bytes(self, data: bytes, now: float) -> list:
        told = super().receive_bytes(data, now)
        return [replace(event, missed=False) if isinstance(event, PadsSnapshot) else event for event in told]


class Trusting(BoardConnection):
    """One that goes by the board's count alone."""

    def receive_bytes(self, data: bytes, now: float) -> list:
        told = super().receive_bytes(data, now)
        return [
            replace(event, missed=event.lost > 0) if isinstance(event, PadsSnapshot) else event
            for event in told
        ]


@pytest.mark.parametrize(("broken", "seed"), [(Forgetful, 2), (Trusting, 2)])
def test_the_account_of_lost_events_finds_a_program_that_does_not_own_up(broken, seed):
    """The check of the check: with the sound program's side the same evening scores 0."""
    assert run(2000, seed=seed, mean_gap_ms=25, make_wire=BoardConnection).silent == 0
    assert run(2000, seed=seed, mean_gap_ms=25, make_wire=broken).silent > 0


def test_the_light_of_a_card_that_has_left_is_not_lit_again(talk):
    talk.open()
    talk.board.arrive(talk.now, 1, TAG)
    talk.wire.commands.set_level(Op.LIGHT, 1, Light.ACCEPTED)
    talk.run(50)
    talk.board.leave(talk.now, 1)
    talk.run(50)
    with native_board(pads=3, boot=80) as reborn:
        talk.board = reborn
        talk.run(500)
        assert reborn.commands() == []


def test_a_snapshot_can_be_asked_for_and_loses_nothing(talk):
    talk.open()
    talk.board.arrive(talk.now, 0, TAG)
    talk.run(30)
    talk.wire.commands.queue_once(Op.SNAPSHOT)
    told = talk.run(100)
    assert kinds(told) == ["SnapshotStarted", "PadsSnapshot"]
    assert told[0] == SnapshotStarted(3, told[0].received)
    assert told[1].lost == 0
    assert told[1].pads[0].tags == (TagId(TAG),)


def test_another_major_version_is_refused_in_words_and_left_alone(talk):
    hello = bytes([1, 2, 5, 1, 0, 0, 9, 0, 0, 0, 1, 1, 15, 0, 6, 12, 64, 1, 0, 0x92])
    talk.wire.on_port_opened(0.0)
    (refused,) = talk.wire.receive_bytes(b"\0" + encode_frame(hello), 0.1)
    assert refused == Refused((2, 5), (1, 0), 0.1)
    assert talk.wire.next_output(5.0) == b"", "nothing more is said to such a board"


def test_an_old_session_cannot_acknowledge_what_the_new_one_has_not_heard(talk):
    talk.open()
    old = talk.wire._session
    talk.wire.on_port_closed()
    talk.wire.on_port_opened(talk.now / 1000)
    talk.run(300)
    talk.to_board = False
    talk.board.arrive(talk.now, 0, TAG)
    talk.run(2)
    stale = encode_frame(
        bytes([0x43]) + old.to_bytes(2, "little") + (talk.wire._last or 0).to_bytes(2, "little")
    )
    talk.board.receive(stale, talk.now)
    repeated = talk.board.work(talk.now + 60)
    assert any(getattr(f, "what", 0) == 1 for f in FrameDecoder().feed(b"\0" + repeated)), (
        "it is still kept and sent again"
    )


def test_a_deaf_line_is_found_out(talk):
    talk.wire.on_port_opened(0.0)
    assert talk.wire.find_failure(10.5) is None, "a boot loader may take its time"
    assert talk.wire.find_failure(11.5) == "reader.rfid.no_answer"


def test_who_talks_but_never_in_our_frames_is_another_device(talk):
    talk.wire.on_port_opened(0.0)
    for tenth in range(1, 40):
        assert talk.wire.receive_bytes(b"$GPGGA,123519,4807.038,N*47\r\n", tenth / 10) == []
    assert talk.wire.find_failure(2.9) is None, "a reader may take three seconds to be heard"
    assert talk.wire.find_failure(3.5) == "reader.rfid.foreign"


def test_a_modem_says_little_and_only_when_it_is_asked(talk):
    talk.wire.on_port_opened(0.0)
    talk.wire.receive_bytes(b"\r\nERROR\r\n", 10.2)
    assert talk.wire.find_failure(10.9) is None
    assert talk.wire.find_failure(11.5) == "reader.rfid.foreign"


def test_noise_before_the_first_frame_does_no_harm(talk):
    talk.wire.on_port_opened(0.0)
    assert talk.wire.receive_bytes(bytes(range(1, 256)) * 4, 0.0) == []
    talk.run(300)
    assert talk.wire.state is LinkState.OPEN


@pytest.mark.parametrize("seed", range(3))
def test_two_thousand_events_over_a_bad_line_with_closes_and_restarts(seed):
    tally = run(2000, seed=seed, rate=0.01, mean_gap_ms=20)
    assert (tally.silent, tally.twice) == (0, 0)
    assert tally.taken + tally.told_lost == tally.posted == 2000
    assert tally.taken > 1500
    assert tally.agree
    assert tally.obeyed


def test_a_hopeless_line_loses_events_but_never_in_silence():
    tally = run(2000, seed=9, rate=0.05, mean_gap_ms=4, settle_ms=9000)
    assert (tally.silent, tally.twice) == (0, 0)
    assert tally.told_lost > 0
    assert tally.agree


@pytest.mark.parametrize("seed", range(4))
def test_neither_side_minds_bytes_that_nobody_sent(talk, seed):
    rng = random.Random(seed)
    talk.open()
    for _ in range(300):
        kind = rng.choice([0x01, 0x02, 0x03, 0x04, 0x05, 0x41, 0x42, 0x44, 0x7F])
        body = bytes([kind]) + rng.randbytes(rng.randrange(40))
        junk = rng.randbytes(rng.randrange(60)) + b"\0" + (encode_frame(body) if rng.random() < 0.5 else b"")
        talk.board.receive(junk, talk.now)
        if kind not in (0x01, 0x02, 0x03):  # what only the board may say, and would be believed
            talk.told += talk.wire.receive_bytes(junk, talk.now / 1000)
        talk.run(2)
    talk.run(3000)
    talk.told.clear()
    talk.board.arrive(talk.now, 0, TAG)
    assert "CardArrived" in kinds(talk.run(2000))


def test_events_of_a_card_are_told_apart_from_each_other(talk):
    talk.open()
    for n in range(5):
        talk.board.arrive(talk.now, 0, bytes([4, 0, 0, 0, 0, 0, n]))
    for _ in range(5):
        talk.board.leave(talk.now, 0)
    told = talk.run(200)
    arrived = [event.tag for event in told if isinstance(event, CardArrived)]
    assert arrived == [event.tag for event in told if isinstance(event, CardLeft)]
    assert len(set(arrived)) == 5
    assert isinstance(talk.told[0], Connected)
