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
from collections.abc import Callable
from pathlib import Path

import msgspec

from companion.journal import schema
from companion.journal.kept import Row
from companion.journal.place import StorageFault
from companion.journal.store import Store
from companion.league import chain
from companion.league.chain import ChainedEntry, ChainedSession, Fork
from companion.league.protocol import NotReached, RefusedByServer, TableLine
from companion.live.snapshot import LeagueLamp
from companion.rules.contract import Text
from companion.rules.people import seat_labels
from companion.settings import Membership

EACH = 2.0
"""Seconds between checks of the journal when `wake` is not called."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds until the next attempt: first, and at most; doubled after each failure."""
TIMEOUT = 5.0
QUIET = 60.0
"""Seconds after which the server is asked how far it is although nothing is waiting."""
LAST_WORDS = 1.5
"""Seconds that `close` waits for the last entries to be sent."""


class Outgoing:
    """A session being sent.

    `session`: its id in the journal. `next`: number of entries the server has. `before`: the digest
    of the last of them.
    """

    def __init__(self, head: ChainedSession, genesis: bytes) -> None:
        self.session, self.head, self.genesis = head.session, head, genesis
        self.next, self.before = 0, genesis
        self.begun = self.stopped = self.from_the_start = False
        self.behind = -1
        """Number of entries when this journal was found to be an older copy; -1: it is not one."""
        self.told: dict[str, str] | None = None


