"""The whole program in a terminal: what people and machines do to it, and that it neither breaks
nor loses anything."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from companion.commands.play import DEMO_JOURNAL, FILE, reserve_terminal
from companion.journal.store import Store
from companion.texts import Translator
from companion.views.dashboard.themed_app import ThemedApp
from tests.simulated.terminal import Terminal, companion, play, run

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
DEMO = ("--demo", "--seed", "5", "--players", "3", "--speed", "8")
BY_HAND = ("--by-hand", "--players", "Ann,Bob,Dan")
"""A table without a camera opens in a third of the processor's time."""
LEFT = "\x1b[?1049l"
"""What gives the terminal's own screen back."""


def journal(folder: Path) -> Path:
    return folder / "card-table-companion" / DEMO_JOURNAL


def acts(folder: Path) -> int:
    store = Store.open_read_only(journal(folder))
    number = store.find_last_session()
    assert number is not None
    count = len(store.read_session(number).restore_session().list_acts())
    store.close()
    return count


def test_a_program_has_its_own_terminal_s_size_and_not_the_one_left_in_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    with run([sys.executable, "-c", "import shutil; print(*shutil.get_terminal_size())"]) as terminal:
        terminal.until("120 40")


def test_tiny_and_back_and_every_way_to_interrupt_and_it_still_quits_by_q(tmp_path: Path) -> None:
    with play(tmp_path, *BY_HAND, "--new") as terminal:
        terminal.until("Quit")
        for size in ((20, 5), (120, 40), (1, 1), (80, 24)):
            terminal.resize(*size)
            for _ in range(5):
                terminal.read()
        terminal.type("\x03\x04\x1a\x1c")  # Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-\
        assert terminal.end(pressing="q") == 0
        assert LEFT.encode() in terminal.written
        assert b"Traceback" not in terminal.written


def test_ctrl_z_stops_the_whole_job_and_the_shell_continues_it(tmp_path: Path) -> None:
    job = f"{sys.executable} -m companion play {' '.join(BY_HAND)} --new; echo status $?"
    home = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "PS1": "shell> "}
    with run(["sh", "-im"], where=Path(__file__).parents[2], **home) as terminal:
        terminal.until("shell> ")
        terminal.type(f"sh -c '{job}'\r")
        terminal.until("Quit")
        terminal.still()
        terminal.type("\x1a")
        terminal.until("shell> ")
        terminal.type("fg\r")
        terminal.until("Quit")
        terminal.still()
        terminal.type("q")
        terminal.until("status 0")


@pytest.mark.parametrize(
    ("table", "number", "view"),
    [
        (DEMO, signal.SIGTERM, ()),
        (BY_HAND, signal.SIGHUP, ()),
        (BY_HAND, signal.SIGTERM, ("--plain",)),
    ],
)
def test_a_shutdown_gives_the_terminal_back(
    tmp_path: Path, table: tuple[str, ...], number: signal.Signals, view: tuple[str, ...]
) -> None:
    with play(tmp_path, *table, "--new", *view) as terminal:
        terminal.until("Ann")
        os.kill(terminal.process, number)
        assert terminal.end() == 128 + number
        assert (LEFT.encode() in terminal.written) is not bool(view)
        assert b"Traceback" not in terminal.written


@pytest.mark.parametrize(
    ("words", "number"), [((), signal.SIGTERM), (("check", "--camera", "off"), signal.SIGHUP)]
)
def test_a_shutdown_gives_the_terminal_back_at_the_home_screen_too(
    tmp_path: Path, words: tuple[str, ...], number: signal.Signals
) -> None:
    with companion(tmp_path, *words) as terminal:
        terminal.until("\x1b[?1049h")
        terminal.until("Quit")
        os.kill(terminal.process, number)
        assert terminal.end() == 128 + number
        assert LEFT.encode() in terminal.written
        assert b"Traceback" not in terminal.written


async def test_a_shutdown_is_heard_while_hundreds_of_keys_wait_to_be_taken() -> None:
    def before(number: int, _frame: object) -> None: ...

    last = signal.signal(signal.SIGTERM, before)
    try:
        app = ThemedApp[None](Translator())
        async with app.run_test():
            loop = asyncio.get_running_loop()
            for _ in range(10_000):
                loop.call_soon_threadsafe(int)  # each as a key that comes in from the thread that reads
            signal.raise_signal(signal.SIGTERM)
            for _ in range(100):
                await asyncio.sleep(0)
            assert app.return_code == 128 + signal.SIGTERM
        assert signal.getsignal(signal.SIGTERM) is before
    finally:
        signal.signal(signal.SIGTERM, last)


