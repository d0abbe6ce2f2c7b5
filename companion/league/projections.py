"""Compute what follows from the log: the state of each table (`table_now`) and results (`results`).

`Projector` follows the feed; `rebuild_projections` recomputes everything. Both arrive at the same
content, because both pass each session's entries in order through one `Judge`. If several servers
share a database, one projects at a time, under a database lock; the others then find the work done.

A judge decides every act again by the rules installed here. Replaying the log would not be enough,
because a replay trusts the events that a table recorded: of 224 forged numbers, 88 led to another
state unnoticed, while deciding again detected all of them. Draws from a seed that has not been
revealed yet are accepted as recorded; once it is revealed they are checked, as in the journal's own
proof.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from decimal import Decimal
from fractions import Fraction
from itertools import chain, groupby
from typing import Any, Literal, LiteralString, NamedTuple, TypeAlias, cast
from uuid import UUID

import msgspec
import psycopg

from companion import __version__
from companion.journal import schema
from companion.journal.saved_session import SavedSession, verify_commitments
from companion.league import postgres
from companion.league.feed import notify_servers
from companion.league.points import store_points
from companion.rules import registry
from companion.rules.acts import Entry, Kind
from companion.rules.commitments import HiddenSeed, SeedCommitted, SeedRevealed
from companion.rules.contract import Problem, View
from companion.rules.registry import GameUnavailable
from companion.rules.session import Session

NAME = "tables of {}"
"""Row of `projected` that holds the feed position up to which this club is projected."""
_MOST_SESSIONS = 400
"""Number of sessions kept in memory, about 100 kB each; others are read again from the log."""
_LOT = 1000
_PAUSE = 0.5

_SESSION = "SELECT club, session, game, setup FROM sessions WHERE session = %s"
_ROWS = "SELECT kind, at, format, body FROM entries WHERE session = %s AND sequence >= %s ORDER BY sequence"
_ALL = """
SELECT s.club, s.session, s.game, CASE WHEN coalesce(e.sequence, 0) = 0 THEN s.setup END,
    e.kind, e.at, e.format, e.body
FROM sessions s LEFT JOIN entries e USING (session) WHERE s.club = %s ORDER BY s.session, e.sequence
"""
_NEW_ENTRIES = """
SELECT session, max(sequence) + 1, max(feed) FROM (
    SELECT session, sequence, feed FROM entries JOIN sessions USING (session)
    WHERE club = %s AND feed > %s ORDER BY feed LIMIT %s
) AS lot GROUP BY session ORDER BY session
"""
_NEW_SESSIONS = """
SELECT session, 0, 0::bigint FROM sessions s WHERE club = %s AND next = 0
AND NOT EXISTS (SELECT FROM table_now t WHERE t.session = s.session)
"""
_NOW = """
INSERT INTO table_now VALUES (%s, %s, %s, %s)
ON CONFLICT (session) DO UPDATE SET upto = excluded.upto, view = excluded.view
"""
_RESULT = """
INSERT INTO results SELECT %s, %s::text, %s, (SELECT person FROM seats WHERE session = %s AND seat = %s),
    %s, %s, %s
