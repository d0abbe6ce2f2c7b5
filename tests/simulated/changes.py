"""Photographs as another camera, lamp or hand would have made them. Each change is harmless:
whoever looks at the picture still names each card."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import photo
from vision.decks.labels import LabelledPhoto
from vision.geometry import make_rectangle, transform_points

Picture = NDArray[np.uint8]
Light = NDArray[np.float32]
Matrix = NDArray[np.float64]
Changed = tuple[Picture, Matrix]
"""A changed photograph, and the map from pixels of the photograph to pixels of it."""


def _warped(picture: Picture, matrix: Matrix) -> Changed:
    """All of the picture, laid out by a homography, on a ground of the colour of its border."""
    height, width = picture.shape[:2]
    corners = transform_points(matrix, make_rectangle(width, height))
    low = corners.min(axis=0)
    moved = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]], np.float64) @ matrix
    size = np.ceil(corners.max(axis=0) - low).astype(int)
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    ground = [float(c) for c in np.median(border, axis=0)]
    warped = cv2.warpPerspective(picture, moved, (int(size[0]), int(size[1])), borderValue=ground)
    return np.asarray(warped, np.uint8), moved


def _turned(degrees: float) -> Callable[[Picture], Changed]:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return lambda picture: _warped(picture, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))


def _tilted(picture: Picture) -> Changed:
    """As by a camera, 65 degrees wide, that looks past the middle of the table by 15 degrees."""
    height, width = picture.shape[:2]
    lens = np.array([[0.8 * width, 0, width / 2], [0, 0.8 * width, height / 2], [0, 0, 1.0]])
    c, s = np.cos(np.radians(15)), np.sin(np.radians(15))
    tilt = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return _warped(picture, np.asarray(lens @ tilt @ np.linalg.inv(lens), np.float64))


def _scaled(by: float) -> Callable[[Picture], Changed]:
    how = cv2.INTER_AREA if by < 1 else cv2.INTER_CUBIC
    return lambda picture: (
        np.asarray(cv2.resize(picture, None, fx=by, fy=by, interpolation=how), np.uint8),
        np.diag([by, by, 1.0]),
    )


def _packed(quality: int) -> Callable[[Picture], Changed]:
    def changed(picture: Picture) -> Changed:
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8), np.eye(3)

    return changed


def _in_turn(*changes: Callable[[Picture], Changed]) -> Callable[[Picture], Changed]:
    def changed(picture: Picture) -> Changed:
        matrix = np.eye(3)
        for change in changes:
            picture, further = change(picture)
            matrix = further @ matrix
        return picture, matrix

    return changed


def _rendered(change: Callable[[Picture], cv2.typing.MatLike]) -> Callable[[Picture], Changed]:
    """What a camera's own processor makes of the picture."""
    return lambda picture: (np.asarray(change(picture), np.uint8), np.eye(3))


def _sharpened(picture: Picture) -> cv2.typing.MatLike:
    return cv2.addWeighted(picture, 2.2, cv2.GaussianBlur(picture, (0, 0), 1.5), -1.2, 0)


def _local_contrast(picture: Picture) -> cv2.typing.MatLike:
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    lab[:, :, 0] = cv2.createCLAHE(3.0, (8, 8)).apply(lab[:, :, 0])
    return cv2.cvtColor(lab, cv2.COLOR_LAB2BGR)


def _moved(picture: Picture) -> cv2.typing.MatLike:
    """Blurred over five pixels by a hand that was not still."""
    line = np.zeros((7, 7), np.float32)
    cv2.line(line, (1, 4), (5, 2), 1.0, 1, cv2.LINE_AA)
    return cv2.filter2D(picture, -1, line / line.sum(), borderType=cv2.BORDER_REPLICATE)


def _shown(change: Callable[[Light], Light]) -> Callable[[Picture], Changed]:
    """A change of the pixels' values, 0 to 1 as they are in the file."""

    def changed(picture: Picture) -> Changed:
        values = change(np.divide(picture, 255, dtype=np.float32))
        return np.asarray(np.clip(np.rint(255 * values), 0, 255), np.uint8), np.eye(3)

    return changed


def _lit(change: Callable[[Light], Light]) -> Callable[[Picture], Changed]:
    """A change of the light itself, before the camera renders and clips it (sRGB, by a power of
    2.2)."""
    return _shown(lambda values: np.clip(change(values**2.2), 0, 1) ** np.float32(1 / 2.2))