def test_stopped_by_what_nobody_hears_it_goes_on_when_it_is_woken(tmp_path: Path) -> None:
    with play(tmp_path, *BY_HAND, "--new") as terminal:
        terminal.until("Quit")
        os.kill(terminal.process, signal.SIGSTOP)
        os.kill(terminal.process, signal.SIGCONT)
        terminal.until(LEFT)
        terminal.until("\x1b[?1049h")
        terminal.type("q")
        assert terminal.end() == 0


def close(terminal: Terminal) -> int | None:
    """Close the terminal's window; return the exit status, None for a program that goes on."""
    os.close(terminal.handle)
    for _ in range(400):
        if not terminal.running():
            break
        time.sleep(0.05)
    return terminal.status


def test_closing_the_terminal_ends_what_the_home_screen_opened_and_the_home_screen(tmp_path: Path) -> None:
    """Below `make`, or any shell, the kernel sends its signal to that alone."""
    shell = f"trap '' HUP; {sys.executable} -m companion welcome; exit $?"
    with run(
        ["/bin/sh", "-c", shell], XDG_DATA_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path)
    ) as terminal:
        terminal.until("Quit")
        terminal.type("d")
        terminal.until("Pause")
        assert close(terminal) == 128 + signal.SIGHUP
    acts(tmp_path)  # fails without a journal that holds a session


def test_killed_in_mid_evening_it_offers_to_go_on_and_has_kept_what_was_played(tmp_path: Path) -> None:
    with play(tmp_path, *DEMO, "--plain", "--new") as terminal:
        terminal.until("lay a load")
        os.kill(terminal.process, signal.SIGKILL)
        assert terminal.end() == -signal.SIGKILL
    kept = acts(tmp_path)
    assert kept >= 1
    with play(tmp_path, *DEMO) as terminal:
        terminal.until("Go on: ")
        terminal.type("\r")
        terminal.until("Quit")
        assert acts(tmp_path) >= kept
        terminal.type("q")
        assert terminal.end() == 0


def test_a_second_program_on_the_same_journal_says_so_and_plays_in_memory(tmp_path: Path) -> None:
    with play(tmp_path, *BY_HAND, "--plain", "--new") as first:
        first.until("Ann")
        with play(tmp_path, *BY_HAND, "--plain", "--new") as second:
            second.until("Another program")
            second.type("quit\n")
            assert second.end() == 0
        first.type("quit\n")
        assert first.end() == 0


def test_without_a_terminal_to_draw_on_everything_is_told_line_by_line(tmp_path: Path) -> None:
    with play(tmp_path, *DEMO, "--new", TERM="dumb") as terminal:
        terminal.until("Press Enter to see what can be entered now")
        terminal.type("\x04")
        assert terminal.end() == 0
        assert b"\x1b[" not in terminal.written


def test_what_a_library_writes_to_standard_error_does_not_stand_on_the_screen(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with reserve_terminal(tmp_path / "data"):
        os.write(2, b"Corrupt JPEG data: 5 extraneous bytes\n")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
    assert "Corrupt JPEG" in (tmp_path / "data" / FILE).read_text()


def test_a_folder_that_cannot_be_written_only_loses_those_messages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    with reserve_terminal(tmp_path / "file"):
        os.write(2, b"Corrupt JPEG data\n")
    assert capfd.readouterr().err == ""


def test_line_by_line_an_evening_is_planned_before_it_begins(tmp_path) -> None:
    with play(tmp_path, "--plain", "--by-hand", "--new", "--lang", "en") as terminal:
        terminal.until("b: Begin")
        terminal.type("p Ann, Bob, Cy\n1 2\nb\n")
        terminal.until("Turn up the next donkey")
        terminal.type("quit\nquit\n")
        assert terminal.end() == 0
    with Store.open_read_only(tmp_path / "card-table-companion" / "journal.sqlite3") as store:
        [kept] = [store.read_session(row.number) for row in store.list_sessions()]
    assert (kept.setup.players, kept.setup.options["decision_order"]) == (("Ann", "Bob", "Cy"), "free")


def test_line_by_line_nothing_begins_when_the_plan_is_left(tmp_path) -> None:
    with play(tmp_path, "--plain", "--by-hand", "--new", "--lang", "en") as terminal:
        terminal.until("b: Begin")
        terminal.type("\n")
        assert terminal.end() == 0


RECENT = "\x1b[?2048;2$y"
"""How a terminal answers Textual that it can report its size in its output: off by now."""


def test_the_camera_s_picture_has_pixels_where_the_terminal_draws_pictures(tmp_path) -> None:
    with play(tmp_path, *DEMO, "--new", TERM="xterm-kitty") as terminal:
        terminal.type(RECENT)
        terminal.until("\x1b_Ga=T,f=100,")
        terminal.until("m=0;")
        terminal.type("q")
        assert terminal.end() == 0
