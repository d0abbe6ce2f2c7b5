"""How a start is refused: names and options as they are quoted, and what there is instead."""

from __future__ import annotations

from fractions import Fraction

import pytest

from companion.rules import registry
from companion.rules.start import Start, check_names, prepare_game
from companion.texts import Translator
from tests.toy import Toy


def test_a_name_is_quoted_in_part():
    assert check_names(["é" * 200]).text.args == {"name": ascii("é" * 20), "most": 100}
    assert check_names(["x" * 50 + "\n"]).text.args == {"name": ascii("x" * 40)}


class Plain(Toy):
    """A game without options."""

    options = ()


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("loud" * 20, "loud" * 10),
        (Fraction(1, 2), '"Fraction(1, 2)"'),
        (list(range(50)), "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,1"),
        ({"heart": 1, "swap": None, "x": True}, "heart 1, swap null, x true"),
        ({"heart" * 20: "y" * 50}, f"{'heart' * 8} {'y' * 40}"),
        (dict.fromkeys(map(str, range(50)), 1), ", ".join(f"{one} 1" for one in range(40))),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_value_is_quoted_as_people_write_it_and_in_part(value, quoted):
    refusal = prepare_game(Start("dtc", ["Ann", "Ben"], {"variant": value}))
    # A refusal itself has room for 120 signs.
    assert refusal.text.args == {"option": "variant", "value": quoted[:120], "usual": "off"}
    assert (refusal.code, refusal.clause) == ("bad_option", "DTC-8")


def test_an_unknown_option_is_refused_with_those_there_are_or_none(monkeypatch):
    refusal = prepare_game(Start("dtc", ["Ann", "Ben"], {"speed": 3}))
    assert refusal.text.args == {"option": "speed", "known": ("variant", "hands_only")}
    monkeypatch.setattr(registry, "load_game", lambda game_id: Plain())
    refusal = prepare_game(Start("toy", ["Ann", "Ben"], {"speed": 3}))
    assert Translator("en").translate(refusal.text).endswith(f"{Translator('en')('list.none')}.")


def test_too_few_and_too_many_players_are_told_how_many_can_play():
    for players in (["A"], list("ABCDEFG")):
        refusal = prepare_game(Start("dtc", players))
        assert refusal.text.args == {"count": len(players), "least": 2, "most": 6}
