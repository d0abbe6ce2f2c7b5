"""Cards that lie under others in photos: the design that names one must lie where the card does."""

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from vision.library import Library
from vision.outlines.detect import Outline
from vision.reader import Reader
from vision.steps import run_to_end
from vision.video.watcher import Watcher


def signs(number):
    """A card with up to three signs below one another."""
    card = np.full((420, 300, 3), 245, np.uint8)
    for i in range(number):
        y = 210 + round((i - (number - 1) / 2) * 110)
        cv2.ellipse(card, (150, y), (80, 36), 0, 0, 360, (150, 40, 110), -1, cv2.LINE_AA)
    return card


@pytest.fixture(scope="module")
def cards():
    return {f"{number} signs": signs(number) for number in (1, 2, 3)}


@pytest.fixture(scope="module")
def reader(cards):
    return Reader(Library.from_drawings(cards))


def named(reader, picture):
    return sorted(r.card for r in reader.read(picture) if r.sure)


def slanted(picture, by):
    """The table seen from a slant: lower than it is, and as wide."""
    return cv2.resize(picture, None, fx=1, fy=by, interpolation=cv2.INTER_AREA)


def laid_over_three(lay, cards, by):
    """A card standing on the last of three signs of a lying one, `by` pixels beside its middle."""
    return lay(
        (cards["1 signs"], 250, 200, 90),
        (cards["1 signs"], 650, 200, 90),
        (cards["3 signs"], 500, 450, 90),
        (cards["1 signs"], 500 + by, 460, 0),
        table=scenes.table("dark", 900, 600, 1),
    ).picture


def test_of_three_signs_two_in_sight_are_not_the_card_with_two(reader, lay, cards):
    """What ends at the edge of another card is no whole card, though its outline is whole."""
    found = named(reader, laid_over_three(lay, cards, 75))
    assert "2 signs" not in found
    assert found.count("1 signs") == 3


@pytest.mark.slow
@pytest.mark.parametrize("slant", [0.75, 0.8, 0.85])
def test_of_three_signs_two_in_sight_are_not_two_on_a_slanted_table(reader, lay, cards, slant):
    """By the card that stands on it, lower than it is, the lying one seemed to be whole."""
    found = named(reader, slanted(laid_over_three(lay, cards, 70), slant))
    assert found in (3 * ["1 signs"], [*3 * ["1 signs"], "3 signs"])


@pytest.mark.parametrize("slant", [0.7, 0.9])
def test_a_card_under_another_is_named_on_a_slanted_table(reader, lay, cards, slant):
    assert named(reader, slanted(laid_over_three(lay, cards, 80), slant)) == [*3 * ["1 signs"], "3 signs"]


def cut_by_edge(lay, cards, part):
    """A table on which the picture's edge cuts off this part of a card with three signs."""
    whole = lay(
        (cards["1 signs"], 200, 180, 90),
        (cards["1 signs"], 700, 180, 90),
        (cards["3 signs"], 450, 350, 0),
        table=scenes.table("dark", 900, 600, 1),
        width=150,
    )
    rows = whole.quads[2][:, 1]
    return whole.picture[: round(float(rows.max() - part * np.ptp(rows)))]


@pytest.mark.slow
@pytest.mark.parametrize("part", [0.36, 0.38, 0.4])
@pytest.mark.parametrize("slant", [1, 0.75, 0.6])
def test_of_three_signs_the_picture_s_edge_leaves_two_which_are_not_the_card_with_two(
    reader, lay, cards, slant, part
):
    """Seen from a slant, what the edge leaves of a standing card has the shape of a lying one."""
    picture = cut_by_edge(lay, cards, part)
    found = named(reader, slanted(picture, slant))
    assert found in (2 * ["1 signs"], [*2 * ["1 signs"], "3 signs"])


