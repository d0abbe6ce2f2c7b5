"""Estimate how a camera renders the ink of a deck's print: one change of colour for all cards of a
picture.

The light on a card is estimated from its own paper (`lighting.fit_lighting`). The rest is the ink:
another exposure, white balance, tone curve or print run makes all ink of a picture stronger or
weaker, or turns its colour, on every card alike. The *density* of a pixel is the logarithm of the
ratio of the card's paper to it, for each channel; a response is the 3 x 3 matrix that turns the
densities of the enrolled deck into those of the picture. It changes hatching, blank and plain ink
by one rule, so it does not turn one into another, as a free choice of light for every card could.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.align import Matrix
from vision.fitting.patch import WITHOUT_MARGIN, Pixels, crop_margin, estimate_paper_colour, warp_picture

Response = NDArray[np.float64]

STRENGTH, COLOUR = 1.0, 0.25
"""How far, in parts, the strength and the colour of the ink of one picture may be expected to
differ from the deck's."""

NOISE = 0.1**2
"""Squared difference of density that means nothing: shading across a card, and edges."""

STRANGE = 0.5**2
"""Squared difference of density that no rendering of the ink explains: a finger, a reflection, a
place that is not aligned."""

BLACK = 0.08
"""Part of the paper's brightness that even black ink reflects, or the lens spreads over it: no
density is greater."""

DIM = np.float32(0.05)
"""Brightness, in parts of full scale, below which a pixel is not paper."""

SMALL, SOFT = 4, 1.5
"""Factor by which pictures are shrunk for comparing densities, and the blur in their pixels, so
that a shift or blur does not matter."""

FEWEST = 4
"""Least number of cards from which a picture's response is estimated: of one or two, the print or
the name may be wrong."""

NEWEST = 24
"""Number of a video's cards that count: the light of an evening changes, and these are about one
table of cards."""

SAME = 0.06
"""Distance from the identity below which a response counts as none, and nothing needs to be read
again because of it."""


MOST_INK = 1e6
"""More than the sums over one card can be: some 5,000 small pixels, each of a density under 3."""

WILD = 3.0
"""Factor from which a response is implausible, for the strength of the ink or for one colour
relative to another."""


@dataclass(frozen=True)
class InkSums:
    """One card's contribution to the response: sums of a least-squares fit, ink by ink and ink by
    what was seen."""

    ink: Response
    seen: Response

    @property
    def ink_strength(self) -> float:
        """How much stronger the card's ink is than the enrolled, all colours together."""
        return float(np.trace(self.seen)) / max(float(np.trace(self.ink)), 1e-6)

    @property
    def as_numbers(self) -> tuple[float, ...]:
        """The 18 numbers stored of it: `ink`, then `seen`, row by row."""
        return tuple(float(number) for number in np.concatenate([self.ink, self.seen]).ravel())

    @classmethod
    def from_numbers(cls, numbers: Sequence[float]) -> Self:
        """Restore sums from their numbers; raises `ValueError` for numbers that cannot come from a
        card."""
        both = np.array(numbers, dtype=np.float64)
        if both.shape != (18,) or not np.isfinite(both).all() or np.abs(both).max() > MOST_INK:
            raise ValueError("not 18 numbers of a card's size")
        ink, seen = both.reshape(2, 3, 3)
        # both must be sums of squares: otherwise the fit of the response could have no solution
        if not np.allclose(ink, ink.T, rtol=1e-3) or np.linalg.eigvalsh(ink)[0] < -1e-3 * np.trace(ink):
            raise ValueError("no sum of squares")
        return cls(ink, seen)


def ink_density(pixels: Pixels) -> Pixels:
    """Return the density of each pixel of a card without margin: the logarithm of its paper's
    brightness relative to the pixel's, 0 and more."""
    return _log_darkness(np.minimum(_scale_channels(pixels, 1 / paper_colour(pixels)), 1.0))


def _scale_channels(pixels: Pixels, factors: NDArray[np.floating]) -> Pixels:
    """Multiply each channel by its own number (NumPy takes five times as long)."""
    return np.asarray(cv2.transform(pixels, np.diag(factors)), dtype=np.float32)


def _log_darkness(brightness: Pixels) -> Pixels:
    return np.asarray(-cv2.log((np.maximum(brightness, 0.0) + BLACK) / (1 + BLACK)), dtype=np.float32)


def paper_colour(pixels: Pixels) -> Pixels:
    """Return the colour of a card's paper."""
    few = pixels[::4, ::4].reshape(-1, 3)
    return np.asarray(
        np.maximum(estimate_paper_colour(few, few @ np.ones(3, np.float32)), DIM), dtype=np.float32
    )


