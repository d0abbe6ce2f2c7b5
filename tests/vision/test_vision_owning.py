"""Cards of a deck that nobody knows yet, on what people lay them on."""

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


@pytest.mark.parametrize("ground", ["felt", "mat seen whole", "tray", "sheet of paper"])
def test_thirteen_hearts_laid_close_by_are_thirteen_cards(hearts, ground):
    """On a mat they were one card, the mat, and of a grid on felt eight."""
    image, lying = drawn(hearts, ground, "13 close by", np.random.default_rng(3))
    assert compared(capture.detect_cards_in_reading_order(image), lying) == (13, 0)


@pytest.mark.parametrize("ground", list(GROUNDS))
def test_a_card_alone_is_the_card_and_not_what_it_lies_on(ground):
    image, lying = drawn(deck(), ground, "one", np.random.default_rng(5))
    assert compared(capture.detect_cards_in_reading_order(image), lying) == (1, 0)


@pytest.mark.parametrize("ground", ["mat seen whole", "tray", "sheet of paper", "small table seen whole"])
def test_what_cards_lie_on_is_none(ground):
    assert capture.detect_cards_in_reading_order(GROUNDS[ground](1440, 1080, 3)) == []
