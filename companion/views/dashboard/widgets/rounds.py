"""The table of rounds by players: what everybody won in each, the sum, and who leads."""

from __future__ import annotations

from fractions import Fraction

from textual.content import Content

from companion.rules import registry
from companion.views.dashboard.widgets.part import Part, ScreenState
from companion.views.marks import mark


class Rounds(Part):
    """One column a round, the newest at the right; as many as there is room for."""

    def lines(self, shown: ScreenState, width: int, height: int) -> list[Content]:
        """Draw the table; nothing before the first round has brought anything."""
        rounds = [row for row in shown.snapshot.rounds if row.label is not None]
        if not rounds or height < 3:
            return []
        wide = max(4, *(len(won) + 2 for row in rounds for won in row.won.values()))
        wide = max(wide, min((width - 12) // max(len(rounds), 8), 9))
        kept = rounds[-max((width - 12) // wide, 1) :]
        gap = 2 if height >= 2 * len(shown.snapshot.people.seats) + 2 else 1
        head = Content.assemble(" " * 4, *((f"{row.label:>{wide}}", "$foreground-muted") for row in kept))
        drawn = [Content.styled(shown.say("rounds.title"), "bold $primary"), head]
        totals = {row["name"]: str(row["points"]) for row in shown.snapshot.view["players"]}
        ahead, words = _leaders(shown), f" ◂ {shown.say('rounds.leads')}"
        sign = words if 4 + wide * len(kept) + 8 + len(words) <= width else " ◂"
        for seat, player in enumerate(shown.snapshot.people.seats, 1):
            shape, style = mark(seat)
            lead = sign if player in ahead else ""
            cells = (_cell(row.won.get(player, "0"), wide) for row in kept)
            drawn.append(
                Content.assemble(
                    (f" {shape}  ", f"bold {style}"),
                    *cells,
                    ("  =" + totals[player].rjust(5), "bold"),
                    (lead, "bold $primary"),
                )
            )
            drawn += [Content("")] * (gap - 1)
        return drawn[:height]


def _leaders(shown: ScreenState) -> set[str]:
    """Return who leads; nobody while all have the same."""
    points = {row["name"]: Fraction(row["points"]) for row in shown.snapshot.view["players"]}
    # A game may be won by the fewest points.
    best = (min if registry.load(shown.snapshot.setup.game).lowest_wins else max)(points.values())
    return {name for name, has in points.items() if has == best} if len(set(points.values())) > 1 else set()


def _cell(won: str, wide: int) -> tuple[str, str]:
    """Write what was won in one round."""
    if won == "0":
        return "·".rjust(wide), "$foreground-muted"
    return (won if won.startswith("-") else f"+{won}").rjust(wide), "bold"
