"""Reading a photo: every card that lies in it, named if sure."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.complete import metric
from vision.detect import Outline, outlines, parts
from vision.geometry import NEXT, Quad, area, aspect, contains, is_gap, overlap
from vision.identify import Verdict, finish, identify, identifying
from vision.library import Library, Margins
from vision.markers import Seen, Stickers
from vision.patch import WIDTH

MOST_LOOKS, MOST_ROUNDS = 60, 3
"""Outlines of one picture that are looked at; rounds in which partly hidden cards are looked for."""

MOST_HIDDEN = 0.75
"""Part of a card that may lie under others for it to be looked at still."""


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

    def __init__(
        self, library: Library, margins: Margins | None = None, stickers: Stickers | None = None
    ) -> None:
        self.library = library
        self.margins = margins or library.margins
        self.stickers = stickers or Stickers({})

    def read(self, image: NDArray[np.uint8]) -> list[Reading]:
        """Every card that lies in a BGR picture, from left to right.

        What has four straight sides but neither looks like an enrolled design nor has a card's shape and
        size is left out.
        """
        looked_at = sorted(outlines(image), key=self.oddness)[:MOST_LOOKS]
        found = self.cards_only([r for outline in looked_at for r in self.judge(image, outline)])
        found += self.read_parts(image, found)
        found = named(found, self.stickers.find(image), self.stickers.cards)
        return sorted(found, key=lambda r: float(r.quad[:, 0].mean()))

    def oddness(self, outline: Outline) -> float:
        """How far an outline's shape is from the deck's cards: on a chequered cloth there are many others."""
        return abs(float(np.log(aspect(outline.quad) * WIDTH / self.library.height)))

    def read_parts(
        self, image: NDArray[np.uint8], whole: list[Reading], side: int | None = None
    ) -> list[Reading]:
        """Cards of which only a part is in sight, given those that were found whole; only named ones.

        In a fan each card found tells what is hidden of the next, so several rounds may be needed.
        """
        left = parts(image, [r.quad for r in whole if r.sure], side)
        found: list[Reading] = []
        for _ in range(MOST_ROUNDS):
            new = [r for outline in left if (r := self._part(image, outline, whole + found)) is not None]
            new = [r for i, r in enumerate(new) if not any(_mostly_same(r, other) for other in new[:i])]
            if not new:
                break
            found += new
            left = [o for o in left if any(0 < overlap(o.quad, r.quad) < 0.5 * area(o.quad) for r in new)]
        return found

    def _part(self, image: NDArray[np.uint8], outline: Outline, lying: list[Reading]) -> Reading | None:
        """The card of a completed outline if it is named for sure."""
        size = area(outline.quad)
        covers = [r.quad for r in lying if overlap(r.quad, outline.quad) > 0.01 * size]
        if sum(overlap(quad, outline.quad) for quad in covers) > MOST_HIDDEN * size:
            return None
        reading = self.weigh(identify(image, outline.quad, self.library, covers))
        return reading if reading.sure else None

    def judge(self, image: NDArray[np.uint8], outline: Outline) -> list[Reading]:
        """Name what is in one outline; if that fails, in its rivals, and then in the outlines within it."""
        return finish(self.judging(lambda: image, outline))

    def judging(
        self, look: Callable[[], NDArray[np.uint8]], outline: Outline
    ) -> Generator[None, None, list[Reading]]:
        """Do the work of `judge` in small steps, some milliseconds each.

        `look` gives the picture of the moment; each outline is read from the one at which its turn comes.
        """
        best = yield from self._verdict(look(), outline.quad)
        for quad in outline.alternatives:
            if best.sure:
                return [best]
            yield
            other = yield from self._verdict(look(), quad)
            best = max(best, other, key=lambda r: (r.sure, r.confidence))
        if best.sure or not outline.inside:
            return [best]
        within = []
        for inside in outline.inside:
            yield
            within += yield from self.judging(look, inside)
        return within if any(r.sure for r in within) else [best]

    def _verdict(self, image: NDArray[np.uint8], quad: Quad) -> Generator[None, None, Reading]:
        """Name what is in a quad: by its sticker if it carries one, else by its looks."""
        stuck = self.stickers.on(image, quad)
        if stuck is not None:
            return Reading(stuck[0], True, 1.0, stuck[1], ((stuck[0], 1.0),))
        return self.weigh((yield from identifying(image, quad, self.library)))

    def weigh(self, verdict: Verdict) -> Reading:
        """Apply the deck's margins to a verdict."""
        margins = self.margins
        confidence = float(np.clip(min(verdict.likeness, 0.5 + 0.5 * verdict.lead), 0, 1))
        sure = verdict.likeness >= margins.likeness and verdict.lead >= margins.lead
        card = verdict.card if verdict.likeness >= margins.known else None
        return Reading(card, sure, confidence, verdict.quad, verdict.candidates)

    def cards_only(self, found: list[Reading]) -> list[Reading]:
        """Drop unsure outlines whose shape or size is not that of the cards.

        Cards that are sure tell what a card's shape and size is near them under this camera; without any,
        only the deck's shape is known.
        """
        sure = [r.quad for r in found if r.sure]
        wanted = self.library.height / WIDTH
        return [
            r for r in found if r.sure or (of_card_shape(r.quad, sure, wanted) and not is_gap(r.quad, sure))
        ]


def named(readings: list[Reading], seen: list[Seen], cards: Mapping[int, str]) -> list[Reading]:
    """Let stickers name the cards they are on, for decks in which some cards carry one.

    `cards`: marker number to card id; other markers (the mat's) are passed over. A sticker outside every
    outline still stands for its card, with the marker's own quad.
    """
    result = list(readings)
    for marker in seen:
        card = cards.get(marker.id)
        if card is None:
            continue
        holder = next((i for i, r in enumerate(result) if contains(r.quad, marker.quad.mean(axis=0))), None)
        quad = marker.quad if holder is None else result[holder].quad
        reading = Reading(card, True, 1.0, quad, ((card, 1.0),))
        if holder is None:
            result.append(reading)
        else:
            result[holder] = reading
    return result


def _mostly_same(a: Reading, b: Reading) -> bool:
    return overlap(a.quad, b.quad) > 0.7 * min(area(a.quad), area(b.quad))


def of_card_shape(quad: Quad, sure: list[Quad], wanted: float) -> bool:
    """Whether a quad has the shape and size of the nearest of the cards that are sure.

    Without any it is only compared with `wanted`, the long by the short side.
    """
    if not sure:
        return 0.8 < aspect(quad) / wanted < 1.25
    nearest = min(sure, key=lambda q: float(((q.mean(axis=0) - quad.mean(axis=0)) ** 2).sum()))
    to_widths, height = metric(nearest)
    steps = (to_widths @ (quad[NEXT] - quad).T.astype(float)).T
    lengths = np.linalg.norm(steps, axis=1)
    one, other = (lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2
    short, long = min(one, other), max(one, other)
    return bool(0.8 < short < 1.25 and 0.85 < long / short / height < 1.18)
