"""The real firmware, a pseudo-terminal, pyserial and the reader's thread: plugged in, unplugged,
restarted, and closed."""

from __future__ import annotations

import os
import queue
import select
import threading
import time
import tty

import pytest
import serial

from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.events import ButtonEvent, CardArrived, CardLeft, Connected, PadsSnapshot
from companion.readers.rfid.frames import Light, Tune, encode_frame
from companion.readers.rfid.simulator import SimulatedBoard
from companion.table.sightings import Health
from tests.simulated import lock_step
from tests.simulated.lock_step import card

pytestmark = pytest.mark.native
WITHIN = 20.0  # seconds: generous, for nothing here is about speed


class Heard:
    """What a reader tells, waited for."""

    def __init__(self) -> None:
        self.events: queue.Queue = queue.Queue()

    def next(self, kind: type):
        """Return the next event of that kind; those before it are let go."""
        end = time.monotonic() + WITHIN
        while True:
            event = self.events.get(timeout=max(end - time.monotonic(), 0.01))
            if isinstance(event, kind):
                return event


class Overheard(BoardReader):
    """A reader of which somebody hears what the board tells, and what it reports of itself."""

    def __init__(self, port, listen) -> None:
        super().__init__(port, lambda _tag: None)
        self.listen = listen
        self.reports: list = []

    def begin(self) -> None:
        self.start(self.reports.append)

    def handle_event(self, event) -> None:
        self.listen(event)
        super().handle_event(event)


def told(reader) -> list[Health]:
    return [one for one in reader.reports if isinstance(one, Health)]


def eventually(true) -> None:
    end = time.monotonic() + WITHIN
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard("nano") as board:
        yield board


@pytest.fixture
def clean(board):
    yield board
    for pad in range(3):
        board.take_tags(pad)


@pytest.fixture
def heard():
    return Heard()


@pytest.fixture
def reader(clean, heard):
    reader = Overheard(clean.port, heard.events.put)
    reader.begin()
    yield reader
    reader.close()


def test_a_card_goes_through_firmware_terminal_and_thread(clean, reader, heard):
    connected = heard.next(Connected)
    assert connected.identity.pads == 3
    heard.next(PadsSnapshot)
    clean.put_tags("seat1", card(1))
    arrived = heard.next(CardArrived)
    assert (arrived.pad, arrived.tag) == (0, card(1))
    assert arrived.received <= time.monotonic()
    clean.take_tags("seat1")
    assert heard.next(CardLeft).tag == card(1)
    assert reader.health.state == "ok"
    assert reader.health.problem is None


def test_lights_tunes_and_keys_go_both_ways(clean, reader, heard):
    heard.next(PadsSnapshot)
    clean.put_tags(2, card(2))
    heard.next(CardArrived)
    reader.set_light("middle", Light.ACCEPTED)
    reader.set_light("seat2", Light.UNKNOWN)
    eventually(lambda: clean.lights[1:] == ("#400000", "#004000"))
    tones: list[int] = []
    clean.on_line = lambda line: tones.append(line["tone"]) if "tone" in line else None
    reader.play_tune(Tune.ACCEPTED)
    eventually(lambda: tones and tones[-1] == 0)
    clean.press_button(3, "accept")
    assert heard.next(ButtonEvent).seat == 3
    clean.press_button(3, "accept", down=False)
    assert not heard.next(ButtonEvent).pressed
    reader.set_light(None, Light.OFF)
    eventually(lambda: set(clean.lights) == {"#000000"})


def test_the_port_is_free_when_close_returns(clean, heard):
    for _ in range(3):
        reader = Overheard(clean.port, heard.events.put)
        reader.begin()
        heard.next(Connected)
        reader.close()
        assert reader.health.state == "off"
    names = [thread.name for thread in threading.enumerate()]
    assert "rfid" not in names


def test_what_happens_while_the_program_is_away_is_told_when_it_is_back(clean, heard):
    first = Overheard(clean.port, heard.events.put)
    first.begin()
    heard.next(PadsSnapshot)
    first.close()
    clean.put_tags(1, card(5))
    time.sleep(0.2)
    second = Overheard(clean.port, heard.events.put)
    second.begin()
    try:
        snapshot = heard.next(PadsSnapshot)
        later = [] if card(5) in snapshot.pads[1].tags else [heard.next(CardArrived)]
        assert len(later) + len(snapshot.pads[1].tags) == 1
    finally:
        second.close()


def test_a_port_that_another_program_holds_is_said_and_tried_again(clean, reader, heard):
    heard.next(Connected)
    other = Overheard(clean.port, lambda event: None)
    other.begin()
    try:
        eventually(lambda: other.health.problem is not None)
        assert other.health.problem.code == "reader.rfid.busy"
        reader.close()
        eventually(lambda: other.health.state == "ok")
    finally:
        other.close()


