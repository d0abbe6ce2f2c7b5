"""Render a table with cards, as a camera above it would see it.

New cards are placed clear of their neighbours and slightly askew, as people lay them. Only changes
are redrawn: cloth and cards are kept as one still picture, in which a card that appears or
disappears redraws its own surroundings; each frame is a copy of it with hands and noise added. The
module begins with the parts (cloth, light, cards with soft edges, hands, the noise of the camera's
sensor) and ends with the table made from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.demo.actions import Gesture
from companion.rules.claims import CardId, ZoneId, seat_zone
from companion.table.zones import Camera, Point, Zones

Picture = NDArray[np.uint8]
"""Height x width x 3, blue-green-red, 0..255."""

CLOTH = (74, 92, 52)
"""The cloth's colour, blue-green-red: a dull green."""
WARM = np.array([0.97, 1.0, 1.03], np.float32)
"""The lamp's tint, blue-green-red."""
NOISE = 2.6
"""Standard deviation of the sensor's noise, in grey levels, as of a fair webcam in a lit room."""
# The noise pictures are larger than a frame by this margin, so that they can be shifted.
_MARGIN = 48
_BANK = 2


def lamp(width: int, height: int) -> NDArray[np.float32]:
    """Return each pixel's brightness, shape (height, width, 1): a lamp at the upper left, darker
    corners. See `WARM`."""
    x = np.arange(width, dtype=np.float32)[None, :] / width - 0.5
    y = np.arange(height, dtype=np.float32)[:, None] / height - 0.5
    towards = 1.0 - 0.22 * (x * 0.8 + y * 0.5)
    corners = 1.0 - 0.28 * (x**2 + y**2)
    return np.asarray((towards * corners)[:, :, None], dtype=np.float32)


