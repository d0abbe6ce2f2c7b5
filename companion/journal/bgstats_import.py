"""Read exports of BG Stats (https://www.bgstatsapp.com): the players, and the plays of our games.

The app writes JSON, as UTF-8 or, after some editors, with a byte order mark or as UTF-16; mail
programs and the app itself also pack it into a zip archive.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from companion import user_files
from companion.journal.export import make_bgstats_id
from companion.journal.summaries import SessionSummary
from companion.language import LANGUAGES
from companion.rules import registry
from companion.rules.contract import LONGEST_NAME, Game, Problem, format_points
from companion.settings import Person
from companion.texts import Translator, clean_text

MOST_BYTES = 50_000_000
"""Largest export that is read: a ten-year collection with thousands of plays has some megabytes."""
_DECIMAL = re.compile(r"[-+]?[0-9]{1,9}([.,][0-9]{1,9})?")


class _Player(msgspec.Struct):
    name: str
    id: int = 0
    uuid: str = ""
    is_anonymous: bool = msgspec.field(default=False, name="isAnonymous")


class _Game(msgspec.Struct):
    id: int
    name: str = ""
    bgg_name: str = msgspec.field(default="", name="bggName")


class _Score(msgspec.Struct):
    player: int = msgspec.field(name="playerRefId")
    score: str | float | None = None
    rank: int = 0
    seat: int = msgspec.field(default=0, name="seatOrder")


class _Play(msgspec.Struct):
    game: int = msgspec.field(name="gameRefId")
    uuid: str = ""
    date: str = msgspec.field(default="", name="playDate")
    minutes: float = msgspec.field(default=0.0, name="durationMin")
    ignored: bool = False
    scores: list[_Score] = msgspec.field(default_factory=list, name="playerScores")


class _Players(msgspec.Struct):
    players: list[_Player]


class _Plays(msgspec.Struct):
    players: list[_Player]
    games: list[_Game]
    plays: list[_Play]


class ImportedPlays(NamedTuple):
    """Plays of our games, and how many others the file has: of games that are not installed, or
    without points."""

    plays: tuple[SessionSummary, ...]
    left_out: int


def read_bgstats_players(path: Path) -> Sequence[Person]:
    """Return the named players in a BG Stats export; namesakes are numbered, because they are
    different people there. Raises `Problem` if the file is not an export, and `OSError`."""
    players = [one for one in _decode_export(path, _Players).players if not one.is_anonymous]
    named = zip(players, _name_players(players, {}), strict=True)
    return [Person(name, clean_text(one.uuid)) for one, name in named if name]


def read_bgstats_plays(path: Path, known: Iterable[Person], own: Collection[str]) -> ImportedPlays:
    """Return the plays in a BG Stats export as summaries. `known`: people with their ids there, by
    which they are recognized; `own`: ids of plays to leave out, because the journal has them.
    Raises `Problem` if the file is not an export, and `OSError`."""
    export = _decode_export(path, _Plays)
    names_by_id = {one.uuid: one.name for one in known if one.uuid}
    names = _name_players(export.players, names_by_id)
    players = {one.id: name for one, name in zip(export.players, names, strict=True) if name}
    games = _match_games(export.games)
    plays = [one for one in export.plays if not one.ignored and one.uuid not in own]
    found = [_summarise_play(number, one, games, players) for number, one in enumerate(plays, 1)]
    kept = tuple(one for one in found if one is not None)
    return ImportedPlays(kept, len(found) - len(kept))


K = TypeVar("K")


def _decode_export(path: Path, kind: type[K]) -> K:
    try:
        text = _decode_text(user_files.read_limited_bytes(path, MOST_BYTES))
        # Not strict: some versions write 0 and 1 for false and true.
        return msgspec.json.decode(text, type=kind, strict=False)
    except (
        *(msgspec.DecodeError, UnicodeDecodeError, RecursionError),
        # A zip archive that is damaged, empty, encrypted or packed in an unusual way.
        *(zipfile.BadZipFile, zlib.error, LookupError, EOFError, RuntimeError),
    ) as fault:
        raise Problem("people.no_export", file=str(path)) from fault


def _decode_text(data: bytes) -> str:
    """Return the text of an export: packed or not, in UTF-8 or UTF-16."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [one for one in archive.namelist() if not one.endswith("/")]
            # Archives of the app also hold pictures.
            named = [one for one in files if one.lower().endswith((".json", ".bgsplay"))]
            with archive.open((named or files)[0]) as file:
                # What the archive says of its size may be wrong.
                data = file.read(MOST_BYTES)
    encoded_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if encoded_16 else "utf-8-sig")


