"""From frames to cards: the watcher for a moving scene, the reader for photos that stand alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame
from companion.table.decks import MARKERS
from vision.film.presence import Presence
from vision.film.watch import Watcher
from vision.geometry import Quad, area, overlap
from vision.library import Library
from vision.markers import Stickers
from vision.naming.response import InkSums
from vision.reader import Reader

SAME = 0.4
"""Part of the smaller of two outlines that must lie over the other for both to be of one card."""


class Eyes:
    """Names the cards of one deck in frame after frame.

    `markers`: the designs that carry a printed marker, by its number.
    """

    def __init__(self, library: Library, markers: Mapping[int, str] | None = None) -> None:
        stickers = Stickers(markers, MARKERS) if markers else None
        self._library = library = Library(
            library.references, library.margins
        )  # its own: it learns between two frames
        self._learnt: SimpleQueue[tuple[str, NDArray[np.uint8], Quad]] = SimpleQueue()
        self._watcher = Watcher(library, stickers=stickers)
        self._reader = Reader(library, stickers=stickers)
        self._numbers = itertools.count(1)

    def see(self, frame: Frame) -> list[Presence]:
        """Return the cards that lie on the table, as far as this frame and those before it tell."""
        if frame.alone or not self.busy:
            self._take_up()
        if frame.alone:
            return [
                Presence(
                    next(self._numbers), r.card, r.sure, r.confidence, r.quad, frame.at, True, r.candidates
                )
                for r in self._reader.read(frame.image)
            ]
        return distinct(self._watcher.see(frame.image, frame.at))

    def go_on(self) -> list[Presence] | None:
        """Do one more step of the reading that was begun; return the cards if that ended it, else
        None."""
        return distinct(self._watcher.lying) if self._watcher.go_on() else None

    def learn(self, design: str, image: NDArray[np.uint8], quad: Quad) -> None:
        """Know `design` by a further view too, the card in `quad` of the BGR `image`; safe from any
        thread.

        It is taken up once no card is being read: before the next photo, in a film when the table
        is calm.
        """
        self._learnt.put((design, image, quad))

    def _take_up(self) -> None:
        while not self._learnt.empty():
            self._library.add(*self._learnt.get())

    @property
    def ink(self) -> tuple[InkSums, ...]:
        """What clear cards have told of how this camera shows the deck's ink, the newest last."""
        return self._watcher.ink

    def remember(self, ink: Iterable[InkSums]) -> None:
        """Begin with what was told before the evening was broken off."""
        self._watcher.remember(ink)

    @property
    def begun(self) -> bool:
        """Whether reading was begun that `go_on` could go on with."""
        return self._watcher.begun

    @property
    def busy(self) -> bool:
        """Whether something moves on the table, or lies there that has not been named yet."""
        return self._watcher.busy

    @property
    def drift(self) -> tuple[float, float]:
        """How far the camera has moved since calibration, in pixels; infinite when unknown."""
        return self._watcher.drift

    def forget_drift(self) -> None:
        """Note that the table has been calibrated anew."""
        self._watcher.forget_drift()


def distinct(seen: list[Presence]) -> list[Presence]:
    """Leave out what is seen twice: a card whose outline is found anew, a little otherwise, while
    the old one is still followed.

    Of two outlines over one another that name the same card the older stays; of one that is named
    and one that is not, the named one.
    """
    kept: list[Presence] = []
    for one in sorted(seen, key=lambda one: (one.card is None, one.id)):
        smallest = SAME * area(one.quad)
        if not any(
            one.card in (None, other.card)
            and overlap(one.quad, other.quad) > min(smallest, SAME * area(other.quad))
            for other in kept
        ):
            kept.append(one)
    return sorted(kept, key=lambda one: one.id)