def _noisy(values: Light) -> Light:
    noise = np.random.default_rng(1).standard_normal(values.shape, dtype=np.float32)
    return np.asarray(values + noise * np.float32(4 / 255), np.float32)


def _vignetted(light: Light) -> Light:
    """Half of the light is gone in the corners."""
    height, width = light.shape[:2]
    y, x = np.linspace(-1, 1, height)[:, None], np.linspace(-1, 1, width)[None]
    return np.asarray(light * (1 - 0.25 * (x**2 + y**2))[:, :, None], np.float32)


def _from_one_side(light: Light) -> Light:
    """A lamp to the left: four tenths of the light on the right."""
    return np.asarray(light * np.linspace(1, 0.4, light.shape[1])[None, :, None], np.float32)


def _pale(values: Light) -> Light:
    grey = values @ np.array([0.114, 0.587, 0.299], np.float32)
    return np.asarray(0.6 * values + 0.4 * grey[:, :, None], np.float32)


def _blurred(values: Light) -> Light:
    return np.asarray(cv2.GaussianBlur(values, (0, 0), 0.8), np.float32)


def _shaded(values: Light) -> Light:
    """Four hard shadows of all shapes across the table, nearly half of the light gone in them."""
    height, width = values.shape[:2]
    rng, layer = np.random.default_rng(1), np.zeros((height, width), np.float32)
    for _ in range(4):
        points = rng.uniform(0, 1, 2) * (width, height) + rng.uniform(-0.3, 0.3, (5, 2)) * (width, height)
        cv2.fillConvexPoly(layer, cv2.convexHull(np.round(points).astype(np.int32)), 0.45)
    soft = np.asarray(cv2.GaussianBlur(layer, (0, 0), 6.0), np.float32)
    return np.asarray(values * (1 - soft)[:, :, None], np.float32)


WARM, COLD = np.array([0.8, 1, 1.15], np.float32), np.array([1.15, 1, 0.8], np.float32)
"""What a lamp or the shade does to blue, green and red where the camera's white balance stays."""

CHANGES: dict[str, Callable[[Picture], Changed]] = {
    "none": lambda picture: (picture, np.eye(3)),
    "turned by 7 degrees": _turned(7),
    "turned by 90 degrees": _turned(90),
    "tilted by 15 degrees": _tilted,
    "0.8 of the size": _scaled(0.8),
    "1.25 of the size": _scaled(1.25),
    "JPEG quality 60": _packed(60),
    "JPEG quality 35": _packed(35),
    "warm light": _shown(lambda values: values * WARM),
    "cold light": _shown(lambda values: values * COLD),
    "one stop darker": _lit(lambda light: light * np.float32(0.5)),
    "half a stop brighter": _lit(lambda light: light * np.float32(2**0.5)),
    "one stop brighter, paper burnt white": _lit(lambda light: light * np.float32(2)),
    "lit from one side": _lit(_from_one_side),
    "darker corners": _lit(_vignetted),
    "soft by 0.8 pixels": _shown(_blurred),
    "noise of 4 grey levels": _shown(_noisy),
    "0.6 of the colour": _shown(_pale),
    "gamma 0.8": _shown(lambda values: values ** np.float32(0.8)),
    "gamma 1.25": _shown(lambda values: values ** np.float32(1.25)),
    "blurred by moving, 5 pixels": _rendered(_moved),
    "sharpened": _rendered(_sharpened),
    "median of 3 x 3, against noise": _rendered(lambda picture: cv2.medianBlur(picture, 3)),
    "local contrast": _rendered(_local_contrast),
    "small webcam: 0.6, sharpened, JPEG 50": _in_turn(_scaled(0.6), _rendered(_sharpened), _packed(50)),
    "hard shadows": _shown(_shaded),
}


def changed(labelled: LabelledPhoto, name: str) -> tuple[Picture, LabelledPhoto]:
    """A photograph under a change of `CHANGES`, and its labels, moved along."""
    picture, matrix = CHANGES[name](np.asarray(photo.load_photo(labelled.path), np.uint8))
    moved = [transform_points(matrix, [[c.x, c.y]])[0] for c in labelled.cards]
    cards = [
        replace(c, x=float(p[0]), y=float(p[1]), quad=None)
        for c, p in zip(labelled.cards, moved, strict=True)
    ]
    return picture, replace(labelled, cards=tuple(cards))
