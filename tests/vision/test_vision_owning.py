"""Cards of a deck that nobody knows yet, on what people lay them on."""

import cv2
import numpy as np
import pytest

from tests.needs import require
from tests.simulated.packs import GROUNDS, RANKS, compared, drawings, drawn, packs
from tests.simulated.scenes import deck
from vision.decks import capture

HEARTS = [f"{rank}-heart" for rank in RANKS]


@pytest.fixture(scope="module")
def hearts():
    """Thirteen hearts of a stranger's pack."""
    require("packs")
    (sheet,) = packs("anglo_poker")
    cards = drawings(sheet)
    return {name: cards[name] for name in HEARTS}


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["felt", "mat seen whole"])
def test_thirteen_hearts_laid_close_by_are_thirteen_cards(hearts, ground):
    """On a mat they were one card, the mat, and of a grid on felt eight."""
    image, lying = drawn(hearts, ground, "13 close by", np.random.default_rng(3))
    assert compared(capture.detect_cards_in_reading_order(image), lying) == (13, 0)


@pytest.mark.slow
@pytest.mark.parametrize("ground", list(GROUNDS))
def test_a_card_alone_is_the_card_and_not_what_it_lies_on(ground):
    image, lying = drawn(deck(), ground, "one", np.random.default_rng(5))
    assert compared(capture.detect_cards_in_reading_order(image), lying) == (1, 0)


@pytest.mark.parametrize("ground", ["mat seen whole", "tray", "sheet of paper", "small table seen whole"])
def test_what_cards_lie_on_is_none(ground):
    assert capture.detect_cards_in_reading_order(GROUNDS[ground](1440, 1080, 3)) == []


def photos_of_single_cards(marks):
    """Photos of one white card each, in other places; on each something else is printed."""
    for number, (wide, high) in enumerate(marks):
        picture = np.full((480, 640, 3), (60, 100, 140), np.uint8)
        left, top = 180 + 30 * number, 100 + 20 * number
        cv2.rectangle(picture, (left, top), (left + 150, top + 210), (245, 245, 245), -1)
        cv2.rectangle(picture, (left + 60, top + 80), (left + 60 + wide, top + 80 + high), (40, 40, 40), -1)
        yield picture


def candidates(picture):
    outlined = capture.outline_things(picture)
    return capture.list_size_candidates(picture, outlined, capture.detect_cards(picture, outlined=outlined))


@pytest.mark.parametrize(
    "marks",
    [[(40, 56), (48, 34), (30, 45)], [(40, 56), (60, 84), (20, 28)]],
    ids=["of about one size", "of many sizes"],
)
def test_cards_have_one_size_in_all_photos_whatever_is_printed_on_them(marks):
    pictures = list(photos_of_single_cards(marks))
    # In one photo alone a card on a tray looks the same.
    assert all(len(capture.detect_cards(one)) == 1 for one in pictures)
    assert all(candidates(one)[0].size.share < 0.05 for one in pictures)
    size = capture.find_common_size([candidates(one) for one in pictures])
    assert size.share == pytest.approx(150 * 210 / (480 * 640), rel=0.05)
    for number, picture in enumerate(pictures):
        (quad,) = capture.detect_cards(picture, size=size)
        assert np.abs(quad.mean(axis=0) - (255 + 30 * number, 205 + 20 * number)).max() < 3


def test_a_tray_on_which_each_card_lies_is_no_card():
    pictures = list(photos_of_single_cards([(40, 56)] * 3))
    size = capture.find_common_size([candidates(one) for one in pictures])
    assert size.share == pytest.approx(40 * 56 / (480 * 640), rel=0.1)


def test_photos_of_which_half_agree_have_no_common_size():
    one, other = ([capture.SizeCandidate(capture.CardSize(share, 1.4), 1.0, True)] for share in (0.1, 0.02))
    assert capture.find_common_size([one, other]) is None
    assert capture.find_common_size([one]) is None
    assert capture.find_common_size([one, one, other]) == one[0].size
