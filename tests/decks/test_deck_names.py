"""Decks' names for people: those that the program gives are translated, others are not touched."""

import re

import pytest

from companion.decks.collection import describe_deck_name
from companion.language import LANGUAGES
from companion.table.decks import Deck, list_deck_files
from companion.texts import Translator

OURS = [Deck.load(path) for path in list_deck_files().values()]


def name_in(language: str, deck: Deck) -> str:
    return Translator(language).format_argument(describe_deck_name(deck))


@pytest.mark.parametrize("deck", OURS, ids=lambda deck: deck.name)
def test_our_decks_have_no_english_name_in_other_languages(deck: Deck) -> None:
    assert name_in("en", deck) == deck.name
    for language in LANGUAGES:
        if language != "en":
            assert not re.search(r"\b(any|pack|cards|suit|each|once)\b", name_in(language, deck))


def test_a_name_that_somebody_chose_stays() -> None:
    deck = Deck("Grandma's pack, worn", "dtc", ())
    assert {name_in(language, deck) for language in LANGUAGES} == {deck.name}


def test_a_pack_that_was_learnt_is_numbered_in_words() -> None:
    deck = Deck("Pack 2", "donkey_valley", ())
    assert [name_in(language, deck) for language in ("en", "de", "fr")] == [
        "Pack 2",
        "Kartenspiel 2",
        "Paquet 2",
    ]
