"""Export saved sessions: score sheets as CSV, everything as JSON, plays for BG Stats
(https://www.bgstatsapp.com).

The JSON export contains the seals and what opened them, so that anybody can verify them
(`companion.journal.saved_session`). Seals of older programs are left out: their salt was stored
beside them, and together they would reveal which cards lay face down.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import msgspec

from companion.journal.history import build_records, build_score_sheet
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import SessionNotes
from companion.journal.spreadsheets import USUAL_STYLE, SheetStyle, format_name_cell
from companion.journal.summaries import SessionSummary, summarise_session
from companion.rules import registry
from companion.rules.commitments import HiddenSeed, SeedRevealed
from companion.settings import Settings
from companion.texts import Translator, clean_text, escape_formula

FORMAT = "card-table-companion 1"
"""First field of a JSON export; the number grows when a field changes its meaning."""
_DIRECTION_MARKS = re.compile("[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Invisible characters that change the direction of text; in JSON they are escaped, so that any
editor shows them."""
_NO_SETTINGS = Settings()
# Older programs wrote seals as 32 hexadecimal digits, with nothing else to recognise them by.
_OLD_SEAL = re.compile("[0-9a-f]{32}")
_UUID_NAMESPACE = uuid.UUID("6f1c6a5e-5a0e-4b6c-9d0f-2f3f6a3c7b11")
"""Name space of ids in BG Stats exports, so that a session exported twice has the same ids."""


class NoFinishedSession(ValueError):
    """Raised if none of the sessions has ended, so that there is no play to export."""


COLUMNS = ("game", "date", "session", "round", "player", "side", "points", "exact", "place", "options")
"""Columns of a CSV export: the same in every language, for programs."""


def format_csv(
    sessions: Iterable[SavedSession],
    language: str,
    settings: Settings = _NO_SETTINGS,
    *,
    style: SheetStyle = USUAL_STYLE,
) -> Iterator[str]:
    """Yield one table: for each session and round what each player won in it, then a row without a
    round for each player's total, with the place if the game is over.

    `side`: partners have the same number; `options`: those that differ from the usual ones.
    """
    yield style.write_rows([COLUMNS], is_first=True)
    for saved in sessions:
        yield style.write_rows(_list_score_rows(saved, settings, style))


def _list_score_rows(saved: SavedSession, settings: Settings, style: SheetStyle) -> Iterator[list[object]]:
    summary = summarise_session(saved).with_renamed_players(settings.called)
    game, setup = registry.load_game(summary.game), saved.setup
    # What is usual is not repeated in each row.
    usual = game.default_options({})
    options = [f"{name}={value}" for name, value in setup.options.items() if value != usual.get(name)]
    date = datetime.fromtimestamp(summary.begun).strftime("%Y-%m-%d")

    def build_row(round_label: object, seat: str, points: int | str, place: object) -> list[object]:
        name = summary.names[seat]
        start = [summary.game, date, summary.number, round_label, format_name_cell(name), summary.sides[name]]
        return [*start, *style.format_points(Fraction(points)), place, escape_formula(" ".join(options))]

    for row in build_score_sheet(saved):
        # A game without rounds has only the totals.
        if row.round is not None:
            yield from (build_row(row.round, seat, row.points[seat], "") for seat in summary.names)
    for seat, name in summary.names.items():
        yield build_row("", seat, summary.points[name], summary.ranks.get(name, ""))


def format_json(
    sessions: Iterable[SavedSession], language: str, settings: Settings = _NO_SETTINGS
) -> Iterator[str]:
    """Yield everything the journal holds about the sessions, with the words, the score sheet and
    the reasons for the points.

    Acts and points use the names at the start of the session (`players`), as the journal does;
    `names` gives the correct ones, which are used in words.
    """
    yield f'{{\n "format": "{FORMAT}",\n "sessions": ['
    separator = "\n  "
    for saved in sessions:
        # Indented by two levels; a line break inside a JSON text is escaped, so only line ends are
        # replaced.
        yield separator + _dump_json(_build_session_record(saved, language)).replace("\n", "\n  ")
        separator = ",\n  "
    yield "]\n}\n" if separator == "\n  " else "\n ]\n}\n"


def format_bgstats(
    sessions: Iterable[SavedSession],
    language: str,
    settings: Settings = _NO_SETTINGS,
    *,
    find_notes: Callable[[SavedSession], SessionNotes] = lambda _saved: SessionNotes(),
) -> Iterator[str]:
    """Yield the finished sessions in the format that BG Stats imports; raise `NoFinishedSession` if
    there are none.

    `settings`: people with their BG Stats ids; others get ids of our own, the same in every export.
    `find_notes`: returns where a session was played, and what people wrote about it.
    """
    ended = [
        (one.with_renamed_players(settings.called), find_notes(saved))
        for saved in sessions
        if (one := summarise_session(saved)).is_over
    ]
    yield format_bgstats_plays(ended, language, {person.name: person.uuid for person in settings.people})


