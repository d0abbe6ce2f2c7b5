"""Cards that lie partly under others, in films."""

import cv2
import numpy as np
import pytest

from tests.simulated.scenes import Faults
from vision.markers import Stickers, draw_marker
from vision.outlines.covers import hidden_share
from vision.reader import Reader
from vision.video import work_queue
from vision.video.region_schedule import LOOK_DELAYS, RegionSchedule

FPS = 30
WHOLE = ("bench:orange:5", 200, 300, 15)
UPPER, LOWER = ("bench:violet:6", 670, 330, 50), ("bench:red:8", 600, 300, 20)
FAN = (("bench:red:8", 600, 330, -20), ("bench:blue:3", 645, 320, 0), ("bench:violet:9", 690, 330, 20))


def names(*cards):
    return sorted(card for card, *_ in cards)


@pytest.fixture
def looks(table, monkeypatch):
    """Count the searches for partly hidden cards."""
    begun = []

    def counted(*arguments):
        begun.append(arguments)
        return find(*arguments)

    find = Reader.read_partial_cards_in_steps
    monkeypatch.setattr(Reader, "read_partial_cards_in_steps", counted)
    return begun


def test_a_fan_of_three_laid_at_once_is_named_and_then_costs_nothing(table, lay, looks):
    table.show(lay().picture, 0.5)
    assert table.show(lay(*FAN).picture, 2.0) == names(*FAN)
    ids, readings = table.ids(), table.watcher.readings_started
    table.show(lay(*FAN).picture, 3.0, fps=10)
    looks.clear()
    table.show(lay(*FAN).picture, 2.0, fps=10)
    assert table.ids() == ids
    assert (table.watcher.readings_started, looks) == (readings, [])


def test_a_fan_that_lies_there_from_the_start_is_named(table, lay):
    assert table.show(lay(WHOLE, *FAN).picture, 2.0) == names(WHOLE, *FAN)


def test_two_cards_laid_touching_are_two_cards(table, lay):
    pair = (("bench:red:2", 600, 300, 0), ("bench:blue:7", 700, 300, 0))
    table.show(lay(WHOLE).picture, 0.8)
    assert table.show(lay(WHOLE, *pair).picture, 1.5) == names(WHOLE, *pair)
    assert len(table.lying) == 3


def test_touching_cards_are_named_when_a_whole_one_comes_later_and_tells_their_size(table, lay):
    pair = (("bench:red:2", 600, 300, 0), ("bench:blue:7", 700, 300, 0))
    table.show(lay().picture, 0.5)
    table.show(lay(*pair).picture, 6.0, fps=10)
    assert table.show(lay(WHOLE, *pair).picture, 1.5) == names(WHOLE, *pair)


def test_a_card_laid_at_the_edge_of_one_that_lies_there_is_named_too(table, lay):
    first, second = ("bench:red:2", 600, 300, 0), ("bench:blue:7", 700, 300, 0)
    table.show(lay(first).picture, 0.8)
    before = table.ids()
    assert table.show(lay(first, second).picture, 1.5) == names(first, second)
    assert table.ids()["bench:red:2"] == before["bench:red:2"]
    assert len(table.lying) == 2


def test_a_card_slid_under_another_is_named(table, lay):
    table.show(lay(UPPER).picture, 0.8)
    before = table.ids()
    assert table.show(lay(LOWER, UPPER).picture, 1.0) == names(LOWER, UPPER)
    assert table.ids()["bench:violet:6"] == before["bench:violet:6"]


def test_a_half_hidden_card_that_is_uncovered_keeps_its_track_and_its_name(table, lay):
    table.show(lay(UPPER).picture, 0.8)
    table.show(lay(LOWER, UPPER).picture, 1.0)
    before = table.ids()["bench:red:8"]
    for _ in range(20):
        assert "bench:red:8" in table.show(lay(LOWER).picture, 1 / FPS)
    assert table.ids() == {"bench:red:8": before}
    assert len(table.lying) == 1


def test_a_half_hidden_card_pulled_away_is_gone_within_half_a_second(table, lay):
    table.show(lay(UPPER).picture, 0.8)
    table.show(lay(LOWER, UPPER).picture, 1.0)
    before = table.ids()
    assert table.show(lay(UPPER).picture, 0.5) == ["bench:violet:6"]
    assert table.ids()["bench:violet:6"] == before["bench:violet:6"]
    assert len(table.lying) == 1


def test_a_whole_card_that_was_covered_is_gone_when_it_is_pulled_away(table, lay):
    table.show(lay(LOWER).picture, 0.8)
    assert table.show(lay(LOWER, UPPER).picture, 1.0) == names(LOWER, UPPER)
    assert table.show(lay(UPPER).picture, 0.5) == ["bench:violet:6"]


def test_both_taken_away_leave_nothing(table, lay):
    table.show(lay(UPPER).picture, 0.8)
    table.show(lay(LOWER, UPPER).picture, 1.0)
    assert table.show(lay().picture, 0.5) == []
    assert table.lying == []


def test_a_card_of_which_a_sliver_shows_is_not_named(table, lay):
    table.show(lay(("bench:violet:6", 600, 300, 0)).picture, 0.8)
    hidden = ("bench:red:8", 582, 290, 0)
    for _ in range(3):
        assert table.show(lay(hidden, ("bench:violet:6", 600, 300, 0)).picture, 0.5) == ["bench:violet:6"]


