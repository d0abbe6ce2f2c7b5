"""The pages about Partners name every clause, option and event."""

from companion.rules.partners import GAME
from tests.rules import pages


def test_every_clause_is_cited_and_explained():
    pages.every_clause_is_cited_and_explained(GAME, "PA", [*range(1, 8), *range(10, 19)])


def test_every_event_is_listed_with_its_fields():
    pages.every_event_is_listed_with_its_fields(GAME)
