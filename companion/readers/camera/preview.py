"""The camera's picture with what was recognised in it, small, for the dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.readers.camera.sources import Frame
from companion.readers.camera.zone_map import ZoneMap
from vision.film.presence import Presence

_SURE, _UNSURE, _DOWN, _ZONE = (80, 230, 90), (40, 170, 255), (235, 235, 235), (150, 150, 150)


@dataclass(frozen=True, eq=False)
class Preview:
    """A picture for a person: BGR uint8; `number` grows with every frame that was looked at;
    `name`: the photo's file, if it is one."""

    image: NDArray[np.uint8]
    number: int
    name: str = ""


def draw(frame: Frame, seen: Sequence[Presence], placing: ZoneMap, width: int, number: int) -> Preview:
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
    return Preview(image, number, frame.name)


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
    parts = card.split(":")
    return " ".join(parts[1:] or parts), parts[-1]
