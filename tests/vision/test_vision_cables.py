"""Cards that a cable lies across: found by the pieces of their border, named by what shows."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from bench.vision_outlines import under_cables
from bench.vision_scene import Scene
from bench.vision_shot import Shot
from vision import crossed
from vision.fitting.across import across
from vision.fitting.patch import MARGIN, WIDTH
from vision.geometry import contains
from vision.library import Library
from vision.reader import Reader

HEIGHT = 224


def a_card_on_cloth() -> np.ndarray:
    """A white card with a dark sign near its middle, as a patch with its margin."""
    patch = np.full((HEIGHT + 2 * MARGIN, WIDTH + 2 * MARGIN, 3), (60, 90, 70), np.uint8)
    patch[MARGIN:-MARGIN, MARGIN:-MARGIN] = (225, 230, 232)
    cv2.circle(patch, (MARGIN + 80, MARGIN + 80), 28, (30, 30, 30), -1, cv2.LINE_AA)
    return patch


def test_what_runs_on_beside_the_card_lies_across_it_and_print_does_not() -> None:
    patch = a_card_on_cloth()
    assert across(patch) is None
    cv2.line(patch, (0, MARGIN + 60), (WIDTH + 2 * MARGIN, MARGIN + 100), (20, 20, 150), 9, cv2.LINE_AA)
    lying = across(patch)
    assert lying is not None
    assert lying[MARGIN + 62, MARGIN + 20]
    assert not lying[MARGIN + 180, MARGIN + 80]


def test_print_that_a_cable_of_its_colour_touches_is_not_taken_for_cable() -> None:
    patch = a_card_on_cloth()
    cv2.line(patch, (0, MARGIN + 60), (WIDTH + 2 * MARGIN, MARGIN + 60), (30, 30, 30), 7, cv2.LINE_AA)
    lying = across(patch)
    assert lying is not None
    assert lying[MARGIN + 60, MARGIN + 20]
    assert not lying[MARGIN + 90, MARGIN + 80]


def test_cards_under_a_cable_are_named(
    library: Library, lay: Callable[..., Scene], deck: dict[str, np.ndarray]
) -> None:
    cards = {card: (250 + 350 * i, 350) for i, card in enumerate(list(deck)[:3])}
    scene = lay(*((card, x, y, 0) for card, (x, y) in cards.items()), width=170)
    clear = Shot(scene.picture, tuple(np.asarray(quad, np.float32) for quad in scene.quads))
    sure = [r for r in Reader(library).read(under_cables(8, clear).picture) if r.sure]
    named = {card: {r.card for r in sure if contains(r.quad, at)} for card, at in cards.items()}
    assert all(names <= {card} for card, names in named.items())
    assert sum(names == {card} for card, names in named.items()) >= 2


def test_where_all_cards_are_sure_no_border_is_joined(
    library: Library,
    lay: Callable[..., Scene],
    deck: dict[str, np.ndarray],
    bare: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cloth = np.full_like(bare, (90, 110, 60))
    scene = lay(*((card, 250 + 350 * i, 350, 0) for i, card in enumerate(list(deck)[:3])), table=cloth)
    monkeypatch.setattr(crossed.joined, "outlines", lambda *_: pytest.fail("all cards were sure"))
    assert sum(r.sure for r in Reader(library).read(scene.picture)) == 3
