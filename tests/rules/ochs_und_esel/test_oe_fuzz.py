"""No line ends a conversation about Ochs & Esel."""

from hypothesis import given, settings

from tests.rules.fuzz import every_line_is_answered, lines_of

START = {
    "do": "start",
    "game": "ochs_und_esel",
    "players": ["Ann", "Ben", "Cy"],
    "options": {"deal": 1, "rounds": 1},
}
REQUESTS = [
    {"do": "play", "player": "Ann", "cards": ["donkey"]},
    {"do": "play", "player": "Ann", "cards": ["3"]},
    {"do": "play", "player": "Ben", "cards": ["7"]},
    {"do": "pass", "player": "Cy"},
    {"do": "hand", "player": "Ann", "cards": ["donkey"]},
]


@given(lines_of(REQUESTS))
@settings(max_examples=150, deadline=None)
def test_every_line_is_answered(lines):
    every_line_is_answered(START, lines)
