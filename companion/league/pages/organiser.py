"""Render the organiser's page: forms for everything that is arranged at the club's laptop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from uuid import UUID

from psycopg import Connection

from companion.league import rounds
from companion.league.pages import (
    Pieces,
    find_tie_break,
    render_score_fields,
    translate_game_title,
)
from companion.league.people import list_people, list_recent_people
from companion.league.rounds import RoundTable, TournamentRound
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


def render_organiser_page(db: Connection[Any], club: int, translator: Translator) -> Pieces:
    """Render the organiser's page."""
    tournaments, known_people = list_open_tournaments(db, club), list_people(db, club)
    current = tournaments[0] if tournaments else None
    last = rounds.read_round(db, club, current.number) if current else None
    pieces = {}
    if current is not None:
        pieces["draw"] = _render_draw_section(translator, tournaments, last)
        if last is not None:
            pieces["timer_form"] = _render_timer_form(translator)
            tie_break = find_tie_break(current.game, translator)
            pieces |= {
                f"b{one.board}": _render_result_form(one, tie_break, translator)
                for one in last.boards
                if one.number
            }
            pieces["seats"] = _render_seats_section(db, current, last, known_people, translator)
    if forks := _render_forks(db, club, translator):
        pieces["forks"] = _render_section(
            "forks", translator("league.forks"), f'<ol class="listed plain">{forks}</ol>'
        )
    # People of long ago come back by their names.
    offered = list_recent_people(db, club)
    pieces["there"] = _render_participants_section(db, current, offered, translator)
    if len(known_people) > 1:
        pieces["apart"] = _render_kept_apart(db, club, known_people, offered, translator)
        pair = _render_pair_form(
            "merge", ("person", "into"), known_people, translator("league.merge"), translator
        )
        pieces["same"] = _render_section("same", translator("league.same"), pair)
    pieces["begin"] = _render_begin_section(translator, current)
    return pieces


_FORKS = """
SELECT t.name, s.game, COALESCE(b.forked_at, (SELECT min(sequence) FROM forks f WHERE f.session = s.session)),
    b.session IS NOT NULL
FROM sessions s JOIN tables t USING (tbl) LEFT JOIN sessions b ON b.parent = s.session
WHERE s.club = %s AND s.state = 'forked' ORDER BY s.begun, 3
"""


def _render_forks(db: Connection[Any], club: int, translator: Translator) -> str:
    """List the games for which a table has sent two different versions, so that the organiser can
    ask there."""
    return "".join(
        "<li>"
        + escape(
            translator(
                "league.forked_on" if goes_on else "league.forked",
                table=table,
                game=translate_game_title(game, translator),
                entry=0 if at is None else at + 1,
            )
        )
        + "</li>"
        for table, game, at, goes_on in db.execute(_FORKS, (club,)).fetchall()
    )


def _render_section(name: str, head: str, body: str) -> str:
    return f'<section id="{name}"><h2>{escape(head)}</h2>{body}</section>'


def _render_form(
    do: str, body: str, button: str, *, hidden: Mapping[str, object] = {}, sure: str = ""
) -> str:
    """Render a form. Its button is disabled until the page's script, which sends it, has loaded."""
    fields = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items())
    asks = f' data-sure="{escape(sure)}"' if sure else ""
    return f'<form data-do="{do}"{asks}>{fields}{body}<button disabled>{escape(button)}</button></form>'


def _render_options(rows: dict[Any, str], selected: object = None) -> str:
    return "".join(
        f'<option value="{escape(str(value))}"{" selected" if value == selected else ""}>{escape(words)}</option>'
        for value, words in rows.items()
    )


def _render_game_select(translator: Translator, game: str | None = None) -> str:
    games = {one: translate_game_title(one, translator) for one in registry.list_game_ids()}
    return f'<select name="game" aria-label="{escape(translator("league.column.game"))}">{_render_options(games, game)}</select>'


def _render_select(name: str, label: str, rows: dict[Any, str], selected: object) -> str:
    return f'<select name="{name}" aria-label="{escape(label)}">{_render_options(rows, selected)}</select>'


