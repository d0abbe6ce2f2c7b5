"""The camera seen reading: its picture takes half of the screen, names stand beside the cards and
never over one another, and a doubtful card is seen enlarged beside what it may be."""

import asyncio
import random
import re
import threading
from base64 import b64decode

import cv2
import numpy as np
import pytest
from msgspec.structs import replace
from textual.geometry import Region

from companion.games.donkey_valley.moves import Donkey
from companion.live.snapshot import ShownQuestion
from companion.plan import Plan
from companion.readers.camera.pictures import CardLabel, EnlargedCard
from companion.readers.camera.reader import CameraReader, CardRecognizer
from companion.readers.camera.sources import Frame, Source
from companion.rules.contract import Text
from companion.share.share_server import ShareServer
from companion.table import zones
from companion.table.sightings import Health
from companion.texts import Translator
from companion.views.dashboard.widgets.camera_preview import (
    Preview,
    encode_kitty_picture,
    place_labels,
    shrink_picture,
)
from companion.views.table_session import TableSession
from companion.web.addresses import listen_locally
from tests.share.test_talks import Page
from tests.views.screens import FOUR, SIZES
from tests.views.table import dashboard, live_session, steady, wait_until
from vision.library import Library

PICTURE = np.full((180, 240, 3), 90, np.uint8)
CARD = np.full((60, 40, 3), 200, np.uint8)
NAMES = ("load:yellow:2", "load:yellow:7")


def by_the_camera(**more):
    labels = [CardLabel(0.1, 0.4, 0.2, 0.6, "load:blue:10"), CardLabel(0.22, 0.4, 0.32, 0.6, NAMES[0])]
    return {"picture_of": lambda: PICTURE, "labels_of": lambda: labels, **more}


def test_names_stand_beside_their_cards_and_never_over_one_another():
    two = [CardLabel(0.30, 0.4, 0.40, 0.6, " blue 10 "), CardLabel(0.41, 0.4, 0.51, 0.6, " attacked ")]
    assert place_labels(two, 60, 20) == [(9, 10, " blue 10 "), (31, 10, " attacked ")]
    rng = random.Random(4)
    for _ in range(300):
        labels = [
            CardLabel(x, y, x + 0.1, y + 0.15, " " * rng.randint(4, 14))
            for x, y in ((rng.uniform(0, 0.9), rng.uniform(0, 0.85)) for _ in range(rng.randint(1, 12)))
        ]
        cells = [
            (column + at, row)
            for column, row, words in place_labels(labels, 40, 14)
            for at in range(len(words))
        ]
        assert len(cells) == len(set(cells))
        assert all(0 <= column < 40 and 0 <= row < 14 for column, row in cells)


