"""Find cards before any card of the deck is known.

Without reference views, a card can be recognised only as one of many: the cards of a deck have one
size, one shape and one colour of border, and lie on one plane. So all quadrilaterals of a picture
are grouped into families of one size and shape; the family that is most numerous, largest and
clearest against its surroundings is taken for the cards. Families that contain others (a mat) or
are contained in others (a frame printed on each card) are left out. The plane of the table, fitted
to the family, then shows which further quads are cards, and where a row goes on.

`lying` and `in_reading_order` do this for one picture; `Shutter` finds single new cards in a video.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, area, aspect, centre, overlap, sides, upright
from vision.library import USUAL
from vision.outlines import cloth, quads
from vision.outlines.detect import NESTED, everything, outlines, working
from vision.outlines.shape import CardPlane, of_card_shape
from vision.reading import Reading
from vision.still.missed import BESIDE, occluded, sure_in

CLEAR = 0.75
"""Least support of an outline that is enrolled without anyone pointing at it and without others
like it."""

SMALL = 1 / 34
"""Shortest side of a card that is worth enrolling, as a part of the picture's longer side; thirteen
in a row leave each twice as much."""

LARGE = 0.5
"""Part of the picture from which the only card-shaped thing is taken for a mat, a tray or a
table."""

SQUARE = 0.42
"""Greatest cosine of a corner's angle for a card that is seen from above; signs printed on cards
have sharper corners."""

HOLDS = 0.2
"""Part of a single thing that a card within it takes: up to this the thing is a support for the
card, above it the inner quad is a frame printed on the thing."""

SHAPES = 1.05, 2.2
"""Range of long by short side, as seen, of several cards of one deck of any kind."""

SEVERAL = 3
"""Number of things of one size and shape from which they define the shape of the deck's cards."""

ENOUGH = 4
"""Number of cards from which their plane is estimated."""

OFF = 0.05, 0.1
"""Limits, least and most, of how far a card may be from one on the plane (`CardPlane.off`)."""

INSIDE, OUTSIDE = 0.93, 1.08
"""Scales of a quad at which the colour of its border and of its surroundings is measured."""

ALIKE = 30.0
"""Distance in 8-bit CIE Lab up to which a border is always like those of the other cards; beyond
it, up to `SPREAD` times the usual distance among them."""
SPREAD = 3.0
LIGHT = np.array([0.5, 1, 1], np.float32)
"""Weights of lightness and the two chroma channels; lamps and shadows change lightness most."""
NEAR = 5
"""Number of neighbouring cards from which the expected brightness of a card's border is taken."""

ASTRAY, REACH = 0.35, 4.0
"""`ASTRAY`: greatest distance from a card (`CardPlane.off`) of a quad that is a card with one wrong
corner. `REACH`: pixels of the working picture by which its sides are then moved."""

SHOWN, WHOLLY = 0.7, 0.85
"""Share of the sides that must show an edge: of a further card that was detected, and of one that
is only expected in its place."""

COVERED, STEP = 0.3, 14.0
"""`COVERED`: part of a card that must differ from the bare table. `STEP`: least difference in grey
levels; lamps and a camera's exposure change all of a picture."""

ANOTHER = 0.7
"""Changed part of a picture from which it counts as another table, or another light."""

DARK = 12.0
"""Mean grey level below which a camera does not show anything yet."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Thing:
    """A quad that may be a card. `support`: as in `Outline`; `border`: median colour along its
    sides in CIE Lab; `step`: distance of that colour from the surroundings."""

    quad: Quad
    support: float
    border: NDArray[np.float32]
    step: float


Family = list[Thing]


def in_reading_order(image: Picture, tall: float = USUAL) -> list[Quad]:
    """Find the outlines of the cards in a BGR picture, row by row from the top left. `tall`: a
    card's long by its short side, if the deck tells."""
    return [quad for row in grid(lying(image, tall)) for quad in row]