def test_unplugged_in_the_middle_and_plugged_in_again_under_another_name(heard):
    port: list[str | None] = [None]
    reader = Overheard(lambda: port[0], heard.events.put)
    reader.begin()
    try:
        eventually(lambda: reader.health.problem is not None)
        assert reader.health.problem.code == "reader.rfid.no_board"
        with SimulatedBoard("nano", seed=7) as board:
            port[0] = board.port
            heard.next(PadsSnapshot)
            board.put_tags(1, card(7))
            heard.next(CardArrived)
        eventually(lambda: reader.health.state == "lost")
        assert reader.reports[-1].text.code in ("reader.rfid.unplugged", "reader.rfid.silent")
        with SimulatedBoard("nano", seed=8) as board:
            board.put_tags(1, card(8))
            port[0] = board.port
            assert heard.next(Connected).fresh
            heard.next(PadsSnapshot)
            eventually(lambda: reader.health.pads[1].tags == (card(8),))
    finally:
        reader.close()


@pytest.mark.simavr
@pytest.mark.boot_loaders
@pytest.mark.parametrize("name", ["Nano, ATmegaBOOT_168", "Nano or Uno, optiboot"])
def test_a_board_as_it_is_sold_restarts_when_its_port_is_opened(name, heard):
    loader = lock_step.SOLD[name]
    with SimulatedBoard("nano", native=False, reset_on_open=True, boot_loader=loader) as board:
        reader = Overheard(board.port, heard.events.put)
        reader.begin()
        try:
            heard.next(Connected)
            heard.next(PadsSnapshot)
            board.put_tags(0, card(9))
            assert heard.next(CardArrived).tag == card(9)
        finally:
            reader.close()


def test_a_reset_in_the_middle_of_the_game(clean, reader, heard):
    heard.next(PadsSnapshot)
    clean.put_tags(2, card(10))
    heard.next(CardArrived)
    clean.send_command("reset")
    again = heard.next(Connected)
    assert again.fresh
    assert again.identity.cause == 2
    heard.next(PadsSnapshot)
    eventually(lambda: reader.health.pads[2].tags == (card(10),))


def test_two_readers_on_two_ports_do_not_disturb_each_other(clean, reader, heard):
    heard.next(PadsSnapshot)
    with SimulatedBoard("nano", seed=3) as second:
        other_heard = Heard()
        other = Overheard(second.port, other_heard.events.put)
        other.begin()
        try:
            other_heard.next(PadsSnapshot)
            clean.put_tags(0, card(11))
            second.put_tags(0, card(12))
            assert heard.next(CardArrived).tag == card(11)
            assert other_heard.next(CardArrived).tag == card(12)
        finally:
            other.close()
    assert reader.health.state == "ok"


def test_a_fault_of_our_own_is_said_without_the_card_and_the_reader_goes_on(clean):
    def fail(event: object) -> None:
        if isinstance(event, CardArrived):
            raise RuntimeError(f"cannot place {event.tag.hex()}")

    reader = Overheard(clean.port, fail)
    reader.begin()
    try:
        eventually(lambda: reader.health.state == "ok")
        time.sleep(0.2)
        clean.put_tags(0, card(13))
        eventually(lambda: any(one.text.code == "reader.restarting" for one in told(reader)))
        assert card(13).hex() not in repr(reader.reports)
        eventually(lambda: reader.health.state == "ok")
    finally:
        reader.close()


def test_a_board_of_another_version_is_said_once_and_let_go_to_be_renewed(monkeypatch):
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    hello = b"\0" + encode_frame(bytes([1, 2, 5, 1, 0, 0, 9, 0, 0, 0, 1, 1, 15, 0, 6, 12, 64, 1, 0, 0x92]))
    heard, opened, open_port = [], [], serial.Serial
    monkeypatch.setattr(
        serial, "Serial", lambda *words, **more: opened.append(1) or open_port(*words, **more)
    )
    reader = Overheard(os.ttyname(theirs), heard.append)
    reader.begin()
    try:
        end = time.monotonic() + WITHIN
        while len(opened) < 3 and time.monotonic() < end:
            os.write(ours, hello)  # a board greets by itself
            time.sleep(0.1)
        assert len(opened) >= 3
        eventually(lambda: reader.health.state == "refused")
        assert reader.health.problem.code == "reader.rfid.other_version.program"
        assert [(one.board, one.ours) for one in heard] == [((2, 5), (1, 0))] * len(heard)
        assert [one.state for one in told(reader)] == ["starting", "lost"]
        assert not select.select([ours], [], [], 0)[0], "and nothing was said to it"
    finally:
        reader.close()
        os.close(ours)
        os.close(theirs)


def test_a_command_of_nonsense_is_answered_in_words(board):
    with pytest.raises(ValueError, match="no pad kitchen"):
        board.send_command("put", "kitchen", "04a1b2c3d4e5f6")
    with pytest.raises(ValueError, match="commands are"):
        board.send_command("dance")
    with pytest.raises(ValueError, match="put PAD ID"):
        board.send_command("put", 0)
