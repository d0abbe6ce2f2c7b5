"""What the page of a table shows of a game: its state in words, and a row for each player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

from companion.league.points import restore_points
from companion.rules.contract import GAME_OVER
from companion.texts import Translator, format_score
from companion.views.panel import Badge, Face


class Row(NamedTuple):
    """A player's row: name, points and place ("": none yet), whether the table waits for them,
    badges, and the person (None: nobody who has a page)."""

    name: str
    points: str
    place: str = ""
    awaited: bool = False
    badges: tuple[Badge, ...] = ()
    person: UUID | None = None


class Scene(NamedTuple):
    """A table as its page shows it. `face`: None if there is nothing to see of the game itself,
    because it is over or cannot be replayed here."""

    headline: str
    meaning: str
    rows: tuple[Row, ...]
    face: Face | None = None


def list_rows(view: Mapping[str, Any], face: Face, people: Mapping[str, UUID]) -> tuple[Row, ...]:
    """Return the players' rows of a table with this view. `people`: who has a page, by seat."""
    result = view["result"] if view["phase"] == GAME_OVER else None
    places = {row["player"]: str(row["rank"]) for row in result["ranking"]} if result else {}
    return tuple(
        Row(
            seat.name,
            seat.points,
            places.get(player["name"], ""),
            seat.awaited,
            seat.badges,
            people.get(player["name"]),
        )
        for player, seat in zip(view["players"], face.seats, strict=True)
    )


def build_scene(
    view: Mapping[str, Any], face: Face, people: Mapping[str, UUID], translator: Translator
) -> Scene:
    """Return what a table shows with this view. `people`: see `list_rows`."""
    rows = list_rows(view, face, people)
    if view["phase"] != GAME_OVER or not view["result"]:
        return Scene(face.headline, face.meaning, rows, face)
    return Scene(translator("league.won", names=format_winners(view, face)), "", rows)


def build_result_row(
    name: str | None, person: UUID | None, points: float | None, place: int | None, somebody: str
) -> Row:
    """Return a player's row as the result knows it. `name`: None if it was deleted; `points`,
    `place`: None before the end; `somebody`: for people without a name."""
    return Row(
        name or somebody,
        "" if points is None else format_score(restore_points(points)),
        "" if place is None else str(place),
        person=person if name else None,
    )


def build_result_scene(rows: tuple[Row, ...], translator: Translator) -> Scene:
    """Return what is known of a game that cannot be shown: who sits there, and the result. The
    headline is "" before the end."""
    if not rows or not all(row.place for row in rows):
        return Scene("", "", rows)
    winners = [row.name for row in rows if row.place == "1"]
    return Scene(translator("league.won", names=" · ".join(winners)), "", rows)


def format_winners(view: Mapping[str, Any], face: Face) -> str:
    """Return the winners' names as shown on the page; "" before the end."""
    order = [row["name"] for row in view.get("players", ())]
    won = (view.get("result") or {}).get("winners", ())
    return " · ".join(face.seats[order.index(seat)].name for seat in won if seat in order)
