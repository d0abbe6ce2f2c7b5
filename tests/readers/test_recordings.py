from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest

from companion import texts
from companion.live.table_listener import REPORTS_PER_TICK
from companion.readers import recordings
from companion.readers.recordings import (
    RecordedReader,
    Recorder,
    RecordingError,
    RecordingHeader,
    read_recording,
)
from companion.rules.contract import BoardClaim, Text
from companion.table.decks import Deck, Design
from companion.table.identification import Pad
from companion.table.sightings import BoardSighting, Health, Press, Sighting
from companion.table.table import MOST_CARDS, Table
from companion.texts import Translator, show_unknown
from tests.live.seats import Seats
from tests.readers.camera.cards import Listener

DECK = Deck(
    "toy", "donkey_valley", (Design("load:red:7", "load:red:7"), Design("load:red:8", "load:red:8")), "colour"
)


def record(path, *reports, under=None):
    recorder = Recorder(path, RecordingHeader(1, "donkey_valley", "toy"), lambda _report: None, under)
    for report in reports:
        recorder.post(report)
    recorder.close()


def sighting(seconds, design="load:red:7", **more):
    return Sighting("camera", 1, design, "seat:1", time.monotonic() + seconds, **more)


def test_what_was_recorded_is_played_back(tmp_path):
    file = tmp_path / "evening.jsonl"
    quad = ((1.0, 2.0), (3.0, 2.0), (3.0, 5.0), (1.0, 5.0))
    shown = sighting(0, quad=quad, candidates=("load:red:8",), confidence=0.9)
    record(file, shown, Press("rfid a", 2, "accept", time.monotonic()), sighting(1, present=False))
    header, reports = read_recording(file)
    assert header == RecordingHeader(1, "donkey_valley", "toy")
    assert [type(report).__name__ for report in reports] == ["Sighting", "Press", "Sighting"]
    assert (reports[0].design, reports[0].quad, reports[0].candidates) == (
        "load:red:7",
        quad,
        ("load:red:8",),
    )
    assert reports[2].at - reports[0].at == pytest.approx(1, abs=0.1)


def test_a_board_is_recorded_with_what_stands_on_it(tmp_path):
    board = BoardClaim((("1:3", "red"), ("start 2", "blue")), ("goal 1:4",))
    record(tmp_path / "b", BoardSighting("camera", board, time.monotonic()))
    [report] = read_recording(tmp_path / "b")[1]
    assert report.board == board


def test_a_recording_passes_everything_on(tmp_path):
    listener = Listener()
    recorder = Recorder(tmp_path / "a", RecordingHeader(1), listener)
    report = sighting(0, face="down")
    recorder.post(report)
    recorder.close()
    assert listener.reports == [report]


@pytest.mark.parametrize("where", ["seat:1", "under 1"])
def test_a_face_down_card_is_recorded_without_its_name(tmp_path, where):
    file = tmp_path / "evening.jsonl"
    face = "down" if where == "seat:1" else "up"
    shown = Sighting("rfid a", 1, "load:red:7", where, time.monotonic(), face, candidates=("load:red:8",))
    record(file, shown, under={"under 1": Pad("seat:1", face_down=True)})
    assert b"load" not in file.read_bytes()
    assert [(report.design, report.face) for report in read_recording(file)[1]] == [(None, "down")]


def test_a_recording_played_at_once_leaves_the_table_as_it_was_at_the_end(tmp_path):
    file = tmp_path / "evening.jsonl"
    record(
        file,
        sighting(0),
        sighting(40, present=False),
        sighting(41, "load:red:8"),
        sighting(50, None, sure=False),
    )
    listener = Listener()
    reader = RecordedReader(file, math.inf)
    reader.start(listener)
    listener.wait_for(lambda report: isinstance(report, Health) and report.state == "off")
    reader.close()
    table = Table(DECK, {"red": 1})
    for report in listener.reports:
        table.add_report(report)
    now = time.monotonic()
    table.update(now)
    table.mark_offered(table.list_claims(now))
    table.update(now)
    assert [claim.what for claim in table.list_claims(now)] == ["load:red:8"]


def test_every_step_of_a_recording_can_be_followed_without_waiting(tmp_path):
    file = tmp_path / "evening.jsonl"
    record(file, sighting(0), sighting(40, present=False), sighting(41, "load:red:8"))
    table, seen = Table(DECK, {"red": 1}), []
    for report in read_recording(file)[1]:
        table.add_report(report)
        table.update(report.at + 0.3)
        claims = table.list_claims(report.at + 0.3)
        table.mark_offered(claims)
        seen.append([claim.what for claim in claims])
    assert seen == [["load:red:7"], [], ["load:red:8"]]


def test_an_older_recording_says_by_its_readers_names_what_they_are(tmp_path):
    file = tmp_path / "evening.jsonl"
    lines = (
        f'{{"kind":"sighting","reader":"{name}","track":1,"design":null,"where":"middle","at":1.0}}'
        for name in ("rfid 2", "camera")
    )
    file.write_text('{"recording":1}\n' + "\n".join(lines) + "\n")
    assert [report.sense for report in read_recording(file)[1]] == ["tag", "camera"]


