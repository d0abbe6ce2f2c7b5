"""Find further outlines where the first look found none, and read those likely to be cards.

Cards under something lying across or a mirrored lamp (`find_occluded_cards_in_steps`) are found by
their visible corners, or by the pieces of their border, and read by their visible part.

Cards on a cloth as pale as they are (`find_low_contrast_cards_in_steps`): a white card on a white
tablecloth differs by a few grey levels, less than an edge on other tables. When the usual colour of
the surroundings is subtracted and the rest amplified, it is as clear as any other. So is the weave
of the cloth: only print shows which of these outlines are cards.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import (
    Quad,
    aspect_ratio,
    make_rectangle,
    overlap_area,
    quad_area,
    scale_quad,
    side_lengths,
    unscale_quad,
)
from vision.outlines import detect
from vision.outlines.borders import find_joined_outlines_in_steps
from vision.outlines.covers import find_covers, find_frame_covers
from vision.outlines.detect import RIVAL, SAME, intersection_over_union
from vision.outlines.occlusion import complete_outlines_in_steps
from vision.outlines.shape import has_card_shape
from vision.outlines.working_picture import WorkingPicture
from vision.print_check import verify_partial_print_in_steps
from vision.reading import Reading, is_part_of_card
from vision.steps import Steps

MOST, BESIDE = 24, 0.3
"""Most further outlines of one picture that are read, and the part of one that may lie on a card
found among them: nine cards under cables gave 110 outlines, a dozen of them of a card's shape and
size."""

IN_VAIN = 2
"""Further outlines of one place that are read without any being sure: the clearest is the card's if
a card lies there, and the gaps between cards of one table were read six times. With 3 not one card
more of 76 was identified under cables or glare."""

Picture = NDArray[np.uint8]


def read_sure_cards_in_steps(
    quads: Iterable[Quad],
    known: Sequence[Reading],
    has_card_shape: Callable[[Quad], bool],
    read_quad: Callable[[Quad], Steps[Reading | None]],
) -> Steps[list[Reading]]:
    """Return the sure readings of those quads, the likeliest first, that are different from the
    `known` ones; in small steps.

    `has_card_shape` checks whether a quad has a card's shape and size. `read_quad` reads a quad, or
    returns None if there is nothing to report.
    """
    new: list[Reading] = []
    in_vain: list[Quad] = []
    looks = 0
    for quad in quads:
        if (
            any(overlap_area(quad, r.quad) > BESIDE * quad_area(quad) for r in new)
            or not has_card_shape(quad)
            or any(intersection_over_union(quad, r.quad) > SAME for r in known)
            or sum(intersection_over_union(quad, q) > RIVAL for q in in_vain) >= IN_VAIN
        ):
            continue
        yield
        reading = yield from read_quad(quad)
        if reading is not None and reading.sure:
            new.append(reading)
        elif reading is not None:
            in_vain.append(quad)
        # a quad without a result has cost a look as well
        looks += 1
        if looks == MOST:
            break
    return new


GAIN, NOISE = 6.0, 0.8
"""Factor by which steps are amplified, and pixels of the working picture by which it is blurred
before: of 30 cards on cloths 8, 4 and 2 grey levels darker 27, 23 and 17 are outlined; 28, 20 and
17 with 4 and no blur, 27, 20 and 15 with 10 and 1.2 pixels, 16, 11 and 10 without amplification."""

SURROUNDINGS, COARSE = 0.42, 8
"""`SURROUNDINGS`: part of the picture's longer side over which the usual colour is taken, more than
a card of a whole table; `COARSE`: how many times smaller the picture is for that. With half as
much, one card in ten is outlined that is not with this value, and the other way round."""

FAINT = (30, 10, 10)
"""Steps of 8-bit CIE Lab up to which a table may differ from the borders of the cards for others to
be hidden on it: on a cloth 16 grey levels darker 25 of 30 are outlined without amplification, on
one 32 darker 29."""

ROOM, PLAIN = 0.02, 0.25
"""`ROOM`: part of a picture that such a table must take beside the cards for others to be hidden on
it: that of one small card. `PLAIN`: width of its narrowest places, in parts of a card's; of a
cloth whose checks are half as wide as a card nothing is left from 0.2 on."""


def may_hide_cards(picture: WorkingPicture, cards: Sequence[Quad], other_quads: Sequence[Quad]) -> bool:
    """Check whether other cards may lie unseen in a picture: beside the `cards` and all
    `other_quads` found, the table is as pale as their borders, and plain. True if no card lies in
    the picture, as their borders are unknown then."""
    lab, scale = picture.lab, picture.scale
    small = [scale_quad(quad, scale) for quad in cards]
    colours = [_border_colour(lab, quad) for quad in small]
    borders = np.array([colour for colour in colours if colour is not None])
    if not len(borders):
        return True
    alike = cv2.inRange(lab, borders.min(axis=0) - FAINT, borders.max(axis=0) + FAINT)
    similar_mask = np.asarray(alike, np.uint8)
    for quad in other_quads:
        # a little larger: a thing's shadow and blurred rim are not table
        _fill_scaled_quad(similar_mask, scale_quad(quad, scale), 1.06, 0)
    # pale checks, stripes and scraps hide no border of a card: it shows where they end
    across = max(1, round(PLAIN * min(float(side_lengths(quad).min()) for quad in small)))
    plain = cv2.morphologyEx(similar_mask, cv2.MORPH_OPEN, np.ones((across, across), np.uint8))
    return cv2.countNonZero(plain) > ROOM * similar_mask.size


def find_faint_quads_in_steps(picture: WorkingPicture) -> Steps[list[Quad]]:
    """Return the quads, in pixels of the full-size picture, that faint edges make; in small
    steps."""
    clear = WorkingPicture(amplify_contrast(picture.reduced))
    yield
    found = yield from detect.find_outlines_in_steps(clear)
    return [unscale_quad(quad, picture.scale) for quad, _ in detect.iterate_quads(found)]


def amplify_contrast(image: Picture) -> Picture:
    """Amplify the picture relative to the usual colour of its surroundings, which becomes a middle
    grey."""
    size = [max(1, length // COARSE) for length in image.shape[1::-1]]
    coarse = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    # at a coarse size, because a median over so wide a window is slow
    median = cv2.medianBlur(coarse, int(SURROUNDINGS * max(size)) | 1)
    usual = cv2.resize(median, image.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    steps = cv2.GaussianBlur(image, (0, 0), NOISE) - usual
    return np.asarray(np.clip(128 + GAIN * steps, 0, 255), np.uint8)


def _border_colour(lab: Picture, quad: Quad) -> NDArray[np.float64] | None:
    """Return the usual colour along the border of a card, or None if that lies outside the
    picture."""
    mask = np.zeros(lab.shape[:2], np.uint8)
    _fill_scaled_quad(mask, quad, 0.96, 1)
    _fill_scaled_quad(mask, quad, 0.88, 0)
    left, top, width, height = cv2.boundingRect(quad)
    here = np.s_[max(top, 0) : top + height, max(left, 0) : left + width]
    shown = lab[here][mask[here] > 0]
    return np.median(shown, axis=0) if len(shown) else None


def _fill_scaled_quad(mask: Picture, quad: Quad, scale: float, value: int) -> None:
    """Fill a quad whose sides are `scale` times as far from its middle."""
    middle = quad.mean(axis=0)
    cv2.fillConvexPoly(mask, np.round(middle + scale * (quad - middle)).astype(np.int32), value)


def find_occluded_cards_in_steps(
    picture: WorkingPicture,
    readings: Sequence[Reading],
    card_aspect: float,
    read_crossed: Callable[[Picture, Quad], Steps[Reading | None]],
) -> Steps[list[Reading]]:
    """Find the cards whose border is crossed so that no outline was found, and those that become
    sure when they are read again without the things lying across them; in small steps.

    `readings`: the readings of the picture. `card_aspect`: a card's long by its short side.
    `read_crossed` reads a card without the things lying across it, None if there are none. The part
    visible beside a cable or a lamp counts as a partly hidden card and must show its print as
    certainly as one: half saturated, empty signs passed for striped ones.
    """

    def read_quad(quad: Quad) -> Steps[Reading | None]:
        reading = yield from read_crossed(picture.image, quad)
        if reading is None:
            return None
        yield
        return (yield from verify_partial_print_in_steps(reading))

    sure = [r.quad for r in readings if r.sure]
    fits = partial(has_card_shape, sure_cards=sure, card_aspect=card_aspect)
    known = [*readings]
    # an unsure card may be one with something lying across it
    for quad in [r.quad for r in readings if not r.sure and fits(r.quad)]:
        yield
        reading = yield from read_quad(quad)
        if reading is not None and reading.sure:
            known.append(reading)
    completed = yield from _complete_cards_in_steps(picture, known, card_aspect)
    known += yield from read_sure_cards_in_steps(completed, known, fits, read_quad)
    yield
    borders = yield from find_joined_outlines_in_steps(
        picture, [r.quad for r in known if r.sure], card_aspect
    )
    known += yield from read_sure_cards_in_steps([one.quad for one in borders], known, fits, read_quad)
    return known[len(readings) :]


def _complete_cards_in_steps(
    picture: WorkingPicture, known: Sequence[Reading], card_aspect: float
) -> Steps[list[Quad]]:
    """Return cards completed from a visible corner, except those under a known one or cut off by
    the edge of the picture: these are read as parts, by their visible area."""
    frame = make_rectangle(picture.image.shape[1], picture.image.shape[0])
    completed = yield from complete_outlines_in_steps(picture, [r.quad for r in known if r.sure], card_aspect)
    card_quads = [[r.quad for r in known if not is_part_of_card(r, one.quad)] for one in completed]
    return [
        one.quad
        for one, others in zip(completed, card_quads, strict=True)
        if not find_covers(one.quad, [*others, *find_frame_covers(one.quad, frame)])
    ]


def find_low_contrast_cards_in_steps(
    picture: WorkingPicture,
    readings: Sequence[Reading],
    card_aspect: float,
    read_quad: Callable[[Quad], Steps[Reading]],
) -> Steps[list[Reading]]:
    """Find the cards without an outline because the table is as pale, in small steps.

    `readings`: the readings of the picture. `card_aspect`: a card's long by its short side.
    `read_quad` reads a quad. Only sure readings are believed:
    the weave of a cloth, amplified, has many outlines.
    """
    sure = [r.quad for r in readings if r.sure]
    if not may_hide_cards(picture, sure, [r.quad for r in readings]):
        return []
    yield
    quads = [
        quad
        for quad in (yield from find_faint_quads_in_steps(picture))
        if not any(overlap_area(quad, card) > BESIDE * quad_area(quad) for card in sure)
    ]
    # the most card-shaped first, because only `MOST` are read
    likely = sorted(quads, key=lambda quad: abs(float(np.log(aspect_ratio(quad) / card_aspect))))
    fits = partial(has_card_shape, sure_cards=sure, card_aspect=card_aspect)
    return (yield from read_sure_cards_in_steps(likely, readings, fits, read_quad))
