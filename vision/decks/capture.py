"""Find cards before any card of the deck is known.

Without reference views, a card can be recognised only as one of many: the cards of a deck have one
size, one shape and one colour of border, and lie on one plane. So all quadrilaterals of a picture
are grouped into families of one size and shape; the family that is most numerous, largest and
clearest against its surroundings is taken for the cards. Families that contain others (a mat) or
are contained in others (a frame printed on each card) are left out. The plane of the table, fitted
to the family, then shows which further quads are cards, and where a row goes on.

In one picture alone, three letters printed on a card look like three cards on a mat. Cards of one
deck have one size and shape in all photos of it (`find_common_size`), and that tells them apart.

`detect_cards` and `detect_cards_in_reading_order` do this for one picture; `Shutter` finds single
new cards in a video.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    NEXT,
    Quad,
    aspect_ratio,
    overlap_area,
    quad_area,
    quad_centre,
    scale_quad,
    side_lengths,
    start_on_short_side,
    unscale_quad,
)
from vision.library import USUAL
from vision.missed_cards import BESIDE, find_occluded_cards_in_steps, read_sure_cards_in_steps
from vision.outlines import cloth, quads
from vision.outlines.detect import NESTED, find_outlines, iterate_quads
from vision.outlines.shape import CardPlane, has_card_shape
from vision.outlines.working_picture import WorkingPicture
from vision.reading import Reading
from vision.steps import finish_at_once, run_to_end

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
"""Limits, least and most, of how far a card may be from one on the plane
(`CardPlane.measure_deviation`)."""

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
"""`ASTRAY`: greatest distance from a card (`CardPlane.measure_deviation`) of a quad that is a card
with one wrong corner. `REACH`: pixels of the working picture by which its sides are then moved."""

SHOWN, WHOLLY = 0.7, 0.85
"""Share of the sides that must show an edge: of a further card that was detected, and of one that
is only expected in its place."""

SAME_SIZE, SAME_SHAPE = 1.6, 1.2
"""Factors by which area, and long by short side, of the cards of two photos may differ: somebody
held the camera higher, or at another angle. Half a card, as it is found between two frames printed
on it, differs by more."""

OUTLINED = 0.5
"""As `CLEAR`, for a card whose size is known from other photos."""

STEADIER = 1.2
"""Factor by which the sizes of things in several photos must differ less than those of the cards
found, for them to be the cards."""

COVERED, STEP = 0.3, 14.0
"""`COVERED`: part of a card that must differ from the bare table. `STEP`: least difference in grey
levels; lamps and a camera's exposure change all of a picture."""

ANOTHER = 0.7
"""Changed part of a picture from which it counts as another table, or another light."""

