"""Pictures for people who check names: where each card, caption and outline stands. Cards here have
two plain colours, so that each pixel says what it belongs to."""

from __future__ import annotations

import numpy as np
import pytest

from companion.enrolment.card_pictures import (
    draw_name_sheets,
    draw_numbered,
    draw_outlines,
    draw_side_by_side,
    make_labels,
)
from companion.enrolment.picture_analysis import OutlinedPicture, Shot

CLOTH, TOP, BOTTOM, GROUND, GREEN = (90, 60, 30), (200, 40, 40), (40, 40, 200), (32, 32, 32), (80, 230, 90)


def shot(width=140, height=196, turned=False):
    """A card on cloth, its upper half of another colour than the lower one."""
    image = np.full((height + 40, width + 60, 3), CLOTH, np.uint8)
    image[20 : 20 + height // 2, 30 : 30 + width] = TOP
    image[20 + height // 2 : 20 + height, 30 : 30 + width] = BOTTOM
    corners = ((30, 20), (29 + width, 20), (29 + width, 19 + height), (30, 19 + height))
    quad = np.array(corners[2:] + corners[:2] if turned else corners, np.float32)
    return Shot(image, quad)


def find_box(picture, colour):
    """Return left, top, right and bottom of a colour in a picture, and how much of it there is."""
    is_there = np.abs(picture.astype(int) - colour).max(axis=2) < 12
    rows, columns = np.nonzero(is_there)
    return tuple(map(int, (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1))), int(
        is_there.sum()
    )


def test_cards_stand_side_by_side_upright_and_equally_high():
    plain = draw_side_by_side([shot(), shot(turned=True)])
    assert plain.shape == (420 + 2 * 12, 2 * (300 + 2 * 12), 3)
    for number, (upper, lower) in enumerate(((TOP, BOTTOM), (BOTTOM, TOP))):
        panel = plain[:, 324 * number : 324 * (number + 1)]
        assert find_box(panel, upper)[0] == pytest.approx((12, 12, 312, 222), abs=4)
        assert find_box(panel, lower)[0] == pytest.approx((12, 222, 312, 432), abs=4)
        assert (panel[0, 0] == GROUND).all()
        assert (panel[-1, -1] == GROUND).all()


def test_captions_stand_above_the_cards_in_their_own_room():
    said = draw_side_by_side([shot(), shot()], ["1 7S", "12 9H ?"])
    assert said.shape == (420 + 40 + 12, 648, 3)
    (left, top, right, bottom), amount = find_box(said[:, :324], GREEN)
    assert (left, bottom) == pytest.approx((15, 29), abs=3)
    assert (top > 8, right < 100, 100 < amount < 1500) == (True, True, True)
    assert find_box(said[:, 324:], GREEN)[0][2] > right
    assert find_box(said[:, :324], TOP)[0] == pytest.approx((12, 40, 312, 250), abs=4)


def test_of_the_corners_only_their_share_is_shown_as_large():
    corner = draw_side_by_side([shot()], corner_share=0.5)
    assert corner.shape == (420 + 24, 300 + 24, 3)
    assert find_box(corner, TOP)[0] == pytest.approx((12, 12, 312, 432), abs=5)


@pytest.mark.parametrize(
    ("width", "height", "box"),
    [(140, 196, (12, 12, 162, 222)), (100, 200, (12, 12, 117, 222)), (150, 160, (12, 12, 162, 172))],
)
def test_a_card_of_any_shape_keeps_it_on_a_sheet_of_names(width, height, box):
    (sheet,) = draw_name_sheets([shot(width, height)], ["7S"])
    assert sheet.shape == (210 + 34 + 24, 150 + 24, 3)
    left, top, right, bottom = box
    middle = (top + bottom) // 2
    assert find_box(sheet, TOP)[0] == pytest.approx((left, top, right, middle), abs=4)
    assert find_box(sheet, BOTTOM)[0] == pytest.approx((left, middle, right, bottom), abs=4)
    assert (sheet[-1, -1] == GROUND).all()


def test_captions_on_a_sheet_are_below_their_cards_and_never_wider():
    for caption in ("7S", "a very long name of a very special card"):
        (sheet,) = draw_name_sheets([shot()], [caption])
        left, top, right, bottom = find_box(sheet, GREEN)[0]
        assert 222 < top < bottom <= 210 + 12 + 24 + 8
        assert 12 <= left <= 16
        assert right <= 12 + 150 + 2
        if caption == "7S":
            # In letters of readable size.
            assert (12 <= bottom - top <= 18, 20 <= right - left <= 40) == (True, True)
        else:
            assert right > 150


def test_nine_cards_in_a_row_and_six_rows_on_a_sheet():
    def count_cells(number):
        sheets = draw_name_sheets([shot(14, 20)] * number, [""] * number)
        return [(sheet.shape[0] / 268, sheet.shape[1] / 174) for sheet in sheets]

    assert count_cells(1) == [(1, 1)]
    assert count_cells(9) == [(1, 9)]
    assert count_cells(10) == [(2, 9)]
    assert count_cells(54) == [(6, 9)]
    assert count_cells(55) == [(6, 9), (1, 1)]
    (sheet,) = draw_name_sheets([shot(14, 20)] * 10, ["x"] * 10)
    assert (sheet[268:, 174:] == GROUND).all()


def scene(wide=960, high=540):
    image = np.full((high, wide, 3), CLOTH, np.uint8)
    low, other = (
        ((100, 100), (200, 100), (200, 240), (100, 240)),
        ((600, 300), (740, 300), (740, 400), (600, 400)),
    )
    return OutlinedPicture(image, (np.array(low, np.float32), np.array(other, np.float32)))


@pytest.mark.parametrize(("width", "line"), [(480, 5), (960, 7)])
def test_outlines_are_drawn_over_a_picture_of_the_wanted_width(width, line):
    drawn, scale = draw_outlines(scene(), width), width / 960
    assert drawn.shape == (round(540 * scale), width, 3)
    corners = np.array((100, 100, 740, 400)) * scale
    box, amount = find_box(drawn, GREEN)
    assert box == pytest.approx(tuple(corners), abs=line)
    round_both = 2 * (100 + 140 + 140 + 100) * scale
    assert amount == pytest.approx(round_both * line, rel=0.15)
    assert draw_outlines(scene(1000, 1)).shape == (1, 480, 3)


def test_numbers_stand_on_the_middles_of_their_cards():
    labels = make_labels(scene())
    assert [label.name for label in labels] == ["1", "2"]
    assert labels[0][:4] == pytest.approx((150 / 960, 170 / 540) * 2)
    assert labels[1][:4] == pytest.approx((670 / 960, 350 / 540) * 2)
    drawn = draw_numbered(scene())
    assert drawn.shape == (810, 1440, 3)
    # Inside the outlines there is only the number: green, within black.
    for x, y in ((225, 255), (1005, 525)):
        inside = drawn[y - 60 : y + 60, x - 60 : x + 60]
        for colour, half in ((GREEN, 16), ((0, 0, 0), 20)):
            left, top, right, bottom = find_box(inside, colour)[0]
            assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((60, 60), abs=8)
            assert (bottom - top) / 2 == pytest.approx(half, abs=4)
