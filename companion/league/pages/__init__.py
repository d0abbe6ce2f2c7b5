"""Render the club's pages as HTML: all tables, one table, the round, the standings, people.

A page consists of pieces identified by their HTML ids; a browser receives the pieces that have
changed and replaces each in place.

Views contain no face-down cards, so neither do the pages. Names are looked up whenever a piece is
rendered, so a deleted name disappears from every page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from markupsafe import Markup
from psycopg import Connection

from companion.league import ratings, rounds
from companion.league.pages.scenes import format_winners, list_rows
from companion.league.pages.templates import render_template, translate_game_title
from companion.league.people import list_merged_people, list_people
from companion.league.points import restore_points
from companion.league.rounds import RoundTable, StandingsRow, TournamentRound, read_standings
from companion.league.tournaments import Tournament, list_open_tournaments, list_shown_tournaments
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Problem, format_points
from companion.texts import Translator
from companion.views.panel import Face, load_face_builder

PARTS = Path(__file__).parent / "parts"
NAMES = ("tables", "round", "standings", "people")
"""The pages in every page's navigation."""
SECTIONS = {"table": "tables", "game": "tables", "tournament": "round", "person": "people"}
"""Which of them the other pages belong to."""

Pieces = dict[str, Markup]
"""A page's HTML by the ids of its pieces, in page order."""


class Page(NamedTuple):
    """A page. `title`: what the browser's tab says before the club's name, the state first."""

    title: str
    pieces: Pieces


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
    people: str
    """Ids of the people by seat, as JSON."""
    silent: int
    """Minutes since the last entry; 0 if fewer than `QUIET`."""
    game_page: str | None
    """The permanent address of the session's page, if a session has begun."""


# The permanent address of a game, in SQL: that of its table in a round, else its own.
_GAME_PAGE = """COALESCE(
    '/tournament/' || b.tournament || '/round/' || b.round || '/table/' || b.number, '/game/' || s.session)"""
_TABLES = f"""
SELECT t.tbl, t.name, s.session, COALESCE(s.game, ''), COALESCE(s.state, 'open'), n.view::text,
    COALESCE(x.names, '{{}}')::text, COALESCE(x.people, '{{}}')::text,
    CASE WHEN extract(epoch FROM now()) - e.written / 1000000 > 60 * %s
        THEN (extract(epoch FROM now()) - e.written / 1000000)::int / 60 ELSE 0 END,
    {_GAME_PAGE}
FROM tables t
LEFT JOIN LATERAL (SELECT * FROM sessions WHERE tbl = t.tbl
    ORDER BY begun DESC, forked_at DESC NULLS LAST LIMIT 1) s ON true
LEFT JOIN table_now n ON n.session = s.session
LEFT JOIN boards b ON b.session = s.session
LEFT JOIN LATERAL (
    SELECT jsonb_object_agg(seats.seat, p.name) AS names,
        jsonb_object_agg(seats.seat, p.person) FILTER (WHERE p.name IS NOT NULL) AS people
    FROM seats LEFT JOIN people o ON o.person = seats.person
    LEFT JOIN people p ON p.person = COALESCE(o.merged_into, o.person)
    WHERE seats.session = s.session
) x ON true
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


def format_title(page: Page, club: str) -> str:
    """Return what the browser's tab says."""
    return f"{page.title} – {club}" if page.title else club


def render_page(name: str, club: str, translator: Translator, page: Page) -> str:
    """Render a whole page around its pieces. `name`: of its style and in the navigation."""
    words = {"lost": translator("league.lost"), "organise": translator("league.page.organise")}
    return render_template(
        "page",
        translator,
        name=name,
        names=NAMES,
        sections=SECTIONS,
        title=format_title(page, club),
        club=club,
        words=msgspec.json.encode(words).decode(),
        body=Markup("").join(page.pieces.values()),
    )


def render_missing_page(translator: Translator) -> Page:
    """Return what is shown where a page has been, or might have been: a round that was drawn again,
    a person whose name was deleted."""
    gone = render_template("missing", translator)
    return Page(translator("league.page_missing.title"), {"missing": gone})


def render_away_page(translator: Translator) -> Page:
    """Return what is shown while the database is unavailable; the page fills itself later."""
    return Page("", {"away": render_template("away", translator)})


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


