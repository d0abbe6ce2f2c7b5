"""After an evening went on in a file beside the journal, the next start finds it there, and the
journal gets it as soon as it is whole again."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from companion.journal.checkpoint import checkpoint_path, read_checkpoint
from companion.journal.journal import Journal
from companion.journal.sidecar_files import SessionNotes, read_notes, save_notes
from companion.journal.store import Store, journal_exists
from companion.rules.session import Session
from tests.journal.played import play_a_round, trouble_of
from tests.toy import TOY, Lay, toy_setup


def damage(file, _older):
    data = bytearray(file.read_bytes())
    data[8192:11192] = os.urandom(3000)
    # Written over in place: the program has the file open.
    with file.open("r+b") as opened:
        opened.write(data)


def delete(file, _older):
    file.unlink()


def replace_by_older_copy(file, older):
    Path(older).replace(file)


def replace_by_another_journal(file, _older):
    other = file.with_name("other.sqlite3")
    with Store.open(other) as store:
        store.start_session(toy_setup("Eve", "Flo"))
        Session(TOY, toy_setup("Eve", "Flo"), store.append).act(Lay("Eve"))
    other.replace(file)


HARMS = [damage, delete, replace_by_older_copy, replace_by_another_journal]


def play_and_harm(file, harm):
    """Play two evenings, in the second of which the file is harmed; then the laptop dies. Return
    the acts of the second."""
    journal = Journal.open(file)
    journal.start_session(toy_setup("Cleo", "Dan"))
    play_a_round(Session(TOY, toy_setup("Cleo", "Dan"), journal.append), 5, 6)
    setup = toy_setup(rounds=20)
    journal.start_session(setup)
    session = Session(TOY, setup, journal.append)
    play_a_round(session, 3, 4)
    older = shutil.copy(file, file.with_name("older"))
    play_a_round(session, 5, 4)
    harm(file, older)
    play_a_round(session, 9, 8)
    assert journal.path.name == "evening-2.sqlite3"
    assert journal.trouble is None
    journal._store._release_file()  # what the system does for a program that is killed
    return session.list_acts()


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_the_next_start_finds_the_evening(file, harm):
    acts = play_and_harm(file, harm)
    with Store.open_read_only(file) as look:
        assert look.find_last_session() is not None
    journal = Journal.open(file)
    assert journal.trouble is None
    offered = journal.list_unfinished()
    evening = next(one for one in offered if one.players == ("Ann", "Ben"))
    saved = journal.read_session(evening.number)
    assert saved.restore_session().list_acts() == acts
    journal.continue_session(saved)
    session = saved.restore_session(journal.append)
    session.act(Lay("Ann"))
    assert (journal.trouble, journal.pending_count) == (None, 0)
    notice = journal.relocation_notice
    journal.close()
    assert journal_exists(file)
    if harm is damage:
        assert notice.code == "journal.continued"
        return
    assert notice.code == "journal.merged"
    with Store.open(file) as store:
        assert store.notice is None
        lengths = [row.entries for row in store.list_sessions()]
        assert lengths == ([1, 4, 13] if harm is replace_by_another_journal else [4, 13])


def test_a_file_that_is_whole_again_gets_what_was_played_since(file):
    acts = play_and_harm(file, damage)
    shutil.copy(file.with_name("older"), file)
    with Store.open(file) as store:
        assert store.notice.code == "journal.merged"
        assert [row.entries for row in store.list_sessions()] == [4, 12]
        assert store.read_session(2).restore_session().list_acts() == acts
        assert len(store.read_session(1).entries) == 4
    # Once: what is played from now on is played here.
    with Store.open(file) as store:
        assert store.notice is None
        assert store.path == file


def test_an_evening_that_went_on_in_both_files_is_kept_twice(file):
    acts = play_and_harm(file, delete)
    shutil.copy(file.with_name("older"), file)
    file.with_name(file.name + ".mark").unlink()
    beside = file.with_name("evening-2.sqlite3")
    hidden = shutil.move(beside, file.with_name("hidden"))
    with Store.open(file) as store:
        session = store.resume_session(2).restore_session(store.append)
        play_a_round(session, 1, 2)
        other_acts = session.list_acts()
    shutil.move(hidden, beside)
    with Store.open(file) as store:
        found = [
            store.read_session(row.number).restore_session().list_acts() for row in store.list_sessions()
        ]
    assert found[1:] == [other_acts, acts]


def test_notes_beside_the_continuation_come_along(file):
    play_and_harm(file, delete)
    beside = file.with_name("evening-2.sqlite3")
    with Store.open_read_only(beside) as look:
        begun = look.read_session(2).begun
    save_notes(beside, 2, begun, SessionNotes("at Zoé's", "rain"))
    Store.open(file).close()
    assert read_notes(file, 2, begun) == SessionNotes("at Zoé's", "rain")


@pytest.mark.parametrize("whole", [False, True])
def test_names_beside_the_log_come_along_too(file, whole):
    names = {"s1": "Zoé", "s2": "Max", "g1": "Eve"}
    journal = Journal.open(file)
    journal.start_session(toy_setup("s1", "s2"), names)
    session = Session(TOY, toy_setup("s1", "s2"), journal.append)
    session.act(Lay("s1"))
    older = shutil.copy(file, file.with_name("older"))
    delete(file, older)
    session.act(Lay("s2"))
    journal.rename_player("s2", "Maxi")
    journal._store._release_file()
    if whole:
        shutil.copy(older, file)
    with Store.open(file) as store:
        (row,) = store.list_sessions()
        assert row.entries == 2
        assert store.read_names(row.number) == (names if whole else names | {"s2": "Maxi"})
        assert store.read_names(row.number + 1) == {}


def test_after_a_merge_the_checkpoint_is_that_of_the_newest_session(file):
    play_and_harm(file, delete)
    setup = toy_setup("Eve", "Flo")
    with Store.open(file.with_name("evening-2.sqlite3")) as store:
        store.start_session(setup)
        Session(TOY, setup, store.append).act(Lay("Eve"))
    store = Store.open(file)
    mark = read_checkpoint(file)
    assert [row.entries for row in store.list_sessions()] == [4, 12, 1]
    assert (mark.session, mark.entries, mark.total) == (3, 1, 17)
    assert store.read_current_session() is None
    store.close()


def test_a_continuation_that_another_program_plays_in_is_left_to_it(file):
    play_and_harm(file, delete)
    with Store.open(file.with_name("evening-2.sqlite3")):
        assert trouble_of(Store.open, file) == "journal.locked"


def cut_session(file, number):
    """Let the last two entries of a session be missing, and return them. No mark tells that."""
    checkpoint_path(file).unlink(missing_ok=True)
    which = "session = ? AND sequence >= (SELECT max(sequence) - 1 FROM entries WHERE session = ?)"
    connection = sqlite3.connect(file)
    with connection:
        rows = connection.execute(f"SELECT * FROM entries WHERE {which}", (number, number)).fetchall()
        connection.execute(f"DELETE FROM entries WHERE {which}", (number, number))
    connection.close()
    return rows


def restore_rows(file, rows):
    connection = sqlite3.connect(file)
    with connection:
        connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.close()


def test_a_continuation_that_lacks_what_was_saved_is_reported_and_stops_no_start(file):
    play_and_harm(file, delete)
    beside = file.with_name("evening-2.sqlite3")
    shutil.copy(beside, file.with_name("earlier"))
    setup = toy_setup("Eve", "Flo")
    with Store.open(beside) as store:
        store.start_session(setup)
        Session(TOY, setup, store.append).act(Lay("Eve"))
        whole = shutil.copy(beside, file.with_name("whole"))
    shutil.copy(file.with_name("earlier"), beside)
    for _start in range(2):
        with Store.open(file) as store:
            assert (store.notice.code, store.notice.args["file"]) == ("journal.lacks", str(beside))
            assert list_lengths(store) == []
    shutil.copy(whole, beside)
    with Store.open(file) as store:
        assert store.notice.code == "journal.merged"
        assert sorted(list_lengths(store)) == [1, 4, 12]


def list_lengths(store):
    return [len(store.read_session(row.number).entries) for row in store.list_sessions()]


def test_a_session_that_lost_its_end_beside_is_reported_and_not_copied_shortened(file):
    play_and_harm(file, delete)
    beside = file.with_name("evening-2.sqlite3")
    rows = cut_session(beside, 1)
    for _start in range(2):
        with Store.open(file) as store:
            assert (store.notice.code, store.notice.args["number"]) == ("journal.damaged_session", 1)
            assert store.notice.args["file"] == str(beside)
            assert list_lengths(store) == [12]
    # It was not forgotten: once it is whole again, the journal gets it.
    restore_rows(beside, rows)
    with Store.open(file) as store:
        assert store.notice.code == "journal.merged"
        assert sorted(list_lengths(store)) == [4, 12]


def test_a_session_that_lost_its_end_beside_is_no_loss_where_the_journal_has_it_whole(file):
    acts = play_and_harm(file, delete)
    cut_session(file.with_name("evening-2.sqlite3"), 1)
    shutil.copy(file.with_name("older"), file)
    for notice in ("journal.merged", None):
        with Store.open(file) as store:
            assert getattr(store.notice, "code", None) == notice
            assert list_lengths(store) == [4, 12]
            assert store.read_session(2).restore_session().list_acts() == acts


def test_a_session_that_lost_its_end_in_the_journal_gets_it_from_beside(file):
    play_and_harm(file, delete)
    shutil.copy(file.with_name("older"), file)
    cut_session(file, 1)
    with Store.open(file) as store:
        assert store.notice.code == "journal.merged"
        assert list_lengths(store) == [4, 12]


def test_a_session_that_is_damaged_in_the_journal_is_copied_whole_from_beside(file):
    play_and_harm(file, delete)
    shutil.copy(file.with_name("older"), file)
    file.with_name(file.name + ".mark").unlink()
    connection = sqlite3.connect(file)
    with connection:
        connection.execute("UPDATE entries SET at = 7 WHERE session = 1 AND sequence = 1")
    connection.close()
    with Store.open(file) as store:
        assert store.notice.code == "journal.merged"
        assert [trouble_of(store.read_session, 1), *map(len, (store.read_session(2).entries,))] == [
            "journal.damaged_session",
            12,
        ]
        assert len(store.read_session(3).entries) == 4
