"""Options: words for every value in both languages, the table on every rules page, and journals older than an option."""

from pathlib import Path

import pytest

from companion.evening.setup_form import game_row
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.options import in_words
from companion.rules.session import Session
from companion.texts import Translator
from tools import write_rule_options

GAMES = registry.game_ids()
PAGES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", GAMES)
def test_every_option_and_every_value_has_words(game_id, language):
    game = registry.load(game_id)
    say = Translator(language, game)
    for option in in_words(game):
        texts = [option.about, *(value.effect for value in option.values)]
        assert [text.code for text in texts if say.say(text) == text.code] == []
        assert sum(value.usual for value in option.values) == (1 if option.values else 0)


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", GAMES)
def test_the_rules_page_has_the_table_of_options(game_id, language):
    """Made by `make pages`."""
    page = (PAGES / f"{game_id}.{language}.md").read_text(encoding="utf-8")
    assert write_rule_options.written(page, game_id, language) == page
    assert all(f"`{option.name}`" in page for option in registry.load(game_id).options)


def test_the_form_tells_what_a_reading_changes_and_which_sentence_is_read_so():
    rows = {row.name: row for row in game_row("ascend", Translator("fr")).options}
    row = rows["bomb_size"]
    assert ("de même taille, ou plus grandes de n’importe quel rang", "larger") in row.values
    assert "« Une bombe doit être suivie par une bombe de taille équivalente ou supérieure… »" in row.sheet
    copies = {row.name: row for row in game_row("partners", Translator("fr")).options}["copies"]
    assert "La règle n’en dit rien" in copies.sheet


def test_a_journal_that_is_older_than_an_option_goes_on_by_the_usual_reading():
    game = registry.load("ascend")
    old = {"deck": "extended", "target": 50, "bidding": False, "shares": "exact"}
    session = Session(game, Setup("ascend", ("Ann", "Ben", "Cy"), old, 1))
    assert session.setup.options["bombs"] == "any"
    assert session.view()["phase"] == "exchange"
