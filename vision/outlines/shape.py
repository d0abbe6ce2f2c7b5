"""Check whether an outline has the shape and size of a card on this table, as the known cards
define them.

A card's sides as seen depend on turn, tilt and distance of the camera. Near a known card, steps in
pixels can be converted to card widths (`card_width_metric`); over the whole picture, `CardPlane`
fits a plane on which all cards have one size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    NEXT,
    Quad,
    aspect_ratio,
    find_homography,
    overlap_area,
    quad_area,
    start_on_short_side,
    transform_points,
)

UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)

TOUCH = 1.04
"""Factor by which two cards are enlarged to decide whether they touch, because outlines end a
little inside a shaded edge."""

AT_EDGE = 0.06
"""Distance from the edge of a picture, as a part of a quad's size, within which both ends of a side
lie along that edge: the search for an edge stops 4 pixels before the last of a card 120 pixels
wide."""

Metric = NDArray[np.float64]


def card_metric(card: Quad) -> tuple[Metric, float]:
    """Return the map from pixel steps to card widths of a whole card, and the card's height in
    widths, as it is seen.

    It includes turn and tilt of the camera as far as they do not change from card to card, nor with
    a card's turn.
    """
    height = aspect_ratio(card)
    return card_width_metric(start_on_short_side(card), height), height


def card_width_metric(card: Quad, card_aspect: float) -> Metric:
    """Return the map from pixel steps to card widths of a whole card whose side 0-1 is a short one,
    its long ones being `card_aspect` times as long on the table.

    It holds for cards of any turn. By the proportions in which a card is seen, those at right
    angles to it were completed too long or too short where the table is seen at a slant.
    """
    a, b, c, d = card.astype(float)
    short, long = ((b - a) + (c - d)) / 2, ((c - b) + (d - a)) / 2
    return np.linalg.inv(np.stack([short, long / card_aspect], axis=1))


def has_card_shape(quad: Quad, sure_cards: list[Quad], card_aspect: float) -> bool:
    """Check whether a quad has the shape and size of the nearest sure card.

    `card_aspect`: the long by the short side; without any sure card the quad is compared with that
    only.
    """
    if not sure_cards:
        return 0.8 < aspect_ratio(quad) / card_aspect < 1.25
    nearest = min(sure_cards, key=lambda q: float(((q.mean(axis=0) - quad.mean(axis=0)) ** 2).sum()))
    # far from the nearest card, its perspective is not known well enough; where the camera looks
    # along the table, its tilt alone is not enough
    in_widths, height = card_metric(nearest)
    flat = (in_widths @ (quad[NEXT] - quad).T.astype(float)).T
    on_table = transform_points(
        find_homography(start_on_short_side(nearest), UNIT * np.array([1.0, card_aspect], dtype=np.float32)),
        quad,
    )
    return _has_card_sides(flat, height) or (
        _shows_perspective(nearest) and _has_card_sides(on_table[NEXT] - on_table, card_aspect)
    )


NEAREST = 3
"""Number of sure cards, the nearest ones, of which an outline may have the shape: one of them may
be held up to the camera, or printed on another card."""


def may_be_card(quad: Quad, sure_cards: list[Quad], card_aspect: float) -> bool:
    """Check whether a quad may be a card beside those that are sure: it has a card's proportions,
    or the shape and size of one near it. Without a sure card anything may be one: the table may be
    seen at a slant.

    `card_aspect`: as in `has_card_shape`. Of 345 sure cards of `bench tables` that are not alone in
    their photograph each has the shape of the nearest other; of 1,412 outlines that have not, none
    was read with certainty.
    """
    if not sure_cards or has_card_shape(quad, [], card_aspect):
        return True
    middle = quad.mean(axis=0)
    near = sorted(sure_cards, key=lambda q: float(((q.mean(axis=0) - middle) ** 2).sum()))[:NEAREST]
    return any(has_card_shape(quad, [card], card_aspect) for card in near)


def find_cut_off_cards(quads: Sequence[Quad], card_aspect: float) -> list[bool]:
    """Check which of the cards thought whole are cut off: they touch another and have the shape of
    none, so they lie under one and end at its edge.

    `card_aspect`: as in `has_card_shape`. Of two cards, which one is cut off cannot be decided.
    """
    cut = []
    grown = [_enlarge_quad(quad) for quad in quads]
    for i, quad in enumerate(quads):
        touches = any(overlap_area(grown[i], one) > 0 for j, one in enumerate(grown) if j != i)
        cut.append(touches and is_unlike_all(quad, quads, card_aspect))
    return cut


def is_unlike_all(quad: Quad, cards: Sequence[Quad], card_aspect: float) -> bool:
    """Check whether a quad has the shape of none of the other `cards`, at least two: of two that
    differ, either may be the card. `card_aspect`: as in `has_card_shape`."""
    others = [card for card in cards if card is not quad]
    return len(others) >= 2 and not any(has_card_shape(quad, [card], card_aspect) for card in others)


def touches_picture_edge(quad: Quad, width: int, height: int) -> bool:
    """Check whether a side of a quad runs along the edge of a picture of this size in pixels: the
    thing may continue beyond it."""
    far = np.array([width, height], dtype=np.float32) - 1 - quad
    near = np.concatenate([quad, far], axis=1) < AT_EDGE * np.sqrt(quad_area(quad))
    return bool((near & near[NEXT]).any())


def _enlarge_quad(quad: Quad) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * TOUCH + middle, dtype=np.float32)


def _shows_perspective(quad: Quad) -> bool:
    """Check whether a card's opposite sides differ enough to estimate perspective: by corners half
    a pixel off, a gap between things looked like a card far away."""
    lengths = np.linalg.norm(quad[NEXT] - quad, axis=1)
    return bool(max(abs(np.log(lengths[0] / lengths[2])), abs(np.log(lengths[1] / lengths[3]))) > 0.02)


def _has_card_sides(steps: NDArray[np.floating], card_aspect: float) -> bool:
    """Check whether a quad's sides, in card widths on the table, are those of a card `card_aspect`
    widths high."""
    lengths = np.linalg.norm(steps, axis=1)
    one, other = (lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2
    short, long = min(one, other), max(one, other)
    return bool(0.8 < short < 1.25 and 0.85 < long / short / card_aspect < 1.18)


USUAL_SLANT = np.array([0.3, 0.3, 0.3, 0.3, np.inf, 0.3])
"""How far each of a plane's numbers usually lies from that of a camera that looks straight down;
where all cards lie alike, they leave some of the numbers undetermined."""

FITTED, STRAY = 0.04, 0.08
"""`FITTED`: how exactly cards fit a plane. `STRAY`: difference from which a card counts for little
in finding it."""


@dataclass(frozen=True)
class CardPlane:
    """The plane on which cards of one size lie, as a camera sees it.

    `seen`: slope to the right and downwards (the line of the horizon), shear, and the logarithms of
    depth by width, of a card's short side and of its long by its short one; lengths in parts of
    half the picture's longer side. Six numbers stand for the four corners of every card: of other
    people's photographs nine cards in ten fit to within 0.03, a tray beside them to 0.4.
    """

    seen: NDArray[np.float64]
    size: tuple[int, int]

    @classmethod
    def fit_to_cards(cls, cards: Sequence[Quad], size: tuple[int, int], card_aspect: float) -> Self:
        """Fit the plane to three or more cards in a picture of `size`, so that most of them agree;
        `card_aspect`: the usual long by short side."""
        quads = np.asarray(cards, np.float64)
        usual = np.array([0, 0, 0, 0, 0, np.log(card_aspect)])
        plane = cls(usual, size)
        # starts with the median card, seen from straight above
        lengths = np.log(np.sort(plane._measure_sides(quads)[0], axis=1))
        short, long = np.median(lengths[:, :2]), np.median(lengths[:, 2:])
        plane = cls(np.array([0, 0, 0, 0, short, long - short]), size)
        for _ in range(12):
            off = plane._shape_deviation(quads)
            # a thing far off the plane pulls little: trays and boxes are among the cards at first
            weight = (1 / (1 + ((off**2).mean(axis=1) / STRAY**2)) / FITTED**2)[:, None, None]
            # slopes by small differences, one for each of the six numbers
            slope = np.stack(
                [cls(plane.seen + step, size)._shape_deviation(quads) - off for step in 1e-4 * np.eye(6)], -1
            )
            slope = slope / 1e-4
            against = (slope * weight).reshape(-1, 6).T
            matrix = against @ slope.reshape(-1, 6) + np.diag(USUAL_SLANT**-2)
            pull = against @ off.ravel() + (plane.seen - usual) / USUAL_SLANT**2
            # short steps: far away, the slopes no longer hold
            plane = cls(plane.seen - np.clip(np.linalg.solve(matrix, pull), -0.3, 0.3), size)
        return plane

    @property
    def card_aspect(self) -> float:
        """A card's long side by its short one, on the table."""
        return float(np.exp(self.seen[5]))

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The map from pixels to the plane, a homography."""
        right, down, shear, deep = self.seen[:4]
        width, height = self.size
        half = max(self.size) / 2
        parts = np.array([[1 / half, 0, -width / 2 / half], [0, 1 / half, -height / 2 / half], [0, 0, 1]])
        level = np.array([[1, shear, 0], [0, np.exp(deep), 0], [right, down, 1]])
        return np.asarray(level @ parts)

    @property
    def _inverse_matrix(self) -> NDArray[np.float64]:
        return np.asarray(np.linalg.inv(self.matrix), np.float64)

    def snap_to_card(self, quad: Quad) -> Quad:
        """Return the card of the plane that agrees with most of a quad's corners."""
        corners = transform_points(self.matrix, quad).astype(np.float64)
        lies = np.linalg.norm(corners[NEXT] - corners, axis=1).reshape(2, 2).sum(axis=0)
        corners = corners if lies[0] <= lies[1] else corners[NEXT]
        short = float(np.exp(self.seen[4]))
        card = short * (UNIT - 0.5) * [1, self.card_aspect]
        weight = np.ones(4)
        # weighted again after each fit, so that one wrong corner loses its influence
        for _ in range(8):
            middles = [weight @ one / weight.sum() for one in (card, corners)]
            turned = ((card - middles[0]) * weight[:, None]).T @ (corners - middles[1])
            angle = np.arctan2(turned[0, 1] - turned[1, 0], turned[0, 0] + turned[1, 1])
            turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            laid = (card - middles[0]) @ turn + middles[1]
            weight = 1 / (1 + ((laid - corners) ** 2).sum(axis=1) / (STRAY * short) ** 2)
        return transform_points(self._inverse_matrix, laid)

    def extend_row(self, cards: Sequence[Quad]) -> list[Quad]:
        """Return the places where a row of cards goes on, at its ends and where one is missing."""
        laid = [transform_points(self.matrix, card).astype(np.float64) for card in cards]
        middles = np.array([one.mean(axis=0) for one in laid])
        steps = np.diff(middles, axis=0)
        if not len(steps):
            return []
        step = np.linalg.norm(steps, axis=1)
        usual = steps[np.argsort(step)[(len(step) - 1) // 2]]
        places = [one + way * usual for one in laid for way in (-1, 1)]
        apart = [np.linalg.norm(middles - one.mean(axis=0), axis=1).min() for one in places]
        return [
            transform_points(self._inverse_matrix, one)
            for one, far in zip(places, apart, strict=True)
            if far > 0.5 * np.linalg.norm(usual)
        ]

    def measure_deviation(self, quads: Sequence[Quad]) -> NDArray[np.float64]:
        """Return how far each quad is from a card on the plane: root mean square over the
        logarithms of its sides and the cosines of its corners."""
        return np.asarray(np.sqrt((self._shape_deviation(np.asarray(quads, np.float64)) ** 2).mean(axis=1)))

    def _shape_deviation(self, quads: NDArray[np.float64]) -> NDArray[np.float64]:
        lengths, corners = self._measure_sides(quads)
        lengths = np.log(lengths)
        lies = lengths[:, [0, 2]].sum(axis=1) > lengths[:, [1, 3]].sum(axis=1)
        lengths = np.where(lies[:, None], lengths[:, NEXT], lengths)
        short, tall = self.seen[4:]
        return np.concatenate([lengths - [short, short + tall, short, short + tall], corners], axis=1)

    def _measure_sides(self, quads: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lengths of the quads' sides on the plane, and the cosines of their corners."""
        at = quads @ self.matrix[:, :2].T + self.matrix[:, 2]
        # points near the horizon would lie infinitely far away
        at = at[..., :2] / np.maximum(at[..., 2:], 0.2)
        steps = at[:, NEXT] - at
        lengths = np.maximum(np.linalg.norm(steps, axis=2), 1e-6)
        steps = steps / lengths[..., None]
        return lengths, (steps * steps[:, NEXT]).sum(axis=2)
