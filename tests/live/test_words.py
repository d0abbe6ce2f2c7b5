"""Every card that a question offers has a name in both languages, for every deck that comes with
the program."""

import pytest

from companion.rules import registry
from companion.table.decks import Deck, list_deck_files
from companion.table.zones import describe_card_id
from companion.texts import Translator


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", sorted(list_deck_files()))
def test_every_card_has_a_name(name, language):
    deck = Deck.load_builtin(name)
    translator = Translator(language, registry.load_game(deck.game)).translate
    names = [translator(describe_card_id(card)) for card in deck.card_counts]
    assert [name for name in names if "card." in name or "colour." in name or "{" in name] == []
    assert len(set(names)) == len(names)
