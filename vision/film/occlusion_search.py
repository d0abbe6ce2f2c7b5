"""Searching a place of a film for partly hidden cards: what there nothing explains, and the search
itself in steps."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.film.association import Tracks
from vision.film.background import Background, fill
from vision.film.motion import Grid, KeptFrame, blocks
from vision.film.view import Matrix, is_still
from vision.geometry import Quad, area, begun_as, sides, transform
from vision.reader import Reader
from vision.reading import Reading
from vision.same_print import explained_part

UNEXPLAINED, A_PART = 384, 0.15
"""What looks like neither the bare table nor a card, from which a place is looked at again: small
pixels, as long as no card has a name, and then in parts of a card."""

LIKELY = 0.5
"""Part of what is in sight of a card that must be unexplained for it to be read: other completions
lie over the table."""

Mask = NDArray[np.bool_]


def unexplained(background: Background, tracks: Tracks, region: Grid, now: KeptFrame) -> Mask:
    """Where in a region, in small pixels, things lie that are neither table nor a card that is
    known or shows no face."""
    known = [
        track.quad
        for track in tracks.cards()
        if track.sure or (track.named is not None and track.named.card is None and not track.doubt)
    ]
    strange = background.unexplained(now.thumb, region, known, now.factor)
    sizes = [area(quad) / now.factor**2 for quad in tracks.sure()]
    least = A_PART * float(np.median(sizes)) if sizes else UNEXPLAINED
    _, names, boxes, _ = cv2.connectedComponentsWithStats(strange)
    large = boxes[:, cv2.CC_STAT_AREA] >= least
    large[0] = False
    return np.asarray(large[names], dtype=np.bool_)


class OcclusionSearch:
    """A search of one frame, round what is `strange` in it (small pixels), that has been begun.

    `began`: the moment of the frame; `region`, `blocks`: the place, and what is strange in it.
    """

    def __init__(
        self,
        reader: Reader,
        frame: NDArray[np.uint8],
        tracks: Tracks,
        region: Grid,
        strange: Mask,
        now: KeptFrame,
    ) -> None:
        self.region, self.began = region, now
        self._moved = np.eye(3)
        self.blocks: Grid = np.asarray(blocks(strange.astype(np.float32)) > 0, dtype=np.bool_)
        card = float(np.median([sides(quad).max() for quad in tracks.sure()]))
        rows, columns = np.nonzero(strange)
        low = np.array([columns.min(), rows.min()]) * now.factor - card
        high = np.array([columns.max() + 1, rows.max() + 1]) * now.factor + card
        left, top = (int(v) for v in np.maximum(low, 0))
        right, bottom = (int(v) for v in high)
        self._corner = np.array([left, top], dtype=np.float32)
        known = [
            replace(t.named, quad=begun_as(t.named.quad, t.quad) - self._corner)
            for t in tracks.cards()
            if t.named is not None
        ]
        crop = np.ascontiguousarray(frame[top:bottom, left:right])
        likely = _mostly(strange, self._corner, now.factor)
        self._work = reader.reading_parts(crop, known, max(frame.shape[:2]), likely, explained_part)

    def step(self) -> list[Reading] | None:
        """Do some milliseconds of work; at the end return the cards that were found, those on top
        first."""
        try:
            next(self._work)
        except StopIteration as end:
            return [replace(r, quad=transform(self._moved, r.quad + self._corner)) for r in end.value]
        return None

    @property
    def still(self) -> bool:
        """Whether the camera stands where it stood when the frame was taken."""
        return is_still(self._moved)

    def carry(self, step: Matrix) -> None:
        """The camera has moved: `step` maps pixels of the frame before to those of the newest."""
        self._moved = step @ self._moved


def _mostly(
    strange: Mask, corner: NDArray[np.float32], factor: int
) -> Callable[[Quad, Sequence[Quad]], bool]:
    """Tell of a card, by its quad and its covers' from `corner` on, whether what shows of it is
    mostly strange."""

    def likely(quad: Quad, covers: Sequence[Quad]) -> bool:
        card = np.zeros(strange.shape, dtype=np.uint8)
        fill(card, quad + corner, factor)
        for cover in covers:
            fill(card, cover + corner, factor, 0)
        seen = strange[card > 0]
        return seen.size > 0 and float(seen.mean()) > LIKELY

    return likely
