"""Comparing frames: what a comparison must leave alone."""

import math

import cv2
import numpy as np
import pytest

from vision.geometry import make_rectangle
from vision.video.motion import BLOCK, MotionDetector
from vision.video.region_schedule import quad_touches_grid


@pytest.mark.parametrize("size", [(1080, 1920), (540, 960), (720, 1280), (480, 640)])
def test_following_a_shift_leaves_the_pictures_as_they_were(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    scene = np.kron(rng.integers(0, 255, (size[0] // 20, size[1] // 20, 3)), np.ones((20, 20, 1))).astype(
        np.uint8
    )
    motion = MotionDetector()
    motion.detect_change(scene)
    change = motion.detect_change(np.roll(scene, 12, axis=1))
    seen = motion.detect_change(np.roll(scene, 12, axis=1)).thumb
    assert np.abs(change.thumb - seen).max() < 1
    assert abs(float(change.thumb.mean()) - float(scene.mean())) < 20


@pytest.mark.slow
@pytest.mark.parametrize(
    "light",
    [
        lambda wave: (1 - 0.25 * wave, 1.0, 1 + 0.25 * wave),
        lambda wave: (1 + 0.2 * wave, 1 + 0.2 * wave, 1 + 0.2 * wave),
    ],
    ids=["white balance", "exposure"],
)
def test_light_that_wanders_moves_nothing(light):
    """Cheap webcams never rest; a watcher that does not either costs eight times as much. White
    cards on a mat of all colours: what burns out comes back as it was."""
    rng = np.random.default_rng(5)
    mat = rng.integers(20, 236, (9, 15, 3)).astype(np.uint8)
    scene = cv2.resize(mat, (600, 340), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    for x in range(60, 560, 100):
        cv2.rectangle(scene, (x, 120), (x + 60, 200), (245, 245, 245), -1)
    motion = MotionDetector()
    for number in range(90):
        grain = rng.standard_normal(scene.shape, np.float32) * 2
        lit = scene * np.array(light(math.sin(number / 7)), np.float32)
        change = motion.detect_change(np.clip(lit + grain, 0, 255).astype(np.uint8))
        assert number == 0 or change.busy_blocks.sum() <= 3
    assert not change.upheaval


def test_a_card_laid_while_the_light_wanders_is_new():
    rng = np.random.default_rng(5)
    mat = rng.integers(20, 236, (9, 15, 3)).astype(np.uint8)
    scene = cv2.resize(mat, (600, 340), interpolation=cv2.INTER_CUBIC).astype(np.float32)
    motion = MotionDetector()
    motion.detect_change(scene.astype(np.uint8))
    cv2.rectangle(scene, (200, 120), (260, 200), (90, 60, 200), -1)
    change = motion.detect_change(np.clip(scene * (0.8, 1, 1.2), 0, 255).astype(np.uint8))
    rows, columns = np.nonzero(change.changed)
    assert len(rows) >= 50
    assert (columns.min(), columns.max()) == (25, 32)
    assert (rows.min(), rows.max()) == (15, 24)


@pytest.mark.parametrize(
    ("left", "top", "there"),
    [(-40, 8, False), (8, -40, False), (-4, 8, True), (8, 8, True), (72, 8, False), (8, 72, False)],
)
def test_a_card_beside_the_picture_reaches_no_block_of_it(left: int, top: int, there: bool) -> None:
    everywhere = np.ones((8, 8), dtype=np.bool_)
    card = make_rectangle(BLOCK, BLOCK) + np.array([left, top], dtype=np.float32)
    assert quad_touches_grid(card, everywhere, 1) is there
