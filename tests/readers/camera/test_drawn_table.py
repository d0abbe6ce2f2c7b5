from __future__ import annotations

import itertools

import cv2
import numpy as np
import pytest
from cards import BACK, DRAWINGS, library, world

from companion.demo.actions import Gesture
from companion.demo.table import REACH_TIME, TOUCH_TIME, Animation
from companion.demo.world import World
from companion.readers.camera.calibration import ZoneMap
from companion.table import zones
from vision.reader import Reader

WHOLE = 2 * REACH_TIME + TOUCH_TIME


def differs(one, other):
    """How many pixels differ by more than the noise does."""
    return int((cv2.absdiff(one, other).max(axis=2) > 40).sum())


def names(table):
    return [(lying.card, lying.zone, lying.face) for lying in table.table_cards]


@pytest.mark.parametrize("seats", [3, 5, 7])
def test_cards_lie_in_their_zones_side_by_side(seats):
    table = world(seats)
    for seat, card in itertools.product(range(1, seats + 1), itertools.islice(DRAWINGS, 3)):
        table.lay_card(card, f"seat:{seat}")
    table.lay_card("donkey:giant", "middle")
    placing = ZoneMap(table.zones.with_camera(table.camera), *table.size)
    assert [placing.find_zone(i, lying.quad) for i, lying in enumerate(table.table_cards)] == [
        lying.zone for lying in table.table_cards
    ]
    for one, other in itertools.combinations(table.table_cards, 2):
        meeting, _ = cv2.intersectConvexConvex(one.quad.astype(np.float32), other.quad.astype(np.float32))
        assert meeting == 0, (one, other)


def test_a_full_seat_takes_a_card_on_top_of_another():
    table = world(7)
    for card in itertools.islice(DRAWINGS, 12):
        table.lay_card(card, "seat:1")
    assert len(table.table_cards) == 12


def test_the_pile_is_a_pile():
    table = world()
    spots = [table.lay_card(card, "pile") for card in itertools.islice(DRAWINGS, 5)]
    assert np.ptp([spot.x for spot in spots]) < 12


def test_every_card_on_the_drawn_table_can_be_read():
    table = world(5)
    cards = itertools.cycle(DRAWINGS)
    for seat in range(1, 6):
        for card in itertools.islice(cards, 5, 7):
            table.lay_card(card, f"seat:{seat}")
    table.lay_card("donkey:giant", "middle")
    table.lay_card("load:red:1", "pile", "down")
    read = Reader(library(DRAWINGS)).read(table.render_frame())
    expected = sorted("back" if lying.face == "down" else lying.card for lying in table.table_cards)
    assert sorted(reading.card for reading in read if reading.sure) == expected


def test_a_card_that_comes_and_goes_leaves_the_picture_as_it_was():
    table = world()
    table.lay_card("load:red:1", "middle")
    before = table._background.copy()
    table.lay_card("load:red:2", "middle")
    assert differs(before, table._background) > 500
    table.take_card("middle", "load:red:2")
    assert np.array_equal(before, table._background)


def test_noise_is_new_in_every_picture_and_small():
    table = world()
    one, other = table.render_frame(), table.render_frame()
    assert not np.array_equal(one, other)
    assert 1 < cv2.absdiff(one, other).mean() < 8


def test_the_same_seed_draws_the_same_table():
    def drawn(seed):
        table = world(seed=seed)
        table.lay_card("load:red:1", "seat:2")
        return table.render_frame()

    assert np.array_equal(drawn(4), drawn(4))
    assert not np.array_equal(drawn(4), drawn(5))


def test_cards_are_laid_turned_taken_and_cleared():
    table = world()
    table.lay_card("load:red:1", "seat:1", "down")
    table.lay_card("load:red:2", "seat:1")
    table.turn_card("seat:1", "load:red:1")
    assert names(table) == [("load:red:2", "seat:1", "up"), ("load:red:1", "seat:1", "up")]
    table.turn_card("seat:1", "load:red:2")
    table.take_card("seat:1", "load:red:1")
    assert names(table) == [("load:red:2", "seat:1", "down")]
    table.take_card("seat:2")
    table.lay_card("donkey:giant", "middle")
    table.clear_zone("seat:1")
    assert names(table) == [("donkey:giant", "middle", "up")]
    table.clear_zone()
    assert names(table) == []


