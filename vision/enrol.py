"""Adding reference views to a deck."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.detect import Outline, outlines
from vision.errors import LibraryError, PhotoError
from vision.geometry import Quad, area, aspect, centre, contains, is_gap
from vision.labels import Label, LabelledPhoto
from vision.library import Library
from vision.reader import Reading, of_card_shape

CLEAR = 0.75
"""Least support of an outline that is enrolled without anyone pointing at it."""

MOST_VIEWS = 5
"""Views of one design that are kept; more cost time and tell little."""


@dataclass(frozen=True)
class Enrolment:
    """What came of enrolling from photos: views added, and plain sentences on what could not be used."""

    added: int
    problems: tuple[str, ...]


def from_photos(library: Library, photos: Iterable[LabelledPhoto]) -> Enrolment:
    """Add a view for every labelled card; photos that cannot be read are reported and passed over."""
    added, problems = 0, []
    for labelled in photos:
        try:
            image = photo.load(labelled.path)
        except PhotoError as error:
            problems.append(str(error))
            continue
        found = outlines(image)
        for label in labelled.cards:
            quad = outline_of(found, label)
            if quad is None:
                problems.append(
                    f"{labelled.name}: no outline round {label.card}; mark its corners or retake."
                )
                continue
            library.add(label.card, image, quad)
            added += 1
    return Enrolment(added, tuple(problems))


def outline_of(found: list[Outline], label: Label) -> Quad | None:
    """The card's outline: the one found round the label's point, or else the corners marked in the label."""
    for outline in found:
        if contains(outline.quad, (label.x, label.y)):
            return outline.quad
    return label.quad


def sheet(library: Library, image: NDArray[np.uint8], first: str, order: Sequence[str]) -> list[str]:
    """Add the cards laid out in a grid: the first is named, the rest follow the deck's `order`.

    Cards are counted row by row as they lie in the picture, from the top left. Returns the ids in that
    order. Raises `LibraryError` if `first` is not in `order`, or more cards lie there than follow it.
    """
    if first not in order:
        raise LibraryError(f"{first} is not a card of this deck.")
    quads = [quad for row in grid(_cards(image)) for quad in row]
    following = list(order[order.index(first) :])
    if not quads:
        raise LibraryError("No card is in sight: lay them apart, on a cloth of another colour.")
    if len(quads) > len(following):
        raise LibraryError(f"{len(quads)} cards lie there, but only {len(following)} follow from {first} on.")
    for card, quad in zip(following, quads, strict=False):
        library.add(card, image, quad)
    return following[: len(quads)]


def grid(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Rows of cards from top to bottom, each from left to right; a new row starts below the last one's middles."""
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda q: float(centre(q)[1])):
        tall = float(np.ptp(quad[:, 1]))
        if rows and float(centre(quad)[1]) - np.mean([centre(q)[1] for q in rows[-1]]) < 0.5 * tall:
            rows[-1].append(quad)
        else:
            rows.append([quad])
    return [sorted(row, key=lambda q: float(centre(q)[0])) for row in rows]


def _cards(image: NDArray[np.uint8]) -> list[Quad]:
    """The clear outlines of the usual shape and size: a phone beside the cards, a grain in the wood are left out."""
    found = sorted((o.quad for o in outlines(image) if o.support > CLEAR), key=area)
    if not found:
        return []
    usual = found[len(found) // 2]
    alike = [quad for quad in found if of_card_shape(quad, [usual], aspect(usual))]
    return [quad for quad in alike if not is_gap(quad, alike)]


class Capture:
    """One-by-one enrolment with automatic capture: lay a card, wait for the sign, lay the next.

    Feed frames to `see`; a card is taken once, when it has lain still for `REST` seconds. The next must
    lie somewhere else, or come after the table was empty.
    """

    REST = 0.4

    def __init__(self, library: Library, order: Iterable[str]) -> None:
        self.library = library
        self._left = list(order)
        self._last: Quad | None = None
        self._since = 0.0
        self._taken = False

    @property
    def awaited(self) -> str | None:
        """The card that is to be laid down next, or None when all are enrolled."""
        return self._left[0] if self._left else None

    def see(self, frame: NDArray[np.uint8], t_seconds: float) -> str | None:
        """Take in a BGR frame; the id of the card that was just enrolled, or None."""
        found = _cards(frame)
        if len(found) != 1 or self.awaited is None:
            self._last, self._taken = None, self._taken and bool(found)
            return None
        shift = np.inf if self._last is None else float(np.abs(centre(found[0]) - centre(self._last)).max())
        if shift > 4.0:
            self._taken = self._taken and shift < 40.0
            self._last, self._since = found[0], t_seconds
        if self._taken or t_seconds - self._since < self.REST:
            return None
        card = self._left.pop(0)
        self.library.add(card, frame, found[0])
        self._taken = True
        return card


def copies(readings: Iterable[Reading]) -> dict[str, int]:
    """How many copies of each design lie there, counting what is sure: for checking that a deck is complete."""
    return dict(Counter(r.card for r in readings if r.sure and r.card is not None))


def learn(library: Library, image: NDArray[np.uint8], reading: Reading, card: str) -> None:
    """Add a further view of `card` from a reading that was unsure and that the table has confirmed."""
    if library.views(card) < MOST_VIEWS:
        library.add(card, image, reading.quad)
