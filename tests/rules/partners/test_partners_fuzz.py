"""No line ends a conversation about Partners."""

from hypothesis import given, settings

from tests.rules.fuzz import every_line_is_answered, lines_of

START = {"do": "start", "game": "partners", "players": ["Ann", "Ben", "Cy", "Dee"], "seed": 1}
OUT = [{"owner": "Ann", "pawn": 1, "to": "start"}]
REQUESTS = [
    {"do": "exchanged"},
    {"do": "play", "player": "Ann", "card": "heart", "moves": OUT},
    {
        "do": "play",
        "player": "Ann",
        "card": "7",
        "moves": [*OUT, {"owner": "Ben", "pawn": 9, "to": "goal:9"}],
    },
    {"do": "moves", "player": "Ann", "card": "7"},
    {"do": "fold", "player": "Ann", "cards": ["2", "3", "5", "6"]},
]


@given(lines_of(REQUESTS))
@settings(max_examples=150, deadline=None)
def test_every_line_is_answered(lines):
    every_line_is_answered(START, lines)
