from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.naming import pack52
from vision.naming.pips import COLUMNS, count_pips

WIDTH, HEIGHT = 160, 224


def draw_pips(left, middle, *, paper=(0.95, 0.95, 0.95), ink=(0.1, 0.1, 0.8)):
    """A card with pips in two outer columns and a middle one, and an index in two corners."""
    card = np.full((HEIGHT, WIDTH, 3), paper, np.float32)
    rows = [(x, y) for x in (0.3, 0.7) for y in (np.linspace(0.2, 0.8, left) if left > 1 else ())]
    heights = {1: (0.5,), 2: (0.3, 0.7), 3: (0.2, 0.5, 0.8)}.get(middle, ())
    for x, y in [*rows, *((0.5, y) for y in heights)]:
        cv2.circle(card, (round(x * WIDTH), round(y * HEIGHT)), 11, ink, -1, cv2.LINE_AA)
    for y in (24, 200):
        cv2.rectangle(card, (8, y - 10), (18, y + 10), ink, -1)
    return card


@pytest.mark.parametrize(("columns", "count"), COLUMNS.items())
def test_pips_are_counted_on_paper_of_any_colour(columns, count):
    assert count_pips(draw_pips(*columns)) == count
    assert count_pips(draw_pips(*columns, paper=(0.5, 0.8, 0.9), ink=(0.05, 0.05, 0.05))) == count
    assert count_pips(np.ascontiguousarray(draw_pips(*columns)[::-1, ::-1])) == count


def test_where_anything_else_is_seen_nothing_is_counted():
    figure = draw_pips(2, 1)
    cv2.rectangle(figure, (60, 40), (110, 190), (0.1, 0.5, 0.2), -1)
    hidden = draw_pips(3, 2)
    hidden[:60, :70] = 0.5
    one_gone = draw_pips(4, 2)
    cv2.circle(one_gone, (48, 45), 16, (0.95, 0.95, 0.95), -1)
    ace, blank = draw_pips(0, 1), draw_pips(0, 0)
    assert [count_pips(one) for one in (figure, hidden, one_gone, ace, blank)] == [None] * 5


def test_a_counted_card_has_no_other_rank_but_any_suit(monkeypatch):
    says = np.full((3, pack52.NO_NAME + 1), -10.0)
    says[:, [pack52.NAMES.index(name) for name in ("9D", "5D", "5H")]] = -1.0, -1.5, -4.0
    monkeypatch.setattr(pack52, "_to_logs", lambda _output: says[0])
    assert pack52.guess_name(pack52.patch_log_likelihoods(draw_pips(0, 0))).name == "9D"
    weighed = pack52.patch_log_likelihoods(draw_pips(2, 1))
    assert pack52.guess_name(weighed).likely[:2] == ("5D", "5H")
    assert np.exp(weighed).sum(axis=1) == pytest.approx(1)


def test_two_or_three_symbols_in_a_row_may_be_of_another_game(monkeypatch):
    says = np.full((3, pack52.NO_NAME + 1), -5.0)
    says[:, pack52.NO_NAME] = -1.0
    monkeypatch.setattr(pack52, "_to_logs", lambda _output: says[0])
    for columns, name in (((0, 3), None), ((0, 2), None), ((2, 1), "5H")):
        guess = pack52.guess_name(pack52.patch_log_likelihoods(draw_pips(*columns)))
        assert (guess.name, guess.sure) == (name, False)
