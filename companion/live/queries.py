"""What can be asked of a live session; nothing of it changes anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from companion.live.correcting import Correction
from companion.live.published import Publisher, Subscriber
from companion.live.snapshot import Snapshot
from companion.live.timeline import Timeline
from companion.rules.acts import Act
from companion.rules.contract import Choice, Game, Reason, Refusal, Request
from companion.table.table import Table


class Queries:
    """The questions to a session in play: what can be entered, what could have been, why the scores
    are what they are."""

    _published: Publisher

    def __init__(self, game: Game[Any], table: Table, timeline: Timeline, *, odds: bool) -> None:
        self.game = game
        self.table = table
        self._timeline = timeline
        self._tells_odds = odds

    def snapshot(self) -> Snapshot:
        """Return what is to be shown now; the same object until something changes."""
        return self._published.snapshot

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each new snapshot, in the thread that made it; return its end."""
        return self._published.subscribe(subscriber)

    @property
    def tells_odds(self) -> bool:
        """Whether that chance is told, where there is one."""
        return self._tells_odds

    @property
    def steps(self) -> int:
        """How many steps were taken, undos included: it tells whether what was offered still is."""
        return self._timeline.steps

    def decides_apart(self, player: str) -> bool:
        """Tell whether this player decides now at one moment with others, and so may have it kept
        from them: see `seal`."""
        return player in self.game.together(self._timeline.state)

    def choices(self, player: str | None) -> Sequence[Choice]:
        """List what can be entered by hand now for `player` (None: for the table)."""
        return self._timeline.choices(player)

    def choices_at(self, at: int) -> Sequence[Choice]:
        """List what could have been entered instead of act number `at`."""
        return self._timeline.choices_at(at)

    def request_at(self, at: int) -> Request | None:
        """Return the request of act number `at`; None where there is none."""
        return self._timeline.request_at(at)

    def shown_elsewhere(self, at: int) -> Sequence[tuple[int, int]]:
        """List the values that act `at`'s player has shown elsewhere, with these acts' numbers."""
        return self._timeline.shown_elsewhere(at)

    def choices_before(self, at: int) -> Sequence[tuple[str | None, Choice]]:
        """List what could have been entered before act number `at`, with whose it would be (None:
        the table's)."""
        return self._timeline.choices_before(at)

    def explain(self, player: str) -> Sequence[Reason]:
        """Say why `player` has the points that they have."""
        found = self._timeline.session.explain(player)
        return () if isinstance(found, Refusal) else found

    def calm_for(self, now: float) -> float:
        """Return the seconds for which nothing has moved on the table and every card there has been
        made out."""
        return self.table.calm_for(now)

    def acts(self) -> Sequence[Act]:
        """List the acts that stand, oldest first."""
        return self._timeline.session.acts()

    def correction(self, at: int, request: Request | None, *, insert: bool = False) -> Correction:
        """Think through what correcting act `at` would change; nothing happens before `apply`."""
        return self._timeline.correction(at, request, insert=insert)
