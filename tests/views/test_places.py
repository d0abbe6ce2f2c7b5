"""Real cards, pawns and their places, in words that players use."""

import colorsys
import re

import pytest
from textual.color import Color

from companion.live.snapshot import CardMove
from companion.rules.contract import Setup
from companion.rules.registry import load_game
from companion.texts import Translator
from companion.views import themes
from companion.views.places import format_card, format_moves
from tests.views.table import THREE

PARTNERS = load_game("partners")


@pytest.mark.parametrize(
    ("game", "move", "said"),
    [
        (
            "donkey_valley",
            CardMove("load:Ann:7", "seat:1 up", "seat:2 won"),
            "Ann 7, face up in front of Ann: put it with the cards that Bob won",
        ),
        ("donkey_valley", CardMove("donkey:giant", None, "middle"), "giant donkey: in the middle"),
        (
            "ochs_und_esel",
            CardMove("oe:donkey", "seat:3 hand", None),
            "donkey, in Chloé's hand: take it away",
        ),
        ("partners", CardMove("Ann 1", "base", "2:5"), "Ann 1, in the base: put it on Bob's square 5"),
        ("sixth", CardMove("my:card", "the shelf", "middle"), "my:card, the shelf: put it in the middle"),
    ],
)
def test_a_move_is_said_as_players_say_it(game: str, move: CardMove, said: str) -> None:
    translator = Translator("en", None if game == "sixth" else load_game(game))
    assert format_moves([move], translator, THREE) == [said]


@pytest.mark.parametrize(
    ("language", "moved", "gone"),
    [
        (
            "fr",
            "7 Ann, face visible devant Ann : à mettre avec les cartes gagnées par Bob",
            "7 Ann, avec les cartes gagnées par Bob : à retirer",
        ),
        (
            "de",
            "Ann 7, offen vor Ann: bei den gewonnenen Karten von Bob hinlegen",
            "Ann 7, bei den gewonnenen Karten von Bob: wegnehmen",
        ),
    ],
)
def test_a_move_is_a_sentence_in_other_languages_too(language: str, moved: str, gone: str) -> None:
    """`de` and `vers` before `face visible` or `gagné par` made none."""
    translator = Translator(language, load_game("donkey_valley"))
    laid = [CardMove("load:Ann:7", "seat:1 up", "seat:2 won"), CardMove("load:Ann:7", "seat:2 won", None)]
    assert format_moves(laid, translator, THREE) == [moved, gone]


def test_cards_that_nobody_has_seen_are_one_line_with_their_number() -> None:
    translator = Translator("en", load_game("donkey_valley"))
    unseen, giant = CardMove("donkey:?", None, "pile"), CardMove("donkey:giant", None, "middle")
    said = format_moves([giant, unseen, unseen, unseen], translator, THREE)
    assert said == ["giant donkey: in the middle", "unseen donkey: on the pile (× 3)"]


def test_a_donkey_that_nobody_has_seen_is_a_donkey() -> None:
    assert "?" not in format_card("donkey:?", Translator("en", load_game("donkey_valley")), THREE)


HUES = {"red": 5, "yellow": 53, "green": 154, "blue": 211}
"""Where each colour stands on the wheel, in degrees."""


@pytest.mark.parametrize("inks", [themes.INKS, themes.DEEP_INKS])
def test_partners_take_the_pawns_in_whose_colour_their_seats_are_marked(inks):
    names = ("Ann", "Bob", "Cy", "Dora")
    options = {option.name: option.default for option in PARTNERS.options}
    state = PARTNERS.start(Setup("partners", names, options, 1))
    told = " ".join(
        Translator("en", PARTNERS).translate(step.text) for step in PARTNERS.list_setup_steps(state)
    )
    for seat, name in enumerate(names, 1):
        hue, _light, _saturation = colorsys.rgb_to_hls(*Color.parse(inks[seat - 1]).normalized)
        colour = min(HUES, key=lambda one: abs((HUES[one] - 360 * hue + 180) % 360 - 180))
        assert re.search(rf"{name} (takes )?the {colour}\b", told), (name, colour, told)
