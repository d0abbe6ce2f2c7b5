"""What the pages for players and for programs must name, game by game: every clause, every option,
every event with its fields."""

import re
from pathlib import Path

import pytest

from companion.rules import registry

ROOT = Path(__file__).parents[2]
CLAUSES = {
    "donkey_valley": ("DV", [1, 2, 3, *range(10, 25), *range(30, 42), 50, 51]),
    "dtc": ("DTC", [*range(1, 12)]),
    "ochs_und_esel": ("OE", [*range(1, 13), *range(20, 23)]),
    "partners": ("PA", [*range(1, 8), *range(10, 20)]),
    "ascend": ("AS", [*range(1, 5), *range(10, 17), 20, 21, 22, 30]),
}
"""Each game's clauses; a new game adds a row."""

every_game = pytest.mark.parametrize("game_id", CLAUSES)


def clauses_of(game_id):
    prefix, numbers = CLAUSES[game_id]
    return {f"{prefix}-{number}" for number in numbers}


def named_in(text, game_id):
    return set(re.findall(rf"\b{CLAUSES[game_id][0]}-\d+\w*", text))


@every_game
def test_the_program_cites_every_clause_where_it_is_enforced(game_id):
    sources = (ROOT / "companion" / "games" / game_id).glob("*.py")
    cited = named_in("".join(source.read_text(encoding="utf-8") for source in sources), game_id)
    assert cited == clauses_of(game_id)


@every_game
@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_rules_page_explains_every_clause_and_option(game_id, language):
    page = (ROOT / "docs" / "rules" / f"{game_id}.{language}.md").read_text(encoding="utf-8")
    assert named_in(page, game_id) == clauses_of(game_id)
    assert all(f"`{option.name}`" in page for option in registry.load_game(game_id).options)


@every_game
def test_the_events_page_lists_every_event_with_its_fields(game_id):
    page = (ROOT / "docs" / "events" / f"{game_id}.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", page, re.M))
    del rows["type"]
    listed = {name: set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", cell))) for name, cell in rows.items()}
    assert listed == {
        event.__struct_config__.tag: set(event.__struct_fields__) - {"sealed", "opened"}
        for event in registry.load_game(game_id).events
    }
