"""The tables of `bench.vision_editions` name one design alike, by whichever deck's words."""

from pathlib import Path

import pytest

from bench.vision_editions import design, editions
from vision.decks.labels import Label, LabelledPhoto


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("purple-triple-solid-diamond", "3-purple-solid-diamond"),
        ("green-single-outline-capsule", "1-green-empty-oval"),
        ("red-double-stripes-squiggle", "2-red-striped-squiggle"),
        ("2-red-striped-squiggle", "2-red-striped-squiggle"),
    ],
)
def test_a_design_has_one_name(told, name):
    assert design(told) == name


def test_what_is_enrolled_is_a_table_of_its_own_and_other_decks_are_none():
    def of(deck: str, use: str, name: str, card: str) -> LabelledPhoto:
        return LabelledPhoto(Path(name), name, deck, use, (Label(card, 1, 1, None),))

    found = editions(
        [
            of("set-table", "reference", "reference-1.jpg", "red-double-stripes-squiggle"),
            of("set-table", "test", "set-hahn-1.jpg", "red-double-stripes-squiggle"),
            of("set81", "test", "DSC_1.jpg", "2-red-striped-squiggle"),
            of("epfl52", "test", "game1.jpg", "JC"),
        ]
    )
    assert list(found) == ["set-table, references", "set-table, hahn", "set81, DSC_1"]
    assert {card.card for photos in found.values() for one in photos for card in one.cards} == {
        "2-red-striped-squiggle"
    }
