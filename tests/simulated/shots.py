"""A photograph with the places of its cards, and what makes them hard to find: seen from the side,
on pale cloths, under cables and glare, moved about, cut off."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import NEXT, Quad, find_homography, side_lengths, start_on_short_side, transform_points

Picture = NDArray[np.uint8]
Field: TypeAlias = "NDArray[np.float32]"


@dataclass(frozen=True)
class Shot:
    """A picture, and where the cards of a photograph lie in it; corner 0 is anywhere."""

    picture: Picture
    quads: tuple[Quad, ...]


Change = Callable[[Shot], Shot | None]
"""A change of the picture; None where it cannot be made."""


def mask_of(shot: Shot, grown: float) -> Picture:
    """255 where a card lies whose sides are `grown` times as far from its middle."""
    mask = np.zeros(shot.picture.shape[:2], np.uint8)
    for quad in shot.quads:
        middle = quad.mean(axis=0)
        cv2.fillConvexPoly(mask, np.round(middle + grown * (quad - middle)).astype(np.int32), 255)
    return mask


def mean_beside(image: Field, where: NDArray[np.bool_], reach: float) -> Field:
    """The mean of what is shown `where`, within some `reach` pixels of each pixel."""
    weight = np.asarray(cv2.GaussianBlur(where.astype(np.float32), (0, 0), reach)) + 1e-6
    shown = image * (where if image.ndim == 2 else where[:, :, None])
    total = np.asarray(cv2.GaussianBlur(shown, (0, 0), reach))
    return np.asarray(total / (weight if image.ndim == 2 else weight[:, :, None]), np.float32)


def touching(side: int, shot: Shot) -> Shot | None:
    """Every second card pushed against the one before it: `side` 0 against its long side, 1 against
    its short one. None where a picture has no pair that stays within it."""
    picture, quads = shot.picture, list(shot.quads)
    for i in range(0, len(quads) - 1, 2):
        first = start_on_short_side(quads[i])
        a, b, c, d = first if side == 0 else np.roll(first, -1, axis=0)
        beside = np.array([b, 2 * b - a, 2 * c - d, c], np.float32)
        beside = np.asarray(beside if side == 0 else np.roll(beside, 1, axis=0), np.float32)
        others = [q for k, q in enumerate(quads) if k not in (i, i + 1)]
        if _lies_free(beside, others, picture.shape):
            picture = _moved(picture, quads, i + 1, beside)
            quads[i + 1] = beside
    moved = any(new is not old for new, old in zip(quads, shot.quads, strict=True))
    return Shot(picture, tuple(quads)) if moved else None


def pair_alone(shot: Shot) -> Shot | None:
    """The first two cards side by side, touching, with nothing else that tells a card's size."""
    pair = touching(0, Shot(shot.picture, shot.quads[:2]))
    if pair is None:
        return None
    left = mask_of(Shot(shot.picture, shot.quads[2:]), 1.08) > 0
    cloth = mean_beside(shot.picture.astype(np.float32), mask_of(shot, 1.08) == 0, 25)
    here = left & (mask_of(pair, 1.08) == 0)
    return Shot(np.where(here[:, :, None], cloth, pair.picture).astype(np.uint8), pair.quads)


def cut_off(part: float, shot: Shot) -> Shot:
    """The picture ends within the cards that lie furthest left: so much of the furthest one is
    cut off."""
    furthest = min(shot.quads, key=lambda quad: float(quad[:, 0].min()))
    left = round(float(furthest[:, 0].min() + part * np.ptp(furthest[:, 0])))
    quads = tuple(quad - np.array([left, 0], np.float32) for quad in shot.quads)
    return Shot(np.ascontiguousarray(shot.picture[:, left:]), quads)


def laid_on(ground: Picture, shot: Shot) -> Shot:
    """The cards laid on another picture as large as theirs."""
    height, width = shot.picture.shape[:2]
    scale = max(width / ground.shape[1], height / ground.shape[0])
    large = cv2.resize(ground, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[:height, :width]
    part = np.asarray(cv2.GaussianBlur(mask_of(shot, 0.99), (0, 0), 0.7), np.float32)[:, :, None] / 255
    laid = part * shot.picture + (1 - part) * large
    return Shot(np.asarray(laid, np.uint8), shot.quads)


def _lies_free(quad: Quad, others: list[Quad], shape: tuple[int, ...]) -> bool:
    within = (quad >= 0).all() and (quad <= (shape[1], shape[0])).all()
    return bool(within) and all(cv2.intersectConvexConvex(quad, other)[0] == 0 for other in others)


def _moved(picture: Picture, quads: list[Quad], which: int, place: Quad) -> Picture:
    """The picture with one card in another place, and the mean of the cloth where it lay."""
    every = mask_of(Shot(picture, tuple(quads)), 1.08)
    here = mask_of(Shot(picture, (quads[which],)), 1.08) > 0
    cloth = mean_beside(picture.astype(np.float32), every == 0, 25)
    bare = np.where(here[:, :, None], cloth, picture).astype(np.uint8)
    size = (picture.shape[1], picture.shape[0])
    card = cv2.warpPerspective(
        picture, find_homography(start_on_short_side(quads[which]), place), size, flags=cv2.INTER_LINEAR
    )
    edge = mask_of(Shot(picture, (place,)), 0.995)
    part = np.asarray(cv2.GaussianBlur(edge, (0, 0), 0.7), np.float32)[:, :, None] / 255
    return np.asarray(part * card + (1 - part) * bare, np.uint8)


def slanted(ratio: float, shot: Shot) -> Shot:
    """The table seen by a camera that is tilted until all is `ratio` times less high than wide.

    It turns about the picture's middle, at the same distance, with a lens of 62 degrees: what was
    far is smaller. The picture shows the cards and a little beside them. Each pixel is the mean
    of nine, as a sensor's is.
    """
    height, width = shot.picture.shape[:2]
    away, tilt, fine = 1.2 * max(height, width), float(np.arccos(1 / ratio)), 3
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    turn = np.array([[away, 0, 0], [0, away * np.cos(tilt), 0], [0, -np.sin(tilt), away]])
    seen = turn @ middle
    corners = np.concatenate([transform_points(seen, quad) for quad in shot.quads])
    edge = 0.06 * max(height, width)
    left, top = corners.min(axis=0) - edge
    wide, high = np.ceil(np.ptp(corners, axis=0) + 2 * edge).astype(int)
    matrix = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]]) @ seen
    large = cv2.warpPerspective(
        shot.picture,
        np.diag([fine, fine, 1.0]) @ matrix,
        (wide * fine, high * fine),
        borderMode=cv2.BORDER_REPLICATE,
    )
    small = cv2.resize(large, (wide, high), interpolation=cv2.INTER_AREA)
    return Shot(np.asarray(small, np.uint8), tuple(transform_points(matrix, quad) for quad in shot.quads))


