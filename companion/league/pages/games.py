"""Render the permanent page of a game: its result, its story, every entry, and the table after each
of them. A game that nobody drew has an address of its own, a table of a round that of the round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection

from companion.journal.history import extract_points
from companion.league.pages import Page, format_begin
from companion.league.pages.scenes import Scene, build_result_row, build_result_scene, build_scene
from companion.league.pages.templates import render_template, translate_game_title
from companion.league.replays import Replay, read_replay
from companion.texts import Translator, format_score
from companion.views.evening_story import tell_story
from companion.views.moments import Gain
from companion.views.panel import load_face_builder
from companion.views.victory import describe_victory


class GameHeading(NamedTuple):
    """What a game's pages are called. `address`: the permanent one; `name`, `details`: the heading
    of the page; `tab`: of the browser's tab."""

    address: str
    name: str
    details: str
    tab: str

    def format_title(self, state: str, translator: Translator) -> str:
        """Return what the browser's tab says in this state of the game."""
        return translator("share.labelled", label=self.tab, value=state)


class GameResult(NamedTuple):
    """What is known of a game without its log. `note`: about that; `is_by_hand`: whether it counts
    instead of the log's end."""

    scene: Scene
    note: str = ""
    is_by_hand: bool = False


def render_game_page(
    heading: GameHeading,
    replay: Replay | None,
    entry: int | None,
    result: GameResult,
    translator: Translator,
) -> Page | None:
    """Render a game (`entry` None) or one of its entries, from 1; None if there is no such entry.
    `replay`: None if the game cannot be replayed here."""
    try:
        if entry is None:
            return _render_game(heading, replay, result, translator)
        if replay is not None and 0 < entry <= len(replay.records):
            return _render_entry(heading, replay, entry, translator)
    except Exception:  # a forged log may lead to a state that the game itself cannot show
        if entry is None and replay is not None:
            note = result.note or translator("league.no_replay")
            return _render_game(heading, None, result._replace(note=note), translator)
    return None


def _render_game(
    heading: GameHeading, replay: Replay | None, result: GameResult, translator: Translator
) -> Page:
    """Render who played, the result, the story by its moments and every entry."""
    scene, pieces = result.scene, {}
    if replay is not None:
        game_translator = _make_replay_translator(replay, translator)
        story = tell_story(replay.session, replay.saved.people.seats, game_translator)
        if not result.is_by_hand:
            scene = _build_entry_scene(replay, len(replay.records), game_translator)
            victory = describe_victory(replay.session.view(), story.rounds, game_translator)
            if victory is not None:
                scene = scene._replace(meaning=" · ".join(victory.remarks))
        if story.chapters:
            pieces["story"] = render_template("story", translator, chapters=story.chapters)
        if replay.records:
            entries = _list_entries(replay, game_translator)
            pieces["entries"] = render_template("entries", translator, at=heading.address, entries=entries)
    game = render_template("game", translator, heading=heading, scene=scene, note=result.note)
    return Page(heading.format_title(scene.headline or result.note, translator), {"game": game, **pieces})


def _render_entry(heading: GameHeading, replay: Replay, entry: int, translator: Translator) -> Page:
    """Render what happened in one entry, from 1, and the table after it."""
    game_translator = _make_replay_translator(replay, translator)
    piece = render_template(
        "entry",
        translator,
        at=heading.address,
        heading=heading,
        entry=entry,
        entries=len(replay.records),
        words=game_translator.translate(replay.records[entry - 1].text),
        scene=_build_entry_scene(replay, entry, game_translator),
    )
    state = translator("league.entry_of", entry=entry, of=len(replay.records))
    return Page(heading.format_title(state, translator), {"game": piece})


_GAME = """
SELECT s.game, s.begun, t.tbl, t.name, t.left_at IS NULL
FROM sessions s JOIN tables t USING (tbl) WHERE s.club = %s AND s.session = %s
"""
_RESULT = """
SELECT p.name, p.person, r.points::float8, r.place
FROM seats x LEFT JOIN results r USING (session, seat)
LEFT JOIN people b ON b.person = x.person
LEFT JOIN people p ON p.person = COALESCE(b.merged_into, b.person)
WHERE x.session = %s ORDER BY length(x.seat), x.seat
"""


def render_free_game(
    db: Connection[Any], club: int, translator: Translator, *, session: UUID, entry: int | None = None
) -> Page | None:
    """Render a game by its own address (`entry` None) or one entry of its replay, from 1; None if
    there is no such page."""
    found = db.execute(_GAME, (club, session)).fetchone()
    if found is None:
        return None
    game, begun, table, name, is_member = found
    title = translate_game_title(game, translator)
    heading = GameHeading(f"/game/{session}", title, format_begin(begun), f"{title}, {name}")
    somebody = translator("league.somebody")
    replay = read_replay(db, session, somebody)
    note = translator("league.no_replay") if replay is None else ""
    rows = tuple(
        build_result_row(player, person, points, place, somebody)
        for player, person, points, place in db.execute(_RESULT, (session,))
    )
    result = GameResult(build_result_scene(rows, translator), note)
    page = render_game_page(heading, replay, entry, result, translator)
    table_link = render_template("table_link", translator, table=table if is_member else None, name=name)
    return page and page._replace(pieces={"places": table_link, **page.pieces})


def _build_entry_scene(replay: Replay, entry: int, translator: Translator) -> Scene:
    """Return what the table showed after so many entries."""
    view = replay.read_view(entry)
    face = load_face_builder(replay.session.game.id)(view, translator)
    return build_scene(view, face, replay.people, translator)


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
