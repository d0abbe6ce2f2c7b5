"""Whether an outline has the shape and size that a card has on this table, told by the cards that
are known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, area, aspect, overlap, to_quad, transform, upright

UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)

TOUCH = 1.04
"""Times their size by which two cards are made larger to tell whether they touch: outlines stop a
little inside an edge that is shaded."""

AT_EDGE = 0.06
"""Part of a quad's size that both ends of a side lie at most from the edge of a picture along which
it runs: the search for an edge stops 4 pixels before the last of a card 120 pixels wide."""

Metric = NDArray[np.float64]


def metric(card: Quad) -> tuple[Metric, float]:
    """From a whole card: the map of pixel steps to card widths, and the card's height in widths, as
    it is seen.

    It takes up turn and tilt of the camera as far as they do not change from card to card, nor
    with a card's turn.
    """
    height = aspect(card)
    return to_widths(upright(card), height), height


def to_widths(card: Quad, tall: float) -> Metric:
    """The map of pixel steps to card widths, from a whole card whose side 0-1 is a short one, the
    long ones being `tall` times as long on the table.

    It holds for cards of any turn. By the proportions that a card is seen in, those at right angles
    to it were completed too long or too short where the table is seen from a slant.
    """
    a, b, c, d = card.astype(float)
    short, long = ((b - a) + (c - d)) / 2, ((c - b) + (d - a)) / 2
    return np.linalg.inv(np.stack([short, long / tall], axis=1))


def of_card_shape(quad: Quad, sure: list[Quad], wanted: float) -> bool:
    """Whether a quad has the shape and size of the nearest of the cards that are sure.

    `wanted`: the long by the short side; without any card that is sure the quad is compared with it
    only.
    """
    if not sure:
        return 0.8 < aspect(quad) / wanted < 1.25
    nearest = min(sure, key=lambda q: float(((q.mean(axis=0) - quad.mean(axis=0)) ** 2).sum()))
    # far from the nearest card its perspective is not told well enough; where the camera looks
    # along the table, tilt alone is too little
    in_widths, height = metric(nearest)
    flat = (in_widths @ (quad[NEXT] - quad).T.astype(float)).T
    on_table = transform(to_quad(upright(nearest), UNIT * np.array([1.0, wanted], dtype=np.float32)), quad)
    return _is_card(flat, height) or (_leans(nearest) and _is_card(on_table[NEXT] - on_table, wanted))


def cut_off(quads: Sequence[Quad], wanted: float) -> list[bool]:
    """Of cards thought whole, which touch another and have the shape of none: they lie under one
    and end at its edge.

    `wanted`: as in `of_card_shape`. Two cards cannot tell which of them is cut off.
    """
    cut = []
    grown = [_grown(quad) for quad in quads]
    for i, quad in enumerate(quads):
        others = [q for q in quads if q is not quad]
        touches = any(overlap(grown[i], one) > 0 for j, one in enumerate(grown) if j != i)
        like_one = any(of_card_shape(quad, [q], wanted) for q in others)
        cut.append(touches and not like_one and len(others) >= 2)
    return cut


def ends_at_edge(quad: Quad, width: int, height: int) -> bool:
    """Whether a side of a quad runs along the edge of a picture of this size in pixels: the thing
    may go on where the picture ends."""
    far = np.array([width, height], dtype=np.float32) - 1 - quad
    near = np.concatenate([quad, far], axis=1) < AT_EDGE * np.sqrt(area(quad))
    return bool((near & near[NEXT]).any())


def _grown(quad: Quad) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * TOUCH + middle, dtype=np.float32)


def _leans(quad: Quad) -> bool:
    """Whether a card's opposite sides tell perspective: by corners half a pixel off a gap between
    things was a card far away."""
    lengths = np.linalg.norm(quad[NEXT] - quad, axis=1)
    return bool(max(abs(np.log(lengths[0] / lengths[2])), abs(np.log(lengths[1] / lengths[3]))) > 0.02)


def _is_card(steps: NDArray[np.floating], wanted: float) -> bool:
    """Whether a quad's sides, in card widths on the table, are those of a card `wanted` widths
    high."""
    lengths = np.linalg.norm(steps, axis=1)
    one, other = (lengths[0] + lengths[2]) / 2, (lengths[1] + lengths[3]) / 2
    short, long = min(one, other), max(one, other)
    return bool(0.8 < short < 1.25 and 0.85 < long / short / wanted < 1.18)
