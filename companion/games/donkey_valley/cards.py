"""The cards of Donkey Valley: loads, donkeys and favours, with their numbers and clauses (DV-1,
DV-2, DV-10, DV-12, DV-30 to DV-41)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "black")
"""The seven colours (DV-1), in the order of the seats unless the players choose others."""
ROUNDS = 8
"""The number of donkeys in the pile of a game (DV-3)."""
DONKEY_CARDS = 20
"""The number of donkey cards in the box (DV-2)."""
VALUES = range(1, 11)
"""The values of the loads, one of each per player (DV-1)."""
FAVOURS = (2, 4, 6, 8, 10)
"""The values of the loads that buy a favour (DV-12)."""
FAVOURS_A_GAME = 2
LIMIT_STEP = 2
"""By how much favour 6 moves a limit, up or down (DV-16)."""
SPREAD_LIMIT = 5
"""The largest difference between two loads that the precision donkey carries (DV-33)."""
SPREAD_LIMITS = range(1, 10)
"""The range in which favour 6 can move that limit (DV-33)."""


class Card(msgspec.Struct, frozen=True, gc=False):
    """One load: the player who owns its colour ("" where only values are entered, DV-24), and its
    value."""

    owner: str
    value: int


class DonkeyType(msgspec.Struct, frozen=True):
    """A type of donkey: its clause and its capacity per player (None: unlimited)."""

    clause: str
    per_player: int | None = 5


DONKEYS = {
    "normal": DonkeyType("DV-30"),
    "giant": DonkeyType("DV-31", 6),
    "puny": DonkeyType("DV-32", 4),
    "precision": DonkeyType("DV-33", None),
    "hurried": DonkeyType("DV-34"),
    "holed": DonkeyType("DV-35"),
    "attacked": DonkeyType("DV-36"),
    "lost": DonkeyType("DV-37"),
    "double": DonkeyType("DV-38", 10),
    "stubborn": DonkeyType("DV-39"),
    "difficult": DonkeyType("DV-40"),
    "hand_picked": DonkeyType("DV-41"),
}
"""The twelve types by their names in requests and card ids (DV-2)."""

NORMAL = DONKEYS["normal"]


def find_removed_values(donkey: str | None, values: Sequence[int]) -> set[int]:
    """Return the values of the loads that the donkey removes: the highest (DV-36), or those that
    occur more than once (DV-41). `values`: of all face-up loads, at least one."""
    if donkey == "attacked":
        return {max(values)}
    if donkey == "hand_picked":
        return {value for value in values if values.count(value) > 1}
    return set()
