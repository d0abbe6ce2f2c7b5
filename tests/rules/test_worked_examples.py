"""The worked examples of the rules pages, played with the numbers that stand there, in both
languages."""

import re
from pathlib import Path

import pytest

from tests.rules.donkey_valley.evening import Evening
from tests.rules.partners.positions import board, played, state_of

PAGES = Path(__file__).parents[2] / "docs" / "rules"
EXAMPLE = re.compile(r"\*+(?:An example|Un exemple|Example|Exemple)\b.*?(?=\n\n|\n- |\Z)", re.DOTALL)
PLAYED = {"donkey_valley": 1, "partners": 1}
"""Examples of a page that a test below plays."""


def examples(game, language):
    """The examples of a page, each in one line."""
    page = (PAGES / f"{game}.{language}.md").read_text(encoding="utf-8")
    return [" ".join(found.split()) for found in EXAMPLE.findall(page)]


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game", ["donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend"])
def test_every_example_is_played(game, language):
    assert len(examples(game, language)) == PLAYED.get(game, 0), "play it below"


@pytest.mark.parametrize("language", ["en", "fr"])
def test_four_loads_that_make_the_capacity_and_one_more(language):
    (told,) = examples("donkey_valley", language)
    capacity, *loads, total, other, instead_of, over = map(int, re.findall(r"\d+", told))
    for laid, sum_, overloaded in (
        (loads, total, False),
        ([other if load == instead_of else load for load in loads], over, True),
    ):
        evening = Evening("ABCD")
        view = evening.round("normal", laid, "AARR")
        assert (view["capacity"], view["total"], view["overloaded"]) == (capacity, sum_, overloaded)
        right = "CD" if overloaded else "AB"
        assert {name for name in "ABCD" if evening.won(name)} == set(right)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_pawn_goes_in_as_far_as_it_can_and_back_out(language):
    (told,) = examples("partners", language)
    still, moves, card, inner, *_, square = map(int, re.findall(r"\d+", told))
    assert inner == still + 1, "as far as there is room"
    pawns = played(state_of(board(Ann=f"goal:{still} goal:{moves}")), str(card), f"Ann 2 4:{square}")
    assert pawns["Ann"] == f"goal:{still} 4:{square} base base"
