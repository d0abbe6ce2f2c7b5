"""Finding cards of which nothing is known yet: one deck's cards are of one size and shape, whatever
else lies on the table, under them and within them."""

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
"""Short side of a card in parts of the picture's longer side below which nothing is worth
enrolling: thirteen in a row leave each twice as much."""

LARGE = 0.5
"""Part of the picture that the only thing like a card takes from which it is a mat, a tray or a
table."""

SQUARE = 0.42
"""Greatest cosine of a corner's angle for a thing to be a card that is seen from above: signs that
are printed on cards have sharper ones."""

HOLDS = 0.2
"""Part of a single thing that a card takes up to which the thing is what it lies on; from there on
it is what is printed on it, in a frame."""

SHAPES = 1.05, 2.2
"""Long by short side, as seen, of cards of any deck of which several lie there."""

SEVERAL = 3
"""Things of one size and shape from which these tell what a card of the deck is like."""

ENOUGH = 4
"""Cards from which the plane is told on which they lie."""

OFF = 0.05, 0.1
"""How far a card may be from one on the plane (`CardPlane.off`), least and most."""

INSIDE, OUTSIDE = 0.93, 1.08
"""Times its size at which a quad's border and its surroundings are looked at."""

ALIKE = 30.0
"""Distance in CIE Lab, of 8 bits, up to which a border is like those of the other cards, whatever
they are like; beyond it `SPREAD` times the distance that is usual among them."""
SPREAD = 3.0
LIGHT = np.array([0.5, 1, 1], np.float32)
"""Weight of luma and chroma: lamps and shadows change the first."""
NEAR = 5
"""Cards beside one that tell how bright its border is."""

ASTRAY, REACH = 0.35, 4.0
"""How far a quad may be from a card for it to be one of which a corner is astray, and pixels of the
working picture by which its sides then lie off."""

SHOWN, WHOLLY = 0.7, 0.85
"""Share of the sides of a further card that must show an edge, and of one that is but expected."""

COVERED, STEP = 0.3, 14.0
"""Part of a card that must look other than the bare table does there, and by how many grey levels
at least: lamps and a camera's exposure change all of a picture."""

ANOTHER = 0.7
"""Part of a picture that has changed from which it is of another table, or in another light."""

DARK = 12.0
"""Mean grey level below which a camera shows nothing yet."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Thing:
    """A quad that may be a card's; `support` as of `Outline`. `border`: its colour in CIE Lab along
    the sides; `step`: how far that is from what is seen beside it."""

    quad: Quad
    support: float
    border: NDArray[np.float32]
    step: float


Family = list[Thing]


def in_reading_order(image: Picture, tall: float = USUAL) -> list[Quad]:
    """The outlines of the cards in a BGR picture, row by row as they lie in it, from the top
    left; `tall`: a card's long by its short side, as far as the deck tells."""
    return [quad for row in grid(lying(image, tall)) for quad in row]


def grid(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Rows of cards from top to bottom, each from left to right; a new row starts below the last
    one's middles."""
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda q: float(centre(q)[1])):
        tall = float(np.ptp(quad[:, 1]))
        if rows and float(centre(quad)[1]) - np.mean([centre(q)[1] for q in rows[-1]]) < 0.5 * tall:
            rows[-1].append(quad)
        else:
            rows.append([quad])
    return [sorted(row, key=lambda q: float(centre(q)[0])) for row in rows]


def lying(image: Picture, tall: float = USUAL) -> list[Quad]:
    """The outlines of the cards in a BGR picture: of all things of one size and shape those that
    count most, less what holds them and what is printed on them; then, as the reader does, those
    that touch another or show their border in pieces."""
    found = list(everything(outlines(image)))
    cards = _chosen(image, found, tall)
    if len(cards) < SEVERAL:
        return [card.quad for card in cards]
    return [card.quad for card in cards] + _further(image, found, cards, tall)


