"""What follows from the log: how each table stands (`table_now`), who came where (`results`).

`Projector` follows the feed, `rebuild` makes all anew; both come to the same content, as both let
one `Judge` read each session in order. Of several servers one projects at a time, under a lock of
the database; the others find that it is done.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from decimal import Decimal
from fractions import Fraction
from itertools import chain, groupby
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

import msgspec
import psycopg

from companion import __version__
from companion.league import postgres
from companion.league.judge import Judge, Malformed
from companion.league.log import notify
from companion.rules.contract import Problem
from companion.rules.registry import GameUnavailable

NAME = "tables of {}"
"""In `projected`: how far in the feed of the club of this number the projections have come."""
_JUDGES = 400
"""Sessions that are kept in memory, of some 100 kB each; another is read again."""
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
    """A row of `sessions`, as far as it is needed here."""

    club: int
    session: UUID
    game: str
    setup: bytes


class JudgedSession:
    """A session as it is judged: its judge, None where there can be none (any more), and why."""

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
        """Take in the next entries; of a game that nobody knows here, and after what no table
        wrote, they are counted."""
        for kind, at, acts_format, body in rows:
            self.upto += 1
            if self.judge is not None:
                try:
                    self.judge.take(kind, at, acts_format, body)
                except Malformed:
                    self._put_aside()

    def _put_aside(self) -> None:
        """Leave it as it stands; who rebuilds comes to the same."""
        try:
            self._shown = _Shown(_Shown.of(self.judge).view) if self.judge else self._shown
        except Exception:  # of what nobody decided a view may raise anything
            self._shown = _Shown(msgspec.json.encode({"game": self.head.game}))
        self.judge, self.state = None, "malformed"

    def show(self) -> list[tuple[LiteralString, tuple[Any, ...]]]:
        """Return the statements that write how it stands; before what put it aside, if anything
        did."""
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
    """What a session's projections hold: the view as JSON; at the end everybody's seat, place and
    points, and what is to be thought of it."""

    view: bytes
    results: tuple[tuple[str, int, Decimal, str], ...] = ()

    @classmethod
    def of(cls, judge: Judge) -> _Shown:
        view = judge.view
        data = msgspec.json.encode(view)
        if b"\\u0000" in data:  # PostgreSQL has no text with a zero in it
            raise Malformed("a zero in a text")
        if not judge.session.over:
            return cls(data)
        checked = judge.checked
        ranking = view["result"]["ranking"]
        return cls(
            data, tuple((one["player"], one["rank"], _number(one["points"]), checked) for one in ranking)
        )


class Projector:
    """Follows the feed of a club in a thread of its own: `wake` it when there is news."""

    def __init__(self, url: str, club: int) -> None:
        self._url, self._club = url, club
        self._sessions: OrderedDict[UUID, JudgedSession] = OrderedDict()
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="league projections", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Let it look. From any thread."""
        self._woken.set()

    def close(self) -> None:
        """End it, after what it is at."""
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
            # What was judged in a transaction that failed is judged again from the rows.
            self._sessions.clear()
            self._ending.wait(_PAUSE)

    def project(self, db: psycopg.Connection[Any]) -> bool:
        """Follow the next lot of the feed; tell whether there was one."""
        with db.transaction():
            _alone(db, self._club)
            place = _place(db, self._club)
            grown = db.execute(_GROWN, (self._club, place, _LOT)).fetchall()
            begun = db.execute(_BEGUN, (self._club,)).fetchall()
            shown = []
            for session, upto, _feed in (*grown, *begun):
                one = self._session(db, session)
                if one.upto < upto:
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
    """Make a club's projections anew from its log; return how many entries that were. `told` is
    called now and then with how many it is at.

    One transaction: who looks meanwhile sees what was there before. Memory holds one session.
    """
    entries = 0
    with closing(postgres.connect(url)) as db, closing(postgres.connect(url)) as reader, db.transaction():
        _alone(db, club)
        # Before the log is read: what comes in meanwhile is followed afterwards.
        row = db.execute("SELECT last FROM feed WHERE club = %s", (club,)).fetchone()
        db.execute("DELETE FROM table_now WHERE club = %s", (club,))
        db.execute("DELETE FROM results WHERE club = %s", (club,))
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
    """Wait until nobody else projects this club, and let nobody until the transaction ends."""
    db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (NAME.format(club),))


def _place(db: psycopg.Connection[Any], club: int) -> int:
    row = db.execute("SELECT feed FROM projected WHERE name = %s", (NAME.format(club),)).fetchone()
    return int(row[0]) if row else 0


def _come_to(db: psycopg.Connection[Any], club: int, feed: int) -> None:
    db.execute(_PLACE, (NAME.format(club), __version__, feed))


def _number(points: int | str) -> Decimal:
    """Return points that may be shared, `7/3`."""
    exact = Fraction(points)
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(_CENTS)
