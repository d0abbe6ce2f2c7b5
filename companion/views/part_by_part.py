"""A choice entered part by part: what has been named, what can follow, and what it comes to.
Nothing is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from companion.rules.contract import Choice, Part, Parts, Request
from companion.views.entry import Way


class PartByPart(NamedTuple):
    """The ways that are made of parts of one kind, and the parts named so far."""

    ways: tuple[Way, ...]
    taken: tuple[Part, ...] = ()

    @property
    def kind(self) -> Parts:
        """What all these ways have in common: label, key and size."""
        found = self.ways[0].choice.parts
        assert found is not None
        return found

    @property
    def key(self) -> str:
        """The key that opens them."""
        return self.kind.key

    @property
    def used(self) -> int:
        """How much of the size is used up."""
        return sum(part.size for part in self.taken)

    @property
    def following(self) -> list[Part]:
        """The parts that can be named next, each once, in the order of their keys."""
        found: list[Part] = []
        for way in self.ways:
            found += [part for part in _left(way, self.taken) or () if part not in found]
        return sorted(found, key=lambda part: part.key)

    @property
    def whole(self) -> list[Way]:
        """The ways that are named in full: one, or several where the order of the parts matters."""
        return [way for way in self.ways if _left(way, self.taken) == []]

    def of(self, request: Request | None) -> Way | None:
        """Return the way that makes `request`, if one does."""
        return next((way for way in self.ways if way.choice.request == request), None)

    def and_then(self, part: Part) -> PartByPart:
        """Name one part more."""
        return self._replace(taken=(*self.taken, part))

    def back(self) -> PartByPart:
        """Take the last part back."""
        return self._replace(taken=self.taken[:-1])


def gathered(ways: Sequence[Way]) -> list[Way | PartByPart]:
    """Put the ways that are made of parts together under one entry a kind; a kind with one way
    alone stays that way."""
    kinds: dict[str, list[Way]] = {}
    for way in ways:
        if way.choice.parts is not None:
            kinds.setdefault(way.choice.parts.key, []).append(way)
    found: list[Way | PartByPart] = []
    for way in ways:
        alike = kinds.get(way.choice.parts.key, []) if way.choice.parts is not None else []
        if len(alike) < 2:
            found.append(way)
        elif way is alike[0]:
            found.append(PartByPart(tuple(alike)))
    return found


def gathered_choices(choices: Sequence[tuple[str | None, Choice]]) -> list[Way | PartByPart]:
    """Put choices, each with whose it is, together in the same way."""
    return gathered([Way(one.key, who, one) for who, one in choices])


def _left(way: Way, taken: Sequence[Part]) -> list[Part] | None:
    """Return the parts of a way not named yet; None if something is named that it does not have."""
    left = [] if way.choice.parts is None else list(way.choice.parts.parts)
    for part in taken:
        if part not in left:
            return None
        left.remove(part)
    return left
