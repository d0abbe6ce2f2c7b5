"""Find cards without a visible outline, by points of the print that a picture shares with the
enrolled views.

A dark frame on a dark mat, a sleeve, a shadow's edge or another card across hides a card's border,
and the picture inside is outlined instead. The visible part of a design shows where its border must
be: SIFT features (Lowe, IJCV 2004) that fit one design only, and agree with each other on one
homography, place the whole card. It is then read like any other outline.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    Quad,
    aspect_ratio,
    is_convex,
    make_rectangle,
    side_lengths,
    transform_points,
    unscale_quad,
)
from vision.outlines.detect import MAX_ASPECT
from vision.steps import Steps

MOST_POINTS = 3000
"""Points of one picture that are compared, the clearest first."""

LONGER_SIDE = 1280
"""Longer side of the picture in which points are sought: on a table of ten cards, one is then a
hundred pixels wide."""

DISTINCT = 0.85
"""Distance to the nearest point, in parts of that to the nearest of any other design, up to which a
match counts for this design."""

LEAST = 8
"""Matches that must agree on where a card lies; four determine a homography, and chance adds one or
two."""

OFF = 4.0
"""Pixels of the picture by which a match may be off."""

TURN, ZOOM = float(np.radians(30)), float(np.log(1.6))
"""Turn and change of size within which matches vote for the same card."""

A_VIEW = 400
"""Points of one view that are stored."""

PROOF = 40
"""Matches that must agree for a card to be of its design whatever light lies on it. Magic's designs
share frames and boxes of text: cards that were not enrolled, of five photographs, each quarter of
the deck left out in turn, agreed with another design in 29 at most, in 9 of 16 parts of it; of 20
enrolled ones 16 in 42 to 177 matches, in 12 parts and more."""

SPREAD = 12
"""Number of parts, of 16 equal ones of a view, that must contain such matches."""

SMALLEST = 24.0
"""Shortest side of a card, in pixels of the picture in which points are sought."""

PAINTED = 100
"""Points in a view from which a deck is painted all over: Magic has 350, SET 38."""

OWN, ALIKE = 20, 0.9
"""`OWN`: points of a view shown by no other design from which a deck is placed by its print though
it is not painted all over: drawn pictures within a white rim have 28 to 39 of 40 to 53,
photographed playing cards 14 of 48, SET 2 of 48. With a limit that includes these, it places 4 of
12 playing cards and none of 69 of SET that are sure, and none else, for half a second a photo.
`ALIKE`: cosine from which two points are alike."""

TASTED = 9
"""Views from which to decide whether a deck is placed by its print: all 81 of SET take half a
second."""

AT_ONCE = 512
"""Points that are compared with the deck at once: 10 MB with a deck of 26 painted cards."""

PARTS = "at", "turn", "size", "descriptors"

Points = NDArray[np.float32]


@dataclass(frozen=True)
class Features:
    """Points of one picture: `at` n x 2 pixels, `turn` n radians, `size` n pixels, `descriptors` n
    x 128 of length 1."""

    at: Points
    turn: Points
    size: Points
    descriptors: Points

    @classmethod
    def detect_features(
        cls, grey: NDArray[np.uint8], limit: int, mask: NDArray[np.uint8] | None = None
    ) -> "Features":
        """Find the points of a grey picture; `mask` is 0 where none are wanted."""
        found, descriptors = cv2.SIFT.create(nfeatures=limit, contrastThreshold=0.02).detectAndCompute(
            grey, mask
        )
        descriptors = np.zeros((0, 128), dtype=np.float32) if not found else descriptors
        # the square root of the L1-normalised histogram compares by Hellinger's distance
        # (Arandjelovic and Zisserman, CVPR 2012)
        rooted = np.sqrt(descriptors / np.maximum(descriptors.sum(axis=1, keepdims=True), 1e-6)).astype(
            np.float32
        )
        at = np.array([p.pt for p in found], dtype=np.float32).reshape(-1, 2)
        turn = np.radians(np.array([p.angle for p in found], dtype=np.float32))
        return cls(at, turn, np.array([p.size for p in found], dtype=np.float32), rooted)

    @classmethod
    def detect_in_view(cls, view: NDArray[np.uint8]) -> "Features":
        """Find the clearest points of an enrolled view (BGR)."""
        return cls.detect_features(np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY), dtype=np.uint8), A_VIEW)


@dataclass(frozen=True)
class DeckFeatures:
    """The features of all views of a deck. `view_of`: the view of each point; `first_of_design`:
    the index of each design's first point; `sizes`: width and height of views."""

    features: Features
    view_of: NDArray[np.intp]
    first_of_design: NDArray[np.intp]
    sizes: Sequence[tuple[int, int]]

    @property
    def is_painted(self) -> bool:
        """Whether the cards are painted all over, up to a border that shows nowhere else."""
        return len(self.view_of) >= PAINTED * max(len(self.sizes), 1) and self.can_locate_cards

    @property
    def can_locate_cards(self) -> bool:
        """Whether the views have enough points to place cards by: pictures do, a few signs on white
        paper do not."""
        return len(self.first_of_design) > 1

    @classmethod
    def from_views_in_steps(cls, views: Sequence[tuple[str, NDArray[np.uint8]]]) -> Steps[Self]:
        """Find the features of `views`, each the name of its design and its picture (BGR, the bare
        card), one view a step; none at all if they are not enough to place a card by."""
        each: dict[int, Features] = {}

        def detect_in_views(numbers: Iterable[int]) -> Steps[None]:
            for i in numbers:
                yield
                each[i] = Features.detect_in_view(views[i][1])

        yield from detect_in_views(range(0, len(views), max(1, len(views) // TASTED)))
        number = max(len(each), 1)
        painted = sum(len(one.at) for one in each.values()) >= PAINTED * number
        if (
            not painted
            and _count_unique_points([(views[i][0], one) for i, one in each.items()]) < OWN * number
        ):
            none = np.zeros(0, dtype=np.intp)
            return cls(Features.detect_features(np.zeros((1, 1), dtype=np.uint8), 1), none, none, ())
        yield from detect_in_views(i for i in range(len(views)) if i not in each)
        # by design, so that `reduceat` can take the best match of each in one call
        order = sorted(range(len(views)), key=lambda i: views[i][0])
        counts = [len(each[i].at) for i in order]
        joined = Features(*(np.concatenate([getattr(each[i], name) for i in order]) for name in PARTS))
        names = np.repeat([views[i][0] for i in order], counts)
        first = (
            np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
            if len(names)
            else np.zeros(0, int)
        )
        sizes = [(view.shape[1], view.shape[0]) for _, view in views]
        return cls(joined, np.repeat(np.array(order, dtype=np.intp), counts), first, sizes)


def _count_unique_points(views: Sequence[tuple[str, Features]]) -> int:
    """Count the points of all views that no view of another design shows."""
    own = 0
    for design, features in views:
        others = [other.descriptors.T for name, other in views if name != design]
        if others:
            alike = features.descriptors @ np.concatenate(others, axis=1)
            own += int((alike.max(axis=1, initial=0) < ALIKE).sum())
    return own


@dataclass(frozen=True)
class LocatedCard:
    """The place of a card, found by the points of its print. `view`: index of the deck's view to
    which they belong; `quad`: in pixels of the picture, corner 0 the card's top left; `agreeing`: n
    x 2, the points that agree, in parts of the view's width and height."""

    view: int
    quad: Quad
    agreeing: Points

    @property
    def is_proven(self) -> bool:
        """Whether so many points agree, and all over the card, that it can be no other."""
        parts = {(int(4 * x), int(4 * y)) for x, y in self.agreeing}
        return len(self.agreeing) >= PROOF and len(parts) >= SPREAD


def locate_cards_in_steps(
    image: NDArray[np.uint8], known: DeckFeatures, sure: Sequence[Quad], side: int | None = None
) -> Steps[list[LocatedCard]]:
    """Find cards of the deck in a BGR picture, beside those that are `sure`, in small steps; none
    for a deck whose views have too few points. `side`: the longer side in pixels of the whole
    frame, if `image` is only a part of it."""
    if not known.can_locate_cards:
        return []
    scale = min(1.0, LONGER_SIDE / (side or max(image.shape[:2])))
    size = [max(1, round(scale * length)) for length in image.shape[1::-1]]
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    mask = np.full(small.shape[:2], 255, dtype=np.uint8)
    for quad in sure:
        cv2.fillConvexPoly(mask, np.round(quad * scale).astype(np.int32), 0)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    # in one step, of 0.1 to 0.3 s: seen band by band, large points are lost, and cards with them
    features = Features.detect_features(grey, MOST_POINTS, mask)
    if len(features.at) < LEAST:
        return []
    yield
    points, fits = yield from _match_descriptors(features.descriptors, known)
    found = []
    for view in np.unique(known.view_of[fits]).tolist():
        of_view = known.view_of[fits] == view
        for quad, agreeing in _find_consistent_matches(
            features, known.features, points[of_view], fits[of_view], known.sizes[view]
        ):
            whole = unscale_quad(quad, scale)
            parts = np.asarray(agreeing / np.float32(known.sizes[view]), dtype=np.float32)
            found.append(LocatedCard(view, whole, parts))
    return found


def _match_descriptors(
    descriptors: Points, known: DeckFeatures
) -> Steps[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Match points of the picture with points of the views, where only one design fits; return the
    indices of both."""
    points, fits = [], []
    for first in range(0, len(descriptors), AT_ONCE):
        yield
        alike = descriptors[first : first + AT_ONCE] @ known.features.descriptors.T
        by_design = np.maximum.reduceat(alike, known.first_of_design, axis=1)
        two = np.sort(np.partition(by_design, -2, axis=1)[:, -2:], axis=1)
        # for unit vectors, the squared distance is 2 - 2 cos
        far, near = np.sqrt(np.maximum(2 - 2 * two, 0.0)).T
        good = np.flatnonzero(near < DISTINCT * far)
        points.append(good + first)
        fits.append(alike[good].argmax(axis=1))
    return np.concatenate(points), np.concatenate(fits)


def _find_consistent_matches(
    observed: Features,
    known: Features,
    points: NDArray[np.intp],
    matched_points: NDArray[np.intp],
    size: tuple[int, int],
) -> list[tuple[Quad, Points]]:
    """Return the quads on which matches of one view agree, with the agreeing points; several cards
    of one design may be visible."""
    turn = observed.turn[points] - known.turn[matched_points]
    # angles wrap round: the shorter way counts
    apart = np.abs((turn[:, None] - turn + np.pi) % (2 * np.pi) - np.pi)
    zoom = np.log(observed.size[points] / known.size[matched_points])
    together = (apart < TURN) & (np.abs(zoom[:, None] - zoom) < ZOOM)
    left = np.ones(len(points), dtype=bool)
    found = []
    while left.sum() >= LEAST:
        votes = together & left & left[:, None]
        those = np.flatnonzero(votes[votes.sum(axis=1).argmax()])
        if len(those) < LEAST:
            break
        left[those] = False
        placed = _fit_card_quad(observed.at[points[those]], known.at[matched_points[those]], size)
        if placed is not None:
            found.append(placed)
            # the rest of this card's matches, off by more than the vote allowed, must not place a
            # second one
            left &= ~_find_points_inside(observed.at[points], placed[0])
    return found


def _fit_card_quad(observed: Points, known: Points, size: tuple[int, int]) -> tuple[Quad, Points] | None:
    """Return the quad of a card whose points `known` lie at `observed`, and the points that agree,
    if these are enough and the quad may be a card's."""
    matrix, inlying = cv2.findHomography(known, observed, cv2.USAC_MAGSAC, OFF)
    if matrix is None or inlying.sum() < LEAST:
        return None
    quad = transform_points(np.asarray(matrix, dtype=np.float64), make_rectangle(*size))
    card = is_convex(quad) and side_lengths(quad).min() > SMALLEST and aspect_ratio(quad) < MAX_ASPECT
    return (quad, known[inlying.ravel() > 0]) if card and np.isfinite(quad).all() else None


def _find_points_inside(points: Points, quad: Quad) -> NDArray[np.bool_]:
    return np.array(
        [cv2.pointPolygonTest(quad.reshape(-1, 1, 2), p.tolist(), False) >= 0 for p in points], dtype=bool
    )
