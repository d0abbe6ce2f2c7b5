"""The usual picks of a menu, and what of them a hand allows."""

from __future__ import annotations

from companion.rules.choices import Shortcut
from companion.rules.contract import Text


def one(key, *cards, then=()):
    return Shortcut(key, Text("likely.count"), cards, then)


def kept(shortcut, **hand):
    """What is left of a shortcut, as keys within keys."""

    def keys(some):
        return {left.key: keys(left.then) for left in some}

    return keys(shortcut.limit_to_hand(hand))


def test_a_shortcut_is_possible_with_all_of_its_cards_only():
    pair = one("7", "seven", "seven")
    assert kept(pair, seven=2) == kept(pair, seven=3, six=1) == {"7": {}}
    assert kept(pair, seven=1, six=4) == kept(pair) == {}


def test_of_choices_within_a_shortcut_those_are_left_that_are_possible():
    counts = one(
        "2", then=(one("7", "seven", "seven"), one("8", "eight", "eight"), one("j", then=(one("9", "nine"),)))
    )
    assert kept(counts, eight=2, seven=1) == {"2": {"8": {}}}
    assert kept(counts, nine=1) == {"2": {"j": {"9": {}}}}
    assert kept(counts, seven=1) == {}


def test_a_shortcut_without_choices_and_cards_is_none():
    assert kept(one("0"), seven=9) == {}
    assert kept(one("7", "seven", then=(one("8", "eight"),)), seven=1) == {"7": {}}