def _name_players(players: Sequence[_Player], names_by_id: Mapping[str, str]) -> list[str]:
    """Return the players' names ("" for none); a second of the same name is `Ben (2)`."""
    used: Counter[str] = Counter()
    names = []
    for one in players:
        # Commas separate names in forms.
        name = clean_text(one.name).replace(",", " ").strip()[: LONGEST_NAME - len(" (99)")]
        used[name] += bool(name)
        number = f" ({used[name]})" if used[name] > 1 else ""
        names.append(names_by_id.get(one.uuid) or f"{name}{number}")
    return names


def _match_games(games: Iterable[_Game]) -> dict[int, Game[Any]]:
    """Return which of the export's games are installed here, by their titles in any language."""
    # BG Stats knows games by numbers of BoardGameGeek, our own exports by titles in any language.
    titles: dict[str, Game[Any]] = {}
    for game_id in registry.list_game_ids():
        game = registry.load_game(game_id)
        titles |= {Translator(language, game)("game.title").casefold(): game for language in LANGUAGES}
    return {
        one.id: titles[name.casefold()]
        for one in games
        for name in (one.bgg_name, one.name)
        if name.casefold() in titles
    }


def _summarise_play(
    number: int, play: _Play, games: Mapping[int, Game[Any]], players: Mapping[int, str]
) -> SessionSummary | None:
    """Return a play's summary; None if its game is not installed, or if it lacks a player or
    points."""
    game = games.get(play.game)
    # 0 where the app was not told who sat where.
    seated = all(one.seat for one in play.scores)
    scores = sorted(play.scores, key=lambda one: one.seat) if seated else play.scores
    names = [players.get(one.player, "") for one in scores]
    points = [_parse_score(one.score) for one in scores]
    if game is None or len(scores) not in game.seats or "" in names or len({*names}) < len(names):
        return None
    known = [one for one in points if one is not None]
    try:
        begun = datetime.fromisoformat(play.date).timestamp()
    except ValueError:
        return None
    if len(known) < len(points):
        return None
    ranks = dict(zip(names, (one.rank for one in scores), strict=True))
    # The app's own places know of tie-breaks; where it has none, the game decides.
    if not all(ranks.values()):
        ranking = game.rank_scores([(name, (won,)) for name, won in zip(names, known, strict=True)])[
            "ranking"
        ]
        ranks = {row["player"]: row["rank"] for row in ranking}
    return SessionSummary(
        number,
        game.id,
        begun,
        begun + 60 * play.minutes,
        play.minutes,
        {f"s{seat}": name for seat, name in enumerate(names, 1)},
        {},
        {name: format_points(won) for name, won in zip(names, known, strict=True)},
        ranks,
        tuple(name for name in names if ranks[name] == 1),
    )


def _parse_score(score: str | float | None) -> Fraction | None:
    text = str(score).strip()
    return Fraction(text.replace(",", ".")) if _DECIMAL.fullmatch(text) else None


def list_own_plays(summaries: Iterable[SessionSummary]) -> set[str]:
    """Return the ids under which our exports contain these sessions."""
    return {make_bgstats_id("play", one.number, one.begun, *one.names) for one in summaries}
