"""Read pawns on a printed board: which spot holds which colour, as far as one picture shows.

The board's marks give the homography. An empty spot is white paper, lit as the paper round it; a
spot of a pawn's colour holds a pawn; anything else, a hand or a card, hides the spot. A pawn stands
upright: seen from the side it leans away from the point below the camera, over spots that may be
empty. So a coloured spot counts only if nothing of its colour stands between it and that point.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import PlaneError
from vision.geometry import Quad
from vision.homography import TablePlane
from vision.markers import find_markers

NEEDED = 3
"""Number of marks that must be visible: with fewer the board's far side is guessed."""
_PIXELS = 24
"""Pixels of a cell in the picture of the board as seen from above."""
_FOOT = 0.25
"""Radius of the disc examined on a spot, in cells: all of it is white on the empty board."""
_NEARER, _BETWEEN = 0.68, 0.1
"""Distance from a spot's middle, in cells, towards the point below the camera, and radius, of a
disc in which a pawn on the spot does not show, wherever on it people put it; one on the next spot
does."""
_WIDE = 0.6
"""Half the width, in cells, that pawns never reach, however they stand together: a sleeve does."""
_BEYOND = 2.0
"""Margin of the table round the board that is examined, in cells: a sleeve comes from there."""
_PAPER = 128
"""The grey that covers a board: always the same, so that nothing seems to change."""
_FOCAL = 0.9
"""Focal length in parts of the picture's width: right for webcams and phones within a quarter. It
is used only for the direction in which pawns lean."""
_WHITE, _COLOURED = 0.66, 0.6
"""Parts of a spot that must be white, or of one colour, for it to be empty, or to hold a pawn."""
_SATURATED = 0.5
"""Least saturation of a pawn, lit as paper: skin has up to 0.45."""
_HUES: Mapping[str, tuple[float, float]] = {
    "red": (342, 14), "yellow": (40, 70), "green": (95, 178), "blue": (190, 255),
}  # fmt: skip
"""The hues of the colours of pawns, in degrees, from one to the other clockwise."""


@dataclass(frozen=True)
class PrintedBoard:
    """A board printed with marks; lengths in cells. `marks`: their corners by number, clockwise
    from the upper left; `spots`: the middle of each spot, by name; `size`: width and height;
    `free`: where cards may lie on it, boxes (left, top, right, bottom)."""

    marks: Mapping[int, Quad]
    spots: Mapping[str, tuple[float, float]]
    size: tuple[float, float]
    free: tuple[tuple[float, float, float, float], ...] = ()

    @cached_property
    def spot_centres(self) -> NDArray[np.float64]:
        """The spots' middles, shape (n, 2), in their order."""
        return np.array(list(self.spots.values()), dtype=np.float64)


@dataclass(frozen=True)
class PawnsSeen:
    """The pawns in one picture. `pawns`: the colour on each spot that holds one for sure; `hidden`:
    the spots that this picture does not show. All others are empty."""

    pawns: Mapping[str, str]
    hidden: frozenset[str]

    def agrees_with(self, other: "PawnsSeen") -> bool:
        """Check whether both show the same on every spot that neither hides."""
        shared_spots = (self.pawns.keys() | other.pawns.keys()) - self.hidden - other.hidden
        return all(self.pawns.get(name) == other.pawns.get(name) for name in shared_spots)


def find_board_plane(image: NDArray[np.uint8], board: PrintedBoard) -> TablePlane | None:
    """Return the plane of the board, in cells; None unless enough of its marks are visible."""
    markers = [mark for mark in find_markers(image) if mark.id in board.marks]
    if len({mark.id for mark in markers}) < NEEDED:
        return None
    try:
        return TablePlane.from_markers(markers, board.marks)
    except PlaneError:
        return None


def hide_board(image: NDArray[np.uint8], board: PrintedBoard, plane: TablePlane) -> NDArray[np.uint8]:
    """Return the picture with the board painted over except where cards may lie, as if it were
    blank paper: to a search for cards, squares and pawns are a hundred shapes to look into."""
    height, width = image.shape[:2]
    shown = np.full((height, width), 255, np.uint8)
    for box_, tone in (((0.0, 0.0, *board.size), 0), *((one, 255) for one in board.free)):
        left, top, right, bottom = box_
        outline = plane.to_image([(left, top), (right, top), (right, bottom), (left, bottom)])
        cv2.fillConvexPoly(shown, outline.round().astype(np.int32), tone)
    return np.asarray(cv2.copyTo(image, shown, np.full_like(image, _PAPER)), dtype=np.uint8)


def detect_pawns(image: NDArray[np.uint8], board: PrintedBoard, plane: TablePlane) -> PawnsSeen:
    """Read the pawns on the board in a BGR picture, given the board's plane in it."""
    flat = _rectify_board(image, board, plane)
    colours = _classify_pixels(flat)
    return _classify_spots(board, colours, _point_below_camera(plane, image.shape[1], image.shape[0]))


