"""Render the club's pages as HTML: all tables, one table, the round, the standings, people.

A page consists of pieces identified by their HTML ids; a browser receives the pieces that have
changed and replaces each in place.

Views contain no face-down cards, so neither do the pages. Names are looked up whenever a piece is
rendered, so a deleted name disappears from every page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from psycopg import Connection

from companion.league import ratings, rounds
from companion.league.people import list_merged_people, list_people
from companion.league.points import restore_points
from companion.league.rounds import RoundTable, StandingsRow, TournamentRound, read_standings
from companion.league.tournaments import Tournament, list_open_tournaments, list_shown_tournaments
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Problem, format_points
from companion.texts import Translator
from companion.views.panel import Face, load_face_builder

HERE = Path(__file__).parent
PARTS = HERE / "parts"
SHELL = Template((HERE / "shell.html").read_text(encoding="utf-8"))
NAMES = ("tables", "round", "standings", "people")
"""The pages in every page's navigation."""

Pieces = dict[str, str]
"""A page's HTML by the ids of its pieces, in page order."""


class TableStatus(NamedTuple):
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


def list_tables(db: Connection[Any], club: int, table: int | None = None) -> list[TableStatus]:
    """Return the club's tables in order of their names, or only one of them."""
    return [TableStatus(*row) for row in db.execute(_TABLES, (QUIET, club, table, table))]


def render_page(name: str, club: str, translator: Translator, pieces: Mapping[str, str]) -> str:
    """Render a whole page around its pieces."""
    links = "".join(
        f'<a href="/{"" if one == "tables" else one}"{" aria-current=page" if one == name else ""}>'
        f"{escape(translator(f'league.page.{one}'))}</a>"
        for one in NAMES
    )
    title = translator(f"league.page.{name}") if name in NAMES else club
    words = {"lost": translator("league.lost"), "organise": translator("league.page.organise")}
    return SHELL.substitute(
        name=name,
        language=translator.language,
        title=escape(f"{title} – {club}"),
        club=escape(club),
        words=escape(msgspec.json.encode(words).decode()),
        links=links,
        body="".join(pieces.values()),
    )


def render_away_page(translator: Translator) -> Pieces:
    """Return the piece shown while the database is unavailable; the page fills itself later."""
    return {"away": f'<p id="away">{escape(translator("league.page_away"))}</p>'}


def make_game_translator(game: str, translator: Translator, names: Mapping[str, str | None]) -> Translator:
    """Return a translator for a game's texts that shows seats by these names."""
    display_names = {seat: name or translator("league.somebody") for seat, name in names.items()}
    return Translator(translator.language, registry.load_game(game), display_names)


def _build_face(one: TableStatus, translator: Translator) -> Face | None:
    """Return the panel of a table's game; None if there is no view yet or the game is not
    installed."""
    if one.view is None:
        return None
    try:
        view = msgspec.json.decode(one.view)
        # Seats without a name show their number.
        seats = {
            row["name"]: translator("league.seat", number=row["name"].lstrip("sg")) for row in view["players"]
        }
        display_names = {**seats, **msgspec.json.decode(one.seats)}
        return load_face_builder(one.game)(view, make_game_translator(one.game, translator, display_names))
    except (LookupError, TypeError, ValueError, Problem):  # a view stored by another version may differ
        return None


def translate_game_title(game: str, translator: Translator) -> str:
    """Return a game's title; its id if it is not installed here."""
    try:
        return Translator(translator.language, registry.load_game(game))("game.title")
    except Problem:
        return game


def _render_seat_mark(number: int) -> str:
    return f'<i class="mark" data-mark="{number}"></i>'


