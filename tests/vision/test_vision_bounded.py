"""An evening on which everything is moved about: what the watcher keeps and does stays flat."""

import numpy as np
import pytest

from tests.simulated.scenes import Faults, Placed, render, table
from vision.outlines.detect import Outline
from vision.reading import Reading
from vision.video import track
from vision.video.association import MOST_SHAPES
from vision.video.watcher import Watcher

CARDS = (("bench:red:6", 90, 80), ("bench:blue:9", 220, 80))
FPS = 10


def things(rng):
    """Four pictures of things that are no cards: phones, boxes, coasters."""
    for _ in range(4):
        high, wide = rng.integers(60, 160, 2)
        picture = np.empty((high, wide, 3), np.uint8)
        picture[:] = rng.integers(0, 255, 3)
        picture[high // 4 : high // 2, wide // 4 : -wide // 4] = rng.integers(0, 255, 3)
        yield picture


def arranged(rng, deck, own):
    laid = [Placed(card, deck[card], x, y, 80, 10) for card, x, y in CARDS]
    for picture in own:
        x, y = rng.uniform(60, 580), rng.uniform(200, 330)
        laid.append(Placed(None, picture, x, y, picture.shape[1] / 2, rng.uniform(0, 360)))
    return render(table("wood", 640, 360), laid, Faults(blur=0.6, noise=0, jpeg=100)).picture


@pytest.fixture(scope="module")
def evening(deck, library):
    """What a watcher keeps after each of eight times that four things were moved, once it knows the
    cards beside them."""
    rng = np.random.default_rng(4)
    own = list(things(rng))
    watcher, kept, t = Watcher(library), [], 0.0
    for number in range(9):
        picture = arranged(rng, deck, own if number else [])
        for _ in range(11):
            noise = rng.integers(-2, 3, (360, 640, 1))
            lying = watcher.update(np.clip(picture + noise, 0, 255).astype(np.uint8), t)
            t += 1 / FPS
        work = [one.work for one in watcher._tracks.all if one.work is not None]
        kept.append((len(watcher._tracks.all), len(work), [p.card for p in lying if p.sure]))
    return watcher, kept


@pytest.mark.slow
def test_things_that_are_moved_about_are_not_followed_for_ever(evening):
    _, kept = evening
    tracks = [tracks for tracks, *_ in kept]
    assert max(tracks) <= len(CARDS) + 3 * 4


@pytest.mark.slow
def test_the_cards_beside_them_keep_their_names(evening):
    _, kept = evening
    assert all(set(sure) == {card for card, *_ in CARDS} for *_, sure in kept)


@pytest.mark.slow
def test_votes_are_cut(evening):
    watcher, _ = evening
    assert max(len(one.votes) for one in watcher._tracks.all) <= track.KEPT


def test_a_reading_that_waits_keeps_what_it_reads_and_no_whole_frame(deck, library, monkeypatch):
    kept = []
    watcher = Watcher(library, steps=0)
    judging = watcher._reader.read_outline_in_steps
    monkeypatch.setattr(
        watcher._reader,
        "read_outline_in_steps",
        lambda look, outline, **options: kept.append(look().size) or judging(look, outline, **options),
    )
    picture = arranged(np.random.default_rng(1), deck, [])
    watcher.update(picture, 0.0)
    while not kept:
        watcher.run_step()
    assert len(kept) >= len(CARDS)
    assert max(kept) < 0.15 * picture.size


def test_a_sure_vote_outlives_unsure_ones():
    quad = np.zeros((4, 2), np.float32)
    one = track.Track(1, None, 0.0, None, None)
    one.add_vote(Reading("a", True, 0.8, quad))
    for _ in range(30):
        one.add_vote(Reading(None, False, 0.1, quad))
    one.add_vote(Reading("b", True, 0.9, quad))
    assert len(one.votes) == track.KEPT
    assert not one.is_sure


@pytest.mark.slow
def test_more_shapes_than_a_table_holds_are_not_followed(library, evening):
    watcher, _ = evening
    assert sum(not one.is_sure for one in watcher._tracks.all) <= MOST_SHAPES


@pytest.mark.slow
def test_what_made_room_for_a_new_shape_is_not_let_go_twice(evening, monkeypatch):
    """Of a table with many shapes, our board's squares: what is found in a place can push out what
    was known there."""
    tracks = evening[0]._tracks
    before, old = list(tracks.all), tracks.all[0]
    monkeypatch.setattr(tracks, "_match_outline", lambda _now, _outline: tracks.all.remove(old))
    tracks.match_outlines(None, [Outline(np.full((4, 2), -100, np.float32), 1.0)], [old], None)
    assert tracks.all == before[1:]
    tracks.all.insert(0, old)