def _render_draw_section(
    translator: Translator, tournaments: Sequence[Tournament], last: TournamentRound | None
) -> str:
    """Render the forms that draw a round: the next one, the last one again while nothing of it has
    been played, and a final. `tournaments`: the open ones, the current one first; a draw in another
    makes that the current one."""
    current = tournaments[0]
    usual = max((len(one.places) for one in last.boards if one.number), default=0) if last else 0
    sizes = {number: translator("league.at_most", people=number) for number in range(LEAST, MOST + 1)}
    label = translator("league.people_at_table")
    seats = _render_select("seats", label, sizes, usual or rounds.USUAL)
    game = {"game": current.game}
    games = {one.game: translate_game_title(one.game, translator) for one in tournaments}
    label = translator("league.column.game")
    chosen = _render_select("game", label, games, current.game) if len(games) > 1 else ""
    hidden = {} if chosen else game
    forms = _render_form("draw", chosen + seats, translator("league.draw"), hidden=hidden)
    about = translator(
        "league.round_planned",
        game=translate_game_title(current.game, translator),
        round=last.round if last else 0,
        of=current.rounds,
    )
    if last is not None:
        if any(one.reported is not None and not one.is_over for one in last.boards):
            forms = _render_form("accept", "", translator("league.accept_all")) + forms
        # Drawing again and going on exclude each other, so only one of the forms is there.
        if not any(one.has_begun for one in last.boards):
            sure = translator("league.draw_again_sure", round=last.round)
            again = translator("league.draw_again", round=last.round)
            forms += _render_form("draw", seats, again, hidden={**game, "again": 1}, sure=sure)
        else:
            finals = {number: translator("league.top", n=number) for number in FINALS}
            body = _render_select("finalists", translator("league.final"), finals, FINALS[0])
            forms += _render_form("draw", body + seats, translator("league.draw_final"), hidden=game)
    sure = translator("league.end_sure")
    forms += _render_form("end", "", translator("league.end_tournament"), sure=sure)
    return _render_section("draw", translator("league.next_round"), f"<p>{escape(about)}</p>{forms}")


FINALS = (4, 8, 3, 5, 6, 7, 16)
"""Numbers of people among whom a final may be played, the usual ones first."""


def _render_timer_form(translator: Translator) -> str:
    label = escape(translator("league.minutes"))
    body = f'<input type="number" name="minutes" min="0" max="600" value="60" required aria-label="{label}"> {label}'
    form = _render_form("timer", body, translator("league.start_timer"))
    form += _render_form("timer", "", translator("league.stop_timer"), hidden={"minutes": 0})
    return _render_section("timer_form", translator("league.timer"), form)


def _render_seats_section(
    db: Connection[Any],
    current: Tournament,
    last: TournamentRound,
    known_people: dict[UUID, str],
    translator: Translator,
) -> str:
    """Render the forms that change who sits where in the current round."""
    rows = db.execute("SELECT person FROM entrants WHERE tournament = %s AND NOT gone", (current.number,))
    there = {row[0] for row in rows} | {place.person for board in last.boards for place in board.places}
    offered = {person: name for person, name in known_people.items() if person in there}
    swap = _render_pair_form("swap", ("one", "other"), offered, translator("league.swap"), translator)
    tables = {
        one.board: translator("league.table", table=one.number)
        for one in last.boards
        if one.number and not one.has_begun
    }
    seated = {place.person for board in last.boards if board.number for place in board.places}
    waiting = {person: name for person, name in offered.items() if person not in seated}
    seat = ""
    # Nothing to choose from: an empty list could only be sent wrongly.
    if tables and waiting:
        label = translator("league.name_of")
        body = _render_select("person", label, waiting, None)
        body += _render_select("board", translator("league.column.table"), tables, None)
        seat = _render_form("seat", body, translator("league.seat_there"))
    return _render_section("seats", translator("league.seats_by_hand"), swap + seat)


def _render_begin_section(translator: Translator, current: Tournament | None) -> str:
    number = (
        f'<input type="number" name="rounds" min="1" max="{MOST_ROUNDS}" value="{USUAL_ROUNDS}" required>'
    )
    planned = f"<label>{escape(translator('league.rounds_planned'))} {number}</label>"
    ties = {one: translator(f"league.tie_break.{one}") for one in TIE_BREAKS}
    body = _render_game_select(translator) + planned
    body += _render_select("tie_break", translator("league.tie_break"), ties, TIE_BREAKS[0])
    words = translator("league.begin_another" if current else "league.begin_tournament")
    return _render_section("begin", words, _render_form("begin", body, translator("league.begin_tournament")))


