"""A pack whose cards show what the test says: how sure each is of each name."""

from __future__ import annotations

import numpy as np
import pytest

from companion.enrolment.card_spread import OrderedSpread
from companion.enrolment.pack_spread import PackSpread
from companion.enrolment.picture_analysis import Shot
from companion.table.decks import Deck, Design
from vision.naming import pack52

DECK = Deck(
    "few",
    "donkey_valley",
    (
        Design("7S", "load:any:7", 2),
        Design("9H", "load:any:9"),
        Design("KD", "load:any:13"),
        Design("donkey", "donkey:giant"),
    ),
    "seat",
)
PICTURE = np.zeros((10, 10, 3), np.uint8)
CARD = np.array([[0, 0], [60, 0], [60, 80], [0, 80]], np.float32)


def says(*cards):
    """Logarithms: what each card shows, as {name: how much less likely than certain}."""
    logs = np.full((len(cards), pack52.NO_NAME + 1), -30.0)
    for row, card in zip(logs, cards, strict=True):
        for name, log in card.items():
            row[pack52.NO_NAME if name == "" else pack52.NAMES.index(name)] = log
    return logs


def shots(count, moved=0.0):
    return [Shot(PICTURE, CARD + np.float32(100 * number + moved)) for number in range(count)]


@pytest.fixture
def lay(monkeypatch):
    """Lay cards that show this, on one sheet."""

    def add(pack, *cards, moved=0.0):
        monkeypatch.setattr(pack52, "name_log_likelihoods", lambda _image, _quads: says(*cards))
        return pack.add_sheet(shots(len(cards), moved))

    return add


def test_a_pack_has_the_cards_of_a_pack_of_52_that_its_deck_lists():
    pack = PackSpread(DECK)
    assert (pack.copies, pack.pack_size, pack.is_complete) == ({"7S": 2, "9H": 1, "KD": 1}, 4, False)
    assert (pack.shots, pack.sheets, pack.assign_names()) == ([], [], ())
    assert pack.remove_last_sheet() == 0
    assert not PackSpread(Deck("none", "dtc", (Design("x", "x"),), "seat")).is_complete


def test_sheet_by_sheet_until_all_cards_are_laid_out(lay):
    pack = PackSpread(DECK)
    assert lay(pack, {"7S": 0}, {"9H": 0})
    assert not lay(pack, {"7S": 0}, {"9H": 0}, moved=5.9), "they have not moved by a tenth of their width"
    assert lay(pack, {"KD": 0}, {"KD": 0}, moved=6.1)
    assert pack.is_complete
    assert lay(pack, {"7S": 0}, moved=6.1)
    assert [len(sheet) for sheet in pack.sheets] == [2, 2, 1]
    assert len(pack.shots) == 5
    assert pack.assign_names() == ("7S", "9H", "KD", None, "7S")
    assert pack.remove_last_sheet() == 1
    assert pack.assign_names() == ("7S", "9H", "KD", "7S")
    assert pack.remove_last_sheet() == 2
    assert not pack.is_complete
    pack.clear()
    assert (pack.shots, pack.assign_names()) == ([], ())


def test_each_name_is_given_as_often_as_the_pack_has_it_to_who_shows_it_best(lay):
    pack = PackSpread(DECK)
    lay(pack, {"9H": -0.1, "KD": -1}, {"9H": -0.2, "KD": -4}, {"7S": -0.1, "KD": -3}, {"7S": 0})
    names = pack.assign_names()
    assert names == ("KD", "9H", "7S", "7S")
    assert pack.list_missing(("KD", None)) == ["7S", "9H"]
    # By itself the first card would be the nine, but not by much.
    assert pack.find_doubtful(names) == {}
    assert pack.find_doubtful(("7S", "9H", "KD", None)) == {0: "9H", 2: "7S", 3: "7S"}
    assert pack.list_likely_names(0)[:2] == ["9H", "KD"]
    assert len(pack.list_likely_names(0)) <= 6
    assert pack.find_similar_pairs(names)[0] == (0, 1)


