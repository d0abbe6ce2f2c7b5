"""Every command, with a stream closed before it began, every FILE that can be named, with what is
no file, and every option with what makes no sense: one sentence, no traceback, no wait."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from companion.__main__ import list_commands, main
from companion.commands.parsing import build_full_parser, set_help_language
from companion.journal import database_file
from companion.journal.database_file import StorageFault
from companion.journal.store import Store, default_journal_path
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session
from tests.commands import CASES
from tests.toy import toy_setup

LIMIT = 90
"""Seconds after which a command is taken to hang."""


def run(*words, streams):
    """Run the program in a shell, as people do."""
    line = shlex.join([sys.executable, "-m", "companion", *map(str, words)])
    return subprocess.run(
        ["sh", "-c", f"exec {line} {streams}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )


ENDS = {"": (), **{name: case.ends for name, case in CASES.items() if name != "welcome"}}
"""Words after which each command ends by itself; `welcome` without a screen is `play`."""


@pytest.mark.parametrize(
    ("command", "streams"),
    [
        *((command, "<&- >&- 2>&-") for command in ENDS),
        *((command, one) for command in ("", "history") for one in ("<&-", "</dev/null >&-", "</dev/null 2>&-")),
    ],
)  # fmt: skip
def test_a_stream_that_was_closed_before_is_no_fault(command, streams):
    done = run(*([command] if command else []), *ENDS[command], streams=streams)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.fixture
def strange(tmp_path):
    """What may lie where a file is expected, by name."""
    os.mkfifo(tmp_path / "pipe.svg")
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "loop.svg").symlink_to(tmp_path / "loop2.svg")
    (tmp_path / "loop2.svg").symlink_to(tmp_path / "loop.svg")
    (tmp_path / "full.svg").symlink_to("/dev/full")
    secret = tmp_path / "unreadable.svg"
    secret.write_text("x")
    secret.chmod(0)
    short = Path(tempfile.mkdtemp(dir="/tmp"))  # a socket's name is at most 107 bytes long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(short / "socket"))
        (tmp_path / "socket.svg").symlink_to(short / "socket")
        yield tmp_path
    (short / "socket").unlink()
    short.rmdir()


WRITTEN = ("history 1 --page", "export --out", "figures --chart", "tags export --deck dtc")
READ = (
    "people --import",
    "cards check",
    "tags import --deck dtc",
    *(f"play --plain --{what}" for what in ("replay", "pads", "zones")),
)
JOURNALS = ("history --journal", "export --journal", "figures --journal", "referee --journal")


@pytest.fixture
def in_time():
    """End a command that waits."""

    def hangs(_number, _frame):
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def played(tmp_path, monkeypatch):
    """A journal that has something in it, where commands look for it."""
    folder = tmp_path / "user"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    game = registry.load_game("donkey_valley")
    setup = Setup(game.id, ("A", "B", "C"), dict(game.default_options({})), 1)
    with Store.open(default_journal_path()) as store:
        store.start_session(setup)
        session = Session(game, setup, store.append)
        session.act(next(iter(game.list_choices(session.state, None))).request)


@pytest.mark.parametrize(
    ("words", "buffered"),
    [
        *((words, True) for words in ("--help", "play --help", "cards list", "export --format json")),
        *((words, buffered) for words in ("history", "referee") for buffered in (True, False)),
    ],
)
@pytest.mark.usefixtures("played")
def test_a_full_disk_behind_standard_output_is_told_once(words, buffered, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    (tmp_path / "lines").write_text("{}\n")  # for the referee to answer
    done = run(*words.split(), streams=f"<{tmp_path / 'lines'} >/dev/full")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("what", ["pipe", "folder", "loop", "full", "unreadable", "socket"])
@pytest.mark.parametrize("command", [*WRITTEN, *READ, *JOURNALS])
@pytest.mark.usefixtures("played")
def test_what_is_no_file_is_said(strange, command, what, capsys, in_time):
    if what == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    before = sorted(one.name for one in strange.iterdir())
    status = main([*command.split(), str(strange / f"{what}.svg"), "--lang", "en"])
    said = capsys.readouterr()
    assert status in (1, 2), said
    assert len([*said.out.splitlines(), *said.err.splitlines()]) == 1
    assert sorted(one.name for one in strange.iterdir()) == before


@pytest.mark.parametrize("what", ["pipe", "full"])
def test_an_overlay_that_is_no_file_is_said_and_the_evening_goes_on(strange, what):
    words = ["play", "--plain", "--by-hand", "--new", "--players", "A,B,C", "--lang", "en"]
    files = ["--overlay", strange / f"{what}.svg", "--journal", strange / "j"]
    done = run(*words, *files, streams="</dev/null")
    assert "the evening goes on without it" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Turn up the next donkey" in done.stdout
    assert done.returncode == 0


BASES = {f"{name} {sub}".strip(): words for name, case in CASES.items() for sub, words in case.alone.items()}
NONSENSE = [
    *("", ".", "/", "..", "-1", "0", "1e9", "nan", "99999", "9" * 5000, "n" * 300, "a\nb", "\u202e"),
    *("2026-02-30", "http://a b/", "http://[", "=", ",", os.fsdecode(b"caf\xe9"), "~nobody/x"),
    *("pipe.svg", "folder.svg", "loop.svg", "full.svg", "unreadable.svg", "unreadable.svg/x"),
]


def below(parser, *name):
    """Return every command that can be typed, with its parser."""
    words = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not words:
        return {" ".join(name): parser}
    return {
        command: found
        for each in words
        for word, inner in each.items()
        for command, found in below(inner, *name, word).items()
    }


def tried(command, parser):
    """Give every line to be typed: a word that makes no sense for each option and argument."""
    usual = shlex.split(BASES[command])
    arguments = [action for action in parser._actions if not action.option_strings]
    for action in parser._actions:
        if action.nargs == 0 or action.choices or action.dest == "lang":
            continue
        for word in NONSENSE:
            if action.option_strings:
                name = action.option_strings[-1]
                yield [*usual, f"{name}={word}"] if action.nargs != 2 else [*usual, name, word, f"{word}!"]
            else:
                place = arguments.index(action)
                yield [
                    "--lang=en",
                    *usual[len(arguments) :],
                    "--",
                    *usual[:place],
                    word,
                    *usual[place + 1 : len(arguments)],
                ]


@pytest.mark.parametrize("command", BASES)
@pytest.mark.usefixtures("played", "in_time")
def test_what_makes_no_sense_is_refused_in_words(command, strange, capsys, monkeypatch):
    monkeypatch.chdir(strange)
    monkeypatch.setenv("PGHOST", "/none")
    monkeypatch.setattr("companion.equipment.board.BOARD_TIMEOUT", 0.0)
    set_help_language(["--lang", "en"])
    found = below(build_full_parser(list_commands()))
    assert found.keys() == BASES.keys()
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        for words in tried(command, found[command]):
            try:
                status = main([*command.split(), *words])
            except SystemExit as left:
                status = left.code
            said = capsys.readouterr()
            assert status in (0, 1, 2), (words, said)
            told = said.err.removeprefix(f"companion {command.split()[0]}: ").strip()
            assert len(told) > 20 or status != 2, (words, said)
            assert "None" not in told, (words, said)


PLUG_IN = {
    "prints": 'print("hello"); import os; os.write(1, b"from below\\n")',
    "ends": "raise SystemExit(3)",
    "hangs": "import threading; threading.Event().wait()",
    "fails": "raise ValueError('no')",
}


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A game that somebody else wrote, installed in a folder of its own."""

    def install(body):
        (tmp_path / "othergame.py").write_text(f"{body}\nGAME = None\n")
        about = tmp_path / "othergame-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: othergame\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[companion.games]\nother = othergame:GAME\n")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return install


