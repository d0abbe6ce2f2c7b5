"""The checks of a start: names that can be shown and told apart, and options as they are quoted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from companion.rules import registry
from companion.rules.start import Start, check_names, prepare_game
from companion.texts import Translator
from tests.toy import Toy

SPOILED = "\n\x1b\x7f\ud800\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Signs that end a line, or turn the text after them around."""


@pytest.mark.parametrize("sign", SPOILED, ids=ascii)
def test_no_name_has_a_sign_that_spoils_the_line(sign):
    refusal = check_names(["Ann", f"B{sign}n"])
    assert refusal.text.code == "refusal.bad_name"
    assert refusal.text.args == {"name": ascii(f"B{sign}n")}


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["Ann", "עדי\u200f", "👩\u200d👧", "O'Neil"], None),
        (["Ann", "x" * 100], None),
        (["Ann", "x" * 101], "long_name"),
        (["Ann", ""], "bad_name"),
        (["Ann", "  "], "bad_name"),
        (["Ann", "\u200b\u200b"], "bad_name"),
        (["Ann", " Ann"], "same_name"),
        (["Ann", "A\u200bnn"], "same_name"),
        (["Ann", "Ａnn"], "same_name"),
        (["Zoé", "Zoe\u0301"], "same_name"),
        (["Ann", "ann"], None),
    ],
    ids=ascii,
)
def test_a_name_can_be_seen_and_told_from_the_others(names, code):
    refusal = check_names(names)
    assert (refusal and (refusal.code, refusal.text.code)) == (code and ("bad_players", f"refusal.{code}"))


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
