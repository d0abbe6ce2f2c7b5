"""Render the permanent pages of a tournament: its rounds, each table of a round with its result and
its replay, and each entry of that replay."""

from __future__ import annotations

from typing import Any

from psycopg import Connection

from companion.league import rounds
from companion.league.pages import (
    Page,
    Pieces,
    describe_round,
    find_tie_break,
    list_score_fields,
    render_timer,
)
from companion.league.pages.games import GameHeading, GameResult, render_game_page
from companion.league.pages.scenes import build_result_row, build_result_scene
from companion.league.pages.templates import render_template, translate_game_title
from companion.league.replays import read_replay
from companion.league.rounds import RoundTable, TournamentRound
from companion.texts import Translator, fold_text


def render_current_round(db: Connection[Any], club: int, translator: Translator) -> Page:
    """Render the round that was drawn last: who sits where, by table and by name, and why."""
    one = rounds.read_round(db, club)
    if one is None:
        title = translator("league.page.round")
        return Page(title, {"round": render_template("round", translator, round=None)})
    return _render_round(db, one, translator, is_current=True)


def render_tournament_page(
    db: Connection[Any],
    club: int,
    translator: Translator,
    *,
    tournament: int,
    round_number: int,
    table: int | None = None,
    entry: int | None = None,
) -> Page | None:
    """Render a round (`table` None), a table of it (`entry` None) or one entry of its replay, from
    1; None if there is no such page."""
    one = rounds.read_round(db, club, tournament, round_number)
    if one is None:
        return None
    if table is None:
        current = rounds.read_round(db, club)
        is_current = current is not None and current[:3] == one[:3]
        return _render_round(db, one, translator, is_current=is_current)
    board = next((board for board in one.boards if board.number == table and table), None)
    if board is None:
        return None
    page = _render_board(db, one, board, entry, translator)
    return page and page._replace(pieces=_render_places(db, one, table, translator) | page.pieces)


def _render_board(
    db: Connection[Any],
    one: TournamentRound,
    board: RoundTable,
    entry: int | None,
    translator: Translator,
) -> Page | None:
    name, laptop = translator("league.table", table=board.number), board.laptop or ""
    tab = translator("league.tab.table", round=one.round, table=board.number)
    heading = GameHeading(format_path(one, board), name, laptop if laptop != name else "", tab)
    somebody = translator("league.somebody")
    replay = None if board.session is None else read_replay(db, board.session, somebody)
    rows = tuple(
        build_result_row(place.name, place.person, place.points, place.place, somebody)
        for place in board.places
    )
    scene, note = build_result_scene(rows, translator), ""
    if board.by_hand:
        note = translator("league.entered_by_hand")
    elif board.session is None:
        scene = scene._replace(headline=translator("league.nothing_yet"))
    elif replay is None:
        note = translator("league.no_replay")
    return render_game_page(heading, replay, entry, GameResult(scene, note, board.by_hand), translator)


def _render_places(
    db: Connection[Any], one: TournamentRound, table: int | None, translator: Translator
) -> Pieces:
    """Render the way to the other rounds and to the tables of this one."""
    tables_by_round = rounds.list_table_numbers(db, one.tournament)
    at = f"/tournament/{one.tournament}/round/"
    # From one round to another people stay at the same table, if there is one.
    ways = {
        number: f"{at}{number}/table/{table}" if table in tables else f"{at}{number}"
        for number, tables in tables_by_round.items()
    }
    tables = {number: f"{at}{one.round}/table/{number}" for number in tables_by_round[one.round]}
    title = rounds.format_round_title(one, translate_game_title(one.game, translator), translator)
    places = render_template(
        "places",
        translator,
        title=title,
        ways=ways,
        tables=tables,
        round=one.round,
        table=table,
        whole_round=f"{at}{one.round}",
    )
    return {"places": places}


def _render_round(
    db: Connection[Any], one: TournamentRound, translator: Translator, *, is_current: bool
) -> Page:
    where = [
        (
            place.name or translator("league.somebody"),
            board.number,
            place.seat[1:],
            place.person if place.name else None,
        )
        for board in one.boards
        for place in board.places
    ]
    piece = render_template(
        "round",
        translator,
        round=one,
        is_current=is_current,
        where=sorted(where, key=lambda row: (fold_text(row[0]), *row[:3])),
        fields={board.board: list_score_fields(board, translator) for board in one.boards},
        tie_break=find_tie_break(one.game, translator),
    )
    timer = render_timer(one, translator) if is_current else {}
    pieces = _render_places(db, one, None, translator) | timer | {"round": piece}
    return Page(describe_round(one, translator), pieces)


def format_path(one: TournamentRound, board: RoundTable) -> str:
    """Return the permanent address of a table."""
    return f"/tournament/{one.tournament}/round/{one.round}/table/{board.number}"
