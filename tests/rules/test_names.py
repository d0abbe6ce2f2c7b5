"""Names of players: what cannot be told apart, or seen, is refused before a game begins."""

from __future__ import annotations

import unicodedata

import pytest

from companion.rules.contract import LONGEST_NAME
from companion.rules.start import check_names

TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Bidirectional classes of characters that turn the text after them (UAX #9)."""


def refusal(*names):
    """Return the message by which these names are refused; "" if they are accepted."""
    found = check_names(list(names))
    return "" if found is None else found.text.code.removeprefix("refusal.")


def test_every_character_that_breaks_or_turns_a_line_is_refused_and_no_other():
    characters = [*map(chr, range(0x3100)), "\ud800", "\ufeff", "\U000e0001"]
    refused = [character for character in characters if refusal(f"A{character}n")]
    assert refused == [
        character
        for character in characters
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in TURNS
    ]
    assert {unicodedata.bidirectional(character) for character in refused} >= TURNS


@pytest.mark.parametrize("name", ["", " ", "  ", "\u200b", "\u00ad\u2060", "\u3000"])
def test_a_name_that_nobody_sees_is_refused(name):
    assert refusal("Ann", name) == "bad_name"


@pytest.mark.parametrize("other", ["Zoé", "Zoe\u0301", " Zoé", "Zo\u200bé", "\uff3aoé", "Zoé\u00a0"])
def test_two_names_that_look_alike_are_refused(other):
    assert refusal("Zoé", other) == "same_name"


def test_names_that_differ_are_accepted_up_to_the_longest():
    assert refusal("Ann", "ann", "Ann B.", "Änn") == ""
    assert refusal("A" * LONGEST_NAME) == ""
    assert refusal("A" * (LONGEST_NAME + 1)) == "long_name"
