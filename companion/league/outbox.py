"""Send a table's committed journal entries to the league server, from a background thread.

The journal itself is the outbox: there is no second queue, and the server's reply says how many
entries it already has. So the program can be killed at any time, and days without a network lose
nothing. After every lost connection the server is asked again how far it is, because it may have
lost entries that it had acknowledged.

The server's copy of a session can be shorter than the journal (send the rest), longer (this journal
is an older copy: send nothing until it has grown) or different. To find where the two differ, the
session is sent again from its beginning (`from_the_start`). If they have diverged, the table's
version continues as a new session, a fork, that repeats the common entries.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from companion.journal import schema
from companion.journal.database_file import StorageFault
from companion.journal.saved_session import Row
from companion.journal.store import Store
from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession, Fork
from companion.league.membership import Membership
from companion.league.protocol import RefusedByServer, ServerUnreachable, TableConnection
from companion.live.snapshot import FollowerStatus
from companion.rules.contract import Text
from companion.rules.people import list_seat_labels
from companion.user_files import write_file_atomically

POLL_INTERVAL = 2.0
"""Seconds between checks of the journal when `wake` is not called."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Exponential backoff: seconds until the next attempt, first and at most; doubled after each
failure."""
TIMEOUT = 5.0
QUIET = 60.0
"""Seconds after which the server is asked how far it is although nothing is waiting."""
CLOSE_TIMEOUT = 1.5
"""Seconds that `close` waits for the last entries to be sent."""


class LeagueStatus(msgspec.Struct, frozen=True):
    """State of the connection to the league: whether the server is reachable, how many entries wait
    to be sent, and what went wrong."""

    connected: bool
    waiting: int = 0
    trouble: Text | None = None


def describe_status(status: LeagueStatus) -> FollowerStatus:
    """Describe the connection to the league for the players, in the sentence without the number of
    waiting entries: it would be news after every act."""
    text = status.trouble or Text("league.there" if status.connected else "league.away")
    if status.trouble is not None:
        return FollowerStatus(Text("league.lamp"), text, "fault")
    if status.waiting:
        return FollowerStatus(Text("league.lamp.waiting", n=status.waiting), text, "waiting")
    return FollowerStatus(Text("league.lamp"), text, "ok" if status.connected else "away")


class Outgoing:
    """A session being sent.

    `session`: its id in the journal. `next`: number of entries the server has. `before`: the digest
    of the last of them.
    """

    def __init__(self, head: ChainedSession, genesis: bytes) -> None:
        self.session, self.head, self.genesis = head.session, head, genesis
        self.next, self.before = 0, genesis
        self.begun = self.stopped = self.from_the_start = False
        self.behind_at = -1
        """Number of entries when this journal was found to be an older copy; -1: it is not one."""
        self.sent_names: dict[str, str] | None = None


class Outbox:
    """Sends the sessions of a member table from its journal.

    `locate_journal`: returns the journal's file, which may move. `on_status`: called from the
    outbox's thread whenever the status changes. The journal is only read, a few rows at a time, so
    the table never waits for the outbox.
    """

    def __init__(
        self,
        member: Membership,
        locate_journal: Callable[[], Path | None],
        on_status: Callable[[LeagueStatus], object],
    ) -> None:
        self._member, self._locate_journal, self._on_status = member, locate_journal, on_status
        self._connection = TableConnection.from_membership(member, TIMEOUT)
        self._store: Store | None = None
        self._sessions: dict[int, Outgoing] = {}
        self._waiting_counts: dict[int, int] = {}
        self._known_sent: dict[str, int] = {}
        self._faulted: Text | None = None
        self._pause, self._next_try, self._last_request = 0.0, 0.0, time.monotonic()
        self.status = LeagueStatus(connected=False)
        self._last_status: LeagueStatus | None = None
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._send_loop, name="league outbox", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Check the journal now, after something was stored. May be called from any thread; never
        blocks."""
        self._woken.set()

    def close(self) -> None:
        """Stop the thread, giving it a moment to send the last entries."""
        self._ending.set()
        self._woken.set()
        if self._thread.ident is None:
            self._close_connections()
        else:
            # Then given up: the thread is a daemon, and the journal keeps what was not sent.
            self._thread.join(CLOSE_TIMEOUT)

    def _send_loop(self) -> None:
        while True:
            self._woken.clear()
            # Read before the last look: entries stored until then are still sent.
            last = self._ending.is_set()
            self.send_pending()
            if last:
                break
            self._woken.wait(POLL_INTERVAL)
        self._close_connections()

    def _close_connections(self) -> None:
        self._close_journal()
        self._connection.close()

    def send_pending(self) -> LeagueStatus:
        """Send what can be sent now; return the status."""
        trouble, connected = None, self.status.connected
        # A journal that cannot be read now is tried again at the next look.
        with contextlib.suppress(StorageFault, sqlite3.Error, OSError):
            store = self._open_journal()
            if store is not None:
                self._count_waiting(store)
                if time.monotonic() >= self._next_try:
                    connected, trouble = self._try_sending(store)
                else:
                    trouble = self.status.trouble
        status = LeagueStatus(connected, sum(self._waiting_counts.values()), self._faulted or trouble)
        if status != self._last_status:
            self.status = self._last_status = status
            self._on_status(status)
        return status

    def _open_journal(self) -> Store | None:
        path = self._locate_journal()
        # The journal has moved, or there is another one.
        if self._store is not None and path != self._store.path:
            self._close_journal()
        if self._store is None and path is not None and path.exists():
            self._store, self._known_sent = Store.open_read_only(path), read_progress(path)
        return self._store

    def _close_journal(self) -> None:
        if self._store is not None:
            self._save_progress()
            self._store.close()
        self._store = None
        self._sessions.clear()
        self._waiting_counts.clear()

    def _count_waiting(self, store: Store) -> None:
        """Count the entries that wait, by session."""
        for number, head in store.list_heads(self._member.since):
            if number not in self._sessions and (known := _decode_head(head)) is not None:
                one = self._sessions[number] = Outgoing(known, self._connection.compute_genesis(known))
                one.next = self._known_sent.get(known.session.hex, 0)  # until the server says how many it has
        for number, one in self._sessions.items():
            is_idle = one.stopped or one.behind_at == store.count_entries(number)
            self._waiting_counts[number] = 0 if is_idle else max(0, store.count_entries(number) - one.next)

    def _try_sending(self, store: Store) -> tuple[bool, Text | None]:
        """Send what waits; return whether the server responded, and why it refused."""
        now = time.monotonic()
        if self._sessions and now > self._last_request + QUIET:
            self._last_request = now
            # Makes the newest session ask again with `announce_session`, which shows whether the
            # server is there.
            self._sessions[max(self._sessions)].begun = False
        try:
            for number, one in self._sessions.items():
                if not one.stopped and one.behind_at != store.count_entries(number):
                    self._send_session(store, number, one)
        except ServerUnreachable:
            for one in self._sessions.values():
                one.begun = False  # ask again how far it is
            if self.status.connected:
                self._save_progress()
            self._increase_pause()
            return False, None
        except RefusedByServer as fault:
            self._increase_pause()
            return True, fault.text
        self._pause = self._next_try = 0.0
        return True, None

    def _save_progress(self) -> None:
        """Store how much was sent, only for display: until the server responds, the next program
        has no other source for it."""
        if self._store is not None:
            sent = {one.session.hex: one.next for one in self._sessions.values()}
            with contextlib.suppress(OSError):
                write_progress(self._store.path, sent)

    def _increase_pause(self) -> None:
        self._pause = min(max(self._pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
        self._next_try = time.monotonic() + self._pause

    def _send_session(self, store: Store, number: int, one: Outgoing) -> None:
        one.behind_at = -1
        if not one.begun and not self._announce_session(store, number, one):
            return
        self._send_seats(store, number, one)
        # `next` may also move backwards in this loop, after a `gap` or to send from the beginning.
        while (rows := store.read_rows(number, one.next, chain.MOST_ENTRIES)) and not one.stopped:
            self._send_rows(store, number, one, rows)
            if one.behind_at >= 0:
                return
        if not one.stopped:
            self._waiting_counts[number] = max(0, store.count_entries(number) - one.next)

    def _send_seats(self, store: Store, number: int, one: Outgoing) -> None:
        names = dict(store.read_names(number))
        if names and names != one.sent_names:
            answer = self._connection.send_seats(one.head.session, names, chain.to_microseconds(time.time()))
            if answer.answer == "gap":  # this laptop's clock was set back
                self._connection.send_seats(one.head.session, names, answer.next + 1)
            one.sent_names = names

    def _announce_session(self, store: Store, number: int, one: Outgoing) -> bool:
        answer = self._connection.announce_session(one.head)
        if answer.answer in ("ok", "had"):
            one.begun = True
            self._sync_position(store, number, one, answer.next)
        else:  # the journal was copied to a second laptop
            self._stop_session(number, one, "league.another_tables")
        return not one.stopped

    def _send_rows(self, store: Store, number: int, one: Outgoing, rows: list[Row]) -> None:
        entries = [ChainedEntry.from_row(row) for row in rows]
        digests = [one.before, *chain.compute_digests(one.before, one.next, entries)]
        answer = self._connection.send_entries(one.head.session, one.next, digests, entries)
        match answer.answer:
            case "ok" | "had":  # `had`: it compared the entries, and they are the same
                one.next, one.before = one.next + len(entries), digests[-1]
                one.from_the_start = one.from_the_start and answer.answer == "had"
                # All of ours is known there, and the server has more.
                if answer.next > one.next >= store.count_entries(number):
                    self._mark_behind(store, number, one)
            case "gap":
                self._sync_position(store, number, one, answer.next)
            case "unknown":
                self._announce_session(store, number, one)
            case "not_chained" | "fork" if not one.from_the_start:
                # Sent from its beginning, the server finds where the two versions diverge.
                one.next, one.before, one.from_the_start = 0, one.genesis, True
            case "not_yours" | "conflict":
                self._stop_session(number, one, "league.another_tables")
            case "fork" if answer.next < one.next + len(entries):
                fork = Fork(one.head.session, answer.next, digests[answer.next - one.next + 1])
                self._continue_as_fork(store, number, one, fork)
            case _:  # frozen at an entry that this journal does not have
                self._mark_behind(store, number, one)

    def _sync_position(self, store: Store, number: int, one: Outgoing, server_next: int) -> None:
        """Continue from the number of entries that the server has."""
        one.next, one.before = 0, one.genesis
        one.from_the_start = server_next > store.count_entries(number)
        # The digest at `server_next` cannot be computed from fewer entries.
        if one.from_the_start:  # an older copy or a different version: the server will tell
            return
        while one.next < server_next:
            lot = min(chain.MOST_ENTRIES, server_next - one.next)
            entries = [ChainedEntry.from_row(row) for row in store.read_rows(number, one.next, lot)]
            one.before = chain.compute_digests(one.before, one.next, entries)[-1]
            one.next += lot

    def _continue_as_fork(self, store: Store, number: int, one: Outgoing, fork: Fork) -> None:
        """Send the whole session under a new id, because the server has a different version of
        it."""
        one.head = msgspec.structs.replace(one.head, session=fork.new_session_id, fork=fork)
        # The new id changes the genesis and with it every digest, so all entries are sent again.
        one.genesis = one.before = self._connection.compute_genesis(one.head)
        one.next, one.from_the_start, one.sent_names = 0, False, None
        self._faulted = Text("league.fork", {"entry": fork.sequence + 1})
        if self._announce_session(store, number, one):
            self._send_seats(store, number, one)

    def _mark_behind(self, store: Store, number: int, one: Outgoing) -> None:
        """Send nothing of this session until it has new entries."""
        one.behind_at, one.from_the_start = store.count_entries(number), False
        one.next, one.before = 0, one.genesis
        self._waiting_counts[number] = 0
        self._faulted = Text("league.behind")

    def _stop_session(self, number: int, one: Outgoing, code: str) -> None:
        """Send nothing more of this session: the server has something else under its id."""
        one.stopped = True
        self._waiting_counts[number] = 0
        self._faulted = Text(code)


def _progress_path(journal: Path) -> Path:
    return journal.with_name(journal.name + ".sent")


def write_progress(journal: Path, sent: Mapping[str, int]) -> None:
    """Write beside a journal how many entries of each session (its id, hexadecimal) were sent.
    Raises `OSError`."""
    write_file_atomically(_progress_path(journal), msgspec.json.encode(sent), is_private=True)


def read_progress(journal: Path) -> dict[str, int]:
    """Return what `write_progress` wrote; {} if the file is missing or damaged."""
    try:
        return msgspec.json.decode(_progress_path(journal).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _decode_head(head: Row) -> ChainedSession | None:
    """Return a session's header to send; None if it contains names, because those stay at the
    table."""
    begun, game, setup, *_ = head
    with contextlib.suppress(schema.UnreadableRow):
        start, _commitment = schema.decode_setup(setup)
        if start.players == list_seat_labels(len(start.players)):
            return ChainedSession.from_head(begun, game, setup)
    return None