def _render_result_form(one: RoundTable, tie_break: str, translator: Translator) -> str:
    fields = render_score_fields(one, tie_break, translator)
    form = _render_form("result", fields, translator("league.enter_result"), hidden={"board": one.board})
    if one.by_hand:
        form += _render_form("unresult", "", translator("league.take_back"), hidden={"board": one.board})
    head = escape(translator("league.result_right" if one.is_over else "league.result_of", table=one.number))
    if one.reported is not None and not one.is_over:
        head += f"<br><strong>{escape(translator('league.sent_by_phone'))}</strong>"
    for place in one.places:
        if place.instead is not None:
            name = place.name or translator("league.somebody")
            note = translator("league.sits_instead", seat=place.seat[1:], who=place.instead, name=name)
            head += f'<br><strong class="bad">{escape(note)}</strong>'
    opened = "" if one.is_over or one.laptop is not None else " open"  # a laptop sends its result itself
    return f'<details id="b{one.board}"{opened}><summary>{head}</summary>{form}</details>'


def _render_participants_section(
    db: Connection[Any], current: Tournament | None, offered: dict[UUID, str], translator: Translator
) -> str:
    number = current.number if current else None
    rows = db.execute("SELECT person, gone FROM entrants WHERE tournament = %s", (number,))
    gone = dict(rows.fetchall())
    listed = "".join(
        _render_participant(one, name, gone.get(one), translator, has_tournament=current is not None)
        for one, name in offered.items()
    )
    head, form = translator("league.page.people"), ""
    if current is not None:
        label = escape(translator("league.names_of"))
        add = (
            f'<textarea name="names" rows="2" required placeholder="{label}" aria-label="{label}"></textarea>'
            f'<label class="file">{escape(translator("league.names_file"))} <input type="file" data-into="names"'
            ' accept=".csv,.txt,text/*"></label>'
        )
        head = translator("league.taking_part", n=sum(not one for one in gone.values()))
        form = _render_form("arrive", add, translator("league.arrive"))
    return _render_section("there", head, f'{form}<ol class="listed plain">{listed}</ol>')


def _render_participant(
    one: UUID, name: str, gone: bool | None, translator: Translator, *, has_tournament: bool
) -> str:
    here = gone is False
    form = (
        _render_form("go", "", translator("league.go"), hidden={"person": one})
        if here
        else _render_form("go", "", translator("league.arrive"), hidden={"person": one, "gone": 0})
        if has_tournament
        else ""
    )
    sure = translator("league.forget_sure", name=name)
    forms = form + _render_form("forget", "", translator("league.forget"), hidden={"person": one}, sure=sure)
    return (
        f'<li><span class="{"name" if here else "name gone"}">{escape(name)}</span><span>{forms}</span></li>'
    )


def _render_kept_apart(
    db: Connection[Any],
    club: int,
    known_people: dict[UUID, str],
    offered: dict[UUID, str],
    translator: Translator,
) -> str:
    listed = "".join(
        f"<li><span class=name>{escape(known_people[one])} – {escape(known_people[other])}</span>"
        + _render_form(
            "apart", "", translator("league.together"), hidden={"one": one, "other": other, "apart": 0}
        )
        + "</li>"
        for one, other in db.execute("SELECT one, other FROM apart").fetchall()
        if one in known_people and other in known_people
    )
    form = _render_pair_form("apart", ("one", "other"), offered, translator("league.keep_apart"), translator)
    return _render_section(
        "apart", translator("league.kept_apart"), f'{form}<ol class="listed plain">{listed}</ol>'
    )


def _render_pair_form(
    do: str, names: tuple[str, str], known_people: dict[UUID, str], button: str, translator: Translator
) -> str:
    lists = "".join(
        f'<select name="{name}" aria-label="{escape(translator("league.name_of"))}">{_render_options(known_people, selected)}</select>'
        for name, selected in zip(names, known_people, strict=False)
    )
    return _render_form(do, lists, button)
