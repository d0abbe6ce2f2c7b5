"""The moment that everybody waits for: the result of a round, a trick or a challenge, for every
game.

A game's panel may provide it in its `Face` (Donkey Valley does). For other games it is made from
the report of the last result: its first line for which the game's catalogue has a short call,
`moment.<code>`. A new game gets its moments by adding these messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from companion.live.snapshot import Snapshot
from companion.rules.contract import Reason, Text
from companion.texts import Translator, format_gain
from companion.views.panel import Face, Tone


class Gain(NamedTuple):
    """What the result brought one player: seat (from 1), name, points as text ("0": nothing), and
    an extra word ("": none)."""

    seat: int
    name: str
    points: str
    how: str = ""

    @property
    def signed_points(self) -> str:
        """The points with their sign, a dash for none."""
        return format_gain(self.points, "–")


class Take(NamedTuple):
    """Which real cards or pawn one player takes: the seat (from 1), and the words, in full and with
    shorter and shorter names."""

    seat: int
    calls: tuple[str, ...]


class RevealMoment(msgspec.Struct, frozen=True):
    """The verdict, its figures, and what each player won or lost."""

    verdict: str
    figures: str
    tone: Tone
    gains: tuple[Gain, ...]
    takes: tuple[Take, ...] = ()
    """What must be done by hand now: for each line of the report the game's `take.<code>`, for the
    player it is about, or `asked.<code>`, for the next awaited player (`asked`)."""
    shorter: tuple[str, ...] = ()
    """The verdict with shortened names, for large letters."""
    cards: tuple[str, ...] = ()
    """The cards that were turned up, in words: screens turn them one by one before the verdict."""
    turned: tuple[str, ...] = ()
    """The same cards by name, for pages that draw them."""
    told: frozenset[str] = frozenset()
    """The codes of the report's reasons that the moment says itself."""

    def with_cards_up(self, count: int) -> RevealMoment:
        """Return the moment while only so many of its cards are turned up."""
        up = "  ".join(self.cards[:count])
        return msgspec.structs.replace(
            self, verdict=up, shorter=(), figures="", tone="plain", gains=(), takes=()
        )

    @property
    def winners(self) -> tuple[Gain, ...]:
        """Players whose points it changed."""
        return tuple(gain for gain in self.gains if gain.signed_points != "–")


def find_moment(snapshot: Snapshot, face: Face, translator: Translator) -> RevealMoment | None:
    """Return the moment, from the act that resolved something until the next act."""
    own = face.result
    if own is not None:
        rows = snapshot.rounds[-1].won if snapshot.rounds else {}
        hows = [how for _, how in own.won]
        gains = _list_gains(snapshot, rows, translator, hows)
        takes = _list_takes(snapshot, translator)
        told = _list_told(snapshot, snapshot.report[:1], translator)
        return RevealMoment(own.verdict, own.figures, own.tone, gains, takes, told=told)
    if not snapshot.resolved:
        return None
    called = next(
        (
            (one, code, words)
            for one in snapshot.report
            for code in list_moment_codes(one)
            if (words := _format_short_forms(code, one, snapshot, translator))
        ),
        None,
    )
    if called is None:
        return None
    reason, code, (verdict, *shorter) = called
    tone: Tone = "bad" if is_bad(code) else "good"
    gains = _list_gains(snapshot, snapshot.gained, translator) if snapshot.gained else ()
    takes = _list_takes(snapshot, translator)
    cards = tuple(translator(f"card.{name}") for name in reason.turned)
    # The sentence of the report stands below the short call.
    figures = translator.translate(reason.text)
    told = _list_told(snapshot, (reason,), translator)
    return RevealMoment(verdict, figures, tone, gains, takes, tuple(shorter), cards, reason.turned, told)


def _list_told(snapshot: Snapshot, called: Sequence[Reason], translator: Translator) -> frozenset[str]:
    """List the reasons that need no sentence of their own beside the moment: the one that it is
    made of, those whose cards it names, and those of players who gain nothing."""
    named = [
        one
        for one in snapshot.report
        if _format_short_forms(f"take.{one.text.code}", one, snapshot, translator)
        or (one.text.code.startswith("explain.") and not one.points)
    ]
    return frozenset(one.text.code for one in (*called, *named))


def list_moment_codes(reason: Reason) -> list[str]:
    """List the codes that a short call may have, the most special first: that of the sentence with
    one of the verdicts in it (`moment.report.round.weight.refused`), then that of the sentence."""
    parts = [part.code for part in reason.text.args.values() if isinstance(part, Text)]
    return [*(f"moment.{reason.text.code}.{part}" for part in parts), f"moment.{reason.text.code}"]


_BAD = ("false", "broken", "captured", "stack", "donkey", "ox", "bomb", "overloaded", "refused")
"""Parts of message codes for results that harm somebody; such a moment has the tone `bad`."""


def is_bad(code: str) -> bool:
    """Return whether the short call with this code tells of harm."""
    return any(sign in code for sign in _BAD)


_TAKERS = ("taker", "player", "owner")
"""Arguments of a reason that may name the player whose cards or pawn move, the surest first."""
_CUT = (20, 12, 7, 4)
"""Lengths to which names are cut, as large letters need."""


def _list_takes(snapshot: Snapshot, translator: Translator) -> tuple[Take, ...]:
    players = snapshot.people.seats
    takes = []
    asked = [one["player"] for one in snapshot.view["waiting_for"] if one["player"] is not None]
    for reason in snapshot.report:
        about = [reason.text.args[one] for one in _TAKERS if one in reason.text.args]
        for kind, told in (("take", about), ("asked", asked)):
            if told and (
                calls := _format_short_forms(
                    f"{kind}.{reason.text.code}", reason, snapshot, translator, asked=next(iter(asked), "")
                )
            ):
                takes.append(Take(players.index(told[0]) + 1, calls))
    return tuple(takes)


def _format_short_forms(
    code: str, reason: Reason, snapshot: Snapshot, translator: Translator, **more: str
) -> tuple[str, ...]:
    """Return the short form of a reason, with full and with shortened names; () if the game has
    none."""
    text = Text(code, {**reason.text.args, **more}, reason.text.n)
    if translator.find_words(text) is None:
        return ()
    ways = []
    for most in _CUT:
        ways.append(
            translator.with_names(
                {one: translator.display_name(one, most) for one in snapshot.people.seats}
            ).translate(text)
        )
    # Short names give the same words at several lengths.
    return tuple(dict.fromkeys(ways))


def _list_gains(
    snapshot: Snapshot, won: Mapping[str, str], translator: Translator, hows: list[str] | None = None
) -> tuple[Gain, ...]:
    players = snapshot.people.seats
    return tuple(
        Gain(seat, translator.display_name(player), won.get(player, "0"), how)
        for seat, (player, how) in enumerate(zip(players, hows or [""] * len(players), strict=True), 1)
    )