class Outbox:
    """Sends the sessions of a member table from its journal.

    `where`: returns the journal's file, which may move. `shown`: called from the outbox's thread
    whenever the status changes. The journal is only read, a few rows at a time, so the table never
    waits for the outbox.
    """

    def __init__(
        self, member: Membership, where: Callable[[], Path | None], shown: Callable[[LeagueLamp], object]
    ) -> None:
        self._member, self._where, self._shown = member, where, shown
        self._line = TableLine.of(member, TIMEOUT)
        self._store: Store | None = None
        self._sessions: dict[int, Outgoing] = {}
        self._waiting: dict[int, int] = {}
        self._known_sent: dict[str, int] = {}
        self._faulted: Text | None = None
        self._pause, self._next_try, self._asked = 0.0, 0.0, time.monotonic()
        self.lamp = LeagueLamp(connected=False)
        self._told: LeagueLamp | None = None
        self._woken, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="league outbox", daemon=True)

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
            self._release()
        else:
            # Then given up: the thread is a daemon, and the journal keeps what was not sent.
            self._thread.join(LAST_WORDS)

    def _run(self) -> None:
        while True:
            self._woken.clear()
            # Read before the last look: entries stored until then are still sent.
            last = self._ending.is_set()
            self.look()
            if last:
                break
            self._woken.wait(EACH)
        self._release()

    def _release(self) -> None:
        self._forget_journal()
        self._line.close()

    def look(self) -> LeagueLamp:
        """Send what can be sent now; return the status."""
        trouble, connected = None, self.lamp.connected
        # A journal that cannot be read now is tried again at the next look.
        with contextlib.suppress(StorageFault, sqlite3.Error, OSError):
            store = self._journal()
            if store is not None:
                self._count(store)
                if time.monotonic() >= self._next_try:
                    connected, trouble = self._try(store)
                else:
                    trouble = self.lamp.trouble
        lamp = LeagueLamp(connected, sum(self._waiting.values()), self._faulted or trouble)
        if lamp != self._told:
            self.lamp = self._told = lamp
            self._shown(lamp)
        return lamp

    def _journal(self) -> Store | None:
        path = self._where()
        # The journal has moved, or there is another one.
        if self._store is not None and path != self._store.path:
            self._forget_journal()
        if self._store is None and path is not None and path.exists():
            self._store, self._known_sent = Store.look(path), _read_sent(path)
        return self._store

    def _forget_journal(self) -> None:
        if self._store is not None:
            self._remember()
            self._store.close()
        self._store = None
        self._sessions.clear()
        self._waiting.clear()

    def _count(self, store: Store) -> None:
        """Count the entries that wait, by session."""
        for number, head in store.heads(self._member.since):
            if number not in self._sessions and (known := _head(head)) is not None:
                one = self._sessions[number] = Outgoing(known, self._line.genesis(known))
                one.next = self._known_sent.get(known.session.hex, 0)  # until the server says how many it has
        for number, one in self._sessions.items():
            still = one.stopped or one.behind == store.entries(number)
            self._waiting[number] = 0 if still else max(0, store.entries(number) - one.next)

    def _try(self, store: Store) -> tuple[bool, Text | None]:
        """Send what waits; return whether the server responded, and why it refused."""
        now = time.monotonic()
        if self._sessions and now > self._asked + QUIET:
            self._asked = now
            # Makes the newest session ask again with `begin`, which shows whether the server is
            # there.
            self._sessions[max(self._sessions)].begun = False
        try:
            for number, one in self._sessions.items():
                if not one.stopped and one.behind != store.entries(number):
                    self._send(store, number, one)
        except NotReached:
            for one in self._sessions.values():
                one.begun = False  # ask again how far it is
            if self.lamp.connected:
                self._remember()
            self._wait_longer()
            return False, None
        except RefusedByServer as fault:
            self._wait_longer()
            return True, fault.text
        self._pause = self._next_try = 0.0
        return True, None

    def _remember(self) -> None:
        """Store how much was sent, only for display: until the server responds, the next program
        has no other source for it."""
        if self._store is not None:
            sent = {one.session.hex: one.next for one in self._sessions.values()}
            with contextlib.suppress(OSError):
                _sent_path(self._store.path).write_bytes(msgspec.json.encode(sent))

    def _wait_longer(self) -> None:
        self._pause = min(max(self._pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
        self._next_try = time.monotonic() + self._pause

    def _send(self, store: Store, number: int, one: Outgoing) -> None:
        one.behind = -1
        if not one.begun and not self._begin(store, number, one):
            return
        self._seat(store, number, one)
        # `next` may also move backwards in this loop, after a `gap` or to send from the beginning.
        while (rows := store.rows(number, one.next, chain.MOST_ENTRIES)) and not one.stopped:
            self._send_rows(store, number, one, rows)
            if one.behind >= 0:
                return
        if not one.stopped:
            self._waiting[number] = max(0, store.entries(number) - one.next)

    def _seat(self, store: Store, number: int, one: Outgoing) -> None:
        names = dict(store.names(number))
        if names and names != one.told:
            answer = self._line.seat(one.head.session, names, chain.micros(time.time()))
            if answer.answer == "gap":  # this laptop's clock was set back
                self._line.seat(one.head.session, names, answer.next + 1)
            one.told = names

    def _begin(self, store: Store, number: int, one: Outgoing) -> bool:
        answer = self._line.begin(one.head)
        if answer.answer in ("ok", "had"):
            one.begun = True
            self._come_to(store, number, one, answer.next)
        else:  # the journal was copied to a second laptop
            self._stop(number, one, "league.another_tables")
        return not one.stopped

    def _send_rows(self, store: Store, number: int, one: Outgoing, rows: list[Row]) -> None:
        entries = [ChainedEntry.of(row) for row in rows]
        digests = [one.before, *chain.digests(one.before, one.next, entries)]
        answer = self._line.send(one.head.session, one.next, digests, entries)
        match answer.answer:
            case "ok" | "had":  # `had`: it compared the entries, and they are the same
                one.next, one.before = one.next + len(entries), digests[-1]
                one.from_the_start = one.from_the_start and answer.answer == "had"
                # All of ours is known there, and the server has more.
                if answer.next > one.next >= store.entries(number):
                    self._is_behind(store, number, one)
            case "gap":
                self._come_to(store, number, one, answer.next)
            case "unknown":
                self._begin(store, number, one)
            case "not_chained" | "fork" if not one.from_the_start:
                # Sent from its beginning, the server finds where the two versions diverge.
                one.next, one.before, one.from_the_start = 0, one.genesis, True
            case "not_yours" | "conflict":
                self._stop(number, one, "league.another_tables")
            case "fork" if answer.next < one.next + len(entries):
                fork = Fork(one.head.session, answer.next, digests[answer.next - one.next + 1])
                self._go_on(store, number, one, fork)
            case _:  # frozen at an entry that this journal does not have
                self._is_behind(store, number, one)

    def _come_to(self, store: Store, number: int, one: Outgoing, following: int) -> None:
        """Continue from the number of entries that the server has."""
        one.next, one.before = 0, one.genesis
        one.from_the_start = following > store.entries(number)
        # The digest at `following` cannot be computed from fewer entries.
        if one.from_the_start:  # an older copy or a different version: the server will tell
            return
        while one.next < following:
            lot = min(chain.MOST_ENTRIES, following - one.next)
            entries = [ChainedEntry.of(row) for row in store.rows(number, one.next, lot)]
            one.before = chain.digests(one.before, one.next, entries)[-1]
            one.next += lot

    def _go_on(self, store: Store, number: int, one: Outgoing, fork: Fork) -> None:
        """Send the whole session under a new id, because the server has a different version of
        it."""
        one.head = msgspec.structs.replace(one.head, session=fork.id, fork=fork)
        # The new id changes the genesis and with it every digest, so all entries are sent again.
        one.genesis = one.before = self._line.genesis(one.head)
        one.next, one.from_the_start, one.told = 0, False, None
        self._faulted = Text("league.fork", {"entry": fork.sequence + 1})
        if self._begin(store, number, one):
            self._seat(store, number, one)

    def _is_behind(self, store: Store, number: int, one: Outgoing) -> None:
        """Send nothing of this session until it has new entries."""
        one.behind, one.from_the_start = store.entries(number), False
        one.next, one.before = 0, one.genesis
        self._waiting[number] = 0
        self._faulted = Text("league.behind")

    def _stop(self, number: int, one: Outgoing, why: str) -> None:
        """Send nothing more of this session: the server has something else under its id."""
        one.stopped = True
        self._waiting[number] = 0
        self._faulted = Text(why)


def _sent_path(journal: Path) -> Path:
    return journal.with_name(journal.name + ".sent")


def _read_sent(journal: Path) -> dict[str, int]:
    try:
        return msgspec.json.decode(_sent_path(journal).read_bytes(), type=dict[str, int])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


def _head(head: Row) -> ChainedSession | None:
    """Return a session's header to send; None if it contains names, because those stay at the
    table."""
    begun, game, setup, *_ = head
    with contextlib.suppress(schema.Unreadable):
        start, _commitment = schema.decode_setup(setup)
        if start.players == seat_labels(len(start.players)):
            return ChainedSession.of(begun, game, setup)
    return None