DARK = 12.0
"""Mean grey level below which a camera does not show anything yet."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class QuadCandidate:
    """A quad that may be a card. `support`: as in `Outline`; `border`: median colour along
    its sides in CIE Lab; `step`: distance of that colour from the surroundings."""

    quad: Quad
    support: float
    border: NDArray[np.float32]
    step: float


Family = list[QuadCandidate]


class CardSize(NamedTuple):
    """Size of the cards in a photo: the part of its area that one card takes, and its long by its
    short side, as seen."""

    share: float
    aspect: float

    @classmethod
    def measure_cards(cls, cards: Sequence[Quad], image: Picture) -> "CardSize":
        """Return the size of the cards (at least one) found in a picture: their medians."""
        area = image.shape[0] * image.shape[1]
        share = float(np.median([quad_area(quad) for quad in cards])) / area
        return cls(share, float(np.median([aspect_ratio(quad) for quad in cards])))

    def is_like(self, other: "CardSize") -> bool:
        """Check whether cards of these sizes can be of one deck, photographed by one person."""
        return _is_within(self.share / other.share, SAME_SIZE) and _is_within(
            self.aspect / other.aspect, SAME_SHAPE
        )


class SizeCandidate(NamedTuple):
    """Things of one size in a photo that may be cards. `score`: how likely that is by the photo
    alone; `is_chosen`: no other is likelier."""

    size: CardSize
    score: float
    is_chosen: bool


def find_common_size(photos: Sequence[Sequence[SizeCandidate]]) -> CardSize | None:
    """Return the size that the cards of a deck have in more than half of its photos; None if there
    is none, or fewer than `SEVERAL` photos, in which anything may agree by chance. `photos`: the
    candidates of each.

    It is the size that was chosen in most photos, unless another is there as often and clearly
    steadier: frames, letters and pictures on cards differ from card to card. Where none was chosen
    in most, it is that of the best things found in most.
    """
    groups = [
        [photo for photo in ([one for one in photo if one.size.is_like(size)] for photo in photos) if photo]
        for size in {one.size for photo in photos for one in photo}
    ]
    groups = [group for group in groups if len(photos) >= SEVERAL and 2 * len(group) > len(photos)]
    chosen = [group for group in groups if 2 * _count_chosen(group) > len(photos)]
    best = max(chosen, key=lambda group: (_count_chosen(group), _sum_scores(group)), default=None)
    if best is not None:
        least = _measure_spread(best)
        # Cards of one size differ by the camera's height alone, and what is printed on them more.
        steady = [one for one in groups if len(one) >= len(best) and _measure_spread(one) * STEADIER < least]
        groups = steady or [best]
    else:
        # Two things may be of one size by chance, three hardly.
        groups = [group for group in groups if len(group) >= SEVERAL]
    most = max(groups, key=lambda group: (len(group), _sum_scores(group)), default=None)
    return None if most is None else _median_size(most)


Group = list[list[SizeCandidate]]
"""Of each photo that has any, the candidates of about one size."""


def _count_chosen(group: Group) -> int:
    return sum(any(one.is_chosen for one in photo) for photo in group)


def _sum_scores(group: Group) -> float:
    return sum(max(one.score for one in photo) for photo in group)


def _measure_spread(group: Group) -> float:
    """Return how much larger the largest is than the smallest, in its photo."""
    shares = [photo[0].size.share for photo in group]
    return max(shares) / min(shares)


def _median_size(group: Group) -> CardSize:
    sizes = [photo[0].size for photo in group]
    return CardSize(*(float(np.median(values)) for values in zip(*sizes, strict=True)))


def list_size_candidates(
    image: Picture, outlined: Sequence[tuple[Quad, float]], cards: Sequence[Quad], card_aspect: float = USUAL
) -> list[SizeCandidate]:
    """List what may be cards in a BGR picture: a card, a frame printed on it, and the tray it lies
    on. `outlined`: by `outline_things`; `cards`: those found in it, if any, by `detect_cards`."""
    candidates = [
        SizeCandidate(
            CardSize.measure_cards([one.quad for one in family], image),
            _score_family(family, card_aspect),
            False,
        )
        for family in _find_families(image, outlined, card_aspect)[1]
    ]
    if not cards:
        return candidates
    size = CardSize.measure_cards(cards, image)
    score = max((one.score for one in candidates if one.size.is_like(size)), default=0.0)
    return [SizeCandidate(size, score, True), *(one for one in candidates if not one.size.is_like(size))]


def outline_things(image: Picture) -> list[tuple[Quad, float]]:
    """Return all quadrilaterals of a BGR picture, each with its support (as in `Outline`)."""
    return list(iterate_quads(find_outlines(image)))


def _is_within(ratio: float, factor: float) -> bool:
    return 1 / factor <= ratio <= factor


def detect_cards_in_reading_order(
    image: Picture,
    card_aspect: float = USUAL,
    size: CardSize | None = None,
    outlined: Sequence[tuple[Quad, float]] | None = None,
) -> list[Quad]:
    """Find the outlines of the cards in a BGR picture, row by row from the top left; arguments as
    for `detect_cards`."""
    cards = detect_cards(image, card_aspect, size, outlined)
    return [quad for row in group_into_rows(cards) for quad in row]


def group_into_rows(quads: Sequence[Quad]) -> list[list[Quad]]:
    """Sort cards into rows from top to bottom, each from left to right. A new row starts where a
    card's middle is half a card's height below the mean of the current row."""
    rows: list[list[Quad]] = []
    for quad in sorted(quads, key=lambda q: float(quad_centre(q)[1])):
        tall = float(np.ptp(quad[:, 1]))
        if rows and float(quad_centre(quad)[1]) - np.mean([quad_centre(q)[1] for q in rows[-1]]) < 0.5 * tall:
            rows[-1].append(quad)
        else:
            rows.append([quad])
    return [sorted(row, key=lambda q: float(quad_centre(q)[0])) for row in rows]


def detect_cards(
    image: Picture,
    card_aspect: float = USUAL,
    size: CardSize | None = None,
    outlined: Sequence[tuple[Quad, float]] | None = None,
) -> list[Quad]:
    """Find the outlines of the cards in a BGR picture. `card_aspect`: a card's long by its short
    side, if the deck tells. `size`: that of the deck's cards in other photos, if known; nothing
    else is taken for a card then. `outlined`: by `outline_things`, if it was done.

    Of all families of things of one size and shape, take the one most likely to be cards, without
    things that contain them or are printed on them. Then add, as the reader does, cards that touch
    others or whose border shows only in pieces.
    """
    found = outline_things(image) if outlined is None else outlined
    cards = _select_card_family(image, found, card_aspect, size)
    # with fewer, colour and plane of the deck's cards are not known well enough to find more
    if len(cards) < SEVERAL:
        return [card.quad for card in cards]
    return [card.quad for card in cards] + _find_missed_cards(image, found, cards, card_aspect)


def _select_card_family(
    image: Picture,
    supported_quads: Sequence[tuple[Quad, float]],
    card_aspect: float,
    size: CardSize | None = None,
) -> Family:
    """Choose the things most likely to be cards of one deck, among all quads with their support."""
    things, families = _find_families(image, supported_quads, card_aspect, size)
    left = [one for one in families if not any(_gives_way_to(one, other) for other in families)]
    cards = max(left, key=lambda one: _score_family(one, card_aspect), default=[])
    return _drop_colour_outliers(
        _select_coplanar(cards, things, card_aspect, (image.shape[1], image.shape[0]))
    )


def _find_families(
    image: Picture,
    supported_quads: Sequence[tuple[Quad, float]],
    card_aspect: float,
    size: CardSize | None = None,
) -> tuple[list[QuadCandidate], list[Family]]:
    """Return all things that may be cards, and the families of them that may be those of a deck."""
    height, width = image.shape[:2]
    if size is not None:
        supported_quads = [
            one for one in supported_quads if CardSize.measure_cards([one[0]], image).is_like(size)
        ]
    large = [
        (quad, support)
        for quad, support in supported_quads
        if side_lengths(quad).min() >= SMALL * max(width, height) and _has_right_angles(quad)
    ]
    picture = WorkingPicture(image)
    things = _measure_candidates(picture.lab, picture.scale, large)
    families = [
        one
        for one in _group_into_families(things)
        if (size is not None and all(thing.support > OUTLINED for thing in one))
        or _could_be_cards(one, card_aspect, width * height)
    ]
    return things, families


def _select_coplanar(
    cards: Family, things: Sequence[QuadCandidate], card_aspect: float, size: tuple[int, int]
) -> Family:
    """Select the things of one size on the plane of the given cards, the best in each place."""
    # the second round fits the plane to all cards that the first has found on it
    for _ in range(2):
        if len(cards) < ENOUGH:
            break
        plane = CardPlane.fit_to_cards([one.quad for one in cards], size, card_aspect)
        most = _compute_plane_tolerance(plane, cards)
        off = plane.measure_deviation([one.quad for one in things])
        cards = []
        # from the best fit outwards, so that of rivals in one place the best is kept
        for i in np.argsort(off):
            if off[i] > most:
                break
            if not any(
                overlap_area(things[i].quad, card.quad) > BESIDE * quad_area(card.quad) for card in cards
            ):
                cards.append(things[i])
    return cards


def _compute_plane_tolerance(plane: CardPlane, cards: Family) -> float:
    """Return the greatest distance from the plane of a card; larger where borders are dim and all
    cards are further off."""
    usual = float(np.median(plane.measure_deviation([one.quad for one in cards])))
    return float(np.clip(SPREAD * usual, *OFF))


def _find_missed_cards(
    image: Picture, found: Sequence[tuple[Quad, float]], cards: Family, card_aspect: float
) -> list[Quad]:
    """Find the cards missed beside those found.

    First with the reader's own methods for occluded cards; then where an outline has one wrong
    corner, and at the ends of rows, where only fully visible cards count.
    """
    picture = WorkingPicture(image)
    lab, scale = picture.lab, picture.scale
    plane = CardPlane.fit_to_cards(
        [card.quad for card in cards], (image.shape[1], image.shape[0]), card_aspect
    )
    most_off, most_unlike = _compute_plane_tolerance(plane, cards), _border_colour_limit(cards)
    least = 0.5 * float(np.median([card.step for card in cards]))

    def read_quad(quad: Quad, least_support: float = SHOWN) -> Reading:
        small = scale_quad(quad, scale)
        support = quads.snap_to_edges(lab, [small], 2.0)[1]
        (thing,) = _measure_candidates(lab, scale, [(quad, float(support.mean()))])
        like = (
            support.mean() >= least_support
            and not any(overlap_area(quad, card.quad) > BESIDE * quad_area(quad) for card in cards)
            and not cloth.find_blank_quads(lab, [small])[0]
            and plane.measure_deviation([quad])[0] <= most_off
            and _border_colour_distance(thing, cards) <= most_unlike
            and thing.step > least
        )
        return Reading(None, bool(like), 1.0, quad)

    known = [Reading(None, True, 1.0, start_on_short_side(card.quad)) for card in cards]
    usual = float(np.median([aspect_ratio(card.quad) for card in cards]))
    occluded = find_occluded_cards_in_steps(
        picture, known, usual, lambda _, quad: finish_at_once(read_quad(quad))
    )
    more = [one for one in run_to_end(occluded) if one.sure]
    rows = group_into_rows([one.quad for one in (*known, *more)])
    places = [plane.snap_to_card(quad) for quad, _ in found if plane.measure_deviation([quad])[0] < ASTRAY]
    places += [quad for row in rows for quad in plane.extend_row(row)]
    small = [scale_quad(quad, scale) for quad in places]
    moved = quads.snap_to_edges(lab, small, REACH)[0] if small else []
    onto = [unscale_quad(quad, scale) for quad in moved]

    def is_unoccupied(quad: Quad) -> bool:
        return not any(overlap_area(quad, one.quad) > BESIDE * quad_area(quad) for one in more)

    further = read_sure_cards_in_steps(
        onto, [*known, *more], is_unoccupied, lambda quad: finish_at_once(read_quad(quad, WHOLLY))
    )
    return [one.quad for one in (*more, *run_to_end(further))]


def _measure_candidates(
    lab: Picture, scale: float, supported_quads: Sequence[tuple[Quad, float]]
) -> list[QuadCandidate]:
    """Measure border colour and contrast of quads in the working picture (CIE Lab, `scale` times
    the size of the original)."""
    if not supported_quads:
        return []
    all_quads = np.stack([scale_quad(quad, scale) for quad, _ in supported_quads])
    along = np.linspace(0.15, 0.85, 8, dtype=np.float32)[:, None]
    middles = all_quads.mean(axis=1, keepdims=True)

    def sample_border(size: float) -> NDArray[np.float32]:
        corners = middles + size * (all_quads - middles)
        at = corners[:, :, None] * (1 - along) + corners[:, NEXT][:, :, None] * along
        at = np.ascontiguousarray(at.reshape(len(supported_quads), -1, 2))
        return cv2.remap(
            lab, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ).astype(np.float32)

    inside, outside = sample_border(INSIDE), sample_border(OUTSIDE)
    steps = np.median(np.linalg.norm(inside - outside, axis=2), axis=1)
    colours = np.median(inside, axis=1)
    return [
        QuadCandidate(quad, support, colour, float(step))
        for (quad, support), colour, step in zip(supported_quads, colours, steps, strict=True)
    ]


def _group_into_families(things: Sequence[QuadCandidate]) -> Iterator[Family]:
    """Yield groups of things of one size and shape, no two of them in one place, the clearest
    first. A member of one family does not start another."""
    rest = sorted(things, key=lambda one: -one.support)
    size = np.array([quad_area(one.quad) for one in rest])
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
                if not has_card_shape(rest[i].quad, [known], aspect_ratio(known)):
                    continue
                # also where it overlaps a member: that is the same card, found twice
                left[i] = False
                if all(
                    overlap_area(rest[i].quad, rest[m].quad) <= BESIDE * min(size[i], size[m])
                    for m in members
                ):
                    members.append(int(i))
                    joined = True
            if not joined:
                break
        free[members] = False
        yield [rest[i] for i in members]


def _has_right_angles(quad: Quad) -> bool:
    steps = quad[NEXT] - quad
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-6)
    return bool(np.abs((steps * steps[NEXT]).sum(axis=1)).max() <= SQUARE)


def _could_be_cards(family: Family, card_aspect: float, size: float) -> bool:
    """Check whether a family of things can be cards; three or more may have the shape of another
    deck."""
    shapes = [aspect_ratio(one.quad) for one in family]
    if len(family) >= SEVERAL:
        return SHAPES[0] <= float(np.median(shapes)) <= SHAPES[1]
    clear = all(one.support > CLEAR and quad_area(one.quad) < LARGE * size for one in family)
    return clear and all(0.8 < shape / card_aspect < 1.25 for shape in shapes)


def _gives_way_to(one: Family, other: Family) -> bool:
    """Check whether a family is the support of the cards in another, or is printed on them."""
    if one is other:
        return False
    if _share_lying_within(one, other) > 0.5:
        return len(other) > 1 or _median_area(one) > HOLDS * _median_area(other)
    if _share_lying_within(other, one) > 0.5:
        return len(one) == 1 and _median_area(other) <= HOLDS * _median_area(one)
    return False


def _median_area(family: Family) -> float:
    return float(np.median([quad_area(one.quad) for one in family]))


def _share_lying_within(one: Family, other: Family) -> float:
    """Return the part of one family's things that lie within larger things of the other."""
    lie = [
        any(
            quad_area(small.quad) < quad_area(large.quad)
            and overlap_area(small.quad, large.quad) > NESTED * quad_area(small.quad)
            for large in other
        )
        for small in one
    ]
    return float(np.mean(lie))


