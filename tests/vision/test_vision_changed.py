"""A photograph that is changed still shows each card where its label says."""

import cv2
import numpy as np
import pytest

from tests.simulated.changes import CHANGES, changed
from vision.decks.labels import Label, LabelledPhoto


@pytest.mark.parametrize("name", CHANGES)
def test_a_label_moves_along_with_its_card(tmp_path, name):
    """One red spot on grey: what is reddest after the change lies where the label is then."""
    picture = np.full((300, 400, 3), 120, np.uint8)
    cv2.circle(picture, (310, 90), 9, (20, 20, 230), -1)
    cv2.imwrite(str(tmp_path / "spot.png"), picture)
    card = Label("red", 310, 90, None)

    shown, labelled = changed(LabelledPhoto(tmp_path / "spot.png", "spot", "spots", "test", (card,)), name)

    red = shown[:, :, 2].astype(float) - shown[:, :, 1]
    there = np.argwhere(red > red.max() / 2).mean(axis=0)[::-1]
    assert there == pytest.approx((labelled.cards[0].x, labelled.cards[0].y), abs=1.5)
    assert name == "none" or shown.shape != picture.shape or (shown != picture).any()