def test_a_picture_goes_to_the_terminal_in_pieces_that_it_takes_and_asks_for_no_answer() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (180, 240, 3), np.uint8)
    told = encode_kitty_picture(noise, 5, Region(2, 7, 20, 8))
    assert told.startswith("\x1b7\x1b[8;3H")
    assert told.endswith("\x1b8")
    heads, pieces = zip(*re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", told), strict=True)
    assert "i=5,C=1," in heads[0]
    assert "c=20,r=8," in heads[0]
    assert f"z={-(2**30) - 1}," in heads[0], "the uppermost of the layers below all cells"
    assert len(pieces) > 2
    assert heads[0].endswith(",q=2,m=1")
    assert heads[1:] == ("q=2,m=1",) * (len(heads) - 2) + ("q=2,m=0",)
    assert max(map(len, pieces)) <= 4096
    back = cv2.imdecode(np.frombuffer(b64decode("".join(pieces)), np.uint8), cv2.IMREAD_COLOR)
    assert back.shape == (120, 160, 3), "no more pixels than the cells can show"
    assert not np.any(back & 3), "the last bits are mostly noise"
    assert np.std(back) < 0.8 * np.std(noise), "each is the mean of those that it stands for"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_one_key_gives_the_camera_half_of_the_screen(size) -> None:
    seen = EnlargedCard(CARD, [(NAMES[0], CARD)])
    async with dashboard(live_session(FOUR), **by_the_camera(enlarged_of=lambda: seen)).run_test(
        size=size
    ) as pilot:
        await pilot.press("w")
        await pilot.pause()
        pilot.app._table.update_camera()
        shown = await steady(pilot)
        watch = pilot.app.screen.query_one("#watch", Preview)
        assert watch.size.width * 2 >= size[0]
        assert watch.size.height * 2 >= size[1]
        assert "blue 10" in shown
        assert "last read" in shown
        await pilot.press("w")
        assert "last read" not in await steady(pilot)


async def test_the_next_picture_is_looked_for_again_and_again(monkeypatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.screens.table_screen._PICTURE_SECONDS", 0.1)
    looks: list[int] = []
    async with dashboard(live_session(FOUR), picture_of=lambda: looks.append(1)).run_test() as pilot:
        await pilot.press("w")
        await steady(pilot)
        looks.clear()
        await wait_until(pilot, lambda: len(looks) > 1)


async def test_a_still_picture_is_drawn_again_when_the_program_comes_back_to_the_terminal(
    monkeypatch,
) -> None:
    told: list[str] = []
    monkeypatch.setenv("TERM", "xterm-kitty")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Preview, "_write_escapes", lambda _preview, escapes: told.append(escapes))
    async with dashboard(live_session(FOUR), **by_the_camera()).run_test(size=(120, 40)) as pilot:
        pilot.app.supports_smooth_scrolling = True
        await pilot.press("w")
        await steady(pilot)
        watch = pilot.app.screen.query_one("#watch", Preview)
        watch.update_picture()
        rows, columns, _ = shrink_picture(PICTURE, *watch.size).shape
        assert "a=T" in told[-1]
        assert f",c={columns},r={rows // 2}," in told[-1]
        told.clear()
        for _ in range(20):
            watch.update_picture()
        assert told == []
        pilot.app.app_resume_signal.publish(pilot.app)
        await pilot.pause()
        watch.update_picture()
        assert "a=T" in told[-1]


async def test_a_question_of_a_table_without_a_camera_shows_none() -> None:
    live = live_session(FOUR)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        question = ShownQuestion(1, Text("doubt.foreign_card", {"card": "x"}), None)
        pilot.app.show_snapshot(replace(live.snapshot(), questions=(question,)))
        assert not pilot.app.screen.has_class("-watching")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_what_is_wrong_with_the_camera_is_told_where_its_picture_would_be(size, monkeypatch) -> None:
    live = live_session(FOUR)
    text = Text("reader.camera.no_photos", {"folder": "/nowhere"})
    lost = replace(live.snapshot(), health=(Health("camera", "lost", text, 0.0, sense="camera"),))
    monkeypatch.setattr(live, "snapshot", lambda: lost)
    app = dashboard(live, picture_of=lambda: None, enlarged_of=lambda: None)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("w")
        await pilot.pause()
        app._table.update_camera()
        assert "There are no photos" in await steady(pilot)


async def test_a_doubtful_card_is_seen_beside_what_it_may_be_while_it_is_asked_about() -> None:
    live = live_session(FOUR)
    doubt = EnlargedCard(CARD, [(name, CARD) for name in NAMES])
    app = dashboard(live, **by_the_camera(enlarged_of=lambda: doubt))
    async with app.run_test(size=(120, 40)) as pilot:
        assert "not sure" not in await steady(pilot)
        question = ShownQuestion(1, Text("choose.nothing"), None, tuple(live.list_choices("Ann"))[:2])
        app.show_snapshot(replace(live.snapshot(), questions=(question,)))
        shown = await steady(pilot)
        assert "not sure" in shown
        assert shown.count("yellow 2") == 3, "in the picture, in what is read, and as what it may be"
        assert "yellow 7" in shown


class OnePicture(Source):
    """A camera that shows the same picture all the time."""

    def read(self, wait):
        return None if wait(0.01) else Frame(PICTURE, 0.0)


async def test_keys_and_phones_are_answered_while_a_look_takes_long(monkeypatch) -> None:
    """The first look at a full table takes seconds on a small computer: here it ends when both have
    been answered."""
    begun, answered = threading.Event(), threading.Event()
    monkeypatch.setattr(CardRecognizer, "detect_cards", lambda *_: begun.set() or (answered.wait() and []))
    live = live_session(FOUR)
    camera = CameraReader(OnePicture("still"), Library(), zones.make_default_zones(len(FOUR)))
    share = ShareServer(listen_locally(0), Translator("en", live.game), TableSession(Plan(), live))
    share.start()
    camera.start(live.post_report)
    try:
        async with dashboard(live, picture_of=lambda: PICTURE).run_test() as pilot:
            await asyncio.to_thread(begun.wait)
            await pilot.press("w")
            assert pilot.app.screen.query_one("#watch", Preview).size.width > 0
            live.submit_request(Donkey("giant"))
            assert (await asyncio.to_thread(Page, share, FOUR[0], "entering")).menu is not None
            assert camera.processed_frames == 0
    finally:
        answered.set()
        camera.close()
        share.close()
    assert camera.processed_frames
