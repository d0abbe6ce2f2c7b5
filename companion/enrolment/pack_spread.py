"""Name a pack of 52 by what all its cards show together, and let a person correct similar cards.

The cards may lie in any order. If they are said to lie in the deck's order, that only makes each
name likelier: a card is known by itself, not by its place in a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from companion.enrolment.card_spread import CardSpread, Names
from companion.enrolment.picture_analysis import Shot
from companion.table.decks import Deck
from vision.naming import pack52

_FEWEST = 20
"""Smallest number of cards in a pack."""
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

_ORDERED = 4.0
"""How much likelier a card's name is by the order in which the cards are said to lie (difference of
logarithms): less than what makes a name sure by itself (`pack52.SURE`)."""


class PackSpread(CardSpread):
    """The cards of a pack laid out so far, in the order in which they were taken.

    `copies`: how many there are of each design that belongs to a pack of 52. `order`: the designs
    that are wanted, if the cards are said to follow it; some may belong to no pack (the back).
    """

    def __init__(self, deck: Deck, order: Sequence[str] = ()) -> None:
        self.copies = {one.name: one.copies for one in deck.designs if one.name in pack52.NAMES}
        self._order = tuple(order)
        self._expected: list[str | None] = []
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
    def is_pack(self) -> bool:
        """Whether the deck has enough cards of a pack of 52 to be one."""
        return self.pack_size >= _FEWEST

    @property
    def is_complete(self) -> bool:
        """Whether as many cards have been laid out as the pack has."""
        return 0 < self.pack_size <= len(self.shots)

    def add_sheet(self, shots: Sequence[Shot]) -> bool:
        """Take the cards of one picture, in any order; return False if they are the ones taken
        last, lying still."""
        if self._sheets and _is_same_sheet(self._sheets[-1], shots):
            return False
        self._add_rated(shots, pack52.name_log_likelihoods(shots[0].image, [shot.quad for shot in shots]))
        return True

    def add_ordered_cards(
        self, shots: Sequence[Shot], likelihoods: pack52.Logs, expected: Sequence[str | None]
    ) -> None:
        """Take the cards of one photo. `likelihoods`: by `pack52.name_log_likelihoods`; `expected`:
        the name of each by the order, None if that says nothing."""
        self._expected += expected
        says = likelihoods.copy()
        for row, name in zip(says, expected, strict=True):
            if name in self.copies:
                row[pack52.NAMES.index(name)] += _ORDERED
            # A back or a joker: by what it shows alone it would have the name of some card.
            elif name is not None:
                row[pack52.NO_NAME] += _STRANGE + _ORDERED
        self._add_rated(shots, says)

    def _add_rated(self, shots: Sequence[Shot], says: pack52.Logs) -> None:
        unknown = [i for i, name in enumerate(pack52.NAMES) if name not in self.copies]
        # Names that the deck does not have become less likely than any other.
        says[:, unknown] = says.min() - 50
        says[:, pack52.NO_NAME] -= _STRANGE
        self._sheets.append(list(shots))
        self._sheet_logs.append(says)

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
        it; a card of no pack has its name by the order."""
        names = pack52.assign_names(self._log_likelihoods, self.copies)
        expected = self._expected or [None] * len(names)
        return tuple(
            by_order if name is None and by_order not in self.copies else name
            for name, by_order in zip(names, expected, strict=True)
        )

    def find_similar_pairs(self, names: Names) -> list[tuple[int, int]]:
        """Return pairs of cards (from 0) whose names may be swapped, most similar first."""
        return list(pack52.find_ambiguous_pairs(self._log_likelihoods, names))

    def find_doubtful(self, names: Names) -> Mapping[int, str | None]:
        """Return the cards that look like something else than their names, or than the order
        says."""
        doubtful: dict[int, str | None] = {}
        for at, (logs, name) in enumerate(zip(self._log_likelihoods, names, strict=True)):
            best = int(logs.argmax())
            given = pack52.NAMES.index(name) if name in pack52.NAMES else pack52.NO_NAME
            if name is None or logs[best] - logs[given] > _DOUBTFUL:
                doubtful[at] = pack52.NAMES[best] if best != pack52.NO_NAME else None
            elif self._expected and name != self._expected[at]:
                doubtful[at] = self._expected[at]
        return doubtful

    def find_name(self, typed: str) -> str | None:
        """Return the card of the pack, or the wanted design, of this name."""
        known = [*self.copies, *self._order]
        return next((name for name in known if name.casefold() == typed.casefold()), None)

    def list_missing(self, names: Names) -> list[str]:
        """Return the cards of the pack that were not laid out."""
        return [name for name in self.copies if name not in names]

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
