"""The log of one club in the database: one writer a server, and one reader of the feed.

PostgreSQL commits one by one what notifies: single commits with a notice each are a fifth of those
without. So whatever has come in while the last transaction was made durable is one transaction with
one notice, and is answered after its commit. The feed's row is locked first: two servers take
turns, and neither holds what the other waits for.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

import msgspec
import psycopg

from companion.league import postgres
from companion.league.protocol import Acknowledgement
from companion.rules.contract import Problem, Text

CHANNEL = "league"
"""Notices there are `CLUB WHAT`: `entries`, `shown` where projections have followed, or `left`
where a table has."""
_TOLD = ("shown", "left")
_BATCH = 500
"""Requests in one transaction at most."""
_RECENT = 5000
"""Entries of the feed that are in memory for whoever reads it."""
_LOT = 1000
_PAUSE = 0.5
"""Seconds to the next try where the database is away."""
_LISTENS = 0.5
"""Seconds for which a notice is waited for, between two looks at whether to end."""

_APPEND: LiteralString = (
    "SELECT * FROM append(%s, %s, %s, %s, %s::bigint[], %s::text[], %s::int[], %s::smallint[], %s::bytea[],"
    " %s::bytea[], %s)"
)
_BEGIN: LiteralString = "SELECT * FROM begin_session(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
FEED: LiteralString = (
    "SELECT feed, session, sequence, written, kind, body FROM entries JOIN sessions USING (session)"
    " WHERE club = %s AND feed > %s ORDER BY feed LIMIT %s"
)


class NoDatabase(Exception):
    """The database is away; what was asked may have been done, or not: it is asked again."""


class FeedLine(NamedTuple):
    """One entry as the feed tells it: its place in the feed, and its JSON."""

    feed: int
    data: bytes


class _Wish(NamedTuple):
    statement: LiteralString
    values: Sequence[Any]
    answer: Future[Acknowledgement]


class Writer:
    """The one who writes in a club's log for this server, in a thread of its own."""

    def __init__(self, url: str, club: int) -> None:
        self._url, self._club = url, club
        self._db: psycopg.Connection[Any] | None = None
        self._wishes: SimpleQueue[_Wish | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="league writer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write what was asked for, and end."""
        self._wishes.put(None)
        self._thread.join()

    def begin(self, *values: Any) -> Future[Acknowledgement]:
        """Keep a session; the values of `begin_session` after the club. The answer comes after the
        commit, or `NoDatabase`."""
        return self._wish(_BEGIN, (self._club, *values))

    def append(self, *values: Any) -> Future[Acknowledgement]:
        """Keep entries; the values of `append`. The answer comes as from `begin`."""
        return self._wish(_APPEND, values)

    def _wish(self, statement: LiteralString, values: Sequence[Any]) -> Future[Acknowledgement]:
        answer: Future[Acknowledgement] = Future()
        self._wishes.put(_Wish(statement, values, answer))
        return answer

    def _run(self) -> None:
        going = True
        while going:
            batch = [self._wishes.get()]
            with suppress(Empty):
                while len(batch) < _BATCH:
                    batch.append(self._wishes.get_nowait())
            going = None not in batch
            # Who has gone meanwhile wants no answer, and gets none; nobody goes from here on.
            wanted = [one for one in batch if one is not None and one.answer.set_running_or_notify_cancel()]
            self._answer(wanted)
        if self._db is not None:
            self._db.close()

    def _answer(self, batch: Sequence[_Wish]) -> None:
        if not batch:
            return
        try:
            answers = self._commit(batch)
        except (psycopg.OperationalError, psycopg.InterfaceError, Problem):
            self._drop()
            for one in batch:
                one.answer.set_exception(NoDatabase())
        except psycopg.Error as fault:
            # What one of them holds the database does not take: the others must not suffer by it.
            self._drop()
            if len(batch) > 1:
                for one in batch:
                    self._answer([one])
            else:
                why: dict[str, str | int] = {"reason": fault.sqlstate or type(fault).__name__}
                batch[0].answer.set_result(Acknowledgement("refused", code="league.not_taken", args=why))
        else:
            for one, answer in zip(batch, answers, strict=True):
                one.answer.set_result(answer)

    def _commit(self, batch: Sequence[_Wish]) -> list[Acknowledgement]:
        if self._db is None:
            self._db = postgres.connect(self._url)
        with self._db.transaction():
            self._db.execute("SELECT last FROM feed WHERE club = %s FOR UPDATE", (self._club,))
            with self._db.pipeline():
                done = [self._db.execute(one.statement, one.values, prepare=True) for one in batch]
            answers = [Acknowledgement(*one.fetchone()) for one in done]  # type: ignore[misc]
            if any(one.answer == "ok" for one in answers):
                notify(self._db, self._club, "entries")
        return answers

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def notify(db: psycopg.Connection[Any], club: int, what: str) -> None:
    """Tell all servers, once this transaction is committed. A number is all that a notice holds: it
    wakes, and the rows are read."""
    db.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{club} {what}"))


class FeedReader:
    """Reads a club's feed as it grows, in a thread of its own, and tells of it.

    `woken` is called from there with what a notice says, `entries` once what was committed is in
    `since`; after the database was away with everything that it may have missed. `away` is called
    with why it is, and with None once it is there again.
    """

    def __init__(
        self, url: str, club: int, woken: Callable[[str], object], away: Callable[[Text | None], object]
    ) -> None:
        self._url, self._club, self._woken, self._away = url, club, woken, away
        self._recent: deque[FeedLine] = deque(maxlen=_RECENT)
        self._last: int | None = None
        """None: the database has not been there yet."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="league feed", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._ending.set()
        self._thread.join()

    def since(self, after: int) -> Sequence[FeedLine] | None:
        """List what came after the place `after`, as far as it is known here; None where that was
        longer ago than memory goes back: see `read_feed`."""
        recent = tuple(self._recent)
        if self._last is None or after >= self._last:
            return ()
        if not recent or recent[0].feed > after + 1:
            return None
        return [one for one in recent if one.feed > after]

    def older(self, after: int) -> Sequence[FeedLine]:
        """Read from the database what came after the place `after`: the first of it. Raises
        `Problem`."""
        with postgres.connect(self._url) as db:
            return _lines(db, self._club, after)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                with postgres.in_words(), postgres.connect(self._url) as db:
                    db.execute(f"LISTEN {CHANNEL}")
                    self._take_in(db)  # what came before we listened
                    self._away(None)
                    for what in _TOLD:
                        self._woken(what)
                    self._listen(db)
            except Problem as fault:
                self._away(fault.text)
            self._ending.wait(_PAUSE)

    def _listen(self, db: psycopg.Connection[Any]) -> None:
        own = f"{self._club} "
        while not self._ending.is_set():
            # Several may have come at once: one look is enough for all.
            told = {notice.payload for notice in db.notifies(timeout=_LISTENS, stop_after=1)}
            if f"{own}entries" in told:
                self._take_in(db)
            for what in _TOLD:
                if f"{own}{what}" in told:
                    self._woken(what)

    def _take_in(self, db: psycopg.Connection[Any]) -> None:
        if self._last is None:  # what was before, `older` reads
            row = db.execute("SELECT last FROM feed WHERE club = %s", (self._club,)).fetchone()
            self._last = row[0] if row else 0
        while lines := _lines(db, self._club, self._last):
            self._recent.extend(lines)
            self._last = lines[-1].feed
        self._woken("entries")


def _lines(db: psycopg.Connection[Any], club: int, after: int) -> list[FeedLine]:
    rows = db.execute(FEED, (club, after, _LOT)).fetchall()
    return [FeedLine(row[0], _told(*row)) for row in rows]


def _told(feed: int, session: UUID, sequence: int, written: int, kind: str, body: bytes) -> bytes:
    told = {"feed": feed, "session": session, "sequence": sequence, "written": written, "kind": kind}
    try:  # as the journal has it, where it is what it should be
        return msgspec.json.encode({**told, "entry": msgspec.json.decode(body)})
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return msgspec.json.encode({**told, "entry": None})
