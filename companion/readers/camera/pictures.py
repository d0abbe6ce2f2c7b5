"""Pictures made of what the camera saw: close-ups to learn from, cards turned up to keep, the
preview for screens.

A close-up is of one card that could not be named for sure: what may be learnt from once the table
has said which it is. A picture that is kept shows cards that were turned up and nothing else: a
hand that somebody holds, a card that lies face down beside them, a face, all that is no outline of
one of these cards is left out, so that no picture can tell what the table did not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame
from companion.readers.camera.survey import ZoneMap
from companion.rules.claims import CardId
from vision.film.presence import Presence
from vision.geometry import Quad

_AROUND = 0.15
"""Parts of the card's width and height that are kept of what lies around it."""

CANDIDATES = 5
"""Designs that are told of an unsure card, the likeliest first."""


class Closeup(NamedTuple):
    """A card, cut out of the frame in which it was last read: BGR uint8, its outline in pixels of
    the cut, the designs it may be."""

    image: NDArray[np.uint8]
    quad: Quad
    candidates: tuple[str, ...]


class CardLabel(NamedTuple):
    """A card that is known, to be named in the picture: its left, upper, right and lower end in
    parts of the picture's width and height, and its design."""

    left: float
    top: float
    right: float
    bottom: float
    name: str


class Enlarged(NamedTuple):
    """A card as the camera sees it, upright, BGR, and what it may be, likeliest first, each as the
    camera knows it; one design: it is read for sure."""

    picture: NDArray[np.uint8]
    designs: Sequence[tuple[str, NDArray[np.uint8]]]


class Closeups:
    """The close-ups of the unsure cards in sight now. One thread looks, another may ask."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[tuple[object, ...], Closeup]] = {}

    def look(self, image: NDArray[np.uint8], seen: Sequence[Presence]) -> None:
        """Keep the unsure cards of a frame newly read; never one over which something moves."""
        unsure = {one.id: one for one in seen if not one.sure and one.card is not None}
        for number in [number for number in self._kept if number not in unsure]:
            del self._kept[number]
        for one in unsure.values():
            reading = (one.card, one.confidence, one.quad.tobytes())
            before = self._kept.get(one.id)
            if one.still and (before is None or before[0] != reading):
                self._kept[one.id] = (reading, closeup(image, one))
            elif before is not None:
                # a reading that ends while a hand comes is of an earlier frame: what lies there
                # when the hand rests is not it
                self._kept[one.id] = (reading, before[1])

    def first(self) -> Closeup | None:
        """Return the close-up of the card that has been unsure for longest."""
        return next((closeup for _, closeup in list(self._kept.values())), None)

    def of(self, track: int) -> Closeup | None:
        """Return the close-up of a card by its track, None when it is not among the unsure ones."""
        kept = self._kept.get(track)
        return None if kept is None else kept[1]


def closeup(image: NDArray[np.uint8], one: Presence) -> Closeup:
    """Cut a card out of the frame that shows it."""
    size = np.array(image.shape[1::-1])
    low, high = one.quad.min(axis=0), one.quad.max(axis=0)
    around = _AROUND * (high - low)
    left, top = (int(corner) for corner in np.clip(low - around, 0, size - 1))
    right, bottom = (int(corner) for corner in np.clip(high + around + 1, 1, size))
    quad = (one.quad - np.array([left, top])).astype(np.float32)
    return Closeup(
        image[top:bottom, left:right].copy(), quad, tuple(card for card, _ in one.candidates[:CANDIDATES])
    )


WIDEST = 1280
"""Pixels across at most: cards of a whole table stay legible, and a picture stays under 200 kB."""
QUALITY = 85
_MARGIN = 0.25
"""Of the picture's longer side: the room around the cards."""


class FaceUpCards(NamedTuple):
    """Cards that lie face up in one frame: BGR uint8, and their outlines in its pixels."""

    image: NDArray[np.uint8]
    quads: Sequence[Quad]


