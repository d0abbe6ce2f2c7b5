"""Replay a game from the league's log, entry by entry, as everybody at its table has seen it.

The log contains face-down cards as seals only, so a replay of a game that is being played shows no
more than its table does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection

from companion.journal import schema
from companion.journal.history import Record, build_records
from companion.journal.saved_session import SavedSession
from companion.rules import registry
from companion.rules.acts import Kind, Moment
from companion.rules.session import Session

_REPLAYS = 100
"""Number of replays kept, 200 kB each; building one takes 40 ms."""


class Replay(NamedTuple):
    """A game as its table has sent it so far: its entries in words, and the game before the first
    and after each. `people`: who sits where and has a name, by seat."""

    saved: SavedSession
    records: tuple[Record, ...]
    moments: tuple[Moment, ...]
    people: Mapping[str, UUID] = MappingProxyType({})

    @property
    def session(self) -> Session:
        """The game as it stands."""
        return self.saved.restore_session()

    def read_view(self, entry: int) -> Mapping[str, Any]:
        """Return what everybody could see after so many entries (0: at the start)."""
        return self.session.game.view(self.moments[entry].state)


_ENTRIES = "SELECT kind, at, format, body, written FROM entries WHERE session = %s ORDER BY sequence"
_SEATS = """
SELECT seat, p.name, p.person FROM seats LEFT JOIN people b USING (person)
LEFT JOIN people p ON p.person = COALESCE(b.merged_into, b.person) WHERE session = %s
"""


def read_replay(db: Connection[Any], session: UUID, somebody: str) -> Replay | None:
    """Return the replay of a session; None if it cannot be replayed here (the game is not
    installed, or the log was not written by this program). `somebody`: for people without a
    name."""
    row = db.execute("SELECT setup FROM sessions WHERE session = %s", (session,)).fetchone()
    if row is None:
        return None
    seats = db.execute(_SEATS, (session,)).fetchall()
    names = {seat: name or somebody for seat, name, _person in seats}
    entries = tuple(db.execute(_ENTRIES, (session,)).fetchall())
    replay = _build_replay(row[0], entries, tuple(sorted(names.items())))
    return replay and replay._replace(people={seat: person for seat, name, person in seats if name})


# The arguments are all that a replay is made from, so that it is right whoever else changes them.
@lru_cache(maxsize=_REPLAYS)
def _build_replay(
    setup: bytes, rows: tuple[tuple[Kind, int, int, bytes, int], ...], names: tuple[tuple[str, str], ...]
) -> Replay | None:
    try:
        start, commitment = schema.decode_setup(setup)
        game = registry.load_game(start.game)
        entries = tuple(schema.decode_entry(game, kind, at, body, form) for kind, at, form, body, _ in rows)
        times = tuple(written / 1e6 for *_, written in rows)
        saved = SavedSession(0, start, 0.0, entries, times, commitment, names=dict(names))
        session = Session(game, start)
        moments = [session.current_moment]
        for entry in entries:
            session.replay_entries([entry])
            moments.append(session.current_moment)
        return Replay(saved, tuple(build_records(saved)), tuple(moments))
    except Exception:  # a log that was not written by the rules may raise anything, anywhere
        return None
