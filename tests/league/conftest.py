"""A PostgreSQL of our own for all of a worker's tests, and a new database for each that asks."""

import itertools
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from companion.league.postgres import Postgres, prepare_database

NO_WAIT = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")
"""No test can see whether the disk has it; those that kill the server ask for their own."""
_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def postgres():
    # Not pytest's own folder: as root the server is another user's, who cannot enter that.
    above = Path(tempfile.mkdtemp(prefix="league"))
    above.chmod(0o755)
    with Postgres(above / "data", NO_WAIT) as server:
        prepare_database(server.url)
        with psycopg.connect(server.url, autocommit=True) as db:
            # What each database begins as: a copy takes a fifth of the time of making the tables.
            db.execute("CREATE DATABASE pattern")
        prepare_database(make_conninfo(server.url, dbname="pattern"))
        yield server
    shutil.rmtree(above, ignore_errors=True)


@pytest.fixture
def database(postgres):
    """The address of a database with the league's tables, all empty."""
    name = f"league{next(_NUMBERS)}"
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name} TEMPLATE pattern STRATEGY file_copy")
    return make_conninfo(postgres.url, dbname=name)


@pytest.fixture
def db(database):
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection
