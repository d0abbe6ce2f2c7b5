"""Append to one club's log in the database, and follow its feed.

PostgreSQL serializes the commits of transactions that send a notification: with one commit and one
notification per request, throughput falls to a fifth. So each server has a single writer thread
that uses group commit: all requests that arrived while the previous transaction was being made
durable share one transaction and one notification, and are answered after its commit. Every
transaction locks the club's feed row first, so two servers take turns and cannot deadlock.
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
"""Name of the notification channel. Payloads are `CLUB WHAT`: `entries`, `shown` when the
projections have caught up, or `left` when a table has left."""
_FORWARDED = ("shown", "left")
_BATCH = 500
"""Maximum number of requests in one transaction."""
_RECENT = 5000
"""Number of feed entries kept in memory for readers."""
_LOT = 1000
_PAUSE = 0.5
"""Seconds between attempts while the database is unavailable."""
_LISTENS = 0.5
"""Seconds to wait for a notification before checking whether to stop."""

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
    """The database is unavailable; the request may or may not have been carried out, so repeat
    it."""


class FeedLine(NamedTuple):
    """One entry of the feed: its position, and its JSON."""

    feed: int
    data: bytes


class _WriteCommand(NamedTuple):
    statement: LiteralString
    values: Sequence[Any]
    answer: Future[Acknowledgement]


class LogWriter:
    """The single writer of a club's log on this server; runs in its own thread."""

    def __init__(self, url: str, club: int) -> None:
        self._url, self._club = url, club
        self._db: psycopg.Connection[Any] | None = None
        self._commands: SimpleQueue[_WriteCommand | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_loop, name="league writer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write all pending requests, then stop."""
        self._commands.put(None)
        self._thread.join()

    def write_session(self, *values: Any) -> Future[Acknowledgement]:
        """Store a session, given the arguments of `begin_session` after the club. The future
        resolves after the commit, or fails with `NoDatabase`."""
        return self._queue_command(_BEGIN, (self._club, *values))

    def write_entries(self, *values: Any) -> Future[Acknowledgement]:
        """Store entries, given the arguments of `write_entries`. The future resolves as that of
        `write_session` does."""
        return self._queue_command(_APPEND, values)

    def _queue_command(self, statement: LiteralString, values: Sequence[Any]) -> Future[Acknowledgement]:
        answer: Future[Acknowledgement] = Future()
        self._commands.put(_WriteCommand(statement, values, answer))
        return answer

    def _write_loop(self) -> None:
        is_running = True
        while is_running:
            # Blocks for the first request only; whatever else has queued up during the last commit
            # joins its transaction.
            batch = [self._commands.get()]
            with suppress(Empty):
                while len(batch) < _BATCH:
                    batch.append(self._commands.get_nowait())
            is_running = None not in batch
            # Skips requests cancelled in the meantime; from here on they cannot be cancelled.
            active = [one for one in batch if one is not None and one.answer.set_running_or_notify_cancel()]
            self._commit_and_answer_batch(active)
        if self._db is not None:
            self._db.close()

    def _commit_and_answer_batch(self, batch: Sequence[_WriteCommand]) -> None:
        if not batch:
            return
        try:
            answers = self._commit_batch(batch)
        # The connection may have broken before or after the commit, so the callers must ask again.
        except (psycopg.OperationalError, psycopg.InterfaceError, Problem):
            self._drop_connection()
            for one in batch:
                one.answer.set_exception(NoDatabase())
        except psycopg.Error as fault:
            # The database rejected one request's data: retry singly, so that the others succeed.
            self._drop_connection()
            if len(batch) > 1:
                for one in batch:
                    self._commit_and_answer_batch([one])
            else:
                reason_args: dict[str, str | int] = {"reason": fault.sqlstate or type(fault).__name__}
                batch[0].answer.set_result(
                    Acknowledgement("refused", code="league.not_taken", args=reason_args)
                )
        else:
            for one, answer in zip(batch, answers, strict=True):
                one.answer.set_result(answer)

    def _commit_batch(self, batch: Sequence[_WriteCommand]) -> list[Acknowledgement]:
        if self._db is None:
            self._db = postgres.connect_database(self._url)
        with self._db.transaction():
            self._db.execute("SELECT last FROM feed WHERE club = %s FOR UPDATE", (self._club,))
            with self._db.pipeline():
                # Pipelined: the batch costs one round trip, not one for each request.
                done = [self._db.execute(one.statement, one.values, prepare=True) for one in batch]
            answers = [Acknowledgement(*one.fetchone()) for one in done]  # type: ignore[misc]
            # Notifications serialize commits (see above), so send none when nothing has changed.
            if any(one.answer == "ok" for one in answers):
                notify_servers(self._db, self._club, "entries")
        return answers

    def _drop_connection(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def notify_servers(db: psycopg.Connection[Any], club: int, notice: str) -> None:
    """Notify all servers when the current transaction commits.

    The payload has no data beyond the club's number and the kind of change: receivers wake up and
    read the rows themselves.
    """
    db.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{club} {notice}"))


class FeedReader:
    """Follows a club's feed in its own thread and reports new entries.

    Callbacks run in that thread. `on_notice` receives the kind of change: `entries` once the
    committed entries are available from `list_since`, and after a lost connection every kind that
    may have been missed. `on_availability` receives the reason while the database is unavailable,
    and None once it is back.
    """

    def __init__(
        self,
        url: str,
        club: int,
        on_notice: Callable[[str], object],
        on_availability: Callable[[Text | None], object],
    ) -> None:
        self._url, self._club, self._on_notice, self._on_availability = url, club, on_notice, on_availability
        # Written by this thread and read by the server's loop, which copies it in one step
        # (`list_since`).
        self._recent: deque[FeedLine] = deque(maxlen=_RECENT)
        self._last: int | None = None
        """None until the database has been reached."""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._follow_loop, name="league feed", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        self._ending.set()
        self._thread.join()

    def list_since(self, after: int) -> Sequence[FeedLine] | None:
        """List the entries after position `after` that are in memory; None if some are older than
        that (use `read_older`)."""
        recent = tuple(self._recent)
        if self._last is None or after >= self._last:
            return ()
        # Feed positions have no gaps (a counter row), so a first entry beyond `after + 1` means
        # that some have already been dropped from memory.
        if not recent or recent[0].feed > after + 1:
            return None
        return [one for one in recent if one.feed > after]

    def read_older(self, after: int) -> Sequence[FeedLine]:
        """Read the first entries after position `after` from the database. Raises `Problem`."""
        with postgres.connect_database(self._url) as db:
            return _read_feed_lines(db, self._club, after)

    def _follow_loop(self) -> None:
        while not self._ending.is_set():
            try:
                # LISTEN first, then read: an entry committed in between is either read or notified.
                with postgres.convert_database_errors(), postgres.connect_database(self._url) as db:
                    db.execute(f"LISTEN {CHANNEL}")
                    self._read_new_lines(db)  # entries committed before LISTEN
                    self._on_availability(None)
                    for notice in _FORWARDED:
                        self._on_notice(notice)
                    self._receive_notices(db)
            except Problem as fault:
                self._on_availability(fault.text)
            self._ending.wait(_PAUSE)

    def _receive_notices(self, db: psycopg.Connection[Any]) -> None:
        own = f"{self._club} "
        while not self._ending.is_set():
            # Several notifications may arrive at once; reading once covers them all.
            notices = {notice.payload for notice in db.notifies(timeout=_LISTENS, stop_after=1)}
            if f"{own}entries" in notices:
                self._read_new_lines(db)
            for kind in _FORWARDED:
                if f"{own}{kind}" in notices:
                    self._on_notice(kind)

    def _read_new_lines(self, db: psycopg.Connection[Any]) -> None:
        if self._last is None:  # start at the end: `read_older` reads what came before
            row = db.execute("SELECT last FROM feed WHERE club = %s", (self._club,)).fetchone()
            self._last = row[0] if row else 0
        while lines := _read_feed_lines(db, self._club, self._last):
            self._recent.extend(lines)
            self._last = lines[-1].feed
        self._on_notice("entries")


def _read_feed_lines(db: psycopg.Connection[Any], club: int, after: int) -> list[FeedLine]:
    rows = db.execute(FEED, (club, after, _LOT)).fetchall()
    return [FeedLine(row[0], _encode_feed_line(*row)) for row in rows]


def _encode_feed_line(feed: int, session: UUID, sequence: int, written: int, kind: str, body: bytes) -> bytes:
    fields = {"feed": feed, "session": session, "sequence": sequence, "written": written, "kind": kind}
    try:  # the body comes from a table and may not be valid JSON
        return msgspec.json.encode({**fields, "entry": msgspec.json.decode(body)})
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return msgspec.json.encode({**fields, "entry": None})
