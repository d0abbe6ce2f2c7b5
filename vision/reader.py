"""Read a photo: find every card in it, and identify those that are sure.

The order matters: outlines are read first, the likeliest to be cards before the others; then cards
missed for low contrast, under things lying across, and without an outline; then partly hidden
cards, for which the sure ones show the size of a card and which card lies on which.
"""

from collections.abc import Callable, Iterable, Sequence

from vision.geometry import Quad, make_rectangle, overlap_area, quad_area
from vision.outline_reader import OutlineReader, Picture
from vision.outlines.covers import find_covers, find_frame_covers, hidden_share
from vision.outlines.detect import (
    RIVAL,
    SAME,
    Outline,
    find_outlines_in_steps,
    intersection_over_union,
    iterate_quads,
)
from vision.outlines.occlusion import (
    MOST_HIDDEN,
    complete_displaced_cards_in_steps,
    complete_outlines_in_steps,
)
from vision.outlines.shape import touches_picture_edge
from vision.outlines.working_picture import WorkingPicture
from vision.picture_faults import is_colourless, shrink_to_blocks
from vision.print_check import verify_prints_in_steps
from vision.reading import (
    WHOLE,
    WITHIN,
    Reading,
    apply_stickers,
    demote_cut_off_cards,
    demote_unlike_cards,
    is_part_of_card,
    keep_card_shaped,
    remove_duplicate_readings,
    split_uppermost,
)
from vision.second_pass import SecondPass
from vision.steps import Steps, run_to_end
from vision.unenrolled_cards import name_whole_card_in_steps

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
        reader = self
        if is_colourless(shrink_to_blocks(image)):
            reader = Reader(self.library.without_colour, self.margins, self.stickers, self.astray)
        found = run_to_end(reader.read_in_steps(image))
        found = apply_stickers(found, self.stickers.find_stickers(image), self.stickers.cards)
        return sorted(found, key=lambda r: float(r.quad[:, 0].mean()))

    def read_in_steps(
        self,
        image: Picture,
        known: Sequence[Reading] = (),
        side: int | None = None,
        is_likely: Callable[[Quad, list[Quad]], bool] = lambda quad, covers: True,
    ) -> Steps[list[Reading]]:
        """Do the work of `read` in small steps, without stickers: cheap looks first, and the dear
        ones only where something is left that they might explain.

        `known`: cards that are sure already and are not read again; they come first in the result.
        `side`: the longer side in pixels of the whole frame, if `image` is only a part of it.
        `is_likely` decides, given an outline and what covers it, whether it is worth reading.
        """
        known_quads, picture = [r.quad for r in known], WorkingPicture(image, side)
        outlines = yield from find_outlines_in_steps(picture)
        # The likeliest cards first: the limit then cuts off the least likely.
        looked_at = sorted(
            (o for o in _list_new_outlines(outlines, known_quads) if is_likely(o.quad, [])),
            key=self.shape_deviation,
        )[:MOST_LOOKS]
        look = SecondPass(self, picture, looked_at, known)
        # Each print is verified once, and only where that can change something; missed cards are
        # sought when it is known which cards are sure.
        first = yield from look.read_all_in_steps()
        found = self._select_whole_cards((yield from verify_prints_in_steps([*known, *first])))
        # known cards are judged already, and may lie outside the picture
        found = yield from self._name_whole_cards(image, found, known_quads)
        for find_missed in (look.read_low_contrast, look.read_occluded, look.read_by_print):
            yield
            missed = yield from find_missed(found)
            missed = yield from verify_prints_in_steps(missed)
            missed = yield from self._name_whole_cards(image, missed)
            found = self._select_whole_cards([*found, *missed])
        # whole cards that are sure tell the size of those that are partly hidden
        partial = yield from self.read_partial_cards_in_steps(picture, found, is_likely)
        found = remove_duplicate_readings([*found, *partial])
        # the picture itself is no card: cards have the shape of its frame
        size = image.shape[1], image.shape[0]
        shapes = [quad for quad, _ in iterate_quads(looked_at) if not touches_picture_edge(quad, *size)]
        return demote_unlike_cards(found, self.card_aspect, lambda reading: shapes)

    def _name_whole_cards(
        self, image: Picture, readings: Sequence[Reading], judged: Sequence[Quad] = ()
    ) -> Steps[list[Reading]]:
        """Return these readings corrected by what any pack of 52 shows, those with a `judged` quad
        as they are."""
        named = []
        for one in readings:
            is_judged = any(one.quad is quad for quad in judged)
            named.append(
                one if is_judged else (yield from name_whole_card_in_steps(image, one, self.library))
            )
        return named

    def _select_whole_cards(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return the whole cards among readings, each once."""
        return demote_cut_off_cards(
            keep_card_shaped(remove_duplicate_readings(readings), self.card_aspect), self.card_aspect
        )

    def read_partial_cards_in_steps(
        self,
        picture: WorkingPicture,
        whole_cards: Sequence[Reading],
        is_likely: Callable[[Quad, list[Quad]], bool] = lambda quad, covers: True,
    ) -> Steps[list[Reading]]:
        """Find cards that are partly hidden, given those that were found whole, in small steps of
        some milliseconds each; only sure ones are returned, cards on top first.

        In a fan each card found shows what is hidden of the next, so several rounds may be needed.
        `is_likely` decides, given a completed outline and its covers, whether it is worth reading,
        unless a row, a column or a fan of known cards goes on there.
        """
        image = picture.image
        left = yield from complete_outlines_in_steps(
            picture, [r.quad for r in whole_cards if r.sure], self.card_aspect
        )
        new: Sequence[Reading] = whole_cards
        beside: list[Outline] = []
        frame = make_rectangle(image.shape[1], image.shape[0])
        found: list[Reading] = []
        for _ in range(MOST_ROUNDS):
            # unsure cards are covers, too: otherwise the visible part of a card of no design would
            # be identified, though the whole of it had shown another print
            known = [*whole_cards, *found]
            sure = [r.quad for r in known if r.sure]
            displaced = yield from complete_displaced_cards_in_steps(
                picture, [r.quad for r in new if r.sure], sure
            )
            beside += displaced
            left += [one for one in displaced if not _is_listed(one, left)]
            named: list[tuple[Reading, Outline]] = []
            for outline in left:
                # a guess beside a card that was just named would be under it for the greater part
                is_guess = any(outline is one for one in displaced)
                if is_guess and any(
                    intersection_over_union(outline.quad, one.quad) > RIVAL for one, _ in named
                ):
                    continue
                edges = find_frame_covers(outline.quad, frame)
                covers = find_covers(outline.quad, [*(r.quad for r in known), *edges])
                # what lay there from the start was taken for table, but a row goes on there
                if hidden_share(outline.quad, covers) > MOST_HIDDEN or not (
                    is_likely(outline.quad, covers) or _is_listed(outline, beside)
                ):
                    continue
                others = [r.quad for r in known if not is_part_of_card(r, outline.quad)]
                covers = find_covers(outline.quad, [*others, *edges])
                yield
                (reading,) = yield from self.read_part_in_steps(image, outline.quad, covers)
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


def _is_listed(outline: Outline, others: Sequence[Outline]) -> bool:
    """Check whether the same outline, or one as good as it, is among others."""
    return any(intersection_over_union(outline.quad, other.quad) > SAME for other in others)


def _list_new_outlines(outlines: Iterable[Outline], known: Sequence[Quad]) -> list[Outline]:
    """Leave out the outlines of known cards and of their parts; of what surrounds one, only the
    outlines within it are left."""
    new = []
    for outline in outlines:
        # compared by area, because a second outline of a card lies beside the first by some pixels
        shared = [(overlap_area(quad, outline.quad), quad_area(quad)) for quad in known]
        if any(area > WITHIN * quad_area(outline.quad) for area, _ in shared):
            continue
        if any(area > WHOLE * size for area, size in shared):
            new += _list_new_outlines(outline.inside, known)
        else:
            new.append(outline)
    return new
