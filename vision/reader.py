"""Read a photo: find every card in it, and identify those that are sure.

The order matters: outlines are read first, the likeliest to be cards before the others; then cards
missed for low contrast, under things lying across, and without an outline; then partly hidden
cards, for which the sure ones show the size of a card and which card lies on which.
"""

from collections.abc import Callable, Generator, Sequence

from vision.geometry import Quad, make_rectangle, overlap_area, quad_area
from vision.outline_reader import OutlineReader, Picture
from vision.outlines.covers import find_covers, find_frame_covers, hidden_share
from vision.outlines.detect import Outline, find_outlines, iterate_quads
from vision.outlines.occlusion import MOST_HIDDEN, complete_outlines_in_steps
from vision.print_check import verify_partial_print, verify_prints
from vision.reading import (
    Reading,
    apply_stickers,
    demote_cut_off_cards,
    demote_small_cards,
    is_part_of_card,
    keep_card_shaped,
    remove_duplicate_readings,
    split_uppermost,
)
from vision.steps import run_to_end
from vision.still.second_pass import SecondPass
from vision.unenrolled_cards import name_whole_card

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
        looked_at = sorted(find_outlines(image), key=self.shape_deviation)[:MOST_LOOKS]
        look = SecondPass(self, image, looked_at)
        # Each print is verified once, and only where that can change something; missed cards are
        # sought when it is known which cards are sure.
        found = verify_prints(self._select_whole_cards(look.read_all()))
        for missed in (look.read_low_contrast, look.read_occluded, look.read_by_print):
            found = self._select_whole_cards([*found, *verify_prints(missed(found))])
        found = remove_duplicate_readings([*found, *self.read_partial_cards(image, found)])
        found = [name_whole_card(image, reading, self.library) for reading in found]
        shapes = [quad for quad, _ in iterate_quads(looked_at)]
        found = demote_small_cards(found, self.card_aspect, lambda reading: shapes)
        found = apply_stickers(found, self.stickers.find_stickers(image), self.stickers.cards)
        return sorted(found, key=lambda r: float(r.quad[:, 0].mean()))

    def _select_whole_cards(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the whole cards among readings, each once."""
        return demote_cut_off_cards(
            keep_card_shaped(remove_duplicate_readings(readings), self.card_aspect), self.card_aspect
        )

    def read_partial_cards(
        self, image: Picture, whole_cards: Sequence[Reading], side: int | None = None
    ) -> list[Reading]:
        """Find cards that are partly hidden, given those that were found whole; only sure ones are
        returned.

        In a fan each card found shows what is hidden of the next, so several rounds may be needed.
        """
        return run_to_end(self.read_partial_cards_in_steps(image, whole_cards, side))

    def read_partial_cards_in_steps(
        self,
        image: Picture,
        whole_cards: Sequence[Reading],
        side: int | None = None,
        is_likely: Callable[[Quad, list[Quad]], bool] = lambda quad, covers: True,
        verify: Callable[[Reading], Reading] = verify_partial_print,
    ) -> Generator[None, None, list[Reading]]:
        """Do the work of `read_partial_cards` in small steps of some milliseconds each; cards on
        top come first.

        `is_likely` decides, given a completed outline and its covers, whether it is worth reading;
        `verify` makes its reading sure or not.
        """
        left = yield from complete_outlines_in_steps(
            image, [r.quad for r in whole_cards if r.sure], self.card_aspect, side
        )
        frame = make_rectangle(image.shape[1], image.shape[0])
        found: list[Reading] = []
        for _ in range(MOST_ROUNDS):
            # unsure cards are covers, too: otherwise the visible part of a card of no design would
            # be identified, though the whole of it had shown another print
            known = [*whole_cards, *found]
            named: list[tuple[Reading, Outline]] = []
            for outline in left:
                edges = find_frame_covers(outline.quad, frame)
                covers = find_covers(outline.quad, [*(r.quad for r in known), *edges])
                if hidden_share(outline.quad, covers) > MOST_HIDDEN or not is_likely(outline.quad, covers):
                    continue
                others = [r.quad for r in known if not is_part_of_card(r, outline.quad)]
                covers = find_covers(outline.quad, [*others, *edges])
                yield
                (reading,) = yield from self.read_part_in_steps(image, outline.quad, covers, verify)
                if reading.sure:
                    named.append((reading, outline))
            new, put_off = split_uppermost(named)
            # without a new card on top, another round would find the same
            if not new:
                break
            found += new
            neighbours = [
                o
                for o in left
                if any(0 < overlap_area(o.quad, r.quad) < 0.5 * quad_area(o.quad) for r in new)
            ]
            left = [*put_off, *(o for o in neighbours if not any(o is other for other in put_off))]
        return found

    def read_outline(self, image: Picture, outline: Outline) -> list[Reading]:
        """Read one outline; if that fails, its rivals, and then the outlines within it."""
        return run_to_end(self.read_outline_in_steps(lambda: image, outline))
