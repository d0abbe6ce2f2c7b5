"""A pack of 52 laid out in any order: its names are found by what its cards show, all together,
and a person puts right what was taken for its like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from companion.enrolment.look import Shot
from companion.table.decks import Deck
from vision.naming import pack52

_STILL = 0.1
"""Part of its width by which a card has moved at most where it is the one that was taken."""
_LIKELY = 6
"""Names that are offered for one card."""
_DOUBTFUL = 2.0
"""By how much more likely a card's own best name may be than the one it got before it is asked
about (a difference of logarithms)."""

_STRANGE = 20.0
"""By how much less likely it is that what a person lays out as a pack is none of it: a joker is."""

Names = tuple[str | None, ...]
"""A name for each card; None for one that is left out."""


class Spread:
    """The cards that were laid out so far, in the order in which they were taken.

    `copies`: the deck's designs that are cards of a pack of 52, and how many there are of each.
    """

    def __init__(self, deck: Deck) -> None:
        self.copies = {one.name: one.copies for one in deck.designs if one.name in pack52.NAMES}
        self._sheets: list[list[Shot]] = []
        self._says: list[np.ndarray] = []

    @property
    def shots(self) -> list[Shot]:
        """All cards, as they were seen."""
        return [shot for sheet in self._sheets for shot in sheet]

    @property
    def sheets(self) -> list[list[Shot]]:
        """The same, each photograph's together."""
        return list(self._sheets)

    @property
    def total(self) -> int:
        """How many cards the pack has."""
        return sum(self.copies.values())

    @property
    def full(self) -> bool:
        """Whether as many cards have been laid out as the pack has."""
        return 0 < self.total <= len(self.shots)

    def lay(self, shots: Sequence[Shot]) -> bool:
        """Take the cards of one picture; False where they are those that were taken last, lying
        still."""
        if self._sheets and _same(self._sheets[-1], shots):
            return False
        says = pack52.likelihoods(shots[0].image, [shot.quad for shot in shots])
        unknown = [i for i, name in enumerate(pack52.NAMES) if name not in self.copies]
        says[:, unknown] = says.min() - 50
        says[:, pack52.NO_NAME] -= _STRANGE
        self._sheets.append(list(shots))
        self._says.append(says)
        return True

    def take_back(self) -> int:
        """Forget the cards of the last picture, and return how many they were."""
        if not self._sheets:
            return 0
        self._says.pop()
        return len(self._sheets.pop())

    def clear(self) -> None:
        """Forget all cards."""
        self._sheets, self._says = [], []

    # what they are

    @property
    def _logs(self) -> pack52.Logs:
        return np.concatenate(self._says) if self._says else np.zeros((0, pack52.NO_NAME + 1))

    def names(self) -> Names:
        """Return the names that together are likeliest, each given as often as the pack has it."""
        return tuple(pack52.assigned(self._logs, self.copies))

    def alike(self, names: Names) -> list[tuple[int, int]]:
        """Return pairs of cards (from 0) whose names may well be each other's, most alike first."""
        return list(pack52.look_alikes(self._logs, names))

    def doubtful(self, names: Names) -> list[int]:
        """Return the cards that seem to be something else than they are named."""
        logs = self._logs
        got = [pack52.NO_NAME if name is None else pack52.NAMES.index(name) for name in names]
        return [
            i for i, at in enumerate(got) if logs[i].max() - logs[i, at] > _DOUBTFUL or at == pack52.NO_NAME
        ]

    def likely(self, at: int) -> list[str]:
        """Return the names that card `at` may have, likeliest first."""
        return list(pack52.guess(self._logs[at]).likely[:_LIKELY])

    def renamed(self, names: Names, at: int, name: str | None) -> Names:
        """Return the names with another one for card `at`; whoever has that name gets the card's
        old one where the pack has no further copy."""
        changed = list(names)
        if name is not None and Counter(names)[name] >= self.copies.get(name, 0) and name in names:
            changed[names.index(name)] = names[at]
        changed[at] = name
        return tuple(changed)


def _same(before: Sequence[Shot], now: Sequence[Shot]) -> bool:
    if len(before) != len(now):
        return False
    return all(
        np.abs(a.quad - b.quad).max() < _STILL * float(np.ptp(a.quad, axis=0).min())
        for a, b in zip(before, now, strict=True)
    )
