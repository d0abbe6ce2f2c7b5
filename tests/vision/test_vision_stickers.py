import cv2
import numpy as np
import pytest

from vision.library import Library
from vision.markers import Stickers, draw_marker
from vision.reader import Reader
from vision.video.watcher import Watcher

FAMILY = "aruco5x5"
TWINS = ("bench:red:3", "bench:red:4", "bench:blue:5")


def stuck(card, number):
    """The card with a sticker of an eighth of its width at its top edge, a little aside."""
    side = card.shape[1] // 6
    marker = cv2.resize(draw_marker(number, 80, FAMILY), (side, side), interpolation=cv2.INTER_AREA)
    card = card.copy()
    card[20 : 20 + side, 90 : 90 + side] = marker[:, :, None]
    return card


@pytest.fixture(scope="module")
def twins(deck):
    """Three cards with one and the same picture: only their stickers tell them apart."""
    return [stuck(deck["bench:red:3"], number) for number in (11, 12, 13)]


@pytest.fixture(scope="module")
def known(deck):
    return Library.from_drawings({name: deck[name] for name in ("bench:red:3", "bench:violet:8")})


@pytest.fixture(scope="module")
def stickers():
    return Stickers(dict(zip((11, 12, 13), TWINS, strict=True)), FAMILY)


@pytest.fixture
def scene(lay, twins, deck):
    """Three twins turned each way, and a card that carries no sticker."""
    cards = [(twins[0], 250, 250, 0), (twins[1], 550, 300, 100), (twins[2], 850, 300, 200)]
    return lay(*cards, ("bench:violet:8", 1100, 450, 30), width=130)


def named(readings):
    return sorted(r.card for r in readings if r.sure)


def test_stickers_tell_twins_apart_beside_a_card_without(scene, known, stickers):
    readings = Reader(known, stickers=stickers).read(scene.picture)
    assert named(readings) == sorted([*TWINS, "bench:violet:8"])
    for reading in readings:
        own = next(q for q in scene.quads if np.hypot(*(q.mean(axis=0) - reading.quad.mean(axis=0))) < 20)
        assert np.abs(reading.quad - own).max() < 6


def test_a_watched_table_names_cards_by_their_stickers(lay, scene, known, stickers):
    watcher = Watcher(known, stickers=stickers)
    seen = []
    for i, picture in enumerate([lay().picture] * 5 + [scene.picture] * 15):
        seen = watcher.update(picture, i / 30)
    assert named(seen) == sorted([*TWINS, "bench:violet:8"])


def test_a_marker_that_stands_for_no_card_is_passed_over(scene, known):
    readings = Reader(known, stickers=Stickers({99: "bench:blue:5"}, FAMILY)).read(scene.picture)
    assert "bench:blue:5" not in [r.card for r in readings]


@pytest.mark.slow
def test_a_sheet_with_one_card_on_it_is_not_named_by_that_cards_sticker(lay, twins, known, stickers, bare):
    paper = bare.copy()
    cv2.rectangle(paper, (300, 60), (800, 680), (225, 225, 225), -1)
    (reading,) = [
        r
        for r in Reader(known, stickers=stickers).read(
            lay((twins[1], 550, 350, 10), table=paper, width=140).picture
        )
        if r.sure
    ]
    assert reading.card == TWINS[1]
    assert np.ptp(reading.quad[:, 0]) < 210