def render_all_tables(db: Connection[Any], club: int, translator: Translator) -> Page:
    """Render every table with its game, below a summary of the current round."""
    tables, current = list_tables(db, club), rounds.read_round(db, club)
    playing = sum(table.view is not None and not _has_ended(table) for table in tables)
    sentences = [translator("league.playing", n=playing) if tables else translator("league.no_tables")]
    if current is not None:
        sentences.insert(0, describe_round(current, translator))
    pieces = {
        "now": render_template("now", translator, sentences=sentences),
        **render_timer(current, translator),
    }
    pieces |= {f"t{one.table}": _render_table_card(one, translator) for one in tables}
    return Page(f"{sentences[0]} – {translator('league.page.tables')}", pieces)


def describe_round(one: TournamentRound, translator: Translator) -> str:
    """Return how many tables of a round have finished."""
    boards = [board for board in one.boards if board.number]
    over = sum(board.is_over for board in boards)
    game = translate_game_title(one.game, translator)
    return translator("league.round_of", n=over, game=game, round=one.round, over=over, of=len(boards))


def render_timer(one: TournamentRound | None, translator: Translator) -> Pieces:
    """Render the time that is left of a round; the page's script counts it down."""
    if one is None or one.timer is None:
        return {}
    return {"timer": render_template("timer", translator, ends=round(one.timer.timestamp()))}


def _has_ended(one: TableStatus) -> bool:
    return one.state == "over" or (one.view is not None and _OVER in one.view)


# `TableStatus` is hashable and holds all that a card shows: most tables have not changed since they
# were last rendered.
@lru_cache(maxsize=1000)
def _render_table_card(one: TableStatus, translator: Translator) -> Markup:
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
        if won := format_winners(msgspec.json.decode(one.view or "{}"), face):
            message = translator("league.won", names=won)
    else:
        message = face.headline
    progress = "" if face is None or kind == "over" else face.progress_label
    return render_template(
        "table_card", translator, one=one, face=face, kind=kind, message=message, progress=progress
    )


def render_table(db: Connection[Any], club: int, translator: Translator, *, table: int) -> Page | None:
    """Render one table live, as large as possible; None if there is no table with this number."""
    found = list_tables(db, club, table)
    if not found:
        return None
    one, face = found[0], _build_face(found[0], translator)
    title, live = _render_live_table(one, face, translator)
    games = [
        PlayedGame(format_begin(begun), game, address, names)
        for begun, game, address, names in db.execute(_GAMES, (table, MOST_GAMES))
    ]
    pieces = {"live": live}
    if games:
        pieces["games"] = render_template("games", translator, games=games)
    return Page(title, pieces)


def _render_live_table(one: TableStatus, face: Face | None, translator: Translator) -> tuple[str, Markup]:
    """Return the title of a table's page, and the piece that shows it live."""
    if face is None:
        return one.name, render_template("table", translator, one=one, face=None)
    view = msgspec.json.decode(one.view or "{}")
    headline, meaning, gauge = face.headline, face.meaning, face.gauge
    if _has_ended(one):
        headline, meaning, gauge = format_winners(view, face), translator("league.over"), None
    live = render_template(
        "table",
        translator,
        one=one,
        face=face,
        headline=headline,
        meaning=meaning,
        gauge=gauge,
        rows=list_rows(view, face, msgspec.json.decode(one.people)),
    )
    return f"{headline} – {one.name}", live


class PlayedGame(NamedTuple):
    """A game that a table has played, or plays. `winners`: their names, None for one without;
    none before the end."""

    begun: str
    game: str
    address: str
    winners: Sequence[str | None]


MOST_GAMES = 30
"""Number of a table's games that its page lists, the newest first."""
_GAMES = f"""
SELECT s.begun, s.game, {_GAME_PAGE}, ARRAY(
    SELECT p.name FROM results r LEFT JOIN seats USING (session, seat)
    LEFT JOIN people o ON o.person = seats.person
    LEFT JOIN people p ON p.person = COALESCE(o.merged_into, o.person)
    WHERE r.session = s.session AND r.place = 1 ORDER BY length(r.seat), r.seat)
FROM sessions s LEFT JOIN boards b ON b.session = s.session
WHERE s.tbl = %s ORDER BY s.begun DESC, s.forked_at DESC NULLS LAST LIMIT %s
"""


