"""Every card that a question offers has a name in both languages, for every deck that comes with
the program."""

import pytest

from companion.rules import registry
from companion.table.decks import Deck, available
from companion.table.zones import card_words
from companion.texts import Translator


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", sorted(available()))
def test_every_card_has_a_name(name, language):
    deck = Deck.builtin(name)
    say = Translator(language, registry.load(deck.game)).say
    names = [say(card_words(card)) for card in deck.cards]
    assert [name for name in names if "card." in name or "colour." in name or "{" in name] == []
    assert len(set(names)) == len(names)
