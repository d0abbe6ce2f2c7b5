"""Read a photo: find every card in it, and identify those that are sure.

The order matters: outlines are read first, the likeliest to be cards before the others; then cards
missed for low contrast, under things lying across, and without an outline; then partly hidden
cards, for which the sure ones show the size of a card and which card lies on which.
"""

from collections.abc import Callable, Generator, Sequence

from vision.first_sight import at_first_sight
from vision.geometry import Quad, area, overlap, rectangle
from vision.outline_reader import OutlineReader, Picture
from vision.outlines.covers import beyond, hidden_part, over
from vision.outlines.detect import Outline, everything, outlines
from vision.outlines.occlusion import MOST_HIDDEN, seeking
from vision.reading import Reading, cards_only, each_once, is_piece, named, of_one_size, uppermost, whole_only
from vision.same_print import verified, verified_part
from vision.steps import finish
from vision.still.second_look import SecondLook

MOST_LOOKS, MOST_ROUNDS = 60, 5
"""Most outlines of one picture that are read; most rounds in which partly hidden cards are
sought."""


class Reader(OutlineReader):
    """Reads single pictures with the views of one deck."""

    def read(self, image: Picture) -> list[Reading]:
        """Find every card that lies in a BGR picture, from left to right.

        Things with four straight sides that neither look like an enrolled design nor have a card's
        shape and size are left out.
        """
        # The likeliest cards first: the limit then cuts off the least likely.
        looked_at = sorted(outlines(image), key=self.oddness)[:MOST_LOOKS]
        look = SecondLook(self, image, looked_at)
        # Each print is verified once, and only where that can change something; missed cards are
        # sought when it is known which cards are sure.
        found = verified(self._whole(look.readings()))
        for missed in (look.low_contrast, look.occluded, look.placed):
            found = self._whole([*found, *verified(missed(found))])
        found = each_once([*found, *self.read_parts(image, found)])
        found = [at_first_sight(image, reading, self.library) for reading in found]
        shapes = [quad for quad, _ in everything(looked_at)]
        found = of_one_size(found, self.tall, lambda reading: shapes)
        found = named(found, self.stickers.find(image), self.stickers.cards)
        return sorted(found, key=lambda r: float(r.quad[:, 0].mean()))

    def _whole(self, found: Sequence[Reading]) -> list[Reading]:
        """Return the whole cards among readings, each once."""
        return whole_only(cards_only(each_once(found), self.tall), self.tall)

    def read_parts(self, image: Picture, whole: Sequence[Reading], side: int | None = None) -> list[Reading]:
        """Find cards that are partly hidden, given those that were found whole; only sure ones are
        returned.

        In a fan each card found shows what is hidden of the next, so several rounds may be needed.
        """
        return finish(self.reading_parts(image, whole, side))

    def reading_parts(
        self,
        image: Picture,
        whole: Sequence[Reading],
        side: int | None = None,
        likely: Callable[[Quad, list[Quad]], bool] = lambda quad, covers: True,
        settled: Callable[[Reading], Reading] = verified_part,
    ) -> Generator[None, None, list[Reading]]:
        """Do the work of `read_parts` in small steps of some milliseconds each; cards on top come
        first.

        `likely` decides, given a completed outline and its covers, whether it is worth reading;
        `settled` makes its reading sure or not.
        """
        left = yield from seeking(image, [r.quad for r in whole if r.sure], self.tall, side)
        frame = rectangle(image.shape[1], image.shape[0])
        found: list[Reading] = []
        for _ in range(MOST_ROUNDS):
            # unsure cards are covers, too: otherwise the visible part of a card of no design would
            # be identified, though the whole of it had shown another print
            lying = [*whole, *found]
            named: list[tuple[Reading, Outline]] = []
            for outline in left:
                edges = beyond(outline.quad, frame)
                covers = over(outline.quad, [*(r.quad for r in lying), *edges])
                if hidden_part(outline.quad, covers) > MOST_HIDDEN or not likely(outline.quad, covers):
                    continue
                others = [r.quad for r in lying if not is_piece(r, outline.quad)]
                covers = over(outline.quad, [*others, *edges])
                yield
                (reading,) = yield from self.judging_part(image, outline.quad, covers, settled)
                if reading.sure:
                    named.append((reading, outline))
            new, put_off = uppermost(named)
            # without a new card on top, another round would find the same
            if not new:
                break
            found += new
            beside = [o for o in left if any(0 < overlap(o.quad, r.quad) < 0.5 * area(o.quad) for r in new)]
            left = [*put_off, *(o for o in beside if not any(o is other for other in put_off))]
        return found

    def judge(self, image: Picture, outline: Outline) -> list[Reading]:
        """Read one outline; if that fails, its rivals, and then the outlines within it."""
        return finish(self.judging(lambda: image, outline))
