"""The files of a journal at the level of the system: rights, what is synced, what is left open, and
locks."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import stat
import zlib
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.folders import user_data_folder
from companion.journal import checkpoint, database_file, schema
from companion.journal.backup import save_backup
from companion.journal.checkpoint import Checkpoint, Lock, LockHeld, read_checkpoint, write_checkpoint
from companion.journal.database_file import StorageFault, WriteInDoubt, read_transaction, write_transaction
from companion.journal.store import Store, default_journal_path
from companion.rules.acts import Act, Entry
from companion.rules.contract import Text
from companion.rules.session import Session
from tests.journal.played import evening, play_a_round
from tests.toy import TOY, CardLaid, Lay, toy_setup


@pytest.fixture
def watched(monkeypatch):
    """What the system is asked to open and to sync, in order."""
    asked, real_open, real_sync = [], os.open, os.fsync

    def open_file(path, flags, mode=0o777, **more):
        asked.append((os.fspath(path).rpartition("/")[2], flags, mode))
        return real_open(path, flags, mode, **more)

    def sync(number):
        asked.append(("sync", os.fstat(number).st_ino, os.fstat(number).st_mtime_ns))
        return real_sync(number)

    monkeypatch.setattr(os, "open", open_file)
    monkeypatch.setattr(os, "fsync", sync)
    return asked


MARK = Checkpoint(1, 2, "ab", 3)


def test_a_checkpoint_is_read_and_written_without_a_wait_and_synced_where_that_is_asked(file, watched):
    write_checkpoint(file, MARK, synced=False)
    write_checkpoint(file, MARK, synced=True)
    assert read_checkpoint(file) == MARK
    written, again, synced, read = watched
    assert written == again == (file.name + ".mark", os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o600)
    assert synced[:2] == ("sync", checkpoint.checkpoint_path(file).stat().st_ino)
    assert read[:2] == (file.name + ".mark", os.O_RDONLY | os.O_NONBLOCK)
    line = b'{"session":1,"entries":2,"digest":"ab","total":3}'
    content = line + b" %08x" % zlib.crc32(line)
    assert checkpoint.checkpoint_path(file).read_bytes() == content.ljust(255) + b"\n"


@pytest.mark.parametrize("spoil", [b"", b"x", b"{} 00000000 ", b'{"session":1} zz '])
def test_a_checkpoint_that_is_not_whole_is_none(file, spoil):
    write_checkpoint(file, MARK, synced=False)
    path = checkpoint.checkpoint_path(file)
    path.write_bytes(spoil + path.read_bytes()[len(spoil) :] if spoil else b"")
    assert read_checkpoint(file) is None


def test_a_lock_says_who_has_it_and_can_be_taken_again_once_it_is_released(file):
    lock = Lock.for_journal(file)
    beside = file.with_name(file.name + ".lock")
    assert beside.read_bytes() == f"{os.getpid():<19}\n".encode()
    for written, owner in ((None, str(os.getpid())), (b"\xff77\n", "77"), (b"", "")):
        if written is not None:
            beside.write_bytes(written)
        with pytest.raises(LockHeld) as caught:
            Lock.for_journal(file)
        assert (caught.value.owner, str(caught.value)) == (owner, f"held by process {owner or 'unknown'}")
    lock.release()
    lock.release()
    other = Lock.for_journal(file)
    beside.unlink()
    other.renew()
    with pytest.raises(LockHeld):
        Lock.for_journal(file)
    other.release()


def test_everything_beside_a_journal_is_its_owners_alone(file, tmp_path):
    before = os.umask(0o022)
    try:
        store, session = evening(file)
        play_a_round(session, 3, 4)
        save_backup(store, tmp_path / "copy" / "saved.sqlite3")
        rights = {one.name: stat.S_IMODE(one.stat().st_mode) for one in tmp_path.rglob("*") if one.is_file()}
        store.close()
    finally:
        os.umask(before)
    assert {*rights} >= {file.name + end for end in ("", ".lock", ".mark", "-journal")} | {"saved.sqlite3"}
    assert {*rights.values()} == {0o600}


def test_what_is_written_over_a_rollback_file_is_on_the_disk(file, watched):
    database_file.sync_finished_rollback_file(file)
    assert [name for name, *_ in watched] == [file.parent.name, "sync"], "there is none: the folder is synced"
    rollback = file.with_name(file.name + "-journal")
    for content, is_synced in ((bytes(100), True), (b"half" + bytes(96), False)):
        rollback.write_bytes(content)
        os.utime(rollback, ns=(0, 0))
        watched.clear()
        database_file.sync_finished_rollback_file(file)
        assert [one[2] > 0 for one in watched if one[0] == "sync"] == [True] * is_synced
        assert rollback.read_bytes() == content


def test_a_transaction_that_fails_leaves_nothing_behind():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (n)")
        for end in (ValueError, KeyboardInterrupt):
            with suppress(end), write_transaction(connection):
                connection.execute("INSERT INTO t VALUES (1)")
                raise end
            assert not connection.in_transaction
        with read_transaction(connection), read_transaction(connection):
            assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
        assert not connection.in_transaction
        with write_transaction(connection), read_transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_a_file_that_is_locked_for_writing_in_place_is_said_to_be():
    class Locked:
        def execute(self, statement):
            rows = {"PRAGMA journal_mode = PERSIST": ("wal",), "PRAGMA database_list": (0, "main", "/a/b")}
            return SimpleNamespace(fetchone=lambda: rows[statement])

    with pytest.raises(StorageFault) as caught:
        database_file.configure_for_writing(Locked())
    assert (caught.value.text.code, caught.value.text.args) == ("journal.locked_file", {"file": "/a/b"})


def rubbish(file):
    evening(file)[0].close()
    data = bytearray(file.read_bytes())
    data[4096:8192] = b"\xaa" * 4096
    file.write_bytes(data)


def newer(file):
    evening(file)[0].close()
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"PRAGMA user_version = {schema.USER_VERSION + 1}")


def lacking(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    older = file.read_bytes()
    session.act(Lay("Ben"))
    store.close()
    file.write_bytes(older)


@pytest.mark.parametrize(
    ("harm", "how", "is_refused"),
    [
        (rubbish, "open", True),
        (rubbish, "open_read_only", True),
        (newer, "open", True),
        (newer, "open_read_only", True),
        (lacking, "open", True),
        (lacking, "open_read_only", False),
    ],
)
def test_a_journal_that_cannot_be_used_is_not_left_open(file, harm, how, is_refused):
    """Nor locked: the next try, or another program, finds it as it was."""
    harm(file)
    before = {*Path("/proc/self/fd").iterdir()}
    caught = None
    try:
        getattr(Store, how)(file).close()
    except StorageFault as fault:
        caught = fault  # and with it what its frames hold
    assert (caught is not None) is is_refused
    assert {*Path("/proc/self/fd").iterdir()} <= before


def test_a_connection_keeps_the_tables_together_and_one_for_reading_changes_nothing(file):
    evening(file)[0].close()
    with closing(database_file.open_connection(file, "rw")) as writing:
        assert writing.execute("PRAGMA foreign_keys").fetchone() == (1,)
    with closing(database_file.open_read_only(file)) as reading:
        assert reading.execute("PRAGMA query_only").fetchone() == (1,)


@pytest.mark.parametrize("log", [False, True])
def test_an_older_programs_file_is_looked_at_without_a_log_of_ours(file, log):
    evening(file)[0].close()
    with closing(sqlite3.connect(file)) as older:
        older.execute("PRAGMA journal_mode = WAL")
    if log:
        file.with_name(file.name + "-wal").touch()
    with Store.open_read_only(file) as store:
        assert store.find_last_session() == 1
        beside = {one.name.removeprefix(file.name) for one in file.parent.iterdir()}
    assert beside >= {"-wal"} if log else beside.isdisjoint({"-wal", "-shm"})


ELSE = "UPDATE heads SET entries = {} WHERE session = 2"


@pytest.mark.parametrize(
    ("change", "is_harm"),
    [
        ("DELETE FROM entries WHERE session = 1 AND sequence = 3", True),
        ("DELETE FROM entries WHERE session = 2 AND sequence = 3", True),
        ("UPDATE entries SET written = 0 WHERE session = 2 AND sequence = 0", True),
        ("UPDATE sessions SET begun = begun + 1 WHERE session = 2", True),
        ("DELETE FROM heads WHERE session = 2", True),
        (ELSE.format("entries - 1"), True),
        (ELSE.format("entries, link = zeroblob(32)"), True),
        (ELSE.format("entries + 1"), False),
        ("CREATE TABLE recipes (soup TEXT)", False),
    ],
)
def test_what_somebody_else_writes_is_compared_with_what_was_saved(file, change, is_harm):
    """The evening goes on in a file beside where the journal lacks any of it."""
    with Store.open(file) as store:
        store.start_session(toy_setup("Cleo", "Dan"))
        play_a_round(Session(TOY, toy_setup("Cleo", "Dan"), store.append), 5, 6)
        told = []
        store.on_relocation = told.append
        store.start_session(toy_setup())
        session = Session(TOY, toy_setup(), store.append)
        play_a_round(session, 3, 4)
        with closing(sqlite3.connect(file)) as other, other:
            other.execute("PRAGMA foreign_keys = OFF")
            other.execute(change)
        session.act(Lay("Ann"))
        assert [one.code for one in told] == ["journal.hurt"] * is_harm
        assert store.path.name == ("evening-2.sqlite3" if is_harm else file.name)
        assert read_checkpoint(store.path).entries == 5
        session.act(Lay("Ben"))
        assert len(store.read_session(2).entries) == 6


def test_what_was_read_back_once_is_not_compared_again_unless_somebody_else_wrote(file, monkeypatch):
    looked, real = [], Store._is_contained_in

    def compare(store, other, first=0):
        looked.append(first)
        return real(store, other, first)

    monkeypatch.setattr(Store, "_is_contained_in", compare)
    with Store.open(file) as store:
        store.start_session(toy_setup("s1", "s2"), names={"s1": "Ann"})
        session = Session(TOY, toy_setup("s1", "s2"), store.append)
        session.act(Lay("s1"))
        store.rename_player("s2", "Ben")
        session.act(Lay("s2"))
        session.undo()
        assert looked == [0, 1, 2]
        store.ensure_saved()
        assert looked == [0, 1, 2]
        file.touch()
        store.ensure_saved()
        assert looked == [0, 1, 2, 0]
        store.ensure_saved()
        session.redo()
        assert looked == [0, 1, 2, 0, 3]


def test_a_file_beside_is_on_the_disk_with_its_checkpoint_before_the_evening_goes_on(file, watched):
    store, session = evening(file)
    session.act(Lay("Ann"))
    file.unlink()
    watched.clear()
    session.act(Lay("Ben"))
    beside = file.with_name("evening-2.sqlite3")
    synced = [one[1] for one in watched if one[0] == "sync"]
    assert {file.parent.stat().st_ino, checkpoint.checkpoint_path(beside).stat().st_ino} <= {*synced}
    assert read_checkpoint(beside).entries == 2
    store.close()


def test_the_journal_of_whoever_names_none_has_its_place():
    assert default_journal_path() == user_data_folder() / "journal.sqlite3"


def test_without_an_open_session_nothing_can_be_kept(file):
    with Store.open(file) as store:
        for keep in (lambda: store.append(Entry("undo")), lambda: store.rename_player("s1", "Ann")):
            with pytest.raises(StorageFault) as caught:
                keep()
            assert caught.value.text == Text("journal.no_session", {"number": 0, "file": str(file)})
        assert store.read_current_session() is None
        for number in (-1, 0, 1, 2**63 - 1, 2**63, 10**30):
            with pytest.raises(StorageFault) as caught:
                store.read_session(number)
            assert caught.value.text.code == "journal.no_session", number


def test_sessions_are_listed_with_their_lengths_and_refused_where_their_beginning_cannot_be_read(file):
    shutil.copy(Path(__file__).with_name("version_1.sqlite3"), file)
    with Store.open_read_only(file) as older:
        (row,) = older.list_sessions()
        assert (row.number, row.entries, row.game) == (1, 8, "donkey_valley")
        assert row.last > row.begun
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("UPDATE sessions SET setup = x'78'")
    with Store.open_read_only(file) as older, pytest.raises(StorageFault) as caught:
        older.list_sessions()
    assert caught.value.text.code == "journal.unreadable"


@pytest.mark.parametrize("tables", [("sessions",), ("seats", "heads", "sessions")])
def test_a_session_is_deleted_with_all_that_there_is_of_it(tables):
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for table in tables:
            connection.execute(f"CREATE TABLE {table} (session)")
            connection.execute(f"INSERT INTO {table} VALUES (1), (2)")
        schema.delete_session(connection, 1)
        for table in tables:
            assert connection.execute(f"SELECT session FROM {table}").fetchall() == [(2,)]


@pytest.fixture
def unsure(monkeypatch):
    """Let a write fail, once it is in the file or before, without a word of what became of it."""

    @contextmanager
    def fail(*, landed):
        real = database_file.write_transaction

        @contextmanager
        def broken(connection):
            with suppress(KeyError), real(connection):
                yield
                if not landed:
                    raise KeyError
            raise sqlite3.OperationalError("disk I/O error")

        def look(*_):
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(database_file, "write_transaction", broken)
            patch.setattr(Store, "_is_in_file", look)
            with pytest.raises(WriteInDoubt) as caught:
                yield
        assert (caught.value.text.code, caught.value.is_in_doubt) == ("journal.in_doubt", True)
        assert caught.value.text.args["reason"] == "SQLITE_ERROR"

    return fail


@pytest.mark.parametrize("landed", [True, False])
@pytest.mark.parametrize("same", [True, False])
def test_an_entry_in_doubt_is_saved_once_or_taken_back_by_the_next(file, unsure, landed, same):
    with Store.open(file) as store:
        store.start_session(toy_setup())
        ann, ben = (Entry("act", (Act(Lay(name), (CardLaid(name),)),)) for name in ("Ann", "Ben"))
        with unsure(landed=landed):
            store.append(ann, 5.0)
        store.append(ann if same else ben, 5.0)
        assert list(store.read_session(1).entries) == [ann if same else ben]
        store.append(Entry("undo"))
        assert (store.count_entries(1), read_checkpoint(file).total) == (2, 2)


@pytest.mark.parametrize("landed", [True, False])
@pytest.mark.parametrize("same", [True, False])
def test_a_session_in_doubt_is_begun_once_or_taken_back_by_the_next(file, unsure, landed, same):
    with Store.open(file) as store:
        store.start_session(toy_setup("Cleo", "Dan"), 1.0)
        with unsure(landed=landed):
            store.start_session(toy_setup(), 5.0, {"s1": "Zoé"})
        other = toy_setup() if same else toy_setup("Eve", "Flo")
        store.start_session(other, 5.0, {"s1": "Zoé"} if same else {"s1": "Max"})
        assert [store.read_session(row.number).setup.players for row in store.list_sessions()] == [
            ("Cleo", "Dan"),
            other.players,
        ]
        assert store.find_last_session() == 2
        assert store.read_names(2) == {"s1": "Zoé" if same else "Max"}
        assert [(number, head[1]) for number, head in store.list_heads(2.0)] == [(2, "toy")]
        assert [number for number, _ in store.list_heads(1.0)] == [1, 2]
        assert store.list_heads(0.0)[0][1][0] == 1.0
