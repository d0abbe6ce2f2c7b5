"""The pages about Ascend name every clause, option and event."""

from companion.rules.ascend import GAME
from tests.rules import pages


def test_every_clause_is_cited_and_explained():
    pages.every_clause_is_cited_and_explained(GAME, "AS", [*range(1, 5), *range(10, 17), 20, 21, 30])


def test_every_event_is_listed_with_its_fields():
    pages.every_event_is_listed_with_its_fields(GAME)
