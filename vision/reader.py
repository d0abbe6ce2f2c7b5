"""Reading a photo: every card that lies in it, named if sure."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.crossed import crossed
from vision.fitting.patch import WIDTH
from vision.geometry import Quad, area, aspect, overlap
from vision.library import Library, Margins
from vision.markers import Stickers
from vision.naming.case import Verdict
from vision.naming.identify import identifying, identifying_again, identifying_crossed
from vision.naming.response import Response, of_picture
from vision.outlines.covers import blanked, hidden_part, over
from vision.outlines.detect import Outline, outlines
from vision.outlines.keypoints import place
from vision.outlines.occlusion import MOST_HIDDEN, seeking
from vision.reading import (
    Reading,
    cards_only,
    each_once,
    is_piece,
    named,
    uppermost,
    whole_only,
    worth,
)
from vision.same_print import may_become_sure, verified, verified_part
from vision.steps import finish
from vision.touching import DOUBTFUL, parted

MOST_LOOKS, MOST_ROUNDS = 60, 5
"""Outlines of one picture that are looked at; rounds in which partly hidden cards are looked
for."""

ODD = float(np.log(1.25))
"""Oddness from which an outline is no card that no design explains: if nothing in it is named
either, cards of no design may lie in it still."""

CLEAR = 0.75
"""Confidence from which a sure card is not asked again: a rival that is nearer can be so by the
picture's ink alone."""

WORTH = 0.25
"""Confidence below which an unsure card is not read again when it is known how the picture renders
ink, and likeness below which a completed outline holds no card: it is of no design."""

SLANT = float(np.log(1.2))
"""Oddness of the cards that are sure up to which the camera looks down on the table."""

