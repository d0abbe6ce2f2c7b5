"""*Kept* is proved: an evening lies in the one file, and what is missing of it is said, whichever
file was damaged, replaced or copied."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from companion.__main__ import main
from companion.journal import checkpoint, schema
from companion.journal.journal import CHECK_INTERVAL, Journal
from companion.journal.store import Store
from companion.rules.session import Session
from tests.journal.played import evening, play_a_round, trouble_of
from tests.toy import TOY, Lay, toy_setup

ROUNDS = 15


def played(file, rounds=ROUNDS):
    """Play rounds of four entries each into a journal that stays open."""
    journal = Journal.open(file)
    setup = toy_setup(rounds=100)
    journal.start_session(setup)
    session = Session(TOY, setup, journal.append)
    for _ in range(rounds):
        play_a_round(session, 3, 4)
    return journal, session


def killed(file):
    """Play sixty entries in a program that is killed: nothing is closed."""
    program = """
import os, signal, sys
from tests.journal.test_proof_of_keeping import played
kept = played(sys.argv[1])
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program, file], check=False)


def test_after_a_kill_the_one_file_holds_the_evening(file, tmp_path):
    killed(file)
    alone = tmp_path / "elsewhere" / "copy.sqlite3"
    alone.parent.mkdir()
    shutil.copy(file, alone)
    with Store.open_read_only(alone) as look:
        assert len(look.read_session(1).entries) == 60
    with Store.open(alone) as again:
        assert len(again.read_session(1).entries) == 60


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize("harm", ["cut", "flipped", "deleted"])
def test_nothing_beside_the_file_is_needed(file, suffix, harm):
    killed(file)
    beside = file.with_name(file.name + suffix)
    if beside.exists():
        whole = beside.read_bytes()
        if harm == "deleted":
            beside.unlink()
        else:
            half = len(whole) // 2
            beside.write_bytes(whole[:half] if harm == "cut" else whole[:half] + b"\xa5" + whole[half + 1 :])
    with Store.open(file) as again:
        assert len(again.read_session(1).entries) == 60


def test_an_older_copy_in_its_place_is_said_and_left_as_it_is(file, capsys):
    journal, session = played(file, 5)
    older = file.read_bytes()
    for _ in range(10):
        play_a_round(session, 3, 4)
    journal.close()
    file.write_bytes(older)
    journal = Journal.open(file)
    assert (journal.trouble.code, journal.trouble.args["held"], journal.trouble.args["here"]) == (
        "journal.lacks",
        60,
        20,
    )
    journal.close()
    assert file.read_bytes() == older
    assert main(["history", "--journal", str(file)]) == 1
    told = capsys.readouterr()
    assert "Ann" in told.out
    assert "should have 60 entries, but has 20" in told.err
    checkpoint.checkpoint_path(file).unlink()  # what the sentence says
    with Store.open(file) as again:
        assert len(again.read_session(1).entries) == 20


def test_an_older_copy_that_was_played_on_is_said(file):
    journal, session = played(file, 5)
    older = file.read_bytes()
    play_a_round(session, 3, 4)
    journal.close()
    other = file.with_name("other.sqlite3")
    other.write_bytes(older)
    with Store.open(other) as store:
        again = store.resume_session(1).restore_session(store.append)
        for _ in range(3):
            play_a_round(again, 8, 9)
    shutil.copy(other, file)
    assert trouble_of(Store.open, file) == "journal.other"


def test_a_journal_emptied_is_not_begun_anew(file):
    played(file)[0].close()
    file.write_bytes(b"")
    assert trouble_of(Store.open, file) == "journal.lacks"
    assert trouble_of(Store.open_read_only, file) == "journal.lacks"
    assert file.read_bytes() == b""


def test_a_journal_that_is_gone_is_told_once_the_new_one_is_begun(file):
    played(file)[0].close()
    file.unlink()
    assert trouble_of(Store.open_read_only, file) == "journal.lacks"
    journal, _session = played(file)
    assert journal.trouble is None
    assert (journal.relocation_notice.code, journal.relocation_notice.args["held"]) == ("journal.gone", 60)
    journal.close()
    with Store.open(file) as store:
        assert store.notice is None


@pytest.mark.parametrize("harm", ["missing", "torn", "older", "a pipe"])
def test_a_mark_that_proves_less_is_no_fault(file, harm):
    journal, session = played(file, 5)
    own = checkpoint.checkpoint_path(file)
    older = own.read_bytes()
    play_a_round(session, 3, 4)
    journal.close()
    own.unlink()
    if harm == "torn":
        own.write_bytes(older[:40])
    elif harm == "older":
        own.write_bytes(older)
    elif harm == "a pipe":
        os.mkfifo(own)
    with Store.open(file) as again:
        session = again.resume_session(1).restore_session(again.append)
        session.act(Lay("Ann"))
    with Store.open_read_only(file) as look:
        assert (look.notice, len(look.read_session(1).entries)) == (None, 25)


