"""Export a club's games for other programs: CSV (a row per player and game), JSON, BG Stats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.journal.export import format_bgstats_plays, format_utc
from companion.journal.sidecar_files import SessionNotes
from companion.journal.spreadsheets import USUAL_STYLE, SheetStyle, format_name_cell
from companion.journal.summaries import SessionSummary
from companion.league import ratings
from companion.league.points import restore_points
from companion.league.rounds import find_seat, read_standings
from companion.rules.contract import format_points
from companion.rules.registry import list_sides

FORMAT = "card-table-companion league 1"
"""First field of a JSON export; its number increases when a field changes its meaning."""
_COLUMNS = ("id", "game", "tournament", "table", "begun", "last", "seat", "person", "name", "place", "points")
_SHEET_COLUMNS = (*_COLUMNS[:-1], "side", "points", "exact")
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


def list_played_places(db: Connection[Any], club: int) -> list[PlayedPlace]:
    """Return every player's place in every game that counts, ordered by the games' beginnings."""
    return [PlayedPlace(*map(_to_float, row)) for row in db.execute(_GAMES, (club,))]


def _to_float(value: Any) -> Any:
    return float(value) if type(value).__name__ == "Decimal" else value


def format_csv(db: Connection[Any], club: int, _language: str, *, style: SheetStyle = USUAL_STYLE) -> str:
    """Export a row for each player in each game, as CSV."""
    rows = (
        [
            *row._replace(
                begun=format_utc(row.begun),  # type: ignore[arg-type]
                last=format_utc(row.last),  # type: ignore[arg-type]
                name=format_name_cell(row.name or ""),
                table=format_name_cell(row.table or ""),
            )[:-1],
            side,
            *style.format_points(restore_points(row.points)),
        ]
        for places in _group_by_game(list_played_places(db, club))
        for row, side in zip(places, _list_sides(places), strict=True)
    )
    return style.write_rows([_SHEET_COLUMNS, *rows], is_first=True)


def _list_sides(places: list[PlayedPlace]) -> list[int]:
    """Return the side of each place of a game, from 1: partners have the same."""
    # A game that is not installed here any more has no sides: everybody then plays alone.
    sides = list_sides(places[0].game, len(places))
    return [
        next(number for number, side in enumerate(sides, 1) if find_seat(place.seat) in side)
        for place in places
    ]


def format_json(db: Connection[Any], club: int, _language: str) -> str:
    """Export the games with their places, and each game's standings with ratings, as JSON."""
    # Ratings are computed on demand, so bring them up to date first.
    ratings.update_ratings(db, club)
    rows = list_played_places(db, club)
    games = [
        {
            **{name: getattr(places[0], name) for name in ("id", "game", "tournament", "table")},
            "begun": format_utc(places[0].begun),
            "last": format_utc(places[0].last),
            "places": [{name: getattr(one, name) for name in _COLUMNS[6:]} for one in places],
        }
        for places in _group_by_game(rows)
    ]
    listed = {game: read_standings(db, club, game) for game in dict.fromkeys(row.game for row in rows)}
    exported = {
        "format": FORMAT,
        "games": games,
        "standings": {game: [row._asdict() for row in lines] for game, lines in listed.items()},
    }
    return msgspec.json.format(msgspec.json.encode(exported), indent=1).decode() + "\n"


def format_bgstats(db: Connection[Any], club: int, language: str) -> str:
    """Export the games in the format that BG Stats imports, people identified by their league id.
    Raises `NoFinishedSession` if no game has ended."""
    rows = list_played_places(db, club)
    # By id: two people whose names were deleted remain two.
    ended = [(_build_summary(places), SessionNotes()) for places in _group_by_game(rows)]
    return format_bgstats_plays(
        ended, language, {_format_player_name(row): str(row.person).upper() for row in rows if row.person}
    )


def _group_by_game(rows: list[PlayedPlace]) -> list[list[PlayedPlace]]:
    return [list(places) for _, places in groupby(rows, key=lambda row: row.id)]


def _format_player_name(row: PlayedPlace) -> str:
    return row.name or (f"({str(row.person)[:8]})" if row.person else f"({row.seat})")


def _build_summary(places: list[PlayedPlace]) -> SessionSummary:
    first = places[0]
    names = {row.seat: _format_player_name(row) for row in places}
    return SessionSummary(
        first.id.int & 0x7FFFFFFF,  # only tells games of one evening apart
        first.game,
        first.begun,
        first.last,
        max(first.last - first.begun, 0.0) / 60,  # a table's clock may have been put back
        names,
        {},
        {_format_player_name(row): format_points(restore_points(row.points)) for row in places},
        {_format_player_name(row): row.place for row in places},
        tuple(_format_player_name(row) for row in places if row.place == 1),
    )


FORMATS: Mapping[str, Callable[[Connection[Any], int, str], str]] = {
    "csv": format_csv,
    "json": format_json,
    "bgstats": format_bgstats,
}
"""The formats of `companion league export` by name: (database, club, language) -> the file's
content."""
