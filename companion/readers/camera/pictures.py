"""Pictures made from camera frames: close-ups to learn from, pictures of revealed cards to save,
previews for screens.

A close-up shows one card that could not be identified with certainty; the camera learns from it
once the table has said which card it was. A saved picture shows only cards that were turned up:
everything outside their outlines (a hand of cards, a face-down card beside them, a face) is painted
over, so that no picture reveals what the table did not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.calibration import ZoneMap
from companion.readers.camera.sources import Frame
from companion.rules.claims import CardId
from vision.geometry import Quad
from vision.video.presence import Presence

_AROUND = 0.15
"""Margin kept around a card, as a part of its width and height."""

CANDIDATES = 5
"""Designs reported for an uncertain card, most likely first."""


class Closeup(NamedTuple):
    """A card cut out of the frame in which it was last read: BGR uint8, its outline in pixels of
    the cut, and the designs it may be."""

    image: NDArray[np.uint8]
    quad: Quad
    candidates: tuple[str, ...]


class CardLabel(NamedTuple):
    """Where a recognised card is in the picture, as parts of its width and height, and its
    design."""

    left: float
    top: float
    right: float
    bottom: float
    name: str


class EnlargedCard(NamedTuple):
    """An upright picture (BGR) of a card, with the designs it may be, most likely first, each as
    the camera knows it. A single design means that the card was recognised with certainty."""

    picture: NDArray[np.uint8]
    designs: Sequence[tuple[str, NDArray[np.uint8]]]


class Closeups:
    """Close-ups of the uncertain cards in sight now. One thread updates them, another may read
    them."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[tuple[object, ...], Closeup]] = {}

    def update_closeups(self, image: NDArray[np.uint8], detections: Sequence[Presence]) -> None:
        """Save close-ups of the uncertain cards of a new frame, but never of a card over which
        something moves."""
        unsure = {one.id: one for one in detections if not one.sure and one.card is not None}
        # The keys are copied first: entries are deleted from the dictionary on the way.
        for number in [number for number in self._kept if number not in unsure]:
            del self._kept[number]
        for one in unsure.values():
            reading = (one.card, one.confidence, one.quad.tobytes())
            before = self._kept.get(one.id)
            if one.still and (before is None or before[0] != reading):
                self._kept[one.id] = (reading, cut_closeup(image, one))
            elif before is not None:
                # A reading that ends while a hand is moving belongs to an earlier frame: this
                # picture may show another card.
                self._kept[one.id] = (reading, before[1])

    def find_longest_unsure(self) -> Closeup | None:
        """Return the close-up of the card that has been uncertain for longest; None if there is
        none."""
        # A copy, because the reader's thread may change the dictionary meanwhile.
        return next((closeup for _, closeup in list(self._kept.values())), None)

    def find_closeup(self, track: int) -> Closeup | None:
        """Return the close-up of a card by its track; None if it is not among the uncertain
        ones."""
        entry = self._kept.get(track)
        return None if entry is None else entry[1]


def cut_closeup(image: NDArray[np.uint8], detection: Presence) -> Closeup:
    """Cut a card, with a margin, out of the frame that shows it."""
    size = np.array(image.shape[1::-1])
    low, high = detection.quad.min(axis=0), detection.quad.max(axis=0)
    around = _AROUND * (high - low)
    left, top = (int(corner) for corner in np.clip(low - around, 0, size - 1))
    right, bottom = (int(corner) for corner in np.clip(high + around + 1, 1, size))
    quad = (detection.quad - np.array([left, top])).astype(np.float32)
    # A copy, not a view: a view would keep the whole frame in memory.
    return Closeup(
        image[top:bottom, left:right].copy(),
        quad,
        tuple(card for card, _ in detection.candidates[:CANDIDATES]),
    )


WIDEST = 1280
"""Largest width in pixels: the cards of a whole table stay legible and a picture stays under 200
kB."""
QUALITY = 85
_MARGIN = 0.25
"""Room around the cards, as a part of the picture's longer side."""


class FaceUpCards(NamedTuple):
    """Cards that lie face up in one frame: BGR uint8, and their outlines in its pixels."""

    image: NDArray[np.uint8]
    quads: Sequence[Quad]