def test_a_card_that_is_nothing_in_the_pack_has_no_name(lay):
    pack = PackSpread(DECK)
    lay(pack, {"AS": 0, "9H": -5}, {"": 0}, {"": 0, "KD": -19})
    # The deck has no ace; a joker among the cards of a pack would be strange.
    assert pack.assign_names()[0] == "9H"
    assert pack.assign_names()[2] == "KD"
    assert dict(pack.find_doubtful(("9H", None, "KD"))) == {1: None}


def test_the_order_makes_names_likelier_but_does_not_decide():
    pack = PackSpread(DECK, ("9H", "KD", "7S", "back"))
    shown = says({"9H": -3, "KD": 0}, {"9H": 0, "KD": -5}, {"7S": -1}, {"7S": -3, "": -2})
    before = shown.copy()
    pack.add_ordered_cards(shots(4), shown, ["9H", "KD", None, "back"])
    assert (shown == before).all()
    # Three are made up for by the order, five are not; the back is nothing that a pack has.
    assert pack.assign_names() == ("9H", "KD", "7S", "back")
    assert pack.find_doubtful(pack.assign_names()) == {2: None}
    strict = PackSpread(DECK, ("9H", "KD"))
    strict.add_ordered_cards(shots(2), says({"KD": 0, "9H": -9}, {"9H": 0, "KD": -9}), ["9H", "KD"])
    assert strict.assign_names() == ("KD", "9H")
    assert strict.find_doubtful(("KD", "9H")) == {0: "9H", 1: "KD"}


def test_names_are_typed_in_any_case_and_swapped_when_there_is_no_other_copy(lay):
    pack = PackSpread(DECK, ("back",))
    assert [pack.find_name(typed) for typed in ("7s", "BACK", "kd", "AS", "donkey")] == [
        "7S",
        "back",
        "KD",
        None,
        None,
    ]
    names = ("7S", "9H", "KD")
    assert pack.rename_card(names, 1, "7S") == ("7S", "7S", "KD"), "there are two"
    assert pack.rename_card(names, 1, "KD") == ("7S", "KD", "9H")
    assert pack.rename_card(("7S", "7S", "KD"), 2, "7S") == ("KD", "7S", "7S")
    assert pack.rename_card(names, 1, None) == ("7S", None, "KD")
    assert pack.rename_card(names, 1, "back") == ("7S", "back", "KD")


def ordered(*reads):
    shown = iter(reads)
    order = ("7S", "9H", "KD", "2C", "back")
    return OrderedSpread(shots(len(reads)), order[: len(reads)], order, lambda _shot: next(shown))


def test_cards_in_order_have_its_names():
    spread = ordered(None, "9H", "7S")
    assert (spread.assign_names(), len(spread.shots)) == (("7S", "9H", "KD"), 3)
    assert spread.find_doubtful(spread.assign_names()) == {2: "7S"}
    assert spread.find_doubtful((None, "KD", "7S")) == {0: None, 1: "9H"}
    assert (spread.find_name("kd"), spread.find_name("AS")) == ("KD", None)
    assert spread.find_similar_pairs(spread.assign_names()) == []
    assert spread.list_likely_names(0) == []


def test_cards_in_order_are_renamed_left_out_and_followed_by_the_next():
    spread, names = ordered(None, None, None), ("7S", "9H", "KD")
    assert spread.rename_card(names, 1, None) == ("7S", None, "9H")
    assert spread.rename_card(names, 0, "KD") == ("KD", "9H", "7S")
    assert spread.rename_card(names, 0, "2C") == ("2C", "9H", "KD")
    assert spread.continue_from(names, 1, "KD") == ("7S", "KD", "2C")
    assert spread.continue_from(("7S", None, "9H"), 1, "2C") == ("7S", "2C", "back")
    assert spread.continue_from(("7S", "9H", None), 0, "9H") == ("9H", "KD", None)
    assert spread.continue_from(names, 0, "2C") == ("2C", "back", None)
    assert spread.list_missing(("7S", "2C", None)) == ["9H", "KD"]
    assert spread.list_missing((None, None)) == []
