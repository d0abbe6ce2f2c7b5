"""Render the club's pages as HTML: all tables, one table, the round, the standings, people.

A page consists of pieces identified by their HTML ids; a browser receives the pieces that have
changed and replaces each in place.

Views contain no face-down cards, so neither do the pages. Names are looked up whenever a piece is
rendered, so a deleted name disappears from every page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league import ratings, rounds
from companion.league.people import everybody, merged
from companion.league.rounds import RoundShown, RoundTable, standings
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Problem
from companion.texts import Translator
from companion.views.panel import Face, face_of

HERE = Path(__file__).parent
PARTS = HERE / "parts"
SHELL = Template((HERE / "shell.html").read_text(encoding="utf-8"))
NAMES = ("tables", "round", "standings", "people")
"""The pages in every page's navigation."""

Pieces = dict[str, str]
"""A page's HTML by the ids of its pieces, in page order."""


class ShownTable(NamedTuple):
    """A table of the club, with the newest session begun there, if any."""

    table: int
    name: str
    session: UUID | None
    game: str
    state: str
    view: str | None
    """As JSON text, so that an unchanged table is recognized (and its card cached) without decoding
    it."""
    seats: str
    """Names by seat, as JSON; null if the seat has no person or the name was deleted."""
    silent: int
    """Minutes since the last entry; 0 if fewer than `QUIET`."""


_TABLES = """
SELECT t.tbl, t.name, s.session, COALESCE(s.game, ''), COALESCE(s.state, 'open'), n.view::text,
    COALESCE((SELECT jsonb_object_agg(seats.seat, p.name) FROM seats
        LEFT JOIN people b ON b.person = seats.person
        LEFT JOIN people p ON p.person = COALESCE(b.merged_into, b.person)
        WHERE seats.session = s.session), '{}')::text,
    CASE WHEN extract(epoch FROM now()) - e.written / 1000000 > 60 * %s
        THEN (extract(epoch FROM now()) - e.written / 1000000)::int / 60 ELSE 0 END
FROM tables t
LEFT JOIN LATERAL (SELECT * FROM sessions WHERE tbl = t.tbl
    ORDER BY begun DESC, forked_at DESC NULLS LAST LIMIT 1) s ON true
LEFT JOIN table_now n ON n.session = s.session
LEFT JOIN entries e ON e.session = s.session AND e.sequence = s.next - 1
WHERE t.club = %s AND t.left_at IS NULL AND (%s::int IS NULL OR t.tbl = %s)
ORDER BY length(t.name), t.name, t.tbl
"""
_OVER = f'"phase": "{GAME_OVER}"'
"""The end of a game as it appears in PostgreSQL's JSON text."""
QUIET = 10
"""Minutes without an entry after which a table is shown as silent: longer than a player ever
thinks. A table without a network also looks silent while it plays on."""


def tables_of(db: Connection[Any], club: int, table: int | None = None) -> list[ShownTable]:
    """Return the club's tables in order of their names, or only one of them."""
    return [ShownTable(*row) for row in db.execute(_TABLES, (QUIET, club, table, table))]


def page(name: str, club: str, say: Translator, pieces: Mapping[str, str]) -> str:
    """Render a whole page around its pieces."""
    links = "".join(
        f'<a href="/{"" if one == "tables" else one}"{" aria-current=page" if one == name else ""}>'
        f"{escape(say(f'league.page.{one}'))}</a>"
        for one in NAMES
    )
    title = say(f"league.page.{name}") if name in NAMES else club
    words = {"lost": say("league.lost"), "organise": say("league.page.organise")}
    return SHELL.substitute(
        name=name,
        language=say.language,
        title=escape(f"{title} – {club}"),
        club=escape(club),
        words=escape(msgspec.json.encode(words).decode()),
        links=links,
        body="".join(pieces.values()),
    )


def away(say: Translator) -> Pieces:
    """Return the piece shown while the database is unavailable; the page fills itself later."""
    return {"away": f'<p id="away">{escape(say("league.page_away"))}</p>'}


def say_for(game: str, say: Translator, names: Mapping[str, str | None]) -> Translator:
    """Return a translator for a game's texts that shows seats by these names."""
    called = {seat: name or say("league.somebody") for seat, name in names.items()}
    return Translator(say.language, registry.load(game), called)


