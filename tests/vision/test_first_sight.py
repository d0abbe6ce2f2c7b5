"""A card at first sight: what the contest among the prints that are known says of it, and the
network that knows any pack."""

import numpy as np
import pytest

from vision.library import Library
from vision.naming import pack52
from vision.naming.pack52 import NAMES, NO_NAME
from vision.reading import Reading
from vision.unenrolled_cards import LIKELIEST, check_partial_card, name_whole_card

QUAD = np.array([[10, 10], [73, 10], [73, 98], [10, 98]], np.float32)
PICTURE = np.full((110, 90, 3), 255, np.uint8)
PACK = dict.fromkeys(NAMES, 1)
NOBODY = Reading(None, False, 0.3, QUAD)


@pytest.fixture
def network(monkeypatch):
    """Let the network say how likely some names are, in each view (`logs`: one a view, or one for
    all); `none`: that it is no card of a pack."""

    def says(none=-25.0, **names):
        views = np.full((3, NO_NAME + 1), -30.0)
        views[:, NO_NAME] = none
        for name, logs in names.items():
            views[:, NAMES.index(name.lstrip("_"))] = logs
        monkeypatch.setattr(pack52, "quad_log_likelihoods", lambda _image, _quad: views)

    return says


def knowing(*designs, pack=PACK):
    """A library in which these designs have a view each."""
    library = Library(pack=pack)
    for design in designs:
        library.add_view(design, PICTURE, QUAD)
    return library


def read(reading=NOBODY, *known, pack=PACK):
    found = name_whole_card(PICTURE, reading, knowing(*known, pack=pack))
    return found.card, found.sure


def of(card, sure, *candidates):
    return Reading(card, sure, 0.9, QUAD, ((card, 0.9), *candidates))


def test_what_three_views_are_sure_of_is_sure(network):
    network(KS=-0.01)
    assert read() == ("KS", True)
    network(KS=-0.01, KC=[-30, -30, -3])
    assert read() == ("KS", False)


def test_what_is_not_sure_is_offered_likeliest_first(network):
    network(_4H=-0.4, _6H=-1.2, _8H=-4)
    found = name_whole_card(PICTURE, NOBODY, knowing())
    assert [name for name, _ in found.candidates[:3]] == ["4H", "6H", "8H"]
    assert (found.card, found.sure, len(found.candidates)) == ("4H", False, LIKELIEST)


def test_a_name_that_another_print_has_is_no_rival_and_is_offered_later(network):
    network(_4H=-0.01, _6H=-6)
    assert read() == ("4H", False)
    assert read(NOBODY, "6H") == ("4H", True)
    network(_4H=-0.7, _6H=-0.8)
    found = name_whole_card(PICTURE, NOBODY, knowing("4H"))
    assert (found.card, found.sure) == ("6H", False)
    assert [name for name, _ in found.candidates[:2]] == ["6H", "4H"]


def test_a_card_that_is_known_but_shows_itself_badly_is_asked_about(network):
    network(_4H=-0.01)
    assert read(NOBODY, "4H") == ("4H", False)
    assert read(of("4H", False), "4H") == ("4H", False)


def test_a_print_that_is_found_holds_unless_a_card_without_one_is_much_likelier(network):
    network(_4H=-2, _6H=-0.2)
    assert read(of("4H", True), "4H") == ("4H", True)
    network(_4H=-8, _6H=-0.01)
    assert read(of("4H", True), "4H") == ("6H", False)
    assert read(of("4H", True), "4H", "6H") == ("4H", True)
    assert read(of("4H", True), "4H", "4H", "4H") == ("4H", True)  # people said so three times


def test_what_a_pack_has_not_and_what_is_no_card_of_it_is_nobody(network):
    network(none=-0.01)
    assert read() == (None, False)
    assert read(of("donkey:giant", True)) == ("donkey:giant", True)
    network(KS=-0.01)
    assert read(of("donkey:giant", True)) == ("KS", False)


def test_who_knows_the_whole_pack_asks_no_network(monkeypatch):
    monkeypatch.setattr(pack52, "quad_log_likelihoods", None)
    few = {"4H": 1, "6H": 1}
    assert read(of("4H", True), "4H", "6H", pack=few) == ("4H", True)
    assert read(of("4H", True), "4H", pack={}) == ("4H", True)


def test_of_a_card_that_lies_under_others_a_name_is_taken_but_none_given(network):
    network(_4H=-8, _6H=-0.01)
    library = knowing("4H")
    assert not check_partial_card(PICTURE, of("4H", True), library).sure
    assert check_partial_card(PICTURE, NOBODY, library) is NOBODY
    network(_4H=-0.01)
    assert check_partial_card(PICTURE, of("4H", True), library).sure
