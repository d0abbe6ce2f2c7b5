"""Compare cards coarsely: thumbnails of all reference views against one of a seen card."""

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fitting.align import Matrix, initial_transform
from vision.fitting.patch import MARGIN, WIDTH, Pixels, homogeneous_coordinates
from vision.fitting.template import make_blur_matrix

ACROSS = 24
"""Width in pixels of the thumbnails that are compared."""

JITTER = [(zoom, dx, dy) for zoom in (0.94, 1.0, 1.06) for dx in (-5.0, 0.0, 5.0) for dy in (-5.0, 0.0, 5.0)]
"""Zooms and shifts in patch pixels that are tried, because an outline may be a little off."""

AS_TRUSTED = (JITTER.index((1.0, 0.0, 0.0)), len(JITTER) + JITTER.index((1.0, 0.0, 0.0)))
"""Indices of the two starts that trust the outline, one for each way up."""

SHADE = 8.0
"""Pixels of a thumbnail over which a change of brightness is shading."""

Descriptor = NDArray[np.float32]


def compute_descriptor(pixels: Pixels) -> Descriptor:
    """Compute the unit vector of a card without margin; see `thumbs_to_descriptors`."""
    height = round(pixels.shape[0] * ACROSS / WIDTH)
    soft = cv2.GaussianBlur(pixels, (0, 0), WIDTH / ACROSS / 3)
    thumb = cv2.resize(soft, (ACROSS, height), interpolation=cv2.INTER_LINEAR)
    (found,) = thumbs_to_descriptors(np.asarray(thumb, dtype=np.float32)[None])
    return np.asarray(found, dtype=np.float32)


@lru_cache(maxsize=16)
def start_transforms(height: int) -> tuple[Matrix, ...]:
    """Return every start that is tried: both ways up, with each jitter."""
    return tuple(
        initial_transform(height, *jitter, upside_down=up) for up in (False, True) for jitter in JITTER
    )


def soften_patch(patch: Pixels) -> Pixels:
    """Soften a patch (with margin) as much as thumbnails are, and halve it, to be sampled under
    several starts."""
    half = cv2.resize(patch, (patch.shape[1] // 2, patch.shape[0] // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(half, (0, 0), WIDTH / ACROSS / 6), dtype=np.float32)


def correlate_descriptors(
    softened_patch: Pixels,
    height: int,
    start_numbers: Sequence[int],
    known: NDArray[np.float32],
    mask: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Correlate a patch (from `soften_patch`) with each known descriptor, under each of the
    `start_transforms` with the indices `start_numbers`.

    `known`: one a row. `mask` as from `descriptor_mask`, None if all is visible. Returns starts x
    known.
    """
    x, y = (along[list(start_numbers)] for along in _source_coordinates(height))
    # one call for all starts: each alone would spend as much on preparation as on work
    thumbs = cv2.remap(softened_patch, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    found = thumbs_to_descriptors(np.asarray(thumbs, dtype=np.float32).reshape(len(x), -1, ACROSS, 3))
    if mask is None:
        return np.asarray(found @ known.T, dtype=np.float32)
    upright, upside = (mask_descriptors(found, m) @ mask_descriptors(known, m).T for m in (mask, mask[::-1]))
    # starts that turn the card upside down see the mask turned, too
    turned = np.array(start_numbers) >= len(JITTER)
    return np.asarray(np.where(turned[:, None], upside, upright), dtype=np.float32)


@lru_cache(maxsize=16)
def _source_coordinates(height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the x and y in a softened patch from which each pixel of a thumbnail comes: starts x
    pixels."""
    step = WIDTH / ACROSS
    rows = round(height / step)
    grow = np.array([[step, 0, (step - 1) / 2], [0, height / rows, (height / rows - 1) / 2], [0, 0, 1.0]])
    halve = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1.0]])
    all_of_them = halve @ np.stack(start_transforms(height)) @ grow @ homogeneous_coordinates(rows, ACROSS)
    x, y, far = all_of_them.astype(np.float32).transpose(1, 0, 2)
    return x / far, y / far


def descriptor_mask(visible: NDArray[np.float32], height: int) -> NDArray[np.float32]:
    """Return the visibility of each number of a descriptor; `visible` has the size of the patch
    with its margin."""
    bare = np.ascontiguousarray(visible[MARGIN:-MARGIN, MARGIN:-MARGIN])
    thumb = cv2.resize(bare, (ACROSS, round(height * ACROSS / WIDTH)), interpolation=cv2.INTER_AREA)
    # as in `thumbs_to_descriptors`: without the rim, three channels for each pixel
    return np.repeat(thumb[1:-1, 1:-1].reshape(-1), 3).astype(np.float32)


def mask_descriptors(descriptors: NDArray[np.float32], mask: NDArray[np.float32]) -> NDArray[np.float32]:
    """Reduce descriptors, one a row, to what is visible, and scale them to length 1 again."""
    part = descriptors * mask
    return np.asarray(part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-6), dtype=np.float32)


def rotate_descriptors(known: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the descriptors, one a row, of the same cards upside down."""
    return np.ascontiguousarray(known.reshape(len(known), -1, 3)[:, ::-1]).reshape(known.shape)


def thumbs_to_descriptors(thumbs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Compute unit vectors for N thumbnails (N x rows x columns x 3), one a row: their opponent
    colours without shading and tint."""
    b, g, r = np.ascontiguousarray(np.moveaxis(thumbs, 3, 0))
    luma, red, blue = (b + g + r) / 3, r - g, b - (r + g) / 2
    down, across = (make_blur_matrix(n, SHADE) for n in luma.shape[1:])
    luma -= down @ (luma @ across.T)
    for colour in (red, blue):
        colour -= colour.mean(axis=(1, 2), keepdims=True)
    # without the rim, where the table shows if the outline is a little off
    inside = [channel[:, 1:-1, 1:-1].reshape(len(thumbs), -1, 1) for channel in (luma, red, blue)]
    flat = np.concatenate(inside, axis=2).reshape(len(thumbs), -1)
    length = np.sqrt(np.einsum("tn,tn->t", flat, flat))
    flat /= np.maximum(length, 1e-6)[:, None]
    return flat
