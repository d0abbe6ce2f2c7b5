"""Files that are no journal or are damaged, and places that cannot be used, are left as they are,
and said in words."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from companion.journal import schema
from companion.journal.database_file import StorageFault
from companion.journal.store import Store
from tests.journal.played import evening, play_a_round, trouble_of
from tests.toy import toy_setup


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"Ann: 12 points, Ben: 7 points\n", "journal.foreign"),
        (b"SQLite format 3\0" + bytes(2000), "journal.foreign"),
        (b"\0", "journal.foreign"),
    ],
)
def test_a_file_that_is_no_journal_is_left_as_it_is(file, content, code):
    file.write_bytes(content)
    assert trouble_of(Store.open, file) == code
    assert trouble_of(Store.open_read_only, file) == code
    assert file.read_bytes() == content


def test_the_database_of_another_program_is_left_as_it_is(file):
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("CREATE TABLE recipes (soup TEXT)")
    other.close()
    before = file.read_bytes()
    assert trouble_of(Store.open, file) == "journal.foreign"
    assert file.read_bytes() == before


def test_a_newer_programs_journal_is_left_as_it_is(file):
    evening(file)[0].close()
    with closing(sqlite3.connect(file)) as newer, newer:
        newer.execute(f"PRAGMA user_version = {schema.USER_VERSION + 1}")
    newer.close()
    before = file.read_bytes()
    assert trouble_of(Store.open, file) == "journal.newer"
    assert file.read_bytes() == before


def long_evening(file):
    store, session = evening(file, setup=toy_setup(rounds=40))
    for _ in range(40):
        play_a_round(session, 3, 4)
    store.close()
    return file.read_bytes()


@pytest.mark.parametrize("page", [1, 2, 3, 4, -1])
def test_a_page_of_rubbish_is_found_before_anything_is_written(file, page):
    whole = long_evening(file)
    start = page * 4096 if page > 0 else len(whole) - 4096
    damaged = whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :]
    file.write_bytes(damaged)
    assert trouble_of(Store.open, file) in {"journal.damaged", "journal.damaged_session"}
    assert file.read_bytes() == damaged


@pytest.mark.parametrize("length", [1, 99, 4096, 10_000])
def test_a_journal_cut_short_is_left_as_it_is(file, length):
    whole = long_evening(file)
    file.write_bytes(whole[:length])
    assert trouble_of(Store.open, file) in {"journal.damaged", "journal.foreign"}
    assert file.read_bytes() == whole[:length]


def test_one_changed_digit_in_an_act_is_found(file):
    whole = long_evening(file)
    assert whole.count(b'"value":4') > 10
    damaged = whole.replace(b'"value":4', b'"value":5', 1)
    file.write_bytes(damaged)
    assert trouble_of(Store.open, file) == "journal.damaged_session"
    assert file.read_bytes() == damaged


def test_a_missing_act_is_found(file):
    long_evening(file)
    with closing(sqlite3.connect(file)) as thief, thief:
        thief.execute("DELETE FROM entries WHERE sequence = 7")
    thief.close()
    assert trouble_of(Store.open, file) == "journal.damaged_session"


def test_a_journal_emptied_beside_an_older_programs_log_is_not_begun_anew(file):
    """Older programs kept an evening in a log until they ended."""
    evening(file)[0].close()
    older = sqlite3.connect(file)
    older.execute("PRAGMA journal_mode = WAL")
    older.execute("UPDATE sessions SET begun = begun + 1")
    older.commit()
    log = file.with_name(file.name + "-wal")
    kept = log.read_bytes()
    older.close()
    log.write_bytes(kept)
    file.write_bytes(b"")
    assert trouble_of(Store.open, file) == "journal.damaged"
    assert log.read_bytes() == kept


def test_a_folder_is_no_journal(tmp_path):
    assert trouble_of(Store.open, tmp_path) == "journal.folder"


def test_no_journal_is_made_by_looking(file):
    assert trouble_of(Store.open_read_only, file) == "journal.none"
    assert not file.exists()


def test_a_folder_that_is_missing_is_made(tmp_path):
    evening(tmp_path / "games" / "friday" / "one.sqlite3")[0].close()
    assert (tmp_path / "games" / "friday" / "one.sqlite3").exists()


def test_a_place_below_a_file_cannot_be_written(file):
    file.write_bytes(b"")
    assert trouble_of(Store.open, file / "journal.sqlite3") == "journal.read_only"


def test_damage_that_sqlite_quotes_in_bytes_that_are_no_text_is_said(file):
    """Its message names the damaged row's own bytes."""
    store, session = evening(file)
    play_a_round(session, 3, 4)
    store.close()
    whole, said = file.read_bytes(), set()
    for at in range(100, len(whole), 37):
        file.write_bytes(whole[:at] + b"\xf2\x8e\xa3" + whole[at + 3 :])
        try:
            with Store.open(file) as again:
                again.read_session(1)
        except StorageFault as fault:
            said.add(fault.text.code)
        for rest in file.parent.glob(f"{file.name}-*"):
            rest.unlink()
    assert "journal.damaged" in said
