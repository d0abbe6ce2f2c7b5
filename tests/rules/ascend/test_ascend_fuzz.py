"""No line ends a conversation about Ascend."""

from hypothesis import given, settings

from tests.rules.fuzz import every_line_is_answered, lines_of

START = {
    "do": "start",
    "game": "ascend",
    "players": ["Ann", "Ben", "Cy"],
    "seed": 1,
    "options": {"bidding": True},
}
REQUESTS = [
    {"do": "exchanged"},
    {"do": "play", "player": "Ann", "cards": ["castle", "cave"]},
    {"do": "play", "player": "Ben", "cards": ["mill", "betrayal"]},
    {"do": "pass", "player": "Ben"},
    {"do": "promise", "player": "Ann"},
]


@given(lines_of(REQUESTS))
@settings(max_examples=150, deadline=None)
def test_every_line_is_answered(lines):
    every_line_is_answered(START, lines)
