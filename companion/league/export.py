"""Export a club's games for other programs: CSV (a row per player and game), JSON, BG Stats."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.journal.export import bgstats_of, utc
from companion.journal.summaries import SessionSummary
from companion.league import ratings
from companion.league.rounds import standings
from companion.texts import as_text, clean

FORMAT = "card-table-companion league 1"
"""First field of a JSON export; its number increases when a field changes its meaning."""
_COLUMNS = ("id", "game", "tournament", "table", "begun", "last", "seat", "person", "name", "place", "points")
_GAMES = """
SELECT p.id, p.game, p.tournament, t.name, p.begun / 1e6, COALESCE(e.written, p.begun) / 1e6,
    p.seat, p.person, q.name, p.place, p.points::float8
FROM played p LEFT JOIN people q ON q.person = p.person
LEFT JOIN sessions s ON s.session = p.id LEFT JOIN tables t ON t.tbl = s.tbl
LEFT JOIN entries e ON e.session = p.id AND e.sequence = p.next - 1
WHERE p.club = %s ORDER BY p.begun, p.id, length(p.seat), p.seat
"""


class PlayedPlace(NamedTuple):
    """A player's place in one game; times in seconds since 1970. `table`: None for a manual result.
    `name`: None if the seat has no person, or the name was deleted."""

    id: UUID
    game: str
    tournament: int | None
    table: str | None
    begun: float
    last: float
    seat: str
    person: UUID | None
    name: str | None
    place: int
    points: float


def played(db: Connection[Any], club: int) -> list[PlayedPlace]:
    """Return every player's place in every game that counts, ordered by the games' beginnings."""
    return [PlayedPlace(*map(_plain, row)) for row in db.execute(_GAMES, (club,))]


def _plain(value: Any) -> Any:
    return float(value) if type(value).__name__ == "Decimal" else value


def as_csv(db: Connection[Any], club: int, _language: str) -> str:
    """Export a row for each player in each game, as CSV."""
    out = io.StringIO()
    sheet = csv.writer(out)
    sheet.writerow(_COLUMNS)
    for row in played(db, club):
        told = row._replace(
            begun=utc(row.begun),  # type: ignore[arg-type]
            last=utc(row.last),  # type: ignore[arg-type]
            # A name that begins with `=` would run as a formula when a spreadsheet opens the file.
            name=as_text(clean(row.name or "")),
            table=as_text(clean(row.table or "")),
        )
        sheet.writerow(told)
    return out.getvalue()


def as_json(db: Connection[Any], club: int, _language: str) -> str:
    """Export the games with their places, and each game's standings with ratings, as JSON."""
    # Ratings are computed on demand, so bring them up to date first.
    ratings.follow(db, club)
    rows = played(db, club)
    games = [
        {
            **{name: getattr(places[0], name) for name in ("id", "game", "tournament", "table")},
            "begun": utc(places[0].begun),
            "last": utc(places[0].last),
            "places": [{name: getattr(one, name) for name in _COLUMNS[6:]} for one in places],
        }
        for places in _by_game(rows)
    ]
    listed = {game: standings(db, club, game) for game in dict.fromkeys(row.game for row in rows)}
    told = {
        "format": FORMAT,
        "games": games,
        "standings": {game: [row._asdict() for row in lines] for game, lines in listed.items()},
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=1).decode() + "\n"


def as_bgstats(db: Connection[Any], club: int, language: str) -> str:
    """Export the games in the format that BG Stats imports, people identified by their league id.
    Raises `NotFinished` if no game has ended."""
    rows = played(db, club)
    # By id: two people whose names were deleted remain two.
    ended = [_summary(places) for places in _by_game(rows)]
    return bgstats_of(ended, language, {_called(row): str(row.person).upper() for row in rows if row.person})


def _by_game(rows: list[PlayedPlace]) -> list[list[PlayedPlace]]:
    return [list(places) for _, places in groupby(rows, key=lambda row: row.id)]


def _called(row: PlayedPlace) -> str:
    return row.name or (f"({str(row.person)[:8]})" if row.person else f"({row.seat})")


def _summary(places: list[PlayedPlace]) -> SessionSummary:
    first = places[0]
    names = {row.seat: _called(row) for row in places}
    return SessionSummary(
        first.id.int & 0x7FFFFFFF,  # only tells games of one evening apart
        first.game,
        first.begun,
        first.last,
        max(first.last - first.begun, 0.0) / 60,  # a table's clock may have been put back
        names,
        {},
        {_called(row): int(row.points) if row.points.is_integer() else str(row.points) for row in places},
        {_called(row): row.place for row in places},
        tuple(_called(row) for row in places if row.place == 1),
    )


FORMATS: Mapping[str, Callable[[Connection[Any], int, str], str]] = {
    "csv": as_csv,
    "json": as_json,
    "bgstats": as_bgstats,
}
"""The formats of `companion league export` by name: (database, club, language) -> the file's
content."""
