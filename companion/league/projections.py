"""What follows from the log: how each table stands (`table_now`), who came where (`results`).

`Projector` follows the feed, `rebuild` makes all anew; both come to the same content, as both let
one `Judge` read each session in order. Of several servers one projects at a time, under a lock of
the database; the others find that it is done.

A judge decides each act anew by the rules that are installed here. To replay a log is not to judge
it: that folds what the table claims to have happened. Of 224 forged numbers 88 led to another state
unnoticed, and none passed deciding. Draws by a seed that is not told yet are taken as the table
tells them until it is; then they are checked, as the journal's own proof does it.
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


Checked: TypeAlias = Literal["checked", "pending", "public", "otherwise"]
"""`checked`: every act came out as it stands. `pending`: so did all but draws by a seed that was
not told, yet or ever. `public`: all did, but draws were made by a seed that everybody could
compute them from. `otherwise`: an act did not, or a seal or a seed is not what was committed to; by
other rules (of another version) that may be right, so it is marked and not thrown away."""


class Malformed(ValueError):
    """No table of this program wrote such a log."""


class Judge:
    """One session, from its set-up on (the journal's bytes). Raises `GameUnavailable` where nobody
    here knows the game, and `Malformed`, as `take` does: nothing is asked of it then any more.

    `taken`: how many entries it has.
    """

    def __init__(self, setup: bytes) -> None:
        try:
            self._setup, self._commitment = schema.decode_setup(setup)
        except (schema.Unreadable, RecursionError) as fault:
            raise Malformed(str(fault)) from None
        self.game = registry.load(self._setup.game)
        try:
            self.session = Session(self.game, self._setup, tells=False)
        except Exception as fault:  # options that are none: a game may raise anything for them
            raise Malformed(f"no such set-up ({type(fault).__name__})") from None
        self._entries: list[Entry] = []
        self._otherwise = False
        self._undecided = self._drawn = self._lost = False

    @property
    def taken(self) -> int:
        """How many entries it has."""
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
        except Exception as fault:  # it was decided nowhere: there is nothing that it may not do
            raise Malformed(f"entry {self.taken}: {type(fault).__name__}") from None
        self._entries.append(entry)

    def _judge(self, entry: Entry) -> None:
        session = self.session
        moment = session.now.back(entry.at) if entry.kind == "correct" else session.now
        for act in entry.acts:
            self._undecided = self._undecided or session.draws(moment, act)
            self._otherwise = self._otherwise or not session.agrees(moment, act)
            moment = session.grown(moment, act)
        for note in entry.notes:
            if isinstance(note, SeedTold | SeedCommitted):
                # A seed whose place another took was never told: no draw by it can be checked.
                self._lost = self._lost or (self._undecided and isinstance(note, SeedCommitted))
                self._drawn, self._undecided = self._drawn or self._undecided, False

    @property
    def view(self) -> View:
        """What everybody may know of how it stands, `result` at the end. It may raise anything of a
        log that nobody decided."""
        return self.session.view()

    @property
    def checked(self) -> Checked:
        """What is to be thought of it."""
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
        except Exception:  # notes that do not belong together
            return False
