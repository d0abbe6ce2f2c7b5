"""Pictures of a table with cards on it, drawn with ground truth: perspective, light, lens and
sensor."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
