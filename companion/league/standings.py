"""Who stands where, of all results of a game or of one tournament.

**Points**: the first at a table has 100, the last none, the others evenly between; who share a
place share its points. So tables of three and of seven are worth the same, and no game's own points
are compared with another's. Who sits out has 50, what a table has on average. **Ties**: more wins,
then more points a game; who are equal still share the place.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection

OUT = 50
"""The points of a round in which one sits out."""
DOUBT = 3
"""A rating is shown as its mean less so many deviations: who has played little stands low."""


class StandingsRow(NamedTuple):
    """A line of the standings."""

    place: int
    person: UUID
    name: str | None
    """None: they were forgotten."""
    games: int
    wins: int
    points: float
    rating: float | None


_STANDINGS = """
WITH one AS (
    SELECT id, person, place, count(*) OVER (PARTITION BY id) AS n, count(*) OVER (PARTITION BY id, place) AS tied
    FROM played WHERE club = %(club)s AND game = %(game)s
        AND (%(tournament)s::int IS NULL OR tournament = %(tournament)s)
), won AS (
    SELECT person, place, 100 * (n - place - (tied - 1) / 2.0::float8) / (n - 1) AS points, true AS game
    FROM one WHERE n > 1 AND person IS NOT NULL
    UNION ALL
    SELECT COALESCE(p.merged_into, x.person), 0, %(out)s, false
    FROM boards b JOIN places x USING (board) JOIN people p ON p.person = x.person
    WHERE b.tournament = %(tournament)s AND b.number = 0
), total AS (
    SELECT person, count(*) FILTER (WHERE game) AS games, count(*) FILTER (WHERE place = 1) AS wins,
        sum(points) AS points, count(*) AS rounds
    FROM won GROUP BY person
)
SELECT rank() OVER (ORDER BY round(points) DESC, wins DESC, round(points / rounds) DESC) AS place,
    total.person, name, games, wins, round(points)::float8, mu - %(doubt)s * sigma
FROM total JOIN people ON people.person = total.person
LEFT JOIN ratings r ON r.club = %(club)s AND r.game = %(game)s AND r.person = total.person
ORDER BY place, lower(name), total.person
"""


def standings(db: Connection[Any], club: int, game: str, tournament: int | None = None) -> list[StandingsRow]:
    """Return the standings of a game, or of one tournament; the best first."""
    told = {"club": club, "game": game, "tournament": tournament, "out": OUT, "doubt": DOUBT}
    return [StandingsRow(*row) for row in db.execute(_STANDINGS, told)]