def _face(one: ShownTable, say: Translator) -> Face | None:
    """Return the panel of a table's game; None if there is no view yet or the game is not
    installed."""
    if one.view is None:
        return None
    try:
        view = msgspec.json.decode(one.view)
        # Seats without a name show their number.
        seats = {row["name"]: say("league.seat", number=row["name"].lstrip("sg")) for row in view["players"]}
        called = {**seats, **msgspec.json.decode(one.seats)}
        return face_of(one.game)(view, say_for(one.game, say, called))
    except (LookupError, TypeError, ValueError, Problem):  # a view stored by another version may differ
        return None


def game_title(game: str, say: Translator) -> str:
    """Return a game's title; its id if it is not installed here."""
    try:
        return Translator(say.language, registry.load(game))("game.title")
    except Problem:
        return game


def _mark(number: int) -> str:
    return f'<i class="mark" data-mark="{number}"></i>'


def all_tables(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Render every table with its game, below a summary of the current round."""
    shown = tables_of(db, club)
    pieces = {"now": _now(rounds.shown(db, club), shown, say)}
    pieces |= {f"t{one.table}": _card(one, say) for one in shown}
    return pieces


def _now(one: RoundShown | None, shown: Sequence[ShownTable], say: Translator) -> str:
    playing = sum(table.view is not None and not _ended(table) for table in shown)
    told = [say("league.playing", n=playing)] if shown else [say("league.no_tables")]
    if one is not None:
        over = sum(board.over for board in one.boards if board.number)
        of = sum(board.number > 0 for board in one.boards)
        told.insert(
            0, say("league.round_of", game=game_title(one.game, say), round=one.round, over=over, of=of)
        )
    return f'<p id="now">{"".join(f"<span>{escape(words)}</span>" for words in told)}</p>'


def _ended(one: ShownTable) -> bool:
    return one.state == "over" or (one.view is not None and _OVER in one.view)


def _winners(one: ShownTable, face: Face) -> str:
    """Return the winners' names as shown on the page; "" before the end."""
    view = msgspec.json.decode(one.view or "{}")
    order = [row["name"] for row in view.get("players", ())]
    won = (view.get("result") or {}).get("winners", ())
    return " · ".join(face.seats[order.index(seat)].name for seat in won if seat in order)


# `ShownTable` is hashable and holds all that a card shows: most tables have not changed since they
# were last rendered.
@lru_cache(maxsize=1000)
def _card(one: ShownTable, say: Translator) -> str:
    face = _face(one, say)
    kind = "idle" if one.session is None else "over" if _ended(one) else "open"
    told = ""
    if one.state in ("forked", "malformed", "foreign_game"):
        kind, told = "stuck", say(f"league.state.{one.state}")
    elif face is None:
        told = say("league.nothing_yet")
    elif kind == "open" and one.silent:
        kind, told = "quiet", say("league.silent", n=one.silent)
    elif kind == "over":
        told = say("league.over")
        if won := _winners(one, face):
            told = say("league.won", names=won)
    else:
        told = face.headline
    rows = "" if face is None else "".join(_row(number, seat) for number, seat in enumerate(face.seats))
    progress = "" if face is None or kind == "over" else face.progress_label
    return (
        f'<article id="t{one.table}" class="table {kind}"><a href="/table/{one.table}">'
        f"<h2><b>{escape(one.name)}</b> <span>{escape(game_title(one.game, say) if one.game else '')}</span></h2>"
        f'<p class="told"><strong>{escape(told)}</strong> <span>{escape(progress)}</span></p>'
        f"<ol>{rows}</ol></a></article>"
    )


def _row(number: int, seat: Any, badges: str = "") -> str:
    awaited = ' class="awaited"' if seat.awaited else ""
    return (
        f"<li{awaited}>{_mark(number)}<span class=name>{escape(seat.name)}</span>{badges}"
        f"<b>{escape(seat.points)}</b></li>"
    )


def one_table(db: Connection[Any], club: int, table: int, say: Translator) -> Pieces | None:
    """Render one table live, as large as possible; None if there is no table with this number."""
    found = tables_of(db, club, table)
    if not found:
        return None
    one, face = found[0], _face(found[0], say)
    top = f"<h2><b>{escape(one.name)}</b> <span>{escape(game_title(one.game, say) if one.game else '')}</span></h2>"
    if face is None:
        return {"live": f'<section id="live">{top}<p>{escape(say("league.nothing_yet"))}</p></section>'}
    progress = ""
    if face.progress is not None:
        done, of = face.progress
        progress = "●" * max(done - 1, 0) + "◉" + "○" * max(of - done, 0)
    gauge = _gauge(face, say)
    badges = [
        "".join(
            f'<span class="{badge.tone}">{escape(badge.sign)} {escape(badge.word)}</span>'
            for badge in seat.badges
            if badge.sign
        )
        for seat in face.seats
    ]
    rows = "".join(
        _row(number, seat, f'<span class="badges">{badges[number]}</span>')
        for number, seat in enumerate(face.seats)
    )
    headline, meaning = face.headline, face.meaning
    if _ended(one):
        headline, meaning, gauge = _winners(one, face), say("league.over"), ""
    return {
        "live": f'<section id="live">{top}'
        f'<p class="progress"><span aria-hidden="true">{progress}</span> {escape(face.progress_label)}</p>'
        f'<div id="what"><p class="headline">{escape(headline)}</p><p class="quiet">{escape(meaning)}</p>{gauge}</div>'
        f'<ol class="seats">{rows}</ol></section>'
    }


def _gauge(face: Face, say: Translator) -> str:
    one = face.gauge
    if one is None:
        return ""
    meter = ""
    if one.limit:
        meter = (
            f'<meter class="{one.tone}" max="{one.limit}" value="{min(one.value or 0, one.limit)}"></meter>'
        )
    numbers = " / ".join(str(number) for number in (one.value, one.limit) if number is not None)
    return f'{meter}<p class="{one.tone}">{escape(one.label)} {escape(numbers)} <strong>{escape(one.verdict)}</strong></p>'


def this_round(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Render the current round: who sits where, by table and by name, and why."""
    one = rounds.shown(db, club)
    if one is None:
        return {"round": f'<section id="round"><p>{escape(say("league.no_round"))}</p></section>'}
    head = say("league.round", game=game_title(one.game, say), round=one.round)
    where = sorted(
        (place.name or say("league.somebody"), board.number, place.seat[1:])
        for board in one.boards
        for place in board.places
    )
    listed = "".join(
        f"<li><span class=name>{escape(name)}</span> <span>{escape(_where(table, seat, say))}</span></li>"
        for name, table, seat in sorted(where, key=lambda row: row[0].casefold())
    )
    boards = "".join(_board(board, say) for board in one.boards)
    return {
        "round": f'<section id="round"><h2>{escape(head)}</h2><div class="boards">{boards}</div>'
        f'<h2>{escape(say("league.by_name"))}</h2><ol class="where">{listed}</ol></section>'
    }


def _where(table: int, seat: str, say: Translator) -> str:
    return say("league.table_seat", table=table, seat=seat) if table else say("league.sits_out")


def _board(one: RoundTable, say: Translator) -> str:
    if not one.number:
        out = ", ".join(place.name or say("league.somebody") for place in one.places)
        return (
            f'<article class="board out"><h3>{escape(say("league.out"))}</h3><p>{escape(out)}</p></article>'
        )
    rows = "".join(
        f'<li><b class="seat">{escape(place.seat[1:])}</b><span class=name>{escape(place.name or say("league.somebody"))}</span>'
        f"<b>{'' if place.place is None else f'{place.place}.'}</b></li>"
        for place in one.places
    )
    title = say("league.table", table=one.number)
    laptop = say("league.by_hand") if one.laptop is None else one.laptop if one.laptop != title else ""
    told = "".join(f"<p>{escape(say.say(text))}</p>" for text in one.why)
    return (
        f'<article class="board{" over" if one.over else ""}"><h3>{escape(title)}'
        f" <span>{escape(laptop)}</span></h3><ol>{rows}</ol>"
        f"<details><summary>{escape(say('league.why'))}</summary>{told}</details></article>"
    )


def games_of(db: Connection[Any], club: int) -> list[str]:
    """Return the games played in the club, the most recent first."""
    asked = "SELECT game FROM sessions WHERE club = %(c)s GROUP BY game ORDER BY max(begun) DESC"
    found = [row[0] for row in db.execute(asked, {"c": club})]
    one = rounds.newest(db, club)
    # The current tournament's game first, even before anything of it has been played.
    return list(dict.fromkeys(([one[1]] if one else []) + found))


def all_standings(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Render the current tournament's standings, if there is one, and those of each game."""
    ratings.follow(db, club)
    pieces = {}
    going = rounds.newest(db, club)
    parts = [(going[1], going[0])] if going else []
    for game, tournament in [*parts, *((game, None) for game in games_of(db, club))]:
        rows = standings(db, club, game, tournament)
        if rows:
            key = f"{game}-{tournament or 'all'}"
            about = say(
                "league.this_tournament" if tournament else "league.all_games", game=game_title(game, say)
            )
            pieces[key] = _standings(key, about, rows, say)
    if not pieces:
        return {"none": f'<section id="none"><p>{escape(say("league.no_results"))}</p></section>'}
    pieces["how"] = f'<p id="how" class="quiet">{escape(say("league.how"))}</p>'
    return pieces


def _standings(key: str, about: str, rows: Sequence[Any], say: Translator) -> str:
    heads = ("place", "name", "games", "wins", "points", "rating")
    head = "".join(
        f'<th class="{one}" scope="col">{escape(say(f"league.column.{one}"))}</th>' for one in heads
    )
    body = "".join(
        f'<tr class="p{row.place}"><td>{row.place}</td><th scope="row"><a href="/person/{row.person}">'
        f"{escape(row.name or say('league.somebody'))}</a></th><td class=games>{row.games}</td><td>{row.wins}</td>"
        f"<td class=points>{row.points:g}</td><td class=rating>{'' if row.rating is None else f'{row.rating:.1f}'}</td></tr>"
        for row in rows
    )
    return (
        f'<section id="{escape(key)}"><h2>{escape(about)}</h2>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></section>"
    )


_PERSON = """
SELECT p.game, s.begun, t.name, p.place, p.points, p.id,
    (SELECT count(*) FROM played o WHERE o.club = p.club AND o.id = p.id),
    (SELECT array_agg(q.name ORDER BY o.place) FROM played o JOIN people q ON q.person = o.person
        WHERE o.club = p.club AND o.id = p.id AND o.person <> p.person)
FROM played p LEFT JOIN sessions s ON s.session = p.id LEFT JOIN tables t ON t.tbl = s.tbl
WHERE p.club = %s AND p.person = %s ORDER BY s.begun DESC NULLS LAST LIMIT 50
"""


def person(db: Connection[Any], club: int, one: UUID, say: Translator) -> Pieces | None:
    """Render one person's games and standings; None if the id is unknown."""
    # Links to a person who was merged later still lead somewhere.
    one = merged(db, club).get(one, one)
    name = everybody(db, club).get(one)
    if name is None:
        return None
    stands = "".join(
        f"<li><span class=name>{escape(game_title(game, say))}</span>"
        f" <span>{escape(say('league.stands', place=row.place, of=len(rows), games=row.games, wins=row.wins))}</span></li>"
        for game in games_of(db, club)
        for rows in [standings(db, club, game)]
        for row in rows
        if row.person == one
    )
    played = "".join(
        f"<tr><td>{escape(game_title(game, say))}</td><td>{escape(table or say('league.by_hand'))}</td>"
        f"<td>{escape(say('league.place_of', place=place, of=of))}</td>"
        f"<td>{escape(', '.join(other or say('league.somebody') for other in others or ()))}</td></tr>"
        for game, _begun, table, place, _points, _id, of, others in db.execute(_PERSON, (club, one))
    )
    heads = "".join(
        f'<th scope="col">{escape(say(f"league.column.{head}"))}</th>'
        for head in ("game", "table", "place", "with")
    )
    return {
        "person": f'<section id="person"><h2>{escape(name)}</h2><ul class="stands">{stands}</ul>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{played}</tbody></table></section>"
    }


def all_people(db: Connection[Any], club: int, say: Translator) -> Pieces:
    """Render the list of the club's people, by name."""
    listed = "".join(
        f'<li><a href="/person/{one}">{escape(name)}</a></li>' for one, name in everybody(db, club).items()
    )
    words = "" if listed else f"<p>{escape(say('league.nobody'))}</p>"
    return {"people": f'<section id="people">{words}<ol class="names">{listed}</ol></section>'}
