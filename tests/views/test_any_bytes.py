"""Whatever a terminal sends, in whatever order, the program goes on: bytes that are no UTF-8, old
mouse reports, files that were pasted. In a real terminal, since it is Textual's reading of one that
fell."""

import os
import signal
from pathlib import Path
from random import Random

import pytest

from tests.simulated.terminal import Terminal, companion

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")

LEFT = b"\x1b[?1049l"
"""What gives the terminal's own screen back."""
BY_HAND = ("play", "--by-hand", "--new", "--players", "Ann,Bob,Dan", "--lang", "en")
FORM = ("play", "--by-hand", "--new", "--lang", "en")
ODD = {
    "an é of a Latin-1 terminal": b"\xe9",
    "half a character": b"\xc3",
    "an old mouse report": b"\x1b[M \xe0\xf0",
    "a key that is no character": b"\x1b[99999999u",
    "a key that is half a character": b"\x1b[97;1;55296u",
    "a window of a million columns": b"\x1b[48;2;1000000;2;1000000t",
}


def goes_on(terminal: Terminal) -> None:
    """Once it has taken in what was typed, it tells of no mistake, and gives the terminal back when
    it is told to end."""
    terminal.still()
    assert terminal.running(), terminal.written[-1500:]
    os.kill(terminal.process, signal.SIGTERM)
    assert terminal.end(seconds=100) == 128 + signal.SIGTERM, terminal.written[-1500:]
    assert LEFT in terminal.written
    assert b"Traceback" not in terminal.written
    assert b"istake" not in terminal.written


def test_bytes_that_are_no_text_are_passed_over_and_the_next_key_counts(tmp_path: Path) -> None:
    with companion(tmp_path, *BY_HAND) as terminal:
        terminal.until("Quit")
        for what, odd in ODD.items():
            terminal.send(odd)
            terminal.still()
            terminal.send(b"e")
            terminal.until("Score sheet")
            assert b"istake" not in terminal.before, what
            terminal.send(b"\x1b")
            terminal.until("Quit")
        goes_on(terminal)


def test_a_name_in_latin_1_is_seen_with_the_letter_that_could_not_be_read(tmp_path: Path) -> None:
    with companion(tmp_path, *FORM) as terminal:
        terminal.until("Players")
        terminal.send(b"\x1b[200~" + "Zoë, Ben".encode("latin-1") + b"\x1b[201~")
        terminal.until("Zo�, Ben")
        goes_on(terminal)


def test_a_line_to_type_in_whose_cursor_blinks_can_be_left_too(tmp_path: Path) -> None:
    with companion(tmp_path, *BY_HAND) as terminal:
        terminal.until("Quit")
        for key in "p1r":
            terminal.still()
            terminal.type(key)
        terminal.until("ame, then Enter")  # the cursor stands on the N
        goes_on(terminal)


def pasted(seed: int) -> bytes:
    """36 kB of keys, clicks and what colours a terminal's text; nothing that leaves the program."""
    choose = Random(seed).choice
    keys = [bytes([one]) for one in b"eycpmurghvwfdxb? \r\t123456789"]
    wide = range(1, 120)
    escapes = (b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07")
    text = b""
    while len(text) < 36_000:
        click = b"\x1b[<0;%d;%d" % (choose(wide), choose(wide) // 3)
        text += choose(keys) + choose((b"", b"", b"", choose(escapes), click + b"M" + click + b"m"))
    return text


def test_a_file_that_was_pasted_ends_nothing_and_presses_no_key(tmp_path: Path) -> None:
    with companion(tmp_path, *BY_HAND) as terminal:
        terminal.until("Quit")
        terminal.still()
        terminal.written = b""
        terminal.send(b"\x1b[200~" + pasted(1) + b"\x1b[201~")
        terminal.still()
        assert terminal.written == b""
        goes_on(terminal)


def test_a_file_that_was_pasted_as_if_it_were_typed_ends_nothing(tmp_path: Path) -> None:
    with companion(tmp_path, *BY_HAND) as terminal:
        terminal.until("Quit")
        terminal.send(pasted(0)[:6_000])
        terminal.still()
        goes_on(terminal)


def test_noise_on_the_line_ends_nothing(tmp_path: Path) -> None:
    with companion(tmp_path, *BY_HAND) as terminal:
        terminal.until("Quit")
        for seed in range(2):
            # without the keys that leave (q, Ctrl-Q) or suspend (Ctrl-Z)
            terminal.send(Random(seed).randbytes(3_000).translate(None, b"qQ\x11\x1a"))
            terminal.still()
        goes_on(terminal)
