"""The end of a game in words: who won, by how much, what decided between equal points, and when the
winner took the lead for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, groupby
from typing import Any, NamedTuple

from companion.live.snapshot import RoundRow, list_scored_rounds
from companion.rules import registry
from companion.rules.contract import GAME_OVER, Game, Text, View
from companion.rules.people import VerbatimName
from companion.texts import Translator, format_score

FEWEST_ROUNDS = 3
"""Rounds from which one of them can be called the turning point."""


class Victory(NamedTuple):
    """The end of a game. `margin`: by how much, "" if the points do not tell (a tie-break, two
    teams); `tie_break`: what the rules say about equal points, "" if nobody has as many;
    `turning_point`: "" in a game without rounds."""

    headline: str
    margin: str
    tie_break: str
    turning_point: str

    @property
    def remarks(self) -> list[str]:
        """The lines below the headline."""
        return [words for words in (self.margin, self.tie_break, self.turning_point) if words]


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
        if ahead:
            code = "share.more_than" if ahead > 0 else "share.fewer_than"
            rival_names = tuple(VerbatimName(translator.display_name(rival)) for rival in rivals)
            margin = translator.translate(
                Text(code, {"name": rival_names, "n": format_score(abs(ahead))}, 1 if abs(ahead) <= 1 else 2)
            )
        turning_point = _describe_turning_point(rounds, points, winners[0], ahead < 0, translator)
    return Victory(
        translator.translate(headline), margin, describe_tie_break(view, translator), turning_point
    )


def describe_tie_break(view: View, translator: Translator) -> str:
    """Return what decided between players with equal points at the end, or that they share the
    victory; "" if there are none."""
    game, result = registry.load_game(view["game"]), view["result"]
    ranking = result["ranking"]
    # Partners share their result whatever their points are.
    if any(len(side) > 1 for side in game.list_sides(len(ranking))):
        return ""
    groups = [list(group) for _, group in groupby(ranking, key=lambda row: row["points"])]
    decided = [group for group in groups if len({row["rank"] for row in group}) > 1]
    if game.tie_break and decided:
        counts = "; ".join(_format_counts(group, view, game, translator) for group in decided)
        return translator(f"tie_break.{game.tie_break}.decided", counts=counts)
    if len(result["winners"]) > 1:
        return translator(f"tie_break.{game.tie_break}.shared" if game.tie_break else "share.shared_victory")
    return ""


def _format_counts(
    group: Sequence[Mapping[str, Any]], view: View, game: Game[Any], translator: Translator
) -> str:
    """List what each of these players has of the tie-break."""
    rows = {row["name"]: row for row in view["players"]}
    return ", ".join(
        f"{translator.display_name(one['player'])} {game.count_tie_break(rows[one['player']])}"
        for one in group
    )


def _describe_turning_point(
    rounds: Sequence[RoundRow],
    points: Mapping[str, Fraction],
    winner: str,
    is_fewest: bool,
    translator: Translator,
) -> str:
    """Return when `winner` took the lead and kept it."""
    rounds = list_scored_rounds(rounds)
    totals = {player: list(accumulate(Fraction(row.won[player]) for row in rounds)) for player in points}
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
    # By the number that screens gave it: a round that was put off is not the one of its place.
    label = rounds[since].label or since + 1
    return translator("share.led_since", round=str(label), rounds=str(len(rounds)))
