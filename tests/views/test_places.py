"""Real cards and their places, in words that players use."""

import pytest

from companion.live.snapshot import Move
from companion.rules.registry import load
from companion.texts import Translator
from companion.views.places import card_in_words, move_in_words, place_in_words
from tests.views.table import THREE


@pytest.mark.parametrize(
    ("game", "move", "said"),
    [
        (
            "donkey_valley",
            Move("load:Ann:7", "seat:1 up", "seat:2 won"),
            "Ann 7: from face up before Ann to won by Bob",
        ),
        ("donkey_valley", Move("donkey:giant", None, "middle"), "giant donkey: the middle"),
        ("ochs_und_esel", Move("oe:donkey", "seat:3 hand", None), "donkey: away from in the hand of Chloé"),
        ("partners", Move("Ann 1", "base", "2:5"), "Ann 1: from base to square 5 of Bob"),
        ("sixth", Move("my:card", "the shelf", "middle"), "my:card: from the shelf to the middle"),
    ],
)
def test_a_move_is_said_as_players_say_it(game: str, move: Move, said: str) -> None:
    say = Translator("en", None if game == "sixth" else load(game))
    assert move_in_words(move, say, THREE) == said


def test_places_in_french() -> None:
    assert place_in_words("seat:2 won", Translator("fr", load("donkey_valley")), THREE) == "gagné par Bob"


def test_a_donkey_that_nobody_has_seen_is_a_donkey() -> None:
    assert "?" not in card_in_words("donkey:?", Translator("en", load("donkey_valley")), THREE)
