"""Every block letter in every size, every colour of every theme, and the marks of the seats.
`pytest tests/views --snapshot-update` renews it; read the difference."""

from __future__ import annotations

import string

import pytest
from syrupy.assertion import SnapshotAssertion

from companion.texts import Translator
from companion.views.block_letters import SIZES, can_draw_letters, draw_block_letters, fit_block_letters
from companion.views.themes import THEMES, draw_marked_name, mark_for_seat
from tests.views.table import Characters

SIGNS = [
    *("ABCDEFGHI", "JKLMNOPQR", "STUVWXYZ", string.digits, "ÀÂÄÅÇÉÈ", "ÊËÎÏÔÖÙ", "ÛÜŸŒÆẞÑ", "Ąģő ž"),
    *(string.punctuation[:16], string.punctuation[16:], "–—·…½⅓⅔¼¾", "«»’“”ß", "½ 3¼"),
]


@pytest.mark.parametrize("size", sorted(SIZES))
def test_every_letter(size: int, snapshot: SnapshotAssertion) -> None:
    drawn = [
        "\n".join(
            [f"[{sign}] {can_draw_letters(sign)}", *(row.rstrip() for row in draw_block_letters(sign, size))]
        )
        for sign in SIGNS
    ]
    # a sign that has no letter leaves its whole word undrawn, so each is asked alone
    drawn.append("".join(sign for word in SIGNS for sign in word if not can_draw_letters(sign)))
    drawn += ["\n".join(draw_block_letters(sign, size)) for sign in "-+/!?.,:'éñ" if can_draw_letters(sign)]
    assert "\n".join(drawn) == snapshot(extension_class=Characters)


def test_the_largest_letters_that_fit_are_taken() -> None:
    for size in sorted(SIZES):
        wide = len(draw_block_letters("Ann 7", size)[0])
        assert fit_block_letters("Ann 7", wide, (size,)) == draw_block_letters("Ann 7", size)
        assert fit_block_letters("Ann 7", wide - 1, (size,)) == ("Ann 7",)
    assert fit_block_letters("Ann", 200) == draw_block_letters("Ann", 5)
    assert fit_block_letters("李", 200) == ("李",)
    assert fit_block_letters("", 200, (3,)) == fit_block_letters("", 0, (3,))


@pytest.mark.parametrize("theme", THEMES, ids=lambda one: one.name)
def test_every_colour(theme, snapshot: SnapshotAssertion) -> None:
    colours = {**vars(theme), **theme.variables}
    told = [f"{name} = {value}" for name, value in sorted(colours.items()) if name != "variables"]
    assert "\n".join(told) == snapshot(extension_class=Characters)


def test_the_marks_of_the_seats(snapshot: SnapshotAssertion) -> None:
    told = []
    for seat in range(1, 14):
        name = draw_marked_name("Maximilian Alexander Konstantin", seat, Translator("en"), 12)
        told.append(f"{seat} {mark_for_seat(seat)} {name.plain} {[str(one.style) for one in name.spans]}")
    assert "\n".join(told) == snapshot(extension_class=Characters)
