"""Outlines of cards where they are hard to find."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.simulated.scenes import Scene
from tests.simulated.shots import Shot, slanted, under_cables
from vision.geometry import Quad, aspect_ratio, make_rectangle
from vision.library import Library
from vision.outlines import detect, lines, quads
from vision.outlines.borders import find_joined_outlines_in_steps
from vision.outlines.detect import Outline, find_outlines, intersection_over_union
from vision.outlines.shape import may_be_card
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.steps import run_to_end
from vision.video.presence import Presence
from vision.video.watcher import Watcher


def laid_out(*turns: int) -> Shot:
    """White cards, 100 x 150 pixels and turned by so many degrees, side by side on a dark cloth."""
    noise = np.random.default_rng(1).normal(0, 2, (500, 220 * len(turns), 3))
    picture = np.asarray(60 + noise, dtype=np.uint8)
    corners = [cv2.boxPoints(((110 + 220 * i, 250), (100, 150), turn)) for i, turn in enumerate(turns)]
    for quad in corners:
        cv2.fillConvexPoly(picture, np.round(quad).astype(np.int32), (225, 230, 232), cv2.LINE_AA)
    return Shot(picture, tuple(np.asarray(quad, np.float32) for quad in corners))


@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0])
def test_cards_are_found_from_the_side_however_they_are_turned(ratio: float) -> None:
    shot = slanted(ratio, laid_out(0, 90, 30))
    found = [one.quad for one in find_outlines(shot.picture)]
    assert all(any(intersection_over_union(quad, card) > 0.9 for quad in found) for card in shot.quads)


@pytest.mark.slow
def test_a_card_that_stands_upright_is_named_though_from_the_side_it_looks_lower_than_wide(
    library: Library, lay: Callable[..., Scene], deck: dict[str, np.ndarray]
) -> None:
    """In a photo, and in a film, where a card is read so once it was read in vain."""
    first, second, third = list(deck)[:3]
    scene = lay((first, 250, 350, 0), (second, 600, 350, 180), (third, 950, 350, 90), width=170)
    quads = tuple(np.asarray(quad, np.float32) for quad in scene.quads)
    shot = slanted(3.0, Shot(scene.picture, quads))
    found = {r.card for r in Reader(library).read(shot.picture) if r.sure}
    assert found == {first, second, third}
    watcher, lying = Watcher(library, steps=100), list[Presence]()
    for frame in range(20):
        noise = np.random.default_rng(frame).integers(-2, 3, (*shot.picture.shape[:2], 1), np.int16)
        noisy = np.clip(shot.picture + noise, 0, 255).astype(np.uint8)
        lying = watcher.update(noisy, frame / 10)
    assert {one.card for one in lying if one.sure} == found


def test_a_card_is_no_sum_of_crooked_outlines_in_its_picture() -> None:
    """As found of a donkey on the demo's table: the card, and two that its picture made."""
    card = Outline(np.array([[175, 299], [180, 398], [108, 403], [104, 304]], np.float32), 1.0)
    low = Outline(np.array([[153, 319], [185, 398], [99, 403], [125, 350]], np.float32), 0.62)
    high = Outline(np.array([[159, 282], [144, 338], [108, 387], [106, 340]], np.float32), 0.61)
    (found,) = detect._nest_outlines([card, low, high])
    assert found.quad is card.quad


def test_a_line_is_not_drawn_aside_by_points_that_lie_off_it() -> None:
    x = np.arange(40.0)
    points = np.stack([x, 0.5 * x + 3], axis=1)
    points[::10, 1] += 30
    found = lines.fit_lines(points, np.ones(40))
    assert np.median(lines.distance_to_lines(points, found)) < 1.0


def test_lines_that_run_side_by_side_make_no_corner() -> None:
    level = np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 5], [0, 1.0, 0, 0], [0, 1.0, 9, 0]])
    assert np.isnan(lines.intersect_lines(level)).any()


