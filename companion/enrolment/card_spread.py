"""Cards that were photographed and have no names yet, in the order in which they were taken.

`CardSpread` is what the conversation about their names needs; `OrderedSpread` names them by the
deck's order, `pack_spread.PackSpread` by what a pack of 52 shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from companion.enrolment.picture_analysis import Shot

Names = tuple[str | None, ...]
"""Name of each card; None for one that is left out."""


class CardSpread(ABC):
    """The cards laid out so far, and their proposed names."""

    @property
    @abstractmethod
    def shots(self) -> list[Shot]:
        """All cards as they were seen."""

    @abstractmethod
    def assign_names(self) -> Names:
        """Return the proposed names."""

    @abstractmethod
    def find_doubtful(self, names: Names) -> Mapping[int, str | None]:
        """Return the cards (from 0) that look like something else than their names, or have none,
        each with what it looks like (None: nothing known)."""

    @abstractmethod
    def find_name(self, typed: str) -> str | None:
        """Return the name that a person typed, in any case; None if a card here cannot have it."""

    @abstractmethod
    def rename_card(self, names: Names, at: int, name: str | None) -> Names:
        """Return the names with another one for card `at`, or none."""

    @abstractmethod
    def list_missing(self, names: Names) -> list[str]:
        """Return the names that cards should have, and none has."""

    def find_similar_pairs(self, names: Names) -> list[tuple[int, int]]:
        """Return pairs of cards (from 0) whose names may be swapped, most similar first."""
        return []

    def list_likely_names(self, at: int) -> list[str]:
        """Return the possible names of card `at`, likeliest first."""
        return []


class OrderedSpread(CardSpread):
    """Cards that follow the deck's order.

    `expected`: the name of each card by the order, None beyond its end. `order`: the designs that
    are wanted. `read_design` returns the design that a card certainly shows, None if that is
    unknown.
    """

    def __init__(
        self,
        shots: Sequence[Shot],
        expected: Names,
        order: Sequence[str],
        read_design: Callable[[Shot], str | None],
    ) -> None:
        self._shots, self._expected, self._order = list(shots), expected, list(order)
        self._read = [read_design(shot) for shot in shots]

    @property
    def shots(self) -> list[Shot]:
        """All cards as they were seen."""
        return self._shots

    def assign_names(self) -> Names:
        """Return the names by the order."""
        return self._expected

    def find_doubtful(self, names: Names) -> Mapping[int, str | None]:
        """Return the cards that show another design, or have no name."""
        known = enumerate(zip(names, self._read, strict=True))
        return {at: read for at, (name, read) in known if name is None or read not in (None, name)}

    def find_name(self, typed: str) -> str | None:
        """Return the design of this name, in any case."""
        return next((name for name in self._order if name.casefold() == typed.casefold()), None)

    def rename_card(self, names: Names, at: int, name: str | None) -> Names:
        """Return the names with another one for card `at`; a card that had it gets the old name of
        this one. With None the card is left out, and the names of those after it move up."""
        changed = list(names)
        if name is None:
            return (*changed[:at], None, *changed[at:-1])
        if name in changed:
            changed[changed.index(name)] = changed[at]
        changed[at] = name
        return tuple(changed)

    def continue_from(self, names: Names, at: int, name: str) -> Names:
        """Return the names with `name` for card `at`, and for the cards after it those that follow
        in the deck's order; cards that are left out stay so."""
        # A card that was left out stays so: it takes no name of the order.
        following = iter(self._order[self._order.index(name) :])
        rest = [
            next(following, None) if old is not None or i == 0 else None for i, old in enumerate(names[at:])
        ]
        return (*names[:at], *rest)

    def list_missing(self, names: Names) -> list[str]:
        """Return the designs that the order has before the last name that was given."""
        places = [self._order.index(name) for name in names if name is not None]
        return [name for name in self._order[: max(places, default=0)] if name not in names]
