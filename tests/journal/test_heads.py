"""Each session's length and head of its chain are stored with it: a session that lost its end is
not taken for one that was shorter."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from companion.journal import schema
from companion.journal.store import Store
from companion.rules.session import Session
from tests.journal.played import evening, play_a_round, trouble_of
from tests.toy import TOY, toy_setup

VERSION_1 = Path(__file__).with_name("version_1.sqlite3")


def change(file, *statements):
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def two_evenings(file):
    store, session = evening(file)
    play_a_round(session, 3, 4)
    store.start_session(toy_setup("Cleo", "Dan"))
    play_a_round(Session(TOY, toy_setup("Cleo", "Dan"), store.append), 5, 6)
    store.close()


@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM entries WHERE session = 1 AND sequence >= 2",
        "DELETE FROM entries WHERE session = 1",
        "DELETE FROM heads WHERE session = 1",
        "UPDATE heads SET entries = 3 WHERE session = 1",
        "UPDATE heads SET link = zeroblob(32) WHERE session = 1",
    ],
)
def test_a_session_that_lost_its_end_is_damaged(file, loss):
    two_evenings(file)
    change(file, loss)
    with Store.open_read_only(file) as look:
        assert trouble_of(look.read_session, 1) == "journal.damaged_session"
        assert len(look.read_session(2).entries) == 4
        if "sequence" in loss:
            assert [row.entries for row in look.list_sessions()] == [4, 4]


def test_a_session_that_is_read_while_it_grows_is_not_damaged(file, monkeypatch):
    store, session = evening(file)
    play_a_round(session, 3, 4)
    real, count = schema.read_head, store.count_entries(1)
    writing = []

    def grow():
        change(file, "PRAGMA busy_timeout = 30000", "UPDATE heads SET entries = entries + 1")

    def grow_and_read(connection, number):
        if not writing:
            writing.append(Thread(target=grow))
            writing[0].start()
            # Long enough for an entry that does not have to wait.
            writing[0].join(1)
        return real(connection, number)

    monkeypatch.setattr(schema, "read_head", grow_and_read)
    with Store.open_read_only(file) as reader:
        assert len(reader.read_session(1).entries) == count
    writing[0].join()
    store.close()


def test_rows_in_the_wrong_order_are_found_although_each_page_is_well_formed(file):
    """As one flipped bit in an inner page makes them: SQLite then looks for rows in the wrong
    half, and finds none."""
    two_evenings(file)
    data = bytearray(file.read_bytes())
    with closing(sqlite3.connect(file)) as look:
        root = look.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'entries'").fetchone()[0]
    page = (root - 1) * 4096
    # The pointers to two rows, in the order of their keys (https://sqlite.org/fileformat2.html,
    # 1.6).
    first, last = page + 8, page + 8 + 7 * 2
    data[first : first + 2], data[last : last + 2] = data[last : last + 2], data[first : first + 2]
    file.write_bytes(data)
    with closing(sqlite3.connect(file)) as look:
        assert look.execute("PRAGMA quick_check").fetchone() == ("ok",)
    assert trouble_of(Store.open_read_only, file) == "journal.damaged"
    assert trouble_of(Store.open, file) == "journal.damaged"


def test_an_older_file_gets_its_heads_when_it_is_opened_to_play(tmp_path):
    file = tmp_path / "evening.sqlite3"
    shutil.copy(VERSION_1, file)
    with Store.open_read_only(file) as look:
        before = [look.read_session(row.number).entries for row in look.list_sessions()]
    assert before
    Store.open(file).close()
    with closing(sqlite3.connect(file)) as look:
        assert look.execute("PRAGMA user_version").fetchone() == (schema.USER_VERSION,)
        assert look.execute("SELECT count(*) FROM heads").fetchone() == (len(before),)
    with Store.open_read_only(file) as look:
        assert [look.read_session(row.number).entries for row in look.list_sessions()] == before
    change(file, "DELETE FROM entries WHERE session = 1 AND sequence > 1")
    with Store.open_read_only(file) as look:
        assert trouble_of(look.read_session, 1) == "journal.damaged_session"