def _score_family(family: Family, card_aspect: float) -> float:
    """Rate how likely a family is to be the cards: many, large, and of another colour than their
    surroundings. Number alone does not decide: squares of a cloth and planks are many, too."""
    step = float(np.median([one.step for one in family]))
    shape = float(np.median([aspect_ratio(one.quad) for one in family]))
    support = float(np.mean([one.support for one in family]))
    return (
        len(family)
        * float(np.sqrt(_median_area(family)))
        * step
        * support
        / (1 + abs(float(np.log(shape / card_aspect))))
    )


def _drop_colour_outliers(family: Family) -> Family:
    """Remove the things whose border has another colour than all others: boxes, and gaps between
    cards."""
    if len(family) < SEVERAL:
        return family
    most = _border_colour_limit(family)
    return [one for one in family if _border_colour_distance(one, family) <= most]


def _border_colour_distance(thing: QuadCandidate, family: Family) -> float:
    """Return the colour distance of a thing's border from a family's. Chroma is compared with all
    others, lightness only with the nearest, because a lamp lights one end of the table more."""
    others = [one for one in family if one is not thing]
    near = sorted(others, key=lambda one: float(((one.quad - thing.quad).mean(axis=0) ** 2).sum()))[:NEAR]
    usual = np.median([one.border for one in others], axis=0)
    usual[0] = np.median([one.border[0] for one in near])
    return float(np.linalg.norm((usual - thing.border) * LIGHT))


