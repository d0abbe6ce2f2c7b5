"""Find further outlines where the first look found none, and read those likely to be cards.

Cards under something lying across or a mirrored lamp (`occluded`) are found by their visible
corners, or by the pieces of their border, and read by their visible part.

Cards on a cloth as pale as they are (`low_contrast`): a white card on a white tablecloth differs by
a few grey levels, less than an edge on other tables. When the usual colour of the surroundings is
subtracted and the rest amplified, it is as clear as any other. So is the weave of the cloth: only
print shows which of these outlines are cards.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, area, aspect, overlap, rectangle
from vision.outlines import detect
from vision.outlines.covers import beyond, over
from vision.outlines.detect import RIVAL, SAME, similarity
from vision.outlines.occlusion import seeking
from vision.outlines.shape import of_card_shape
from vision.reading import Reading, is_piece
from vision.same_print import verified_part
from vision.steps import finish
from vision.still.borders import joined_outlines

MOST, BESIDE = 24, 0.3
"""Most further outlines of one picture that are read, and the part of one that may lie on a card
found among them: nine cards under cables gave 110 outlines, a dozen of them of a card's shape and
size."""

IN_VAIN = 2
"""Further outlines of one place that are read without any being sure: the clearest is the card's if
a card lies there, and the gaps between cards of one table were read six times. With 3 not one card
more of 76 was identified under cables or glare."""

Picture = NDArray[np.uint8]


def sure_in(
    quads: Iterable[Quad],
    known: Sequence[Reading],
    fits: Callable[[Quad], bool],
    read: Callable[[Quad], Reading | None],
) -> list[Reading]:
    """Return the sure readings of those quads, the likeliest first, that are different from the
    `known` ones.

    `fits` checks whether a quad has a card's shape and size. `read` reads a quad, or returns None
    if there is nothing to report.
    """
    new: list[Reading] = []
    in_vain: list[Quad] = []
    looks = 0
    for quad in quads:
        if (
            any(overlap(quad, r.quad) > BESIDE * area(quad) for r in new)
            or not fits(quad)
            or any(similarity(quad, r.quad) > SAME for r in known)
            or sum(similarity(quad, q) > RIVAL for q in in_vain) >= IN_VAIN
        ):
            continue
        reading = read(quad)
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

ROOM = 0.02
"""Part of a picture that such a table must take beside the cards for others to be hidden on it:
that of one small card."""


def may_hide(image: Picture, cards: Sequence[Quad], things: Sequence[Quad]) -> bool:
    """Check whether other cards may lie unseen in a BGR picture: beside the `cards` and all
    `things` found, the table is as pale as their borders. True without cards, as their borders are
    unknown then."""
    if not cards:
        return True
    lab, scale = detect.working(image, None)
    small = [((quad + 0.5) * scale - 0.5).astype(np.float32) for quad in cards]
    borders = np.array([_border(lab, quad) for quad in small])
    alike = cv2.inRange(lab, borders.min(axis=0) - FAINT, borders.max(axis=0) + FAINT)
    seen = np.asarray(alike, np.uint8)
    for quad in things:
        # a little larger: a thing's shadow and blurred rim are not table
        _fill(seen, ((quad + 0.5) * scale - 0.5).astype(np.float32), 1.06, 0)
    return cv2.countNonZero(seen) > ROOM * seen.size


def faint_outlines(image: Picture) -> list[Quad]:
    """Return the quads, in pixels of a BGR picture, that faint edges make."""
    scale = min(1.0, detect.WORKING_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    clear = amplified(np.asarray(small, np.uint8))
    return [
        ((quad + 0.5) / scale - 0.5).astype(np.float32)
        for quad, _ in detect.everything(detect.outlines(clear))
    ]


def amplified(image: Picture) -> Picture:
    """Amplify the picture relative to the usual colour of its surroundings, which becomes a middle
    grey."""
    size = [max(1, length // COARSE) for length in image.shape[1::-1]]
    coarse = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    # at a coarse size, because a median over so wide a window is slow
    median = cv2.medianBlur(coarse, int(SURROUNDINGS * max(size)) | 1)
    usual = cv2.resize(median, image.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    steps = cv2.GaussianBlur(image, (0, 0), NOISE) - usual
    return np.asarray(np.clip(128 + GAIN * steps, 0, 255), np.uint8)


def _border(lab: Picture, quad: Quad) -> NDArray[np.float64]:
    """Return the usual colour along the border of a card."""
    mask = np.zeros(lab.shape[:2], np.uint8)
    _fill(mask, quad, 0.96, 1)
    _fill(mask, quad, 0.88, 0)
    left, top, width, height = cv2.boundingRect(quad)
    here = np.s_[max(top, 0) : top + height, max(left, 0) : left + width]
    shown = lab[here][mask[here] > 0]
    return np.median(shown, axis=0) if len(shown) else np.full(3, 128.0)


def _fill(mask: Picture, quad: Quad, grown: float, value: int) -> None:
    """Fill a quad whose sides are `grown` times as far from its middle."""
    middle = quad.mean(axis=0)
    cv2.fillConvexPoly(mask, np.round(middle + grown * (quad - middle)).astype(np.int32), value)


def occluded(
    image: Picture,
    found: Sequence[Reading],
    wanted: float,
    across: Callable[[Picture, Quad], Reading | None],
) -> list[Reading]:
    """Find the cards whose border is crossed so that no outline was found, and those that become
    sure when they are read again without the things lying across them.

    `found`: the readings of the picture. `wanted`: a card's long by its short side. `across` reads
    a card without the things lying across it, None if there are none. The part visible beside a
    cable or a lamp counts as a partly hidden card and must show its print as certainly as one: half
    saturated, empty signs passed for striped ones.
    """

    def read(quad: Quad) -> Reading | None:
        reading = across(image, quad)
        return None if reading is None else verified_part(reading)

    sure = [r.quad for r in found if r.sure]
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    # an unsure card may be one with something lying across it
    unsure = [r.quad for r in found if not r.sure and fits(r.quad)]
    known = [*found, *(one for quad in unsure if (one := read(quad)) is not None and one.sure)]
    known += sure_in(_completed(image, known, wanted), known, fits, read)
    borders = (one.quad for one in joined_outlines(image, [r.quad for r in known if r.sure], wanted))
    known += sure_in(borders, known, fits, read)
    return known[len(found) :]


def _completed(image: Picture, known: Sequence[Reading], wanted: float) -> Iterator[Quad]:
    """Yield cards completed from a visible corner, except those under a known one or cut off by the
    edge of the picture: these are read as parts, by their visible area."""
    frame = rectangle(image.shape[1], image.shape[0])
    for one in finish(seeking(image, [r.quad for r in known if r.sure], wanted)):
        lying = [r.quad for r in known if not is_piece(r, one.quad)]
        if not over(one.quad, [*lying, *beyond(one.quad, frame)]):
            yield one.quad


def low_contrast(
    image: Picture, found: Sequence[Reading], wanted: float, read: Callable[[Picture, Quad], Reading]
) -> list[Reading]:
    """Find the cards without an outline because the table is as pale.

    `found`: the readings of the picture. `wanted`: a card's long by its short side. `read` reads a
    quad. Only sure readings are believed: the weave of a cloth, amplified, has many outlines.
    """
    sure = [r.quad for r in found if r.sure]
    if not may_hide(image, sure, [r.quad for r in found]):
        return []
    quads = [
        quad
        for quad in faint_outlines(image)
        if not any(overlap(quad, card) > BESIDE * area(quad) for card in sure)
    ]
    # the most card-shaped first, because only `MOST` are read
    likely = sorted(quads, key=lambda quad: abs(float(np.log(aspect(quad) / wanted))))
    fits = partial(of_card_shape, sure=sure, wanted=wanted)
    return sure_in(likely, found, fits, partial(read, image))
