"""Comparing frames: what a comparison must leave alone."""

import numpy as np
import pytest

from vision.film.motion import Motion


@pytest.mark.parametrize("size", [(1080, 1920), (540, 960), (720, 1280), (480, 640)])
def test_following_a_shift_leaves_the_pictures_as_they_were(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    scene = np.kron(rng.integers(0, 255, (size[0] // 20, size[1] // 20, 3)), np.ones((20, 20, 1))).astype(
        np.uint8
    )
    motion = Motion()
    motion.observe(scene)
    change = motion.observe(np.roll(scene, 12, axis=1))
    seen = motion.observe(np.roll(scene, 12, axis=1)).thumb
    assert np.abs(change.thumb - seen).max() < 1
    assert abs(float(change.thumb.mean()) - float(scene.mean())) < 20
