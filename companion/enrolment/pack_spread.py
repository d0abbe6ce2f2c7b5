"""Name a pack of 52 that is laid out in any order, by what all its cards show together, and let a
person correct similar cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from companion.enrolment.picture_analysis import Shot
from companion.table.decks import Deck
from vision.naming import pack52

_STILL = 0.1
"""Part of its width by which a card may have moved and still be the one that was taken."""
_LIKELY = 6
"""Names offered for one card."""
_DOUBTFUL = 2.0
"""How much likelier a card's own best name may be than its assigned one before people are asked
about it (difference of logarithms)."""

_STRANGE = 20.0
"""How much less likely a card outside the pack (a joker) is among cards laid out as a pack
(difference of logarithms)."""

Names = tuple[str | None, ...]
"""Name of each card; None for one that is left out."""


class PackSpread:
    """The cards laid out so far, in the order in which they were taken.

    `copies`: how many there are of each design that belongs to a pack of 52.
    """

    def __init__(self, deck: Deck) -> None:
        self.copies = {one.name: one.copies for one in deck.designs if one.name in pack52.NAMES}
        self._sheets: list[list[Shot]] = []
        self._sheet_logs: list[np.ndarray] = []

    @property
    def shots(self) -> list[Shot]:
        """All cards as they were seen."""
        return [shot for sheet in self._sheets for shot in sheet]

    @property
    def sheets(self) -> list[list[Shot]]:
        """The same, grouped by photo."""
        return list(self._sheets)

    @property
    def pack_size(self) -> int:
        """How many cards the pack has."""
        return sum(self.copies.values())

    @property
    def is_complete(self) -> bool:
        """Whether as many cards have been laid out as the pack has."""
        return 0 < self.pack_size <= len(self.shots)

    def add_sheet(self, shots: Sequence[Shot]) -> bool:
        """Take the cards of one picture; return False if they are the ones taken last, lying
        still."""
        if self._sheets and _is_same_sheet(self._sheets[-1], shots):
            return False
        says = pack52.name_log_likelihoods(shots[0].image, [shot.quad for shot in shots])
        unknown = [i for i, name in enumerate(pack52.NAMES) if name not in self.copies]
        # Names that the deck does not have become less likely than any other.
        says[:, unknown] = says.min() - 50
        says[:, pack52.NO_NAME] -= _STRANGE
        self._sheets.append(list(shots))
        self._sheet_logs.append(says)
        return True

    def remove_last_sheet(self) -> int:
        """Remove the cards of the last picture, and return how many there were."""
        if not self._sheets:
            return 0
        self._sheet_logs.pop()
        return len(self._sheets.pop())

    def clear(self) -> None:
        """Remove all cards."""
        self._sheets, self._sheet_logs = [], []

    # ---- names ----

    @property
    def _log_likelihoods(self) -> pack52.Logs:
        return np.concatenate(self._sheet_logs) if self._sheet_logs else np.zeros((0, pack52.NO_NAME + 1))

    def assign_names(self) -> Names:
        """Return the likeliest names for all cards together, each at most as often as the pack has
        it."""
        return tuple(pack52.assign_names(self._log_likelihoods, self.copies))

    def find_similar_pairs(self, names: Names) -> list[tuple[int, int]]:
        """Return pairs of cards (from 0) whose names may be swapped, most similar first."""
        return list(pack52.find_ambiguous_pairs(self._log_likelihoods, names))

    def find_doubtful(self, names: Names) -> list[int]:
        """Return the cards that look like something else than their names."""
        logs = self._log_likelihoods
        got = [pack52.NO_NAME if name is None else pack52.NAMES.index(name) for name in names]
        return [
            i for i, at in enumerate(got) if logs[i].max() - logs[i, at] > _DOUBTFUL or at == pack52.NO_NAME
        ]

    def list_likely_names(self, at: int) -> list[str]:
        """Return the possible names of card `at`, likeliest first."""
        return list(pack52.guess_name(self._log_likelihoods[at]).likely[:_LIKELY])

    def rename_card(self, names: Names, at: int, name: str | None) -> Names:
        """Return the names with another one for card `at`. If the pack has no further copy of that
        name, the card that had it gets the old name of this one."""
        changed = list(names)
        if name is not None and Counter(names)[name] >= self.copies.get(name, 0) and name in names:
            changed[names.index(name)] = names[at]
        changed[at] = name
        return tuple(changed)


def _is_same_sheet(before: Sequence[Shot], now: Sequence[Shot]) -> bool:
    if len(before) != len(now):
        return False
    return all(
        np.abs(a.quad - b.quad).max() < _STILL * float(np.ptp(a.quad, axis=0).min())
        for a, b in zip(before, now, strict=True)
    )
