import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from tests.simulated.scenes import Faults, table
from vision.decks import enrol
from vision.geometry import overlap_area
from vision.library import Library
from vision.outlines.working_picture import WorkingPicture
from vision.reader import Reader
from vision.reading import Reading
from vision.steps import run_to_end


@pytest.fixture(scope="module")
def reader(library: Library) -> Reader:
    return Reader(library)


def named(readings) -> list[str]:
    return sorted(r.card for r in readings if r.sure)


@pytest.mark.parametrize("kind", ["pale", "dark", "wood"])
def test_every_card_is_named_on_any_table_and_turned_any_way(reader, lay, kind):
    cards = [
        ("bench:red:6", 200, 200, 0),
        ("bench:red:9", 450, 200, 180),
        ("bench:violet:3", 700, 300, 47),
        ("bench:blue:10", 1000, 400, 265),
    ]
    scene = lay(*cards, table=table(kind, 1280, 720), faults=Faults(tilt=0.4, blur=0.8, noise=3))
    assert named(reader.read(scene.picture)) == sorted(card for card, *_ in cards)


def test_the_quad_starts_at_the_cards_own_top_left_and_lies_on_its_corners(reader, lay):
    scene = lay(("bench:blue:4", 500, 350, 160))
    (reading,) = reader.read(scene.picture)
    assert np.abs(reading.quad - scene.quads[0]).max() < 2.5


def test_six_and_nine_and_red_and_orange_are_told_apart_in_tinted_light(reader, lay):
    cards = [
        (f"bench:{c}:{v}", 150 + 240 * i, 200 + 300 * j, 20 * i)
        for j, c in enumerate(("red", "orange"))
        for i, v in enumerate((6, 9, 3, 8))
    ]
    scene = lay(*cards, faults=Faults(blur=0.7, tint=(0.85, 0.97, 1.05), gain=0.8))
    assert named(reader.read(scene.picture)) == sorted(card for card, *_ in cards)


@pytest.mark.slow
def test_a_hard_shadow_across_a_card_is_no_ink(reader, lay):
    cards = [
        (f"bench:{c}:{2 + 2 * j}", 150 + 240 * i, 200 + 300 * j, 25 * i)
        for j in range(2)
        for i, c in enumerate(("red", "orange", "blue", "violet"))
    ]
    scene = lay(*cards)
    arm = np.array([[0, 130], [1280, 260], [1280, 420], [900, 560], [0, 180]], dtype=np.int32)
    shade = cv2.GaussianBlur(cv2.fillPoly(np.zeros((720, 1280), np.float32), [arm], 0.5), (0, 0), 2.0)
    shaded = (scene.picture * (1 - shade[:, :, None])).astype(np.uint8)
    assert named(reader.read(shaded)) == sorted(card for card, *_ in cards)


def test_a_back_and_a_strange_card_are_cards_of_no_design(reader, lay):
    scene = lay(
        ("bench:red:2", 250, 300, 5),
        (scenes.back(), 550, 300, 10),
        (scenes.stranger(2), 850, 300, -20),
    )
    readings = reader.read(scene.picture)
    assert [r.card for r in readings] == ["bench:red:2", None, None]
    assert [r.sure for r in readings] == [True, False, False]


def test_tokens_phones_hands_and_sheets_are_no_cards(reader, lay):
    picture = lay(("bench:red:2", 250, 300, 5)).picture
    cv2.circle(picture, (500, 300), 60, (60, 160, 60), -1)
    cv2.rectangle(picture, (650, 200), (740, 400), (20, 20, 20), -1)
    cv2.rectangle(picture, (820, 60), (1250, 660), (235, 235, 235), -1)
    cv2.ellipse(picture, (450, 620), (90, 60), 20, 0, 360, (130, 160, 210), -1)
    assert [r.card for r in reader.read(picture)] == ["bench:red:2"]


def test_cards_on_a_sheet_of_paper_are_read_and_the_sheet_is_not(reader, lay, bare):
    paper = bare.copy()
    cv2.rectangle(paper, (150, 100), (900, 640), (225, 225, 225), -1)
    scene = lay(("bench:red:2", 350, 300, 5), ("bench:blue:7", 650, 400, 30), table=paper)
    assert named(reader.read(scene.picture)) == ["bench:blue:7", "bench:red:2"]


