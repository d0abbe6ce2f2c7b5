"""Two layouts' difference is what a player has to do with real cards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.live.snapshot import CardMove
from companion.live.timeline import CardPositions, diff_layouts, list_card_checks, list_card_moves

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


NOWHERE: dict[str, tuple[str, ...]] = {}
HERE, THERE, TWICE = {"middle": ("hat",)}, {"seat:1 up": ("hat",)}, {"middle": ("hat", "hat")}


def seen_at(*steps):
    """Cards as readers report them (True) or as keys tell them, step by step."""
    positions, before = CardPositions(), NOWHERE
    for by_reader, layout in steps:
        (positions.record_reading if by_reader else positions.record_entry)(before, layout)
        before = layout
    return positions


@pytest.mark.parametrize(
    ("steps", "wanted", "moves"),
    [
        ([(True, HERE)], HERE, []),
        ([(True, HERE)], NOWHERE, [("hat", "middle", None)]),
        ([(True, HERE), (True, THERE)], HERE, [("hat", "seat:1 up", "middle")]),
        ([(True, TWICE)], HERE, [("hat", "middle", None)]),
        # A place of which no reader told anything may hold anything.
        ([(False, HERE)], NOWHERE, []),
        ([(False, HERE)], TWICE, []),
        ([(True, THERE)], HERE, [("hat", "seat:1 up", None)]),
        # By keys the card may have been moved, or may lie there still.
        ([(True, HERE), (False, NOWHERE)], HERE, []),
        ([(True, HERE), (False, NOWHERE)], NOWHERE, []),
        ([(True, HERE), (False, TWICE)], NOWHERE, [("hat", "middle", None)]),
        ([(True, HERE), (False, TWICE)], {"middle": ("hat",) * 3}, [("hat", None, "middle")]),
        ([(True, HERE), (False, {"middle": ("hat", "coin")})], HERE, []),
        ([(False, HERE), (True, TWICE)], HERE, [("hat", "middle", None)]),
        ([(False, HERE), (True, TWICE)], NOWHERE, [("hat", "middle", None)] * 2),
        ([(False, TWICE), (True, HERE)], TWICE, [("hat", None, "middle")]),
    ],
)
def test_a_card_is_to_be_moved_where_readers_have_seen_it_elsewhere(steps, wanted, moves):
    positions = seen_at(*steps)
    found = list_card_moves(positions.find_discrepancies(wanted))
    assert [(one.card, one.source, one.target) for one in found] == moves
    positions.confirm_positions(wanted)
    assert positions.find_discrepancies(wanted) == {}