def jpeg(turned: FaceUpCards) -> bytes:
    """Draw the cards, each in its place, on a plain ground of the table's colour, as JPEG."""
    corners = np.concatenate([np.asarray(quad, np.float32) for quad in turned.quads])
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = _MARGIN * float((high - low).max()) / 2
    size = np.array(turned.image.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around + 1, 1, size).astype(int)
    seen = turned.image[top:bottom, left:right]
    cards = np.zeros(seen.shape[:2], np.uint8)
    for quad in turned.quads:
        cv2.fillConvexPoly(cards, np.rint(np.asarray(quad) - (left, top)).astype(np.int32), 255)
    ground = np.median(turned.image[::8, ::8].reshape(-1, 3), axis=0)
    drawn = np.where(cards[..., None] > 0, seen, ground).astype(np.uint8)
    return encoded(drawn)


def encoded(image: NDArray[np.uint8]) -> bytes:
    """Return a BGR picture as JPEG, `WIDEST` pixels across at most."""
    scale = min(1.0, WIDEST / max(image.shape[:2]))
    if scale < 1:
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


_SURE, _UNSURE, _DOWN, _ZONE = (80, 230, 90), (40, 170, 255), (235, 235, 235), (150, 150, 150)


@dataclass(frozen=True, eq=False)
class PreviewPicture:
    """A picture for a person: BGR uint8; `number` grows with every frame that was looked at;
    `name`: the photo's file, if it is one."""

    image: NDArray[np.uint8]
    number: int
    name: str = ""


def draw(frame: Frame, seen: Sequence[Presence], placing: ZoneMap, width: int, number: int) -> PreviewPicture:
    """Draw the outlines over a copy of the frame that is `width` pixels wide.

    A card that is known has a whole outline and its name, one that is not sure a broken outline and
    a question mark, one without a face a thin outline: no two differ by colour alone.
    """
    scale = width / frame.image.shape[1]
    size = (width, max(round(frame.image.shape[0] * scale), 1))
    image = np.asarray(cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for outline in placing.outlines():
        cv2.polylines(image, [(outline * scale).astype(np.int32)], True, _ZONE, 1, cv2.LINE_AA)
    for one in seen:
        quad = (one.quad * scale).astype(np.int32)
        if one.sure:
            cv2.polylines(image, [quad.reshape(-1, 1, 2)], True, _SURE, max(width // 480, 1), cv2.LINE_AA)
        elif one.card is None:
            cv2.polylines(image, [quad.reshape(-1, 1, 2)], True, _DOWN, 1, cv2.LINE_AA)
        else:
            _broken(image, quad, max(width // 480, 1))
        if width >= 320 and one.card is not None:
            _label(image, quad, _names(one.card) if one.sure else ("?",), _SURE if one.sure else _UNSURE)
    return PreviewPicture(image, number, frame.name)


def _broken(image: NDArray[np.uint8], quad: NDArray[np.int32], thick: int) -> None:
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        for low in (0.0, 0.4, 0.8):
            one, other = start + (end - start) * low, start + (end - start) * min(low + 0.2, 1.0)
            cv2.line(
                image,
                (int(one[0]), int(one[1])),
                (int(other[0]), int(other[1])),
                _UNSURE,
                thick,
                cv2.LINE_AA,
            )


def _label(
    image: NDArray[np.uint8], quad: NDArray[np.int32], names: Sequence[str], colour: tuple[int, int, int]
) -> None:
    """Write the first of the names that is no wider than the card, or the last, above the card."""
    size = max(image.shape[1] / 1600, 0.3)
    room = int(np.ptp(quad[:, 0]))
    for name in names:
        (wide, high), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
        if wide <= room:
            break
    x, y = int(quad[:, 0].mean() - wide / 2), int(max(quad[:, 1].min() - 3, high + 2))
    cv2.rectangle(image, (x - 2, y - high - 2), (x + wide + 2, y + 2), (20, 20, 20), -1)
    cv2.putText(image, name, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _names(card: str) -> tuple[str, ...]:
    """Leave out the kind, and what there is no room for: `load:red:7` is `red 7`, or `7`."""
    read = CardId.of(card)
    return " ".join(read.words), read.name
