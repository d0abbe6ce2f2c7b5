"""The evening's log for views: it stays as it is, and shares all but its end with the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import overload

import msgspec

from companion.rules.contract import Text

PIECE = 64
"""Lines a piece: a step copies one piece and the list of pieces: 4,000 acts cost it as 40 do."""


class Line(msgspec.Struct, frozen=True):
    """One line of the evening's log: the act's number (for corrections), what happened in words,
    and whether it still stands."""

    act: int
    text: Text
    stands: bool = True


class Lines(Sequence[Line]):
    """Lines of a log, oldest first. Never changes; `replaced` gives another."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: Sequence[tuple[Line, ...]] = ()) -> None:
        self._pieces = tuple(pieces)

    def replaced(self, begin: int, lines: Sequence[Line]) -> Lines:
        """Return the first `begin` of these lines, followed by `lines`."""
        whole = begin // PIECE
        rest = [*chain.from_iterable(self._pieces[whole : whole + 1])][: begin - whole * PIECE]
        rest += lines
        pieces = [tuple(rest[at : at + PIECE]) for at in range(0, len(rest), PIECE)]
        return Lines((*self._pieces[:whole], *pieces))

    def since(self, before: Lines) -> int:
        """Return how many lines at the beginning are the very same in both; pieces that both share
        are not looked at."""
        same = 0
        for here, there in zip(self._pieces, before._pieces, strict=False):
            if here is not there:
                for one, other in zip(here, there, strict=False):
                    if one != other:
                        break
                    same += 1
                break
            same += len(here)
        return same

    def __len__(self) -> int:
        return (len(self._pieces) - 1) * PIECE + len(self._pieces[-1]) if self._pieces else 0

    def __iter__(self) -> Iterator[Line]:
        return chain.from_iterable(self._pieces)

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Line, ...]: ...
    def __getitem__(self, at: int | slice) -> Line | tuple[Line, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = range(len(self))[at]
        return self._pieces[place // PIECE][place % PIECE]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and self._pieces == other._pieces

    def __hash__(self) -> int:
        return hash(self._pieces[-1:])

    def __repr__(self) -> str:
        return f"Lines({list(self)!r})"