def _border_colour_limit(family: Family) -> float:
    """Return the greatest colour distance of a border from the family; where the borders have many
    colours, the limit is too wide to exclude any."""
    return max(ALIKE, SPREAD * float(np.median([_border_colour_distance(one, family) for one in family])))


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
        self._bare: _CoarseFrame | None = None
        self._calm_since = 0.0
        self._done: list[tuple[Quad, float]] = []
        """Outlines captured, and the second at which each was last visible."""
        self._last: Quad | None = None
        self._since = 0.0

    def update(self, frame: Picture, t_seconds: float, card_aspect: float = USUAL) -> Quad | None:
        """Process a BGR frame; return the outline of the card that has just come to rest, or None.
        `card_aspect` as for `detect_cards`."""
        glance = _CoarseFrame(frame)
        if glance.is_dark:
            return None
        # the first frame, or another table: whatever is there now is the bare table
        if self._bare is None or self._bare.find_changes(glance).mean() > ANOTHER:
            self._bare, self._calm_since = glance, t_seconds
        changed = self._bare.find_changes(glance)
        found = [
            one
            for one in iterate_quads(find_outlines(frame))
            if glance.share_of_quad(changed, one[0]) >= COVERED
        ]
        cards = _select_card_family(frame, found, card_aspect)
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
        visible_quads = [
            (taken, t_seconds if any(_is_same_place(c.quad, taken) for c in cards) else at)
            for taken, at in self._done
        ]
        self._done = done = [(taken, at) for taken, at in visible_quads if t_seconds - at < self.GONE]
        self.new = [c.quad for c in cards if not any(_is_same_place(c.quad, taken) for taken, _ in done)]
        # of two new cards, nobody could say which one is being enrolled
        if len(self.new) != 1:
            self._last = None
            return None
        (quad,) = self.new
        # it has moved: its time at rest starts again
        if self._last is None or float(np.abs(quad_centre(quad) - quad_centre(self._last)).max()) > 4.0:
            self._last, self._since = quad, t_seconds
        if t_seconds - self._since < self.REST:
            return None
        self._done, self.new = [*done, (quad, t_seconds)], []
        return quad


