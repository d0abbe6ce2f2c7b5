"""Real cards and their places, in words that players use."""

import pytest

from companion.live.snapshot import CardMove
from companion.rules.registry import load
from companion.texts import Translator
from companion.views.places import card_in_words, move_in_words
from tests.views.table import THREE


@pytest.mark.parametrize(
    ("game", "move", "said"),
    [
        (
            "donkey_valley",
            CardMove("load:Ann:7", "seat:1 up", "seat:2 won"),
            "Ann 7, face up before Ann: put it with the cards won by Bob",
        ),
        ("donkey_valley", CardMove("donkey:giant", None, "middle"), "giant donkey: in the middle"),
        (
            "ochs_und_esel",
            CardMove("oe:donkey", "seat:3 hand", None),
            "donkey, in the hand of Chloé: take it away",
        ),
        ("partners", CardMove("Ann 1", "base", "2:5"), "Ann 1, in the base: put it on square 5 of Bob"),
        ("sixth", CardMove("my:card", "the shelf", "middle"), "my:card, the shelf: put it in the middle"),
    ],
)
def test_a_move_is_said_as_players_say_it(game: str, move: CardMove, said: str) -> None:
    say = Translator("en", None if game == "sixth" else load(game))
    assert move_in_words(move, say, THREE) == said


@pytest.mark.parametrize(
    ("language", "moved", "gone"),
    [
        (
            "fr",
            "7 Ann, face visible devant Ann : à mettre avec les cartes gagnées par Bob",
            "7 Ann, avec les cartes gagnées par Bob : à retirer",
        ),
        (
            "de",
            "Ann 7: liegt offen vor Ann, soll bei den gewonnenen Karten von Bob liegen",
            "Ann 7: liegt bei den gewonnenen Karten von Bob, kommt weg",
        ),
    ],
)
def test_a_move_is_a_sentence_in_other_languages_too(language: str, moved: str, gone: str) -> None:
    """`de` and `vers` before `face visible` or `gagné par` made none."""
    say = Translator(language, load("donkey_valley"))
    assert move_in_words(CardMove("load:Ann:7", "seat:1 up", "seat:2 won"), say, THREE) == moved
    assert move_in_words(CardMove("load:Ann:7", "seat:2 won", None), say, THREE) == gone


def test_a_donkey_that_nobody_has_seen_is_a_donkey() -> None:
    assert "?" not in card_in_words("donkey:?", Translator("en", load("donkey_valley")), THREE)
