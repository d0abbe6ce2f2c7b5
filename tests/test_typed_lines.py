"""What people type, line by line, through real pipes and real terminals."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TextIO

import pytest

from companion.typed_lines import TypedLines, open_typed_lines
from tests.simulated.terminal import run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")


class Pipe:
    """A real pipe: what is written at one end is typed at the other."""

    def __init__(self) -> None:
        reading, self._writing = os.pipe()
        self.source: TextIO = os.fdopen(reading)

    def type(self, keys: bytes) -> None:
        os.write(self._writing, keys)

    def end(self) -> None:
        os.close(self._writing)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.source.close()


def stands_in_the_read(_seconds: float) -> bool:
    """Wait as on Windows, where nothing tells whether a pipe can be read."""
    return True


@pytest.fixture(params=[None, stands_in_the_read], ids=["asked", "in the read"])
def lines(pipe: Pipe, request: pytest.FixtureRequest) -> Iterator[TypedLines]:
    listener = TypedLines(pipe.source, request.param)
    listener.start()
    yield listener
    listener.stop()


def test_two_lines_typed_at_once_are_two_lines_and_half_a_line_waits_for_its_end(
    lines: TypedLines, pipe: Pipe
) -> None:
    pipe.type(b"first\nsecond\nthi")
    assert [lines.next_line(5), lines.next_line(5), lines.next_line(0.0)] == ["first", "second", None]
    pipe.type(b"rd\r\n\xff\n")
    assert [lines.next_line(5), lines.next_line(5)] == ["third", "\ufffd"]
    pipe.type(b"last")
    pipe.end()
    assert lines.next_line(5) == "last"
    for _ in range(2):
        with pytest.raises(EOFError):
            lines.next_line(5)


def test_what_was_typed_ahead_of_one_conversation_is_for_the_next(pipe: Pipe) -> None:
    pipe.type(b"now\n2 7\nqu")
    with open_typed_lines(pipe.source) as lines:
        assert lines.next_line(5) == "now"
    pipe.type(b"it\n")
    with open_typed_lines(pipe.source) as lines:
        assert [lines.next_line(5), lines.next_line(5)] == ["2 7", "quit"]
    pipe.end()


def test_a_file_that_was_closed_is_at_its_end(pipe: Pipe) -> None:
    pipe.end()
    pipe.source.close()
    with open_typed_lines(pipe.source) as lines, pytest.raises(EOFError):
        lines.next_line(5)


FIRST_A_LINE_THEN_A_KEY = """
import os, sys, tty
from companion.typed_lines import open_typed_lines
with open_typed_lines() as lines:
    print("line?", flush=True)
    while (line := lines.next_line(0.1)) is None:
        pass
print("had", line, flush=True)
tty.setraw(0)
print("key?", flush=True)
print("pressed", os.read(0, 1).decode(), flush=True)
"""
ENDS_WITH_THE_THREAD_IN_THE_READ = """
import sys
from companion.typed_lines import TypedLines
lines = TypedLines(sys.stdin, lambda seconds: True)
lines.start()
print("ready", lines.next_line(0.3), flush=True)
"""
UNTIL_INTERRUPTED = """
from companion.typed_lines import open_typed_lines
try:
    with open_typed_lines() as lines:
        print("waiting", flush=True)
        while True:
            lines.next_line(0.1)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_a_screen_that_follows_a_conversation_gets_its_first_key() -> None:
    with run([sys.executable, "-c", FIRST_A_LINE_THEN_A_KEY]) as terminal:
        terminal.until("line?")
        terminal.type("go on\n")
        terminal.until("had go on")
        terminal.until("key?")
        terminal.type("x")
        terminal.until("pressed x")
        assert terminal.end() == 0


def test_the_program_ends_though_the_thread_still_waits() -> None:
    with run([sys.executable, "-c", ENDS_WITH_THE_THREAD_IN_THE_READ]) as terminal:
        terminal.until("ready None")
        assert terminal.end() == 0
        assert b"Fatal" not in terminal.written


def test_an_interrupt_ends_the_conversation() -> None:
    with run([sys.executable, "-c", UNTIL_INTERRUPTED]) as terminal:
        terminal.until("waiting")
        terminal.type("\x03")
        terminal.until("stopped")
        assert terminal.end() == 0
