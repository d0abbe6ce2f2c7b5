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
from companion.rules.contract import GAME_OVER, Reason, Text
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


class Take(NamedTuple):
    """Which real cards, or which pawn, one player takes: the seat (from 1), and the words, whole
    and with the name cut more and more."""

    seat: int
    calls: tuple[str, ...]


class RevealMoment(msgspec.Struct, frozen=True):
    """The verdict, its figures, and what each player won or lost."""

    verdict: str
    figures: str
    tone: Tone
    gains: tuple[Gain, ...]
    takes: tuple[Take, ...] = ()
    """What hands must do now: each line of the report for which the game's catalogue has a
    `take.<code>`, for whom it is about, or an `asked.<code>`, for who is awaited next (`asked`)."""
    shorter: tuple[str, ...] = ()
    """The verdict with names that are cut, for large letters."""
    cards: tuple[str, ...] = ()
    """The cards that were turned up, in words: screens turn them one by one before the verdict."""
    turned: tuple[str, ...] = ()
    """The same by their names, for pages that draw cards."""

    def with_cards_up(self, count: int) -> RevealMoment:
        """Return the moment as it is while only so many of its cards are turned up."""
        up = "  ".join(self.cards[:count])
        return msgspec.structs.replace(
            self, verdict=up, shorter=(), figures="", tone="plain", gains=(), takes=()
        )

    @property
    def winners(self) -> tuple[Gain, ...]:
        """Those whose points it changed, the greatest change first."""
        return tuple(gain for gain in self.gains if gain.signed != "–")


def moment_of(snapshot: Snapshot, face: Face, say: Translator) -> RevealMoment | None:
    """Return the moment, from the act that resolved something until the next one."""
    own = face.result
    if own is not None:
        rows = snapshot.rounds[-1].won if snapshot.rounds else {}
        hows = [how for _, how in own.won]
        gains = _gains(snapshot, rows, say, hows)
        return RevealMoment(own.verdict, own.figures, own.tone, gains, _takes(snapshot, say))
    if not snapshot.resolved or snapshot.view["phase"] == GAME_OVER:
        return None
    called = next(
        ((one, words) for one in snapshot.report if (words := _said("moment", one, snapshot, say))), None
    )
    if called is None:
        return None
    reason, (verdict, *shorter) = called
    tone: Tone = "bad" if any(sign in reason.text.code for sign in _BAD) else "good"
    gains = _gains(snapshot, snapshot.gained, say) if snapshot.gained else ()
    takes = _takes(snapshot, say)
    cards = tuple(say(f"card.{name}") for name in reason.turned)
    figures = say.say(reason.text)
    return RevealMoment(verdict, figures, tone, gains, takes, tuple(shorter), cards, reason.turned)


_BAD = ("false", "broken", "captured", "stack", "donkey", "ox", "bomb")
"""In the code of what did somebody harm: it is called on the other ground."""


_TAKERS = ("taker", "player", "owner")
"""What a reason calls the player whose cards or pawn are moved, the surest first."""
_CUT = (20, 12, 7, 4)
"""Characters of a name in large letters, as there is room."""


def _takes(snapshot: Snapshot, say: Translator) -> tuple[Take, ...]:
    players = snapshot.people.seats
    takes = []
    asked = [one["player"] for one in snapshot.view["waiting_for"] if one["player"] is not None]
    for reason in snapshot.report:
        about = [reason.text.args[one] for one in _TAKERS if one in reason.text.args]
        for kind, told in (("take", about), ("asked", asked)):
            if told and (calls := _said(kind, reason, snapshot, say, asked=next(iter(asked), ""))):
                takes.append(Take(players.index(told[0]) + 1, calls))
    return tuple(takes)


def _said(kind: str, reason: Reason, snapshot: Snapshot, say: Translator, **more: str) -> tuple[str, ...]:
    """Say the short form of a reason, with whole names and with names that are cut; () where the
    game has none."""
    text = Text(f"{kind}.{reason.text.code}", {**reason.text.args, **more}, reason.text.n)
    if say.say(text) == text.code:
        return ()
    ways = []
    for most in _CUT:
        ways.append(say.calling({one: say.name(one, most) for one in snapshot.people.seats}).say(text))
    return tuple(dict.fromkeys(ways))


def _gains(
    snapshot: Snapshot, won: Mapping[str, str], say: Translator, hows: list[str] | None = None
) -> tuple[Gain, ...]:
    players = snapshot.people.seats
    return tuple(
        Gain(seat, say.name(player), won.get(player, "0"), how)
        for seat, (player, how) in enumerate(zip(players, hows or [""] * len(players), strict=True), 1)
    )