def test_rounded_corners_are_squared_and_a_disc_is_no_card() -> None:
    mask = np.zeros((200, 400), np.uint8)
    cv2.rectangle(mask, (40, 40), (120, 160), 255, -1)
    mask = np.asarray(
        cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.asarray(cv2.getStructuringElement(2, (25, 25))))
    )
    cv2.circle(mask, (280, 100), 60, 255, -1)
    contours = sorted(cv2.findContours(mask, 0, 2)[0], key=lambda c: int(c[:, 0, 0].min()))
    places, (card,) = quads.fit_quads([np.asarray(c, np.int32) for c in contours])
    assert places.tolist() == [0]
    assert (
        np.abs(np.sort(card, axis=0) - np.sort([[40, 40], [120, 40], [120, 160], [40, 160]], axis=0)).max()
        < 2
    )


def test_a_cable_across_a_card_does_not_hide_its_border() -> None:
    shot = under_cables(6, laid_out(0, 12, 30))
    contours = [one.quad for one in find_outlines(shot.picture)]
    pieces = [
        one.quad for one in run_to_end(find_joined_outlines_in_steps(WorkingPicture(shot.picture), (), 1.4))
    ]
    for card in shot.quads:
        assert any(intersection_over_union(quad, card) > 0.9 for quad in pieces)
    assert not all(any(intersection_over_union(quad, card) > 0.9 for quad in contours) for card in shot.quads)


@pytest.mark.parametrize("shape", [(300, 400), (6, 4000), (1, 1)])
def test_a_bare_table_has_no_pieces_and_known_cards_are_left_alone(shape: tuple[int, int]) -> None:
    shot = laid_out(0, 12)
    assert run_to_end(find_joined_outlines_in_steps(WorkingPicture(shot.picture), shot.quads, 1.4)) == []
    assert (
        run_to_end(find_joined_outlines_in_steps(WorkingPicture(np.full((*shape, 3), 90, np.uint8)), (), 1.4))
        == []
    )


def test_what_is_nothing_like_the_sure_cards_is_read_only_where_there_are_none(
    monkeypatch: pytest.MonkeyPatch, library: Library, lay: Callable[..., Scene], deck: dict[str, np.ndarray]
) -> None:
    """Long strips, and squares on a tray: a chequered cloth made most of a photograph's work."""
    strip, square = (np.full((high, 300, 3), 200, np.uint8) for high in (900, 300))
    named: list[float] = []
    read = Reader.name_quad_in_steps

    def record(reader: Reader, image: np.ndarray, quad: np.ndarray, *rest: object) -> object:
        named.append(aspect_ratio(quad))
        return read(reader, image, quad, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Reader, "name_quad_in_steps", record)
    bare = lay((strip, 250, 350, 0), (square, 900, 350, 0))
    Reader(library).read(bare.picture)
    assert min(named) < 1.1
    assert max(named) > 2.5
    named.clear()
    card = next(iter(deck))
    sure = Reader(library).read(lay((strip, 250, 350, 0), (card, 600, 350, 0), (square, 900, 350, 0)).picture)
    assert [r.card for r in sure if r.sure] == [card]
    assert all(1.2 < aspect < 1.6 for aspect in named)


def test_beside_sure_cards_a_card_has_the_proportions_or_the_looks_of_one_near_it() -> None:
    def lying(width: float, height: float, x: float = 0.0) -> Quad:
        return make_rectangle(width, height) + np.array([x, 0], np.float32)

    # seen from the side: cards look lower than they are
    sure = [lying(100, 60, 200.0 * i) for i in range(5)]
    assert may_be_card(lying(400, 50), [], 1.4)
    assert not may_be_card(lying(400, 50), sure, 1.4)
    # as they are seen, whatever the size of the nearest; and as they are, whatever their size
    assert may_be_card(lying(100, 60, 900), [*sure, lying(30, 42, 890)], 1.4)
    assert may_be_card(lying(300, 420), sure, 1.4)
    assert not may_be_card(lying(100, 100), sure, 1.4)