REFEREE = """
import sys
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session
from companion.__main__ import main
registry.IMPORT_TIMEOUT = 0.2
sys.exit(main(["referee"]))
"""


@pytest.mark.parametrize("way", PLUG_IN)
def test_a_foreign_game_holds_up_and_ends_nothing_and_answers_stay_in_line(installed, way):
    installed(PLUG_IN[way])
    start = {"do": "start", "players": ["A", "B", "C"]}
    requests = [{"do": "nonsense"}, {**start, "game": "other"}, {**start, "game": "dtc"}]
    done = subprocess.run(
        [sys.executable, "-c", REFEREE],
        input="".join(json.dumps(one) + "\n" for one in requests),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [False, False, True]
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    if way == "prints":
        assert {"hello", "from below"} <= {*done.stderr.split("\n")}


def test_a_game_that_hangs_is_tried_once_until_its_files_change(installed, tmp_path):
    """Each try would cost every start of the program twenty seconds."""
    tries = tmp_path / "tries"
    body = f"open({str(tries)!r}, 'a').write('x'); "
    request = json.dumps({"do": "start", "game": "other", "players": ["A", "B", "C"]})

    def ask_referee():
        command = [sys.executable, "-c", REFEREE]
        done = subprocess.run(
            command, input=f"{request}\n{request}\n", capture_output=True, text=True, check=True
        )
        return [json.loads(line)["error"]["message"] for line in done.stdout.splitlines()]

    installed(body + PLUG_IN["hangs"])
    for _start in range(2):
        assert all("left out until its files change" in reason for reason in ask_referee())
    assert tries.read_text() == "x"
    (tmp_path / "othergame.py").write_text(body + PLUG_IN["fails"])
    assert all("ValueError: no" in reason for reason in ask_referee())


def test_a_game_that_would_end_the_program_is_said_to_be_unavailable(monkeypatch):
    class Point:
        name, value = "other", "othergame:GAME"

        def load(self):
            raise SystemExit(3)

    monkeypatch.setattr(registry, "list_entry_points", lambda _group: {"other": Point()})
    with pytest.raises(registry.GameUnavailable, match="SystemExit"):
        registry.load_game("other")


@pytest.mark.parametrize("fault", ["damaged", "read-only", "newer"])
def test_a_journal_that_cannot_be_opened_leaves_no_connection_open(tmp_path, monkeypatch, fault):
    file = tmp_path / "evening.sqlite3"
    with Store.open(file) as store:
        store.start_session(toy_setup())
    opened = []
    real = database_file.open_connection

    def connect(path, mode):
        opened.append(real(path, mode))
        return opened[-1]

    monkeypatch.setattr(database_file, "open_connection", connect)
    if fault == "damaged":
        whole = file.read_bytes()
        file.write_bytes(whole[:4096] + b"\xa5" * 4096 + whole[8192:])
    elif fault == "read-only":
        monkeypatch.setattr(database_file, "configure_for_writing", refuse)
    else:
        monkeypatch.setattr("companion.journal.schema.USER_VERSION", 1)
    for way in (Store.open, Store.open_read_only):
        with suppress(StorageFault):
            way(file).close()
    assert opened
    for one in opened:
        with pytest.raises(Exception, match="closed database"):
            one.execute("SELECT 1")


def refuse(_connection):
    raise OSError(30, "Read-only file system")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cards list", "cannot be read (the name is too long). Check its name and permissions."),
        ("play --plain --by-hand --zones", "cannot be read: the name is too long"),
        ("league join", "isn't the address of a league"),
        ("league serve --port 8650 --host", "not a valid computer name"),
    ],
)
def test_a_name_that_is_too_long_is_told_to_be_at_fault(words, said, capsys):
    assert main([*words.split(), "n" * 300, *(["CODE"] if "join" in words else []), "--lang", "en"]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_in_the_place_of_a_file_is_told_by_its_name(tmp_path, capsys):
    assert main(["tags", "import", str(tmp_path), "--deck", "dtc", "--lang", "en"]) == 2
    assert capsys.readouterr().err == f"companion tags: {tmp_path} cannot be used: it is a folder.\n"


def test_a_full_disk_is_told_with_the_file(capsys):
    assert main(["tags", "export", "/dev/full", "--deck", "dtc", "--lang", "en"]) == 2
    assert capsys.readouterr().err.startswith("companion tags: /dev/full cannot be used: ")


def test_a_pipe_is_no_journal_that_is_missing(strange, capsys):
    assert main(["history", "--journal", str(strange / "pipe.svg"), "--lang", "en"]) == 2
    assert "an ordinary file" in capsys.readouterr().err


def test_nobody_is_called_otherwise_who_has_no_name(capsys):
    assert main(["people", "--call", "", "Ann", "--lang", "en"]) == 2
    assert "can't be used as a name" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows asks for no HOME")
def test_without_a_home_it_is_said_what_to_set(monkeypatch, capsys):
    def nobody(_number):
        raise KeyError

    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert main(["history"]) == 2
    assert "set HOME to a folder of yours" in capsys.readouterr().err


def test_calibrate_without_a_screen_says_so(capsys):
    assert main(["calibrate", "--camera", "0", "--lang", "en"]) == 2
    assert "run `companion calibrate` in a terminal" in capsys.readouterr().err
