"""The pages for players and for programs name every clause and every event."""

import re
from pathlib import Path

import pytest

from companion.rules.donkey_valley import GAME
from companion.rules.donkey_valley.cards import COLOURS, DONKEYS

ROOT = Path(__file__).parents[3]
SOURCES = (ROOT / "companion" / "rules" / "donkey_valley").glob("*.py")
CITED = {clause for source in SOURCES for clause in re.findall(r"DV-\d+", source.read_text())}
CLAUSES = {f"DV-{number}" for number in (1, 2, 3, *range(10, 24), *range(30, 42), 50, 51)}


def test_the_program_names_every_clause_where_it_is_enforced():
    assert CITED == CLAUSES


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_rules_page_explains_every_clause_and_option(language):
    page = (ROOT / "docs" / "rules" / f"donkey_valley.{language}.md").read_text()
    assert set(re.findall(r"DV-\d+", page)) == CLAUSES
    assert all(f"`{option.name}`" in page for option in GAME.options)


def test_the_events_page_lists_every_event_with_its_fields():
    page = (ROOT / "docs" / "events" / "donkey_valley.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", page, re.M))
    del rows["type"]
    assert rows.keys() == {event.__struct_config__.tag for event in GAME.events}
    for event in GAME.events:
        fields = set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", rows[event.__struct_config__.tag])))
        assert fields == set(event.__struct_fields__) - {"sealed", "opened"}


def test_there_are_seven_colours_and_twelve_donkeys():
    assert (len(COLOURS), len(DONKEYS)) == (7, 12)
