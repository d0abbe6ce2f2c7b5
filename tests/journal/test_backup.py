"""A backup is a whole copy of one moment, however much is written meanwhile, or no file at all."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from companion import user_files
from companion.__main__ import main
from companion.journal.backup import save_backup
from companion.journal.sidecar_files import SessionNotes, read_notes, save_notes
from companion.journal.store import Store
from companion.rules.contract import Problem
from companion.user_files import write_file
from tests.journal.played import evening, play_a_round
from tests.toy import Lay


def read_entries(path: Path) -> list[list[str]]:
    """Return every session's entries, each as one text."""
    with Store.open(path) as store:
        rows = store.list_sessions()
        return [list(map(repr, store.read_session(row.number).entries)) for row in rows]


def test_a_backup_holds_everything_and_notes_too_and_is_private(file, tmp_path, capsys):
    store, session = evening(file)
    play_a_round(session, 3, 9)
    saved = store.read_session(1)
    save_notes(file, 1, saved.begun, SessionNotes("Lyon"))
    target = tmp_path / "new folder" / "copy.sqlite3"
    assert main(["history", "--journal", str(file), "--backup", str(target)]) == 0
    store.close()
    assert "1 session" in capsys.readouterr().out
    assert read_entries(target) == read_entries(file)
    assert read_notes(target, 1, saved.begun) == SessionNotes("Lyon")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_every_backup_made_while_somebody_plays_is_whole(file, tmp_path):
    """Of each moment it holds the entries from the first on."""
    store, session = evening(file)

    def play() -> None:
        session.act(Lay("Ann"))
        for _ in range(150):
            session.undo()
            session.redo()

    player = threading.Thread(target=play)
    player.start()
    copies, has_ended = [], False
    while not has_ended:
        has_ended = not player.is_alive()
        copies.append(tmp_path / f"copy-{len(copies)}.sqlite3")
        with Store.open_read_only(file) as reading:
            assert save_backup(reading, copies[-1]) == []
    player.join()
    store.close()
    (whole,) = read_entries(file)
    counts = [len(entries) for copy in copies for entries in read_entries(copy)]
    assert counts == sorted(counts)
    assert all(read_entries(copy) == [whole[:count]] for copy, count in zip(copies, counts, strict=True))
    assert counts[-1] == len(whole) == 301


def test_no_file_is_replaced_by_a_backup(file, tmp_path, capsys):
    evening(file)[0].close()
    taken = tmp_path / "taken.sqlite3"
    taken.write_text("something else")
    for target in (taken, file):
        before = target.read_bytes()
        assert main(["history", "--journal", str(file), "--backup", str(target)]) == 2
        assert "already exists" in capsys.readouterr().err
        assert target.read_bytes() == before


def test_a_session_that_is_damaged_is_backed_up_and_reported(file, tmp_path, capsys):
    store, session = evening(file)
    play_a_round(session, 3, 9)
    store.close()
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("DELETE FROM entries WHERE sequence = 3")
    connection.close()
    target = tmp_path / "copy.sqlite3"
    assert main(["history", "--journal", str(file), "--backup", str(target)]) == 1
    printed = capsys.readouterr()
    assert f"Session 1 in the journal {file} is damaged" in printed.err
    assert target.exists()


def test_a_damaged_journal_or_an_interrupted_backup_leaves_no_file(file, tmp_path):
    store, session = evening(file)
    play_a_round(session, 3, 9)
    store.close()
    whole = file.read_bytes()
    with Store.open_read_only(file) as reading:
        file.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
        with pytest.raises(Problem):
            save_backup(reading, tmp_path / "copy.sqlite3")
    assert [one for one in tmp_path.iterdir() if "copy" in one.name] == []


def test_an_error_that_leaves_it_open_whether_something_was_saved_says_so(
    file, tmp_path, monkeypatch, capsys
):
    store, session = evening(file)
    play_a_round(session, 3, 9)
    store.close()

    def fail(folder):
        raise OSError(errno.EIO, "Input/output error", str(folder))

    monkeypatch.setattr(user_files, "sync_folder", fail)
    for option, target in (("--backup", "copy.sqlite3"), ("--page", "evening.html")):
        words = ["--journal", str(file), option, str(tmp_path / target), *["1"] * (option == "--page")]
        assert main(["history", *words]) == 2
        assert "uncertain whether it was saved" in capsys.readouterr().err


def test_a_file_that_is_being_written_keeps_the_old_contents_until_the_new_ones_are_whole(tmp_path):
    there = tmp_path / "for others.csv"
    there.write_text("old")
    there.chmod(0o644)

    def make_pieces():
        yield b"half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_file(there, make_pieces())
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(there.name, "old")]
    write_file(there, [b"new"])
    assert there.read_text() == "new"
    assert stat.S_IMODE(there.stat().st_mode) == 0o644


def test_a_link_stays_and_a_pipe_is_written_to(tmp_path):
    link, there = tmp_path / "link.csv", tmp_path / "there.csv"
    link.symlink_to(there)
    write_file(link, [b"new"])
    assert (link.is_symlink(), there.read_bytes()) == (True, b"new")
    reading, writing = os.pipe()
    write_file(Path(f"/dev/fd/{writing}"), [b"through"])
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"through"


@pytest.mark.parametrize("name", ["SQLITE_FULL", None])
def test_what_sqlite_does_not_name_counts_as_damage_of_the_copy(file, tmp_path, monkeypatch, name):
    store, _ = evening(file)

    def fail(_store, _target):
        fault = sqlite3.DatabaseError("file is not a database")
        if name:
            fault.sqlite_errorname = name
        raise fault

    monkeypatch.setattr(Store, "copy_database", fail)
    with pytest.raises(Problem) as error:
        save_backup(store, tmp_path / "copy.sqlite3")
    store.close()
    assert error.value.text.code == "backup.not_written"
    assert error.value.text.args["reason"] == (name or "SQLITE_CORRUPT")
    assert not (tmp_path / "copy.sqlite3").exists()
