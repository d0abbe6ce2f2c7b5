"""Pictures that cannot be read, and readings that raise: said, and the next picture counts."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from cards import until, world

from companion.readers.camera.frames import SkipCounter
from companion.readers.camera.reader import CardRecognizer
from companion.readers.camera.sources import PhotoFolder
from tests.readers.camera.script import Scripted, photograph
from vision.reader import Reader


def test_pictures_that_cannot_be_read_are_left_out_and_said_once_when_it_goes_on(start, monkeypatch):
    monkeypatch.setattr("companion.readers.camera.frames.BAD_FRAMES_DELAY", 0.1)
    seeing = threading.Event()
    see = CardRecognizer.detect_cards

    def fails(self, frame):
        if not seeing.is_set():
            raise np.linalg.LinAlgError("Singular matrix")
        return see(self, frame)

    monkeypatch.setattr(CardRecognizer, "detect_cards", fails)
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")
    reader, listener = start(Scripted(table.render_frame()))
    listener.wait_for_health("camera.unreadable_frames")
    until(lambda: reader.skipped_frames >= 12)
    seeing.set()
    listener.wait_for_card("donkey:giant")
    until(lambda: listener.health()[-1] == ("ok", "camera.ok"))
    reader.close()
    assert listener.health() == [
        ("starting", "camera.starting"),
        ("ok", "camera.ok"),
        ("lost", "camera.unreadable_frames"),
        ("ok", "camera.ok"),
    ]


def test_a_card_whose_reading_raises_is_named_from_the_next_frames(start, monkeypatch):
    raised = []
    verdict = Reader.name_quad_in_steps

    def fails(self, *arguments, **options):
        if not raised:
            raised.append(1)
            raise np.linalg.LinAlgError("Singular matrix")
        return (yield from verdict(self, *arguments, **options))

    monkeypatch.setattr(Reader, "name_quad_in_steps", fails)
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")
    reader, listener = start(Scripted(table.render_frame()))
    listener.wait_for_card("donkey:giant")
    assert reader.skipped_frames == 1
    assert [state for state, _ in listener.health()] == ["starting", "ok"]


def test_a_photo_that_cannot_be_read_is_said_and_the_next_one_is_read(tmp_path, start, monkeypatch):
    photograph(tmp_path / "p", [("load:red:1", "seat:1")], [("load:red:2", "seat:1")])
    read = Reader.read
    raised = []

    def fails(self, image):
        if not raised:
            raised.append(1)
            raise np.linalg.LinAlgError("Singular matrix")
        return read(self, image)

    monkeypatch.setattr(Reader, "read", fails)
    source = PhotoFolder(tmp_path / "p")
    _, listener = start(source)
    told = listener.wait_for_health("camera.unread_photo")
    assert (told.state, told.text.args["file"]) == ("look", "photo-1.jpg")
    source.show_next()
    listener.wait_for_card("load:red:2")


@pytest.mark.parametrize(
    ("deeds", "said"),
    [
        ([("bad", 0.0), ("good", 0.1), ("good", 5.0)], []),
        ([("bad", 0.0), ("bad", 0.5), ("bad", 1.0), ("bad", 9.0), ("good", 9.1)], ["told"]),
        ([("bad", 0.0), ("bad", 1.0), ("good", 1.1), ("good", 2.0)], ["told", "over"]),
        ([("bad", 0.0), ("good", 0.4), ("bad", 0.8), ("good", 0.9), ("bad", 1.2)], ["told"]),
        ([("bad", 0.0), ("good", 1.5), ("bad", 1.6)], []),
    ],
)
def test_what_is_said_of_bad_pictures(deeds, said):
    skipping = SkipCounter()
    heard = []
    for deed, at in deeds:
        if getattr(skipping, f"record_{deed}")(at):
            heard.append("told" if deed == "bad" else "over")
    assert heard == said
    assert skipping.skipped == [deed for deed, _ in deeds].count("bad")


def test_a_camera_whose_reader_died_is_started_again_and_says_so(start, monkeypatch):
    monkeypatch.setattr("companion.readers.thread.RESTART_DELAYS", (0.01,))
    table = world(seed=3)
    table.lay_card("donkey:giant", "middle")

    class Breaks(Scripted):
        def read(self, wait):
            if self.opened < 3:
                raise RuntimeError("driver")
            return super().read(wait)

    _, listener = start(Breaks(table.render_frame()))
    listener.wait_for_card("donkey:giant")
    assert listener.health()[:6] == [
        ("starting", "camera.starting"),
        ("lost", "restarting"),
        ("starting", "camera.starting"),
        ("lost", "restarting"),
        ("starting", "camera.starting"),
        ("ok", "camera.ok"),
    ]
