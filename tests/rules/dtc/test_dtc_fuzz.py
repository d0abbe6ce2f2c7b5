"""No line ends a conversation about DTC."""

from hypothesis import given, settings

from tests.rules.fuzz import every_line_is_answered, lines_of

START = {"do": "start", "game": "dtc", "players": ["Ann", "Ben"], "seed": 1}
REQUESTS = [
    {"do": "offer", "player": "Ann", "count": 2, "value": 3},
    {"do": "accept", "player": "Ben"},
    {"do": "challenge", "player": "Ben"},
    {"do": "reveal", "cards": ["3", "joker"]},
]


@given(lines_of(REQUESTS))
@settings(max_examples=150, deadline=None)
def test_every_line_is_answered(lines):
    every_line_is_answered(START, lines)