def cloth(width: int, height: int, random: np.random.Generator) -> Picture:
    """Render woven cloth under the lamp: fine threads, and broad stains as every cloth has."""
    # Threads are noise smeared in one direction: along the warp, and across it for the weft.
    grain = random.standard_normal((height, width), np.float32)
    warp = cv2.GaussianBlur(grain, (0, 0), sigmaX=0.6, sigmaY=2.2)
    weft = cv2.GaussianBlur(grain[::-1], (0, 0), sigmaX=2.2, sigmaY=0.6)
    small = random.standard_normal((height // 40 + 2, width // 40 + 2), np.float32)
    stains = cv2.resize(cv2.GaussianBlur(small, (0, 0), 1.5), (width, height), interpolation=cv2.INTER_CUBIC)
    relief = 1.0 + 0.09 * (warp + weft) + 0.05 * stains
    relief *= lamp(width, height)[:, :, 0]
    channels = [np.clip(relief * shade, 0, 255).astype(np.uint8) for shade in CLOTH * WARM]
    return np.asarray(cv2.merge(channels), dtype=np.uint8)


class Sensor:
    """Camera noise, from a few noise pictures made in advance and shifted at random."""

    def __init__(self, width: int, height: int, random: np.random.Generator) -> None:
        self._size = (height, width)
        self._random = random
        self._bank = [self._noise() for _ in range(_BANK)]

    def _noise(self) -> tuple[Picture, Picture]:
        height, width = self._size
        shape = (height + _MARGIN, width + _MARGIN)
        noise = self._random.standard_normal((*shape, 3), np.float32)
        noise *= 0.5
        # Most of the noise is common to the three channels, less is a colour's own.
        noise += self._random.standard_normal((*shape, 1), np.float32)
        noise = np.round(cv2.GaussianBlur(noise, (0, 0), 0.5) * np.float32(1.4 * NOISE))
        # Two pictures of bytes: OpenCV's `add` and `subtract` stop at 255 and 0 without a wider
        # copy.
        brighter = np.clip(noise, 0, 255).astype(np.uint8)
        darker = np.clip(-noise, 0, 255).astype(np.uint8)
        return brighter, darker

    def expose(self, picture: Picture) -> Picture:
        """Return a copy of the picture with noise."""
        height, width = self._size
        brighter, darker = self._bank[int(self._random.integers(_BANK))]
        x, y = self._random.integers(0, _MARGIN, 2)
        window = np.s_[y : y + height, x : x + width]
        exposed = cv2.add(picture, brighter[window])
        return np.asarray(cv2.subtract(exposed, darker[window], dst=exposed), dtype=np.uint8)


Matrix = NDArray[np.float64]
"""A 3 x 3 map from one plane to another."""
Box = tuple[int, int, int, int]
"""A part of a picture: x0, y0, x1, y1 in pixels, x1 and y1 excluded."""

CORNER = 0.05
"""Radius of a card's corners, in parts of its width."""
_FINE = 2

HAND_LENGTH = 900
HAND_WIDTH = 260
"""Size of a hand's picture in millimetres: fingertips at the top, the arm leaving at the bottom."""
GRIP = (130.0, 62.0)
"""The point of a hand's picture that is placed over the card: between fingers and thumb."""
_SKINS = (
    (140, 172, 214),
    (96, 132, 186),
    (62, 90, 138),
    (120, 155, 205),
    (44, 66, 104),
    (150, 180, 222),
    (80, 112, 166),
)
_SLEEVES = (
    (120, 60, 40),
    (50, 50, 140),
    (60, 110, 60),
    (40, 120, 170),
    (110, 50, 100),
    (40, 40, 44),
    (150, 140, 130),
)


def rounded(card: Picture) -> NDArray[np.float32]:
    """Return the mask of a card with rounded corners, 0..1, of the size of its picture."""
    height, width = card.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    r = max(int(CORNER * width), 1)
    cv2.rectangle(mask, (r, 0), (width - 1 - r, height - 1), 255, -1)
    cv2.rectangle(mask, (0, r), (width - 1, height - 1 - r), 255, -1)
    for x in (r, width - 1 - r):
        for y in (r, height - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1, cv2.LINE_AA)
    return np.asarray(mask / np.float32(255), dtype=np.float32)


def bounds(quad: NDArray[np.float64], size: tuple[int, int], margin: int = 0) -> Box:
    """Return the part of a picture of `size` (width, height) that contains the quad plus a
    margin."""
    (x0, y0), (x1, y1) = quad.min(axis=0) - margin, quad.max(axis=0) + margin
    width, height = size
    clipped = [
        int(np.clip(v, 0, limit))
        for v, limit in ((x0, width), (y0, height), (x1 + 1, width), (y1 + 1, height))
    ]
    return clipped[0], clipped[1], clipped[2], clipped[3]


def put_card(
    ground: Picture, lit: NDArray[np.float32], card: Picture, to_picture: Matrix, box: Box, clip: Box
) -> None:
    """Draw a card with its soft shadow into `ground`, inside `clip`.

    `to_picture` maps the card's own pixels to the picture's, `box` is the part of the picture that
    card and shadow cover, `lit` each pixel's brightness, shape (height, width, 1).
    """
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if width <= 0 or height <= 0:
        return
    fine = np.diag([_FINE, _FINE, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ to_picture
    large = (width * _FINE, height * _FINE)
    colour = cv2.warpPerspective(card, fine, large, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpPerspective(rounded(card), fine, large, flags=cv2.INTER_LINEAR)
    # Drawn larger and then reduced: a warp by itself leaves stairs along the card's edge.
    colour = cv2.resize(colour, (width, height), interpolation=cv2.INTER_AREA)
    mask = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    near = cv2.warpAffine(mask, np.array([[1, 0, 1.2], [0, 1, 1.8]]), (width, height))
    shadow = 0.4 * cv2.GaussianBlur(near, (0, 0), 2.4)
    cx0, cy0, cx1, cy1 = max(clip[0], x0), max(clip[1], y0), min(clip[2], x1), min(clip[3], y1)
    if cx0 >= cx1 or cy0 >= cy1:
        return
    part = np.s_[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
    there = np.s_[cy0:cy1, cx0:cx1]
    # The shadow darkens the table first, then the card covers its part of it.
    cover = mask[part][:, :, None]
    under = ground[there] * (1 - shadow[part][:, :, None])
    over = colour[part] * (lit[there] * WARM) * 0.97
    ground[there] = np.clip(under * (1 - cover) + over * cover, 0, 255).astype(np.uint8)


@lru_cache(maxsize=16)
def hand(number: int) -> tuple[Picture, Picture]:
    """Return the picture of player `number`'s hand and arm on black, and a mask of the table
    visible around it (0..255, 3 channels)."""
    skin, sleeve = _SKINS[number % len(_SKINS)], _SLEEVES[number % len(_SLEEVES)]
    solid = np.zeros((HAND_LENGTH, HAND_WIDTH), np.uint8)
    picture = np.zeros((HAND_LENGTH, HAND_WIDTH, 3), np.uint8)
    for start, end, thick in _FINGERS:
        for canvas, colour in ((picture, skin), (solid, 255)):
            cv2.line(canvas, start, end, colour, thick, cv2.LINE_AA)
    palm = np.array(
        [[86, 150], [108, 108], [160, 104], [182, 130], [178, 200], [166, 262], [100, 262], [88, 210]]
    )
    arm = np.array([[98, 250], [168, 250], [184, 430], [84, 430]])
    cuff = np.array([[80, 400], [188, 400], [206, HAND_LENGTH], [62, HAND_LENGTH]])
    for outline, colour in ((palm, skin), (arm, skin), (cuff, sleeve)):
        cv2.fillPoly(picture, [outline.astype(np.int32)], colour, cv2.LINE_AA)
        cv2.fillPoly(solid, [outline.astype(np.int32)], 255, cv2.LINE_AA)
    picture = _creases(picture, skin)
    mask = cv2.GaussianBlur(solid, (0, 0), 1.0) / np.float32(255)
    relief = cv2.GaussianBlur(solid, (0, 0), 16) / np.float32(255)
    shaded = picture * (0.45 + 0.6 * relief)[:, :, None]
    fallen = cv2.warpAffine(mask, np.array([[1, 0, 12.0], [0, 1, 16.0]]), (HAND_WIDTH, HAND_LENGTH))
    shadow = 0.45 * cv2.GaussianBlur(fallen, (0, 0), 9)
    beside = np.clip(255 * (1 - mask) * (1 - shadow), 0, 255).astype(np.uint8)
    over = np.clip(shaded * mask[:, :, None], 0, 255).astype(np.uint8)
    return over, np.asarray(cv2.merge([beside] * 3), np.uint8)


_FINGERS = (
    ((102, 128), (98, 44), 22),
    ((124, 112), (123, 22), 23),
    ((146, 112), (150, 28), 23),
    ((168, 126), (174, 56), 20),
    ((92, 188), (52, 132), 26),
    ((52, 132), (66, 96), 22),
)


def _creases(picture: Picture, skin: tuple[int, int, int]) -> Picture:
    """Draw knuckles and the lines between fingers, so that a hand does not look like a card."""
    dark = tuple(int(value * 0.78) for value in skin)
    for x, y in ((100, 92), (124, 76), (148, 80), (171, 96)):
        cv2.ellipse(picture, (x, y), (8, 3), 0, 0, 180, dark, 1, cv2.LINE_AA)
    for x, y in ((113, 118), (135, 112), (157, 118)):
        cv2.line(picture, (x, y), (x, y + 26), dark, 2, cv2.LINE_AA)
    return picture


def put_hand(ground: Picture, number: int, to_picture: Matrix) -> None:
    """Draw a hand over the table; `to_picture` maps its millimetres to the picture's pixels."""
    height, width = ground.shape[:2]
    frame = np.array([[0, 0], [HAND_WIDTH, 0], [HAND_WIDTH, HAND_LENGTH], [0, HAND_LENGTH]], np.float64)
    x0, y0, x1, y1 = bounds(apply(to_picture, frame), (width, height))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    colour, beside = hand(number)
    local = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ to_picture
    size = (x1 - x0, y1 - y0)
    over = cv2.warpPerspective(colour, local, size, flags=cv2.INTER_LINEAR)
    shows = cv2.warpPerspective(
        beside,
        local,
        size,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        # Beyond the hand's picture the whole table shows.
        borderValue=(255, 255, 255),
    )
    there = np.s_[y0:y1, x0:x1]
    ground[there] = cv2.add(cv2.multiply(ground[there], shows, scale=1 / 255), over)


def apply(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map points, shape (n, 2), by a 3 x 3 matrix."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)


CARD = (63.0, 88.0)
"""Width and height of a card in millimetres."""
_GAP = 13.0
_STEP = 8.0
_EDGE = 50.0
_INSIDE = (38.0, 14.0)
_Rectangle = tuple[tuple[float, float], tuple[float, float], float]


class Spot(NamedTuple):
    """A place for a card: its centre in millimetres from the table's far left corner.

    `angle`: rotation in degrees, 0 with the card's bottom towards the near edge.
    """

    x: float
    y: float
    angle: float


def facing(zone: NDArray[np.float64], table: tuple[float, float]) -> float:
    """Return the rotation of cards in this player's zone: a multiple of 90 degrees, the bottom
    towards the nearest edge."""
    middle = zone.mean(axis=0) / np.array(table) - 0.5
    if abs(middle[1]) * table[1] >= abs(middle[0]) * table[1] - 1e-6:
        return 0.0 if middle[1] > 0 else 180.0
    return 90.0 if middle[0] < 0 else -90.0


def find(
    zone: NDArray[np.float64],
    turn: float,
    table: tuple[float, float],
    taken: Iterable[Spot],
    random: np.random.Generator,
) -> Spot:
    """Return a free spot in a zone's outline (millimetres, shape (n, 2)), near its centre; on top
    of other cards if the zone is full.

    `turn`: the card's rotation in degrees. `table`: width and depth in millimetres. `taken`: spots
    of the cards on the table, in any zone.
    """
    outline = zone.astype(np.float32).reshape(-1, 1, 2)
    moments = cv2.moments(outline)
    middle = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1e-9)
    low = np.maximum(zone.min(axis=0), _EDGE)
    high = np.minimum(zone.max(axis=0), np.array(table) - _EDGE)
    grid = [
        (float(x), float(y))
        for x in np.arange(low[0], high[0], _STEP)
        for y in np.arange(low[1], high[1], _STEP)
    ]
    # Nearest to the middle first: the first free point is the one to take.
    grid.sort(key=lambda point: (point[0] - middle[0]) ** 2 + (point[1] - middle[1]) ** 2)
    depths = [cv2.pointPolygonTest(outline, point, True) for point in grid]
    others = [_rectangle(spot, 0.0) for spot in taken]
    # First well inside the outline; if there is no room, closer to its edge.
    for inside in _INSIDE:
        for depth, point in zip(depths, grid, strict=True):
            spot = Spot(*point, turn)
            wide = _rectangle(spot, _GAP)
            if depth >= inside and not any(_meet(wide, other) for other in others):
                return untidy(spot, random)
    return untidy(Spot(float(middle[0]), float(middle[1]), turn), random)


def _meet(one: _Rectangle, other: _Rectangle) -> bool:
    return cv2.rotatedRectangleIntersection(one, other)[0] != cv2.INTERSECT_NONE


def untidy(spot: Spot, random: np.random.Generator) -> Spot:
    """Shift and rotate a spot slightly, as a hand would."""
    dx, dy = random.normal(0, 3, 2)
    return Spot(
        spot.x + float(np.clip(dx, -4.4, 4.4)),
        spot.y + float(np.clip(dy, -4.4, 4.4)),
        spot.angle + float(np.clip(random.normal(0, 3.5), -7, 7)),
    )


def corners(spot: Spot) -> NDArray[np.float64]:
    """Return a card's corners in millimetres, shape (4, 2): upper left, then clockwise."""
    half = np.array(CARD) / 2
    own = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    turn = np.radians(spot.angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(own @ rotation.T + [spot.x, spot.y], dtype=np.float64)


def _rectangle(spot: Spot, gap: float) -> _Rectangle:
    return (spot.x, spot.y), (CARD[0] + 2 * gap, CARD[1] + 2 * gap), spot.angle


WIDTH = 1050.0
"""Width of the table in millimetres."""
_SEEN: tuple[Point, Point, Point, Point] = ((0.055, 0.05), (0.95, 0.045), (0.985, 0.975), (0.018, 0.97))
"""The table's corners in the picture: the camera hangs over the near edge, a little askew."""
_SHADOW = 9
_HAND = 0.85
PILE = "pile"
"""The zone in which cards are stacked."""


class TableCard(NamedTuple):
    """A card on the table: its id, zone, visible face and spot; `quad`: its corners in the picture,
    in pixels."""

    card: str
    zone: str
    face: Literal["up", "down"]
    spot: Spot
    quad: NDArray[np.float64]


class HandPose(NamedTuple):
    """The pose of a hand over the table.

    `number`: the player's seat number minus one. `x`, `y`: the point it grips, in millimetres.
    `angle`: the arm's rotation in degrees, 0 from the near edge.
    """

    number: int
    x: float
    y: float
    angle: float


class World:
    """A simulated table with cards on it.

    `drawings`: card name to its picture (BGR, the whole card); `back`: the picture of every back.
    `size`: of the camera's picture, in pixels. All randomness (scatter, cloth, noise) comes from
    `seed`.
    """

    def __init__(
        self,
        drawings: Mapping[str, Picture],
        back: Picture,
        zones: Zones,
        size: tuple[int, int] = (1280, 720),
        seed: int = 1,
    ) -> None:
        self.zones = zones
        self.size = size
        self.extent = (WIDTH, WIDTH / zones.aspect)
        self._drawings = drawings
        self._back = back
        self._random = np.random.default_rng(seed)
        self._lying: list[TableCard] = []
        self._sprites: dict[str | None, Picture] = {}
        frame = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * self.extent
        seen = np.array(_SEEN) * size
        to_picture = cv2.getPerspectiveTransform(frame.astype(np.float32), seen.astype(np.float32))
        self._to_picture: Matrix = np.asarray(to_picture, dtype=np.float64)
        self._lit = lamp(*size)
        self._cloth = cloth(*size, self._random)
        self._still = self._cloth.copy()
        self._sensor = Sensor(*size, self._random)

    @property
    def camera(self) -> Camera:
        """The calibration that fits this picture, as a person would enter it by clicking the
        corners."""
        return Camera("corners", _SEEN)

    @property
    def lying(self) -> Sequence[TableCard]:
        """The cards on the table, oldest first."""
        return tuple(self._lying)

    def lay(self, card: str, zone: str, face: Literal["up", "down"] = "up") -> Spot:
        """Put a card into a zone and return its spot. Raises KeyError for an unknown card or
        zone."""
        # Looked up first, so that an unknown card raises before anything has changed.
        self._drawings[card]
        outline = self._outline(zone)
        turn = facing(outline, self.extent) if ZoneId.of(zone).seat is not None else 0.0
        # Cards on the pile cover each other, so nothing there counts as taken.
        taken = [] if zone == PILE else [one.spot for one in self._lying]
        spot = find(outline, turn, self.extent, taken, self._random)
        self._add(card, zone, face, spot)
        return spot

    def turn(self, zone: str, card: str = "") -> None:
        """Turn over a card of the zone: `card` (of equal ones a face-down one), or the newest.

        If `card` is not there, the newest card of its kind becomes `card`: the other side of a
        contract.
        """
        hidden = [
            one for one in reversed(self._lying) if (one.zone, one.card, one.face) == (zone, card, "down")
        ]
        old = next(iter(hidden), None) or self._pick(zone, card)
        # The other side of a contract has an id of its own that begins with the same stem.
        old = old or self._pick(zone, CardId.of(card).stem) or self._pick(zone, "")
        if old is None:
            return
        self._remove(old)
        same = card in ("", old.card)
        name = old.card if same else card
        face: Literal["up", "down"] = "down" if same and old.face == "up" else "up"
        # A card that is turned does not come to lie exactly where it was.
        self._add(name, zone, face, untidy(old.spot, self._random))

    def take(self, zone: str, card: str = "") -> None:
        """Remove a card from the zone: `card`, or the newest."""
        old = self._pick(zone, card)
        if old is not None:
            self._remove(old)

    def clear(self, zone: str = "") -> None:
        """Remove all cards from a zone, or from the whole table."""
        for old in [one for one in self._lying if zone in ("", one.zone)]:
            self._remove(old)

    def touch(self, gesture: Gesture) -> None:
        """Apply a hand's gesture to the cards; pressing a button does nothing here."""
        match gesture.kind:
            case "lay":
                self.lay(gesture.card, gesture.zone, gesture.face)
            case "turn":
                self.turn(gesture.zone, gesture.card)
            case "take":
                self.take(gesture.zone, gesture.card)
            case "clear":
                self.clear(gesture.zone)

    def hand(self, seat: int, zone: str, card: str = "", away: float = 0.0) -> HandPose:
        """Return the pose of a player's hand over a card, or over the zone if the card is not
        there.

        `seat`: the player's. `away`: remaining distance of the hand, in millimetres.
        """
        found = self._pick(zone, card) if card else None
        x, y = (found.spot.x, found.spot.y) if found is not None else self._outline(zone).mean(axis=0)
        name = seat_zone(seat)
        home = self._outline(name if name in self.zones.names else zone).mean(axis=0)
        outward = home - np.array(self.extent) / 2
        angle = float(np.degrees(np.arctan2(-outward[0], outward[1])))
        towards = outward / max(float(np.linalg.norm(outward)), 1e-6) * away
        return HandPose(seat - 1, float(x + towards[0]), float(y + towards[1]), angle)

    def frame(self, hands: Sequence[HandPose] = ()) -> Picture:
        """Render the picture that the camera takes now: a new array of `size`, BGR."""
        picture = self._still
        # Without hands no copy is needed: the sensor's picture is a new one in any case.
        if hands:
            picture = picture.copy()
            for pose in hands:
                put_hand(picture, pose.number, self._to_picture @ _arm(pose))
        return self._sensor.expose(picture)

    def _outline(self, zone: str) -> NDArray[np.float64]:
        return np.asarray(self.zones.outline(zone) * np.array(self.extent), dtype=np.float64)

    def _pick(self, zone: str, card: str) -> TableCard | None:
        """Return the newest card of the zone with this name, or, if there is none, whose name
        begins with it."""
        here = [one for one in reversed(self._lying) if one.zone == zone]
        exact = [one for one in here if one.card == card]
        return next(iter(exact or [one for one in here if one.card.startswith(card)]), None)

    def _add(self, card: str, zone: str, face: Literal["up", "down"], spot: Spot) -> None:
        lying = TableCard(card, zone, face, spot, apply(self._to_picture, corners(spot)))
        self._lying.append(lying)
        self._draw(lying, self._box(lying))

    def _remove(self, lying: TableCard) -> None:
        self._lying = [one for one in self._lying if one is not lying]
        x0, y0, x1, y1 = box = self._box(lying)
        # The cloth is restored in the card's surroundings only, and cards that reach into them are
        # drawn again.
        self._still[y0:y1, x0:x1] = self._cloth[y0:y1, x0:x1]
        # Oldest first, so that overlapping cards keep their order.
        for other in self._lying:
            self._draw(other, box)

    def _box(self, lying: TableCard) -> Box:
        return bounds(lying.quad, self.size, _SHADOW)

    def _draw(self, lying: TableCard, clip: Box) -> None:
        picture = self._sprite(lying.card if lying.face == "up" else None)
        height, width = picture.shape[:2]
        own = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        to_table = cv2.getPerspectiveTransform(own, corners(lying.spot).astype(np.float32))
        put_card(self._still, self._lit, picture, self._to_picture @ to_table, self._box(lying), clip)

    def _sprite(self, card: str | None) -> Picture:
        """Return a card's picture scaled to about the size at which the camera sees it, so that
        detail is lost in a single step."""
        if card not in self._sprites:
            drawing = self._back if card is None else self._drawings[card]
            width = int(1.6 * CARD[0] * self.size[0] / WIDTH)
            size = (width, round(width * drawing.shape[0] / drawing.shape[1]))
            self._sprites[card] = np.asarray(
                cv2.resize(drawing, size, interpolation=cv2.INTER_AREA), np.uint8
            )
        return self._sprites[card]


def _arm(pose: HandPose) -> Matrix:
    """Map a hand's own millimetres to the table's: its grip at the given point, its arm coming from
    `angle` (0: the near edge)."""
    turn = np.radians(pose.angle)
    cos, sin = np.cos(turn), np.sin(turn)
    gx, gy = GRIP
    place = np.array([[cos, -sin, pose.x], [sin, cos, pose.y], [0, 0, 1.0]]) @ np.diag([_HAND, _HAND, 1.0])
    return np.asarray(place @ np.array([[1, 0, -gx], [0, 1, -gy], [0, 0, 1]]), dtype=np.float64)
