"""Compute what follows from the log: the state of each table (`table_now`) and results (`results`).

`Projector` follows the feed; `rebuild` recomputes everything. Both arrive at the same content,
because both pass each session's entries in order through one `Judge`. If several servers share a
database, one projects at a time, under a database lock; the others then find the work done.

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
from companion.journal.kept import Kept, prove
from companion.league import postgres
from companion.league.log import notify
from companion.rules import registry
from companion.rules.acts import Entry, Kind
from companion.rules.commitments import HiddenSeed, SeedCommitted, SeedTold
from companion.rules.contract import Problem, View
from companion.rules.registry import GameUnavailable
from companion.rules.session import Session

NAME = "tables of {}"
"""Row of `projected` that holds the feed position up to which this club is projected."""
_JUDGES = 400
"""Number of sessions kept in memory, about 100 kB each; others are read again from the log."""
_LOT = 1000
_PAUSE = 0.5
_CENTS = Decimal("0.000001")

_SESSION = "SELECT club, session, game, setup FROM sessions WHERE session = %s"
_ROWS = "SELECT kind, at, format, body FROM entries WHERE session = %s AND sequence >= %s ORDER BY sequence"
_ALL = """
SELECT s.club, s.session, s.game, CASE WHEN coalesce(e.sequence, 0) = 0 THEN s.setup END,
    e.kind, e.at, e.format, e.body
FROM sessions s LEFT JOIN entries e USING (session) WHERE s.club = %s ORDER BY s.session, e.sequence
"""
_GROWN = """
SELECT session, max(sequence) + 1, max(feed) FROM (
    SELECT session, sequence, feed FROM entries JOIN sessions USING (session)
    WHERE club = %s AND feed > %s ORDER BY feed LIMIT %s
) AS lot GROUP BY session ORDER BY session
"""
_BEGUN = """
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


class _Head(NamedTuple):
    """The columns of `sessions` that are needed here."""

    club: int
    session: UUID
    game: str
    setup: bytes


