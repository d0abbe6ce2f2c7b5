"""Cards whose border does not show: the print tells where they lie."""

import cv2
import numpy as np

from tests.simulated.scenes import Faults, Placed, render
from tests.vision.conftest import BLACK, painting
from vision.decks import enrol, labels
from vision.geometry import contains_point, make_rectangle
from vision.library import Library
from vision.outlines import keypoints
from vision.outlines.detect import find_outlines, intersection_over_union
from vision.reader import Reader
from vision.reading import Reading, remove_duplicate_readings
from vision.steps import run_to_end


def on_black(painted, *cards):
    mat = np.full((560, 900, 3), BLACK, np.uint8)
    laid = [Placed(name, painted[name], x, y, 150, turn) for name, x, y, turn in cards]
    return render(mat, laid, Faults(blur=0.6, noise=2), np.random.default_rng(3))


def test_a_black_frame_on_a_black_mat_hides_no_card(painted):
    cards = [("painting 1", 230, 260, 10), ("painting 4", 620, 280, 200)]
    scene = on_black(painted, *cards)
    sure = {r.card: r.quad for r in Reader(Library.from_drawings(painted)).read(scene.picture) if r.sure}
    assert sorted(sure) == sorted(name for name, *_ in cards)
    for (name, *_), quad in zip(cards, scene.quads, strict=True):
        assert np.abs(sure[name] - quad).max() < 8  # the whole card, not the picture in its frame


