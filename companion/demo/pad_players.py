"""Simulated players whose cards only the pads read."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from companion.demo.deeds import Deed, Players
from companion.demo.pad_table import PadTable
from companion.rules.acts import Act as Done
from companion.rules.contract import Choice, Request, View


class AtPads:
    """Simulated players whose cards are read by the pads alone: what these cannot tell is said
    aloud. See `deeds.Players`."""

    def __init__(self, players: Players, table: PadTable) -> None:
        self._players = players
        self._table = table

    @property
    def chosen(self) -> dict[int, Request]:
        """What people at seats that they have taken over wished, by the number of the act."""
        return self._players.chosen

    def next(self, acts: Sequence[Done], view: View) -> Deed | None:
        """Return the next deed, marked as seen only where the pads can see it."""
        deed = self._players.next(acts, view)
        return None if deed is None else self._as_seen(deed)

    def hand(self, acts: Sequence[Done], player: str) -> tuple[str, ...]:
        """Return the card ids in `player`'s hand."""
        return self._players.hand(acts, player)

    def wishes(
        self, acts: Sequence[Done], view: View, player: str, choices: Sequence[Choice]
    ) -> Sequence[Choice]:
        """List what a person at `player`'s seat may do."""
        return self._players.wishes(acts, view, player, choices)

    def deed(self, acts: Sequence[Done], view: View, wish: Request) -> Deed:
        """Return what a hand does for a person's wish, marked as seen only where pads see it."""
        return self._as_seen(self._players.deed(acts, view, wish))

    def _as_seen(self, deed: Deed) -> Deed:
        return msgspec.structs.replace(deed, seen=self._table.seen(deed))
