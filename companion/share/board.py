"""The newest state of the table, encoded once for everybody who watches, and those who wait for the next."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

import msgspec

from companion.live.snapshot import Snapshot
from companion.share.state import state_of
from companion.texts import Translator


class Shown(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class Board:
    """Takes snapshots from the table's thread and hands states out in the server's.

    Nobody who is slow holds up anybody: a state is not queued, who comes late gets the newest.
    """

    def __init__(self, say: Translator) -> None:
        self._say = say
        self._snapshot: Snapshot | None = None
        self._shown: Shown | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def show(self, snapshot: Snapshot) -> None:
        """Take the newest snapshot. Called in the table's thread; costs it nothing but a note to the server's loop."""
        self._snapshot = snapshot
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def serve(self) -> None:
        """Remember the loop that hands states out; called in it."""
        self._loop = asyncio.get_running_loop()

    async def after(self, number: int) -> Shown:
        """Return the newest state, once there is one later than `number`."""
        while True:
            changed = self._changed
            shown = self._newest()
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _newest(self) -> Shown | None:
        snapshot = self._snapshot
        if snapshot is None:
            return None
        if self._shown is None or self._shown.number != snapshot.number:
            self._shown = Shown(snapshot.number, msgspec.json.encode(state_of(snapshot, self._say)))
        return self._shown

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