@pytest.mark.parametrize("slant", [1, 0.75, 0.6])
def test_in_a_film_what_the_frame_s_edge_leaves_of_three_signs_is_not_two(reader, lay, cards, slant):
    """Several readings agree on it: each sees the same two signs."""
    frame = np.ascontiguousarray(slanted(cut_by_edge(lay, cards, 0.4), slant))
    watcher = Watcher(reader.library)
    for t in np.arange(20) / 10:
        lying = watcher.update(frame, float(t))
    assert sorted(card.card for card in lying if card.sure) == 2 * ["1 signs"]


def test_a_design_that_lies_beside_the_outline_is_not_the_card_in_it(reader, lay, cards):
    """The outline ends at the edge of a card that lies on the last of three signs."""
    picture, quad = alone(lay, cards["3 signs"])
    a, b, c, d = quad
    cut = np.array([a, b, b + 0.66 * (c - b), a + 0.66 * (d - a)], np.float32)
    assert not any(r.sure for r in reader.read_outline(picture, Outline(cut, 1.0)))
    assert [r.card for r in reader.read_outline(picture, Outline(quad, 1.0)) if r.sure] == ["3 signs"]


def alone(lay, card):
    scene = lay((card, 400, 300, 0), table=scenes.table("dark", 900, 600, 1), width=150)
    return scene.picture, scene.quads[0]


def read_part(reader, picture, outline, covers):
    (reading,) = run_to_end(reader.read_part_in_steps(picture, outline, covers))
    return reading


def test_the_outline_of_a_card_under_another_is_put_right_by_its_design(reader, lay, cards):
    """Completed from a corner that was none, it lay a sixth of the card's width too high."""
    picture, quad = alone(lay, cards["2 signs"])
    hidden = quad + np.float32([90, 0])
    found = read_part(reader, picture, quad - np.float32([0, 25]), [hidden])
    assert (found.card, found.sure) == ("2 signs", True)
    assert np.abs(found.quad - quad).max() < 0.06 * 150


@pytest.mark.parametrize(("stranger", "part"), [("1 signs", 0.65), ("3 signs", 0.5), ("3 signs", 0.65)])
def test_signs_in_sight_are_not_of_a_design_whose_border_would_lie_elsewhere(lay, cards, stranger, part):
    """Moved along a card that nobody enrolled, one with another number of the same signs fits."""
    known = {name: card for name, card in cards.items() if name != stranger}
    picture, quad = alone(lay, cards[stranger])
    above = quad - np.float32([0, 150 * 1.4 * part])
    assert not read_part(Reader(Library.from_drawings(known)), picture, quad, [above]).sure


def oval():
    """A card with the outline of an oval."""
    card = np.full((420, 300, 3), 245, np.uint8)
    for x, start in ((100, 90), (200, -90)):
        cv2.ellipse(card, (x, 210), (50, 40), 0, start, start + 180, (150, 40, 110), 8, cv2.LINE_AA)
    for y in (170, 250):
        cv2.line(card, (100, y), (200, y), (150, 40, 110), 8)
    return card


def diamond():
    """A card with the outline of a diamond."""
    card = np.full((420, 300, 3), 245, np.uint8)
    corners = np.array([[50, 210], [150, 150], [250, 210], [150, 270]])
    cv2.polylines(card, [corners], True, (150, 40, 110), 8, cv2.LINE_AA)
    return card


def test_shaded_paper_is_no_print_in_sight(lay):
    """Less than a fifth of the outline shows, and much paper that is darker towards one side."""
    reader = Reader(Library.from_drawings({"oval": oval(), "diamond": diamond()}))
    picture, quad = alone(lay, oval())
    shade = 1 - 0.6 * np.linspace(0, 1, len(picture))[:, None, None]
    shaded = np.asarray(picture * shade, np.uint8)
    assert not read_part(reader, shaded, quad, [quad + np.float32([42, 0])]).sure
    assert read_part(reader, shaded, quad, [quad + np.float32([75, 0])]).sure
