"""Followers: they are told of every entry of a session, beside the table.

A follower is installed under an entry point of the group `companion.followers`, and turned on by
settings under its name. What is installed is then called with a `FollowedSession`, and returns a
`Follower`, or None where there is nothing to follow for. It cannot stop the table: its code runs in
a thread of its own, entries wait for it in a queue, and the players are told if it fails or hangs.
Nothing is lost then, because the journal has every entry.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias

from companion import plug_ins
from companion.live.snapshot import FollowerStatus
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Problem, Text
from companion.rules.messages import describe_exception

HANG_TIMEOUT = 10.0
"""Seconds that a follower may take for one call before the players are told. It goes on when it
returns: a slow network is no fault."""
CLOSE_TIMEOUT = 3.0
"""Seconds that the end of a session waits for a follower."""

_Call: TypeAlias = Callable[[], object]


class FollowedSession(NamedTuple):
    """The session that a follower is told of.

    `begun`: when it began (seconds since 1970); None if it begins now. `locate_journal`: returns
    the file of its journal, None where there is none. `show_status`: shows the follower's status in
    every view; safe from any thread.
    """

    begun: float | None
    locate_journal: Callable[[], Path | None]
    show_status: Callable[[FollowerStatus], object]


class Follower:
    """Base of followers. Its methods are called one after another in a thread of their own. An
    exception that they raise ends the following, and is shown to the players; of a `Problem`, they
    see the message."""

    needs_seat_labels = False
    """Whether entries of a new session must call its players `s1`, `s2` and so on."""

    def start(self) -> None:
        """Begin; called once, before any entry."""

    def receive_entry(self, entry: Entry) -> None:
        """Handle an entry that was written to the journal."""

    def close(self) -> None:
        """End; called once, after the last entry of the session, or after an exception."""


class FollowerThread:
    """A follower in its thread, with the status to show."""

    def __init__(self, name: str) -> None:
        self.follower = Follower()
        self.on_change: _Call = _do_nothing
        """Called from any thread after the status has changed."""
        self._name = name
        self._own_status: FollowerStatus | None = None
        self._failure: Text | None = None
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._current_call: _Call | None = None
        self._is_hanging = False
        # A call that returns just when it is found to hang does not hang.
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._make_calls, name=f"follower {name}", daemon=True)

    @property
    def status(self) -> FollowerStatus | None:
        """The status to show: its own, or that it has failed or hangs."""
        fault = self._failure or (Text("follower.hangs", {"name": self._name}) if self._is_hanging else None)
        if fault is None:
            return self._own_status
        label = self._own_status.label if self._own_status else Text("follower.label", {"name": self._name})
        return FollowerStatus(label, fault, "fault")

    def show_status(self, status: FollowerStatus) -> None:
        """Replace the follower's own status. Safe from any thread."""
        self._own_status = status
        self.on_change()

    def start(self) -> None:
        """Start the thread and the follower."""
        self._thread.start()

    def post_entry(self, entry: Entry) -> None:
        """Queue an entry that was written. Never blocks."""
        if self._failure is None:
            self._calls.put(partial(self.follower.receive_entry, entry))

    def close(self) -> None:
        """Stop the thread, giving the follower a moment for what is queued."""
        self._calls.put(None)
        # One that hangs is given up: its thread is a daemon.
        if not self._is_hanging:
            self._thread.join(CLOSE_TIMEOUT)

    def _make_calls(self) -> None:
        call: _Call | None = self.follower.start
        while call is not None and self._failure is None:
            self._make_call(call)
            call = self._calls.get() if self._failure is None else None
        self._make_call(self.follower.close)

    def _make_call(self, call: _Call) -> None:
        self._current_call = call
        timer = threading.Timer(HANG_TIMEOUT, self._note_hang, [call])
        timer.daemon = True
        timer.start()
        try:
            call()
        except Problem as problem:
            self._failure = problem.text
        except BaseException as fault:  # also `sys.exit()`
            reason = describe_exception(fault)
            self._failure = Text("follower.failed", {"name": self._name, "reason": reason})
        timer.cancel()
        with self._lock:
            self._current_call = None
            has_changed = self._is_hanging or self._failure is not None
            self._is_hanging = False
        if has_changed:
            self.on_change()

    def _note_hang(self, call: _Call) -> None:
        with self._lock:
            if self._current_call is not call:
                return
            self._is_hanging = True
        self.on_change()


def _do_nothing() -> None:
    pass


def open_followers(
    names: Iterable[str], begun: float | None, locate_journal: Callable[[], Path | None]
) -> tuple[list[FollowerThread], list[Text]]:
    """Open those of these followers that are installed for a session (see `FollowedSession`),
    without starting them; return them with why others cannot follow."""
    opened, problems = [], []
    for name in names:
        thread = FollowerThread(name)
        try:
            follower = _open_follower(name, FollowedSession(begun, locate_journal, thread.show_status))
        except Problem as problem:
            problems.append(problem.text)
        except Exception as fault:  # whatever a plug-in's code may raise
            reason = describe_exception(fault)
            problems.append(Text("plug_in.broken", {"name": name, "reason": reason}))
        else:
            if follower is not None:
                thread.follower = follower
                opened.append(thread)
    return opened, problems


def _open_follower(name: str, session: FollowedSession) -> Follower | None:
    found: Any = registry.load_plug_in(plug_ins.FOLLOWERS, name, "companion.{}.follower:open_follower")
    if found is None:
        return None
    # One that hangs is left out, until its files change.
    target = f"{found.__module__}:{found.__qualname__}"
    follower = registry.import_in_thread(name, target, lambda: found(session))
    if follower is None or isinstance(follower, Follower):
        return follower
    raise TypeError(f"{follower!r} is no Follower")
