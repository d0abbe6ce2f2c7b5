"""Which of the designs that were laid over a card are worth a close look."""

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

from vision.fitting.sketch import Sketch
from vision.naming.candidates import Candidate, Query
from vision.naming.explain import SeenCard

FAR, SOMETHING = 0.2, 0.3
"""What a design explains at a rough look, in parts of what the best does, below which it is not
explained closely; and what the best must explain for that (`vision.fitting.sketch`)."""

CLOSELY = 3
"""Designs that are explained closely: the winner and the two rivals that come nearest at a rough
look. Of 566 cards of `bench.vision_tables`, whose rivals were all explained, two would have been
decided otherwise by these two rivals alone, and of neither was anything explained."""


class RoughLook:
    """What each design that was laid over a seen card explains of it at a rough look; each is told
    of once."""

    def __init__(self, query: Query, shown: SeenCard) -> None:
        self._query, self._shown = query, shown
        self._seen: list[tuple[float, Candidate]] = []
        self._told_of: set[int] = set()

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch.of(self._shown.few, self._shown.few_in_sight)

    def nearest(self, laid: Sequence[Candidate], most: int) -> list[Candidate]:
        """What is new among the designs that come near, at most so many of these and of those that
        were asked about before; the nearest first, and all if something lies on the card."""
        if not self._shown.whole:
            self._seen += [(0.0, one) for one in laid]
            return self.rest()
        views = [self._query.library.template(one.index) for one in laid]
        parts = self._sketch.explained(views, [one.aligned.matrix for one in laid]).tolist() if laid else []
        self._seen = sorted([*self._seen, *zip(parts, laid, strict=True)], key=lambda seen: -seen[0])
        best = self._seen[0][0] if self._seen else 0.0
        # a hard shadow is not seen at a rough look: designs explain nothing of the card then
        least = FAR * best if best >= SOMETHING else -math.inf
        return self._new(one for part, one in self._seen[:most] if part >= least)

    def rest(self) -> list[Candidate]:
        """The designs that were not told of yet."""
        return self._new(one for _, one in self._seen)

    def _new(self, designs: Iterable[Candidate]) -> list[Candidate]:
        new = [one for one in designs if id(one) not in self._told_of]
        self._told_of.update(id(one) for one in new)
        return new