ON CONFLICT (session, seat) DO UPDATE
SET place = excluded.place, points = excluded.points, checked = excluded.checked
"""
_NO_RESULTS = "DELETE FROM results WHERE session = %s"
_STATE = "UPDATE sessions SET state = %s WHERE session = %s AND state NOT IN ('forked', %s)"
_PLACE = """
INSERT INTO projected VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET rules = excluded.rules, feed = excluded.feed
"""


class _SessionHead(NamedTuple):
    """The columns of `list_sessions` that are needed here."""

    club: int
    session: UUID
    game: str
    setup: bytes


class JudgedSession:
    """A session with its judge, or None and a `state` that says why it cannot be judged (any
    more)."""

    def __init__(self, head: _SessionHead) -> None:
        self.head, self.upto = head, 0
        self.judge: Judge | None = None
        self.state = "open"
        try:
            self.judge = Judge(head.setup)
        except GameUnavailable:
            self.state = "foreign_game"
        except MalformedLog:
            self.state = "malformed"
        self._projection = _Projection(msgspec.json.encode({"game": head.game}))

    def judge_entries(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Process the next entries; those of an unknown game, and those after a malformed entry,
        are only counted."""
        for kind, at, acts_format, body in rows:
            self.upto += 1
            if self.judge is not None:
                try:
                    self.judge.judge_entry(kind, at, acts_format, body)
                except MalformedLog:
                    self._mark_malformed()

    def _mark_malformed(self) -> None:
        """Stop judging this session and keep its last valid state, as a rebuild would."""
        try:
            self._projection = (
                _Projection(_Projection.from_judge(self.judge).view) if self.judge else self._projection
            )
        except Exception:  # the view of a forged state may raise anything
            self._projection = _Projection(msgspec.json.encode({"game": self.head.game}))
        self.judge, self.state = None, "malformed"

    def build_statements(self) -> list[tuple[LiteralString, tuple[Any, ...]]]:
        """Return the SQL statements that store the session's state; if it is malformed, the state
        before that."""
        club, session = self.head.club, self.head.session
        if self.judge is not None:
            try:
                self._projection = _Projection.from_judge(self.judge)
                self.state = "over" if self.judge.session.is_over else "open"
            except Exception:  # as above
                self._mark_malformed()
        view, results = self._projection
        statements: list[tuple[LiteralString, tuple[Any, ...]]] = [
            (_NOW, (session, club, self.upto, view.decode())),
            (_STATE, (self.state, session, self.state)),
        ]
        if self.judge is None or not results:
            return [*statements, (_NO_RESULTS, (session,))]
        return [*statements, *((_RESULT, (session, one[0], club, session, *one)) for one in results)]


class _Projection(NamedTuple):
    """A session's projections: its view as JSON and, at the end, each seat's place, points and
    `Checked`."""

    view: bytes
    results: tuple[tuple[str, int, Decimal, str], ...] = ()

    @classmethod
    def from_judge(cls, judge: Judge) -> _Projection:
        view = judge.view
        data = msgspec.json.encode(view)
        if b"\\u0000" in data:  # PostgreSQL cannot store a zero character in text
            raise MalformedLog("a zero in a text")
        if not judge.session.is_over:
            return cls(data)
        checked = judge.verdict
        ranking = view["result"]["ranking"]
        return cls(
            data,
            tuple(
                (one["player"], one["rank"], store_points(Fraction(one["points"])), checked)
                for one in ranking
            ),
        )