def on_pale_cloth(contrast: float, shot: Shot) -> Shot | None:
    """The cloth brought up to the cards' own white less `contrast` grey levels.

    Only what the camera saw of the cloth is shifted, so its weave, its noise and the shade along
    the edges of the cards stay as they were. None where the cards have no white border.
    """
    image = shot.picture.astype(np.float32)
    luma = image.mean(axis=2)
    near, inside = (mask_of(shot, grown) for grown in (1.06, 0.94))
    border = (mask_of(shot, 0.97) > 0) & (mask_of(shot, 0.9) == 0)
    white = np.median(image[border], axis=0)
    cloth = mean_beside(image, near == 0, 60)
    span = np.maximum(white.mean() - cloth.mean(axis=2), 1)
    if np.median(span) < 60 or luma[border].std() > 60:
        return None
    # beside a card all is cloth, within it all is card, along the edge what the pixel shows
    card = np.clip((luma - cloth.mean(axis=2)) / (mean_beside(luma, border, 30) - cloth.mean(axis=2)), 0, 1)
    card = np.where(inside > 0, 1.0, np.where(near > 0, card, 0.0))[:, :, None]
    target = mean_beside(image, border, 90) - contrast
    pale = image + (1 - card) * (target - cloth)
    return Shot(np.asarray(np.clip(np.round(pale), 0, 255), np.uint8), shot.quads)


def under_cables(width: int, shot: Shot) -> Shot:
    """A dark cable and a pale one, `width` pixels wide, wind over the cards, with a shadow."""
    image = shot.picture.astype(np.float32)
    order = sorted(shot.quads, key=lambda quad: float(quad.mean(axis=0) @ (0.2, 1.0)))
    for number, (ink, shine) in enumerate(((32.0, 30.0), (205.0, 30.0))):
        through = [_third(quad, number + i) for i, quad in enumerate(order[number::2])]
        path = _curve([np.array([-20.0, through[0][1] - 60]), *through, through[-1] + (400, 300)])
        for shift, thick, colour, soft, depth in (
            (0.5 * width + 1, width, 0.0, 0.5 * width, 0.45),
            (0.0, width, ink, 0.6, 1.0),
            (-0.15 * width, max(width // 3, 1), ink + shine, 0.6, 0.7),
        ):
            layer = np.zeros(image.shape[:2], np.float32)
            cv2.polylines(
                layer, [np.round((path + shift) * 8).astype(np.int32)], False, 1.0, thick, cv2.LINE_AA, 3
            )
            part = depth * np.asarray(cv2.GaussianBlur(layer, (0, 0), soft))[:, :, None]
            image = image * (1 - part) + colour * part
    return Shot(np.asarray(np.clip(image, 0, 255), np.uint8), shot.quads)


def _third(quad: Quad, number: int) -> NDArray[np.float64]:
    """A point a third of the way along a side of the card: `number` tells which."""
    side = number % 4
    return np.asarray(quad[side] + (quad[NEXT][side] - quad[side]) / 3, np.float64)


def _curve(points: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """A smooth line through the points (Catmull and Rom)."""
    p = np.array([points[0], *points, points[-1]])
    t = np.linspace(0, 1, 24)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(p, p[1:], p[2:], p[3:], strict=False)
    ]
    return np.concatenate(parts)


def under_glare(size: float, shot: Shot) -> Shot:
    """A lamp mirrored across one side of each card: saturated over `size` widths of a card."""
    light = np.zeros(shot.picture.shape[:2], np.float32)
    for number, quad in enumerate(shot.quads):
        side = number % 4
        middle = (quad[side] + quad[NEXT][side]) / 2
        spot = np.zeros_like(light)
        reach = size * float(side_lengths(quad).min()) / 2
        axes = (max(round(1.3 * reach), 1), max(round(reach), 1))
        cv2.ellipse(spot, np.round(middle).astype(int).tolist(), axes, 30.0 * number, 0, 360, 1.0, -1)
        light = np.maximum(light, np.asarray(cv2.GaussianBlur(spot, (0, 0), max(0.25 * reach, 1.0))))
    lit = shot.picture + 330 * light[:, :, None]
    return Shot(np.asarray(np.clip(lit, 0, 255), np.uint8), shot.quads)
