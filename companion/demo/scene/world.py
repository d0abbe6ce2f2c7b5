"""The drawn table: which cards lie where, and the picture of it that a camera above the table
takes.

A card comes to lie free of its neighbours, as people lay it: a little askew. Only what changes is
drawn anew: cloth and cards are kept as one still picture, in which a card that comes or goes
redraws its own surroundings; hands and noise are added to a copy of it for each frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.demo.actions import Gesture
from companion.demo.scene import sprites
from companion.demo.scene.sprites import Box, Matrix, Picture
from companion.rules.claims import CardId, ZoneId, seat_zone
from companion.table.zones import Camera, Point, Zones

CARD = (63.0, 88.0)
"""Width and height of a card in millimetres."""
_GAP = 13.0
_STEP = 8.0
_EDGE = 50.0
_INSIDE = (38.0, 14.0)
_Rectangle = tuple[tuple[float, float], tuple[float, float], float]


class Spot(NamedTuple):
    """A place for a card: its middle in millimetres from the table's far left corner.

    `angle`: its turn in degrees, 0 with its foot to the near edge.
    """

    x: float
    y: float
    angle: float


def facing(zone: NDArray[np.float64], table: tuple[float, float]) -> float:
    """Return the turn of cards before the player of this zone: a multiple of 90 degrees, the foot
    to the nearest edge."""
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
    """Return a free spot in a zone's outline (millimetres, shape (n, 2)), near its middle; on top
    of others when it is full.

    `turn`: of the card, in degrees. `table`: width and depth in millimetres. `taken`: where cards
    lie already, of whatever zone.
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
    grid.sort(key=lambda point: (point[0] - middle[0]) ** 2 + (point[1] - middle[1]) ** 2)
    depths = [cv2.pointPolygonTest(outline, point, True) for point in grid]
    others = [_rectangle(spot, 0.0) for spot in taken]
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
    """Shift and turn a spot a little, as a hand does."""
    dx, dy = random.normal(0, 3, 2)
    return Spot(
        spot.x + float(np.clip(dx, -4.4, 4.4)),
        spot.y + float(np.clip(dy, -4.4, 4.4)),
        spot.angle + float(np.clip(random.normal(0, 3.5), -7, 7)),
    )


def corners(spot: Spot) -> NDArray[np.float64]:
    """Return a card's corners in millimetres, shape (4, 2): its upper left, then clockwise."""
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
"""The zone in which cards are put on top of one another."""


class TableCard(NamedTuple):
    """A card on the table: which, in which zone, which face is up, where; `quad`: its corners in
    the picture, in pixels."""

    card: str
    zone: str
    face: Literal["up", "down"]
    spot: Spot
    quad: NDArray[np.float64]


class HandPose(NamedTuple):
    """A hand over the table.

    `number`: whose, the seat's number less one. `x`, `y`: the point it grips, in millimetres.
    `angle`: the arm's turn in degrees, 0 from the near edge.
    """

    number: int
    x: float
    y: float
    angle: float


