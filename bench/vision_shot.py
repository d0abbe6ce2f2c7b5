"""A photograph with the places of its cards, as the benches of outlines change it, and cards moved
about on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import Quad, to_quad, upright

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
        first = upright(quads[i])
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
    card = cv2.warpPerspective(picture, to_quad(upright(quads[which]), place), size, flags=cv2.INTER_LINEAR)
    edge = mask_of(Shot(picture, (place,)), 0.995)
    part = np.asarray(cv2.GaussianBlur(edge, (0, 0), 0.7), np.float32)[:, :, None] / 255
    return np.asarray(part * card + (1 - part) * bare, np.uint8)