def measure_ink(patch: Pixels, reference: Pixels, matrix: Matrix, weights: NDArray[np.float32]) -> InkSums:
    """Measure a card (`patch`, with margin) against the reference of its design; `matrix` as
    `align_reference` returns it.

    `weights`: how much each pixel of the card counts, without margin.
    """
    seen = crop_margin(patch)
    height, width = seen.shape[:2]
    laid = warp_picture(reference, WITHOUT_MARGIN @ matrix, cv2.BORDER_REPLICATE)
    size = (width // SMALL, height // SMALL)
    had, has = (
        cv2.GaussianBlur(
            cv2.resize(ink_density(np.asarray(p, dtype=np.float32)), size, interpolation=cv2.INTER_AREA),
            (0, 0),
            SOFT,
        ).reshape(-1, 3)
        for p in (laid, seen)
    )
    counts = cv2.resize(weights, size, interpolation=cv2.INTER_AREA).ravel()
    strength, heavy = 1.0, counts
    # a few rounds: the strength of the ink decides what counts as a finger, and the other way round
    for _ in range(3):
        heavy = counts / (1 + ((has - strength * had) ** 2).sum(axis=1) / STRANGE) ** 2
        strength = float((heavy[:, None] * has * had).sum() / max((heavy[:, None] * had * had).sum(), 1e-6))
    inked = (had * heavy[:, None]).astype(np.float64)
    return InkSums(inked.T @ had, has.T.astype(np.float64) @ inked)


def fit_response(cards: Iterable[InkSums]) -> Response | None:
    """Estimate the response of a whole picture; each card counts once. None if there are too few,
    or if it is like the deck's."""
    samples = list(cards)
    if len(samples) < FEWEST:
        return None
    # a card read as another design shows another ink: those far from the median are dropped
    strengths = np.array([s.ink_strength for s in samples])
    middle = float(np.median(strengths))
    spread = 0.05 + 2 * float(np.median(np.abs(strengths - middle)))
    samples = [s for s, strength in zip(samples, strengths, strict=True) if abs(strength - middle) <= spread]
    # a card with much ink must not outweigh all others, and one with hardly any, where shading
    # matters as much, must not count as much as they do
    usual = float(np.median([np.trace(s.ink) for s in samples]))
    scaled = [1 / max(float(np.trace(s.ink)) + usual, 1e-6) for s in samples]
    ink = sum((s.ink * by for s, by in zip(samples, scaled, strict=True)), np.zeros((3, 3)))
    seen = sum((s.seen * by for s, by in zip(samples, scaled, strict=True)), np.zeros((3, 3)))
    hold = len(samples) * NOISE
    # first the strength, one number for all colours; then the rest for each colour
    common = 1 + float(np.trace(seen - ink)) / (float(np.trace(ink)) + hold / STRENGTH**2)
    own = np.linalg.solve(ink + np.eye(3) * hold / COLOUR**2, (seen - common * ink).T).T
    found = np.asarray(common * np.eye(3) + own, dtype=np.float64)
    unlikely = np.linalg.cond(found) > WILD or not 1 / WILD < common < WILD
    return None if unlikely or np.abs(found - np.eye(3)).max() < SAME else found


class InkHistory:
    """Measurements from the clear cards of an evening of how its camera renders the deck, each card
    once, the newest ones.

    They are kept as long as the evening lasts and are not part of the deck: another evening has
    another light. `before`: measurements from before the evening was interrupted, the newest last.
    `says`: the current ones, for storing; safe to read from any thread.
    """

    def __init__(self, before: Iterable[InkSums] = ()) -> None:
        # negative, because the cards on the table have positive numbers
        self._says: OrderedDict[int, InkSums] = OrderedDict((-1 - i, one) for i, one in enumerate(before))
        self.says: tuple[InkSums, ...] = ()
        self._response: Response | None = None
        self._trim_to_newest()

    def record_card(self, card: int, ink: InkSums) -> None:
        """Store the measurement of the card with this number, replacing an older one."""
        self._says[card] = ink
        self._says.move_to_end(card)
        self._trim_to_newest()

    def _trim_to_newest(self) -> None:
        while len(self._says) > NEWEST:
            self._says.popitem(last=False)
        self.says = tuple(self._says.values())
        self._fresh = False

    @property
    def response(self) -> Response | None:
        """How the camera renders the deck's ink; None if it is as enrolled, or as long as too few
        cards are measured."""
        if not self._fresh:
            self._response, self._fresh = fit_response(self._says.values()), True
        return self._response


def undo_response(pixels: Pixels, response: Response) -> Pixels:
    """Convert a card's pixels (with margin) to how the camera that enrolled the deck would have
    rendered them."""
    white = paper_colour(crop_margin(pixels))
    dark = cv2.transform(_log_darkness(_scale_channels(pixels, 1 / white)), np.linalg.inv(response))
    return _scale_channels(np.asarray((1 + BLACK) * cv2.exp(-dark) - BLACK, dtype=np.float32), white)
