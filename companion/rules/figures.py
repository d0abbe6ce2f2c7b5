"""What games hand to those who count evenings and to onlookers who ask for odds."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from companion.rules.messages import Text


class Tally(msgspec.Struct, frozen=True):
    """One thing that a player did or met, to be counted.

    `table` names the count it belongs to: the message `figures.<table>` of the game's catalogue is
    its heading. `row`: what exactly, in words. `times`: how often. `points`: what it won, all times
    together (a text such as `7/3` where points are shared), None where nothing is won by it.
    `right`: whether it came out as the player meant, None where that is no question. `usual`: the
    row beside which the others are judged (a round without a favour).
    """

    table: str
    row: Text
    player: str
    points: int | str | None = None
    right: bool | None = None
    usual: bool = False
    times: int = 1


class Odds(msgspec.Struct, frozen=True):
    """How likely something is: the words for it (with the argument `percent`), and `ways` of
    `among` equally likely ones."""

    code: str
    ways: int
    among: int

    @property
    def chance(self) -> Fraction:
        """The exact chance, 0 to 1."""
        return Fraction(self.ways, self.among)

    @property
    def text(self) -> Text:
        """The words, with the chance in percent."""
        return Text(self.code, {"percent": Text("figures.percent", {"percent": self.percent})})

    @property
    def percent(self) -> int:
        """The chance in whole percent; never 0 or 100 for what is not certain.

        >>> Odds("odds.overloaded", 1, 1000).percent, Odds("odds.overloaded", 999, 1000).percent
        (1, 99)
        """
        rounded = round(100 * self.chance)
        return rounded if self.ways in (0, self.among) else min(max(rounded, 1), 99)
