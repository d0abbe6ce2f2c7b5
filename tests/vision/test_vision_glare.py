"""Cards in which a lamp is mirrored: found by the sides that it leaves, named by what shows."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.simulated.scenes import Scene
from tests.simulated.shots import Shot, under_glare
from vision.fitting.crossing_objects import cut_without_crossing
from vision.fitting.patch import WIDTH
from vision.geometry import contains_point, make_rectangle
from vision.library import Library
from vision.outlines.borders import find_joined_outlines_in_steps
from vision.outlines.detect import intersection_over_union
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.steps import run_to_end

TALL = 1.4
HEIGHT = 224
CARD = np.array([[200, 150], [300, 150], [300, 290], [200, 290]], np.float32)


def a_table(*cards: np.ndarray) -> np.ndarray:
    """White cards on a green cloth."""
    picture = np.full((480, 640, 3), (60, 90, 70), np.uint8)
    for card in cards:
        cv2.fillConvexPoly(picture, card.astype(np.int32), (215, 220, 222), cv2.LINE_AA)
    return picture


def mirrored(picture: np.ndarray, at: tuple[int, int], wide: int) -> np.ndarray:
    """The picture with a lamp mirrored in it, saturated over so many pixels each way."""
    light = np.zeros(picture.shape[:2], np.float32)
    cv2.ellipse(light, at, (wide, wide // 2), 0, 0, 360, 1.0, -1)
    lit = picture + 330 * cv2.GaussianBlur(light, (0, 0), 5)[:, :, None]
    return np.clip(lit, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("at", "wide"),
    [((250, 150), 56), ((250, 290), 56), ((200, 220), 60), ((300, 290), 50)],
    ids=["the whole top", "the whole bottom", "most of the left", "a corner"],
)
def test_a_side_that_a_lamp_hides_is_placed_by_the_others(at: tuple[int, int], wide: int) -> None:
    found = run_to_end(
        find_joined_outlines_in_steps(WorkingPicture(mirrored(a_table(CARD), at, wide)), (), TALL)
    )
    assert max(intersection_over_union(one.quad, CARD) for one in found) > 0.9


def test_three_sides_without_a_lamp_make_no_card() -> None:
    picture = a_table(CARD)
    picture[110:190, 150:350] = (60, 90, 70)
    cv2.rectangle(picture, (190, 110), (310, 190), (215, 220, 222), -1)
    assert all(
        intersection_over_union(one.quad, CARD) < 0.9
        for one in run_to_end(find_joined_outlines_in_steps(WorkingPicture(picture), (), TALL))
    )


def test_a_known_card_tells_how_long_a_side_is_where_the_table_is_seen_from_a_slant() -> None:
    hidden = CARD * np.array([1, 0.8], np.float32)
    known = hidden + np.array([200, 0], np.float32)
    picture = mirrored(a_table(known, hidden), (250, 120), 56)
    assert (
        max(
            intersection_over_union(one.quad, hidden)
            for one in run_to_end(find_joined_outlines_in_steps(WorkingPicture(picture), [known], TALL))
        )
        > 0.9
    )


def test_what_a_lamp_burns_out_hides_the_print_and_a_speck_of_gloss_does_not() -> None:
    card = np.full((HEIGHT, WIDTH, 3), (190, 200, 205), np.uint8)
    whole = make_rectangle(WIDTH, HEIGHT)
    speck = card.copy()
    speck[100:103, 60:63] = 255
    assert cut_without_crossing(speck, whole, HEIGHT) is None
    lit = card.copy()
    cv2.circle(lit, (60, 90), 25, (255, 255, 255), -1)
    patch = cut_without_crossing(lit, whole, HEIGHT)
    assert patch is not None
    assert patch.burnt is not None
    assert patch.burnt[90, 60]
    assert not patch.burnt[180, 120]
    assert patch.pixels.max() < 0.9
    assert cut_without_crossing(np.full_like(card, 255), whole, HEIGHT) is None


@pytest.mark.slow
def test_cards_under_a_lamp_are_named(
    library: Library, lay: Callable[..., Scene], deck: dict[str, np.ndarray]
) -> None:
    cards = {card: (250 + 350 * i, 350) for i, card in enumerate(list(deck)[:3])}
    scene = lay(*((card, x, y, 0) for card, (x, y) in cards.items()), width=170)
    clear = Shot(scene.picture, tuple(np.asarray(quad, np.float32) for quad in scene.quads))
    sure = [r for r in Reader(library).read(under_glare(0.6, clear).picture) if r.sure]
    named = {card: {r.card for r in sure if contains_point(r.quad, at)} for card, at in cards.items()}
    assert all(names <= {card} for card, names in named.items())
    assert sum(names == {card} for card, names in named.items()) >= 2
