from __future__ import annotations

import itertools

import cv2
import numpy as np
import pytest

from tools.verifier.things import (
    ACROSS,
    DOWN,
    INKS,
    PLACES,
    SUITS,
    Card,
    Mark,
    Word,
    render_card,
    rotate_half_turn,
)
from vision.geometry import make_box, make_rectangle
from vision.naming import pack52
from vision.naming.pack52 import NAMES, NO_NAME
from vision.steps import run_to_end


def logs_of(*rows):
    """What a network might say: the likelihoods of some names for each card."""
    says = np.full((len(rows), NO_NAME + 1), -20.0)
    for row, shares in zip(says, rows, strict=True):
        for name, part in shares.items():
            row[NO_NAME if name is None else NAMES.index(name)] = np.log(part)
    return says


@pytest.mark.parametrize("seed", range(20))
def test_the_columns_for_all_rows_are_the_cheapest_of_all_ways(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 6))
    columns = rows + int(rng.integers(0, 3))
    costs = rng.normal(size=(rows, columns))
    chosen = pack52.solve_assignment(costs)
    assert len(set(chosen)) == rows
    least = min(
        sum(costs[row, column] for row, column in enumerate(way))
        for way in itertools.permutations(range(columns), rows)
    )
    assert sum(costs[row, column] for row, column in enumerate(chosen)) == pytest.approx(least)


def test_a_whole_pack_settles_what_single_cards_leave_open():
    says = logs_of({"JS": 0.6, "JC": 0.4}, {"JS": 0.9, "JC": 0.1}, {None: 0.9, "AH": 0.1})
    assert [pack52.guess_name(row).name for row in says] == ["JS", "JS", None]
    assert pack52.assign_names(says) == ["JC", "JS", None]
    assert pack52.assign_names(says, {"JS": 2, "AH": 1}) == ["JS", "JS", None]
    assert pack52.assign_names(says[:0]) == []


def test_more_cards_than_names_leave_the_least_likely_without_one():
    says = logs_of({"7D": 0.9, None: 0.1}, {"7D": 0.5, None: 0.5}, {"7D": 0.99, None: 0.01})
    assert pack52.assign_names(says) == [None, None, "7D"]


def test_only_what_nothing_comes_near_is_sure():
    sure, unsure = logs_of({"10H": 0.999}, {"10H": 0.7, "9H": 0.3})
    assert pack52.guess_name(sure)[:2] == ("10H", True)
    assert pack52.guess_name(unsure)[:2] == ("10H", False)
    assert pack52.guess_name(unsure).likely[:2] == ("10H", "9H")


def test_that_it_is_no_card_of_a_pack_need_not_be_as_unlikely_as_another_name():
    sure, of_none, another = logs_of(
        {"10H": 0.9, None: 0.1}, {"10H": 0.8, None: 0.2}, {"10H": 0.9, "9H": 0.1}
    )
    assert pack52.guess_name(sure)[:2] == ("10H", True)
    assert pack52.guess_name(of_none)[:2] == ("10H", False)
    assert pack52.guess_name(another)[:2] == ("10H", False)


def test_pairs_whose_names_may_be_each_others_are_told_the_most_alike_first():
    says = logs_of(
        {"KS": 0.5, "KC": 0.45},
        {"KC": 0.5, "KS": 0.4},
        {"AH": 0.99},
        {"QD": 0.6, "QH": 0.3},
        {"QH": 0.9, "QD": 0.1},
    )
    names = pack52.assign_names(says)
    assert list(pack52.find_ambiguous_pairs(says, names)) == [(0, 1), (3, 4)]


def card(rank, suit, places=PLACES):
    """A card of a plain pack, 448 pixels high."""
    ink = INKS[0] if suit < 2 else INKS[1]
    things = [
        Mark(SUITS[suit], 160 + 72 * x, 224 + 130 * y, 26, ink, turned=y > 0.05) for x, y in places[rank]
    ]
    index = [
        Word("A23456789"[rank - 1] if rank < 10 else "10", 14, 60, 40, ink, cv2.FONT_HERSHEY_DUPLEX, 4),
        Mark(SUITS[suit], 32, 88, 16, ink),
    ]
    whole = render_card(Card(np.full(3, 0.97), (*things, *index, *map(rotate_half_turn, index))))
    return np.asarray(whole * 255, np.uint8)