def test_two_cards_that_touch_are_two_cards(reader, lay):
    scene = lay(("bench:red:2", 300, 300, 0), ("bench:blue:7", 400, 300, 0), ("bench:violet:9", 800, 350, 20))
    assert named(reader.read(scene.picture)) == ["bench:blue:7", "bench:red:2", "bench:violet:9"]


def test_a_card_half_under_another_and_one_with_a_finger_on_it_are_named(reader, lay):
    scene = lay(
        ("bench:red:8", 300, 300, 20), ("bench:violet:6", 370, 330, 50), ("bench:orange:5", 800, 350, 90)
    )
    finger = tuple(int(v) for v in scene.quads[2][1:3].mean(axis=0))
    cv2.circle(scene.picture, finger, 25, (130, 160, 210), -1)
    assert named(reader.read(scene.picture)) == ["bench:orange:5", "bench:red:8", "bench:violet:6"]


def test_an_index_that_many_designs_share_is_not_named_for_sure(lay, deck):
    """Only the part that two designs have in common is in sight: nobody can know."""
    twin = deck["bench:red:5"].copy()
    twin[330:, :] = 245
    library = Library.from_drawings({"whole": deck["bench:red:5"], "twin": twin, "top": deck["bench:blue:4"]})
    scene = lay((deck["bench:red:5"], 400, 300, 0), (deck["bench:blue:4"], 400, 375, 90))
    sure = {r.card: r for r in Reader(library).read(scene.picture) if r.sure}
    assert set(sure) == {"top"}


def test_what_lies_within_a_card_and_has_no_name_does_not_hide_the_half_that_tells_it(reader, lay, deck):
    """The lit half of a card under a hard shadow had an outline of its own; by the other half the
    five of diamonds was the nine."""
    other = deck["bench:red:5"].copy()
    other[: len(other) // 2] = deck["bench:red:8"][: len(other) // 2]
    scene = lay((deck["bench:blue:4"], 300, 350, 0), (other, 700, 350, 5))
    card = scene.quads[1]
    lit = np.array([card[0], card[1], (card[1] + card[2]) / 2, (card[3] + card[0]) / 2])
    (known,) = (r for r in reader.read(scene.picture) if r.card == "bench:blue:4")
    found = run_to_end(
        reader.read_partial_cards_in_steps(
            WorkingPicture(scene.picture), [known, Reading(None, False, 0.0, lit)]
        )
    )
    assert named(found) == []


def test_a_blank_picture_and_pure_noise_hold_no_card(reader):
    rng = np.random.default_rng(0)
    assert reader.read(np.full((480, 640, 3), 128, np.uint8)) == []
    assert not any(r.sure for r in reader.read(rng.integers(0, 255, (480, 640, 3), dtype=np.uint8)))


def test_a_learnt_view_makes_an_unsure_card_sure(lay, deck, library):
    """A card that has been scribbled on is learnt when the table says what it is."""
    worn = deck["bench:red:4"].copy()
    cv2.line(worn, (0, 100), (300, 380), (30, 30, 30), 40)
    cv2.line(worn, (300, 60), (0, 330), (30, 30, 30), 40)
    own = Library(library.references)
    picture = lay((worn, 400, 300, 10)).picture
    (before,) = Reader(own).read(picture)
    enrol.add_confirmed_view(own, picture, before, "bench:red:4")
    (after,) = Reader(own).read(lay((worn, 700, 400, 60)).picture)
    assert not before.sure
    assert (after.card, after.sure) == ("bench:red:4", True)


def test_overlapping_readings_are_never_given_twice(reader, lay):
    readings = reader.read(lay(("bench:red:2", 300, 300, 0), ("bench:blue:7", 420, 330, 30)).picture)
    for i, a in enumerate(readings):
        for b in readings[:i]:
            assert overlap_area(a.quad, b.quad) < 0.5 * overlap_area(b.quad, b.quad)
