"""Manage the club's people: add them by name, merge duplicates, and delete names on request.

Nothing that is signed contains a name: sessions only know seats, and the people who sat there are
stored separately. So a name can be deleted completely; the results remain, without a name.
"""

from __future__ import annotations

import csv
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from companion.rules.contract import LONGEST_NAME, Problem
from companion.texts import clean_text, fold_text


def find_or_add_person(db: Connection[Any], club: int, name: str) -> UUID:
    """Return the id of the person with this name in the club, adding the person if unknown. Raises
    `Problem` if the name is empty or too long."""
    name = " ".join(clean_text(name).split())
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


def list_people(db: Connection[Any], club: int) -> dict[UUID, str]:
    """Return the club's people with their names, in alphabetical order, without those merged or
    forgotten."""
    query = "SELECT person, name FROM people WHERE club = %s AND name IS NOT NULL AND merged_into IS NULL"
    # The database may sort Élodie after Zoé.
    return dict(sorted(db.execute(query, (club,)).fetchall(), key=lambda row: (fold_text(row[1]), row[1])))


def list_recent_people(db: Connection[Any], club: int) -> dict[UUID, str]:
    """Return those of `list_people` who have sat at a table or taken part in a tournament in the
    last `RECENT` days, or take part in one that has not ended."""
    query = """
        SELECT COALESCE(p.merged_into, p.person) FROM people p WHERE p.club = %(club)s AND (
            EXISTS (SELECT FROM seats x JOIN sessions s USING (session) WHERE x.person = p.person
                AND s.begun / 1e6 > extract(epoch FROM now()) - 86400 * %(days)s)
            OR EXISTS (SELECT FROM entrants e JOIN tournaments t USING (tournament) WHERE e.person = p.person
                AND COALESCE(t.ended, now()) > now() - make_interval(days => %(days)s))
        )
    """
    recent = {row[0] for row in db.execute(query, {"club": club, "days": RECENT})}
    return {person: name for person, name in list_people(db, club).items() if person in recent}


RECENT = 90
"""Days after which people are not offered any more: a season's summer break is shorter."""


def parse_names(text: str) -> list[str]:
    r"""Return the names in a list that was typed, pasted or exported: one a line, in the first
    column of a table. A heading, empty lines and repetitions are left out.

    >>> parse_names("Name;Town\nAnn;Bern\n Ben ;Genève\nAnn;Bern")
    ['Ann', 'Ben']
    >>> parse_names("Ann, the elder")
    ['Ann, the elder']
    """
    lines = [line for line in text.splitlines() if line.strip()]
    # A comma may be part of a name; in a table every line has as many.
    commas = {line.count(",") for line in lines}
    marks = "\t;" + ("," if len(lines) > 1 and len(commas) == 1 and commas != {0} else "")
    mark = next((one for one in marks if one in text), None)
    rows = csv.reader(lines, delimiter=mark) if mark else ([line] for line in lines)
    names = [" ".join(clean_text(row[0]).split()) for row in rows if row]
    if len(names) > 1 and names[0].casefold() in _HEADINGS:
        del names[0]
    return list(dict.fromkeys(name for name in names if name))


_HEADINGS = ("name", "names", "nom", "noms", "player", "joueur", "spieler")


def merge_people(db: Connection[Any], club: int, person: UUID, into: UUID) -> None:
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
        mark_unrated = "INSERT INTO unrated SELECT DISTINCT club, game FROM played WHERE club = %s ON CONFLICT DO NOTHING"
        db.execute(mark_unrated, (club,))
        copy_entrants = "INSERT INTO entrants SELECT tournament, %s, gone FROM entrants WHERE person = %s ON CONFLICT DO NOTHING"
        db.execute(copy_entrants, (into, person))
        db.execute("DELETE FROM entrants WHERE person = %s", (person,))
        # The pairs stay listed under the old id as well; nobody is seated under it.
        find_kept_apart = "SELECT CASE one WHEN %(person)s THEN other ELSE one END FROM apart WHERE %(person)s IN (one, other)"
        for (other,) in db.execute(find_kept_apart, {"person": person}).fetchall():
            if other != into:
                keep_apart(db, into, other)


def forget_person(db: Connection[Any], club: int, person: UUID) -> None:
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


def list_merged_people(db: Connection[Any], club: int) -> dict[UUID, UUID]:
    """Return the people that were merged, each with the person they are now."""
    query = "SELECT person, merged_into FROM people WHERE club = %s AND merged_into IS NOT NULL"
    return dict(db.execute(query, (club,)).fetchall())