def _chosen(image: Picture, found: Sequence[tuple[Quad, float]], tall: float) -> Family:
    """The things that look most like the cards of one deck, of all quads found with their
    support."""
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
    """Of all things those that are of one size on the plane on which the cards lie, the best in
    each place."""
    for _ in range(2):
        if len(cards) < ENOUGH:
            break
        plane = CardPlane.of([one.quad for one in cards], size, tall)
        most = _most_off(plane, cards)
        off = plane.off([one.quad for one in things])
        cards = []
        for i in np.argsort(off):
            if off[i] > most:
                break
            if not any(overlap(things[i].quad, card.quad) > BESIDE * area(card.quad) for card in cards):
                cards.append(things[i])
    return cards


def _most_off(plane: CardPlane, cards: Family) -> float:
    """How far a thing may be from a card on the plane: where borders are dim all are further."""
    usual = float(np.median(plane.off([one.quad for one in cards])))
    return float(np.clip(SPREAD * usual, *OFF))


def _further(image: Picture, found: Sequence[tuple[Quad, float]], cards: Family, tall: float) -> list[Quad]:
    """Cards beside those that were found: by the ways in which the reader finds them; then where an
    outline has a corner astray, and where a row goes on, for cards lie there whole."""
    lab, scale = working(image, None)
    plane = CardPlane.of([card.quad for card in cards], (image.shape[1], image.shape[0]), tall)
    most_off, most_unlike = _most_off(plane, cards), _limit(cards)
    least = 0.5 * float(np.median([card.step for card in cards]))

    def read(quad: Quad, shown: float = SHOWN) -> Reading:
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
    """The things that quads are, as the working picture shows them."""
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
    """Things of one size and shape, no two of them in one place, the clearest first; what is in one
    family begins no other."""
    rest = sorted(things, key=lambda one: -one.support)
    size = np.array([area(one.quad) for one in rest])
    middles = np.array([one.quad.mean(axis=0) for one in rest]).reshape(-1, 2)
    free = np.ones(len(rest), dtype=bool)
    for first in range(len(rest)):
        if not free[first]:
            continue
        members, left = [first], (size > 0.35 * size[first]) & (size < 2.9 * size[first])
        left[first] = False
        while True:
            joined = False
            for i in np.flatnonzero(left)[np.argsort(((middles[left] - middles[first]) ** 2).sum(axis=1))]:
                near = members[int(((middles[members] - middles[i]) ** 2).sum(axis=1).argmin())]
                known = rest[near].quad
                if not of_card_shape(rest[i].quad, [known], aspect(known)):
                    continue
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
    """Whether things of one shape have a card's: several may have that of another deck."""
    shapes = [aspect(one.quad) for one in family]
    if len(family) >= SEVERAL:
        return SHAPES[0] <= float(np.median(shapes)) <= SHAPES[1]
    clear = all(one.support > CLEAR and area(one.quad) < LARGE * size for one in family)
    return clear and all(0.8 < shape / tall < 1.25 for shape in shapes)


def _yields(one: Family, other: Family) -> bool:
    """Whether the things of one family are what the other's lie on, or what is printed on them."""
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
    """Part of the things of one family that lie in larger ones of the other."""
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
    """How much speaks for the things of a family being the cards: many, large, and other than what
    they lie on. Squares of a cloth and planks are many, too."""
    step = float(np.median([one.step for one in family]))
    shape = float(np.median([aspect(one.quad) for one in family]))
    support = float(np.mean([one.support for one in family]))
    return (
        len(family) * float(np.sqrt(_size(family))) * step * support / (1 + abs(float(np.log(shape / tall))))
    )


def _alike(family: Family) -> Family:
    """The things of a family less those whose border is of another colour than all others': boxes,
    and the gaps between cards."""
    if len(family) < SEVERAL:
        return family
    most = _limit(family)
    return [one for one in family if _unlike(one, family) <= most]


def _unlike(thing: Thing, family: Family) -> float:
    """How far the colour of a thing's border is from that of a family: its chroma from all, its
    luma from the nearest, for a lamp lights one end of the table more."""
    others = [one for one in family if one is not thing]
    near = sorted(others, key=lambda one: float(((one.quad - thing.quad).mean(axis=0) ** 2).sum()))[:NEAR]
    usual = np.median([one.border for one in others], axis=0)
    usual[0] = np.median([one.border[0] for one in near])
    return float(np.linalg.norm((usual - thing.border) * LIGHT))