SIDEWAYS = 2.7
"""Long side by short side up to which a card may stand upright though it looks lower than wide: one
of 7 to 5 does so at 2.1 from a slant of 3 : 1, a quarter more at the table's far edge. Up to 2.2,
and only where the usual way explained less than 0.6, of 38 cards 33 were named at 2 : 1 and 25 at
3 : 1, now 34 and 32 (`bench.vision_outlines`)."""


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

        What has four straight sides but neither looks like an enrolled design nor has a card's
        shape and size is left out.
        """
        # Those most like a card first: what the limit cuts off is the least likely to be one.
        looked_at = sorted(outlines(image), key=self.oddness)[:MOST_LOOKS]
        first = [finish(self._verdict(image, outline.quad)) for outline in looked_at]
        # one camera in one light sees one print: what the clear cards tell of it holds for the
        # others
        response = of_picture([r.told for r in first if r.told is not None])
        closer = [self._closer(image, *one, response) for one in zip(looked_at, first, strict=True)]
        closer = self._parted(image, looked_at, closer)
        found = self._turned(image, looked_at, closer, response)
        if self.library.references and not (found and all(r.sure for r in found)):
            found = self._sought(image, found)
        found = whole_only(cards_only(each_once(found), self.tall), self.tall)
        # Asked once, at the end, and only of cards whose answer the verifier can change.
        found = verified(found)
        found = each_once([*found, *self.read_parts(image, found)])
        found = named(found, self.stickers.find(image), self.stickers.cards)
        return sorted(found, key=lambda r: float(r.quad[:, 0].mean()))

    def _closer(
        self, image: NDArray[np.uint8], outline: Outline, glance: Reading, response: Response | None
    ) -> list[Reading]:
        """What is in an outline that was glanced at: read anew in view of the response, or by other
        outlines, if not clear."""
        if response is None or glance.confidence < WORTH or (glance.sure and glance.confidence >= CLEAR):
            return finish(self.judging(lambda: image, outline, glance))
        again = finish(self._again(image, glance, response))
        if glance.told is not None and again.card != glance.card:
            # what makes a clear card another is not to be believed, nor is the card
            return [replace(again, sure=False, case=None)]
        return finish(self.judging(lambda: image, outline, max(glance, again, key=worth)))

    def _turned(
        self,
        image: NDArray[np.uint8],
        looked_at: Sequence[Outline],
        closer: Sequence[list[Reading]],
        response: Response | None,
    ) -> list[Reading]:
        """The readings of all outlines; what has no sure one is read the other way up where the
        table may be seen from a slant: a card that stands upright looks lower than wide then."""
        if not self.seen_aslant([r.quad for of_one in closer for r in of_one if r.sure]):
            return [r for of_one in closer for r in of_one]
        found: list[Reading] = []
        for outline, of_one in zip(looked_at, closer, strict=True):
            if any(r.sure for r in of_one) or aspect(outline.quad) > SIDEWAYS:
                found += of_one
                continue
            steps = self._verdict(image, outline.quad, response=response, least=WORTH, sideways=True)
            turned = finish(steps)
            better = all(worth(turned) > worth(r) for r in of_one)
            found += [turned] if better and (turned.sure or may_become_sure(turned)) else of_one
        return found

    def seen_aslant(self, sure: Sequence[Quad]) -> bool:
        """Whether the cards that are sure leave it open that the table is seen from a slant."""
        return not sure or max(self._oddness(quad) for quad in sure) >= SLANT

    def judging_sideways(
        self, image: NDArray[np.uint8], quad: Quad, response: Response | None
    ) -> Generator[None, None, list[Reading]]:
        """Name a card that stands upright though it looks lower than wide, in small steps; at once
        nobody if it looks too low for that."""
        if aspect(quad) > SIDEWAYS:
            return [Reading(None, False, 0.0, quad)]
        return [(yield from self._verdict(image, quad, response=response, sideways=True))]

    def _sought(self, image: NDArray[np.uint8], found: Sequence[Reading]) -> list[Reading]:
        """The readings, and the sure ones of cards of which no outline was read: a painted deck's
        print shows where its border must be, of others the pieces of the border tell."""
        known = self.library.keypoints
        if not known.is_painted:
            return crossed(image, found, self.tall, self._across)
        quads = place(image, known, [r.quad for r in found if r.sure])
        placed = (finish(self._verdict(image, quad)) for quad in quads)
        return [*found, *(r for r in placed if r.sure)]

    def _parted(
        self, image: NDArray[np.uint8], looked_at: Sequence[Outline], closer: Sequence[list[Reading]]
    ) -> list[list[Reading]]:
        """The readings of each outline; of one that holds two touching cards, theirs."""

        def half(image: NDArray[np.uint8], quad: Quad) -> Reading:
            return finish(self._verdict(image, quad, least=WORTH))

        sure, wanted = [r.quad for of_one in closer for r in of_one if r.sure], self.tall
        return [
            of_one
            if any(r.sure or r.confidence >= DOUBTFUL for r in of_one)
            else parted(image, outline.quad, sure, wanted, half) or of_one
            for outline, of_one in zip(looked_at, closer, strict=True)
        ]

    def _across(self, image: NDArray[np.uint8], quad: Quad) -> Reading | None:
        """What a card is by what shows beside what lies across it; None if nothing does."""
        verdict = finish(identifying_crossed(image, quad, self.library, least=WORTH))
        return None if verdict is None else self.weigh(verdict)

    @property
    def tall(self) -> float:
        """A card's long side by its short one."""
        return self.library.height / WIDTH

    def oddness(self, outline: Outline) -> float:
        """How far an outline's shape is from the deck's cards: on a chequered cloth there are many
        others."""
        return self._oddness(outline.quad)

    def _oddness(self, quad: Quad) -> float:
        return abs(float(np.log(aspect(quad) / self.tall)))

    def read_parts(
        self, image: NDArray[np.uint8], whole: Sequence[Reading], side: int | None = None
    ) -> list[Reading]:
        """Cards of which only a part is in sight, given those that were found whole; only named
        ones.

        In a fan each card found tells what is hidden of the next, so several rounds may be needed.
        """
        return finish(self.reading_parts(image, whole, side))

    def reading_parts(
        self,
        image: NDArray[np.uint8],
        whole: Sequence[Reading],
        side: int | None = None,
        likely: Callable[[Quad, list[Quad]], bool] = lambda quad, covers: True,
        settled: Callable[[Reading], Reading] = verified_part,
    ) -> Generator[None, None, list[Reading]]:
        """Do the work of `read_parts` in small steps, some milliseconds each; those found on top
        come first.

        `likely` says of a completed outline and what lies on it whether it is worth reading;
        `settled` makes its reading sure or not.
        """
        left = yield from seeking(image, [r.quad for r in whole if r.sure], side)
        found: list[Reading] = []
        for _ in range(MOST_ROUNDS):
            # an unsure card lies on what is completed there, too: by what shows of it, a card of no
            # design would be named that was whole in sight and had shown another print
            lying = [*whole, *found]
            named: list[tuple[Reading, Outline]] = []
            for outline in left:
                covers = over(outline.quad, [r.quad for r in lying])
                if hidden_part(outline.quad, covers) > MOST_HIDDEN or not likely(outline.quad, covers):
                    continue
                covers = over(outline.quad, [r.quad for r in lying if not is_piece(r, outline.quad)])
                yield
                (reading,) = yield from self.judging_part(image, outline.quad, covers, settled)
                if reading.sure:
                    named.append((reading, outline))
            new, put_off = uppermost(named)
            if not new:
                break
            found += new
            beside = [o for o in left if any(0 < overlap(o.quad, r.quad) < 0.5 * area(o.quad) for r in new)]
            left = [*put_off, *(o for o in beside if not any(o is other for other in put_off))]
        return found

    def judging_part(
        self,
        image: NDArray[np.uint8],
        quad: Quad,
        covers: Sequence[Quad],
        settled: Callable[[Reading], Reading] = verified_part,
    ) -> Generator[None, None, list[Reading]]:
        """Name the card in a completed quad by what lies outside its covers, in small steps.

        More may lie on it than is known, and a card of no design is named by what shows of it: so
        its print must be the same for certain.
        """
        reading = yield from self._verdict(image, quad, covers, least=WORTH)
        yield
        return [settled(reading)]

    def judge(self, image: NDArray[np.uint8], outline: Outline) -> list[Reading]:
        """Name what is in one outline; if that fails, in its rivals, and then in the outlines
        within it."""
        return finish(self.judging(lambda: image, outline))

    def judging(
        self,
        look: Callable[[], NDArray[np.uint8]],
        outline: Outline,
        glance: Reading | None = None,
        response: Response | None = None,
    ) -> Generator[None, None, list[Reading]]:
        """Do the work of `judge` in small steps, some milliseconds each.

        `look` gives the picture of the moment; each outline is read from the one at which its turn
        comes. `glance`: what was read in the outline itself, if it was. `response`: how the camera
        renders the deck's ink.
        """
        best = (
            glance
            if glance is not None
            else (yield from self._verdict(look(), outline.quad, response=response))
        )
        for quad in outline.alternatives:
            if best.sure:
                return [best]
            yield
            other = yield from self._verdict(look(), quad, response=response)
            best = max(best, other, key=worth)
        if best.sure or not outline.inside:
            return [best]
        within = []
        for inside in outline.inside:
            yield
            within += yield from self.judging(look, inside, response=response)
        no_card = self.oddness(outline) > ODD and not may_become_sure(best)
        return within if no_card or any(r.sure for r in within) else [best]

    def _verdict(
        self,
        image: NDArray[np.uint8],
        quad: Quad,
        covers: Sequence[Quad] = (),
        response: Response | None = None,
        least: float = 0.0,
        sideways: bool = False,
    ) -> Generator[None, None, Reading]:
        """Name what is in a quad, outside its covers: by its sticker if it carries one, else by its
        looks."""
        stuck = self.stickers.on(blanked(image, covers) if self.stickers.cards else image, quad)
        if stuck is not None:
            return Reading(stuck[0], True, 1.0, stuck[1], ((stuck[0], 1.0),))
        steps = identifying(
            image, quad, self.library, covers, response=response, least=least, sideways=sideways
        )
        # read as enrolled, a card tells nothing of the camera
        return self.weigh((yield from steps), telling=response is None)

    def _again(
        self, image: NDArray[np.uint8], glance: Reading, response: Response
    ) -> Generator[None, None, Reading]:
        """Name what was glanced at in view of the response; only designs that came near in the
        glance, if there are any."""
        if glance.case is None:
            return (yield from self._verdict(image, glance.quad, response=response))
        return self.weigh((yield from identifying_again(glance.case, response)), telling=False)

    def weigh(self, verdict: Verdict, telling: bool = True) -> Reading:
        """Apply the deck's margins to a verdict; `telling`: whether the card is asked what it tells
        of the camera."""
        margins = self.margins
        confidence = float(np.clip(min(verdict.likeness, 0.5 + 0.5 * verdict.lead), 0, 1))
        sure = verdict.likeness >= margins.likeness and verdict.lead >= margins.lead
        card = verdict.card if verdict.likeness >= margins.known else None
        leads = card is not None and verdict.lead >= margins.lead
        told = verdict.case.told() if verdict.case is not None and leads and telling else None
        return Reading(
            card, sure, confidence, verdict.quad, verdict.candidates, told, verdict.case, leads=leads
        )