def test_a_second_copy_of_the_mark_is_not_needed_on_another_computer(file, tmp_path):
    played(file)[0].close()
    moved = tmp_path / "other" / "journal.sqlite3"
    moved.parent.mkdir()
    shutil.copy(file, moved)
    with Store.open(moved) as store:
        store.resume_session(1)
    with Store.open_read_only(moved) as look:
        assert look.notice is None


def test_the_mark_is_the_head_of_the_chain_as_anybody_computes_it(file):
    store, session = evening(file)
    play_a_round(session, 3, 4)
    store.close()
    with closing(sqlite3.connect(file)) as rows, rows:
        link = schema.compute_first_link(*rows.execute("SELECT game, setup, begun FROM sessions").fetchone())
        for row in rows.execute("SELECT sequence, written, kind, at, format, acts FROM entries"):
            link = schema.compute_next_link(link, *row)
    rows.close()
    assert checkpoint.read_checkpoint(file) == checkpoint.Checkpoint(1, 4, link.hex(), 4)


def cut(file):
    os.truncate(file, file.stat().st_size - 4096)


def emptied(file):
    os.truncate(file, 0)


def overwritten(file):
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xa5" * (file.stat().st_size - 4096))


def one_digit(file):
    whole = file.read_bytes()
    at = whole.index(b'"value":4')
    with file.open("r+b") as opened:
        opened.seek(at)
        opened.write(b'"value":5')


def a_row_taken_out(file):
    with closing(sqlite3.connect(file)) as thief, thief:
        thief.execute("DELETE FROM entries WHERE sequence = 7")
    thief.close()


def an_older_session_taken_out(file):
    with closing(sqlite3.connect(file)) as thief, thief:
        thief.execute("DELETE FROM entries WHERE session = 1")
    thief.close()


HARMS = [cut, emptied, overwritten, one_digit, a_row_taken_out, an_older_session_taken_out]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("seen_by", ["a look", "the next act"])
def test_damage_while_playing_is_seen_and_the_evening_goes_on_whole_in_a_file_beside(file, harm, seen_by):
    played(file, 2)[0].close()
    journal, session = played(file)
    harm(file)
    damaged = file.read_bytes()
    if seen_by == "a look":
        journal.run_maintenance(0.0)
    else:
        session.act(Lay("Ann"))
    assert (journal.trouble, journal.relocation_notice.code) == (None, "journal.hurt")
    session.act(Lay("Ben"))
    assert file.read_bytes() == damaged, "what is damaged is left for who can mend it"
    new = file.with_name("evening-2.sqlite3")
    assert journal.path == new
    number = journal.read_current_session().number
    with Store.open_read_only(new) as look:  # as after a kill: nothing was closed
        assert look.read_session(number).restore_session().list_acts() == session.list_acts()
    journal.close()
    with Store.open(new) as again:
        assert again.resume_session(number).restore_session(again.append).state == session.state


def test_damage_where_there_is_no_room_for_another_file_is_said_until_there_is(file, monkeypatch):
    journal, session = played(file)
    cut(file)
    with monkeypatch.context() as patch:
        patch.setattr("companion.journal.database_file.create_file", no_room)
        session.act(Lay("Ann"))
        assert (journal.trouble.code, journal.pending_count) == ("journal.full", 1)
        journal.run_maintenance(CHECK_INTERVAL)
        assert journal.trouble.code == "journal.full"
    assert not file.with_name("evening-2.sqlite3").exists()
    journal.run_maintenance(CHECK_INTERVAL)
    assert journal.trouble is not None, "it is asked every two seconds only"
    journal.run_maintenance(2 * CHECK_INTERVAL)
    assert (journal.trouble, journal.pending_count) == (None, 0)
    assert len(journal.read_current_session().entries) == len(session.list_acts())
    journal.close()


def no_room(_path):
    raise OSError(28, "No space left on device")


def test_an_entry_that_is_there_and_cannot_be_read_back_for_now_is_not_written_twice(file, monkeypatch):
    journal, session = played(file)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "_open_reader", too_many_files)
        session.act(Lay("Ann"))
        journal.run_maintenance(0.0)
        assert journal.trouble.code == "journal.unusable", "it is said as long as nobody can look"
        session.act(Lay("Ben"))
    journal.run_maintenance(CHECK_INTERVAL)
    assert (journal.trouble, journal.relocation_notice, journal.pending_count) == (None, None, 0)
    assert journal.read_current_session().restore_session().list_acts() == session.list_acts()
    journal.close()