def format_begin(begun: int) -> str:
    """Return when a session began, in the server's time. `begun`: microseconds since 1970."""
    return datetime.fromtimestamp(begun / 1e6).strftime("%Y-%m-%d %H:%M")


class ScoreField(NamedTuple):
    """A player's fields in the form of a table's result, and what they hold: the result, or what a
    player has sent."""

    seat: str
    name: str
    points: str
    tie_break: str


def list_score_fields(one: RoundTable, translator: Translator) -> list[ScoreField]:
    """Return the fields for a table's result, in the order of the seats."""
    reported = one.reported or {}
    fields = []
    for place in one.places:
        sent = reported.get(place.seat, ())
        # A result that counts comes before what was sent.
        points, tie_break = _format_typed(place.points, sent[:1]), _format_typed(place.tie_break, sent[1:2])
        name = place.name or translator("league.somebody")
        fields.append(ScoreField(place.seat, name, points, tie_break))
    return fields


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


def list_games(db: Connection[Any], club: int) -> list[str]:
    """Return the games played in the club, the most recent first."""
    query = "SELECT game FROM sessions WHERE club = %(c)s GROUP BY game ORDER BY max(begun) DESC"
    found = [row[0] for row in db.execute(query, {"c": club})]
    # Games of open tournaments first, even before anything of them has been played.
    return list(dict.fromkeys([one.game for one in list_open_tournaments(db, club)] + found))


def render_standings(db: Connection[Any], club: int, translator: Translator) -> Page:
    """Render the current tournament's standings, if there is one, and those of each game."""
    ratings.update_ratings(db, club)
    title, pieces = translator("league.page.standings"), {}
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
        return Page(title, {"none": render_template("no_standings", translator)})
    return Page(title, pieces | {"how": render_template("how", translator)})


def _render_standings_table(
    key: str, about: str, rows: Sequence[StandingsRow], translator: Translator
) -> Markup:
    heads = ["place", "name", "games", "wins", "points", "rating"]
    if any(row.opponents is not None for row in rows):
        heads.insert(5, "opponents")
    return render_template("standings", translator, key=key, about=about, heads=heads, rows=rows)


_PERSON = f"""
SELECT p.game, p.begun, {_GAME_PAGE}, t.name, p.place, (SELECT count(*) FROM played o WHERE o.club = p.club AND o.id = p.id), p.seat,
    (SELECT jsonb_object_agg(o.seat, q.name) FROM played o LEFT JOIN people q ON q.person = o.person
        WHERE o.club = p.club AND o.id = p.id)
FROM played p LEFT JOIN sessions s ON s.session = p.id LEFT JOIN tables t ON t.tbl = s.tbl
LEFT JOIN boards b ON p.id IN (b.session, b.board)
WHERE p.club = %s AND p.person = %s ORDER BY p.begun DESC LIMIT 50
"""


def render_person(db: Connection[Any], club: int, translator: Translator, *, person: UUID) -> Page | None:
    """Render one person's games and standings; None if the id is unknown."""
    # Links to a person who was merged later still lead somewhere.
    person = list_merged_people(db, club).get(person, person)
    name = list_people(db, club).get(person)
    if name is None:
        return None
    stands = [
        (game, row, len(rows))
        for game in list_games(db, club)
        for rows in [read_standings(db, club, game)]
        for row in rows
        if row.person == person
    ]
    played = [
        {
            "game": game,
            "day": format_begin(begun)[:10],
            "address": address,
            "table": table,
            "place": place,
            "of": of,
            "company": _describe_company(game, seat, names, translator),
        }
        for game, begun, address, table, place, of, seat, names in db.execute(_PERSON, (club, person))
    ]
    piece = render_template("person", translator, name=name, stands=stands, played=played)
    return Page(name, {"person": piece})


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


def render_people(db: Connection[Any], club: int, translator: Translator) -> Page:
    """Render the list of the club's people, by name."""
    piece = render_template("people", translator, known_people=list_people(db, club))
    return Page(translator("league.page.people"), {"people": piece})
