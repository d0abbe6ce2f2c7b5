"""Coarse matching: thumbnails of all reference views against one of a seen card."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.align import Matrix, begin
from vision.compare import opponent
from vision.patch import MARGIN, WIDTH, Pixels

ACROSS = 24
"""Width in pixels of the thumbnails that are compared."""

JITTER = [(zoom, dx, dy) for zoom in (0.94, 1.0, 1.06) for dx in (-5.0, 0.0, 5.0) for dy in (-5.0, 0.0, 5.0)]
"""Zoom and shift in patch pixels that are tried, since an outline may be a little off."""

Descriptor = NDArray[np.float32]


def descriptor(pixels: Pixels) -> Descriptor:
    """The unit vector of a card without margin; see `of_thumb`."""
    height = round(pixels.shape[0] * ACROSS / WIDTH)
    soft = cv2.GaussianBlur(pixels, (0, 0), WIDTH / ACROSS / 3)
    return of_thumb(
        np.asarray(cv2.resize(soft, (ACROSS, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)
    )


def starts(height: int) -> list[Matrix]:
    """Every start that is tried: both ways up, with each jitter."""
    return [begin(height, *jitter, upside=up) for up in (False, True) for jitter in JITTER]


def scores(
    patch: Pixels,
    height: int,
    matrices: list[Matrix],
    known: NDArray[np.float32],
    mask: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The correlation of the patch (with margin) under each start with each known descriptor.

    `known`: one a row. `mask` as from `thumb_mask`, None if all is in sight. Returns starts x known.
    """
    step = WIDTH / ACROSS
    small = cv2.GaussianBlur(patch, (0, 0), step / 3)
    rows = round(height / step)
    grow = np.array([[step, 0, (step - 1) / 2], [0, height / rows, (height / rows - 1) / 2], [0, 0, 1.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    thumbs = [cv2.warpPerspective(small, matrix @ grow, (ACROSS, rows), flags=flags) for matrix in matrices]
    found = np.stack([of_thumb(np.asarray(thumb, dtype=np.float32)) for thumb in thumbs])
    if mask is None:
        return np.asarray(found @ known.T, dtype=np.float32)
    upright, upside = (masked(found, m) @ masked(known, m).T for m in (mask, mask[::-1]))
    turned = np.array([matrix[0, 0] < 0 for matrix in matrices])
    return np.asarray(np.where(turned[:, None], upside, upright), dtype=np.float32)


def thumb_mask(visible: NDArray[np.float32], height: int) -> NDArray[np.float32]:
    """Which numbers of a descriptor are in sight; `visible` is of the size of the patch with its margin."""
    bare = np.ascontiguousarray(visible[MARGIN:-MARGIN, MARGIN:-MARGIN])
    thumb = cv2.resize(bare, (ACROSS, round(height * ACROSS / WIDTH)), interpolation=cv2.INTER_AREA)
    return np.repeat(thumb[1:-1, 1:-1].reshape(-1), 3).astype(np.float32)


def masked(found: NDArray[np.float32], mask: NDArray[np.float32]) -> NDArray[np.float32]:
    """Descriptors, one a row, reduced to what is in sight and brought to length 1 again."""
    part = found * mask
    return np.asarray(part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-6), dtype=np.float32)


def turned(known: NDArray[np.float32]) -> NDArray[np.float32]:
    """Descriptors, one a row, of the same cards upside down."""
    return np.ascontiguousarray(known.reshape(len(known), -1, 3)[:, ::-1]).reshape(known.shape)


def of_thumb(thumb: Pixels) -> Descriptor:
    """A unit vector for a thumbnail: its opponent colours, freed of shading and of tint."""
    colours = opponent(thumb)
    colours[:, :, 0] -= cv2.GaussianBlur(colours[:, :, 0], (0, 0), 8)
    colours[:, :, 1:] -= colours[:, :, 1:].mean(axis=(0, 1))
    flat = colours[1:-1, 1:-1].ravel()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), dtype=np.float32)
