"""Pictures of a table with cards on it, drawn with ground truth: perspective, light, lens and
sensor; a deck of our own to lay there, and patterned cloths to lay it on.

The deck has simple drawings with near look-alikes: ten values in four colours, each colour with a
shape of its own; 6 and 9 differ by a bar, as on real cards; colours lie close together (red and
orange, blue and violet) so that hue alone decides little.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Points = NDArray[np.float32]

ROUND = 0.06
"""Corner radius of a card in parts of its width."""


@dataclass(frozen=True)
class Placed:
    """A card on the table: its drawing, middle and width in pixels, turn in degrees clockwise."""

    card: str | None
    drawing: Picture
    x: float
    y: float
    width: float
    turn: float = 0.0


@dataclass(frozen=True)
class Faults:
    """What lies between the table and the picture. All off by default."""

    tilt: float = 0.0
    blur: float = 0.0
    noise: float = 2.0
    jpeg: int = 95
    shadow: float = 0.0
    glare: float = 0.0
    cover: float = 0.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gain: float = 1.0


@dataclass(frozen=True)
class Scene:
    """A rendered picture and where each card's corners came to lie, corner 0 the card's own top
    left."""

    picture: Picture
    quads: list[Points] = field(default_factory=list)


def table(kind: str, width: int, height: int, seed: int = 0) -> Picture:
    """A bare table: `pale`, `dark`, `wood` or `mat`."""
    rng = np.random.default_rng(seed)
    base = {"pale": (205, 215, 218), "dark": (38, 36, 34), "wood": (70, 110, 160), "mat": (70, 105, 60)}[kind]
    picture = np.empty((height, width, 3), dtype=np.float32)
    picture[:] = base
    if kind == "wood":
        grain = cv2.GaussianBlur(
            rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=60, sigmaY=2
        )
        picture += (grain / grain.std() * 9)[:, :, None]
    elif kind == "mat":
        step = 60
        y, x = np.mgrid[0:height, 0:width]
        picture += np.where(((x // step) + (y // step)) % 2, 10, -10)[:, :, None].astype(np.float32)
    else:
        cloth = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 3)
        picture += (cloth / cloth.std() * 2.5)[:, :, None]
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def corners(card: Placed) -> Points:
    """The corners of a card on the untilted table."""
    high = card.width * card.drawing.shape[0] / card.drawing.shape[1]
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (card.width / 2, high / 2)
    angle = np.radians(card.turn)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(half @ turn + (card.x, card.y), dtype=np.float32)


def camera(width: int, height: int, tilt: float) -> NDArray[np.float64]:
    """The homography of a camera that looks from the side by `tilt` (0 from above, 1 about 45
    degrees)."""
    pinch = 0.13 * tilt * width
    low, high = 0.16 * tilt * height, height - 0.03 * tilt * height
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    target = np.array([[pinch, low], [width - pinch, low], [width, high], [0, high]], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(source, target), dtype=np.float64)


def render(
    bare: Picture,
    cards: Sequence[Placed],
    faults: Faults | None = None,
    rng: np.random.Generator | None = None,
) -> Scene:
    """Lay the cards, later ones on top, and take the picture."""
    faults = faults or Faults()
    rng = rng or np.random.default_rng(0)
    height, width = bare.shape[:2]
    view = camera(width, height, faults.tilt)
    picture = bare.astype(np.float32)
    quads = []
    for card in cards:
        quad = (
            cv2.perspectiveTransform(corners(card).reshape(-1, 1, 2), view).reshape(4, 2).astype(np.float32)
        )
        _lay(picture, card.drawing, quad)
        _fault_on_card(picture, quad, faults, rng)
        quads.append(quad)
    if faults.shadow:
        _shadow(picture, faults.shadow, rng)
    picture *= np.array(faults.tint, dtype=np.float32) * faults.gain
    if faults.blur:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), faults.blur), dtype=np.float32)
    if faults.noise:
        picture += rng.standard_normal(picture.shape, dtype=np.float32) * faults.noise
    final = np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)
    if faults.jpeg < 100:
        _, data = cv2.imencode(".jpg", final, [cv2.IMWRITE_JPEG_QUALITY, faults.jpeg])
        final = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
    return Scene(final, quads)


def _lay(picture: NDArray[np.float32], drawing: Picture, quad: Points) -> None:
    """Draw a card with rounded corners into the quad, smoothly reduced."""
    wide = float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    ratio = wide / drawing.shape[1]
    if ratio < 0.7:
        drawing = np.asarray(
            cv2.resize(drawing, None, fx=ratio * 1.2, fy=ratio * 1.2, interpolation=cv2.INTER_AREA),
            dtype=np.uint8,
        )
    h, w = drawing.shape[:2]
    source = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], dtype=np.float32)
    left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int) - 3, 0)
    right, bottom = np.ceil(quad.max(axis=0)).astype(int) + 4
    window = picture[top:bottom, left:right]
    if window.size == 0:
        return
    matrix = cv2.getPerspectiveTransform(source, (quad - (left, top)).astype(np.float32))
    size = (window.shape[1], window.shape[0])
    laid = cv2.warpPerspective(drawing, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((h * 2, w * 2), dtype=np.uint8)
    radius = round(ROUND * w * 2)
    cv2.rectangle(mask, (radius, 0), (2 * w - radius - 1, 2 * h - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (2 * w - 1, 2 * h - radius - 1), 255, -1)
    for x in (radius, 2 * w - radius - 1):
        for y in (radius, 2 * h - radius - 1):
            cv2.circle(mask, (x, y), radius, 255, -1)
    half = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1.0]])
    alpha = (
        cv2.warpPerspective(mask, matrix @ half, size, flags=cv2.INTER_LINEAR).astype(np.float32)[:, :, None]
        / 255
    )
    soft = cv2.GaussianBlur(alpha, (0, 0), 2.0)[:, :, None]
    window *= 1 - 0.25 * soft
    window *= 1 - alpha
    window += laid * alpha


def _fault_on_card(
    picture: NDArray[np.float32], quad: Points, faults: Faults, rng: np.random.Generator
) -> None:
    middle = quad.mean(axis=0)
    short = float(np.linalg.norm(quad[1] - quad[0]))
    if faults.glare:
        spot = middle + rng.uniform(-0.4, 0.4, 2) * short
        layer = np.zeros(picture.shape[:2], dtype=np.float32)
        axes = (max(2, round(short * 0.22)), max(2, round(short * 0.12)))
        cv2.ellipse(
            layer, (round(spot[0]), round(spot[1])), axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1
        )
        layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), max(1.0, short * 0.04)))
        picture += layer[:, :, None] * 230 * faults.glare
        np.clip(picture, 0, 255, out=picture)
    if faults.cover:
        side = quad[rng.integers(4)]
        spot = middle + (side - middle) * rng.uniform(0.75, 1.1)
        size = max(2, round(short * faults.cover))
        cv2.circle(picture, (round(spot[0]), round(spot[1])), size, (130, 165, 215), -1, cv2.LINE_AA)


def _shadow(picture: NDArray[np.float32], depth: float, rng: np.random.Generator) -> None:
    height, width = picture.shape[:2]
    layer = np.zeros((height, width), dtype=np.float32)
    for _ in range(4):
        start = rng.uniform(0, 1, 2) * (width, height)
        points = start + rng.uniform(-0.3, 0.3, (5, 2)) * (width, height)
        hull = cv2.convexHull(np.round(points).astype(np.int32))
        cv2.fillConvexPoly(layer, hull, 1.0)
    layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), 4.0))
    picture *= 1 - depth * layer[:, :, None]


# the deck

WIDE, HIGH = 300, 420
COLOURS = {
    "red": (40, 40, 200),
    "orange": (20, 120, 235),
    "blue": (180, 90, 20),
    "violet": (150, 40, 110),
}
VALUES = range(1, 11)


def deck() -> dict[str, Picture]:
    """The forty drawings, `bench:<colour>:<value>` to a BGR picture of the whole card."""
    return {f"bench:{colour}:{value}": draw(colour, value) for colour in COLOURS for value in VALUES}


def draw(colour: str, value: int) -> Picture:
    """One card: a large numeral in the middle, numeral and shape in two corners."""
    card = np.full((HIGH, WIDE, 3), 245, dtype=np.uint8)
    ink = COLOURS[colour]
    corner = np.full((110, 70, 3), 245, dtype=np.uint8)
    _numeral(corner, value, (35, 32), 1.4, 5, ink)
    _shape(corner, colour, (35, 82), 20, ink)
    card[12 : 12 + 110, 12 : 12 + 70] = corner
    card[-122:-12, -82:-12] = corner[::-1, ::-1]
    _numeral(card, value, (WIDE // 2, HIGH // 2 - 10), 5.0, 16, ink)
    _shape(card, colour, (WIDE // 2, HIGH - 80), 26, ink)
    cv2.rectangle(card, (4, 4), (WIDE - 5, HIGH - 5), ink, 3)
    return card


def back() -> Picture:
    """The back that all cards share."""
    card = np.full((HIGH, WIDE, 3), 240, dtype=np.uint8)
    for offset in range(-HIGH, WIDE, 24):
        cv2.line(card, (offset, 0), (offset + HIGH, HIGH), (120, 110, 60), 6, cv2.LINE_AA)
        cv2.line(card, (offset + HIGH, 0), (offset, HIGH), (120, 110, 60), 6, cv2.LINE_AA)
    cv2.rectangle(card, (0, 0), (WIDE - 1, HIGH - 1), (240, 240, 240), 24)
    return card


def stranger(number: int) -> Picture:
    """A card of another deck: rings and a letter, in a frame of its own."""
    card = np.full((HIGH, WIDE, 3), 235, dtype=np.uint8)
    ink = ((60, 130, 30), (30, 30, 30), (140, 60, 170))[number % 3]
    cv2.rectangle(card, (18, 18), (WIDE - 19, HIGH - 19), ink, 6)
    for ring in range(1 + number % 4):
        cv2.circle(card, (WIDE // 2, HIGH // 2), 40 + 24 * ring, ink, 6, cv2.LINE_AA)
    cv2.putText(card, chr(65 + number % 26), (40, 90), cv2.FONT_HERSHEY_SIMPLEX, 2, ink, 5, cv2.LINE_AA)
    return card


def _numeral(
    picture: Picture, value: int, middle: tuple[int, int], size: float, thick: int, ink: tuple[int, int, int]
) -> None:
    text = str(value)
    if len(text) > 1:
        size *= 0.75
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    origin = (middle[0] - wide // 2, middle[1] + high // 2)
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, size, ink, thick, cv2.LINE_AA)
    if value in (6, 9):
        below = origin[1] + round(7 * size)
        cv2.line(picture, (origin[0], below), (origin[0] + wide, below), ink, max(2, thick // 2), cv2.LINE_AA)


def _shape(
    picture: Picture, colour: str, middle: tuple[int, int], radius: int, ink: tuple[int, int, int]
) -> None:
    if colour == "red":
        cv2.circle(picture, middle, radius, ink, -1, cv2.LINE_AA)
        return
    corners, turn, ratio = {"orange": (3, -90, 1.0), "blue": (4, 45, 1.0), "violet": (5, -90, 0.45)}[colour]
    angles = np.radians(turn + np.arange(2 * corners) * 180 / corners)
    radii = np.where(np.arange(2 * corners) % 2 == 0, radius, radius * ratio)
    if ratio == 1.0:
        angles, radii = angles[::2], radii[::2]
    points = np.stack([middle[0] + radii * np.cos(angles), middle[1] + radii * np.sin(angles)], axis=1)
    cv2.fillPoly(picture, [np.round(points).astype(np.int32)], ink, cv2.LINE_AA)


# cloths, and things on the table that are no cards

RED, WHITE, BLACK, CREAM, BLUE = (50, 45, 190), (235, 238, 238), (35, 30, 28), (190, 225, 240), (150, 90, 40)
Colour = tuple[int, int, int]


def checks(size: int, one: Colour, other: Colour, width: int, height: int) -> Picture:
    """Squares of two colours, `size` pixels wide."""
    y, x = np.mgrid[0:height, 0:width] // size
    return _as_picture(np.where(((x + y) % 2)[:, :, None], np.array(one), np.array(other)), width, height)


def picnic(size: int, ink: Colour, width: int, height: int) -> Picture:
    """A picnic cloth: bands of one colour cross on white, and are full where they cross."""
    y, x = np.mgrid[0:height, 0:width] // size % 2
    deep = ((x + y) / 2)[:, :, None]
    return _as_picture(np.array(WHITE) * (1 - deep) + np.array(ink) * deep, width, height)


def stripes(size: int, one: Colour, other: Colour, width: int, height: int) -> Picture:
    """Upright stripes of two colours, `size` pixels wide."""
    x = np.mgrid[0:height, 0:width][1] // size % 2
    return _as_picture(np.where(x[:, :, None], np.array(one), np.array(other)), width, height)


FRAME = 9
"""Pixels of a drawing, 300 wide, within which runs a dark frame."""


def without_frame(drawing: Picture) -> Picture:
    """A card that ends within the frame of its drawing: its paper meets the table."""
    return drawing[FRAME:-FRAME, FRAME:-FRAME]


def on_white_cloth(below: float, cards: Sequence[Picture]) -> Picture:
    """A photo of up to four cards in a row, 130 pixels wide, on a cloth with a weave of one grey
    level, that many darker than their paper."""
    rng = np.random.default_rng(3)
    weave = cv2.GaussianBlur(rng.normal(0, 1, (720, 1280)), (0, 0), 1.5)
    picture = np.full((720, 1280, 3), 245 - below) + (weave / weave.std())[:, :, None]
    for i, card in enumerate(cards):
        height, width = card.shape[:2]
        turn = cv2.getRotationMatrix2D((width / 2, height / 2), -12 * i, 130 / width)
        turn[:, 2] += np.array([200 + 300 * i, 350]) - (width / 2, height / 2)
        laid = cv2.warpAffine(np.dstack([card, np.ones_like(card)]).astype(np.float32), turn, (1280, 720))
        picture = picture * (1 - laid[:, :, 3:]) + laid[:, :, :3]
    picture = cv2.GaussianBlur(picture, (0, 0), 0.8) + rng.normal(0, 1, picture.shape)
    return np.asarray(np.clip(np.round(picture), 0, 255), np.uint8)


def planks(width: int, height: int) -> Picture:
    """Wooden boards with dark seams, each of its own shade."""
    picture = table("wood", width, height)
    step, rng = height // 6, np.random.default_rng(3)
    for row in range(0, height, step):
        shade = rng.uniform(0.8, 1.15)
        picture[row : row + step] = np.clip(picture[row : row + step] * shade, 0, 255)
        for x in rng.uniform(0, width, 2).astype(int):
            cv2.line(picture, (x, row), (x, row + step), (20, 35, 50), 4)
        cv2.line(picture, (0, row), (width, row), (20, 35, 50), 4)
    return picture


def flowers(width: int, height: int) -> Picture:
    """A cloth full of flowers and leaves."""
    rng = np.random.default_rng(4)
    picture = np.full((height, width, 3), CREAM, dtype=np.uint8)
    for _ in range(width * height // 2500):
        x, y, size = int(rng.uniform(0, width)), int(rng.uniform(0, height)), int(rng.uniform(8, 30))
        ink = tuple(int(v) for v in rng.uniform(30, 220, 3))
        turn = float(rng.uniform(0, 360))
        cv2.ellipse(picture, (x, y), (size, size // 2), turn, 0, 360, ink, -1, cv2.LINE_AA)
    return picture


def newspaper(width: int, height: int) -> Picture:
    """Columns of print with headlines and framed pictures."""
    rng = np.random.default_rng(5)
    picture = np.full((height, width, 3), (215, 225, 226), dtype=np.uint8)
    column = 300
    for left in range(20, width - column + 40, column):
        y = 30
        while y < height:
            if rng.random() < 0.06:
                deep = int(rng.uniform(90, 260))
                shade = tuple(int(v) for v in rng.uniform(90, 190, 3))
                cv2.rectangle(picture, (left, y), (left + column - 30, y + deep), shade, -1)
                cv2.rectangle(picture, (left, y), (left + column - 30, y + deep), BLACK, 2)
                y += deep + 16
            words = "".join(chr(97 + int(v)) if v < 26 else " " for v in rng.integers(0, 31, 26))
            cv2.putText(picture, words, (left, y), cv2.FONT_HERSHEY_SIMPLEX, 0.55, BLACK, 1, cv2.LINE_AA)
            y += 21
    return picture


def things(width: int, height: int) -> Picture:
    """Wood with a sheet of A4, tokens, two telephones, a box and a book on it."""
    picture = table("wood", width, height)
    unit = width / 1920

    def turned(x: float, y: float, w: float, h: float, turn: float, ink: Colour) -> None:
        box = cv2.boxPoints(((x * unit, y * unit), (w * unit, h * unit), turn))
        cv2.fillConvexPoly(picture, np.round(box).astype(np.int32), ink, cv2.LINE_AA)

    turned(960, 540, 560, 790, 8, (232, 234, 235))
    turned(130, 240, 150, 310, -6, (24, 22, 22))
    turned(1800, 830, 140, 290, 17, (30, 26, 25))
    turned(1790, 200, 210, 260, -12, (60, 120, 60))
    turned(200, 860, 170, 120, 30, (90, 60, 150))
    for i in range(9):
        spot = (round((420 + 150 * i) * unit), round((70 + 940 * (i % 2)) * unit))
        cv2.circle(picture, spot, round(38 * unit), ((60, 160, 60), BLUE, RED)[i % 3], -1, cv2.LINE_AA)
    return picture


def printed_mat(width: int, height: int) -> Picture:
    """A glossy mat with a printed frame, places for cards, a logo and the glare of a lamp."""
    picture = np.full((height, width, 3), (70, 50, 30), dtype=np.uint8)
    unit = width / 1920
    inset = round(40 * unit)
    cv2.rectangle(picture, (inset, inset), (width - inset, height - inset), (90, 180, 210), round(6 * unit))
    for i in range(5):
        corner = (round((330 + 270 * i) * unit), round(420 * unit))
        far = (corner[0] + round(170 * unit), corner[1] + round(238 * unit))
        cv2.rectangle(picture, corner, far, (120, 160, 180), round(3 * unit))
    spot = (round(960 * unit), round(860 * unit))
    cv2.putText(picture, "LOGO", spot, cv2.FONT_HERSHEY_DUPLEX, 3 * unit, (200, 210, 220), round(8 * unit))
    glare = np.zeros((height, width), dtype=np.float32)
    cv2.circle(glare, (round(1500 * unit), round(200 * unit)), round(120 * unit), 150.0, -1)
    glare = np.asarray(cv2.GaussianBlur(glare, (0, 0), 50 * unit), dtype=np.float32)
    return np.asarray(np.clip(picture + glare[:, :, None], 0, 255), dtype=np.uint8)


CLOTHS: dict[str, Callable[[int, int], Picture]] = {
    **{name: partial(table, name) for name in ("pale", "dark", "wood", "mat")},
    "picnic 30": partial(picnic, 30, RED),
    "picnic 60": partial(picnic, 60, RED),
    "picnic 120": partial(picnic, 120, RED),
    "picnic 240": partial(picnic, 240, RED),
    "red checks 60": partial(checks, 60, RED, WHITE),
    "red checks 120": partial(checks, 120, RED, WHITE),
    "red checks 240": partial(checks, 240, RED, WHITE),
    "chess 75": partial(checks, 75, BLACK, CREAM),
    "chess 130": partial(checks, 130, BLACK, CREAM),
    "faint checks 130": partial(checks, 130, (150, 140, 130), (175, 165, 155)),
    "stripes 50": partial(stripes, 50, BLUE, WHITE),
    "stripes 150": partial(stripes, 150, BLUE, WHITE),
    "planks": planks,
    "flowers": flowers,
    "newspaper": newspaper,
    "things": things,
    "printed mat": printed_mat,
}
"""Bare tables by name, each drawn to a width and height in pixels."""


def _as_picture(colours: NDArray[np.floating] | NDArray[np.integer], width: int, height: int) -> Picture:
    """Give flat colours the weave of a cloth."""
    rng = np.random.default_rng(0)
    weave = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 1.5)
    picture = colours + (weave / weave.std() * 3)[:, :, None]
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)