class World:
    """A table with cards on it.

    `drawings`: card name to its picture (BGR, the whole card); `back`: the picture of every back.
    `size`: of the picture, in pixels. All chance (scatter, cloth, noise) comes from `seed`.
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
        self._lit = sprites.lamp(*size)
        self._cloth = sprites.cloth(*size, self._random)
        self._still = self._cloth.copy()
        self._sensor = sprites.Sensor(*size, self._random)

    @property
    def camera(self) -> Camera:
        """The calibration that fits this picture, as a person would click it."""
        return Camera("corners", _SEEN)

    @property
    def lying(self) -> Sequence[TableCard]:
        """What lies on the table, oldest first."""
        return tuple(self._lying)

    def lay(self, card: str, zone: str, face: Literal["up", "down"] = "up") -> Spot:
        """Put a card into a zone, and return where it lies. Raises KeyError for a card or zone that
        is not there."""
        # Asked for before anything moves: an unknown card raises here, with the table as it was.
        self._drawings[card]
        outline = self._outline(zone)
        turn = facing(outline, self.extent) if ZoneId.of(zone).seat is not None else 0.0
        taken = [] if zone == PILE else [one.spot for one in self._lying]
        spot = find(outline, turn, self.extent, taken, self._random)
        self._add(card, zone, face, spot)
        return spot

    def turn(self, zone: str, card: str = "") -> None:
        """Turn a card of the zone over: `card` (of equal ones one that lies face down), or the
        newest.

        When `card` does not lie there, the newest card of its kind becomes it: the other face of a
        contract.
        """
        hidden = [
            one for one in reversed(self._lying) if (one.zone, one.card, one.face) == (zone, card, "down")
        ]
        old = next(iter(hidden), None) or self._pick(zone, card)
        old = old or self._pick(zone, CardId.of(card).stem) or self._pick(zone, "")
        if old is None:
            return
        self._remove(old)
        same = card in ("", old.card)
        name = old.card if same else card
        face: Literal["up", "down"] = "down" if same and old.face == "up" else "up"
        self._add(name, zone, face, untidy(old.spot, self._random))

    def take(self, zone: str, card: str = "") -> None:
        """Take a card of the zone away: `card`, or the newest."""
        old = self._pick(zone, card)
        if old is not None:
            self._remove(old)

    def clear(self, zone: str = "") -> None:
        """Take away everything in a zone, or on the whole table."""
        for old in [one for one in self._lying if zone in ("", one.zone)]:
            self._remove(old)

    def touch(self, gesture: Gesture) -> None:
        """Do with the cards what a hand does; a button that it presses is none."""
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
        """Return the hand of the player at `seat` over a card, or over the zone where the card is
        not there.

        `away`: how far it still is, in millimetres.
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
        """Return the picture that the camera takes now: a new array of `size`, BGR."""
        picture = self._still
        if hands:
            picture = picture.copy()
            for pose in hands:
                sprites.put_hand(picture, pose.number, self._to_picture @ _arm(pose))
        return self._sensor.expose(picture)

    def _outline(self, zone: str) -> NDArray[np.float64]:
        return np.asarray(self.zones.outline(zone) * np.array(self.extent), dtype=np.float64)

    def _pick(self, zone: str, card: str) -> TableCard | None:
        """Return the newest card of the zone whose name is `card`, or begins so where none is named
        exactly."""
        here = [one for one in reversed(self._lying) if one.zone == zone]
        exact = [one for one in here if one.card == card]
        return next(iter(exact or [one for one in here if one.card.startswith(card)]), None)

    def _add(self, card: str, zone: str, face: Literal["up", "down"], spot: Spot) -> None:
        lying = TableCard(card, zone, face, spot, sprites.apply(self._to_picture, corners(spot)))
        self._lying.append(lying)
        self._draw(lying, self._box(lying))

    def _remove(self, lying: TableCard) -> None:
        self._lying = [one for one in self._lying if one is not lying]
        x0, y0, x1, y1 = box = self._box(lying)
        self._still[y0:y1, x0:x1] = self._cloth[y0:y1, x0:x1]
        for other in self._lying:
            self._draw(other, box)

    def _box(self, lying: TableCard) -> Box:
        return sprites.bounds(lying.quad, self.size, _SHADOW)

    def _draw(self, lying: TableCard, clip: Box) -> None:
        picture = self._sprite(lying.card if lying.face == "up" else None)
        height, width = picture.shape[:2]
        own = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        to_table = cv2.getPerspectiveTransform(own, corners(lying.spot).astype(np.float32))
        sprites.put_card(self._still, self._lit, picture, self._to_picture @ to_table, self._box(lying), clip)

    def _sprite(self, card: str | None) -> Picture:
        """Return a card's picture at about the size at which it is seen, so that little detail is
        lost in one step."""
        if card not in self._sprites:
            drawing = self._back if card is None else self._drawings[card]
            width = int(1.6 * CARD[0] * self.size[0] / WIDTH)
            size = (width, round(width * drawing.shape[0] / drawing.shape[1]))
            self._sprites[card] = np.asarray(
                cv2.resize(drawing, size, interpolation=cv2.INTER_AREA), np.uint8
            )
        return self._sprites[card]


def _arm(pose: HandPose) -> Matrix:
    """Map a hand's own millimetres to the table's: its grip over the point, its arm coming from
    `angle` (0: the near edge)."""
    turn = np.radians(pose.angle)
    cos, sin = np.cos(turn), np.sin(turn)
    gx, gy = sprites.GRIP
    place = np.array([[cos, -sin, pose.x], [sin, cos, pose.y], [0, 0, 1.0]]) @ np.diag([_HAND, _HAND, 1.0])
    return np.asarray(place @ np.array([[1, 0, -gx], [0, 1, -gy], [0, 0, 1]]), dtype=np.float64)