def grid(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Sort cards into rows from top to bottom, each from left to right. A new row starts where a
    card's middle is half a card's height below the mean of the current row."""
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda q: float(centre(q)[1])):
        tall = float(np.ptp(quad[:, 1]))
        if rows and float(centre(quad)[1]) - np.mean([centre(q)[1] for q in rows[-1]]) < 0.5 * tall:
            rows[-1].append(quad)
        else:
            rows.append([quad])
    return [sorted(row, key=lambda q: float(centre(q)[0])) for row in rows]


def lying(image: Picture, tall: float = USUAL) -> list[Quad]:
    """Find the outlines of the cards in a BGR picture.

    Of all families of things of one size and shape, take the one most likely to be cards, without
    things that contain them or are printed on them. Then add, as the reader does, cards that touch
    others or whose border shows only in pieces.
    """
    found = list(everything(outlines(image)))
    cards = _chosen(image, found, tall)
    # with fewer, colour and plane of the deck's cards are not known well enough to find more
    if len(cards) < SEVERAL:
        return [card.quad for card in cards]
    return [card.quad for card in cards] + _further(image, found, cards, tall)


def _chosen(image: Picture, found: Sequence[tuple[Quad, float]], tall: float) -> Family:
    """Choose the things most likely to be cards of one deck, among all quads with their support."""
    height, width = image.shape[:2]
    large = [
        (quad, support)
        for quad, support in found
        if sides(quad).min() >= SMALL * max(width, height) and _is_square(quad)
    ]
    lab, scale = working(image, None)
    things = _seen(lab, scale, large)
    families = [one for one in _families(things) if _may_be_cards(one, tall, width * height)]
    left = [one for one in families if not any(_yields(one, other) for other in families)]
    cards = max(left, key=lambda one: _worth(one, tall), default=[])
    return _alike(_on_one_plane(cards, things, tall, (width, height)))


def _on_one_plane(cards: Family, things: Sequence[Thing], tall: float, size: tuple[int, int]) -> Family:
    """Select the things of one size on the plane of the given cards, the best in each place."""
    # the second round fits the plane to all cards that the first has found on it
    for _ in range(2):
        if len(cards) < ENOUGH:
            break
        plane = CardPlane.of([one.quad for one in cards], size, tall)
        most = _most_off(plane, cards)
        off = plane.off([one.quad for one in things])
        cards = []
        # from the best fit outwards, so that of rivals in one place the best is kept
        for i in np.argsort(off):
            if off[i] > most:
                break
            if not any(overlap(things[i].quad, card.quad) > BESIDE * area(card.quad) for card in cards):
                cards.append(things[i])
    return cards


def _most_off(plane: CardPlane, cards: Family) -> float:
    """Return the greatest distance from the plane of a card; larger where borders are dim and all
    cards are further off."""
    usual = float(np.median(plane.off([one.quad for one in cards])))
    return float(np.clip(SPREAD * usual, *OFF))


def _further(image: Picture, found: Sequence[tuple[Quad, float]], cards: Family, tall: float) -> list[Quad]:
    """Find the cards missed beside those found.

    First with the reader's own methods for occluded cards; then where an outline has one wrong
    corner, and at the ends of rows, where only fully visible cards count.
    """
    lab, scale = working(image, None)
    plane = CardPlane.of([card.quad for card in cards], (image.shape[1], image.shape[0]), tall)
    most_off, most_unlike = _most_off(plane, cards), _limit(cards)
    least = 0.5 * float(np.median([card.step for card in cards]))

    def read(quad: Quad, shown: float = SHOWN) -> Reading:
        # pixel centres have whole coordinates: the half pixel keeps them in place when scaled
        small = ((quad + 0.5) * scale - 0.5).astype(np.float32)
        support = quads.sharpen(lab, [small], 2.0)[1]
        (thing,) = _seen(lab, scale, [(quad, float(support.mean()))])
        like = (
            support.mean() >= shown
            and not any(overlap(quad, card.quad) > BESIDE * area(quad) for card in cards)
            and not cloth.blank(lab, [small])[0]
            and plane.off([quad])[0] <= most_off
            and _unlike(thing, cards) <= most_unlike
            and thing.step > least
        )
        return Reading(None, bool(like), 1.0, quad)

    known = [Reading(None, True, 1.0, upright(card.quad)) for card in cards]
    usual = float(np.median([aspect(card.quad) for card in cards]))
    more = [one for one in occluded(image, known, usual, lambda _, quad: read(quad)) if one.sure]
    rows = grid([one.quad for one in (*known, *more)])
    places = [plane.card_at(quad) for quad, _ in found if plane.off([quad])[0] < ASTRAY]
    places += [quad for row in rows for quad in plane.beside(row)]
    small = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in places]
    moved = quads.sharpen(lab, small, REACH)[0] if small else []
    onto = [((quad + 0.5) / scale - 0.5).astype(np.float32) for quad in moved]

    def free(quad: Quad) -> bool:
        return not any(overlap(quad, one.quad) > BESIDE * area(quad) for one in more)

    further = sure_in(onto, [*known, *more], free, lambda quad: read(quad, WHOLLY))
    return [one.quad for one in (*more, *further)]


def _seen(lab: Picture, scale: float, found: Sequence[tuple[Quad, float]]) -> list[Thing]:
    """Measure border colour and contrast of quads in the working picture (CIE Lab, `scale` times
    the size of the original)."""
    if not found:
        return []
    all_quads = np.stack([(quad + 0.5) * scale - 0.5 for quad, _ in found]).astype(np.float32)
    along = np.linspace(0.15, 0.85, 8, dtype=np.float32)[:, None]
    middles = all_quads.mean(axis=1, keepdims=True)

    def border(size: float) -> NDArray[np.float32]:
        corners = middles + size * (all_quads - middles)
        at = corners[:, :, None] * (1 - along) + corners[:, NEXT][:, :, None] * along
        at = np.ascontiguousarray(at.reshape(len(found), -1, 2))
        return cv2.remap(
            lab, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ).astype(np.float32)

    inside, outside = border(INSIDE), border(OUTSIDE)
    steps = np.median(np.linalg.norm(inside - outside, axis=2), axis=1)
    colours = np.median(inside, axis=1)
    return [
        Thing(quad, support, colour, float(step))
        for (quad, support), colour, step in zip(found, colours, steps, strict=True)
    ]


def _families(things: Sequence[Thing]) -> Iterator[Family]:
    """Yield groups of things of one size and shape, no two of them in one place, the clearest
    first. A member of one family does not start another."""
    rest = sorted(things, key=lambda one: -one.support)
    size = np.array([area(one.quad) for one in rest])
    middles = np.array([one.quad.mean(axis=0) for one in rest]).reshape(-1, 2)
    free = np.ones(len(rest), dtype=bool)
    for first in range(len(rest)):
        if not free[first]:
            continue
        # within one picture, perspective alone does not make cards differ by more
        members, left = [first], (size > 0.35 * size[first]) & (size < 2.9 * size[first])
        # a thing that joins may bring others near enough, so the search repeats until none joins
        left[first] = False
        while True:
            joined = False
            # nearest first, each compared with its nearest member: perspective changes the size
            # gradually
            for i in np.flatnonzero(left)[np.argsort(((middles[left] - middles[first]) ** 2).sum(axis=1))]:
                near = members[int(((middles[members] - middles[i]) ** 2).sum(axis=1).argmin())]
                known = rest[near].quad
                if not of_card_shape(rest[i].quad, [known], aspect(known)):
                    continue
                # also where it overlaps a member: that is the same card, found twice
                left[i] = False
                if all(
                    overlap(rest[i].quad, rest[m].quad) <= BESIDE * min(size[i], size[m]) for m in members
                ):
                    members.append(int(i))
                    joined = True
            if not joined:
                break
        free[members] = False
        yield [rest[i] for i in members]


def _is_square(quad: Quad) -> bool:
    steps = quad[NEXT] - quad
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-6)
    return bool(np.abs((steps * steps[NEXT]).sum(axis=1)).max() <= SQUARE)


def _may_be_cards(family: Family, tall: float, size: float) -> bool:
    """Check whether a family of things can be cards; three or more may have the shape of another
    deck."""
    shapes = [aspect(one.quad) for one in family]
    if len(family) >= SEVERAL:
        return SHAPES[0] <= float(np.median(shapes)) <= SHAPES[1]
    clear = all(one.support > CLEAR and area(one.quad) < LARGE * size for one in family)
    return clear and all(0.8 < shape / tall < 1.25 for shape in shapes)


def _yields(one: Family, other: Family) -> bool:
    """Check whether a family is the support of the cards in another, or is printed on them."""
    if one is other:
        return False
    if _within(one, other) > 0.5:
        return len(other) > 1 or _size(one) > HOLDS * _size(other)
    if _within(other, one) > 0.5:
        return len(one) == 1 and _size(other) <= HOLDS * _size(one)
    return False


def _size(family: Family) -> float:
    return float(np.median([area(one.quad) for one in family]))


def _within(one: Family, other: Family) -> float:
    """Return the part of one family's things that lie within larger things of the other."""
    lie = [
        any(
            area(small.quad) < area(large.quad)
            and overlap(small.quad, large.quad) > NESTED * area(small.quad)
            for large in other
        )
        for small in one
    ]
    return float(np.mean(lie))


def _worth(family: Family, tall: float) -> float:
    """Rate how likely a family is to be the cards: many, large, and of another colour than their
    surroundings. Number alone does not decide: squares of a cloth and planks are many, too."""
    step = float(np.median([one.step for one in family]))
    shape = float(np.median([aspect(one.quad) for one in family]))
    support = float(np.mean([one.support for one in family]))
    return (
        len(family) * float(np.sqrt(_size(family))) * step * support / (1 + abs(float(np.log(shape / tall))))
    )


def _alike(family: Family) -> Family:
    """Remove the things whose border has another colour than all others: boxes, and gaps between
    cards."""
    if len(family) < SEVERAL:
        return family
    most = _limit(family)
    return [one for one in family if _unlike(one, family) <= most]


def _unlike(thing: Thing, family: Family) -> float:
    """Return the colour distance of a thing's border from a family's. Chroma is compared with all
    others, lightness only with the nearest, because a lamp lights one end of the table more."""
    others = [one for one in family if one is not thing]
    near = sorted(others, key=lambda one: float(((one.quad - thing.quad).mean(axis=0) ** 2).sum()))[:NEAR]
    usual = np.median([one.border for one in others], axis=0)
    usual[0] = np.median([one.border[0] for one in near])
    return float(np.linalg.norm((usual - thing.border) * LIGHT))


def _limit(family: Family) -> float:
    """Return the greatest colour distance of a border from the family; where the borders have many
    colours, the limit is too wide to exclude any."""
    return max(ALIKE, SPREAD * float(np.median([_unlike(one, family) for one in family])))


class Shutter:
    """A shutter that releases by itself when one new card has lain still for `REST`
    seconds, once for each card.

    Things that were there before the first card are ignored: a mat, a tray, a slip of paper. The
    next card must lie somewhere else, or come after the last one was taken away. `new`: outlines
    that have appeared and were not captured.
    """

    REST, GONE, CALM = 0.4, 0.3, 1.0
    """Seconds: for which a card must lie still; after which an invisible card counts as taken away;
    after which a table without new things becomes the reference for the bare table."""

    def __init__(self) -> None:
        self.new: list[Quad] = []
        self._bare: _Glance | None = None
        self._calm_since = 0.0
        self._done: list[tuple[Quad, float]] = []
        """Outlines captured, and the second at which each was last visible."""
        self._last: Quad | None = None
        self._since = 0.0

    def see(self, frame: Picture, t_seconds: float, tall: float = USUAL) -> Quad | None:
        """Process a BGR frame; return the outline of the card that has just come to rest, or None.
        `tall` as for `lying`."""
        glance = _Glance(frame)
        if glance.is_dark:
            return None
        # the first frame, or another table: whatever is there now is the bare table
        if self._bare is None or self._bare.unlike(glance).mean() > ANOTHER:
            self._bare, self._calm_since = glance, t_seconds
        changed = self._bare.unlike(glance)
        found = [one for one in everything(outlines(frame)) if glance.part(changed, one[0]) >= COVERED]
        cards = _chosen(frame, found, tall)
        if not cards:
            # not at once: a card that a hand covers for a moment must not become part of the bare
            # table
            if t_seconds - self._calm_since >= self.CALM:
                self._bare, self._calm_since = glance, t_seconds
            # without any card in sight, the captured ones have been taken away
            self.new, self._done, self._last = [], [], None
            return None
        self._calm_since = t_seconds
        # a captured card that is visible stays captured; one hidden by a hand does so for a moment
        seen = [
            (taken, t_seconds if any(_same_place(c.quad, taken) for c in cards) else at)
            for taken, at in self._done
        ]
        self._done = done = [(taken, at) for taken, at in seen if t_seconds - at < self.GONE]
        self.new = [c.quad for c in cards if not any(_same_place(c.quad, taken) for taken, _ in done)]
        # of two new cards, nobody could say which one is being enrolled
        if len(self.new) != 1:
            self._last = None
            return None
        (quad,) = self.new
        # it has moved: its time at rest starts again
        if self._last is None or float(np.abs(centre(quad) - centre(self._last)).max()) > 4.0:
            self._last, self._since = quad, t_seconds
        if t_seconds - self._since < self.REST:
            return None
        self._done, self.new = [*done, (quad, t_seconds)], []
        return quad


class _Glance:
    """A coarse copy of a frame, compared with later ones to find what has changed."""

    WIDTH = 240

    def __init__(self, frame: Picture) -> None:
        self._scale = self.WIDTH / frame.shape[1]
        size = self.WIDTH, max(1, round(frame.shape[0] * self._scale))
        self._shown = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.float32)

    @property
    def is_dark(self) -> bool:
        return bool(self._shown.mean() < DARK)

    def unlike(self, later: "_Glance") -> NDArray[np.bool_]:
        """Mark the pixels at which a later glance shows something else."""
        if later._shown.shape != self._shown.shape:
            return np.ones(later._shown.shape[:2], bool)
        # the camera's exposure and white balance change with the cards: compare after matching each
        # channel
        brighter = np.median((later._shown + 1) / (self._shown + 1), axis=(0, 1))
        return np.asarray(np.abs(later._shown - self._shown * brighter).max(axis=2) > STEP)

    def part(self, where: NDArray[np.bool_], quad: Quad) -> float:
        """Return the marked part of a quad, given in pixels of the frame, from 0 to 1."""
        mask = np.zeros(self._shown.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad + 0.5) * self._scale - 0.5).astype(np.int32), 1)
        inside = mask > 0
        return float(where[inside].mean()) if inside.any() else 0.0


def _same_place(quad: Quad, taken: Quad) -> bool:
    return overlap(quad, taken) > 0.5 * area(quad)
