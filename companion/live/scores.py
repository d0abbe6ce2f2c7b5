"""The table of rounds by players, kept with the session: what each has won in each round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from companion.journal.history import round_of
from companion.rules.acts import Moment
from companion.rules.contract import Game, View


class RoundRow(msgspec.Struct, frozen=True):
    """One round: its number (None: a game without rounds), its first act's number, and what each
    player won in it, as text."""

    label: int | str | None
    first: int
    won: Mapping[str, str]


class _Stand(msgspec.Struct, frozen=True, eq=False):
    moment: Moment
    label: int | str | None
    points: Mapping[str, Fraction]
    rows: tuple[RoundRow, ...]
    gained: Mapping[str, str] = {}

    @property
    def scored(self) -> bool:
        return bool(self.gained)


class Scores:
    """Follows one session. Only what is new is reckoned, so a step costs the same all evening."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._stands: list[_Stand] = []

    def follow(self, now: Moment) -> tuple[RoundRow, ...]:
        """Return the rounds up to `now`."""
        fresh: list[Moment] = []
        moment: Moment | None = now
        while moment is not None and not self._knows(moment):
            fresh.append(moment)
            moment = moment.before
        del self._stands[moment.number + 1 if moment is not None else 0 :]
        for one in reversed(fresh):
            self._stands.append(self._stand(one))
        return self._stands[-1].rows

    @property
    def gained(self) -> Mapping[str, str]:
        """The points that the last act changed, as text; {} where it changed none."""
        return self._stands[-1].gained if self._stands else {}

    def _knows(self, moment: Moment) -> bool:
        return moment.number < len(self._stands) and self._stands[moment.number].moment is moment

    def _stand(self, moment: Moment) -> _Stand:
        view = self._game.view(moment.state)
        points = _points(view)
        if not self._stands:
            return _Stand(moment, round_of(view), points, ())
        before = self._stands[-1]
        won = {name: total - before.points[name] for name, total in points.items()}
        gained = {name: str(gain) for name, gain in won.items()} if any(won.values()) else {}
        label, rows = round_of(view), _with(before, moment.number - 1, won)
        # The act that turned up the new round's first card is its first; one that scored belongs to
        # the round before.
        if label != before.label and not gained:
            rows = (*rows, RoundRow(label, moment.number - 1, dict.fromkeys(points, "0")))
        return _Stand(moment, label, points, rows, gained)


def _with(before: _Stand, first: int, won: Mapping[str, Fraction]) -> tuple[RoundRow, ...]:
    rows = before.rows
    if not rows or rows[-1].label != before.label:
        return (*rows, RoundRow(before.label, first, {name: str(gain) for name, gain in won.items()}))
    if not any(won.values()):
        return rows
    total = {name: str(Fraction(rows[-1].won[name]) + gain) for name, gain in won.items()}
    return (*rows[:-1], msgspec.structs.replace(rows[-1], won=total))


def _points(view: View) -> dict[str, Fraction]:
    return {row["name"]: Fraction(row["points"]) for row in view["players"]}
