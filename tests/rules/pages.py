"""What the pages for players and for programs must name, whatever the game."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def every_clause_is_cited_and_explained(game, prefix, clauses):
    """The program cites each clause where it enforces it, and the rules page explains it and every option, in both languages."""
    wanted = {f"{prefix}-{number}" for number in clauses}
    sources = (ROOT / "companion" / "rules" / game.id).glob("*.py")
    assert {
        clause for source in sources for clause in re.findall(rf"{prefix}-\d+", source.read_text())
    } == wanted
    for language in ("en", "fr"):
        page = (ROOT / "docs" / "rules" / f"{game.id}.{language}.md").read_text()
        assert set(re.findall(rf"\*\*({prefix}-\d+)\*\*", page)) == wanted
        assert all(f"`{option.name}`" in page for option in game.options)


def every_event_is_listed_with_its_fields(game):
    """The events page has one row for each event, naming its fields."""
    page = (ROOT / "docs" / "events" / f"{game.id}.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) ?\|", page, re.M))
    fields = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in rows.items() if name != "type"}
    assert fields == {event.__struct_config__.tag: set(event.__struct_fields__) for event in game.events}
