"""Render the organiser's page: forms for everything that is arranged at the club's laptop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from markupsafe import Markup
from psycopg import Connection

from companion.league import rounds
from companion.league.pages import Page, Pieces, find_tie_break, list_score_fields
from companion.league.pages.templates import render_template, translate_game_title
from companion.league.people import list_people, list_recent_people
from companion.league.rounds import TournamentRound
from companion.league.seating import LEAST, MOST
from companion.league.tournaments import (
    MOST_ROUNDS,
    TIE_BREAKS,
    USUAL_ROUNDS,
    Tournament,
    list_open_tournaments,
)
from companion.rules import registry
from companion.texts import Translator

FINALS = (4, 8, 3, 5, 6, 7, 16)
"""Numbers of people among whom a final may be played, the usual ones first."""


def render_organiser_page(db: Connection[Any], club: int, translator: Translator) -> Page:
    """Render the organiser's page."""
    tournaments, known_people = list_open_tournaments(db, club), list_people(db, club)
    current = tournaments[0] if tournaments else None
    last = rounds.read_round(db, club, current.number) if current else None
    pieces = {}
    if current is not None:
        pieces["draw"] = _render_draw_section(tournaments, last, translator)
        if last is not None:
            pieces["timer_form"] = render_template("organiser/timer_form", translator)
            pieces |= _render_result_forms(current.game, last, translator)
            pieces["seats"] = _render_seats_section(db, current, last, known_people, translator)
    if forks := db.execute(_FORKS, (club,)).fetchall():
        pieces["forks"] = render_template("organiser/forks", translator, forks=forks)
    # People of long ago come back by their names.
    offered = list_recent_people(db, club)
    pieces["there"] = _render_participants_section(db, current, offered, translator)
    if len(known_people) > 1:
        pieces["apart"] = _render_kept_apart(db, known_people, offered, translator)
        pieces["same"] = render_template("organiser/same", translator, known_people=known_people)
    pieces["begin"] = render_template(
        "organiser/begin",
        translator,
        current=current,
        games={one: translate_game_title(one, translator) for one in registry.list_game_ids()},
        tie_breaks={one: translator(f"league.tie_break.{one}") for one in TIE_BREAKS},
        usual_rounds=USUAL_ROUNDS,
        most_rounds=MOST_ROUNDS,
    )
    return Page(translator("league.page.organise"), pieces)


_FORKS = """
SELECT t.name, s.game, COALESCE(b.forked_at, (SELECT min(sequence) FROM forks f WHERE f.session = s.session)),
    b.session IS NOT NULL
FROM sessions s JOIN tables t USING (tbl) LEFT JOIN sessions b ON b.parent = s.session
WHERE s.club = %s AND s.state = 'forked' ORDER BY s.begun, 3
"""
"""Games for which a table has sent two different versions, so that the organiser can ask there."""


def _render_draw_section(
    tournaments: Sequence[Tournament], last: TournamentRound | None, translator: Translator
) -> Markup:
    """Render the forms that draw a round: the next one, the last one again while nothing of it has
    been played, and a final. `tournaments`: the open ones, the current one first; a draw in another
    makes that the current one."""
    boards = last.boards if last else ()
    usual = max((len(one.places) for one in boards if one.number), default=0)
    return render_template(
        "organiser/draw",
        translator,
        current=tournaments[0],
        last=last,
        has_reports=any(one.reported is not None and not one.is_over for one in boards),
        has_begun=any(one.has_begun for one in boards),
        games={one.game: translate_game_title(one.game, translator) for one in tournaments},
        sizes={number: translator("league.at_most", people=number) for number in range(LEAST, MOST + 1)},
        usual=usual or rounds.USUAL,
        finals={number: translator("league.top", n=number) for number in FINALS},
    )


def _render_result_forms(game: str, last: TournamentRound, translator: Translator) -> Pieces:
    tie_break = find_tie_break(game, translator)
    return {
        f"b{one.board}": render_template(
            "organiser/result",
            translator,
            one=one,
            fields=list_score_fields(one, translator),
            tie_break=tie_break,
        )
        for one in last.boards
        if one.number
    }


def _render_seats_section(
    db: Connection[Any],
    current: Tournament,
    last: TournamentRound,
    known_people: dict[UUID, str],
    translator: Translator,
) -> Markup:
    """Render the forms that change who sits where in the current round."""
    rows = db.execute("SELECT person FROM entrants WHERE tournament = %s AND NOT gone", (current.number,))
    there = {row[0] for row in rows} | {place.person for board in last.boards for place in board.places}
    offered = {person: name for person, name in known_people.items() if person in there}
    tables = {
        one.board: translator("league.table", table=one.number)
        for one in last.boards
        if one.number and not one.has_begun
    }
    seated = {place.person for board in last.boards if board.number for place in board.places}
    waiting = {person: name for person, name in offered.items() if person not in seated}
    return render_template("organiser/seats", translator, offered=offered, tables=tables, waiting=waiting)


def _render_participants_section(
    db: Connection[Any], current: Tournament | None, offered: dict[UUID, str], translator: Translator
) -> Markup:
    number = current.number if current else None
    rows = db.execute("SELECT person, gone FROM entrants WHERE tournament = %s", (number,))
    gone = dict(rows.fetchall())
    return render_template(
        "organiser/there",
        translator,
        has_tournament=current is not None,
        count=sum(not one for one in gone.values()),
        offered=offered,
        gone=gone,
    )


def _render_kept_apart(
    db: Connection[Any], known_people: dict[UUID, str], offered: dict[UUID, str], translator: Translator
) -> Markup:
    pairs = db.execute("SELECT one, other FROM apart").fetchall()
    return render_template(
        "organiser/apart",
        translator,
        offered=offered,
        known_people=known_people,
        pairs=[pair for pair in pairs if known_people.keys() >= {*pair}],
    )
