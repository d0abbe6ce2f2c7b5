"""No picture and no outline makes the reader fall over: it names a card, or it says that it is not
sure."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.simulated.scenes import Faults
from vision import photo
from vision.decks import enrol, labels
from vision.fitting import align, lighting
from vision.fitting.template import extract_structure, reduce_picture
from vision.geometry import make_rectangle
from vision.library import Library
from vision.naming import candidates
from vision.naming.identify import NamingTerms, identify_card
from vision.outlines import detect, keypoints
from vision.reader import Reader
from vision.steps import run_to_end
from vision.video.watcher import Watcher

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))]
REAL = [Path(__file__).parents[3] / "shared" / folder / "labels.json" for folder in ("photos", "tables")]


def degenerate(rng):
    """A picture on which fits have nothing to hold on to, or too much."""
    height, width = (int(v) for v in rng.integers(1, 260, 2))
    flat = np.full((height, width, 3), rng.integers(0, 256, 3), np.uint8)
    noisy = rng.integers(0, 256, (height, width, 3)).astype(np.uint8)
    split = flat.copy()
    split[:, width // 2 :] = 255 - split[:, width // 2 :]
    stripes = flat.copy()
    stripes[:, :: int(rng.integers(1, 9))] = rng.integers(0, 256, 3)
    salted = np.where(rng.random((height, width, 1)) < 0.02, np.uint8(255), np.uint8(0)).repeat(3, axis=2)
    one_channel = noisy * np.array([1, 0, 0], np.uint8)
    return [flat, 0 * flat, 0 * flat + 255, noisy, split, stripes, salted, one_channel]


def worn(picture, rng):
    """The picture as a bad camera in bad light gives it: dark, burnt out, one colour, tiny, blocky,
    torn."""
    height, width = picture.shape[:2]
    tiny = cv2.resize(picture, (max(2, width // 12), max(2, height // 12)), interpolation=cv2.INTER_AREA)
    _ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 2])
    torn = picture.copy()
    torn[int(rng.integers(height // 2)) :] = rng.integers(0, 256, 3)
    return [
        picture // 16,
        np.clip(picture.astype(np.int16) * 6, 0, 255).astype(np.uint8),
        picture * np.array([0, 0, 1], np.uint8),
        np.where(picture > 127, np.uint8(255), np.uint8(0)),
        tiny,
        cv2.imdecode(data, cv2.IMREAD_COLOR),
        torn,
        cv2.GaussianBlur(picture, (0, 0), 30),
    ]


def odd_quads(width, height, rng):
    """Outlines that no card has: outside the picture, without width, crossed, a point, as large as
    a house."""
    inside = make_rectangle(width, height)
    return [
        inside,
        inside + np.float32(3 * width),
        (inside * np.float32([1, 0.001])).astype(np.float32),
        inside[[0, 2, 1, 3]],
        np.zeros((4, 2), np.float32) + np.float32(width / 2),
        inside * np.float32(1000),
        (inside + rng.normal(0, max(width, height), (4, 2))).astype(np.float32),
    ]


def holds_together(verdict):
    """Whatever is answered is a number, and an outline in numbers."""
    return bool(np.isfinite([verdict.likeness, verdict.lead, *verdict.quad.ravel()]).all())


def test_a_card_of_which_nothing_is_in_sight_is_laid_over_all_the_same(library):
    """An outline between twelve others on a dark cloth left no pixel in sight: the light's
    equations had no answer."""
    template = library.get_template(0)
    patch = np.zeros((library.patch_height + 32, 192, 3), np.float32)
    unseen = np.zeros_like(reduce_picture(patch)[:, :, 0])
    aligned = align.align_reference(
        extract_structure(patch), template, align.initial_transform(library.patch_height), 12, unseen
    )
    assert np.isfinite(aligned.matrix).all()
    assert np.isfinite(aligned.rest)
    shown = template.full.values[None]
    nothing = np.zeros((1, shown.shape[2]), np.float32)
    assert np.isfinite(lighting.fit_lighting_robustly(shown, shown, nothing, template.full.where)).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_read_from_a_picture_that_shows_nothing(library, seed):
    rng = np.random.default_rng(seed)
    reader = Reader(library)
    for picture in degenerate(rng):
        assert [r.card for r in reader.read(picture) if r.sure] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_no_card_is_placed_by_points_in_a_picture_that_shows_nothing(painted, seed):
    pictures, known = degenerate(np.random.default_rng(seed)), Library.from_drawings(painted).keypoints
    assert [run_to_end(keypoints.locate_cards_in_steps(picture, known, [])) for picture in pictures] == [
        [] for _ in pictures
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_outline_on_any_picture_gets_an_answer(library, seed, monkeypatch):
    """However little the thumbnails promise, the designs are laid over the card: that is where fits
    break down."""
    monkeypatch.setattr(candidates, "GLANCE", -2.0)
    monkeypatch.setattr(candidates, "PROMISING", -2.0)
    rng = np.random.default_rng(seed)
    pictures = degenerate(rng)
    picture = pictures[seed % len(pictures)]
    quads = odd_quads(picture.shape[1], picture.shape[0], rng)
    answers = [identify_card(picture, quad, library) for quad in quads[seed % 2 :: 2]]
    answers.append(identify_card(picture, quads[0], library, NamingTerms(hidden=quads)))
    assert all(map(holds_together, answers))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_a_table_worn_by_any_fault_is_read_without_a_mistake(library, lay, seed):
    rng = np.random.default_rng(seed)
    scene = lay(
        ("bench:red:8", 500, 300, 20), ("bench:blue:3", 640, 300, 0), ("bench:red:6", 560, 380, 80),
        ("bench:orange:5", 200, 300, 15), faults=Faults(blur=0.6, noise=6),
    )  # fmt: skip
    lying = {"bench:red:8", "bench:blue:3", "bench:red:6", "bench:orange:5"}
    picture = np.ascontiguousarray(scene.picture[150:520, 80:800])
    reader = Reader(library)
    for bad in worn(picture, rng)[seed::4]:
        assert {r.card for r in reader.read(bad) if r.sure} <= lying


def test_a_film_of_nothing_is_watched(library):
    watcher = Watcher(library)
    for i, picture in enumerate(degenerate(np.random.default_rng(3))):
        for repeat in range(4):
            assert [p.card for p in watcher.update(picture, i + repeat / 10) if p.sure] == []


@pytest.mark.parametrize("shape", [(6, 4000), (3000, 5), (1, 1), (1, 700), (2, 2)])
def test_a_frame_of_any_shape_is_watched(library, shape):
    """A strip lower than the small picture is coarse left no pixel of it."""
    watcher = Watcher(library)
    noise = np.random.default_rng(1).integers(0, 256, (*shape, 3)).astype(np.uint8)
    for i, frame in enumerate([noise, noise, 255 - noise, noise]):
        assert watcher.update(frame, i / 10) == []


def test_a_library_of_degenerate_views_is_read_with(lay):
    """Somebody enrols a black picture, a white one, one pixel."""
    own = Library()
    for i, picture in enumerate(degenerate(np.random.default_rng(5))):
        own.add_view(f"odd:{i}", picture)
    scene = lay(("bench:red:8", 500, 300, 20))
    assert holds_together(identify_card(scene.picture, scene.quads[0], own))
    assert [reading.card for reading in Reader(own).read(scene.picture) if reading.sure] == []


def test_a_label_outside_its_picture_enrols_nothing(lay):
    found = detect.find_outlines(lay(("bench:red:8", 500, 300, 20)).picture)
    assert enrol.find_outline_of_label(found, labels.Label("x", -1e6, 1e6, None)) is None


@pytest.mark.photos
@pytest.mark.skipif(not all(file.exists() for file in REAL), reason="the photographs are not there")
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_pieces_of_strangers_photographs_worn_by_any_fault_are_answered(seed):
    """Cut anywhere, across cards and cloths, and spoilt as by a bad camera in bad light."""
    rng = np.random.default_rng(seed)
    photos = [one for file in REAL for one in labels.load_labels(file)]
    one = photos[int(rng.integers(len(photos)))]
    whole = photo.load_photo(one.path)
    top, left = (int(rng.integers(max(1, length - 220))) for length in whole.shape[:2])
    library = Library()
    enrol.enrol_photos(library, [p for p in photos if p.deck == one.deck and p.use == "reference"][:2])
    watcher, reader = Watcher(library), Reader(library)
    for i, bad in enumerate(worn(np.ascontiguousarray(whole[top : top + 220, left : left + 220]), rng)):
        assert all(np.isfinite([r.confidence, *r.quad.ravel()]).all() for r in reader.read(bad))
        assert all(np.isfinite(card.quad).all() for card in watcher.update(bad, i / 10))
