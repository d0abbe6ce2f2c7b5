"""The end of a game in words: who won, by how much, and when the winner took the lead for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

from companion.live.snapshot import RoundRow
from companion.rules.contract import GAME_OVER, Text, View
from companion.rules.people import VerbatimName
from companion.texts import Translator

FEWEST_ROUNDS = 3
"""Rounds from which one of them can be called the turning point."""


class Victory(NamedTuple):
    """The end of a game. `margin`: by how much, "" if the points do not tell (a tie-break, two
    teams); `turning_point`: "" in a game without rounds."""

    headline: str
    margin: str
    turning_point: str


def describe_victory(view: View, rounds: Sequence[RoundRow], translator: Translator) -> Victory | None:
    """Return the end of the game in words; None before it, or if nobody has won. `rounds`: what
    each player won in each."""
    result = view["result"]
    if view["phase"] != GAME_OVER or result is None or not result["winners"]:
        return None
    winners, ranking = list(result["winners"]), result["ranking"]
    names = " + ".join(translator.display_name(winner) for winner in winners)
    headline = Text("call.won", {"winners": VerbatimName(names)}, len(winners))
    margin, turning_point = "", ""
    points = {row["player"]: Fraction(row["points"]) for row in ranking}
    others = [row for row in ranking if row["player"] not in winners]
    # Partners win as a pair, whose members' own points may be lower than a loser's.
    if others and len(winners) == 1:
        rival_points = points[others[0]["player"]]
        ahead = points[winners[0]] - rival_points
        rivals = [row["player"] for row in others if points[row["player"]] == rival_points]
        # The sentence counts points: a fraction has no plural form.
        if ahead.denominator == 1 and ahead and len(rivals) == 1:
            code = "share.more_than" if ahead > 0 else "share.fewer_than"
            rival = translator.display_name(rivals[0])
            margin = translator.translate(Text(code, {"name": VerbatimName(rival)}, int(abs(ahead))))
        turning_point = _describe_turning_point(rounds, points, winners[0], ahead < 0, translator)
    return Victory(translator.translate(headline), margin, turning_point)


def _describe_turning_point(
    rounds: Sequence[RoundRow],
    points: Mapping[str, Fraction],
    winner: str,
    is_fewest: bool,
    translator: Translator,
) -> str:
    """Return when `winner` took the lead and kept it."""
    totals = {
        player: list(accumulate(int(row.won.get(player, "0")) for row in rounds))
        for player in points
        if all(row.won.get(player, "0").lstrip("-").isdigit() for row in rounds)
    }
    # A game that counts otherwise than by rounds has no such moment.
    if len(rounds) < FEWEST_ROUNDS or any(totals.get(one, [None])[-1] != points[one] for one in points):
        return ""
    sign = -1 if is_fewest else 1
    leads = [
        all(sign * totals[winner][at] > sign * totals[one][at] for one in points if one != winner)
        for at in range(len(rounds))
    ]
    since = len(leads) - next((back for back, led in enumerate(reversed(leads)) if not led), len(leads))
    if since == len(rounds):  # level on points to the end: something else decided
        return ""
    if since == 0:
        return translator("share.led_throughout")
    if since == len(rounds) - 1:
        return translator("share.led_at_last")
    return translator("share.led_since", round=str(since + 1), rounds=str(len(rounds)))
