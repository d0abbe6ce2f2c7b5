"""Which of the designs that were laid over a card are worth a close look."""

import math
from collections.abc import Sequence
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
    """What each design that was laid over a seen card explains of it at a rough look."""

    def __init__(self, query: Query, shown: SeenCard) -> None:
        self._query, self._shown = query, shown
        self._seen: list[tuple[float, Candidate]] = []

    @cached_property
    def _sketch(self) -> Sketch:
        return Sketch.of(self._shown.pixels, self._shown.in_sight)

    def nearest(self, laid: Sequence[Candidate], most: int) -> list[Candidate]:
        """At most so many designs, of these and of those that were asked about before, that come
        near, the nearest first; all of them if something lies on the card."""
        if not self._shown.whole:
            self._seen += [(0.0, one) for one in laid]
            return [one for _, one in self._seen]
        views = [self._query.library.template(one.index) for one in laid]
        parts = self._sketch.explained(views, [one.aligned.matrix for one in laid]).tolist() if laid else []
        self._seen = sorted([*self._seen, *zip(parts, laid, strict=True)], key=lambda seen: -seen[0])
        best = self._seen[0][0] if self._seen else 0.0
        # a hard shadow is not seen at a rough look: designs explain nothing of the card then
        least = FAR * best if best >= SOMETHING else -math.inf
        return [one for part, one in self._seen[:most] if part >= least]