def test_a_card_laid_with_a_finger_on_its_edge_is_named(table, lay):
    table.show(lay(WHOLE).picture, 0.8)
    scene = lay(WHOLE, LOWER)
    finger = tuple(int(v) for v in scene.quads[1][1:3].mean(axis=0))
    picture = scene.picture.copy()
    cv2.circle(picture, finger, 25, (130, 160, 210), -1)
    assert table.show(picture, 1.0) == names(WHOLE, LOWER)
    before = table.ids()
    assert table.show(scene.picture, 0.5) == names(WHOLE, LOWER)
    assert table.ids() == before


def test_a_hidden_card_is_named_by_its_sticker(table_with, library, deck, lay):
    """The sticker of the card on top says nothing of the one under it."""
    stuck = {}
    for number, card in ((3, "bench:blue:1"), (4, "bench:red:1")):
        stuck[card] = deck[card].copy()
        sticker = cv2.cvtColor(draw_marker(number, 60), cv2.COLOR_GRAY2BGR)
        stuck[card][14 : 14 + sticker.shape[0], 14 : 14 + sticker.shape[1]] = sticker
    table = table_with(library, Stickers({3: "upper", 4: "lower"}))
    upper, lower = (stuck["bench:blue:1"], 670, 330, 50), (stuck["bench:red:1"], 600, 300, 20)
    table.show(lay(upper).picture, 0.8)
    assert table.show(lay(lower, upper).picture, 1.5) == ["lower", "upper"]


def test_a_hand_that_passes_is_no_reason_to_look_under_cards(table, lay, hand, looks):
    picture = lay(WHOLE, LOWER, UPPER).picture
    before = table.show(picture, 4.5, fps=10)
    looks.clear()
    for step in range(30):
        assert table.show(hand(picture, 300 + 20 * step, 330), 1 / FPS) == before
    assert looks == []
    assert table.show(picture, 1.0) == before


def test_a_hand_that_stays_is_looked_under_a_few_times_and_then_no_more(table, lay, hand, looks):
    picture = lay(WHOLE, LOWER, UPPER).picture
    before = table.show(picture, 4.5, fps=10)
    looks.clear()
    assert table.show(hand(picture, 660, 340), 6.0, fps=10) == before
    assert len(looks) <= 1 + len(LOOK_DELAYS)
    looks.clear()
    assert table.show(hand(picture, 660, 340), 3.0, fps=10) == before
    assert looks == []


@pytest.mark.slow
def test_a_hand_that_fidgets_is_looked_under_less_and_less(table, lay, hand, looks):
    """It rests for a moment, moves a little, and so on for six seconds."""
    picture = lay(WHOLE, LOWER, UPPER).picture
    before = table.show(picture, 4.5, fps=10)
    looks.clear()
    for i in range(15):
        assert table.show(hand(picture, 660 + 30 * (i % 2), 340), 0.4, fps=20) == before
    assert len(looks) <= 1 + len(LOOK_DELAYS)


@pytest.mark.slow
def test_no_frame_does_more_than_its_share_of_the_search(table, lay, counted, monkeypatch):
    done = []

    monkeypatch.setattr(
        Reader, "read_partial_cards_in_steps", counted(Reader.read_partial_cards_in_steps, done)
    )
    table.show(lay().picture, 0.5)
    most = []
    for _ in range(2 * FPS):
        done.clear()
        table.show(lay(*FAN).picture, 1 / FPS)
        most.append(len(done))
    assert table.names() == names(*FAN)
    assert 1 <= max(most) <= work_queue.STEPS


def test_a_card_of_a_pile_that_lies_under_one_nobody_could_name_is_not_taken_for_another(lay, library):
    """The five lies under the four, of which too little shows: without it the five looked rather
    like a three."""
    pile = (
        ("bench:blue:5", 610, 420, 20),
        ("bench:violet:4", 568, 340, 190),
        ("bench:blue:10", 627, 283, 38),
        ("bench:orange:2", 558, 335, 328),
    )
    scene = lay(*pile, faults=Faults(tilt=0.2, blur=0.6), width=110)
    sure = [r.card for r in Reader(library).read(scene.picture) if r.sure]
    assert sorted(sure) == ["bench:blue:10", "bench:orange:2"]


def test_what_lies_under_several_cards_is_counted_once():
    card = np.array([[0, 0], [100, 0], [100, 140], [0, 140]], dtype=np.float32)
    half, more = card + np.float32([50, 0]), card + np.float32([60, 0])
    assert hidden_share(card, [half, more]) == pytest.approx(0.5, abs=0.03)
    assert hidden_share(card, []) == 0


def test_a_place_in_which_nothing_was_found_must_rest_longer_each_time():
    places, here = RegionSchedule((4, 6)), np.zeros((4, 6), dtype=bool)
    here[1:3, 1:3] = True
    places.record_motion(here, 0.0)
    for rest in (0.1, *LOOK_DELAYS, LOOK_DELAYS[-1]):
        places.schedule_second_look(here)
        assert places.list_second_look_regions(rest - 0.05) == []
        (region,) = places.list_second_look_regions(rest + 0.01)
        places.mark_second_look(region, here)
    places.clear_failed_searches(here)
    places.schedule_second_look(here)
    assert len(places.list_second_look_regions(0.11)) == 1