def test_an_eight_in_two_columns_of_four_is_no_nine():
    columns = {8: [(x, y) for x in (-1, 1) for y in (-1, -0.33, 0.33, 1)]}
    for suit, name in enumerate(("8H", "8D", "8S", "8C")):
        (says,) = pack52.name_log_likelihoods(card(8, suit, columns), [make_rectangle(ACROSS, DOWN)])
        assert pack52.guess_name(says).name == name


def test_the_network_names_a_pack_that_it_never_saw():
    picture = cv2.copyMakeBorder(card(7, 0), 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=(60, 110, 70))
    quad = make_rectangle(ACROSS, DOWN) + 40
    (upright,) = pack52.name_log_likelihoods(picture, [quad])
    (turned,) = pack52.name_log_likelihoods(np.ascontiguousarray(picture[::-1, ::-1]), [quad])
    assert np.exp(upright).sum() == pytest.approx(1, abs=1e-3)
    assert turned == pytest.approx(upright, abs=0.3)
    wanted = [
        f"{'A' if rank == 1 else rank}{pack52.SUITS[suit]}" for suit in range(4) for rank in range(1, 11)
    ]
    whole = make_rectangle(ACROSS, DOWN)
    says = [
        pack52.name_log_likelihoods(card(rank, suit), [whole])[0]
        for suit in range(4)
        for rank in range(1, 11)
    ]
    named = pack52.assign_names(np.array(says))
    assert sum(one == name for one, name in zip(named, wanted, strict=True)) >= 36


STRIP = round(0.31 * DOWN)
"""How much of a card shows in a column of cards, in pixels."""


def read_index(rank, suit, *covers, inwards=0, under=None):
    """What the indices of a card tell outside these covers (left, top, right, bottom, in pixels of
    the card), its outline drawn so many pixels inside its border; `under`: a card that lies over
    it, below its index, and is not known yet."""
    shown = card(rank, suit)
    if under:
        shown[STRIP:] = card(*under)[:-STRIP]
    picture = cv2.copyMakeBorder(shown, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=(60, 110, 70))
    quads = [make_box(*cover) + 40 for cover in covers]
    for quad in quads:
        cv2.fillConvexPoly(picture, np.round(quad).astype(np.int32), (200, 60, 120))
    outline = make_box(inwards, inwards, ACROSS - inwards, DOWN - inwards) + 40
    says = run_to_end(pack52.index_log_likelihoods_in_steps(picture, outline, quads))
    return None if says is None else pack52.guess_name(says, (), pack52.OF_PACK_PARTIAL)


@pytest.mark.parametrize(("rank", "suit", "name"), [(3, 0, "3H"), (5, 2, "5S"), (7, 3, "7C"), (9, 1, "9D")])
def test_an_index_tells_what_a_card_under_another_is(rank, suit, name):
    assert read_index(rank, suit, (75, -20, 340, 470)).name == name
    assert read_index(rank, suit, (-20, -20, 250, 470)).name == name


@pytest.mark.parametrize(("rank", "suit", "name"), [(5, 2, "5S"), (7, 3, "7C"), (9, 1, "9D")])
def test_an_index_is_sure_though_the_outline_runs_inside_the_border(rank, suit, name):
    found = read_index(rank, suit, (-20, 150, 340, 470), inwards=14)
    assert (found.name, found.sure) == (name, True)


@pytest.mark.parametrize(("rank", "suit", "name"), [(5, 2, "5S"), (7, 3, "7C"), (9, 1, "9D")])
def test_an_index_is_sure_though_the_card_below_it_is_not_known_yet(rank, suit, name):
    found = read_index(rank, suit, inwards=18, under=(4, 0))
    assert (found.name, found.sure) == (name, True)


def test_a_card_of_which_no_index_shows_is_not_named():
    assert read_index(7, 3, (-20, -20, 60, 200), (200, 400, 340, 470)) is None
