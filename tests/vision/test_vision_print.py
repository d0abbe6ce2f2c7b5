"""Other prints, other cameras, and cards that nobody enrolled: what the ink of a picture tells, and what it must not."""

import cv2
import numpy as np
import pytest

from vision import response
from vision.library import Library
from vision.reader import Reader

INK = {"red": (40, 40, 200), "violet": (150, 40, 110)}


def drawn(ink, fill, strength=1.0, shape="box"):
    """A card of one sign, its inside empty, hatched or full; `strength`: how much of the ink the print run took."""
    card = np.full((420, 300, 3), 245, np.uint8)
    colour = tuple(round(245 + (c - 245) * strength) for c in ink)
    sign = (
        np.array([[70, 120], [230, 120], [230, 300], [70, 300]])
        if shape == "box"
        else np.array([[150, 100], [240, 210], [150, 320], [60, 210]])
    )
    if fill == "full":
        cv2.fillConvexPoly(card, sign, colour, cv2.LINE_AA)
    if fill == "hatched":
        inside = np.zeros(card.shape[:2], np.uint8)
        cv2.fillConvexPoly(inside, sign, 1)
        inside[:, np.arange(300) % 8 > 1] = 0
        card[inside > 0] = colour
    cv2.polylines(card, [sign], True, colour, 5, cv2.LINE_AA)
    return card


def deck(strength=1.0):
    return {
        f"{name}:{fill}:{shape}": drawn(ink, fill, strength, shape)
        for name, ink in INK.items()
        for fill in ("empty", "hatched", "full")
        for shape in ("box", "diamond")
    }


def sure(library, scene):
    return sorted(r.card for r in Reader(library).read(scene.picture) if r.sure)


@pytest.mark.parametrize("strength", [0.75, 1.0])
def test_hatching_and_outline_are_told_apart_in_another_print(lay, strength):
    """Less ink makes every line paler; it makes no hatching of a blank, and no blank of hatching."""
    cards = deck(strength)
    chosen = ["red:empty:box", "red:hatched:box", "violet:empty:diamond", "violet:hatched:diamond"]
    scene = lay(*((cards[card], 200 + 220 * i, 330, 10 * i) for i, card in enumerate(chosen)))
    named = sure(Library.from_drawings(deck()), scene)
    assert set(named) <= set(chosen)
    assert len(named) >= 3


def test_a_full_sign_that_nobody_enrolled_is_not_the_other_full_sign(lay):
    """The winner leads all others, but the card shows ink where the winner has none."""
    known = {card: picture for card, picture in deck().items() if card != "red:full:box"}
    scene = lay((deck()["red:full:box"], 400, 330, 0), (known["violet:full:box"], 700, 330, 5))
    assert sure(Library.from_drawings(known), scene) == ["violet:full:box"]


def test_the_ink_of_a_picture_is_told_by_its_cards():
    rng = np.random.default_rng(1)
    true = np.array([[0.2, 0.0, 0.05], [0.0, 0.1, 0.0], [-0.05, 0.0, 0.3]])
    says = []
    for _ in range(5):
        lit = np.full((2000, 3), 0.85, np.float32)
        lit[:300] -= rng.uniform(0.1, 0.7, (300, 3)).astype(np.float32)
        seen = lit + (lit - np.float32(0.85)) @ true.T.astype(np.float32)
        seen += rng.normal(0, 0.01, seen.shape).astype(np.float32)
        says.append(response.told(seen, lit, np.ones(2000, np.float32)))
    assert response.of_picture(says) == pytest.approx(true, abs=0.1)
    assert response.of_picture(says[:2]) is None
