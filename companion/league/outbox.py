"""What a table has kept goes to the league's server, in a thread of its own, after it was kept.

The journal is the outbox: no second queue, and what the server holds says how far it has come. So a
program may be killed at any moment, and days without a network lose nothing. After each break the
server is asked anew where it stands: it may have lost what it had acknowledged.
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
"""Seconds between two looks at the journal, where nobody wakes us."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds to the next try: twice as long each time."""
TIMEOUT = 5.0
QUIET = 60.0
"""Seconds after which the server is asked where it stands, though nothing waits for it."""
LAST_WORDS = 1.5
"""Seconds for which the end of an evening waits for its last entries to go out."""


class Outgoing:
    """One session on its way. `session`: its id in the journal; `next`: how many entries the server
    has; `before`: the digest of the last of them."""

    def __init__(self, head: ChainedSession, genesis: bytes) -> None:
        self.session, self.head, self.genesis = head.session, head, genesis
        self.next, self.before = 0, genesis
        self.begun = self.stopped = self.from_the_start = False
        self.behind = -1
        """With how many entries it was seen to be an older copy; -1: it is none."""
        self.told: dict[str, str] | None = None


class Outbox:
    """Sends what the journal holds of a member's evenings. `where`: the journal's file, which may
    move; `shown` hears of each change of the lamp, from the outbox's thread.

    It only reads, a few rows at a time: the table never waits for it.
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
        """Begin to send."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something was kept. From any thread; never waits."""
        self._woken.set()

    def close(self) -> None:
        """End it; what was kept last goes out first, if that takes no time."""
        self._ending.set()
        self._woken.set()
        if self._thread.ident is None:
            self._release()
        else:
            self._thread.join(LAST_WORDS)

    def _run(self) -> None:
        while True:
            self._woken.clear()
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
        """Send what can be sent now; return how it stands."""
        trouble, connected = None, self.lamp.connected
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
        """Count what waits, session by session."""
        for number, head in store.heads(self._member.since):
            if number not in self._sessions and (known := _head(head)) is not None:
                one = self._sessions[number] = Outgoing(known, self._line.genesis(known))
                one.next = self._known_sent.get(known.session.hex, 0)  # until the server says it
        for number, one in self._sessions.items():
            still = one.stopped or one.behind == store.entries(number)
            self._waiting[number] = 0 if still else max(0, store.entries(number) - one.next)

    def _try(self, store: Store) -> tuple[bool, Text | None]:
        """Send what waits; return whether the server was there, and what it refused."""
        now = time.monotonic()
        if self._sessions and now > self._asked + QUIET:
            self._asked = now
            self._sessions[max(self._sessions)].begun = False
        try:
            for number, one in self._sessions.items():
                if not one.stopped and one.behind != store.entries(number):
                    self._send(store, number, one)
        except NotReached:
            for one in self._sessions.values():
                one.begun = False  # it is asked anew where it stands
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
        """Keep how much was sent, for the lamp alone: without the server nothing else tells it to
        the next program."""
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
            if answer.answer == "gap":  # the clock was put back since
                self._line.seat(one.head.session, names, answer.next + 1)
            one.told = names

    def _begin(self, store: Store, number: int, one: Outgoing) -> bool:
        answer = self._line.begin(one.head)
        if answer.answer in ("ok", "had"):
            one.begun = True
            self._come_to(store, number, one, answer.next)
        else:  # a journal that was copied to a second laptop
            self._stop(number, one, "league.another_tables")
        return not one.stopped

    def _send_rows(self, store: Store, number: int, one: Outgoing, rows: list[Row]) -> None:
        entries = [ChainedEntry.of(row) for row in rows]
        digests = [one.before, *chain.digests(one.before, one.next, entries)]
        answer = self._line.send(one.head.session, one.next, digests, entries)
        match answer.answer:
            case "ok" | "had":  # what it had is the same as what was sent
                one.next, one.before = one.next + len(entries), digests[-1]
                one.from_the_start = one.from_the_start and answer.answer == "had"
                if answer.next > one.next >= store.entries(number):
                    self._is_behind(store, number, one)
            case "gap":
                self._come_to(store, number, one, answer.next)
            case "unknown":
                self._begin(store, number, one)
            case "not_chained" | "fork" if not one.from_the_start:
                # Told from its beginning, the server finds where the two part.
                one.next, one.before, one.from_the_start = 0, one.genesis, True
            case "not_yours" | "conflict":
                self._stop(number, one, "league.another_tables")
            case "fork" if answer.next < one.next + len(entries):
                fork = Fork(one.head.session, answer.next, digests[answer.next - one.next + 1])
                self._go_on(store, number, one, fork)
            case _:  # frozen, beyond all that is here
                self._is_behind(store, number, one)

    def _come_to(self, store: Store, number: int, one: Outgoing, following: int) -> None:
        """Go on where the server stands."""
        one.next, one.before = 0, one.genesis
        one.from_the_start = following > store.entries(number)
        if one.from_the_start:  # an older copy, or one that took another course: the server sees which
            return
        while one.next < following:
            lot = min(chain.MOST_ENTRIES, following - one.next)
            entries = [ChainedEntry.of(row) for row in store.rows(number, one.next, lot)]
            one.before = chain.digests(one.before, one.next, entries)[-1]
            one.next += lot

    def _go_on(self, store: Store, number: int, one: Outgoing, fork: Fork) -> None:
        """Send it all as another session: what the server holds took another course."""
        one.head = msgspec.structs.replace(one.head, session=fork.id, fork=fork)
        one.genesis = one.before = self._line.genesis(one.head)
        one.next, one.from_the_start, one.told = 0, False, None
        self._faulted = Text("league.fork", {"entry": fork.sequence + 1})
        if self._begin(store, number, one):
            self._seat(store, number, one)

    def _is_behind(self, store: Store, number: int, one: Outgoing) -> None:
        """Send nothing of it until it is gone on with."""
        one.behind, one.from_the_start = store.entries(number), False
        one.next, one.before = 0, one.genesis
        self._waiting[number] = 0
        self._faulted = Text("league.behind")

    def _stop(self, number: int, one: Outgoing, why: str) -> None:
        """Send no more of this session: what the server holds of it is something else."""
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
    """Return a session as it travels; None for one that holds names, which stays at the table."""
    begun, game, setup, *_ = head
    with contextlib.suppress(schema.Unreadable):
        start, _commitment = schema.decode_setup(setup)
        if start.players == seat_labels(len(start.players)):
            return ChainedSession.of(begun, game, setup)
    return None
