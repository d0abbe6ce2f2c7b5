"""Render the permanent pages of a tournament: its rounds, each table of a round with its result and
its replay, and each entry of that replay."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection

from companion.journal.history import extract_points
from companion.league import rounds
from companion.league.pages import (
    Page,
    Pieces,
    describe_round,
    find_tie_break,
    format_winners,
    list_score_fields,
    render_timer,
)
from companion.league.pages.templates import render_template, translate_game_title
from companion.league.points import restore_points
from companion.league.replays import Replay, read_replay
from companion.league.rounds import RoundTable, TournamentRound
from companion.rules.contract import GAME_OVER
from companion.texts import Translator, format_score
from companion.views.evening_story import tell_story
from companion.views.moments import Gain
from companion.views.panel import Badge, Face, load_face_builder
from companion.views.victory import describe_victory


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
    somebody = translator("league.somebody")
    replay = None if board.session is None else read_replay(db, board.session, somebody)
    page = _render_board(one, board, replay, entry, translator)
    return page and page._replace(pieces=_render_places(db, one, table, translator) | page.pieces)


def _render_board(
    one: TournamentRound, board: RoundTable, replay: Replay | None, entry: int | None, translator: Translator
) -> Page | None:
    try:
        if entry is None:
            return _render_game(one, board, replay, translator)
        if replay is not None and 0 < entry <= len(replay.records):
            return _render_entry(one, board, replay, entry, translator)
    except Exception:  # a forged log may lead to a state that the game itself cannot show
        if entry is None and replay is not None:
            return _render_game(one, board, None, translator)
    return None


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
        where=sorted(where, key=lambda row: (row[0].casefold(), *row[:3])),
        fields={board.board: list_score_fields(board, translator) for board in one.boards},
        tie_break=find_tie_break(one.game, translator),
    )
    timer = render_timer(one, translator) if is_current else {}
    pieces = _render_places(db, one, None, translator) | timer | {"round": piece}
    return Page(describe_round(one, translator), pieces)


class _Row(NamedTuple):
    """A player's row: name, points and place ("": none yet), whether the table waits for them,
    badges, and the person (None: nobody who has a page)."""

    name: str
    points: str
    place: str = ""
    awaited: bool = False
    badges: tuple[Badge, ...] = ()
    person: UUID | None = None


class _Scene(NamedTuple):
    """A table as its page shows it. `face`: None if there is nothing to see of the game itself,
    because it is over or cannot be replayed here."""

    headline: str
    meaning: str
    rows: tuple[_Row, ...]
    face: Face | None = None


def _render_game(
    one: TournamentRound, board: RoundTable, replay: Replay | None, translator: Translator
) -> Page:
    """Render who played at a table, the result, the story by its moments and every entry."""
    scene, note, pieces = _build_drawn_scene(board, translator), "", {}
    if board.by_hand:
        note = translator("league.entered_by_hand")
    elif board.session is not None and replay is None:
        note = translator("league.no_replay")
    if replay is not None:
        game_translator = _make_replay_translator(replay, translator)
        story = tell_story(replay.session, replay.saved.people.seats, game_translator)
        # A result entered by hand counts instead of the laptop's.
        if not board.by_hand:
            scene = _build_scene(board, replay, len(replay.records), game_translator)
        victory = describe_victory(replay.session.view(), story.rounds, game_translator)
        if victory is not None and not board.by_hand:
            scene = scene._replace(meaning=" · ".join(victory.remarks))
        if story.chapters:
            pieces["story"] = render_template("story", translator, chapters=story.chapters)
        if replay.records:
            at, entries = format_path(one, board), _list_entries(replay, game_translator)
            pieces["entries"] = render_template("entries", translator, at=at, entries=entries)
    game = render_template("game", translator, board=board, scene=scene, note=note)
    title = translator("league.tab.table", round=one.round, table=board.number, state=scene.headline)
    return Page(title, {"game": game, **pieces})


def _render_entry(
    one: TournamentRound, board: RoundTable, replay: Replay, entry: int, translator: Translator
) -> Page:
    """Render what happened in one entry, and the table after it."""
    game_translator = _make_replay_translator(replay, translator)
    piece = render_template(
        "entry",
        translator,
        at=format_path(one, board),
        board=board,
        entry=entry,
        entries=len(replay.records),
        words=game_translator.translate(replay.records[entry - 1].text),
        scene=_build_scene(board, replay, entry, game_translator),
    )
    state = translator("league.entry_of", entry=entry, of=len(replay.records))
    title = translator("league.tab.table", round=one.round, table=board.number, state=state)
    return Page(title, {"game": piece})


def _build_drawn_scene(board: RoundTable, translator: Translator) -> _Scene:
    """Return what is known of a table without its game: who was drawn, and the result."""
    rows = tuple(
        _Row(
            place.name or translator("league.somebody"),
            "" if place.points is None else format_score(restore_points(place.points)),
            "" if place.place is None else str(place.place),
            person=place.person if place.name else None,
        )
        for place in board.places
    )
    if not board.is_over:
        return _Scene(translator("league.nothing_yet"), "", rows)
    winners = [row.name for row in rows if row.place == "1"]
    return _Scene(translator("league.won", names=" · ".join(winners)), "", rows)


def _build_scene(board: RoundTable, replay: Replay, entry: int, translator: Translator) -> _Scene:
    """Return what the table showed after so many entries."""
    view = replay.read_view(entry)
    face = load_face_builder(replay.session.game.id)(view, translator)
    result = view["result"] if view["phase"] == GAME_OVER else None
    places = {row["player"]: str(row["rank"]) for row in result["ranking"]} if result else {}
    # By name: the laptop may have seated others than were drawn.
    people = {place.name: place.person for place in board.places if place.name}
    rows = tuple(
        _Row(
            seat.name,
            seat.points,
            places.get(player["name"], ""),
            seat.awaited,
            seat.badges,
            people.get(seat.name),
        )
        for player, seat in zip(view["players"], face.seats, strict=True)
    )
    if result is None:
        return _Scene(face.headline, face.meaning, rows, face)
    return _Scene(translator("league.won", names=format_winners(view, face)), "", rows)


def _make_replay_translator(replay: Replay, translator: Translator) -> Translator:
    """Return a translator for the game's texts that shows seats by their names."""
    seats = replay.saved.people.seats
    numbers = {seat: translator("league.seat", number=seat.lstrip("s")) for seat in seats}
    names = {**numbers, **replay.saved.people.display_names}
    return Translator(translator.language, replay.session.game, names)


class _EntryLine(NamedTuple):
    """An entry in words, and the points that it changed."""

    number: int
    words: str
    gains: tuple[Gain, ...]


def _list_entries(replay: Replay, translator: Translator) -> list[_EntryLine]:
    points: Mapping[str, Any] = extract_points(replay.read_view(0))
    lines = []
    for record in replay.records:
        gains = tuple(
            Gain(seat, translator.display_name(player), format_score(won))
            for seat, (player, total) in enumerate(record.points.items(), 1)
            if (won := Fraction(total) - Fraction(points[player]))
        )
        lines.append(_EntryLine(record.number, translator.translate(record.text), gains))
        points = record.points
    return lines


def format_path(one: TournamentRound, board: RoundTable) -> str:
    """Return the permanent address of a table."""
    return f"/tournament/{one.tournament}/round/{one.round}/table/{board.number}"
