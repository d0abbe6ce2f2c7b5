"""Export saved sessions: score sheets as CSV, everything as JSON, plays for BG Stats
(https://www.bgstatsapp.com); and import players from a BG Stats export.

The JSON export contains the seals and what opened them, so that anybody can verify them
(`companion.journal.saved_session`). Seals of older programs are left out: their salt was stored
beside them, and together they would reveal which cards lay face down.
"""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from companion import user_files
from companion.journal.history import build_records, build_score_sheet, extract_points
from companion.journal.saved_session import SavedSession
from companion.journal.summaries import SessionSummary, summarise_session
from companion.rules import registry
from companion.rules.commitments import HiddenSeed, SeedRevealed
from companion.rules.contract import LONGEST_NAME, Problem
from companion.settings import Person, Settings
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


def format_csv(
    sessions: Iterable[SavedSession], language: str = "en", settings: Settings = _NO_SETTINGS
) -> Iterator[str]:
    """Yield the score sheets: a row for each round with what each player won in it, then the total,
    and the rank if the game is over."""
    translator = Translator(language)
    for number, saved in enumerate(sessions):
        out = io.StringIO()
        sheet = csv.writer(out)
        if number:
            sheet.writerow([])
        names, view = (
            summarise_session(saved).with_renamed_players(settings.called).names,
            saved.restore_session().view(),
        )
        sheet.writerow([translator("export.round"), *map(_format_name_cell, names.values())])
        sheet.writerows(
            [row.round, *(row.points[seat] for seat in names)] for row in build_score_sheet(saved)
        )
        sheet.writerow([translator("export.total"), *(extract_points(view)[seat] for seat in names)])
        if view["result"] is not None:
            rank = {row["player"]: row["rank"] for row in view["result"]["ranking"]}
            sheet.writerow([translator("export.rank"), *(rank[seat] for seat in names)])
        yield out.getvalue()


def _format_name_cell(name: str) -> str:
    """Return a name for a spreadsheet, where text that begins like a formula must be marked as text
    (https://owasp.org/www-community/attacks/CSV_Injection)."""
    return escape_formula(clean_text(name))


def format_json(
    sessions: Iterable[SavedSession], language: str = "en", settings: Settings = _NO_SETTINGS
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
    sessions: Iterable[SavedSession], language: str = "en", settings: Settings = _NO_SETTINGS
) -> Iterator[str]:
    """Yield the finished sessions in the format that BG Stats imports; raise `NoFinishedSession` if
    there are none.

    `settings`: people with their BG Stats ids; others get ids of our own, the same in every export.
    """
    ended = [
        one.with_renamed_players(settings.called)
        for saved in sessions
        if (one := summarise_session(saved)).is_over
    ]
    yield format_bgstats_plays(ended, language, {person.name: person.uuid for person in settings.people})


def format_bgstats_plays(summaries: Sequence[SessionSummary], language: str, ids: Mapping[str, str]) -> str:
    """Return these sessions in the format that BG Stats imports; see `format_bgstats`."""
    if not summaries:
        raise NoFinishedSession
    games = list(dict.fromkeys(one.game for one in summaries))
    people = list(dict.fromkeys(name for one in summaries for name in one.players))
    exported = _dump_json(
        {
            "games": [_build_bgstats_game(number, game, language) for number, game in enumerate(games, 1)],
            "players": [
                {
                    "id": number,
                    "uuid": ids.get(name) or _make_bgstats_id("player", name),
                    "name": clean_text(name),
                    "isAnonymous": False,
                }
                for number, name in enumerate(people, 1)
            ],
            "locations": [],
            "plays": [_build_bgstats_play(one, 1 + games.index(one.game), people) for one in summaries],
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
        "uuid": _make_bgstats_id("game", game_id),
        "name": Translator(language, game)("game.title"),
        "usesTeams": any(len(side) > 1 for seats in game.seats for side in game.list_sides(seats)),
        "highestWins": not game.lowest_wins,
        "noPoints": False,
        "cooperative": False,
    }


def _build_bgstats_play(summary: SessionSummary, game: int, people: Sequence[str]) -> dict[str, Any]:
    return {
        "uuid": _make_bgstats_id("play", summary.number, summary.begun, *summary.names),
        "gameRefId": game,
        # BG Stats expects local time.
        "playDate": datetime.fromtimestamp(summary.begun).strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round(summary.minutes),
        "usesTeams": summary.has_teams,
        "playerScores": [
            {
                "playerRefId": 1 + people.index(name),
                "score": str(summary.points[name]),
                "winner": name in summary.winners,
                "rank": summary.ranks[name],
                "seatOrder": place,
                "startPlayer": place == 1,
                **({"team": str(summary.sides[name])} if summary.has_teams else {}),
            }
            for place, name in enumerate(summary.players, 1)
        ],
    }


def _make_bgstats_id(*parts: object) -> str:
    return str(uuid.uuid5(_UUID_NAMESPACE, "/".join(map(str, parts)))).upper()


def format_utc(seconds: float) -> str:
    """Return a time (seconds since 1970) in the format of exports."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _dump_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _DIRECTION_MARKS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


MOST_BYTES = 50_000_000
"""Largest export that is read: a ten-year collection with thousands of plays has some megabytes."""


class _Player(msgspec.Struct):
    name: str
    uuid: str = ""
    is_anonymous: bool = msgspec.field(default=False, name="isAnonymous")


class _Export(msgspec.Struct):
    players: list[_Player]


def read_bgstats_players(path: Path) -> Sequence[Person]:
    """Return the named players in a BG Stats export; raise `Problem` if it is not one, and
    `OSError`. Plays and games are ignored."""
    try:
        export = msgspec.json.decode(user_files.read_limited_bytes(path, MOST_BYTES), type=_Export)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Problem("people.no_export", file=str(path)) from fault
    named_players = [
        (clean_text(one.name).strip()[:LONGEST_NAME], one) for one in export.players if not one.is_anonymous
    ]
    return [Person(name.replace(",", " "), clean_text(one.uuid)) for name, one in named_players if name]
