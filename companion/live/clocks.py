"""Clocks: seconds for each phase or turn, a bank of seconds for each player, warnings and pauses.

All of it is pure: time comes in as a value, and nothing here runs by itself. Clocks are off unless
the players choose one. The seconds start again with each phase or turn. When they are used up, the
bank of the player whose turn it is runs (if several players are awaited, no bank runs); when that
is empty too, time is up. Banks belong to one sitting: they are full again when a session is
resumed, since nobody should pay for the break.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from companion.live.snapshot import ClockFace
from companion.rules.contract import GAME_OVER, View

_ROUNDS = ("round", "hand_number", "deal", "trick")
"""Fields of the views that restart a game's phases when they change, where they are numbers."""

LONGEST = 24 * 3600
"""The longest time that a clock shows, in seconds."""


class ClockOptions(msgspec.Struct, frozen=True):
    """The clock that the players chose: `seconds` for each phase or turn, `bank` seconds for each
    player and game, a warning `warn` seconds before the end."""

    per: Literal["phase", "turn"] = "turn"
    seconds: float = 60.0
    bank: float = 0.0
    warn: float = 10.0
    when_up: Literal["warn", "harmless"] = "warn"

    def __post_init__(self) -> None:
        """Raise `ValueError` for times that a clock cannot show."""
        for name in ("seconds", "bank", "warn"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= LONGEST):
                raise ValueError(f"{name} must be from 0 to {LONGEST} seconds, not {value:g}")


class Clock(msgspec.Struct, frozen=True):
    """One moment of a clock; every change gives a new one.

    `used`: seconds of this phase or turn that had passed at `since`; `since` is None while the
    clock stands still. `stretch` identifies the phase or turn.
    """

    options: ClockOptions
    banks: Mapping[str, float]
    stretch: tuple[object, ...] = ()
    player: str | None = None
    used: float = 0.0
    since: float | None = None
    paused: bool = False

    @classmethod
    def for_players(cls, options: ClockOptions, players: Sequence[str]) -> Clock:
        """Create the clock of a session that has not begun; it stands still until the first
        `advance_turn`."""
        return cls(options, dict.fromkeys(players, options.bank))

    def advance_turn(self, view: View, step_number: int, now: float) -> Clock:
        """Return the clock for what `view` awaits.

        `step_number`: how many steps the session has taken; with a clock for each turn, every step
        begins a turn.
        """
        awaited = {row.get("player") for row in view["waiting_for"]}
        # Several decide at the same time: no bank is charged for that.
        player = next(iter(awaited)) if len(awaited) == 1 else None
        rounds = [view.get(name) for name in _ROUNDS]
        place = (view["phase"], *(number for number in rounds if isinstance(number, int)))
        stretch = (*place, step_number) if self.options.per == "turn" else place
        if stretch == self.stretch and player == self.player:
            return self
        settled = self._charge_bank(now)
        running = view["phase"] != GAME_OVER and not self.paused
        fresh = stretch != self.stretch
        return msgspec.structs.replace(
            settled,
            stretch=stretch,
            player=player,
            # The time beyond the seconds is charged to the last player's bank, not to the next
            # player's.
            used=0.0 if fresh else min(settled.used, self.options.seconds),
            since=now if running else None,
        )

    def pause(self, now: float) -> Clock:
        """Return the clock standing still."""
        return msgspec.structs.replace(self, used=self._compute_used(now), since=None, paused=True)

    def resume(self, now: float) -> Clock:
        """Return the clock running again after a pause."""
        # Before the first turn and after the game there is no time to run.
        over = not self.stretch or self.stretch[0] == GAME_OVER
        return (
            msgspec.structs.replace(self, since=None if over else now, paused=False) if self.paused else self
        )

    def compute_time_left(self, now: float) -> float:
        """Return the seconds until time is up, bank included; 0 when it is."""
        return max(0.0, self.options.seconds + self._current_bank() - self._compute_used(now))

    @property
    def is_running(self) -> bool:
        """Whether the clock runs: not paused, and the game has begun and is not over."""
        return self.since is not None

    def is_time_up(self, now: float) -> bool:
        """Return whether time is up."""
        return self.compute_time_left(now) <= 0

    def should_apply_default(self, now: float) -> bool:
        """Return whether time is up and the players chose that the least harmful action is then
        taken."""
        return self.options.when_up == "harmless" and self.is_running and self.is_time_up(now)

    def next_due_time(self, now: float) -> float | None:
        """Return when the face changes next (at a whole second), None while the clock stands
        still."""
        left = self.compute_time_left(now)
        # On a full second the next change is one second away; 0 would call the table in an endless
        # loop.
        return None if self.since is None or left <= 0 else now + (left % 1 or 1.0)

    def build_clock_face(self, now: float) -> ClockFace | None:
        """Return the clock's face in whole seconds; None before the first phase."""
        if not self.stretch:
            return None
        # Rounded up, so that 0 is shown only when time is up.
        left = float(math.ceil(self.compute_time_left(now)))
        settled = self._charge_bank(now)
        warning: Literal["none", "soon", "up"] = (
            "up" if left <= 0 else "soon" if left <= self.options.warn else "none"
        )
        return ClockFace(
            self.player,
            left,
            {name: float(math.ceil(bank)) for name, bank in settled.banks.items()},
            self.paused,
            warning,
        )

    def _compute_used(self, now: float) -> float:
        return self.used + (max(0.0, now - self.since) if self.since is not None else 0.0)

    def _current_bank(self) -> float:
        return self.banks.get(self.player, 0.0) if self.player is not None else 0.0

    def _charge_bank(self, now: float) -> Clock:
        """Charge the time that this turn has taken beyond its seconds to its player's bank."""
        over = self._compute_used(now) - self.options.seconds
        banks = dict(self.banks)
        if self.player is not None and over > 0:
            banks[self.player] = max(0.0, self._current_bank() - over)
        return msgspec.structs.replace(self, banks=banks, used=self._compute_used(now))


class TableClock:
    """The clock of one table (if it plays with one), and whether the table is paused."""

    def __init__(self, options: ClockOptions | None, players: Sequence[str]) -> None:
        self.moment = None if options is None else Clock.for_players(options, players)
        self.paused = False
        # The step for which it was done: a refused action must not be tried again at every tick.
        self._harmless_at = -1

    def advance_turn(self, view: View, step_number: int, now: float) -> None:
        """Move on to what `view` awaits; see `Clock.advance_turn`."""
        if self.moment is not None:
            self.moment = self.moment.advance_turn(view, step_number, now)

    def set_paused(self, paused: bool, now: float) -> None:
        """Pause the clock, or let it run again."""
        self.paused = paused
        if self.moment is not None:
            self.moment = self.moment.pause(now) if paused else self.moment.resume(now)

    def next_due_time(self, now: float) -> float | None:
        """Return when the face changes next; None while nothing of it changes."""
        return None if self.moment is None else self.moment.next_due_time(now)

    def should_apply_default(self, step_number: int, now: float) -> bool:
        """Return, at most once per step, whether the least harmful action is to be taken now."""
        if (
            self.moment is None
            or step_number == self._harmless_at
            or not self.moment.should_apply_default(now)
        ):
            return False
        self._harmless_at = step_number
        return True
