"""Manage the club's people: add them by name, merge duplicates, and delete names on request.

Nothing that is signed contains a name: sessions only know seats, and the people who sat there are
stored separately. So a name can be deleted completely; the results remain, without a name.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from companion.rules.contract import LONGEST_NAME, Problem
from companion.texts import clean


def named(db: Connection[Any], club: int, name: str) -> UUID:
    """Return the id of the person with this name in the club, adding the person if unknown. Raises
    `Problem` if the name is empty or too long."""
    name = " ".join(clean(name).split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise Problem("league.name", most=LONGEST_NAME)
    with db.transaction():
        # Two tables that send a new name at once get the same person; case is ignored.
        db.execute("SELECT pg_advisory_xact_lock(%s)", (club,))
        found = db.execute(
            "SELECT COALESCE(merged_into, person) FROM people WHERE club = %s AND lower(name) = lower(%s)"
            " ORDER BY merged_into NULLS FIRST LIMIT 1",
            (club, name),
        ).fetchone()
        if found is None:
            found = (uuid4(),)
            db.execute("INSERT INTO people (club, person, name) VALUES (%s, %s, %s)", (club, found[0], name))
    person: UUID = found[0]
    return person


def everybody(db: Connection[Any], club: int) -> dict[UUID, str]:
    """Return the club's people with their names, in alphabetical order, without those merged or
    forgotten."""
    asked = (
        "SELECT person, name FROM people WHERE club = %s AND name IS NOT NULL AND merged_into IS NULL"
        " ORDER BY lower(name)"
    )
    return dict(db.execute(asked, (club,)).fetchall())


def merge(db: Connection[Any], club: int, person: UUID, into: UUID) -> None:
    """Merge `person` into `into`: games played, seats, tournament entries and pairs kept apart."""
    if person == into:
        return
    with db.transaction():
        db.execute(
            "UPDATE people SET merged_into = %(into)s WHERE club = %(club)s AND"
            " (person = %(person)s OR merged_into = %(person)s)",
            {"club": club, "person": person, "into": into},
        )
        # Their rating histories become one, so every game of the club is rated again.
        anew = "INSERT INTO unrated SELECT DISTINCT club, game FROM played WHERE club = %s ON CONFLICT DO NOTHING"
        db.execute(anew, (club,))
        gone = "INSERT INTO entrants SELECT tournament, %s, gone FROM entrants WHERE person = %s ON CONFLICT DO NOTHING"
        db.execute(gone, (into, person))
        db.execute("DELETE FROM entrants WHERE person = %s", (person,))
        # The pairs stay listed under the old id as well; nobody is seated under it.
        kept = "SELECT CASE one WHEN %(person)s THEN other ELSE one END FROM apart WHERE %(person)s IN (one, other)"
        for (other,) in db.execute(kept, {"person": person}).fetchall():
            if other != into:
                keep_apart(db, into, other)


def forget(db: Connection[Any], club: int, person: UUID) -> None:
    """Delete a person's name, including the names of those merged into them."""
    db.execute(
        "UPDATE people SET name = NULL WHERE club = %s AND %s IN (person, merged_into)", (club, person)
    )


def keep_apart(db: Connection[Any], one: UUID, other: UUID, *, apart: bool = True) -> None:
    """Never seat two people together, or (`apart` false) lift that restriction."""
    # In the order that the table requires (`CHECK (one < other)`), so that a pair is one row.
    pair = sorted((one, other))
    if apart:
        db.execute("INSERT INTO apart VALUES (%s, %s) ON CONFLICT DO NOTHING", pair)
    else:
        db.execute("DELETE FROM apart WHERE one = %s AND other = %s", pair)


def merged(db: Connection[Any], club: int) -> dict[UUID, UUID]:
    """Return the people that were merged, each with the person they are now."""
    asked = "SELECT person, merged_into FROM people WHERE club = %s AND merged_into IS NOT NULL"
    return dict(db.execute(asked, (club,)).fetchall())
