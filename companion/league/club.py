"""Manage a club in the database: create it, let tables join by a code, and store who sat where."""

from __future__ import annotations

import secrets
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg

from companion.league.feed import notify_servers
from companion.league.people import find_or_add_person
from companion.league.postgres import connect_database, convert_database_errors, prepare_database
from companion.league.protocol import CODE_LENGTH
from companion.rules.contract import Problem
from companion.web.certificates import TYPED_LETTERS

USUAL_NAME = "League"
_GOOD_FOR = "7 days"
"""Validity of a join code: longer than a convention. Each server start issues a code valid for this
long."""


class Club(msgspec.Struct, frozen=True):
    """A club: its number in the database, its id in digests, its name and its tables' join code."""

    number: int
    uid: UUID
    name: str
    code: str


def open_club(url: str, name: str | None = None) -> Club:
    """Find or create the club with this name, and issue its join code; None selects the only club,
    or creates one with the default name.

    Raises `Problem` if there are several clubs and no name, or the database cannot be used.
    """
    prepare_database(url)
    with convert_database_errors(), connect_database(url) as db, db.transaction():
        # Two servers that start at the same time create a single club.
        db.execute("LOCK TABLE clubs IN SHARE ROW EXCLUSIVE MODE")
        rows = db.execute("SELECT club, uid, name FROM clubs ORDER BY club").fetchall()
        found = [row for row in rows if name is None or row[2] == name]
        if len(found) > 1:
            raise Problem("league.which_club", clubs=", ".join(row[2] for row in found))
        if not found:
            made = (uuid4(), name or USUAL_NAME)
            insert = "INSERT INTO clubs (uid, name) VALUES (%s, %s) RETURNING club, uid, name"
            found = db.execute(insert, made).fetchall()
            db.execute("INSERT INTO feed (club) VALUES (%s)", found[0][:1])
        number, uid, club_name = found[0]
        return Club(number, uid, club_name, _renew_code(db, number))


def find_organiser_key(url: str, club: int, *, renew: bool = False) -> str:
    """Return the key of the organiser's link: the same at each start until it is renewed, after
    which earlier links are refused by servers that start from then on."""
    # One statement: of two servers that start at once, both get the same key.
    query = (
        "UPDATE clubs SET organiser_key = CASE WHEN %s OR organiser_key IS NULL THEN %s ELSE organiser_key END"
        " WHERE club = %s RETURNING organiser_key"
    )
    with convert_database_errors(), connect_database(url) as db:
        row = db.execute(query, (renew, secrets.token_urlsafe(16), club)).fetchone()
    assert row is not None
    return str(row[0])


def _renew_code(db: psycopg.Connection[Any], club: int) -> str:
    db.execute("DELETE FROM codes WHERE until < now()")
    new = "".join(secrets.choice(TYPED_LETTERS) for _ in range(CODE_LENGTH))
    row = db.execute(
        "INSERT INTO codes VALUES (%s, %s, now() + %s::interval)"
        " ON CONFLICT (club) DO UPDATE SET until = excluded.until RETURNING code",
        (club, new, _GOOD_FOR),
    ).fetchone()
    assert row is not None
    return str(row[0])


def join_club(db: psycopg.Connection[Any], club: Club, code: str, key: bytes, name: str) -> int | None:
    """Add a table to the club, or let it rejoin; return its number, None if the code is wrong or
    expired."""
    # Typed by people: in whichever case, with or without hyphens.
    typed = code.strip().upper().replace("-", "")
    good = "SELECT 1 FROM codes WHERE club = %s AND code = %s AND until > now()"
    if db.execute(good, (club.number, typed)).fetchone() is None:
        return None
    row = db.execute(
        "INSERT INTO tables (club, key, name) VALUES (%s, %s, %s)"
        " ON CONFLICT (club, key) DO UPDATE SET name = excluded.name, left_at = NULL RETURNING tbl",
        (club.number, key, name),
    ).fetchone()
    assert row is not None
    return int(row[0])


def leave_club(db: psycopg.Connection[Any], club: Club, key: bytes) -> None:
    """Record that a table has left, and notify all servers; everything it sent remains."""
    with db.transaction():
        db.execute(
            "UPDATE tables SET left_at = now() WHERE club = %s AND key = %s AND left_at IS NULL",
            (club.number, key),
        )
        notify_servers(db, club.number, "left")


def find_table(db: psycopg.Connection[Any], club: Club, key: bytes) -> int | None:
    """Return the number of the table with this public key; None if it has not joined or has
    left."""
    row = db.execute(
        "SELECT tbl FROM tables WHERE club = %s AND key = %s AND left_at IS NULL", (club.number, key)
    ).fetchone()
    return None if row is None else int(row[0])


def record_seats(
    db: psycopg.Connection[Any], club: Club, table: int, session: UUID, number: int, names: dict[str, str]
) -> int | None:
    """Store who sits where in a session of this table, if `number` is greater than all before;
    return the greatest number before it, or None if the table has no such session. Raises `Problem`
    for an invalid name."""
    with db.transaction():
        own = "SELECT seats_told FROM sessions WHERE session = %s AND tbl = %s FOR UPDATE"
        row = db.execute(own, (session, table)).fetchone()
        if row is None:
            return None
        last = int(row[0])
        # An old or repeated message: names must not go back to what they were.
        if number <= last:
            return last
        db.execute("UPDATE sessions SET seats_told = %s WHERE session = %s", (number, session))
        for label, name in sorted(names.items(), key=lambda one: one[1]):
            db.execute(
                "INSERT INTO seats VALUES (%s, %s, %s)"
                " ON CONFLICT (session, seat) DO UPDATE SET person = excluded.person",
                (session, label, find_or_add_person(db, club.number, name)),
            )
        db.execute(
            # Names may arrive after the game has ended and its results are stored.
            "UPDATE results SET person = seats.person FROM seats WHERE results.session = %s"
            " AND seats.session = results.session AND seats.seat = results.seat",
            (session,),
        )
    return last
