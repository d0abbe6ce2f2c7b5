from __future__ import annotations

import cv2
import pytest
from filming import NAMES, one, rows, take_sheet

from companion.enrolment.learner import learn_view
from companion.enrolment.picture_analysis import find_cards
from vision.decks.enrol import MOST_VIEWS
from vision.errors import LibraryError
from vision.library import Library
from vision.reader import Reader


def out_of_focus(card):
    """A card in a picture that is far from sharp."""
    return cv2.GaussianBlur(one(card, "seat:2", seed=6), (0, 0), 3.0)


@pytest.fixture
def enrolled(begin, pack):
    assert take_sheet(begin(), rows(NAMES)) == 4
    return pack


def views(pack, card):
    return Library.load(pack).count_views(card)


def test_a_card_that_the_table_has_named_is_learnt_and_surer_from_then_on(enrolled):
    picture = out_of_focus("9H")
    (quad,) = find_cards(picture)
    before = Reader(Library.load(enrolled)).read(picture)[0].confidence
    assert learn_view(enrolled, "9H", picture, quad)
    assert views(enrolled, "9H") == 2
    (after,) = Reader(Library.load(enrolled)).read(picture)
    assert after.card == "9H"
    assert after.confidence > before


def test_a_card_that_surely_shows_another_design_is_not_learnt(enrolled):
    picture = one("KD", "seat:1", seed=3)
    (quad,) = find_cards(picture)
    assert not learn_view(enrolled, "9H", picture, quad)
    assert views(enrolled, "9H") == 1


def test_no_more_views_are_learnt_than_help(enrolled):
    picture = one("9H", "seat:1", seed=3)
    (quad,) = find_cards(picture)
    learnt = [learn_view(enrolled, "9H", picture, quad) for _ in range(MOST_VIEWS + 2)]
    assert sum(learnt) == MOST_VIEWS - 1
    assert views(enrolled, "9H") == MOST_VIEWS


def test_a_deck_without_views_learns_nothing_and_says_so(pack):
    picture = one("9H")
    with pytest.raises(LibraryError):
        learn_view(pack, "9H", picture, find_cards(picture)[0])