def _rectify_board(image: NDArray[np.uint8], board: PrintedBoard, plane: TablePlane) -> NDArray[np.float32]:
    """Return the board from above, each pixel relative to the paper around it: 0 black, 1 white."""
    size = (round((board.size[0] + 2 * _BEYOND) * _PIXELS), round((board.size[1] + 2 * _BEYOND) * _PIXELS))
    scale = np.array([[_PIXELS, 0, _BEYOND * _PIXELS], [0, _PIXELS, _BEYOND * _PIXELS], [0, 0, 1.0]])
    flat = cv2.warpPerspective(image, scale @ plane.matrix, size, flags=cv2.INTER_AREA)
    flat = cv2.GaussianBlur(flat, (0, 0), 1.5).astype(np.float32)
    # The brightest pixel nearby is paper: every spot has some within two cells.
    small = cv2.resize(flat, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    wide = np.ones((_PIXELS + 1,) * 2, np.uint8)
    paper = cv2.GaussianBlur(cv2.dilate(small, wide), (0, 0), _PIXELS / 4)
    paper = cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR)
    # not below 8 levels: in the dark, noise would become colour
    return np.asarray(flat / np.maximum(paper, 8), dtype=np.float32)


_NAMES = ("", *_HUES)
_OTHER = len(_NAMES)


def _classify_pixels(flat: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Classify each pixel: 0 white, the index of its colour in `_NAMES`, or `_OTHER`."""
    hsv = cv2.cvtColor(np.clip(flat, 0, 1), cv2.COLOR_BGR2HSV)
    hue, saturation, value = hsv[:, :, 0], hsv[:, :, 1], hsv[:, :, 2]
    found = np.full(hue.shape, _OTHER, np.uint8)
    found[(saturation < 0.25) & (value > 0.6)] = 0
    strong = (saturation > _SATURATED) & (value > 0.25)
    for number, (low, high) in enumerate(_HUES.values(), 1):
        inside = (hue >= low) & (hue <= high) if low < high else (hue >= low) | (hue <= high)
        found[strong & inside] = number
    return found


def _point_below_camera(plane: TablePlane, width: int, height: int) -> NDArray[np.float64]:
    """Return the point of the board's plane that is right below the camera, in cells."""
    focal = _FOCAL * max(width, height)
    # a pinhole camera: the columns are the board's two axes and its origin, seen from the camera
    lens = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    across, down, origin = (np.linalg.inv(lens) @ np.linalg.inv(plane.matrix)).T
    scale = 2 / (np.linalg.norm(across) + np.linalg.norm(down))
    turn = np.stack([across * scale, down * scale, np.cross(across * scale, down * scale)], axis=1)
    # the nearest rotation: the two measured directions are not exactly square
    left, _, right = np.linalg.svd(turn)
    return np.asarray((-(left @ right).T @ (origin * scale))[:2])


def _classify_spots(board: PrintedBoard, colours: NDArray[np.uint8], below: NDArray[np.float64]) -> PawnsSeen:
    pawns, hidden = {}, set()
    towards = below - board.spot_centres
    far = np.maximum(np.linalg.norm(towards, axis=1, keepdims=True), 1e-6)
    nearer = board.spot_centres + towards / far * np.minimum(_NEARER, far)
    wide = _find_wide_areas(colours)
    for name, middle, before in zip(board.spots, board.spot_centres, nearer, strict=True):
        there = _colour_shares(colours, middle, _FOOT)
        if there[0] >= _WHITE:
            continue
        number = int(there[1:_OTHER].argmax()) + 1
        x, y = ((middle + _BEYOND) * _PIXELS).astype(int)
        # Between the spot and the camera another pawn may stand, whose head is seen here.
        alone = _colour_shares(colours, before, _BETWEEN)[number] < 0.5
        if there[number] >= _COLOURED and alone and not wide[y, x]:
            pawns[name] = _NAMES[number]
        else:
            hidden.add(name)
    return PawnsSeen(pawns, frozenset(hidden))


def _colour_shares(
    colours: NDArray[np.uint8], middle: NDArray[np.float64], radius: float
) -> NDArray[np.float64]:
    """Return the part of a disc that has each colour, by the colour's index: 0 to 1."""
    x, y = (middle + _BEYOND) * _PIXELS
    reach = radius * _PIXELS
    left, top = max(0, int(x - reach)), max(0, int(y - reach))
    window = colours[top : int(y + reach) + 2, left : int(x + reach) + 2]
    rows, columns = np.ogrid[top : top + window.shape[0], left : left + window.shape[1]]
    inside = window[(columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 <= reach**2]
    return np.asarray(np.bincount(inside, minlength=_OTHER + 1) / max(1, inside.size))


def _find_wide_areas(colours: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark where one colour is wider than pawns are."""
    found = np.zeros(colours.shape, bool)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(_WIDE * _PIXELS / 2) + 1,) * 2)
    for number in range(1, _OTHER):
        # At half the size it is four times as quick, with the same result.
        small = (colours[::2, ::2] == number).astype(np.uint8)
        wide = cv2.morphologyEx(small, cv2.MORPH_OPEN, disc)
        found |= cv2.resize(wide, colours.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
    return found
