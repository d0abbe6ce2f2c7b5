"""Cards that differ by little: two that show the same sword and another pip, borders cut wide,
hands' shadows."""

import cv2
import numpy as np
import pytest

from vision.fitting.compare import compute_likeness
from vision.geometry import make_rectangle
from vision.library import Library
from vision.naming import candidates
from vision.naming.identify import identify_card

WIDE, HIGH = 240, 336


def sword(pip: str) -> np.ndarray:
    """A card with a sword across the middle, which has two ends, and a pip in two corners."""
    card = np.full((HIGH, WIDE, 3), 240, dtype=np.uint8)
    cv2.rectangle(card, (0, 0), (WIDE - 1, HIGH - 1), (60, 170, 70), 10)
    blade = np.array([[150, 100], [168, 112], [110, 226], [92, 214]], dtype=np.int32)
    cv2.fillConvexPoly(card, blade, (30, 30, 30), cv2.LINE_AA)
    cv2.line(card, (84, 190), (124, 216), (30, 30, 30), 10, cv2.LINE_AA)
    corner = np.full((44, 36, 3), 240, dtype=np.uint8)
    if pip == "club":
        for x, y in ((18, 12), (9, 24), (27, 24)):
            cv2.circle(corner, (x, y), 8, (30, 30, 30), -1, cv2.LINE_AA)
    else:
        cv2.fillConvexPoly(
            corner, np.array([[18, 3], [33, 27], [3, 27]], dtype=np.int32), (30, 30, 30), cv2.LINE_AA
        )
    cv2.line(corner, (18, 20), (18, 40), (30, 30, 30), 4, cv2.LINE_AA)
    card[22:66, 20:56] = corner
    card[HIGH - 66 : HIGH - 22, WIDE - 56 : WIDE - 20] = corner[::-1, ::-1]
    return card


@pytest.fixture
def swords() -> Library:
    """The two, the club's view out of focus."""
    return Library.from_drawings(
        {"jack:club": cv2.GaussianBlur(sword("club"), (0, 0), 2.5), "jack:spade": sword("spade")}
    )


def on_table(card: np.ndarray, margin: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a card on a grey table, and where its corners are."""
    picture = cv2.copyMakeBorder(
        card, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=(120, 125, 130)
    )
    return cv2.GaussianBlur(picture, (0, 0), 1.0), make_rectangle(WIDE, HIGH) + margin


@pytest.mark.parametrize("pip", ["club", "spade"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_sword_is_told_by_its_pip_either_way_up(swords, pip, turned):
    card = sword(pip)[::-1, ::-1] if turned else sword(pip)
    verdict = identify_card(*on_table(np.ascontiguousarray(card)), swords)
    assert verdict.card == f"jack:{pip}"
    assert verdict.lead > 0.5


@pytest.mark.parametrize("pip", ["club", "spade"])
def test_a_strip_of_the_table_inside_the_outline_speaks_for_no_card(swords, pip):
    picture, quad = on_table(sword(pip))
    wide = quad + np.array([[-14, 0], [0, 0], [0, 0], [-14, 0]], dtype=np.float32)
    verdict = identify_card(picture, wide.astype(np.float32), swords)
    assert verdict.card == f"jack:{pip}"
    assert verdict.lead > 0.5


@pytest.mark.parametrize("pip", ["club", "spade"])
@pytest.mark.parametrize("deep", [0.3, 0.5])
def test_the_shadow_of_an_arm_is_explained_and_the_pip_still_counts(swords, pip, deep):
    picture, quad = on_table(sword(pip))
    arm = np.array([[0, 150], [320, 60], [320, 260], [0, 330]], dtype=np.int32)
    shade = cv2.GaussianBlur(
        cv2.fillConvexPoly(np.zeros(picture.shape[:2], np.float32), arm, deep), (0, 0), 2.0
    )
    verdict = identify_card((picture * (1 - shade[:, :, None])).astype(np.uint8), quad, swords)
    assert verdict.card == f"jack:{pip}"
    assert verdict.likeness > 0.9


def test_a_design_that_the_coarse_look_leaves_out_still_competes_with_its_twin(swords, monkeypatch):
    monkeypatch.setattr(candidates, "CANDIDATES", 1)
    verdict = identify_card(*on_table(sword("spade")), swords)
    assert (verdict.card, verdict.rival) == ("jack:spade", "jack:club")


def test_where_there_is_nothing_to_see_no_design_explains_it():
    nothing = np.full((224, 160), 0.01, dtype=np.float32)
    assert compute_likeness(nothing, np.zeros_like(nothing), np.ones_like(nothing)) == 0
    signs = nothing.copy()
    signs[60:160, 40:120] = 4
    assert compute_likeness(signs, np.zeros_like(nothing), np.ones_like(nothing)) == 1
