"""Compute ratings (as Elo does for two) for games of two or more people.

The model is Plackett and Luce's model of rankings, as updated by `openskill` (Weng, Lin, Journal of
Machine Learning Research 12, 2011); it rates the sides of a game, so partners win together. Each
game updates the ratings of its players, so the order of
games matters: they are processed in the order in which the sessions ended in the feed. If earlier
results have changed since (an undo, a correction, merged people), a digest of the games processed
so far no longer matches, and all ratings of that game are recomputed from the beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from openskill.models import PlackettLuce, PlackettLuceRating
from psycopg import Connection

from companion.league.rounds import find_seat
from companion.rules.registry import list_sides

_RESULTS = """
SELECT p.id, p.seat, p.person, p.place, COALESCE(e.feed, b.feed) AS feed
FROM played p
LEFT JOIN entries e ON e.session = p.id AND e.sequence = p.next - 1
LEFT JOIN boards b ON b.board = p.id
WHERE p.club = %s AND p.game = %s
ORDER BY feed, p.id, p.place, p.person
"""


class _RatedGame(NamedTuple):
    """A finished game: its position in the feed, and its sides' people (None: unknown) and
    places."""

    feed: int
    sides: tuple[tuple[UUID | None, ...], ...]
    places: tuple[int, ...]


def update_ratings(db: Connection[Any], club: int) -> None:
    """Update the ratings of every game whose results have changed."""
    for (game,) in db.execute("SELECT game FROM unrated WHERE club = %s", (club,)).fetchall():
        update_game_ratings(db, club, game)


def update_game_ratings(db: Connection[Any], club: int, game: str) -> None:
    """Update the ratings of one game to its current results."""
    name = f"ratings of {game} in {club}"
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (name,))  # one server at a time
        # Before the results are read: one that arrives later marks the game as unrated again.
        db.execute("DELETE FROM unrated WHERE club = %s AND game = %s", (club, game))
        games = list(_iter_games(game, db.execute(_RESULTS, (club, game))))
        folded = db.execute("SELECT feed, rules FROM projected WHERE name = %s", (name,)).fetchone()
        earlier = [one for one in games if folded and one.feed <= folded[0]]
        ratings: dict[UUID, PlackettLuceRating] = {}
        model = PlackettLuce()
        if folded and folded[1] == _hash_games(earlier):
            games_left = games[len(earlier) :]
            rows = db.execute(
                "SELECT person, mu, sigma FROM ratings WHERE club = %s AND game = %s", (club, game)
            )
            ratings = {person: model.rating(mu, sigma) for person, mu, sigma in rows}
            changed: set[UUID] = set()
        else:
            games_left, changed = games, set()
            db.execute("DELETE FROM ratings WHERE club = %s AND game = %s", (club, game))
        for one in games_left:
            # Partners win and lose together: a side's strength is the sum of its people's.
            teams = [
                [(person and ratings.get(person)) or model.rating() for person in side] for side in one.sides
            ]
            for side, rated in zip(one.sides, model.rate(teams, ranks=list(one.places)), strict=True):
                known = {person: rating for person, rating in zip(side, rated, strict=True) if person}
                ratings |= known
                changed |= known.keys()
        # Nothing new; on the first run the row in `projected` is written even without games.
        if not changed and folded:
            return
        last = games[-1].feed if games else 0
        with db.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO ratings VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (club, game, person)"
                " DO UPDATE SET mu = EXCLUDED.mu, sigma = EXCLUDED.sigma, upto = EXCLUDED.upto",
                [(club, game, person, ratings[person].mu, ratings[person].sigma, last) for person in changed],
            )
        db.execute(
            "INSERT INTO projected VALUES (%s, %s, %s)"
            " ON CONFLICT (name) DO UPDATE SET rules = EXCLUDED.rules, feed = EXCLUDED.feed",
            (name, _hash_games(games), last),
        )


def _iter_games(
    game: str, rows: Iterable[tuple[UUID, str, UUID | None, int, int | None]]
) -> Iterator[_RatedGame]:
    for _, group in groupby(rows, key=lambda row: row[0]):
        players = list(group)
        known = [row[2] for row in players if row[2]]
        if len(set(known)) < len(known):  # merged people may have played each other
            continue
        seats = {find_seat(row[1]): row for row in players}
        listed = [[seats[seat] for seat in side if seat in seats] for side in list_sides(game, len(players))]
        # Who is ahead is read from the places: those of a side are equal. Strangers play no part.
        sides = sorted(
            ((side[0][3], tuple(row[2] for row in side)) for side in listed if any(row[2] for row in side)),
            key=lambda side: (side[0], str(side[1])),
        )
        if len(sides) > 1:
            yield _RatedGame(
                players[0][4] or 0, tuple(people for _, people in sides), tuple(place for place, _ in sides)
            )


def _hash_games(games: Iterable[_RatedGame]) -> str:
    hasher = hashlib.sha256()
    for one in games:
        # Position, people and places: everything that a rating depends on.
        hasher.update(repr(one).encode())
    return hasher.hexdigest()
