"""Reading a photo: every card that lies in it, named if sure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.detect import Outline, outlines
from vision.geometry import Quad, area, aspect
from vision.identify import Verdict, identify
from vision.library import Library
from vision.patch import WIDTH


@dataclass(frozen=True)
class Margins:
    """What a verdict must reach to be acted on.

    `likeness` and `lead`: least values for "sure"; `known`: likeness below which the card is of no design.
    """

    likeness: float = 0.7
    lead: float = 0.35
    known: float = 0.5


@dataclass(frozen=True)
class Reading:
    """One card found in a picture.

    `card`: the best guess, or None for a card of no enrolled design or its back. `sure`: whether the program
    would act on it. `confidence`: 0..1. `quad`: float32 (4, 2) pixels, clockwise; corner 0 is the card's own
    top left if `card` is named. `candidates`: (card, likeness 0..1), best first.
    """

    card: str | None
    sure: bool
    confidence: float
    quad: Quad
    candidates: tuple[tuple[str, float], ...] = ()


class Reader:
    """Reads single pictures with the views of one deck."""

    def __init__(self, library: Library, margins: Margins | None = None) -> None:
        self.library = library
        self.margins = margins or Margins()

    def read(self, image: NDArray[np.uint8]) -> list[Reading]:
        """Every card that lies in a BGR picture, from left to right.

        What has four straight sides but neither looks like an enrolled design nor has a card's shape and
        size is left out.
        """
        found = [r for outline in outlines(image) for r in self.judge(image, outline)]
        return sorted(self.cards_only(found), key=lambda r: float(r.quad[:, 0].mean()))

    def judge(self, image: NDArray[np.uint8], outline: Outline) -> list[Reading]:
        """Name what is in one outline; if that fails, in its rivals, and then in the outlines within it."""
        best = self._verdict(image, outline.quad)
        for quad in outline.alternatives:
            if best.sure:
                return [best]
            best = max(best, self._verdict(image, quad), key=lambda r: (r.sure, r.confidence))
        if best.sure or not outline.inside:
            return [best]
        within = [r for inside in outline.inside for r in self.judge(image, inside)]
        return within if any(r.sure for r in within) else [best]

    def _verdict(self, image: NDArray[np.uint8], quad: Quad) -> Reading:
        return self.weigh(identify(image, quad, self.library))

    def weigh(self, verdict: Verdict) -> Reading:
        """Apply the deck's margins to a verdict."""
        margins = self.margins
        confidence = float(np.clip(min(verdict.likeness, 0.5 + 0.5 * verdict.lead), 0, 1))
        sure = verdict.likeness >= margins.likeness and verdict.lead >= margins.lead
        card = verdict.card if verdict.likeness >= margins.known else None
        return Reading(card, sure, confidence, verdict.quad, verdict.candidates)

    def cards_only(self, found: list[Reading]) -> list[Reading]:
        """Drop unsure outlines whose shape or size is not that of the cards."""
        wanted = self.library.height / WIDTH
        sizes = [area(r.quad) for r in found if r.sure]
        usual = float(np.median(sizes)) if sizes else None
        kept = []
        for reading in found:
            shape = aspect(reading.quad) / wanted
            size = area(reading.quad) / usual if usual else 1.0
            if reading.sure or (0.8 < shape < 1.25 and 0.4 < size < 2.5):
                kept.append(reading)
        return kept
