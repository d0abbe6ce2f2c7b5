"""The newest state of the table, encoded once for all who watch, and those who wait."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.state import state_of


class EncodedState(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class Board:
    """Takes snapshots from the table's thread and hands states out in the server's.

    Nobody who is slow holds up anybody: a state is not queued, who comes late gets the newest.
    """

    def __init__(self, say: Translator) -> None:
        self._say = say
        self._newest: tuple[Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._shown: dict[str, EncodedState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def show(self, snapshot: Snapshot, mine: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and what each seat's own page shows beside it. Called in the
        table's thread."""
        self._newest = (snapshot, mine)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def serve(self) -> None:
        """Remember the loop that hands states out; called in it."""
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()  # one belongs to one loop, and that may have died

    async def after(self, number: int, player: str = "") -> EncodedState:
        """Return the newest state, for a seat's own page if a player is named, once there is one
        later than `number`."""
        while True:
            changed = self._changed
            shown = self._now(player)
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _now(self, player: str) -> EncodedState | None:
        newest = self._newest
        if newest is None:
            return None
        snapshot, mine = newest
        shown = self._shown.get(player)
        if shown is None or shown.number != snapshot.number:
            state = state_of(snapshot, self._say) | ({"mine": mine.get(player)} if player else {})
            shown = self._shown[player] = EncodedState(snapshot.number, msgspec.json.encode(state))
        return shown

    def _wake(self) -> None:
        self._changed.set()
        # Who waits holds the old event; who comes later waits for the next change.
        self._changed = asyncio.Event()
