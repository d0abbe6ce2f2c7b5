"""Cards that a cable lies across: found by the pieces of their border, named by what shows."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.simulated.scenes import Scene
from tests.simulated.shots import Shot, under_cables
from vision import missed_cards, print_check
from vision.fitting.crossing_objects import find_crossing_object
from vision.fitting.patch import MARGIN, WIDTH
from vision.geometry import contains_point
from vision.library import Library
from vision.outlines.detect import Outline
from vision.outlines.working_picture import WorkingPicture
from vision.print_check import SAME_CLEAR_PART, SAME_VAGUE_PART
from vision.reader import Reader
from vision.steps import finish_at_once, run_to_end

HEIGHT = 224


def a_card_on_cloth() -> np.ndarray:
    """A white card with a dark sign near its middle, as a patch with its margin."""
    patch = np.full((HEIGHT + 2 * MARGIN, WIDTH + 2 * MARGIN, 3), (60, 90, 70), np.uint8)
    patch[MARGIN:-MARGIN, MARGIN:-MARGIN] = (225, 230, 232)
    cv2.circle(patch, (MARGIN + 80, MARGIN + 80), 28, (30, 30, 30), -1, cv2.LINE_AA)
    return patch


def test_what_runs_on_beside_the_card_lies_across_it_and_print_does_not() -> None:
    patch = a_card_on_cloth()
    assert find_crossing_object(patch) is None
    cv2.line(patch, (0, MARGIN + 60), (WIDTH + 2 * MARGIN, MARGIN + 100), (20, 20, 150), 9, cv2.LINE_AA)
    lying = find_crossing_object(patch)
    assert lying is not None
    assert lying[MARGIN + 62, MARGIN + 20]
    assert not lying[MARGIN + 180, MARGIN + 80]


def test_print_that_a_cable_of_its_colour_touches_is_not_taken_for_cable() -> None:
    patch = a_card_on_cloth()
    cv2.line(patch, (0, MARGIN + 60), (WIDTH + 2 * MARGIN, MARGIN + 60), (30, 30, 30), 7, cv2.LINE_AA)
    lying = find_crossing_object(patch)
    assert lying is not None
    assert lying[MARGIN + 60, MARGIN + 20]
    assert not lying[MARGIN + 90, MARGIN + 80]


def shaded(patch: np.ndarray) -> np.ndarray:
    """The card in the light of a window on its left: its paper loses a third across it."""
    light = np.linspace(1.0, 0.67, patch.shape[1])[None, :, None]
    return (patch * light).astype(np.uint8)


def outlined_too_wide(patch: np.ndarray) -> np.ndarray:
    """The card in an outline that shows a strip of the cloth along its left and its right side."""
    patch[:, : MARGIN + 6] = patch[:, -MARGIN - 6 :] = patch[0, 0]
    return patch


@pytest.mark.parametrize("seen", [shaded, outlined_too_wide])
def test_what_a_shaded_card_or_one_outlined_too_wide_has_along_its_border_lies_not_across_it(
    seen: Callable[[np.ndarray], np.ndarray],
) -> None:
    assert find_crossing_object(seen(a_card_on_cloth())) is None
    patch = seen(a_card_on_cloth())
    cv2.line(patch, (0, MARGIN + 60), (WIDTH + 2 * MARGIN, MARGIN + 100), (20, 20, 150), 9, cv2.LINE_AA)
    lying = find_crossing_object(patch)
    assert lying is not None
    assert lying[MARGIN + 62, MARGIN + 20]
    assert lying[MARGIN + 98, MARGIN + WIDTH - 20]


def test_a_burnt_edge_is_no_strip_that_lies_across() -> None:
    """A lamp's reflection is told for itself, and is wider within the card than at its border."""
    patch = (a_card_on_cloth() * 0.7).astype(np.uint8)
    cv2.ellipse(patch, (MARGIN, MARGIN + 110), (40, 20), 0, 0, 360, (255, 255, 255), -1)
    assert find_crossing_object(patch) is None


@pytest.mark.slow
def test_cards_under_a_cable_are_named(
    library: Library, lay: Callable[..., Scene], deck: dict[str, np.ndarray]
) -> None:
    cards = {card: (250 + 350 * i, 350) for i, card in enumerate(list(deck)[:3])}
    scene = lay(*((card, x, y, 0) for card, (x, y) in cards.items()), width=140)
    clear = Shot(scene.picture, tuple(np.asarray(quad, np.float32) for quad in scene.quads))
    sure = [r for r in Reader(library).read(under_cables(12, clear).picture) if r.sure]
    named = {card: {r.card for r in sure if contains_point(r.quad, at)} for card, at in cards.items()}
    assert named == {card: {card} for card in cards}


@pytest.mark.parametrize(
    ("same", "named"), [(SAME_CLEAR_PART - 0.1, 0), (SAME_VAGUE_PART + 0.1, 1)], ids=["doubtful", "certain"]
)
def test_what_shows_beside_a_cable_or_a_lamp_must_be_the_print_of_its_design_for_certain(
    library: Library,
    lay: Callable[..., Scene],
    deck: dict[str, np.ndarray],
    monkeypatch: pytest.MonkeyPatch,
    same: float,
    named: int,
) -> None:
    """An empty sign under a lamp's reflection passed for the striped one, with odds that are enough
    for a whole card."""
    scene = lay((next(iter(deck)), 400, 350, 0))
    reader = Reader(library)
    (lying,) = reader.read_outline(scene.picture, Outline(scene.quads[0], 1.0))
    unsure = replace(lying, card=None, sure=False, evidence=None)
    monkeypatch.setattr(print_check, "score_pair_in_steps", lambda *_: finish_at_once(same))
    monkeypatch.setattr(print_check, "NEAR", 2.0)
    assert (
        len(
            run_to_end(
                missed_cards.find_occluded_cards_in_steps(
                    WorkingPicture(scene.picture),
                    [unsure],
                    reader.card_aspect,
                    lambda image, quad: finish_at_once(lying),
                )
            )
        )
        == named
    )


def test_where_all_cards_are_sure_no_border_is_joined(
    library: Library,
    lay: Callable[..., Scene],
    deck: dict[str, np.ndarray],
    bare: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cloth = np.full_like(bare, (90, 110, 60))
    scene = lay(*((card, 250 + 350 * i, 350, 0) for i, card in enumerate(list(deck)[:3])), table=cloth)
    monkeypatch.setattr(
        missed_cards, "find_joined_outlines_in_steps", lambda *_: pytest.fail("all cards were sure")
    )
    assert sum(r.sure for r in Reader(library).read(scene.picture)) == 3