def render_cards_jpeg(turned_cards: FaceUpCards) -> bytes:
    """Draw the cards, each in its place, on a plain ground of the table's colour; return it as
    JPEG."""
    corners = np.concatenate([np.asarray(quad, np.float32) for quad in turned_cards.quads])
    low, high = corners.min(axis=0), corners.max(axis=0)
    around = _MARGIN * float((high - low).max()) / 2
    size = np.array(turned_cards.image.shape[1::-1])
    left, top = np.clip(low - around, 0, size - 1).astype(int)
    right, bottom = np.clip(high + around + 1, 1, size).astype(int)
    crop = turned_cards.image[top:bottom, left:right]
    mask = np.zeros(crop.shape[:2], np.uint8)
    for quad in turned_cards.quads:
        cv2.fillConvexPoly(mask, np.rint(np.asarray(quad) - (left, top)).astype(np.int32), 255)
    # Every eighth pixel is enough for a median, and 64 times quicker.
    ground = np.median(turned_cards.image[::8, ::8].reshape(-1, 3), axis=0)
    picture = np.where(mask[..., None] > 0, crop, ground).astype(np.uint8)
    return encode_jpeg(picture)


def encode_jpeg(image: NDArray[np.uint8]) -> bytes:
    """Return a BGR picture as JPEG, at most `WIDEST` pixels across."""
    scale = min(1.0, WIDEST / max(image.shape[:2]))
    if scale < 1:
        image = np.asarray(
            cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


_SURE, _UNSURE, _DOWN, _ZONE = (80, 230, 90), (40, 170, 255), (235, 235, 235), (150, 150, 150)


@dataclass(frozen=True, eq=False)
class PreviewPicture:
    """Picture for people to look at: BGR uint8. `number` grows with every frame looked at; `name`
    is the photo's file, if it is one."""

    image: NDArray[np.uint8]
    number: int
    name: str = ""


def draw_preview(
    frame: Frame, detections: Sequence[Presence], zone_map: ZoneMap, width: int, number: int
) -> PreviewPicture:
    """Draw the outlines of cards and zones over a copy of the frame that is `width` pixels wide.

    A recognised card has a solid outline and its name, an uncertain one a dashed outline and a
    question mark, one without a face a thin outline: no two differ by colour alone.
    """
    scale = width / frame.image.shape[1]
    size = (width, max(round(frame.image.shape[0] * scale), 1))
    image = np.asarray(cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for outline in zone_map.list_outlines():
        cv2.polylines(image, [(outline * scale).astype(np.int32)], True, _ZONE, 1, cv2.LINE_AA)
    for one in detections:
        quad = (one.quad * scale).astype(np.int32)
        if one.sure:
            cv2.polylines(image, [quad.reshape(-1, 1, 2)], True, _SURE, max(width // 480, 1), cv2.LINE_AA)
        elif one.card is None:
            cv2.polylines(image, [quad.reshape(-1, 1, 2)], True, _DOWN, 1, cv2.LINE_AA)
        else:
            _draw_dashed_outline(image, quad, max(width // 480, 1))
        if width >= 320 and one.card is not None:
            _draw_label(
                image,
                quad,
                _make_label_names(one.card) if one.sure else ("?",),
                _SURE if one.sure else _UNSURE,
            )
    return PreviewPicture(image, number, frame.name)


def _draw_dashed_outline(image: NDArray[np.uint8], quad: NDArray[np.int32], thick: int) -> None:
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


def _draw_label(
    image: NDArray[np.uint8], quad: NDArray[np.int32], names: Sequence[str], colour: tuple[int, int, int]
) -> None:
    """Write the first name that fits the card's width, or else the last one, above the card."""
    size = max(image.shape[1] / 1600, 0.3)
    room = int(np.ptp(quad[:, 0]))
    for name in names:
        (wide, high), _ = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
        if wide <= room:
            break
    x, y = int(quad[:, 0].mean() - wide / 2), int(max(quad[:, 1].min() - 3, high + 2))
    cv2.rectangle(image, (x - 2, y - high - 2), (x + wide + 2, y + 2), (20, 20, 20), -1)
    cv2.putText(image, name, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _make_label_names(card: str) -> tuple[str, ...]:
    """Return shorter and shorter names for a label: for `load:red:7` these are `red 7` and `7`."""
    read = CardId.from_text(card)
    return " ".join(read.display_words), read.name
