"""Select the designs that a seen card may be, each aligned with it as well as possible.

The choice narrows in steps, each slower and more exact: thumbnails of all views; a rough alignment
of the best views of `CANDIDATES` designs; an exact one of the best `CLOSE`. `comparison` then
compares these pixel by pixel.
"""

import math
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vision.fitting import thumbnails
from vision.fitting.align import EXACTLY, NEAR, Alignment, align_references, half_turn_matrix
from vision.fitting.crossing_objects import cut_without_crossing
from vision.fitting.patch import MARGIN, Patch, Pixels, cut_patch, visible_mask
from vision.fitting.template import extract_structure, reduce_picture
from vision.geometry import Quad
from vision.library import Library
from vision.naming.ink_response import Response, undo_response

Map = NDArray[np.float32]

CANDIDATES = 8
"""Most designs that are aligned."""

VIEWS = 3
"""Views of one design that are aligned: by thumbnails, a view taken in another light can beat the
design's own."""

CLOSE = 5
"""Designs that are compared pixel by pixel, and in pairs where they differ."""

TWINS = 3
"""Designs most like the best one that are compared with it in any case."""

TURNED = 0.15
"""Difference of the thumbnails' correlations below which a view is tried either way up."""

GLANCE, PROMISING, PROMISING_PART, PLAIN, BEHIND = 0.1, 0.4, 0.3, 0.92, 0.35
"""Correlations of thumbnails: below the first three no design comes near, at a first glance
(`GLANCE`) and with shifts tried, of a card in full sight (`PROMISING`: of 434 read in photographs
in `../shared`, one has 0.40 and all others 0.53 and more) and of one partly hidden
(`PROMISING_PART`). From `PLAIN`, shifts are not tried on a card in full sight, because the outline
is right. `BEHIND`: how much less than the best a view of such a card may have to be aligned, the
second design excepted: the card's own has 0.22 less at most there."""

ROUGH, ROUNDS = 4, 12
"""Most steps of alignment, at first and then."""

ROUGH_A_STEP = 16
"""Rough alignments in one step of work."""

HOPELESS = 4.0
"""Factor by which a design fits worse than the best after alignment from which it is dropped."""


@dataclass(frozen=True)
class CardQuery:
    """A card cut out upright, a mask of its visible part (None: all of it), and the views it is
    compared with."""

    patch: Patch
    quad: Quad
    visible: Map | None
    library: Library
    allowed: NDArray[np.bool_]
    occluded: bool = False
    """Whether all of the card shows except for things that lie across it, marked in
    `patch.burnt`."""

    @classmethod
    def from_crossed_card(cls, image: NDArray[np.uint8], quad: Quad, library: Library) -> Self | None:
        """Cut out as `from_picture` does, without the things that lie across the card; None if
        there are none."""
        patch = cut_without_crossing(image, quad, library.patch_height)
        if patch is None or patch.burnt is None:
            return None
        shows = np.pad(1 - patch.burnt.astype(np.float32), MARGIN, mode="edge")
        return cls(patch, quad, shows, library, np.ones(len(library.references), dtype=np.bool_), True)

    @classmethod
    def from_picture(
        cls,
        image: NDArray[np.uint8],
        quad: Quad,
        library: Library,
        covers: Sequence[Quad],
        excluded: str | None = None,
        response: Response | None = None,
    ) -> Self:
        """Cut a card out of a BGR picture, `quad` starting at its top; the rest as in
        `identify_card`."""
        allowed = np.array([r.card != excluded for r in library.references])
        patch = cut_patch(image, quad, library.patch_height)
        visible = visible_mask(quad, library.patch_height, covers) if len(covers) else None
        query = cls(patch, quad, visible, library, allowed)
        return query if response is None else query.with_response(response)

    def with_response(self, response: Response) -> Self:
        """Convert the card to how its print would look if the picture rendered ink as the enrolled
        one does; an overexposed card is unchanged, because the light alone makes its ink paler."""
        if self.patch.overexposed is not None:
            return self
        patch = replace(self.patch, pixels=undo_response(self.patch.pixels, response))
        return replace(self, patch=patch)

    @cached_property
    def structure(self) -> Pixels:
        """The picture used for alignment, stored because it is needed twice: for the candidates and
        for their twins."""
        return extract_structure(self.patch.pixels)

    @cached_property
    def structure_mask(self) -> Map | None:
        """The visible part, in the size of `structure`."""
        return None if self.visible is None else reduce_picture(self.visible)


@dataclass(frozen=True)
class Candidate:
    """View number `index` of the library aligned with a seen card; `upside`: the card lies upside
    down in its outline."""

    index: int
    upside: bool
    aligned: Alignment


def align_candidates(query: CardQuery) -> Generator[None, None, list[Candidate]]:
    """Align the promising views roughly, and those that then fit best exactly."""
    small, library, visible = query.structure, query.library, query.structure_mask
    starts = thumbnails.start_transforms(library.patch_height)
    shortlist = _shortlist_views(query)
    yield
    rough = []
    # in portions, so that no step takes long
    for first in range(0, len(shortlist), ROUGH_A_STEP):
        some = shortlist[first : first + ROUGH_A_STEP]
        templates = [library.get_template(index) for index, _ in some]
        found = align_references(small, templates, [starts[start] for _, start in some], ROUGH, visible, NEAR)
        rough += [
            Candidate(index, start >= len(thumbnails.JITTER), one)
            for (index, start), one in zip(some, found, strict=True)
        ]
        # each step of work ends here: between two, the next frame may be processed
        yield
    rough = _keep_best_view_per_design(sorted(rough, key=lambda one: one.aligned.rest), library)
    worth = [one for one in rough[:CLOSE] if one.aligned.rest < HOPELESS * rough[0].aligned.rest]
    # At least two: a design without a rival would lead completely
    # (`comparison.LeadTable.find_winner`).
    better = worth if len(worth) > 1 else rough[:2]
    fine = align_references(
        small,
        [library.get_template(one.index) for one in better],
        [one.aligned.matrix for one in better],
        ROUNDS,
        visible,
    )
    yield
    most = HOPELESS * min((laid.rest for laid in fine), default=0.0)
    return [replace(one, aligned=laid) for one, laid in zip(better, fine, strict=True) if laid.rest <= most]


