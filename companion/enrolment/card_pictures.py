"""Draw what was found in a photo, and cards with their names, for people to check."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.enrolment.picture_analysis import OutlinedPicture, Picture, Shot
from companion.readers.camera.pictures import CardLabel
from vision.geometry import aspect_ratio, find_homography, make_rectangle, start_on_short_side

_OUTLINE = (80, 230, 90)


def draw_outlines(scene: OutlinedPicture, width: int = 480) -> Picture:
    """Draw the outlines over a copy of the picture that is `width` pixels wide."""
    height, full = scene.image.shape[:2]
    scale = width / full
    size = (width, max(round(height * scale), 1))
    image = np.asarray(cv2.resize(scene.image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    for quad in scene.quads:
        corners = (quad * scale).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(image, [corners], True, _OUTLINE, width // 160, cv2.LINE_AA)
    return image


def make_labels(scene: OutlinedPicture) -> list[CardLabel]:
    """Return labels for the middle of each card: its number."""
    size = np.array(scene.image.shape[1::-1])
    middles = [map(float, quad.mean(axis=0) / size) for quad in scene.quads]
    # A box without size: the label stands on the middle of the card.
    return [CardLabel(x, y, x, y, str(number)) for number, (x, y) in enumerate(middles, 1)]


def draw_numbered(scene: OutlinedPicture) -> Picture:
    """Draw outlines and numbers over a copy of the picture, to be saved."""
    image, size = draw_outlines(scene, 1440), 1.4
    for x, y, _, _, word in make_labels(scene):
        at = round(x * image.shape[1] - 17 * len(word)), round(y * image.shape[0]) + 12
        # First a thick black outline, then the text itself: legible on any card.
        for colour, thick in (((0, 0, 0), 9), (_OUTLINE, 3)):
            cv2.putText(image, word, at, cv2.FONT_HERSHEY_DUPLEX, size, colour, thick, cv2.LINE_AA)
    return image


_CARD_HIGH = 420
"""Height in pixels of a card shown beside a similar one."""

CORNER = 0.36
"""Part of a card's width and height that contains rank and suit."""

_BETWEEN = 12
"""Pixels around each of the cards that are shown side by side."""


def draw_side_by_side(
    shots: Sequence[Shot], captions: Sequence[str] = (), corner_share: float = 1.0
) -> Picture:
    """Draw cards side by side, upright, each with its caption.

    `corner_share`: show only this share of their width and height, from the upper left corner,
    enlarged to the same size.
    """
    head = 40 if captions else _BETWEEN
    # 1.4: the height of a poker card divided by its width.
    high = round(_CARD_HIGH / corner_share)
    target = make_rectangle(round(high / 1.4), high)
    size = round(high / 1.4 * corner_share), round(high * corner_share)
    panels = []
    for number, shot in enumerate(shots):
        card = cv2.warpPerspective(shot.image, find_homography(start_on_short_side(shot.quad), target), size)
        card = cv2.copyMakeBorder(
            card, head, _BETWEEN, _BETWEEN, _BETWEEN, cv2.BORDER_CONSTANT, value=(32, 32, 32)
        )
        if captions:
            at, font = (_BETWEEN, head - _BETWEEN), cv2.FONT_HERSHEY_DUPLEX
            cv2.putText(card, captions[number], at, font, 0.8, _OUTLINE, 2, cv2.LINE_AA)
        panels.append(card)
    return np.asarray(np.hstack(panels), dtype=np.uint8)


_SHEET_COLUMNS, _SHEET_ROWS = 9, 6
"""Most cards beside and below each other on a sheet of names: a pack of 52 fits on one."""
_SHEET_CARD = 150, 210
"""Width and height in pixels of a card there; other shapes are fitted into it."""


def draw_name_sheets(shots: Sequence[Shot], captions: Sequence[str]) -> list[Picture]:
    """Draw all cards upright, each with its caption below, on as many sheets as are needed."""
    per_sheet = _SHEET_COLUMNS * _SHEET_ROWS
    cells = [_draw_cell(shot, caption) for shot, caption in zip(shots, captions, strict=True)]
    return [_tile_cells(cells[first : first + per_sheet]) for first in range(0, len(cells), per_sheet)]


def _draw_cell(shot: Shot, caption: str) -> Picture:
    room, head, font = _SHEET_CARD, 34, cv2.FONT_HERSHEY_DUPLEX
    cell = np.full((room[1] + head + 2 * _BETWEEN, room[0] + 2 * _BETWEEN, 3), 32, np.uint8)
    quad = start_on_short_side(shot.quad)
    tall = aspect_ratio(quad)
    width = min(room[0], round(room[1] / tall))
    height = min(room[1], round(width * tall))
    # Three times as large at first, because warping skips pixels.
    large = 3 * width, 3 * height
    card = cv2.warpPerspective(shot.image, find_homography(quad, make_rectangle(*large)), large)
    card = cv2.resize(card, (width, height), interpolation=cv2.INTER_AREA)
    cell[_BETWEEN : _BETWEEN + height, _BETWEEN : _BETWEEN + width] = card
    (wide, _), _ = cv2.getTextSize(caption, font, 0.6, 1)
    size = 0.6 * min(1.0, room[0] / max(wide, 1))
    at = (_BETWEEN, room[1] + _BETWEEN + 24)
    cv2.putText(cell, caption, at, font, size, _OUTLINE, 1, cv2.LINE_AA)
    return cell


def _tile_cells(cells: Sequence[Picture]) -> Picture:
    rows = [cells[at : at + _SHEET_COLUMNS] for at in range(0, len(cells), _SHEET_COLUMNS)]
    blank = np.full_like(cells[0], 32)
    # with a single row the sheet is only as wide as its cards
    wide = len(rows[0])
    return np.vstack([np.hstack([*row, *[blank] * (wide - len(row))]) for row in rows])
