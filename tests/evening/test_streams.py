"""Whatever becomes of the standard streams, there is no traceback.

The other ends are the shell's own: `head`, and in `test_strange_streams_and_files.py` a closed
descriptor and `/dev/full`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from companion.__main__ import main
from companion.commands import history
from companion.crash import FILE, format_crash_report
from companion.folders import user_data_folder
from companion.journal.store import Store
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session

DTC = registry.load_game("dtc")
COMMANDS = {
    "one session": "history 1 --journal {file}",
    "export": "export --format json --journal {file}",
    "referee": "referee",
}


@pytest.fixture
def file(tmp_path):
    """A journal of 40 sessions, by a player whose name is not ASCII."""
    path = tmp_path / "evening.sqlite3"
    setup = Setup("dtc", ("Chloé", "Željko"), DTC.default_options({}), 1)
    with Store.open(path) as store:
        for _ in range(40):
            store.start_session(setup)
            session = Session(DTC, setup, store.append)
            offered = [one for name in setup.players for one in DTC.list_choices(session.state, name)]
            session.act(offered[0].request)
    return path


def shell(line, file, **environment):
    """Run `companion LINE` in a shell, which sets up the streams."""
    command, _, ends = line.partition(" % ")
    words = f"{sys.executable} -m companion {command.format(file=file)} {ends}"
    return subprocess.run(
        ["sh", "-c", words],
        input='{"do":"view"}\n',
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_DATA_HOME": str(file.parent), **environment},
    )


def test_a_reader_that_leaves_brings_no_traceback(file):
    for name in ("export", "referee"):
        done = shell(f"{COMMANDS[name]} % | head -n 1", file)
        assert "Traceback" not in done.stderr, (name, done.stderr)
        assert "Exception ignored" not in done.stderr, (name, done.stderr)
        assert "None" not in done.stderr
        assert done.stderr.count("\n") <= 1


def test_an_output_that_knows_only_ascii_gets_escapes_and_an_export_its_letters(file):
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = shell(COMMANDS["one session"], file, **plain)
    assert done.returncode == 0, done.stderr
    assert "Chlo\\xe9" in done.stdout
    export = shell(COMMANDS["export"], file, **plain)
    assert json.loads(export.stdout)["sessions"][0]["players"] == ["Chloé", "Željko"]


def test_a_mistake_of_ours_is_one_sentence_and_a_report_without_values(monkeypatch, capsys, file):
    def broken(_arguments):
        card = "load:red:7"
        raise RuntimeError(f"stumbled over {card}")

    monkeypatch.setattr(history, "run", broken)
    assert main(["history", "--lang", "fr"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("companion history: Le programme a planté (RuntimeError)")
    report = (user_data_folder() / FILE).read_text()
    assert "broken" in report
    assert "load:red:7" not in report + said
    assert (user_data_folder() / FILE).stat().st_mode & 0o777 == 0o600


def test_a_report_tells_what_led_to_the_mistake():
    try:
        try:
            raise KeyError("load:red:7")
        except KeyError as first:
            raise ValueError("load:red:7") from first
    except ValueError as fault:
        report = format_crash_report(fault)
    assert "KeyError" in report
    assert "load:red:7" not in report


def test_a_seed_that_is_no_text_is_refused(capfd):
    done = subprocess.run(
        [sys.executable, "-m", "companion", "play", "--plain", "--seed", b"\xff\xfe"],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
