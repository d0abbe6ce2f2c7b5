import tracemalloc
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.simulated import scenes
from tests.simulated.scenes import Faults, back
from vision.library import Library
from vision.outlines.detect import Outline
from vision.reader import Reader
from vision.reading import Reading
from vision.video import searches, work_queue
from vision.video.association import Tracks
from vision.video.motion import BLOCK, FrameRecord, MotionDetector
from vision.video.track import Track
from vision.video.watcher import Watcher

FPS = 30
THREE = (("bench:red:6", 250, 250, 10), ("bench:blue:9", 600, 300, -30), ("bench:violet:2", 950, 300, 80))


@pytest.fixture
def missed(monkeypatch):
    """Let the next searches for outlines find nothing, and count all of them from now on."""

    def miss(looks):
        seen = []

        def outlining(*arguments):
            seen.append(arguments)
            return [] if len(seen) <= looks else (yield from find(*arguments))

        monkeypatch.setattr(searches, "find_outlines_in_steps", outlining)
        return lambda: len(seen)

    find = searches.find_outlines_in_steps
    return miss


def test_cards_laid_down_are_named_and_then_cost_nothing(table, lay):
    table.show(lay().picture, 0.2)
    assert table.show(lay(*THREE).picture, 0.5) == ["bench:blue:9", "bench:red:6", "bench:violet:2"]
    readings = table.watcher.readings_started
    ids = [p.id for p in table.lying]
    table.show(lay(*THREE).picture, 1.0)
    assert table.watcher.readings_started == readings
    assert [p.id for p in table.lying] == ids
    assert all(p.still for p in table.lying)


