"""The newest state of the table, encoded once for all who watch in the same language."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
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
        self._newest: tuple[Snapshot, Mapping[str, dict[str, Any]]] | None = None
        self._number = 0
        self._shown: dict[tuple[str, str], EncodedState] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()
        self._here: Sequence[str] = ()
        self.join = ""
        """Where it can be joined, to be typed; "" where nobody else can."""

    def show(self, snapshot: Snapshot, mine: Mapping[str, dict[str, Any]]) -> None:
        """Take the newest snapshot, and what each seat's own page shows beside it. Called in the
        table's thread."""
        self._newest = (snapshot, mine)
        self._number += 1
        loop = self.loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)

    def mingle(self, players: Sequence[str]) -> None:
        """Take note of who is in with a phone. Called in the server's thread."""
        if sorted(players) != self._here:
            self._here = sorted(players)
            self._number += 1
            self._wake()

    def serve(self) -> None:
        """Remember the loop that hands states out; called in it."""
        self.loop = asyncio.get_running_loop()
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
        (snapshot, mine), number = newest, self._number
        shown = self._shown.get((player, language))
        if shown is None or shown.number != number:
            state = state_of(snapshot, self._say(language)) | ({"mine": mine.get(player)} if player else {})
            seats = snapshot.people.seats
            state |= {"here": [seats.index(one) for one in self._here if one in seats], "join": self.join}
            shown = EncodedState(number, msgspec.json.encode({"state": state}))
            self._shown[player, language] = shown
        return shown

    def _wake(self) -> None:
        self._changed.set()
        # Who waits holds the old event; who comes later waits for the next change.
        self._changed = asyncio.Event()