class JudgedSession:
    """A session with its judge, or None and a `state` that says why it cannot be judged (any
    more)."""

    def __init__(self, head: _Head) -> None:
        self.head, self.upto = head, 0
        self.judge: Judge | None = None
        self.state = "open"
        try:
            self.judge = Judge(head.setup)
        except GameUnavailable:
            self.state = "foreign_game"
        except Malformed:
            self.state = "malformed"
        self._shown = _Shown(msgspec.json.encode({"game": head.game}))

    def take(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Process the next entries; those of an unknown game, and those after a malformed entry,
        are only counted."""
        for kind, at, acts_format, body in rows:
            self.upto += 1
            if self.judge is not None:
                try:
                    self.judge.take(kind, at, acts_format, body)
                except Malformed:
                    self._put_aside()

    def _put_aside(self) -> None:
        """Stop judging this session and keep its last valid state, as a rebuild would."""
        try:
            self._shown = _Shown(_Shown.of(self.judge).view) if self.judge else self._shown
        except Exception:  # the view of a forged state may raise anything
            self._shown = _Shown(msgspec.json.encode({"game": self.head.game}))
        self.judge, self.state = None, "malformed"

    def show(self) -> list[tuple[LiteralString, tuple[Any, ...]]]:
        """Return the SQL statements that store the session's state; if it is malformed, the state
        before that."""
        club, session = self.head.club, self.head.session
        if self.judge is not None:
            try:
                self._shown = _Shown.of(self.judge)
                self.state = "over" if self.judge.session.over else "open"
            except Exception:  # as above
                self._put_aside()
        view, results = self._shown
        told: list[tuple[LiteralString, tuple[Any, ...]]] = [
            (_NOW, (session, club, self.upto, view.decode())),
            (_STATE, (self.state, session, self.state)),
        ]
        if self.judge is None or not results:
            return [*told, (_NO_RESULTS, (session,))]
        return [*told, *((_RESULT, (session, one[0], club, session, *one)) for one in results)]


class _Shown(NamedTuple):
    """A session's projections: its view as JSON and, at the end, each seat's place, points and
    `Checked`."""

    view: bytes
    results: tuple[tuple[str, int, Decimal, str], ...] = ()

    @classmethod
    def of(cls, judge: Judge) -> _Shown:
        view = judge.view
        data = msgspec.json.encode(view)
        if b"\\u0000" in data:  # PostgreSQL cannot store a zero character in text
            raise Malformed("a zero in a text")
        if not judge.session.over:
            return cls(data)
        checked = judge.checked
        ranking = view["result"]["ranking"]
        return cls(
            data, tuple((one["player"], one["rank"], _number(one["points"]), checked) for one in ranking)
        )


class Projector:
    """Follows a club's feed in its own thread; call `wake` when there are new entries."""

    def __init__(self, url: str, club: int) -> None:
        self._url, self._club = url, club
        self._sessions: OrderedDict[UUID, JudgedSession] = OrderedDict()
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="league projections", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Make the thread look for new entries. May be called from any thread."""
        self._woken.set()

    def close(self) -> None:
        """Stop the thread after its current batch."""
        self._ending.set()
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.is_set():
            with suppress(psycopg.Error, Problem), closing(postgres.connect(self._url)) as db:
                while not self._ending.is_set():
                    self._woken.clear()
                    while self.project(db):
                        pass
                    self._woken.wait()
            # Cached judges may be ahead of a transaction that failed: read those sessions again.
            self._sessions.clear()
            self._ending.wait(_PAUSE)

    def project(self, db: psycopg.Connection[Any]) -> bool:
        """Process the next batch of the feed; return whether there was one."""
        with db.transaction():
            _alone(db, self._club)
            place = _place(db, self._club)
            grown = db.execute(_GROWN, (self._club, place, _LOT)).fetchall()
            begun = db.execute(_BEGUN, (self._club,)).fetchall()
            shown = []
            # `begun`: sessions without entries are not in the feed, but the pages show them, too.
            for session, upto, _feed in (*grown, *begun):
                one = self._session(db, session)
                # A cached session may already be ahead of this batch: its entries are read to the
                # end.
                if one.upto < upto:
                    # From the session's own count, not from the batch: a session new to memory
                    # needs all its entries.
                    one.take(db.execute(_ROWS, (session, one.upto)).fetchall())
                shown += one.show()
            _write(db, shown)
            if grown:
                _come_to(db, self._club, max(feed for _session, _upto, feed in grown))
            if grown or begun:
                notify(db, self._club, "shown")
        while len(self._sessions) > _JUDGES:
            self._sessions.popitem(last=False)
        return bool(grown or begun)

    def _session(self, db: psycopg.Connection[Any], session: UUID) -> JudgedSession:
        one = self._sessions.pop(session, None)
        if one is None:
            head = db.execute(_SESSION, (session,)).fetchone()
            assert head is not None
            one = JudgedSession(_Head(*head))
        self._sessions[session] = one
        return one


def rebuild(url: str, club: int, told: Callable[[int], object] = lambda _entries: None) -> int:
    """Recompute a club's projections from its log; return the number of entries processed.

    `told` is called now and then with the number processed so far. Runs in one transaction, so
    readers see the old projections until it commits. Keeps one session in memory at a time.
    """
    entries = 0
    with closing(postgres.connect(url)) as db, closing(postgres.connect(url)) as reader, db.transaction():
        _alone(db, club)
        # Read before the log: entries that arrive during the rebuild are processed afterwards.
        row = db.execute("SELECT last FROM feed WHERE club = %s", (club,)).fetchone()
        db.execute("DELETE FROM table_now WHERE club = %s", (club,))
        db.execute("DELETE FROM results WHERE club = %s", (club,))
        # A second connection: a server-side cursor streams the log while the first one writes.
        with reader.transaction(), reader.cursor("league_rebuild") as cursor:
            cursor.itersize = _LOT
            cursor.execute(_ALL, (club,))
            for head, rows in _sessions(cursor):
                one = JudgedSession(head)
                one.take(rows)
                _write(db, one.show())
                entries += one.upto
                told(entries)
        _come_to(db, club, row[0] if row else 0)
        notify(db, club, "shown")
    return entries


def _write(db: psycopg.Connection[Any], shown: Iterable[tuple[LiteralString, tuple[Any, ...]]]) -> None:
    with db.pipeline():
        for statement, values in shown:
            db.execute(statement, values, prepare=True)


def _sessions(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[_Head, Iterator[tuple[Any, ...]]]]:
    for _session, group in groupby(rows, key=lambda row: row[1]):
        first = next(group)
        yield _Head(*first[:4]), (row[4:] for row in chain((first,), group) if row[4] is not None)


def _alone(db: psycopg.Connection[Any], club: int) -> None:
    """Wait for other servers that project this club, and exclude them until the transaction
    ends."""
    db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (NAME.format(club),))


def _place(db: psycopg.Connection[Any], club: int) -> int:
    row = db.execute("SELECT feed FROM projected WHERE name = %s", (NAME.format(club),)).fetchone()
    return int(row[0]) if row else 0


def _come_to(db: psycopg.Connection[Any], club: int, feed: int) -> None:
    db.execute(_PLACE, (NAME.format(club), __version__, feed))


def _number(points: int | str) -> Decimal:
    """Convert points, which may be a fraction such as `7/3`."""
    exact = Fraction(points)
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(_CENTS)


Checked: TypeAlias = Literal["checked", "pending", "public", "otherwise"]
"""Verdict about a session's result.

`checked`: deciding every act again gave the recorded events. `pending`: the same, except for draws
from a seed that has not been revealed (yet). `public`: the same, but the draws came from a seed
from which everybody could compute them. `otherwise`: an act, a seal or a seed differs; that may be
right under another version of the rules, so the result is marked and not discarded.
"""


class Malformed(ValueError):
    """The log contains something that no table running this program could have written."""


class Judge:
    """Checks one session, beginning with its setup (the journal's bytes).

    Raises `GameUnavailable` if the game is not installed here, and `Malformed`; so does `take`,
    after which the judge must not be used again. `taken`: the number of entries accepted.
    """

    def __init__(self, setup: bytes) -> None:
        try:
            self._setup, self._commitment = schema.decode_setup(setup)
        except (schema.Unreadable, RecursionError) as fault:
            raise Malformed(str(fault)) from None
        self.game = registry.load(self._setup.game)
        try:
            self.session = Session(self.game, self._setup, tells=False)
        except Exception as fault:  # a game may raise anything for invalid options
            raise Malformed(f"no such set-up ({type(fault).__name__})") from None
        self._entries: list[Entry] = []
        # Stays set once it is: a single act that differs decides the verdict.
        self._otherwise = False
        self._undecided = self._drawn = self._lost = False

    @property
    def taken(self) -> int:
        """Number of entries accepted."""
        return len(self._entries)

    def take(self, kind: str, at: int, acts_format: int, acts: bytes) -> None:
        """Judge the next entry, a row of the log."""
        if acts_format > schema.FORMAT:
            raise Malformed(f"format {acts_format}")
        try:
            entry = schema.decode_entry(self.game, cast(Kind, kind), at, acts, acts_format)
            self._judge(entry)
            self.session.replay([entry])
        except schema.Unreadable as fault:
            raise Malformed(str(fault)) from None
        except Exception as fault:  # a forged entry may break a game's code anywhere
            raise Malformed(f"entry {self.taken}: {type(fault).__name__}") from None
        self._entries.append(entry)

    def _judge(self, entry: Entry) -> None:
        session = self.session
        # A correction replays from an earlier act, so it is judged against the state at that act.
        moment = session.now.back(entry.at) if entry.kind == "correct" else session.now
        for act in entry.acts:
            self._undecided = self._undecided or session.draws(moment, act)
            self._otherwise = self._otherwise or not session.agrees(moment, act)
            moment = session.grown(moment, act)
        for note in entry.notes:
            if isinstance(note, SeedTold | SeedCommitted):
                # A seed replaced before it was revealed: draws from it can never be checked.
                self._lost = self._lost or (self._undecided and isinstance(note, SeedCommitted))
                self._drawn, self._undecided = self._drawn or self._undecided, False

    @property
    def view(self) -> View:
        """The public view of the current state, with `result` at the end. May raise any exception
        if the log was not written by the rules."""
        return self.session.view()

    @property
    def checked(self) -> Checked:
        """The verdict on the session so far."""
        if self._otherwise:
            return "otherwise"
        hidden = isinstance(self._setup.seed, HiddenSeed)
        if not self._proved():
            return "otherwise"
        if not hidden and (self._undecided or self._drawn):
            return "public"
        return "pending" if self._undecided or self._lost else "checked"

    def _proved(self) -> bool:
        times = (0.0,) * len(self._entries)
        kept = Kept(0, self._setup, 0.0, tuple(self._entries), times, self._commitment)
        try:
            return prove(kept).holds
        except Exception:  # inconsistent notes may raise anything
            return False