def test_a_speck_on_a_card_does_not_unsettle_it(table, lay):
    """It is too little to be looked at, so a card that had to wait for that would wait for ever."""
    picture = lay(("bench:red:6", 300, 300, 0)).picture
    assert table.show(picture, 0.8) == ["bench:red:6"]
    block = BLOCK * table.watcher._motion.factor
    column, row = (int(v) // block * block + block // 2 for v in table.lying[0].quad.mean(axis=0))
    cv2.circle(picture, (column, row), 9, (0, 0, 0), -1)
    assert table.show(picture, 0.5) == ["bench:red:6"]
    assert all(p.still for p in table.lying)


def test_only_the_new_card_is_identified(table, lay):
    table.show(lay(*THREE[:2]).picture, 0.5)
    readings = table.watcher.readings_started
    assert len(table.show(lay(*THREE).picture, 0.5)) == 3
    assert table.watcher.readings_started - readings <= 2


def test_a_card_is_read_in_the_frame_in_which_it_was_found(library, lay, hand):
    """However long the search took: by then a hand may lie on it, or it is on the move again."""
    picture = lay(("bench:red:6", 600, 300, 0)).picture
    watcher = Watcher(library, steps=1)
    watcher.update(picture, 0.0)
    watcher.update(hand(picture, 600, 300), 1 / FPS)
    while watcher.has_pending_work:
        watcher.run_step()
    assert [p.card for p in watcher.visible_cards if p.sure] == ["bench:red:6"]


def test_another_card_in_the_place_of_one_is_read_in_the_frame_in_which_it_was_found(library, lay, hand):
    """Under a camera in a hand, or beside a restless one, no later frame shows it still."""
    before, after = lay(("bench:red:6", 600, 300, 0)).picture, lay(("bench:blue:9", 600, 300, 0)).picture
    watcher, frames = Watcher(library, steps=1), iter(range(100))
    for picture, count in ((before, 10), (after, 6)):
        for _ in range(count):
            watcher.update(picture, next(frames) / FPS)
        if picture is before:
            while watcher.has_pending_work:
                watcher.run_step()
    watcher.update(hand(after, 600, 300), next(frames) / FPS)
    while watcher.has_pending_work:
        watcher.run_step()
    assert [p.card for p in watcher.visible_cards if p.sure] == ["bench:blue:9"]


def test_two_readings_that_agree_name_a_card_though_it_looked_otherwise_in_between():
    """As it does in each look of a camera that flickers, or sways over a plain table."""
    quad = np.array([[0, 0], [60, 0], [60, 90], [0, 90]], np.float32)

    def read(track, card):
        track.add_vote(Reading(card, True, 0.7, quad))
        return track.named.card if track.is_sure else None

    one = Track(1, Outline(quad, 1.0), 0.0, None, None)
    assert read(one, "red") is None
    one.replace_face(Outline(quad, 1.0), None)
    assert read(one, "red") == "red"
    one.replace_face(Outline(quad, 1.0), None)
    assert read(one, "blue") is None
    assert read(one, "blue") == "blue"


@pytest.mark.parametrize("enrolled", [True, False])
def test_one_second_look_decides_about_enrolled_cards_and_others(lay, library, enrolled):
    """It is taken once: no other frame would agree."""
    card = library.designs[0] if enrolled else "4H"
    scene = lay((library.designs[0], 600, 300, 0))
    now, tracks = _follow_nothing(Library(library.references, pack={"4H": 1}), scene.picture)
    tracks.add_found_cards([Reading(card, True, 0.8, scene.quads[0])], now)
    (track,) = tracks.all
    assert (track.named.card, track.is_sure) == (card, True)


def test_a_card_that_a_second_look_finds_uncovered_lies_under_no_other(lay, library):
    first = library.designs[0]
    scene, covered = lay((first, 600, 300, 0)), lay()
    now, tracks = _follow_nothing(library, covered.picture)
    below = Reading(first, True, 0.8, scene.quads[0], partly_hidden=True)
    tracks.add_found_cards([below], now)
    (track,) = tracks.all
    assert track.depth == 1
    now, _ = _follow_nothing(library, scene.picture)
    tracks.add_found_cards([replace(below, partly_hidden=False)], now)
    assert tracks.all == [track]
    assert track.depth == 0


def _follow_nothing(library, picture):
    """The record of one frame, and tracks without any card."""
    motion = MotionDetector()
    change = motion.detect_change(picture)
    return FrameRecord(change, motion.factor, 0.0), Tracks(Reader(library))


@pytest.mark.slow
def test_a_sleeve_that_rests_over_a_card_is_not_the_bare_table(table, lay):
    """A grey sleeve over a dark cloth looks like the cloth in another light; so does the cloth
    under an arm once the card is gone."""
    dark = scenes.table("dark", 1280, 720)
    picture = lay(("bench:red:6", 600, 300, 0), table=dark).picture
    table.show(lay(table=dark).picture, 0.3)
    assert table.show(picture, 0.8) == ["bench:red:6"]
    known, covered, gone = table.lying[0].id, picture.copy(), lay(table=dark).picture
    for one in (covered, gone):
        one[200:400] = lay(table=dark).picture[200:400] + np.uint8(25)
    assert table.show(covered, 0.6) == ["bench:red:6"]
    assert table.show(picture, 0.6) == ["bench:red:6"]
    assert table.lying[0].id == known
    assert table.show(gone, 3.5) == []


def test_a_card_under_a_hand_for_two_seconds_is_still_there(table, lay, hand):
    picture = lay(*THREE).picture
    before = table.show(picture, 0.5)
    covered = hand(picture, 600, 300)
    for step in range(4):
        table.show(hand(picture, 500 + 25 * step, 320), 1 / FPS)
    for _ in range(4):
        assert table.show(covered, 0.5) == before
    assert table.show(picture, 0.5) == before


def test_a_card_taken_away_is_gone_within_half_a_second(table, lay, hand):
    table.show(lay(*THREE).picture, 0.5)
    table.show(hand(lay(*THREE).picture, 600, 300), 0.2)
    table.show(hand(lay(THREE[0], THREE[2]).picture, 640, 360), 0.1)
    assert table.show(lay(THREE[0], THREE[2]).picture, 0.5) == ["bench:red:6", "bench:violet:2"]
    assert len(table.lying) == 2


def test_a_card_that_lay_there_from_the_start_is_gone_too(table, lay):
    """The bare table under it has never been seen."""
    table.show(lay(THREE[1]).picture, 0.3)
    assert table.show(lay().picture, 0.5) == []
    assert table.lying == []


def test_a_card_replaced_in_its_place_is_another_card(table, lay):
    table.show(lay(*THREE).picture, 0.5)
    first = {p.card: p.id for p in table.lying}
    other = ("bench:red:9", *THREE[0][1:])
    assert table.show(lay(other, *THREE[1:]).picture, 0.5) == [
        "bench:blue:9",
        "bench:red:9",
        "bench:violet:2",
    ]
    now = {p.card: p.id for p in table.lying}
    assert now["bench:blue:9"] == first["bench:blue:9"]
    assert now["bench:red:9"] not in first.values()


def test_shake_and_exposure_jumps_do_not_empty_the_table(table, lay):
    picture = lay(*THREE).picture
    before = table.show(picture, 0.5)
    for gain in (1.25, 0.7, 1.2, 0.8):
        assert table.show(lay(*THREE, faults=Faults(blur=0.6, gain=gain)).picture, 1 / FPS) == before
    for dx, dy in ((6, 3), (-5, 4), (4, -6), (-6, -2)):
        assert table.show(np.roll(picture, (dy, dx), (0, 1)), 1 / FPS) == before
    assert table.show(picture, 0.5) == before


def test_a_camera_that_was_pushed_is_followed_and_said(table, lay):
    picture = lay(*THREE).picture
    before = table.show(picture, 0.5)
    assert np.hypot(*table.watcher.drift) < 1
    assert table.show(np.roll(picture, (24, 40), (0, 1)), 1.6) == before
    assert table.watcher.drift == pytest.approx((40, 24), abs=3)
    quad = next(p.quad for p in table.lying if p.card == "bench:blue:9")
    assert quad.mean(axis=0) == pytest.approx((640, 324), abs=6)


def test_a_card_turned_over_is_no_longer_named(table, lay):
    table.show(lay(*THREE).picture, 0.5)
    table.show(lay(*THREE[1:], (back(), *THREE[0][1:])).picture, 0.7)
    assert table.names() == ["bench:blue:9", "bench:violet:2"]
    assert [p.card for p in table.lying].count(None) == 1


def test_a_card_turned_up_in_exactly_its_place_is_named(table, lay):
    face = THREE[0]
    table.show(lay((back(), *face[1:]), THREE[1]).picture, 0.8)
    assert table.names() == ["bench:blue:9"]
    assert table.show(lay(face, THREE[1]).picture, 0.5) == ["bench:blue:9", "bench:red:6"]
    assert len(table.lying) == 2


def test_a_card_whose_outline_was_missed_when_it_was_turned_up_is_named(table, lay, missed):
    """Its sides are known from before: what lies within them is read."""
    face = THREE[0]
    table.show(lay((back(), *face[1:]), THREE[1]).picture, 0.8)
    missed(1)
    assert table.show(lay(face, THREE[1]).picture, 0.6) == ["bench:blue:9", "bench:red:6"]
    assert len(table.lying) == 2


@pytest.mark.slow
@pytest.mark.parametrize("start", [0.0, 0.2])
def test_a_card_whose_outline_was_missed_is_looked_for_again(table, lay, missed, start):
    if start:
        table.show(lay().picture, start)
    missed(1)
    assert table.show(lay(THREE[0]).picture, 0.3) == []
    assert table.show(lay(THREE[0]).picture, 0.9) == ["bench:red:6"]


@pytest.mark.slow
def test_a_thing_that_stays_is_not_looked_at_for_ever(table, lay, missed):
    """A mug: a few looks, then none until something changes there."""
    table.show(lay().picture, 0.2)
    picture = lay().picture
    cv2.circle(picture, (500, 300), 60, (60, 160, 60), -1)
    table.show(picture, 6.0, fps=10)
    looks = missed(0)
    table.show(picture, 3.0, fps=10)
    assert looks() == 0


@pytest.mark.slow
def test_an_arm_that_passes_is_looked_at_a_few_times_a_second(table, lay, hand, missed):
    """A plain sleeve seems to rest wherever it is, and was looked at in every second frame; what it
    left in sight of cards was read over and over."""
    picture = lay(*THREE).picture
    before, looks, read = table.show(picture, 1), missed(0), table.watcher.readings_started
    for step in range(30):
        table.show(hand(picture, 420 + 12 * step, 320), 1 / FPS)
    assert looks() <= 7
    assert table.watcher.readings_started - read <= 8
    assert table.show(picture, 1) == before


@pytest.mark.slow
def test_a_film_is_watched_from_its_file(tmp_path: Path, library, lay):
    """Through a real video file: MJPEG in an AVI, as cameras deliver it."""
    file = str(tmp_path / "evening.avi")
    film = cv2.VideoWriter(file, cv2.VideoWriter.fourcc(*"MJPG"), FPS, (1280, 720))
    assert film.isOpened()
    for count, seconds in ((0, 0.2), (2, 0.5), (3, 0.5)):
        for _ in range(round(seconds * FPS)):
            film.write(lay(*THREE[:count]).picture)
    film.release()
    watcher, capture, t, seen = Watcher(library), cv2.VideoCapture(file), 0.0, []
    while True:
        ok, frame = capture.read()
        if not ok:
            break
        seen = watcher.update(np.asarray(frame), t)
        t += 1 / FPS
    capture.release()
    assert sorted(p.card for p in seen if p.sure) == ["bench:blue:9", "bench:red:6", "bench:violet:2"]
    assert min(p.first_seen for p in seen) == pytest.approx(0.3, abs=0.12)


@pytest.mark.slow
def test_memory_is_bounded_over_many_hands(table, lay):
    """Cards come and go; nothing is kept of those that left."""
    for i in range(4):
        table.show(lay((f"bench:red:{i + 1}", 300 + 60 * i, 300, 10 * i)).picture, 0.4)
        table.show(lay().picture, 0.3)
    assert table.lying == []
    assert table.watcher._tracks.all == []


@pytest.mark.slow
def test_many_minutes_of_a_still_table_cost_no_reading_and_no_memory(table, lay, bare, missed):
    """Were but one frame in ten kept, or its small picture, this would show it."""
    picture = lay(("bench:red:6", 240, 140, 10), table=bare[:270, :480]).picture
    assert table.show(picture, 5.0, fps=10) == ["bench:red:6"]
    readings, looks = table.watcher.readings_started, missed(0)
    tracemalloc.start()
    table.show(picture, 20.0, fps=2)
    before = tracemalloc.get_traced_memory()[0]
    table.show(picture, 600.0, fps=0.5)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert (table.watcher.readings_started, looks()) == (readings, 0)
    assert grown < 200_000


@pytest.mark.parametrize("new", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_new_cards_are_named_soon_and_in_small_steps(table, lay, new, counted, monkeypatch):
    """Within 0.3 s of film for one, 0.4 s for three; no frame does more than its share of the
    work."""
    table.show(lay().picture, 0.8)
    done, most = [], []

    monkeypatch.setattr(
        table.watcher._reader,
        "read_outline_in_steps",
        counted(table.watcher._reader.read_outline_in_steps, done),
    )
    picture = lay(*THREE[:new]).picture
    frames = 0
    while len(table.names()) < new and frames < 30:
        done.clear()
        table.show(picture, 1 / FPS)
        most.append(len(done))
        frames += 1
    assert (frames - 1) / FPS <= {1: 0.3, 3: 0.4}[new]
    assert 1 <= max(most) <= work_queue.STEPS


@pytest.mark.slow
def test_a_card_ends_at_the_edge_of_the_frame_and_not_of_what_was_looked_at(table, lay, monkeypatch):
    """Only a part of a frame is looked at: a card near the edge of that is whole."""
    asked = []
    monkeypatch.setattr(work_queue, "touches_picture_edge", lambda quad, *size: asked.append(size))
    table.show(lay().picture, 0.5)
    table.show(lay(*THREE).picture, 0.8)
    assert set(asked) == {lay().picture.shape[1::-1]}
