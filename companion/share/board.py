"""The newest state of the table, encoded once for all who watch in the same language."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from companion.live.snapshot import Snapshot
from companion.texts import Translator
from companion.views.state import state_of


class EncodedState(NamedTuple):
    """One state: its number, which grows with every change, and its JSON."""

    number: int
    body: bytes


class Broadcast:
    """Takes snapshots from the table's thread and hands states out in the server's.

    `say`: the translator of a language ("": the table's). Nobody who is slow holds up anybody: a
    state is not queued, who comes late gets the newest.
    """

    def __init__(self, say: Callable[[str], Translator]) -> None:
        self._say = say
        self._newest: tuple[int, Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._shown: dict[tuple[str, str], EncodedState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def show(self, snapshot: Snapshot, mine: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and what each seat's own page shows beside it. Called in the
        table's thread."""
        number = 0 if self._newest is None else self._newest[0] + 1
        self._newest = (number, snapshot, mine)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def serve(self) -> None:
        """Remember the loop that hands states out; called in it."""
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()  # one belongs to one loop, and that may have died

    async def after(self, number: int, player: str = "", language: str = "") -> EncodedState:
        """Return the newest state, for a seat's own page if a player is named, once there is one
        later than `number`."""
        while True:
            changed = self._changed
            shown = self._now(player, language)
            if shown is not None and shown.number > number:
                return shown
            await changed.wait()

    def _now(self, player: str, language: str = "") -> EncodedState | None:
        newest = self._newest
        if newest is None:
            return None
        number, snapshot, mine = newest
        shown = self._shown.get((player, language))
        if shown is None or shown.number != number:
            state = state_of(snapshot, self._say(language)) | ({"mine": mine.get(player)} if player else {})
            shown = EncodedState(number, msgspec.json.encode({"state": state}))
            self._shown[player, language] = shown
        return shown

    def _wake(self) -> None:
        self._changed.set()
        # Who waits holds the old event; who comes later waits for the next change.
        self._changed = asyncio.Event()
