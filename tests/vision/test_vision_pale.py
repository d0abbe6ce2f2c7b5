"""Cards on a cloth as pale as they are: found by faint edges, named by their print."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.simulated import packs, scenes
from tests.simulated.scenes import Scene, on_white_cloth, without_frame
from tests.vision.conftest import Table
from vision import missed_cards
from vision.library import Library
from vision.naming import pack52
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader


@pytest.fixture(scope="module")
def frameless(deck: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {card: without_frame(drawing) for card, drawing in deck.items()}


@pytest.mark.slow
@pytest.mark.parametrize("below", [8, 5])
def test_white_cards_on_a_white_cloth_are_named(below: float, frameless: dict[str, np.ndarray]) -> None:
    cards = list(frameless)[:4]
    picture = on_white_cloth(below, [frameless[card] for card in cards])
    found = Reader(Library.from_drawings(frameless)).read(picture)
    assert [r.card for r in found if r.sure] == cards


@pytest.mark.slow
@pytest.mark.packs
def test_cards_of_a_pack_that_nobody_enrolled_are_named_there_too() -> None:
    (sheet,) = packs.packs("anglo_poker")
    faces = packs.drawings(sheet)
    cards = ["ace-spade", "5-club", "10-diamond", "queen-heart"]
    reader = Reader(Library(pack=dict.fromkeys(pack52.NAMES, 1)))
    found = reader.read(on_white_cloth(4, [without_frame(faces[card]) for card in cards]))
    assert [r.card for r in found if r.sure] == ["AS", "5C", "10D", "QH"]


@pytest.mark.slow
def test_a_video_names_them_as_a_photo_does(
    frameless: dict[str, np.ndarray], table_with: Callable[..., Table]
) -> None:
    """A video had no second look at what the first one had not outlined."""
    cards = list(frameless)[:4]
    library = Library.from_drawings(frameless)
    picture = on_white_cloth(5, [frameless[card] for card in cards])
    assert table_with(library).show(picture, 2.0) == sorted(cards)


def test_strangers_and_backs_on_a_white_cloth_are_not_named(frameless: dict[str, np.ndarray]) -> None:
    strangers = [without_frame(scenes.stranger(i)) for i in range(3)]
    picture = on_white_cloth(8, [*strangers, scenes.back()])
    assert not any(r.sure for r in Reader(Library.from_drawings(frameless)).read(picture))


def test_on_a_cloth_of_another_colour_no_faint_edges_are_sought(
    library: Library,
    lay: Callable[..., Scene],
    deck: dict[str, np.ndarray],
    bare: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = lay(*((card, 250 + 350 * i, 350, 0) for i, card in enumerate(list(deck)[:3])), table=bare)
    monkeypatch.setattr(
        missed_cards, "find_faint_quads_in_steps", lambda *_: pytest.fail("no card could hide on wood")
    )
    assert sum(r.sure for r in Reader(library).read(scene.picture)) == 3


def test_faint_steps_are_made_clear_and_slopes_of_light_are_not() -> None:
    slope = np.linspace(120, 200, 640, dtype=np.float32)
    picture = np.repeat(np.tile(slope, (480, 1))[:, :, None], 3, axis=2)
    picture[150:330, 260:390] += 4
    clear = missed_cards.amplify_contrast(np.round(picture).astype(np.uint8)).astype(int)
    inside, beside = clear[240, 265:385, 0], clear[60, 265:385, 0]
    assert inside.mean() - beside.mean() > 10
    assert abs(beside.mean() - 128) < 10
    assert np.ptp(beside) < 40


def test_a_table_hides_cards_only_if_it_is_as_pale_as_they_are() -> None:
    picture = np.full((480, 640, 3), 225, np.uint8)
    card = np.array([[100, 100], [200, 100], [200, 250], [100, 250]], np.float32)
    cv2.fillConvexPoly(picture, card.astype(np.int32), (235, 235, 235))
    assert missed_cards.may_hide_cards(WorkingPicture(picture), [card], [card])
    assert missed_cards.may_hide_cards(WorkingPicture(picture), [], [])
    dark = np.full_like(picture, 80)
    cv2.fillConvexPoly(dark, card.astype(np.int32), (235, 235, 235))
    assert not missed_cards.may_hide_cards(WorkingPicture(dark), [card], [card])
    # on dark checks a card's border shows, unless they are far apart
    for side, may_hide in ((20, False), (50, True)):
        checks = picture.copy()
        checks[(np.indices(checks.shape[:2]) // side).sum(axis=0) % 2 > 0] = 80
        cv2.fillConvexPoly(checks, card.astype(np.int32), (235, 235, 235))
        assert missed_cards.may_hide_cards(WorkingPicture(checks), [card], [card]) == may_hide
    # a known card beside the part of a frame that is looked at shows no border there
    outside = card + np.float32(1000)
    assert not missed_cards.may_hide_cards(WorkingPicture(dark), [card, outside], [card, outside])
    assert missed_cards.may_hide_cards(WorkingPicture(dark), [outside], [outside])