def test_a_framed_card_is_outlined_whole_though_its_print_fills_most_of_it(painted):
    mat = np.full((700, 1200, 3), 190, np.uint8)
    cards = [
        Placed(name, painted[name], 220 + 370 * (i % 3), 190 + 330 * (i // 3), 150, 5 * i - 10)
        for i, name in enumerate(painted)
    ]
    scene = render(mat, cards, Faults(blur=0.6, noise=2), np.random.default_rng(3))
    found = [outline.quad for outline in find_outlines(scene.picture)]
    for quad in scene.quads:
        assert max(intersection_over_union(one, quad) for one in found) > 0.9


def test_a_card_is_listed_once_though_its_picture_shows_an_outline_too(painted):
    scene = on_black(painted, ("painting 2", 450, 280, 30))
    readings = Reader(Library.from_drawings(painted)).read(scene.picture)
    assert [r.card for r in readings if contains_point(r.quad, scene.quads[0].mean(axis=0))] == ["painting 2"]


def test_a_painting_that_nobody_enrolled_is_placed_nowhere(painted):
    stranger = on_black({"stranger": painting(99)}, ("stranger", 450, 280, 30))
    known = Library.from_drawings(painted).keypoints
    assert run_to_end(keypoints.locate_cards_in_steps(stranger.picture, known, [])) == []


def rimmed(seed):
    """A white card of 300 x 420 pixels with a picture of a few shapes in it."""
    rng = np.random.default_rng(seed)
    card = np.full((420, 300, 3), 255, np.uint8)
    card[60:350, 50:250] = rng.integers(60, 230, 3)
    for _ in range(9):
        corners = rng.uniform((60, 70), (240, 340), (int(rng.integers(3, 6)), 2))
        cv2.fillPoly(card, [np.round(corners).astype(np.int32)], rng.integers(0, 256, 3).tolist())
    return card


def printed_on_paper(cards):
    """A sheet of paper on which only the print of cards shows, and where they lie: no edge, no
    shadow."""
    sheet, quads = np.full((560, 200 * len(cards) + 60, 3), 232.0), []
    for i, card in enumerate(cards):
        turn = cv2.getRotationMatrix2D((150, 210), 9 * i - 10, 0.45)
        turn[:, 2] += np.array([130 + 200 * i, 280]) - (150, 210)
        ink = cv2.GaussianBlur(card, (0, 0), 1.0).astype(np.float32) / 255
        sheet *= cv2.warpAffine(ink, turn, sheet.shape[1::-1], borderValue=(1, 1, 1))
        quads.append(cv2.transform(make_rectangle(300, 420)[None], turn)[0])
    return np.clip(sheet + np.random.default_rng(1).normal(0, 2, sheet.shape), 0, 255).astype(np.uint8), quads


def test_a_white_rim_on_white_paper_hides_no_card_with_a_picture_in_it():
    deck = {f"picture {seed}": rimmed(seed) for seed in range(6)}
    picture, quads = printed_on_paper([deck["picture 0"], deck["picture 3"], deck["picture 5"], rimmed(99)])
    library = Library.from_drawings(deck)
    assert not library.keypoints.is_painted
    sure = {r.card: r.quad for r in Reader(library).read(picture) if r.sure}
    assert sorted(sure) == ["picture 0", "picture 3", "picture 5"], "and nobody enrolled the fourth"
    for card, quad in zip(sorted(sure), quads[:3], strict=True):
        assert np.abs(sure[card] - quad).max() < 8, "the rim is of the card, too"


def beside_a_window(picture):
    """Daylight mirrored across the middle of each card: four tenths of the contrast are left
    there, and all of it is blue."""
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    sky = np.clip(1.5 - 5 * np.abs(x - 0.5 + 0.4 * (y - 0.5)), 0, 1)[:, :, None]
    return np.clip(picture * (1 - 0.6 * sky) + sky * (150, 110, 80), 0, 255).astype(np.uint8)


def test_enough_of_its_print_names_a_card_whatever_is_mirrored_in_it(painted):
    reader = Reader(Library.from_drawings(painted))
    scene = on_black(painted, ("painting 3", 450, 280, 15))
    assert [r.card for r in reader.read(beside_a_window(scene.picture)) if r.sure] == ["painting 3"]


def test_the_same_light_makes_no_enrolled_card_of_a_stranger_in_the_same_frame(painted):
    reader = Reader(Library.from_drawings(painted))
    scene = on_black({"stranger": painting(99)}, ("stranger", 450, 280, 15))
    assert not any(r.sure for r in reader.read(beside_a_window(scene.picture)))


def test_another_picture_in_an_enrolled_frame_and_text_is_no_proof(painted):
    other = painted["painting 3"].copy()
    other[30:220, 25:275] = painting(99)[30:220, 25:275]
    reader = Reader(Library.from_drawings(painted))
    scene = on_black({"stranger": other}, ("stranger", 450, 280, 15))
    assert not any(r.sure for r in reader.read(scene.picture))


def test_marked_corners_enrol_the_whole_card_and_not_the_picture_in_its_frame(painted, tmp_path):
    scene = on_black(painted, ("painting 2", 450, 280, 0))
    cv2.imwrite(str(tmp_path / "a.png"), scene.picture)
    (corners,) = scene.quads
    found, middle = find_outlines(scene.picture), corners.mean(axis=0) - (0, 40)
    inner = [o.quad for o in found if contains_point(o.quad, middle)]
    assert inner, "the picture in its frame is outlined"
    assert not any(intersection_over_union(quad, corners) > 0.8 for quad in inner), "and nothing else is"
    mark = labels.Label("painting 2", *middle.tolist(), corners)
    library = Library()
    enrol.enrol_photos(
        library, [labels.LabelledPhoto(tmp_path / "a.png", "a.png", "painted", "reference", (mark,))]
    )
    (view,) = library.references
    assert abs(view.aspect - 420 / 300) < 0.05


def test_signs_on_white_paper_are_not_placed_by_points(library):
    assert not library.keypoints.can_locate_cards


def test_a_deck_without_cards_places_nothing():
    known = Library().keypoints
    assert not known.can_locate_cards
    assert run_to_end(keypoints.locate_cards_in_steps(np.zeros((40, 40, 3), np.uint8), known, [])) == []


def test_the_sleeve_round_a_card_is_no_second_card():
    card = Reading("painting 1", True, 0.9, make_rectangle(150, 210))
    sleeve = Reading("painting 1", False, 0.9, make_rectangle(190, 270) - np.float32(20))
    under = Reading(None, False, 0.0, make_rectangle(150, 210) + np.float32(30))
    assert remove_duplicate_readings([sleeve, under, card]) == [card, under]
