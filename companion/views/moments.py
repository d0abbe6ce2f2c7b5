"""The moment that everybody waits for: what a round, a trick or a challenge came to, for every
game.

A game's panel may say it in its `Face` (Donkey Valley does). Of the others the report of what was
resolved last is taken: its first line for which the game's catalogue has a short call,
`moment.<code>`; a new game has its moments by writing these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from companion.live.snapshot import Snapshot
from companion.rules.contract import GAME_OVER, Reason
from companion.texts import Translator
from companion.views.panel import Face, Tone


class Gain(NamedTuple):
    """What it brought one player: the seat (from 1), the name, the points as text ("0": nothing),
    and a word more ("": none)."""

    seat: int
    name: str
    points: str
    how: str = ""

    @property
    def signed(self) -> str:
        """The points with their sign, a dash for none."""
        if self.points in ("0", ""):
            return "–"
        return self.points if self.points.startswith("-") else f"+{self.points}"


class Moment(msgspec.Struct, frozen=True):
    """The verdict, its figures, and what each player won or lost."""

    verdict: str
    figures: str
    tone: Tone
    gains: tuple[Gain, ...]

    @property
    def winners(self) -> tuple[Gain, ...]:
        """Those whose points it changed, the greatest change first."""
        return tuple(gain for gain in self.gains if gain.signed != "–")


def moment_of(snapshot: Snapshot, face: Face, say: Translator) -> Moment | None:
    """Return the moment, from the act that resolved something until the next one."""
    own = face.result
    if own is not None:
        rows = snapshot.rounds[-1].won if snapshot.rounds else {}
        hows = [how for _, how in own.won]
        return Moment(own.verdict, own.figures, own.tone, _gains(snapshot, rows, say, hows))
    if not snapshot.resolved or snapshot.view["phase"] == GAME_OVER:
        return None
    called = next(((one, words) for one in snapshot.report if (words := _call(one, say))), None)
    if called is None:
        return None
    reason, verdict = called
    tone: Tone = "bad" if any(sign in reason.text.code for sign in _BAD) else "good"
    gains = _gains(snapshot, snapshot.gained, say) if snapshot.gained else ()
    return Moment(verdict, say.say(reason.text), tone, gains)


_BAD = ("false", "broken", "captured", "donkey", "ox")
"""In the code of what did somebody harm: it is called on the other ground."""


def _call(reason: Reason, say: Translator) -> str:
    code = f"moment.{reason.text.code}"
    words = say(code, **reason.text.args)
    return "" if words == code else words


def _gains(
    snapshot: Snapshot, won: Mapping[str, str], say: Translator, hows: list[str] | None = None
) -> tuple[Gain, ...]:
    players = snapshot.people.seats
    return tuple(
        Gain(seat, say.name(player), won.get(player, "0"), how)
        for seat, (player, how) in enumerate(zip(players, hows or [""] * len(players), strict=True), 1)
    )
