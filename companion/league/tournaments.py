"""Begin and end tournaments, and keep what the organiser sets for one: rounds, tie-break, timer.

A tournament is played with one game, for an evening or for weeks, until it is ended. The current
one is the one in which something was drawn last; another can be begun in between, and after its end
the first is current again. People who played the game at one of the club's tables this evening take
part automatically; the organiser enters others.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from psycopg import Connection

from companion.plan import load_game
from companion.rules import registry
from companion.rules.contract import Problem

EVENING = 18
"""Hours within which somebody who has played the game takes part automatically: an evening is
shorter than that, the nights between two are longer."""
USUAL_ROUNDS, MOST_ROUNDS = 5, 50
"""Number of rounds planned if the organiser does not say, and at most."""
TIE_BREAKS = ("wins", "opponents")
"""What decides first between equal points: more wins, or opponents with more points."""


class Tournament(NamedTuple):
    """A tournament. `rounds`: the number planned. `timer`: when the round's time is up, if the
    organiser has set it."""

    number: int
    game: str
    rounds: int
    tie_break: str
    timer: datetime | None


_CURRENT = """
SELECT tournament, game, rounds, tie_break, timer FROM tournaments t WHERE club = %s AND ended IS NULL
ORDER BY GREATEST(begun, (SELECT max(drawn) FROM boards b WHERE b.tournament = t.tournament)) DESC,
    tournament DESC
"""


def list_open_tournaments(db: Connection[Any], club: int) -> list[Tournament]:
    """Return the tournaments that have not ended, the current one first."""
    return [Tournament(*row) for row in db.execute(_CURRENT, (club,))]


def list_shown_tournaments(db: Connection[Any], club: int) -> list[Tournament]:
    """Return the tournaments whose standings are shown: the open ones, and that which ended last,
    for `SHOWN` days."""
    query = (
        "SELECT tournament, game, rounds, tie_break, timer FROM tournaments WHERE club = %s"
        " AND ended > now() - make_interval(days => %s) ORDER BY ended DESC LIMIT 1"
    )
    ended = [Tournament(*row) for row in db.execute(query, (club, SHOWN))]
    return [*list_open_tournaments(db, club), *ended]


SHOWN = 7
"""Days for which the standings of a tournament are shown after its end."""


def find_current_tournament(db: Connection[Any], club: int) -> Tournament | None:
    """Return the current tournament; None if there is none."""
    return next(iter(list_open_tournaments(db, club)), None)


def begin_tournament(
    db: Connection[Any], club: int, game: str, rounds: int = USUAL_ROUNDS, tie_break: str = TIE_BREAKS[0]
) -> Tournament:
    """Begin a tournament, and enter everyone who has played its game this evening. Raises `Problem`
    if the game is not installed, or if a tournament of it has not ended."""
    # Before anything is stored: a game that is not installed cannot be ranked.
    load_game(game)
    # Sessions find their tournament by the game, so there is one of each at most.
    if any(one.game == game for one in list_open_tournaments(db, club)):
        raise Problem("league.not_ended")
    made = db.execute(
        "INSERT INTO tournaments (club, game, rounds, tie_break) VALUES (%s, %s, %s, %s)"
        " RETURNING tournament, game, rounds, tie_break, timer",
        (club, game, rounds, tie_break),
    ).fetchone()
    assert made is not None
    found = Tournament(*made)
    enter_arrivals(db, club, found.number)
    return found


def find_or_begin_tournament(db: Connection[Any], club: int, game: str | None) -> Tournament:
    """Return the open tournament of a game, or the current one if none is named; begin one if there
    is none of that game. Raises `Problem` if a game is needed and none was given."""
    found = [one for one in list_open_tournaments(db, club) if game in (None, one.game)]
    if not found:
        if game is None:
            raise Problem("league.which_game", games=", ".join(registry.list_game_ids()))
        return begin_tournament(db, club, game)
    enter_arrivals(db, club, found[0].number)
    return found[0]


def end_tournament(db: Connection[Any], number: int) -> None:
    """End a tournament; its rounds and results remain."""
    db.execute("UPDATE tournaments SET ended = now(), timer = NULL WHERE tournament = %s", (number,))


def set_timer(db: Connection[Any], number: int, minutes: int) -> None:
    """Let the round's time be up in so many minutes; 0: show no timer."""
    db.execute(
        "UPDATE tournaments SET timer = CASE WHEN %(minutes)s > 0 THEN now() + make_interval(mins => %(minutes)s) END"
        " WHERE tournament = %(number)s",
        {"minutes": minutes, "number": number},
    )


def enter_arrivals(db: Connection[Any], club: int, number: int) -> None:
    """Enter everyone who has played this game at one of the club's tables this evening, since the
    last tournament of that game ended."""
    db.execute(
        "INSERT INTO entrants (tournament, person)"
        " SELECT DISTINCT %(tournament)s::int, COALESCE(p.merged_into, p.person)"
        " FROM sessions s JOIN seats USING (session) JOIN people p USING (person), tournaments t"
        " WHERE s.club = %(club)s AND t.tournament = %(tournament)s AND s.game = t.game AND p.name IS NOT NULL"
        " AND to_timestamp(s.begun / 1e6) > GREATEST(now() - make_interval(hours => %(hours)s),"
        " (SELECT max(ended) FROM tournaments o WHERE o.club = t.club AND o.game = t.game))"
        " ON CONFLICT DO NOTHING",
        {"club": club, "tournament": number, "hours": EVENING},
    )