class _CoarseFrame:
    """A coarse copy of a frame, compared with later ones to find what has changed."""

    WIDTH = 240

    def __init__(self, frame: Picture) -> None:
        self._scale = self.WIDTH / frame.shape[1]
        size = self.WIDTH, max(1, round(frame.shape[0] * self._scale))
        self._shown = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.float32)

    @property
    def is_dark(self) -> bool:
        return bool(self._shown.mean() < DARK)

    def find_changes(self, later: "_CoarseFrame") -> NDArray[np.bool_]:
        """Mark the pixels at which a later glance shows something else."""
        if later._shown.shape != self._shown.shape:
            return np.ones(later._shown.shape[:2], bool)
        # the camera's exposure and white balance change with the cards: compare after matching each
        # channel
        brighter = np.median((later._shown + 1) / (self._shown + 1), axis=(0, 1))
        return np.asarray(np.abs(later._shown - self._shown * brighter).max(axis=2) > STEP)

    def share_of_quad(self, where: NDArray[np.bool_], quad: Quad) -> float:
        """Return the marked part of a quad, given in pixels of the frame, from 0 to 1."""
        mask = np.zeros(self._shown.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(scale_quad(quad, self._scale)).astype(np.int32), 1)
        inside = mask > 0
        return float(where[inside].mean()) if inside.any() else 0.0


def _is_same_place(quad: Quad, captured: Quad) -> bool:
    return overlap_area(quad, captured) > 0.5 * quad_area(quad)
