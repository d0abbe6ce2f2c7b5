"""Export saved sessions: score sheets as CSV, everything as JSON, plays for BG Stats
(https://www.bgstatsapp.com); and import players from a BG Stats export.

The JSON export contains the seals and what opened them, so that anybody can verify them
(`companion.journal.kept`). Seals of older programs are left out: their salt was stored beside them,
and together they would reveal which cards lay face down.
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

from companion import given_files
from companion.journal.history import points, records, score_sheet
from companion.journal.kept import Kept
from companion.journal.summaries import SessionSummary, summary_of
from companion.rules import registry
from companion.rules.commitments import HiddenSeed, SeedTold
from companion.rules.contract import LONGEST_NAME, Problem
from companion.settings import Person, Settings
from companion.texts import Translator, as_text, clean

FORMAT = "card-table-companion 1"
"""First field of a JSON export; the number grows when a field changes its meaning."""
_TURNING = re.compile("[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Invisible characters that change the direction of text; in JSON they are escaped, so that any
editor shows them."""
_NOBODY = Settings()
# Older programs wrote seals as 32 hexadecimal digits, with nothing else to recognise them by.
_OLD_SEAL = re.compile("[0-9a-f]{32}")
_OURS = uuid.UUID("6f1c6a5e-5a0e-4b6c-9d0f-2f3f6a3c7b11")
"""Name space of ids in BG Stats exports, so that a session exported twice has the same ids."""


class NotFinished(ValueError):
    """Raised if none of the sessions has ended, so that there is no play to export."""


def as_csv(sessions: Iterable[Kept], language: str = "en", known: Settings = _NOBODY) -> Iterator[str]:
    """Yield the score sheets: a row for each round with what each player won in it, then the total,
    and the rank if the game is over."""
    say = Translator(language)
    for number, kept in enumerate(sessions):
        out = io.StringIO()
        sheet = csv.writer(out)
        if number:
            sheet.writerow([])
        names, view = summary_of(kept).called(known.called).names, kept.session().view()
        sheet.writerow([say("export.round"), *map(_cell, names.values())])
        sheet.writerows([row.round, *(row.points[seat] for seat in names)] for row in score_sheet(kept))
        sheet.writerow([say("export.total"), *(points(view)[seat] for seat in names)])
        if view["result"] is not None:
            rank = {row["player"]: row["rank"] for row in view["result"]["ranking"]}
            sheet.writerow([say("export.rank"), *(rank[seat] for seat in names)])
        yield out.getvalue()


def _cell(name: str) -> str:
    """Return a name for a spreadsheet, where text that begins like a formula must be marked as text
    (https://owasp.org/www-community/attacks/CSV_Injection)."""
    return as_text(clean(name))


def as_json(sessions: Iterable[Kept], language: str = "en", known: Settings = _NOBODY) -> Iterator[str]:
    """Yield everything the journal holds about the sessions, with the words, the score sheet and
    the reasons for the points.

    Acts and points use the names at the start of the session (`players`), as the journal does;
    `names` gives the correct ones, which are used in words.
    """
    yield f'{{\n "format": "{FORMAT}",\n "sessions": ['
    between = "\n  "
    for kept in sessions:
        # Indented by two levels; a line break inside a JSON text is escaped, so only line ends are
        # replaced.
        yield between + _json(_everything(kept, language)).replace("\n", "\n  ")
        between = ",\n  "
    yield "]\n}\n" if between == "\n  " else "\n ]\n}\n"


def as_bgstats(sessions: Iterable[Kept], language: str = "en", known: Settings = _NOBODY) -> Iterator[str]:
    """Yield the finished sessions in the format that BG Stats imports; raise `NotFinished` if there
    are none.

    `known`: people with their BG Stats ids; others get ids of our own, the same in every export.
    """
    ended = [one.called(known.called) for kept in sessions if (one := summary_of(kept)).over]
    yield bgstats_of(ended, language, {person.name: person.uuid for person in known.people})


def bgstats_of(ended: Sequence[SessionSummary], language: str, ids: Mapping[str, str]) -> str:
    """Return these sessions in the format that BG Stats imports; see `as_bgstats`."""
    if not ended:
        raise NotFinished
    games = list(dict.fromkeys(one.game for one in ended))
    people = list(dict.fromkeys(name for one in ended for name in one.players))
    told = _json(
        {
            "games": [_game(number, game, language) for number, game in enumerate(games, 1)],
            "players": [
                {
                    "id": number,
                    "uuid": ids.get(name) or _id("player", name),
                    "name": clean(name),
                    "isAnonymous": False,
                }
                for number, name in enumerate(people, 1)
            ],
            "locations": [],
            "plays": [_play(one, 1 + games.index(one.game), people) for one in ended],
        }
    )
    return told + "\n"