def format_bgstats_plays(
    plays: Sequence[tuple[SessionSummary, SessionNotes]], language: str, ids: Mapping[str, str]
) -> str:
    """Return these sessions in the format that BG Stats imports; see `format_bgstats`."""
    if not plays:
        raise NoFinishedSession
    games = list(dict.fromkeys(one.game for one, _ in plays))
    people = list(dict.fromkeys(name for one, _ in plays for name in one.players))
    places = list(dict.fromkeys(clean_text(notes.place) for _, notes in plays if notes.place))
    exported = _dump_json(
        {
            "games": [_build_bgstats_game(number, game, language) for number, game in enumerate(games, 1)],
            "players": [
                {
                    "id": number,
                    "uuid": ids.get(name) or make_bgstats_id("player", name),
                    "name": clean_text(name),
                    "isAnonymous": False,
                }
                for number, name in enumerate(people, 1)
            ],
            "locations": [
                {"id": number, "uuid": make_bgstats_id("location", place), "name": place}
                for number, place in enumerate(places, 1)
            ],
            "plays": [_build_bgstats_play(one, notes, games, people, places) for one, notes in plays],
        }
    )
    return exported + "\n"


FORMATS: Mapping[str, Callable[[Iterable[SavedSession], str, Settings], Iterator[str]]] = {
    "csv": format_csv,
    "json": format_json,
    "bgstats": format_bgstats,
}
"""Formats of `companion export` by name: functions of (sessions, language, known people and their
current names) that yield the file's text piece by piece, so that many sessions are never in memory
at once."""


def _build_session_record(saved: SavedSession, language: str) -> dict[str, Any]:
    session = saved.restore_session()
    setup, people = saved.setup, saved.people
    translator = Translator(language, session.game, people.display_names)
    entries = zip(saved.entries, build_records(saved), strict=True)
    return {
        "session": saved.number,
        "id": None if saved.id is None else str(saved.id),
        "game": setup.game,
        "players": people.seats,
        "names": people.real_names,
        "options": setup.options,
        "seed": _find_seed(saved),
        "commitment": saved.commitment or None,
        "begun": format_utc(saved.begun),
        "over": session.is_over,
        "entries": [
            {
                "number": record.number,
                "time": format_utc(record.time),
                "kind": entry.kind,
                "at": entry.at,
                "text": translator.translate(record.text),
                "acts": remove_old_seals(msgspec.to_builtins(entry.acts), people.seats),
                "notes": msgspec.to_builtins(entry.notes),
                "points": record.points,
            }
            for entry, record in entries
        ],
        "score_sheet": [{"round": row.round, "points": row.points} for row in build_score_sheet(saved)],
        "explanation": {
            player: [
                {
                    "text": translator.translate(reason.text),
                    "clauses": reason.clauses,
                    "points": reason.points,
                }
                for reason in session.game.explain_points(session.state, player)
            ]
            for player in people.seats
        },
        "view": session.view(),
    }


def _find_seed(saved: SavedSession) -> int | str | None:
    """Return the seed: the public one, or a hidden one once it was revealed."""
    seed = saved.setup.seed
    told_seeds = [
        note.seed for entry in saved.entries for note in entry.notes if isinstance(note, SeedRevealed)
    ]
    return (told_seeds[-1] if told_seeds else None) if isinstance(seed, HiddenSeed) else seed


def remove_old_seals(value: Any, names: Sequence[str]) -> Any:
    """Return plain JSON values without any seal of older programs; a player's name (`names`) may
    look like one."""
    match value:
        case dict():
            return {
                key: remove_old_seals(one, names)
                for key, one in value.items()
                if not _is_old_seal(one, names)
            }
        case list() | tuple():
            return [remove_old_seals(one, names) for one in value if not _is_old_seal(one, names)]
        case _:
            return value


def _is_old_seal(value: Any, names: Sequence[str]) -> bool:
    return isinstance(value, str) and value not in names and _OLD_SEAL.fullmatch(value) is not None


def _build_bgstats_game(number: int, game_id: str, language: str) -> dict[str, Any]:
    game = registry.load_game(game_id)
    return {
        "id": number,
        "uuid": make_bgstats_id("game", game_id),
        "name": Translator(language, game)("game.title"),
        "usesTeams": any(len(side) > 1 for seats in game.seats for side in game.list_sides(seats)),
        "highestWins": not game.lowest_wins,
        "noPoints": False,
        "cooperative": False,
    }


def _build_bgstats_play(
    summary: SessionSummary,
    notes: SessionNotes,
    games: Sequence[str],
    people: Sequence[str],
    places: Sequence[str],
) -> dict[str, Any]:
    place = clean_text(notes.place)
    return {
        "uuid": make_bgstats_id("play", summary.number, summary.begun, *summary.names),
        "gameRefId": 1 + games.index(summary.game),
        **({"locationRefId": 1 + places.index(place)} if place else {}),
        **({"comments": clean_text(notes.words)} if notes.words else {}),
        # BG Stats expects local time.
        "playDate": datetime.fromtimestamp(summary.begun).strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round(summary.minutes),
        "usesTeams": summary.has_teams,
        "playerScores": [
            {
                "playerRefId": 1 + people.index(name),
                # BG Stats calculates with scores, and knows no fractions.
                "score": USUAL_STYLE.format_points(Fraction(summary.points[name]))[0],
                "winner": name in summary.winners,
                "rank": summary.ranks[name],
                "seatOrder": place_number,
                "startPlayer": place_number == 1,
                **({"team": str(summary.sides[name])} if summary.has_teams else {}),
            }
            for place_number, name in enumerate(summary.players, 1)
        ],
    }


def make_bgstats_id(*parts: object) -> str:
    """Return the id that something has in every BG Stats export of ours."""
    return str(uuid.uuid5(_UUID_NAMESPACE, "/".join(map(str, parts)))).upper()


def format_utc(seconds: float) -> str:
    """Return a time (seconds since 1970) in the format of exports."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _dump_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _DIRECTION_MARKS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)
