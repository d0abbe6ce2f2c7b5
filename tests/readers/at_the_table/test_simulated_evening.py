"""An evening of Donkey Valley in which every card comes through the trays' firmware, a
pseudo-terminal each and pyserial."""

from __future__ import annotations

import threading
import time
from collections import deque

import pytest

from companion.evening.session_opening import open_table_session
from companion.games.donkey_valley import moves as rq
from companion.journal.journal import Journal
from companion.plan import Plan
from companion.table.sightings import Sighting

pytestmark = pytest.mark.native
TIMEOUT = 180.0
"""Seconds after which an evening that does not go on is a failure; it needs a tenth of them."""


class Together:
    """Holds back what one reader says of a donkey until the other has said as much: on a busy
    machine either may take seconds longer.

    Then both speak of a card at the same time, as on a machine that is not busy.
    """

    def __init__(self, post):
        self._post = post
        self._lock = threading.Lock()
        # by the camera's designs: a card lost from sight for a moment is another track after it
        self._met = {"camera": set(), "pads": set()}
        self._held = {"camera": deque(), "pads": deque()}

    def __call__(self, report):
        if not isinstance(report, Sighting) or not (report.design or "").startswith("donkey:"):
            self._post(report)
            return
        camera = report.reader == "camera"
        side = "camera" if camera else "pads"
        with self._lock:
            if report.sure if camera else report.present:
                self._met[side].add(report.design if camera else (report.track, report.design))
            self._held[side].append((len(self._met[side]), report))
            both = min(len(met) for met in self._met.values())
            for held in self._held.values():
                while held and held[0][0] <= both:
                    self._post(held.popleft()[1])


@pytest.fixture
def opened(tmp_path, monkeypatch):
    # Neither the hands nor the table lose patience with a camera that waits its turn on a busy
    # machine: at eight times the speed two and a half seconds are twenty of the evening.
    monkeypatch.setattr("companion.demo.director.READER_TIMEOUT", TIMEOUT / 6)
    monkeypatch.setattr("companion.table.questions.QUESTION_DELAY", TIMEOUT / 6)
    monkeypatch.setattr("companion.table.questions.BUSY_QUESTION_DELAY", TIMEOUT / 6)
    monkeypatch.setattr("companion.readers.camera.frames.LOWEST_RATE", 0.0)  # nor is it told of that
    evenings = []

    def begin(**plan):
        chosen = Plan(
            "donkey_valley", ("Ann", "Bob", "Chloé"), seed=5, readers=("simulated",), demo=True, **plan
        )
        evening = open_table_session(
            chosen, Journal.open(tmp_path / "evening.sqlite"), None, time.monotonic()
        )
        evenings.append(evening)
        evening.post = evening.post if evening.picture_of is None else Together(evening.post)
        evening.start_readers()
        return evening

    yield begin
    for evening in evenings:
        evening.close()


def play(evening, enough):
    """Let the evening go on until `enough(requests)`; return the requests."""
    asked, until = None, 0.0
    while True:
        now = time.monotonic()
        evening.backstage.tick(now)
        evening.live.tick(now)
        before, asked = asked, [act.request for act in evening.live.list_acts()]
        if enough(asked):
            return asked
        until = until if asked == before else now + TIMEOUT
        assert now < until, asked
        time.sleep(0.01)


def of(asked, kind):
    return [one for one in asked if isinstance(one, kind)]


def test_a_round_by_the_reader_alone(opened):
    """Donkeys and favours are shown to the middle pad, loads lie sealed over the seats' pads,
    decisions are buttons."""
    evening = opened(cameras=("off",), speed=16.0)
    asked = play(evening, lambda asked: len(of(asked, rq.Donkey)) == 2)
    assert evening.backstage.director.manual_entries == 0, "every card was read"
    assert evening.live.snapshot().refusal is None
    assert evening.picture_of is None
    assert len(of(asked, rq.Reveal)) == 3
    hidden = [load for load in of(asked, rq.Load) if load.values is None]
    assert hidden
    assert all(len(load.sealed) == load.count for load in hidden)
    lights = set(evening.virtual_trays.lights)
    assert lights <= {"#000000", "#004000"}, "nothing was refused or unknown"


def test_what_lies_over_the_pads_is_in_no_file(opened, tmp_path):
    record = tmp_path / "seen.jsonl"
    evening = opened(cameras=("off",), speed=16.0, record=record)
    play(evening, lambda asked: len(of(asked, rq.Load)) == 3)
    hidden = [pad for pad in evening.virtual_trays.pads if evening.virtual_trays.list_cards(pad) == [None]]
    tags = [tag.hex() for pad in hidden for tag in evening.virtual_trays._there[pad]]
    names = {evening.virtual_trays._deck.find_design_by_tag(tag) for tag in tags}
    written = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()))
    assert names, "a difficult donkey has some loads face up, never all"
    assert b"donkey:" in written
    assert [name for name in (*names, *tags) if name.encode() in written] == []
    assert [name for name in (*names, *tags) if name in repr(evening.live.snapshot())] == []


@pytest.mark.slow
def test_camera_and_reader_together_and_one_disagreement_that_the_table_settles(opened):
    """The second donkey carries another donkey's sticker: nobody believes either reader until the
    table has said which it is."""
    evening = opened(speed=8.0)
    questions = []

    def over(asked):
        questions.extend(one.text.code for one in evening.live.snapshot().questions)
        return len(of(asked, rq.Donkey)) == 2 and len(of(asked, rq.Load)) == 6

    asked = play(evening, over)
    director = evening.backstage.director
    assert set(questions) == {"table.dispute.readers"}
    assert director.answered_conflicts == 1
    down = [load.player for load in of(asked, rq.Load)[3:] if load.values is None]
    assert sum(len(evening.virtual_trays.list_cards(f"seat{seat}")) for seat in (1, 2, 3)) == len(down) > 0, (
        "loads stay over their pads"
    )
    laid = [one.card for one in evening.backstage.world.table_cards if one.zone == "middle"]
    assert laid == [f"donkey:{of(asked, rq.Donkey)[1].type}"], (
        "the donkey that was accepted is the one that lies there"
    )
    assert {health.reader: health.state for health in evening.live.snapshot().health} == {
        "camera": "ok",
        **dict.fromkeys(("rfid tray", "rfid tray 1", "rfid tray 2", "rfid tray 3", "rfid tray 4"), "ok"),
    }
