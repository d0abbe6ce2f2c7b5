"""How the designs of all decks of ours are called. After a change that is meant: `WRITE=1 pytest
tests/table/test_names_of_cards.py`, and read the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.table.decks import Deck, Design
from companion.table.zones import describe_design
from companion.texts import Translator
from tests.letters import compare_with_file

GAMES = Path(__file__).parents[2] / "companion" / "games"
DECKS = sorted({file.stem if file.stem != "deck" else file.parent.name for file in GAMES.glob("*/*.toml")})


@pytest.mark.parametrize("name", DECKS)
def test_every_design_has_its_name(name):
    deck = Deck.load_builtin(name)
    translate = Translator.for_game("en", deck.game).translate
    lines = [
        f"{design.name}: {translate(describe_design(deck, design.name))}"
        for design in (
            *deck.designs,
            *([] if deck.find_design("back") else [type(deck.designs[0])("back", "")]),
        )
    ]
    compare_with_file(Path(__file__).with_name("letters") / f"{name}.txt", lines)


@pytest.mark.parametrize(
    ("design", "name"),
    [
        ("AS", "ace of spades"), ("10H", "10 of hearts"), ("KC", "king of clubs"), ("2D", "2 of diamonds"),
        ("back", "the back of a card"), ("1S", "1S"), ("10HH", "10HH"), ("summary:red", "summary card, face red"), ("summary:", "summary:"),
    ],
)  # fmt: skip
def test_what_is_no_card_of_the_rules_has_a_name_too(design, name):
    deck = Deck.load_builtin("dtc")
    assert Translator.for_game("en", deck.game).translate(describe_design(deck, design)) == name


def test_a_design_with_a_name_of_its_own_is_told_with_its_card():
    deck = Deck("mine", "donkey_valley", (Design("tatty seven", "load:red:7"),))
    said = Translator.for_game("en", deck.game).translate(describe_design(deck, "tatty seven"))
    assert said == "red 7 (tatty seven)"