class Projector:
    """Follows a club's feed in its own thread; call `wake` when there are new entries."""

    def __init__(self, url: str, club: int) -> None:
        self._url, self._club = url, club
        self._sessions: OrderedDict[UUID, JudgedSession] = OrderedDict()
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._project_loop, name="league projections", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Make the thread look for new entries. May be called from any thread."""
        self._woken.set()

    def close(self) -> None:
        """Stop the thread after its current batch."""
        self._ending.set()
        self._woken.set()
        self._thread.join()

    def _project_loop(self) -> None:
        while not self._ending.is_set():
            with suppress(psycopg.Error, Problem), closing(postgres.connect_database(self._url)) as db:
                while not self._ending.is_set():
                    self._woken.clear()
                    while self.project_batch(db):
                        pass
                    self._woken.wait()
            # Cached judges may be ahead of a transaction that failed: read those sessions again.
            self._sessions.clear()
            self._ending.wait(_PAUSE)

    def project_batch(self, db: psycopg.Connection[Any]) -> bool:
        """Process the next batch of the feed; return whether there was one."""
        with db.transaction():
            _lock_projection(db, self._club)
            place = _read_position(db, self._club)
            new_entries = db.execute(_NEW_ENTRIES, (self._club, place, _LOT)).fetchall()
            new_sessions = db.execute(_NEW_SESSIONS, (self._club,)).fetchall()
            statements = []
            # `new_sessions`: sessions without entries are not in the feed, but the pages show them,
            # too.
            for session, upto, _feed in (*new_entries, *new_sessions):
                one = self._load_session(db, session)
                # A cached session may already be ahead of this batch: its entries are read to the
                # end.
                if one.upto < upto:
                    # From the session's own count, not from the batch: a session new to memory
                    # needs all its entries.
                    one.judge_entries(db.execute(_ROWS, (session, one.upto)).fetchall())
                statements += one.build_statements()
            _execute_statements(db, statements)
            if new_entries:
                _write_position(db, self._club, max(feed for _session, _upto, feed in new_entries))
            if new_entries or new_sessions:
                notify_servers(db, self._club, "shown")
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return bool(new_entries or new_sessions)

    def _load_session(self, db: psycopg.Connection[Any], session: UUID) -> JudgedSession:
        one = self._sessions.pop(session, None)
        if one is None:
            head = db.execute(_SESSION, (session,)).fetchone()
            assert head is not None
            one = JudgedSession(_SessionHead(*head))
        self._sessions[session] = one
        return one


def rebuild_projections(
    url: str, club: int, on_progress: Callable[[int], object] = lambda _entries: None
) -> int:
    """Recompute a club's projections from its log; return the number of entries processed.

    `told` is called now and then with the number processed so far. Runs in one transaction, so
    readers see the old projections until it commits. Keeps one session in memory at a time.
    """
    entries = 0
    with (
        closing(postgres.connect_database(url)) as db,
        closing(postgres.connect_database(url)) as reader,
        db.transaction(),
    ):
        _lock_projection(db, club)
        # Read before the log: entries that arrive during the rebuild are processed afterwards.
        row = db.execute("SELECT last FROM feed WHERE club = %s", (club,)).fetchone()
        db.execute("DELETE FROM table_now WHERE club = %s", (club,))
        db.execute("DELETE FROM results WHERE club = %s", (club,))
        # A second connection: a server-side cursor streams the log while the first one writes.
        with reader.transaction(), reader.cursor("league_rebuild") as cursor:
            cursor.itersize = _LOT
            cursor.execute(_ALL, (club,))
            for head, rows in _group_by_session(cursor):
                one = JudgedSession(head)
                one.judge_entries(rows)
                _execute_statements(db, one.build_statements())
                entries += one.upto
                on_progress(entries)
        _write_position(db, club, row[0] if row else 0)
        notify_servers(db, club, "shown")
    return entries


def _execute_statements(
    db: psycopg.Connection[Any], statements: Iterable[tuple[LiteralString, tuple[Any, ...]]]
) -> None:
    with db.pipeline():
        for statement, values in statements:
            db.execute(statement, values, prepare=True)


def _group_by_session(
    rows: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[_SessionHead, Iterator[tuple[Any, ...]]]]:
    for _session, group in groupby(rows, key=lambda row: row[1]):
        first = next(group)
        yield _SessionHead(*first[:4]), (row[4:] for row in chain((first,), group) if row[4] is not None)


def _lock_projection(db: psycopg.Connection[Any], club: int) -> None:
    """Wait for other servers that project this club, and exclude them until the transaction
    ends."""
    db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (NAME.format(club),))


def _read_position(db: psycopg.Connection[Any], club: int) -> int:
    row = db.execute("SELECT feed FROM projected WHERE name = %s", (NAME.format(club),)).fetchone()
    return int(row[0]) if row else 0


def _write_position(db: psycopg.Connection[Any], club: int, feed: int) -> None:
    db.execute(_PLACE, (NAME.format(club), __version__, feed))


Checked: TypeAlias = Literal["checked", "pending", "public", "otherwise"]
"""Verdict about a session's result.