def too_many_files(_store):
    raise OSError(24, "Too many open files")


def test_whoever_keeps_without_a_table_is_not_told_that_an_entry_that_is_there_is_not(file, monkeypatch):
    store, session = evening(file)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "_open_reader", too_many_files)
        session.act(Lay("Ann"))  # as the referee does: it would be refused, and sent again
    assert store.read_session(1).restore_session().list_acts() == session.list_acts()
    store.close()


def test_an_entry_that_came_in_damaged_is_not_written_twice_when_there_is_room_again(file, monkeypatch):
    journal, session = played(file)
    real = checkpoint.write_checkpoint

    def damage(path, now, **how):
        real(path, now, **how)
        cut(file)

    with monkeypatch.context() as patch:
        patch.setattr("companion.journal.database_file.create_file", no_room)
        patch.setattr("companion.journal.store.write_checkpoint", damage)
        session.act(Lay("Ann"))
        journal.run_maintenance(0.0)
        assert journal.trouble.code == "journal.full"
    journal.run_maintenance(CHECK_INTERVAL)
    assert (journal.trouble, journal.relocation_notice.code, journal.pending_count) == (
        None,
        "journal.hurt",
        0,
    )
    assert journal.read_current_session().restore_session().list_acts() == session.list_acts()
    journal.close()


def test_a_file_that_was_touched_and_is_whole_is_written_on(file):
    journal, session = played(file)
    file.touch()
    file.chmod(0o400)
    file.chmod(0o600)
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("VACUUM")
    other.close()
    session.act(Lay("Ann"))
    assert (journal.trouble, journal.relocation_notice, journal.path) == (None, None, file)
    journal.close()


def test_what_waits_is_written_without_an_act_when_there_is_room(file, monkeypatch):
    journal, session = played(file)
    journal._store._db.execute("PRAGMA max_page_count = 1")
    while journal.trouble is None:
        session.act(Lay("Ann"))
        session.undo()
    journal._store._db.execute("PRAGMA max_page_count = 10000")
    journal.run_maintenance(0.0)
    assert (journal.trouble, journal.pending_count) == (None, 0)
    journal.close()


def test_a_closed_journal_stands_alone(file):
    played(file)[0].close()
    main(["history", "--journal", str(file)])
    assert sorted(one.name for one in file.parent.iterdir()) == [
        "evening.sqlite3",
        "evening.sqlite3.lock",
        "evening.sqlite3.mark",
    ]


def test_looking_leaves_nothing_beside_an_older_programs_journal(file, tmp_path):
    evening(file)[0].close()
    with closing(sqlite3.connect(file)) as older, older:
        older.execute("PRAGMA journal_mode = WAL")
    older.close()
    before = sorted(tmp_path.iterdir())
    main(["history", "--journal", str(file)])
    assert sorted(tmp_path.iterdir()) == before


def test_an_older_programs_log_is_taken_in_on_opening(file):
    """As it is left by a crash: the evening is in the log alone."""
    evening(file)[0].close()
    older = sqlite3.connect(file, isolation_level=None)
    older.execute("PRAGMA journal_mode = WAL")
    older.execute("PRAGMA wal_autocheckpoint = 0")
    intruder = Store(file, older)
    session = intruder.resume_session(1).restore_session(intruder.append)
    play_a_round(session, 3, 4)
    crashed = file.with_name("crashed.sqlite3")
    shutil.copy(file, crashed)
    shutil.copy(file.with_name(file.name + "-wal"), crashed.with_name(crashed.name + "-wal"))
    intruder.close()
    with Store.open(crashed) as again:
        assert len(again.read_session(1).entries) == 4
    assert not crashed.with_name(crashed.name + "-wal").exists()


def test_a_commit_that_a_kill_broke_off_is_taken_back_by_who_looks(file):
    """The file for taking back is left as in the middle of a commit."""
    program = """
import os, signal, sqlite3, sys
rows = sqlite3.connect(sys.argv[1], isolation_level=None)
rows.execute("PRAGMA cache_size = 1")
rows.execute("BEGIN")
rows.execute("CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
             " SELECT i, zeroblob(100) FROM n")
rows.execute("UPDATE entries SET written = 0")
os.kill(os.getpid(), signal.SIGKILL)
"""
    played(file)[0].close()
    subprocess.run([sys.executable, "-c", program, file], check=False)
    assert file.with_name(file.name + "-journal").stat().st_size
    with Store.open_read_only(file) as look:
        assert (look.notice, len(look.read_session(1).entries)) == (None, 60)