def test_a_recording_in_its_own_time_can_be_stopped(tmp_path):
    file = tmp_path / "evening.jsonl"
    record(file, sighting(0), sighting(3600))
    listener = Listener()
    reader = RecordedReader(file)
    reader.start(listener)
    listener.wait_for(lambda report: isinstance(report, Sighting))
    reader.close()
    assert sum(isinstance(report, Sighting) for report in listener.reports) == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_recording"),
        (b"\x89PNG\r\n", "no_recording"),
        (b'{"recording": 99}\n', "too_new"),
        (b'{"recording": 1}\n{"kind": "dance"}\n', "bad_line"),
        (b'{"recording": 1}\nnonsense\n{"kind": "press"}\n', "bad_line"),
        (
            b'{"recording": 1}\n{"kind": "press", "reader": "a", "seat": "b", "button": "accept", "at": 0}\n',
            "bad_line",
        ),
    ],
)
def test_a_file_that_is_no_recording_is_said_to_be_none(tmp_path, content, code):
    file = tmp_path / "a"
    file.write_bytes(content)
    listener = Listener()
    reader = RecordedReader(file)
    reader.start(listener)
    report = listener.wait_for(lambda report: isinstance(report, Health))
    reader.close()
    assert (report.state, report.text.code) == ("lost", f"reader.recorded.{code}")


def test_a_recording_that_is_not_there_is_said_not_to_be(tmp_path):
    with pytest.raises(RecordingError, match="missing"):
        read_recording(tmp_path / "absent")


def test_the_last_line_may_be_cut_off(tmp_path):
    file = tmp_path / "a"
    record(file, sighting(0), sighting(1))
    file.write_bytes(file.read_bytes()[:-20])
    assert len(read_recording(file)[1]) == 1


def test_no_recording_is_overwritten_and_the_session_goes_on(tmp_path):
    file = tmp_path / "a"
    file.write_text("an older evening")
    listener = Listener()
    recorder = Recorder(file, RecordingHeader(1), listener)
    recorder.post(sighting(0))
    assert file.read_text() == "an older evening"
    assert listener.health() == [("lost", "recorded.not_written")]
    assert isinstance(listener.reports[-1], Sighting)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_recording_and_not_the_session(monkeypatch, tmp_path):
    listener = Listener()
    monkeypatch.setattr(recordings, "open_private_file", lambda _path, _mode: Path("/dev/full").open("w"))  # noqa: SIM115 - the recorder closes it
    recorder = Recorder(tmp_path / "a", RecordingHeader(1), listener)
    recorder.post(sighting(0))
    recorder.post(sighting(1))
    assert listener.health() == [("lost", "recorded.not_written")]
    assert sum(isinstance(report, Sighting) for report in listener.reports) == 2


HOSTILE_LINES = {
    "an empty name": {
        "kind": "sighting",
        "reader": "",
        "track": 1,
        "design": None,
        "where": "middle",
        "at": 1,
    },
    "a blank name": {"kind": "press", "reader": "  ", "seat": 1, "button": "accept", "at": 1},
    "a name that moves the cursor": {"kind": "unrest", "reader": "\x1b[2J", "busy": True, "at": 1},
    "a long name": {"kind": "unrest", "reader": "x" * 5_000, "busy": True, "at": 1},
    "a seat that nobody has": {"kind": "press", "reader": "box", "seat": 10**12, "button": "accept", "at": 1},
    "a time that never comes": {"kind": "unrest", "reader": "c", "busy": True, "at": 1e300},
    "a board that moves the cursor": {
        "kind": "board",
        "reader": "c",
        "board": {"pawns": [["\x1b[2J", "red"]]},
        "at": 1,
    },
    "a kind that is a list": {"kind": [], "reader": "c", "at": 1},
}


@pytest.mark.parametrize("what", HOSTILE_LINES)
def test_what_no_reader_reports_is_said_with_its_line(tmp_path, what):
    file = tmp_path / "given.jsonl"
    file.write_text(json.dumps({"recording": 1}) + "\n" + json.dumps(HOSTILE_LINES[what]) + "\n")
    with pytest.raises(RecordingError) as caught:
        read_recording(file)
    assert caught.value.text.args["line"] == 2


@pytest.mark.parametrize("code", ["{n:>3000000000}", "\x1b[31mred", "{0.__class__.__mro__}", "x" * 9_000])
def test_a_recording_puts_no_words_on_the_screen(tmp_path, code, monkeypatch):
    """Its readers' troubles are those of another table; and a code that no catalogue has is never a
    pattern."""
    text = {"code": code, "args": {"n": "1"}}
    line = {"kind": "health", "reader": "camera", "state": "lost", "text": text, "at": 1}
    file = tmp_path / "given.jsonl"
    file.write_text(json.dumps({"recording": 1}) + "\n" + json.dumps(line) + "\n")
    assert read_recording(file)[1] == []
    monkeypatch.setattr(texts, "show_unknown", show_unknown)
    said = Translator().translate(Text(code, {"n": "1"}))
    assert len(said) <= 80
    assert said.isprintable()


def test_a_flood_of_cards_does_not_hold_up_the_table():
    """20,000 cards at once: each tick takes in a few, the table follows as many as there can be,
    and a button is not lost."""
    live = Seats("Ann", "Ben").live
    for number in range(20_000):
        live.post_report(Sighting("recorded", number, f"toy:{number % 9 + 1}", "middle", 100.0))
    live.post_report(Press("recorded", 1, "accept", 100.0))
    ticks = 0
    while live.next_due_time(100.0) == 100.0:
        live.tick(100.0)
        ticks += 1
    assert ticks == math.ceil(20_001 / REPORTS_PER_TICK)
    assert len(live.table.list_claims(100.0)) <= MOST_CARDS