def _limit(family: Family) -> float:
    """How far a border may be from those beside it: where they are of many colours no one tells."""
    return max(ALIKE, SPREAD * float(np.median([_unlike(one, family) for one in family])))


class Shutter:
    """Releases by itself when one new card has lain still for `REST` seconds, once for each card
    that is laid.

    What was there before is no card: a mat, a tray, a slip of paper. The next card must lie
    somewhere else, or come after the last one was taken away. `new`: what has come to lie there and
    was not taken.
    """

    REST, GONE, CALM = 0.4, 0.3, 1.0
    """Seconds that a card must lie still, after which a card that is not seen any more was taken
    away, and after which a table on which nothing new is found is the bare table."""

    def __init__(self) -> None:
        self.new: list[Quad] = []
        self._bare: _Glance | None = None
        self._calm_since = 0.0
        self._done: list[tuple[Quad, float]] = []
        """What was taken, and when it was last seen to lie there."""
        self._last: Quad | None = None
        self._since = 0.0

    def see(self, frame: Picture, t_seconds: float, tall: float = USUAL) -> Quad | None:
        """Take in a BGR frame; the outline of the card that has just come to rest, or None. `tall`
        as for `lying`."""
        glance = _Glance(frame)
        if glance.is_dark:
            return None
        if self._bare is None or self._bare.unlike(glance).mean() > ANOTHER:
            self._bare, self._calm_since = glance, t_seconds
        changed = self._bare.unlike(glance)
        found = [one for one in everything(outlines(frame)) if glance.part(changed, one[0]) >= COVERED]
        cards = _chosen(frame, found, tall)
        if not cards:
            if t_seconds - self._calm_since >= self.CALM:
                self._bare, self._calm_since = glance, t_seconds
            self.new, self._done, self._last = [], [], None
            return None
        self._calm_since = t_seconds
        seen = [
            (taken, t_seconds if any(_same_place(c.quad, taken) for c in cards) else at)
            for taken, at in self._done
        ]
        self._done = done = [(taken, at) for taken, at in seen if t_seconds - at < self.GONE]
        self.new = [c.quad for c in cards if not any(_same_place(c.quad, taken) for taken, _ in done)]
        if len(self.new) != 1:
            self._last = None
            return None
        (quad,) = self.new
        if self._last is None or float(np.abs(centre(quad) - centre(self._last)).max()) > 4.0:
            self._last, self._since = quad, t_seconds
        if t_seconds - self._since < self.REST:
            return None
        self._done, self.new = [*done, (quad, t_seconds)], []
        return quad


class _Glance:
    """A coarse copy of a frame, by which it is told what has come to lie there."""

    WIDTH = 240

    def __init__(self, frame: Picture) -> None:
        self._scale = self.WIDTH / frame.shape[1]
        size = self.WIDTH, max(1, round(frame.shape[0] * self._scale))
        self._shown = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.float32)

    @property
    def is_dark(self) -> bool:
        return bool(self._shown.mean() < DARK)

    def unlike(self, later: "_Glance") -> NDArray[np.bool_]:
        """Where a later glance shows something else."""
        if later._shown.shape != self._shown.shape:
            return np.ones(later._shown.shape[:2], bool)
        brighter = np.median((later._shown + 1) / (self._shown + 1), axis=(0, 1))
        return np.asarray(np.abs(later._shown - self._shown * brighter).max(axis=2) > STEP)

    def part(self, where: NDArray[np.bool_], quad: Quad) -> float:
        """The part of a quad, in pixels of the frame, in which it is so."""
        mask = np.zeros(self._shown.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad + 0.5) * self._scale - 0.5).astype(np.int32), 1)
        inside = mask > 0
        return float(where[inside].mean()) if inside.any() else 0.0


def _same_place(quad: Quad, taken: Quad) -> bool:
    return overlap(quad, taken) > 0.5 * area(quad)
