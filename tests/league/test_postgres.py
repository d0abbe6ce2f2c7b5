"""Our own PostgreSQL: one program a folder, what outlives a kill, and refusals in words."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from companion.league import club, postgres
from companion.league.postgres import Postgres, connect_database, prepare_database
from companion.rules.contract import Problem


def fails(code, call, *arguments):
    with pytest.raises(Problem) as fault:
        call(*arguments)
    assert fault.value.text.code == code
    return fault.value.text.args


def row(url):
    with connect_database(url) as db:
        return db.execute("SELECT name FROM clubs").fetchall()


def test_it_is_begun_killed_taken_over_and_held_by_one():
    above = Path(tempfile.mkdtemp(prefix="league"))
    above.chmod(0o755)
    folder = above / "data"
    program = (
        "import sys, time; from pathlib import Path; from companion.league.postgres import *\n"
        "own = Postgres(Path(sys.argv[1])); prepare_database(own.url); prepare_database(own.url)\n"
        "connect_database(own.url).execute(\"INSERT INTO clubs (uid, name) VALUES (gen_random_uuid(), 'Club')\")\n"
        "print(own.process_id, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True
    ) as first:
        outlived = int(first.stdout.readline())
        assert str(first.pid) in str(fails("league.locked", Postgres, folder))
        first.kill()
    os.kill(outlived, 0)  # the program is gone, its server is not
    with Postgres(folder) as second:
        assert row(second.url) == [("Club",)]
        assert row(postgres.find_running_server(folder)) == [("Club",)]
        os.kill(second.process_id, signal.SIGKILL)
    assert postgres.find_running_server(folder) is None
    with Postgres(folder) as third:
        assert row(third.url) == [("Club",)]
    (folder / "PG_VERSION").write_text("9\n")
    assert fails("league.other_version", Postgres, folder)["theirs"] == "9"
    shutil.rmtree(above)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root's server is another user's")
def test_root_may_have_the_program_in_a_folder_that_nobody_else_enters(monkeypatch, tmp_path):
    above = Path(tempfile.mkdtemp(prefix="league"))
    above.chmod(0o755)
    tmp_path.chmod(0o700)
    (tmp_path / "bin").symlink_to(postgres.find_binaries())
    monkeypatch.setattr(postgres, "find_binaries", lambda: tmp_path / "bin")
    old = os.umask(0o077)
    try:
        with Postgres(above / "data") as own:
            prepare_database(own.url)
            assert row(own.url) == []
    finally:
        os.umask(old)
    assert sorted(file.name for file in above.iterdir()) == ["data", "data.lock", "data.log", "data.password"]
    shutil.rmtree(above)


def test_a_database_of_an_older_program_is_brought_up_to_date(monkeypatch, database, db, tmp_path):
    club.open_club(database, "Club")
    later = tmp_path / "later.sql"  # a layout that is still to come
    later.write_text("ALTER TABLE clubs ADD COLUMN town text")
    monkeypatch.setattr(postgres, "_LAYOUTS", (*postgres._LAYOUTS, later))
    for _ in range(2):
        prepare_database(database)
    versions = [(number,) for number in range(1, len(postgres._LAYOUTS) + 1)]
    assert db.execute("SELECT version FROM layout ORDER BY version").fetchall() == versions
    assert db.execute("SELECT name, town FROM clubs").fetchall() == [("Club", None)]


def test_what_cannot_be_is_said(monkeypatch, database, tmp_path):
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("UPDATE layout SET version = 99")
    fails("league.newer", prepare_database, database)
    assert "nowhere" in fails("league.no_database", connect_database, "host=/nowhere")["reason"]
    monkeypatch.setattr(postgres, "PACKAGED", "no_such_package")
    monkeypatch.setattr(postgres, "DEBIAN", tmp_path)
    fails("league.no_postgres", Postgres, tmp_path / "data")
