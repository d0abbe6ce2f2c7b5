import numpy as np
import pytest

from tests.simulated import scenes
from tests.simulated.scenes import Placed, render
from vision.outlines import cloth, segment
from vision.outlines.detect import find_outlines
from vision.reader import Reader

WIDTH, HEIGHT = 1280, 720
PATTERNS = ["red checks 60", "chess 75", "stripes 150", "flowers"]


def spread(deck, bare, wide=90):
    """Six cards of the deck in two rows, some turned, and one picture of them."""
    ids = list(deck)[::7]
    cards = [
        Placed(card, deck[card], 230 + 400 * (i % 3), 190 + 340 * (i // 3), wide, 31 * (i % 4))
        for i, card in enumerate(ids)
    ]
    return ids, render(bare, cards, rng=np.random.default_rng(3)).picture


def everything(found):
    return [o for outline in found for o in (outline, *everything(outline.inside))]


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_on_a_patterned_cloth_every_card_is_named_and_hardly_anything_else_is_looked_at(deck, library, name):
    ids, picture = spread(deck, scenes.CLOTHS[name](WIDTH, HEIGHT))
    readings = Reader(library).read(picture)
    assert sorted(str(r.card) for r in readings if r.sure) == sorted(ids)
    assert len(everything(find_outlines(picture))) < 60


@pytest.mark.slow
@pytest.mark.parametrize("name", ["red checks 60", "faint checks 130"])
def test_a_bare_cloth_of_checks_holds_no_card(library, name):
    assert Reader(library).read(scenes.CLOTHS[name](WIDTH, HEIGHT)) == []


@pytest.mark.slow
def test_blank_backs_laid_side_by_side_are_still_cards(library, lay):
    """Ten of them, more than make a pattern of a cloth: checks meet, cards leave a gap."""
    plain = np.full((420, 300, 3), 240, dtype=np.uint8)
    backs = [(plain, 150 + 125 * (i % 5), 200 + 180 * (i // 5), 0) for i in range(10)]
    readings = Reader(library).read(lay(*backs).picture)
    assert [r.card for r in readings] == [None] * 10


def test_a_board_is_told_from_as_many_squares_that_lie_apart():
    board = [square(x, y, 40) for x in range(0, 320, 40) for y in range(0, 320, 40)]
    apart = [square(1.5 * x, 1.5 * y, 40) for x in range(0, 320, 40) for y in range(0, 320, 40)]
    assert cloth.find_checks(board).all()
    assert not cloth.find_checks(apart).any()


def test_two_squares_that_meet_are_no_pattern():
    assert not cloth.find_checks([square(0, 0, 40), square(40, 40, 40)]).any()


def test_a_card_with_a_single_small_pip_is_not_blank():
    picture = np.full((300, 400, 3), 235, dtype=np.uint8)
    picture[90:104, 90:104] = (40, 40, 200)
    lab = segment.to_smoothed_lab(picture)
    assert cloth.find_blank_quads(lab, [square(40, 40, 120), square(220, 40, 120)]).tolist() == [False, True]


def test_beside_a_card_a_quad_shows_plain_table_or_a_print():
    rng = np.random.default_rng(4)
    picture = np.clip(rng.normal(120, 6, (300, 400, 1)) + np.array([0, 20, 60]), 0, 255).astype(np.uint8)
    picture[40:160, 40:160] = 235
    picture[70:130, 70:130] = (40, 40, 200)
    lab, card = segment.to_smoothed_lab(picture), square(40, 40, 120)
    half_under_it = square(100, 40, 120)
    assert not cloth.find_blank_quads(lab, [half_under_it]).any()
    assert cloth.find_bare_table_quads(lab, [half_under_it], [card]).all()
    assert not cloth.find_bare_table_quads(lab, [half_under_it], []).any()
    picture[90:104, 180:194] = (40, 40, 200)
    assert not cloth.find_bare_table_quads(segment.to_smoothed_lab(picture), [half_under_it], [card]).any()


def square(x, y, side):
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], dtype=np.float32)
