"""Test a deck against itself: which designs look alike, and what score makes a reading sure.

Each design is identified with its own views left out: the scores that it then reaches with the
other designs' references must not be enough. Each view is also identified after being worn by the
faults of a camera (blur, noise, uneven light): the scores that it reaches with its own design must
be enough. The margins of the deck are set between the two.
"""

from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting import thumbnails
from vision.fitting.patch import MARGIN, WIDTH
from vision.geometry import Quad
from vision.library import Library, Margins, Reference
from vision.naming.evidence import Verdict
from vision.naming.identify import NamingTerms, identify_card

ALIKE = 0.85
"""Likeness from which one design could be taken for another at a glance."""

MOST = 24
"""Most designs left out, and most views shown worn, so that the test does not keep people
waiting."""


@dataclass(frozen=True)
class Separation:
    """Result of testing a deck against itself.

    `look_alikes`: pairs of designs with the likeness of one to the other, most alike first.
    `unsure`: designs whose own worn view was not identified for sure: they need more views or a
    marker. `views`: number of reference views by design. `margins`: scores that a reading of this
    deck must reach to be sure.
    """

    look_alikes: tuple[tuple[str, str, float], ...]
    unsure: tuple[str, ...]
    views: dict[str, int]
    margins: Margins

    def list_advice(self) -> list[str]:
        """Write plain sentences for the person who enrols the deck."""
        lines = [f"{a} and {b} look alike ({100 * like:.0f} %)." for a, b, like in self.look_alikes[:10]]
        lines += [f"{card}: add another view, or put a marker on it." for card in self.unsure]
        return lines


def measure_separation(library: Library, seed: int = 0) -> Separation:
    """Test a deck against itself; takes some tenths of a second for each design."""
    if not library.references:
        return Separation((), (), {}, library.margins)
    rng = np.random.default_rng(seed)
    strangers = [
        (r.card, _identify_reference(library, r, excluded=r.card))
        for r in _sort_by_similarity(library)[:MOST]
    ]
    # drawn at random, so that one part of the deck's list does not decide
    chosen = rng.permutation(len(library.references))[:MOST]
    own = [
        (library.references[i].card, _identify_reference(library, library.references[i], rng=rng))
        for i in chosen
    ]
    margins = _choose_margins(strangers, own)
    # names sorted, because a pair may be found from either side
    alike = {
        tuple(sorted((card, v.card))): v.likeness
        for card, v in strangers
        if v.card is not None and v.likeness > ALIKE
    }
    pairs = sorted(((a, b, like) for (a, b), like in alike.items()), key=lambda p: -p[2])
    unsure = [
        card for card, v in own if v.card != card or v.likeness < margins.likeness or v.lead < margins.lead
    ]
    views = dict(Counter(r.card for r in library.references))
    return Separation(tuple(pairs), tuple(dict.fromkeys(unsure)), views, margins)


def _sort_by_similarity(library: Library) -> list[Reference]:
    """Return one view of each design, those first that are most like some other design by their
    coarse descriptors, over all pairs."""
    known = library.descriptors
    alike = np.maximum(known @ known.T, known @ thumbnails.rotate_descriptors(known).T)
    cards = np.array([r.card for r in library.references])
    # other views of the same design must not count as look-alikes
    alike[cards[:, None] == cards[None, :]] = -1.0
    order = np.argsort(-alike.max(axis=1))
    first = dict.fromkeys(cards[i] for i in order)
    # in reverse, so that of a design's views the one most like another is kept
    by_card = {cards[i]: library.references[i] for i in order[::-1]}
    return [by_card[card] for card in first]


def _choose_margins(
    unknown_cards: list[tuple[str, Verdict]], own_cards: list[tuple[str, Verdict]]
) -> Margins:
    """Set the margins between the scores of unknown cards and those of the deck's own cards.

    An unknown card that looks just like a design cannot be kept out by likeness (look-alikes are
    reported for that); of the others, the best must stay below the margin, and the deck's own worn
    views above.
    """
    normal = Margins()
    right = [v for card, v in own_cards if v.card == card]
    if not right:
        return normal
    others = [v.likeness for _, v in unknown_cards if v.likeness < ALIKE and v.lead > normal.lead]
    reach = float(np.percentile([v.likeness for v in right], 2))
    stranger = max(others, default=normal.known)
    likeness = float(
        np.clip((stranger + reach) / 2, normal.likeness, max(normal.likeness, min(0.8, reach - 0.05)))
    )
    wobble = 1.0 - float(np.percentile([v.lead for v in right], 2))
    return Margins(likeness, float(np.clip(wobble / 3, normal.lead, 0.5)), normal.known)


def _identify_reference(
    library: Library,
    reference: Reference,
    excluded: str | None = None,
    rng: np.random.Generator | None = None,
) -> Verdict:
    """Identify a reference view, as it is or worn by the faults of a camera (with `rng`)."""
    picture, quad = reference.picture, _quad_without_margin(reference)
    if rng is not None:
        picture = _simulate_wear(picture, rng)
        quad = (quad + rng.normal(0, 1.5, (4, 2))).astype(np.float32)
    return identify_card(picture, quad, library, NamingTerms(without=excluded))


def _quad_without_margin(reference: Reference) -> Quad:
    height = reference.picture.shape[0] - 2 * MARGIN
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, height], [0, height]], dtype=np.float32)
    return np.asarray(corners + MARGIN - 0.5, dtype=np.float32)


def _simulate_wear(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Blur the picture, add noise, and light it unevenly in another tint."""
    height, width = picture.shape[:2]
    blurred = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.5, 1.5))).astype(np.float32)
    slope = rng.uniform(-0.2, 0.2, 2)
    y, x = np.mgrid[0:height, 0:width]
    light = 1 + slope[0] * (x / width - 0.5) + slope[1] * (y / height - 0.5)
    tint = rng.uniform(0.93, 1.07, 3) * rng.uniform(0.7, 1.1)
    lit = blurred * light[:, :, None] * tint + rng.normal(0, 4, picture.shape)
    return np.asarray(np.clip(lit, 0, 255), dtype=np.uint8)