def render_all_tables(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render every table with its game, below a summary of the current round."""
    tables, current = list_tables(db, club), rounds.read_round(db, club)
    pieces = {"now": _render_overview(current, tables, translator), **_render_timer(current, translator)}
    pieces |= {f"t{one.table}": _render_table_card(one, translator) for one in tables}
    return pieces


def _render_overview(
    one: TournamentRound | None, tables: Sequence[TableStatus], translator: Translator
) -> str:
    playing = sum(table.view is not None and not _has_ended(table) for table in tables)
    sentences = [translator("league.playing", n=playing)] if tables else [translator("league.no_tables")]
    if one is not None:
        finished = sum(board.is_over for board in one.boards if board.number)
        total = sum(board.number > 0 for board in one.boards)
        sentences.insert(
            0,
            translator(
                "league.round_of",
                game=translate_game_title(one.game, translator),
                round=one.round,
                over=finished,
                of=total,
            ),
        )
    return f'<p id="now">{"".join(f"<span>{escape(words)}</span>" for words in sentences)}</p>'


def _render_timer(one: TournamentRound | None, translator: Translator) -> Pieces:
    """Render the time that is left of a round; the page's script counts it down."""
    if one is None or one.timer is None:
        return {}
    over = escape(translator("league.time_up"))
    return {
        "timer": f'<p id="timer" role="timer" data-ends="{one.timer.timestamp():.0f}" data-over="{over}">'
        f"{escape(translator('league.time_left'))} <b></b></p>"
    }


def _has_ended(one: TableStatus) -> bool:
    return one.state == "over" or (one.view is not None and _OVER in one.view)


def _format_winners(one: TableStatus, face: Face) -> str:
    """Return the winners' names as shown on the page; "" before the end."""
    view = msgspec.json.decode(one.view or "{}")
    order = [row["name"] for row in view.get("players", ())]
    won = (view.get("result") or {}).get("winners", ())
    return " · ".join(face.seats[order.index(seat)].name for seat in won if seat in order)


# `TableStatus` is hashable and holds all that a card shows: most tables have not changed since they
# were last rendered.
@lru_cache(maxsize=1000)
def _render_table_card(one: TableStatus, translator: Translator) -> str:
    face = _build_face(one, translator)
    kind = "idle" if one.session is None else "over" if _has_ended(one) else "open"
    message = ""
    if one.state in ("forked", "malformed", "foreign_game"):
        kind, message = "stuck", translator(f"league.state.{one.state}")
    elif face is None:
        message = translator("league.nothing_yet")
    elif kind == "open" and one.silent:
        kind, message = "quiet", translator("league.silent", n=one.silent)
    elif kind == "over":
        message = translator("league.over")
        if won := _format_winners(one, face):
            message = translator("league.won", names=won)
    else:
        message = face.headline
    rows = (
        ""
        if face is None
        else "".join(_render_seat_row(number, seat) for number, seat in enumerate(face.seats))
    )
    progress = "" if face is None or kind == "over" else face.progress_label
    return (
        f'<article id="t{one.table}" class="table {kind}"><a href="/table/{one.table}">'
        f"<h2><b>{escape(one.name)}</b> <span>{escape(translate_game_title(one.game, translator) if one.game else '')}</span></h2>"
        f'<p class="told"><strong>{escape(message)}</strong> <span>{escape(progress)}</span></p>'
        f"<ol>{rows}</ol></a></article>"
    )


def _render_seat_row(number: int, seat: Any, badges: str = "") -> str:
    awaited = ' class="awaited"' if seat.awaited else ""
    return (
        f"<li{awaited}>{_render_seat_mark(number)}<span class=name>{escape(seat.name)}</span>{badges}"
        f"<b>{escape(seat.points)}</b></li>"
    )


def render_table(db: Connection[Any], club: int, table: int, translator: Translator) -> Pieces | None:
    """Render one table live, as large as possible; None if there is no table with this number."""
    found = list_tables(db, club, table)
    if not found:
        return None
    one, face = found[0], _build_face(found[0], translator)
    top = f"<h2><b>{escape(one.name)}</b> <span>{escape(translate_game_title(one.game, translator) if one.game else '')}</span></h2>"
    if face is None:
        return {
            "live": f'<section id="live">{top}<p>{escape(translator("league.nothing_yet"))}</p></section>'
        }
    progress = ""
    if face.progress is not None:
        done, total = face.progress
        progress = "●" * max(done - 1, 0) + "◉" + "○" * max(total - done, 0)
    gauge = _render_gauge(face, translator)
    badges = [
        "".join(
            f'<span class="{badge.tone}">{escape(badge.sign)} {escape(badge.word)}</span>'
            for badge in seat.badges
            if badge.sign
        )
        for seat in face.seats
    ]
    rows = "".join(
        _render_seat_row(number, seat, f'<span class="badges">{badges[number]}</span>')
        for number, seat in enumerate(face.seats)
    )
    headline, meaning = face.headline, face.meaning
    if _has_ended(one):
        headline, meaning, gauge = _format_winners(one, face), translator("league.over"), ""
    return {
        "live": f'<section id="live">{top}'
        f'<p class="progress"><span aria-hidden="true">{progress}</span> {escape(face.progress_label)}</p>'
        f'<div id="what"><p class="headline">{escape(headline)}</p><p class="quiet">{escape(meaning)}</p>{gauge}</div>'
        f'<ol class="seats">{rows}</ol></section>'
    }


def _render_gauge(face: Face, translator: Translator) -> str:
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


def render_round(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render the current round: who sits where, by table and by name, and why."""
    one = rounds.read_round(db, club)
    if one is None:
        return {"round": f'<section id="round"><p>{escape(translator("league.no_round"))}</p></section>'}
    head = rounds.format_round_title(one, translate_game_title(one.game, translator), translator)
    where = sorted(
        (place.name or translator("league.somebody"), board.number, place.seat[1:])
        for board in one.boards
        for place in board.places
    )
    listed = "".join(
        f"<li><span class=name>{escape(name)}</span> <span>{escape(_format_seat_place(table, seat, translator))}</span></li>"
        for name, table, seat in sorted(where, key=lambda row: row[0].casefold())
    )
    tie_break = find_tie_break(one.game, translator)
    boards = "".join(_render_round_table(board, tie_break, translator) for board in one.boards)
    return _render_timer(one, translator) | {
        "round": f'<section id="round"><h2>{escape(head)}</h2><div class="boards">{boards}</div>'
        f'<h2>{escape(translator("league.by_name"))}</h2><ol class="where">{listed}</ol></section>'
    }


def _format_seat_place(table: int, seat: str, translator: Translator) -> str:
    return translator("league.table_seat", table=table, seat=seat) if table else translator("league.sits_out")


def render_score_fields(one: RoundTable, tie_break: str, translator: Translator) -> str:
    """Render the fields for a table's result: each player's points and, if `tie_break` has a name
    for it, what decides between equal points. They hold the result, or what a player has sent."""
    reported = one.reported or {}
    fields = []
    for place in one.places:
        sent = reported.get(place.seat, ())
        name = place.name or translator("league.somebody")
        # A result that counts comes before what was sent.
        values = [_format_typed(place.points, sent[:1])]
        labels = [(place.seat, name, " required")]
        if tie_break:
            values.append(_format_typed(place.tie_break, sent[1:2]))
            labels.append(
                (f"t{place.seat[1:]}", f"{name}: {tie_break}", f' placeholder="{escape(tie_break)}"')
            )
        inputs = " ".join(
            f'<input inputmode="decimal" autocomplete="off" size="6" name="{field}" value="{escape(value)}"'
            f' aria-label="{escape(label)}"{more}>'
            for (field, label, more), value in zip(labels, values, strict=True)
        )
        fields.append(f"<label>{escape(name)} {inputs}</label>")
    return "".join(fields)


def _format_typed(points: float | None, sent: Sequence[str]) -> str:
    """Return points as people would type them: of the result, else as they were sent."""
    if points is not None:
        return str(format_points(restore_points(points)))
    return sent[0] if sent else ""


def find_tie_break(game: str, translator: Translator) -> str:
    """Return what a game calls the number that decides between equal points; "" if it has none, or
    is not installed here."""
    try:
        found = registry.load_game(game)
    except registry.GameUnavailable:
        return ""
    return Translator(translator.language, found)(f"tie_break.{found.tie_break}") if found.tie_break else ""


def _render_report_form(one: RoundTable, tie_break: str, translator: Translator) -> str:
    """Render the form by which a player sends the result of a table from a phone."""
    hidden = f'<input type="hidden" name="board" value="{one.board}">'
    sent = f"<p>{escape(translator('league.reported'))}</p>" if one.reported is not None else ""
    return (
        f"<details class=report><summary>{escape(translator('league.report'))}</summary>{sent}"
        f'<form data-do="report">{hidden}{render_score_fields(one, tie_break, translator)}'
        f"<button disabled>{escape(translator('league.send'))}</button></form></details>"
    )


def _render_round_table(one: RoundTable, tie_break: str, translator: Translator) -> str:
    if not one.number:
        out = ", ".join(place.name or translator("league.somebody") for place in one.places)
        return f'<article class="board out"><h3>{escape(translator("league.out"))}</h3><p>{escape(out)}</p></article>'
    rows = "".join(
        f'<li><b class="seat">{escape(place.seat[1:])}</b><span class=name>{escape(place.name or translator("league.somebody"))}</span>'
        f"<b>{'' if place.place is None else f'{place.place}.'}</b></li>"
        for place in one.places
    )
    title = translator("league.table", table=one.number)
    laptop = translator("league.by_hand") if one.laptop is None else one.laptop if one.laptop != title else ""
    reasons = "".join(f"<p>{escape(translator.translate(text))}</p>" for text in one.why)
    # A table with a laptop sends its result itself.
    report = "" if one.has_begun else _render_report_form(one, tie_break, translator)
    return (
        f'<article class="board{" over" if one.is_over else ""}"><h3>{escape(title)}'
        f" <span>{escape(laptop)}</span></h3><ol>{rows}</ol>"
        f"<details><summary>{escape(translator('league.why'))}</summary>{reasons}</details>{report}</article>"
    )


def list_games(db: Connection[Any], club: int) -> list[str]:
    """Return the games played in the club, the most recent first."""
    query = "SELECT game FROM sessions WHERE club = %(c)s GROUP BY game ORDER BY max(begun) DESC"
    found = [row[0] for row in db.execute(query, {"c": club})]
    # Games of open tournaments first, even before anything of them has been played.
    return list(dict.fromkeys([one.game for one in list_open_tournaments(db, club)] + found))


def render_standings(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render the current tournament's standings, if there is one, and those of each game."""
    ratings.update_ratings(db, club)
    pieces = {}
    parts: list[tuple[str, Tournament | None]] = [(one.game, one) for one in list_shown_tournaments(db, club)]
    for game, tournament in [*parts, *((game, None) for game in list_games(db, club))]:
        rows = read_standings(db, club, game, tournament)
        if rows:
            key = f"{game}-{tournament.number if tournament else 'all'}"
            about = translator(
                "league.this_tournament" if tournament else "league.all_games",
                game=translate_game_title(game, translator),
            )
            pieces[key] = _render_standings_table(key, about, rows, translator)
    if not pieces:
        return {"none": f'<section id="none"><p>{escape(translator("league.no_results"))}</p></section>'}
    pieces["how"] = f'<p id="how" class="quiet">{escape(translator("league.how"))}</p>'
    return pieces


def _render_standings_table(
    key: str, about: str, rows: Sequence[StandingsRow], translator: Translator
) -> str:
    heads = ["place", "name", "games", "wins", "points", "rating"]
    with_opponents = any(row.opponents is not None for row in rows)
    if with_opponents:
        heads.insert(5, "opponents")
    head = "".join(
        f'<th class="{one}" scope="col">{escape(translator(f"league.column.{one}"))}</th>' for one in heads
    )
    body = "".join(
        f'<tr class="p{row.place}"><td>{row.place}</td><th scope="row"><a href="/person/{row.person}">'
        f"{escape(row.name or translator('league.somebody'))}</a></th><td class=games>{row.games}</td><td>{row.wins}</td>"
        f"<td class=points>{row.points:g}</td>{_render_last_cells(row, with_opponents=with_opponents)}</tr>"
        for row in rows
    )
    return (
        f'<section id="{escape(key)}"><h2>{escape(about)}</h2>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def _render_last_cells(row: StandingsRow, *, with_opponents: bool) -> str:
    rating = "" if row.rating is None else f"{row.rating:.1f}"
    opponents = "" if row.opponents is None else f"{row.opponents:g}"
    cells = f"<td class=opponents>{opponents}</td>" if with_opponents else ""
    return f"{cells}<td class=rating>{rating}</td>"


_PERSON = """
SELECT p.game, s.begun, t.name, p.place, p.points, p.id,
    (SELECT count(*) FROM played o WHERE o.club = p.club AND o.id = p.id),
    p.seat, (SELECT jsonb_object_agg(o.seat, q.name) FROM played o LEFT JOIN people q ON q.person = o.person
        WHERE o.club = p.club AND o.id = p.id)
FROM played p LEFT JOIN sessions s ON s.session = p.id LEFT JOIN tables t ON t.tbl = s.tbl
WHERE p.club = %s AND p.person = %s ORDER BY s.begun DESC NULLS LAST LIMIT 50
"""


def render_person(db: Connection[Any], club: int, one: UUID, translator: Translator) -> Pieces | None:
    """Render one person's games and standings; None if the id is unknown."""
    # Links to a person who was merged later still lead somewhere.
    one = list_merged_people(db, club).get(one, one)
    name = list_people(db, club).get(one)
    if name is None:
        return None
    stands = "".join(
        f"<li><span class=name>{escape(translate_game_title(game, translator))}</span>"
        f" <span>{escape(translator('league.stands', place=row.place, of=len(rows), games=row.games, wins=row.wins))}</span></li>"
        for game in list_games(db, club)
        for rows in [read_standings(db, club, game)]
        for row in rows
        if row.person == one
    )
    played = "".join(
        f"<tr><td>{escape(translate_game_title(game, translator))}</td><td>{escape(table or translator('league.by_hand'))}</td>"
        f"<td>{escape(translator('league.place_of', place=place, of=of))}</td>"
        f"<td>{escape(_describe_company(game, seat, names, translator))}</td></tr>"
        for game, _begun, table, place, _points, _id, of, seat, names in db.execute(_PERSON, (club, one))
    )
    heads = "".join(
        f'<th scope="col">{escape(translator(f"league.column.{head}"))}</th>'
        for head in ("game", "table", "place", "with")
    )
    return {
        "person": f'<section id="person"><h2>{escape(name)}</h2><ul class="stands">{stands}</ul>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{played}</tbody></table></section>"
    }


def _describe_company(game: str, seat: str, names: Mapping[str, str | None], translator: Translator) -> str:
    """Name the others at a table, `names` by seat; a player's partners apart from the opponents."""
    labels = sorted(names, key=rounds.find_seat)
    sides = registry.list_sides(game, len(labels))
    own = next(side for side in sides if rounds.find_seat(seat) in side)

    def join_names(seats: Iterable[str]) -> str:
        return ", ".join(names[label] or translator("league.somebody") for label in seats)

    partners = [label for label in labels if label != seat and rounds.find_seat(label) in own]
    others = join_names(label for label in labels if label != seat and label not in partners)
    if not partners:
        return others
    return translator("league.with_partners", partners=join_names(partners), others=others)


def render_people(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render the list of the club's people, by name."""
    listed = "".join(
        f'<li><a href="/person/{one}">{escape(name)}</a></li>' for one, name in list_people(db, club).items()
    )
    words = "" if listed else f"<p>{escape(translator('league.nobody'))}</p>"
    return {"people": f'<section id="people">{words}<ol class="names">{listed}</ol></section>'}