FORMATS: Mapping[str, Callable[[Iterable[Kept], str, Settings], Iterator[str]]] = {
    "csv": as_csv,
    "json": as_json,
    "bgstats": as_bgstats,
}
"""Formats of `companion export` by name: functions of (sessions, language, known people and their
current names) that yield the file's text piece by piece, so that many sessions are never in memory
at once."""


def _everything(kept: Kept, language: str) -> dict[str, Any]:
    session = kept.session()
    setup, people = kept.setup, kept.people
    say = Translator(language, session.game, people.shown)
    entries = zip(kept.entries, records(kept), strict=True)
    return {
        "session": kept.number,
        "id": None if kept.id is None else str(kept.id),
        "game": setup.game,
        "players": people.seats,
        "names": people.right,
        "options": setup.options,
        "seed": _seed(kept),
        "commitment": kept.commitment or None,
        "begun": utc(kept.begun),
        "over": session.over,
        "entries": [
            {
                "number": record.number,
                "time": utc(record.time),
                "kind": entry.kind,
                "at": entry.at,
                "text": say.say(record.text),
                "acts": without_old_seals(msgspec.to_builtins(entry.acts), people.seats),
                "notes": msgspec.to_builtins(entry.notes),
                "points": record.points,
            }
            for entry, record in entries
        ],
        "score_sheet": [{"round": row.round, "points": row.points} for row in score_sheet(kept)],
        "explanation": {
            player: [
                {"text": say.say(reason.text), "clauses": reason.clauses, "points": reason.points}
                for reason in session.game.explain(session.state, player)
            ]
            for player in people.seats
        },
        "view": session.view(),
    }


def _seed(kept: Kept) -> int | str | None:
    """Return the seed: the public one, or a hidden one once it was revealed."""
    seed = kept.setup.seed
    told = [note.seed for entry in kept.entries for note in entry.notes if isinstance(note, SeedTold)]
    return (told[-1] if told else None) if isinstance(seed, HiddenSeed) else seed


def without_old_seals(value: Any, names: Sequence[str]) -> Any:
    """Return plain JSON values without any seal of older programs; a player's name (`names`) may
    look like one."""
    match value:
        case dict():
            return {
                key: without_old_seals(one, names)
                for key, one in value.items()
                if not _is_old_seal(one, names)
            }
        case list() | tuple():
            return [without_old_seals(one, names) for one in value if not _is_old_seal(one, names)]
        case _:
            return value


def _is_old_seal(value: Any, names: Sequence[str]) -> bool:
    return isinstance(value, str) and value not in names and _OLD_SEAL.fullmatch(value) is not None


def _game(number: int, game_id: str, language: str) -> dict[str, Any]:
    game = registry.load(game_id)
    return {
        "id": number,
        "uuid": _id("game", game_id),
        "name": Translator(language, game)("game.title"),
        "highestWins": not game.lowest_wins,
        "noPoints": False,
        "cooperative": False,
    }


def _play(one: SessionSummary, game: int, people: Sequence[str]) -> dict[str, Any]:
    return {
        "uuid": _id("play", one.number, one.begun, *one.names),
        "gameRefId": game,
        # BG Stats expects local time.
        "playDate": datetime.fromtimestamp(one.begun).strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round(one.minutes),
        "playerScores": [
            {
                "playerRefId": 1 + people.index(name),
                "score": str(one.points[name]),
                "winner": name in one.winners,
                "rank": one.ranks[name],
                "seatOrder": place,
                "startPlayer": place == 1,
            }
            for place, name in enumerate(one.players, 1)
        ],
    }


def _id(*what: object) -> str:
    return str(uuid.uuid5(_OURS, "/".join(map(str, what)))).upper()


def utc(seconds: float) -> str:
    """Return a time (seconds since 1970) in the format of exports."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _TURNING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


MOST_BYTES = 50_000_000
"""Largest export that is read: a ten-year collection with thousands of plays has some megabytes."""


class _Player(msgspec.Struct):
    name: str
    uuid: str = ""
    is_anonymous: bool = msgspec.field(default=False, name="isAnonymous")


class _Export(msgspec.Struct):
    players: list[_Player]


def people_of(path: Path) -> Sequence[Person]:
    """Return the named players in a BG Stats export; raise `Problem` if it is not one, and
    `OSError`. Plays and games are ignored."""
    try:
        export = msgspec.json.decode(given_files.bytes_of(path, MOST_BYTES), type=_Export)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Problem("people.no_export", file=str(path)) from fault
    named = [(clean(one.name).strip()[:LONGEST_NAME], one) for one in export.players if not one.is_anonymous]
    return [Person(name.replace(",", " "), clean(one.uuid)) for name, one in named if name]