def test_the_other_face_of_a_contract_is_its_other_card():
    faces = {"contract:red:accept": DRAWINGS["load:red:1"], "contract:red:refuse": DRAWINGS["load:red:2"]}
    table = World({**DRAWINGS, **faces}, BACK, zones.make_default_zones(4))
    table.lay_card("contract:red:accept", "seat:1", "down")
    table.turn_card("seat:1", "contract:red:refuse")
    assert names(table) == [("contract:red:refuse", "seat:1", "up")]


def test_a_card_that_the_deck_has_not_cannot_be_laid():
    with pytest.raises(KeyError):
        world().lay_card("load:red:99", "seat:1")


def test_gestures_are_performed_in_order_and_in_time():
    stage = Animation(world())
    stage.perform([Gesture("lay", "seat:1", "load:red:1", "down"), Gesture("turn", "seat:1", "load:red:1")])
    stage.advance(REACH_TIME)
    assert names(stage.world) == []
    stage.advance(TOUCH_TIME)
    assert names(stage.world) == [("load:red:1", "seat:1", "down")]
    stage.advance(WHOLE)
    assert names(stage.world) == [("load:red:1", "seat:1", "up")]
    assert not stage.is_idle
    stage.advance(REACH_TIME)
    assert stage.is_idle


def test_a_hand_covers_the_card_and_goes_away():
    stage = Animation(world())
    stage.world.lay_card("load:red:1", "seat:1")
    before = stage.take_picture().image
    stage.perform([Gesture("press", "seat:1", "accept")])
    stage.advance(REACH_TIME)
    assert differs(before, stage.take_picture().image) > 8000
    stage.advance(WHOLE)
    assert differs(before, stage.take_picture().image) < 50


@pytest.mark.parametrize("speed", [0.5, 1, 10])
def test_speed_makes_hands_faster(speed):
    stage = Animation(world(), speed=speed)
    stage.perform([Gesture("lay", "seat:1", "load:red:1")] * 3)
    stage.advance(3 * WHOLE / speed - 0.01)
    assert not stage.is_idle
    stage.advance(0.02)
    assert stage.is_idle
    assert len(stage.world.table_cards) == 3


def test_hands_can_be_paused_stepped_and_let_go():
    stage = Animation(world())
    stage.pause()
    stage.perform([Gesture("lay", "seat:1", f"load:red:{value}") for value in (1, 2, 3)])
    stage.advance(60)
    assert names(stage.world) == []
    stage.step()
    stage.advance(60)
    assert len(stage.world.table_cards) == 1
    stage.resume()
    stage.advance(60)
    assert len(stage.world.table_cards) == 3


def test_gestures_that_have_not_begun_can_be_dropped():
    stage = Animation(world())
    stage.perform([Gesture("lay", "seat:1", f"load:red:{value}") for value in (1, 2, 3)])
    stage.advance(REACH_TIME)
    stage.drop_pending()
    stage.advance(60)
    assert len(stage.world.table_cards) == 1
    assert stage.is_idle


def test_a_button_is_pressed_by_its_seat():
    pressed = []
    stage = Animation(world(), on_press=lambda seat, button: pressed.append((seat, button)))
    stage.perform([Gesture("press", "seat:3", "refuse"), Gesture("press", "seat:1", "accept")])
    stage.advance(60)
    assert pressed == [(3, "refuse"), (1, "accept")]


def test_a_still_table_is_photographed_less_often():
    stage = Animation(world(), frames=20, idle_frames=5)
    paces = [stage.frame_rate]
    stage.advance(5)
    paces.append(stage.frame_rate)
    stage.perform([Gesture("take", "seat:1")])
    stage.advance(0.1)
    paces.append(stage.frame_rate)
    stage.speed = 4
    assert [*paces, stage.frame_rate] == [12.5, 5, 12.5, 20]


def test_a_stage_that_is_closed_gives_no_more_frames():
    assert Animation(world()).read(lambda _seconds: True) is None
