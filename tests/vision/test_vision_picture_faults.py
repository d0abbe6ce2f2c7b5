"""What is wrong with the whole picture: told as such, and no evidence about the cards in it."""

import cv2
import numpy as np
import pytest

from vision.picture_faults import find_picture_fault
from vision.reader import Reader

CARDS = (("bench:red:6", 250, 250, 10), ("bench:blue:9", 600, 300, -30), ("bench:violet:2", 950, 300, 80))


def remove_colour(picture):
    return cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)


def add_noise(picture):
    noise = np.random.default_rng(1).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda picture: picture, None),
        (remove_colour, "colourless"),
        (lambda picture: add_noise(remove_colour(picture)), "colourless"),
        (lambda picture: np.clip(picture * 3.0, 0, 255).astype(np.uint8), "burnt_out"),
        (lambda picture: cv2.GaussianBlur(picture, (0, 0), 5), "blurred"),
        (np.zeros_like, None),
    ],
)
def test_a_picture_shows_its_fault_without_a_deck(lay, change, fault):
    assert find_picture_fault(change(lay(*CARDS).picture)) == fault


def test_a_picture_out_of_focus_has_edges(bare):
    """A plain table has none, in focus or not."""
    plain = np.full_like(bare, (60, 90, 140))
    assert find_picture_fault(add_noise(plain)) is None


@pytest.mark.parametrize("channel", [None, 2])
def test_where_there_is_no_colour_black_is_no_better_explanation(lay, library, channel):
    """Loads in colour were surely those in black; an infrared camera shows red as paper."""
    picture = lay(*CARDS).picture
    grey = remove_colour(picture) if channel is None else cv2.merge([picture[:, :, channel]] * 3)
    readings = Reader(library).read(grey)
    sure = {one.card for one in readings if one.sure}
    assert sure <= {card for card, *_ in CARDS}
    if channel is None:
        assert len(sure) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda picture: np.ascontiguousarray(picture[:, ::-1]), "mirrored"),
        (lambda picture: np.ascontiguousarray(picture[:, :, ::-1]), "exchanged"),
    ],
)
def test_cards_that_are_of_the_deck_only_in_a_distorted_picture_tell_the_distortion(
    table, lay, change, fault
):
    picture = lay(*CARDS).picture
    for distorted in (True, False):
        for _ in range(60):
            table.show(change(picture) if distorted else picture, 0.1, fps=10)
            while table.watcher.run_step() or table.watcher.has_pending_work:
                pass
            if table.watcher.picture_fault == (fault if distorted else None):
                break
        else:
            pytest.fail("the picture's fault was not told, or was told when it was gone")
