"""Summaries of saved sessions: players, standing, and the game's tallies. Lists of sessions, the
home screen, statistics and BG Stats exports need no more than that.

Summarising a session means replaying it, which takes milliseconds. So each summary is cached in the
user's cache folder, for all journals together: by the session's id, its number of entries and the
digest of the last one (which depends on all before), and the version of the program. Missing,
outdated or damaged summaries are computed again; the folder can be deleted at any time. Summaries
contain no face-down cards.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from companion import __version__
from companion.folders import make_private_folder, user_cache_folder
from companion.journal.database_file import StorageFault
from companion.journal.history import extract_points
from companion.journal.saved_session import SavedSession, SessionRow
from companion.journal.store import Store
from companion.rules import registry
from companion.rules.contract import Game, Tally, Text, format_points
from companion.texts import find_game_folder

FORMAT = 2
"""Grows when the content of summaries, or the way they are counted, changes."""
LONGEST_GAP = 3600.0
"""Seconds without an entry after which nobody was playing: the session was interrupted, and
continued another day."""
_TABLE = "CREATE TABLE IF NOT EXISTS summaries (session BLOB PRIMARY KEY, counted TEXT NOT NULL, summary BLOB NOT NULL)"
_FIND = "SELECT counted, summary FROM summaries WHERE session = ?"
_KEEP = "INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)"


class SessionSummary(msgspec.Struct, frozen=True):
    """Summary of one session, without undone and replaced acts.

    `number`: its number in this journal; `begun`, `last`: seconds since 1970; `minutes`: how long
    it was played. People appear under their correct names, which `names` gives by seat;
    `shown`: displayed names that differ from those at the start (`People.display_names`).
    `ranks` (1 is best, equal for ties) and `winners` are empty if it has not ended; `round`: the
    current round, None in a game without rounds. Equal tallies are merged, with their number.
    """

    number: int
    game: str
    begun: float
    last: float
    minutes: float
    names: dict[str, str]
    shown: dict[str, str]
    points: dict[str, int | str]
    ranks: dict[str, int] = {}
    winners: tuple[str, ...] = ()
    round: int | str | None = None
    tallies: tuple[Tally, ...] = ()

    def with_renamed_players(self, names: Mapping[str, str]) -> SessionSummary:
        """Return the summary with people renamed by `names` (old name to new). A person who
        would get the name of another player of that session keeps the old one, because they were
        two people."""
        right = {
            seat: names.get(name, name) if names.get(name) not in self.names.values() else name
            for seat, name in self.names.items()
        }
        if right == self.names:
            return self
        new = dict(zip(self.names.values(), right.values(), strict=True))
        others = {seat: name for seat, name in right.items() if name != self.names[seat]}
        return replace(
            self,
            names=right,
            shown={**self.shown, **others},
            points={new[name]: total for name, total in self.points.items()},
            ranks={new[name]: rank for name, rank in self.ranks.items()},
            winners=tuple(new[name] for name in self.winners),
            tallies=tuple(replace(one, player=new.get(one.player, one.player)) for one in self.tallies),
        )

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the players, clockwise."""
        return tuple(self.names.values())

    @property
    def sides(self) -> dict[str, int]:
        """The side of each player, from 1: partners have the same."""
        names = self.players
        sides = registry.list_sides(self.game, len(names))
        return {names[seat]: number for number, side in enumerate(sides, 1) for seat in side}

    @property
    def has_teams(self) -> bool:
        """Whether some players play together."""
        return len(set(self.sides.values())) < len(self.names)

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end."""
        return bool(self.ranks)


def summarise_session(saved: SavedSession) -> SessionSummary:
    """Return the summary of a session that was read."""
    session, people = saved.restore_session(), saved.people
    view, right = session.view(), people.real_names
    result = view["result"] or {"ranking": (), "winners": ()}
    return SessionSummary(
        saved.number,
        saved.setup.game,
        saved.begun,
        saved.times[-1] if saved.times else saved.begun,
        _count_played_seconds(saved) / 60,
        dict(right),
        dict(people.display_names),
        {right[seat]: total for seat, total in extract_points(view).items()},
        {right[one["player"]]: one["rank"] for one in result["ranking"]},
        tuple(right[seat] for seat in result["winners"]),
        session.game.find_round(view),
        _collect_tallies(session.game, saved, right),
    )


def _count_played_seconds(saved: SavedSession) -> float:
    """Return the seconds for which it was played, as a sum over the entries, so that a clock that
    was set back, or an interruption, affects one step only."""
    steps = (after - before for before, after in pairwise((saved.begun, *saved.times)))
    return sum(step for step in steps if 0.0 < step < LONGEST_GAP)


def _collect_tallies(game: Game[Any], saved: SavedSession, right: Mapping[str, str]) -> tuple[Tally, ...]:
    session, found = saved.restore_session(), dict[object, Tally]()
    state = game.start(session.setup)  # with options that are younger than the journal
    for event in (event for act in session.list_acts() for event in act.events):
        after = game.evolve(state, event)
        for one in game.tally_event(state, event, after):
            # Tallies with and without points cannot be added up.
            key = (one.table, one.row.code, str(one.row.args), one.player, one.points is None, one.right)
            found[key] = _merge_tallies(found[key], one) if key in found else one
        state = after
    return tuple(replace(one, player=right.get(one.player, one.player)) for one in found.values())


def _merge_tallies(one: Tally, other: Tally) -> Tally:
    won = None
    if one.points is not None and other.points is not None:
        won = format_points(Fraction(one.points) + Fraction(other.points))
    return replace(one, times=one.times + other.times, points=won)


def load_summaries(
    store: Store, rows: Iterable[SessionRow], new_names: Mapping[str, str] = {}
) -> Iterator[SessionSummary | Text]:
    """Yield the summary of each session of `rows`, or a message about one that cannot be read;
    people are renamed by `called` (see `SessionSummary.with_renamed_players`).

    Problems with the cache raise nothing: then all summaries are computed.
    """
    with contextlib.closing(_open_summary_cache()) as cache:
        for row in rows:
            # Everything that a summary depends on: if any of it has changed, it is computed again.
            version = f"{FORMAT} {__version__} {_game_modified_at(row.game)} {row.entries} {row.digest}"
            names = store.read_names(row.number)
            # Names can change without a new entry.
            if names:
                version += f" {zlib.crc32(repr(sorted(names.items())).encode())}"
            found = _find_cached_summary(cache, row, version)
            if found is None:
                try:
                    found = summarise_session(store.read_session(row.number))
                except StorageFault as trouble:
                    yield trouble.text
                    continue
                with contextlib.suppress(sqlite3.Error):
                    cache.execute(_KEEP, (row.id.bytes, version, msgspec.json.encode(found)))
            yield found.with_renamed_players(new_names)


def iter_last_played(
    store: Store, discarded: Collection[float], new_names: Mapping[str, str] = {}
) -> Iterator[SessionSummary]:
    """Yield the sessions with at least one entry, last played first. Unreadable ones are left out,
    and so are those `discarded` away, identified by their start."""
    rows = [row for row in store.list_sessions() if row.entries and row.begun not in discarded]
    for found in load_summaries(store, sorted(rows, key=lambda row: -row.last), new_names):
        if isinstance(found, SessionSummary):
            yield found


def list_unfinished(
    store: Store, discarded: Collection[float], new_names: Mapping[str, str] = {}
) -> list[SessionSummary]:
    """Return those sessions of `iter_last_played` that have not ended."""
    return [one for one in iter_last_played(store, discarded, new_names) if not one.is_over]


def _find_cached_summary(cache: sqlite3.Connection, row: SessionRow, version: str) -> SessionSummary | None:
    with contextlib.suppress(sqlite3.Error, msgspec.DecodeError):
        cached = cache.execute(_FIND, (row.id.bytes,)).fetchone()
        if cached is not None and cached[0] == version:
            found = _summary_decoder().decode(cached[1])
            # In JSON, texts nested in a text are dictionaries.
            tallies = (
                replace(one, row=_restore_text(one.row)) if one.row.args else one for one in found.tallies
            )
            return replace(found, number=row.number, tallies=tuple(tallies))
    return None


def _restore_text(value: Any) -> Any:
    """Restore the `Text` objects inside a value that was decoded from JSON."""
    match value:
        case Text(args=args):
            return replace(value, args={name: _restore_text(one) for name, one in args.items()})
        case dict():
            return _restore_text(msgspec.convert(value, Text))
        case list():
            return tuple(map(_restore_text, value))
        case _:
            return value


@functools.cache
def _game_modified_at(game: str) -> int | None:
    """Return when the game's files were last changed (nanoseconds), because it may count
    differently since.

    None for a game that is not installed (any more); the session cannot be read then, which is
    reported.
    """
    try:
        folder = find_game_folder(registry.load_game(game))
    except registry.GameUnavailable:
        return None
    return max((one.stat().st_mtime_ns for one in folder.glob("*.py")), default=0)


def _open_summary_cache() -> sqlite3.Connection:
    """Open the cache of summaries; in memory if it cannot be used."""
    with contextlib.suppress(OSError, sqlite3.Error):
        file = user_cache_folder() / "summaries.sqlite3"
        make_private_folder(file.parent)
        file.touch(mode=0o600)
        try:
            return _open_cache_file(file)
        except sqlite3.DatabaseError:
            # Damaged, or not a database: create it again.
            file.unlink()
            return _open_cache_file(file)
    return sqlite3.connect(":memory:")


def _open_cache_file(file: Path) -> sqlite3.Connection:
    # A short timeout: if another program is using the cache, computing is quicker than waiting.
    connection = sqlite3.connect(file, isolation_level=None, timeout=0.2)
    try:
        # Not synced: summaries lost by a power failure are computed again.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_TABLE)
        connection.execute(_FIND, (b"",))
    except BaseException:
        connection.close()
        raise
    return connection


@functools.cache
def _summary_decoder() -> msgspec.json.Decoder[SessionSummary]:
    return msgspec.json.Decoder(SessionSummary)
