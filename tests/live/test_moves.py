"""Two layouts' difference is what a player has to do with real cards."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.live.snapshot import CardMove
from companion.live.timeline import diff_layouts, list_card_checks, list_card_moves

PLACES = ["seat:1 up", "seat:2 up", "middle"]
CARDS = ["donkey:giant", "load:any:7", "load:red:7"]
layouts = st.dictionaries(st.sampled_from(PLACES), st.lists(st.sampled_from(CARDS), max_size=4).map(tuple))


def test_a_card_in_another_place_is_one_move():
    assert list_card_moves(diff_layouts({"middle": ("donkey:giant",)}, {"seat:1 up": ("donkey:giant",)})) == (
        CardMove("donkey:giant", "middle", "seat:1 up"),
    )


def test_a_card_that_comes_or_goes_has_one_place_only():
    debt = diff_layouts({"middle": ("donkey:giant",)}, {"seat:1 up": ("load:red:7",)})
    assert list_card_moves(debt) == (
        CardMove("donkey:giant", "middle", None),
        CardMove("load:red:7", None, "seat:1 up"),
    )


def test_of_two_copies_only_one_moves():
    debt = diff_layouts(
        {"middle": ("load:any:7",) * 2}, {"middle": ("load:any:7",), "seat:2 up": ("load:any:7",)}
    )
    assert list_card_moves(debt) == (CardMove("load:any:7", "middle", "seat:2 up"),)


def test_every_known_card_is_to_be_checked():
    assert list_card_checks({"middle": ("donkey:giant",), "seat:1 up": ("load:red:7", "load:red:7")}) == (
        CardMove("donkey:giant", None, "middle"),
        CardMove("load:red:7", None, "seat:1 up"),
        CardMove("load:red:7", None, "seat:1 up"),
    )


def carried_out(layout, todo):
    cards = sorted((card, place) for place, held in layout.items() for card in held)
    for move in todo:
        if move.source is not None:
            cards.remove((move.card, move.source))
        if move.target is not None:
            cards.append((move.card, move.target))
    return sorted(cards)


@given(layouts, layouts)
def test_moving_the_cards_gives_the_layout(before, after):
    todo = list_card_moves(diff_layouts(before, after))
    assert carried_out(before, todo) == carried_out(after, ())
    assert not {(m.card, m.source) for m in todo} & {(m.card, m.target) for m in todo}
