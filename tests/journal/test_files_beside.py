"""The files of a journal at the level of the system: rights, what is synced, what is left open, and
locks."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.journal import checkpoint, database_file, schema
from companion.journal.backup import save_backup
from companion.journal.checkpoint import Checkpoint, Lock, LockHeld, read_checkpoint, write_checkpoint
from companion.journal.database_file import StorageFault, read_transaction, write_transaction
from companion.journal.store import Store
from tests.journal.played import evening, play_a_round
from tests.toy import Lay


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
    assert checkpoint.checkpoint_path(file).stat().st_size == 256


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