`verdict`: deciding every act again gave the recorded events. `pending_offer`: the same, except for
draws from a seed that has not been revealed (yet). `public`: the same, but the draws came from a
seed from which everybody could compute them. `otherwise`: an act, a seal or a seed differs; that
may be right under another version of the rules, so the result is marked and not discarded.
"""


class MalformedLog(ValueError):
    """The log contains something that no table running this program could have written."""


class Judge:
    """Checks one session, beginning with its setup (the journal's bytes).

    Raises `GameUnavailable` if the game is not installed here, and `MalformedLog`; so does `take`,
    after which the judge must not be used again. `entry_count`: the number of entries accepted.
    """

    def __init__(self, setup: bytes) -> None:
        try:
            self._setup, self._commitment = schema.decode_setup(setup)
        except (schema.UnreadableRow, RecursionError) as fault:
            raise MalformedLog(str(fault)) from None
        self.game = registry.load_game(self._setup.game)
        try:
            self.session = Session(self.game, self._setup, with_descriptions=False)
        except Exception as fault:  # a game may raise anything for invalid options
            raise MalformedLog(f"no such set-up ({type(fault).__name__})") from None
        self._entries: list[Entry] = []
        # Stays set once it is: a single act that differs decides the verdict.
        self._has_mismatch = False
        self._undecided = self._drawn = self._lost = False

    @property
    def entry_count(self) -> int:
        """Number of entries accepted."""
        return len(self._entries)

    def judge_entry(self, kind: str, at: int, acts_format: int, acts: bytes) -> None:
        """Judge the next entry, a row of the log."""
        if acts_format > schema.FORMAT:
            raise MalformedLog(f"format {acts_format}")
        try:
            entry = schema.decode_entry(self.game, cast(Kind, kind), at, acts, acts_format)
            self._redecide_entry(entry)
            self.session.replay_entries([entry])
        except schema.UnreadableRow as fault:
            raise MalformedLog(str(fault)) from None
        except Exception as fault:  # a forged entry may break a game's code anywhere
            raise MalformedLog(f"entry {self.entry_count}: {type(fault).__name__}") from None
        self._entries.append(entry)

    def _redecide_entry(self, entry: Entry) -> None:
        session = self.session
        # A correction replays from an earlier act, so it is judged against the state at that act.
        moment = (
            session.current_moment.moment_at(entry.at) if entry.kind == "correct" else session.current_moment
        )
        for act in entry.acts:
            self._undecided = self._undecided or session.contains_draw(moment, act)
            self._has_mismatch = self._has_mismatch or not session.verify_act(moment, act)
            moment = session.apply_act(moment, act)
        for note in entry.notes:
            if isinstance(note, SeedRevealed | SeedCommitted):
                # A seed replaced before it was revealed: draws from it can never be checked.
                self._lost = self._lost or (self._undecided and isinstance(note, SeedCommitted))
                self._drawn, self._undecided = self._drawn or self._undecided, False

    @property
    def view(self) -> View:
        """The public view of the current state, with `result` at the end. May raise any exception
        if the log was not written by the rules."""
        return self.session.view()

    @property
    def verdict(self) -> Checked:
        """The verdict on the session so far."""
        if self._has_mismatch:
            return "otherwise"
        hidden = isinstance(self._setup.seed, HiddenSeed)
        if not self._has_valid_commitments():
            return "otherwise"
        if not hidden and (self._undecided or self._drawn):
            return "public"
        return "pending" if self._undecided or self._lost else "checked"

    def _has_valid_commitments(self) -> bool:
        times = (0.0,) * len(self._entries)
        saved = SavedSession(0, self._setup, 0.0, tuple(self._entries), times, self._commitment)
        try:
            return verify_commitments(saved).is_valid
        except Exception:  # inconsistent notes may raise anything
            return False