def reuse_candidates(known: Sequence[Candidate]) -> list[Candidate]:
    """Reuse candidates aligned with the same card in another rendering of its ink: good enough for
    a rough look, to be aligned again for a close one (`align_exactly`)."""
    return [replace(one, aligned=replace(one.aligned, rest=math.inf)) for one in known]


def _realign_candidates(query: CardQuery, known: Sequence[Candidate]) -> list[Candidate]:
    """Align the candidates with the card exactly, from where they lie."""
    templates = [query.library.get_template(one.index) for one in known]
    starts = [one.aligned.matrix for one in known]
    laid = align_references(query.structure, templates, starts, ROUNDS, query.structure_mask, EXACTLY)
    return [replace(one, aligned=aligned) for one, aligned in zip(known, laid, strict=True)]


def find_look_alikes(query: CardQuery, best: Candidate, known: Collection[str]) -> list[Candidate]:
    """Return the designs most like that of `best` that are not among the `known`, placed where that
    lies, not aligned themselves yet.

    A shadow or a finger may have hidden from the thumbnails what distinguishes two look-alikes.
    """
    library = query.library
    turn = half_turn_matrix(library.patch_height)
    return [
        Candidate(
            index,
            best.upside != turned,
            Alignment(best.aligned.matrix @ turn if turned else best.aligned.matrix, math.inf),
        )
        for index, turned in library.find_similar_views(best.index, TWINS)
        if library.references[index].card not in known and query.allowed[index]
    ]


def align_exactly(query: CardQuery, designs: Sequence[Candidate]) -> list[Candidate]:
    """Align those designs exactly that have not been so far."""
    # an infinite rest marks a design that was only placed, by `find_look_alikes` or
    # `reuse_candidates`
    rough = [one for one in designs if math.isinf(one.aligned.rest)]
    well = iter(_realign_candidates(query, rough) if rough else ())
    return [next(well) if math.isinf(one.aligned.rest) else one for one in designs]


def _shortlist_views(query: CardQuery) -> list[tuple[int, int]]:
    """Choose the best views of each promising design, with the start that suits each."""
    if not query.library.references:
        return []
    starts, scores = _score_starts(query)
    best = scores.max(axis=0)
    most = float(best.max())
    in_sight = query.visible is None
    if most < (PROMISING if in_sight else PROMISING_PART):
        return []
    chosen: dict[str, list[int]] = {}
    # -1 marks the views that are not allowed
    for index in (int(i) for i in np.argsort(-best) if best[i] > -1.0):
        # at least two designs: one without a rival would lead completely
        if in_sight and best[index] < most - BEHIND and len(chosen) > 1:
            break
        card = query.library.references[index].card
        # further views of designs already chosen, and further designs up to the limit
        if len(chosen.get(card, ())) < VIEWS and (card in chosen or len(chosen) < CANDIDATES):
            chosen.setdefault(card, []).append(index)
    return [
        (index, starts[start])
        for views in chosen.values()
        for index in views
        for start in _select_starts(scores[:, index])
    ]


def _score_starts(query: CardQuery) -> tuple[Sequence[int], NDArray[np.float32]]:
    """Return the indices of the starts that are tried, those of one way up first, and the
    correlation of the card's thumbnail with each view under each of them (starts x views)."""
    height, soft = query.library.patch_height, thumbnails.soften_patch(query.patch.pixels)
    mask = None if query.visible is None else thumbnails.descriptor_mask(query.visible, height)

    def correlate_starts(starts: Sequence[int]) -> NDArray[np.float32]:
        found = thumbnails.correlate_descriptors(soft, height, starts, query.library.descriptors, mask)
        found[:, ~query.allowed] = -1.0
        return found

    trusted = correlate_starts(thumbnails.AS_TRUSTED)
    # a clear match, or none at all: trying shifts would not change that
    fits = mask is None and float(trusted.max()) >= PLAIN
    if fits or float(trusted.max()) < GLANCE:
        return thumbnails.AS_TRUSTED, trusted
    every = range(len(thumbnails.start_transforms(height)))
    return every, correlate_starts(every)


def _select_starts(scores: NDArray[np.float32]) -> list[int]:
    """Return the best start of a view, and the best the other way up if that is nearly as good: a
    sword has two ends."""
    half = len(scores) // 2
    upright, upside = int(scores[:half].argmax()), half + int(scores[half:].argmax())
    best = max(float(scores[upright]), float(scores[upside]))
    return [start for start in (upright, upside) if float(scores[start]) > best - TURNED]


def _keep_best_view_per_design(laid: list[Candidate], library: Library) -> list[Candidate]:
    """Keep the first view of each design, in the order given."""
    first: dict[str, Candidate] = {}
    for one in laid:
        first.setdefault(library.references[one.index].card, one)
    return list(first.values())
