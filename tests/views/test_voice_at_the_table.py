"""The voice at a table, in plain lines and on the dashboard, counted: it is never more than one
sentence behind, what is urgent goes first, and it can be silenced in the middle of a word."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.games.donkey_valley import moves as ask
from companion.live.live_session import LiveSession
from companion.texts import Translator
from companion.views.announcements import Speaker
from companion.views.plain_view import PlainView
from companion.views.voice import Voice
from tests.views.table import THREE, dashboard, enter, live_session

HELD = """
import os, sys, time
words, folder = sys.stdin.read(), sys.argv[1]
open(folder + "/begun", "a").write(words + "\\n")
while os.path.exists(folder + "/hold"):
    time.sleep(0.01)
open(folder + "/said", "a").write(words + "\\n")
"""
"""Speaks a sentence for as long as the file `hold` is there."""


class Room:
    """What was begun to be said in it, and what was said to the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.hold = folder / "hold"
        self.hold.touch()
        self.voice = Voice(program=(sys.executable, "-c", HELD, str(folder)))

    def lines(self, name: str) -> list[str]:
        file = self._folder / name
        return file.read_text().splitlines() if file.exists() else []

    async def until(self, name: str, count: int) -> None:
        async with asyncio.timeout(30):  # else a sentence that never comes would be waited for all night
            while len(self.lines(name)) < count:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def at_the_table(
    view: str, live: LiveSession, speaker: Speaker
) -> AsyncIterator[tuple[Callable[[], object], Callable[[], object]]]:
    """Sit down before one of the two views; give what lets it look, and what silences it."""
    if view == "plain":
        plain = PlainView(live, Translator("en", live.game), lambda line: None, speaker=speaker)
        plain.poll_table(0.0)
        yield (lambda: plain.poll_table(0.0)), (lambda: plain.enter_line("mute"))
        return
    async with dashboard(live, speaker=speaker).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield pilot.app.on_dashboard_changed, pilot.app.action_mute


VIEWS = pytest.mark.parametrize("view", ["plain", "dashboard"])


@VIEWS
async def test_three_acts_during_one_sentence_leave_one_sentence_to_say(view: str, tmp_path: Path) -> None:
    room, live = Room(tmp_path), live_session()
    enter(live, ask.Donkey("giant"))
    async with at_the_table(view, live, Speaker(room.voice)) as (look, _):
        await room.until("begun", 1)
        for request in map(ask.Load, THREE):
            enter(live, request)
            look()
        room.hold.unlink()
        await room.until("said", 2)
        await asyncio.sleep(0.1)
    room.voice.close()
    assert len(room.lines("begun")) == 2
    assert "Chloé has played." in room.lines("said")[1]


@VIEWS
async def test_a_refusal_breaks_off_the_news_and_is_itself_said_to_the_end(view: str, tmp_path: Path) -> None:
    room, live = Room(tmp_path), live_session()
    enter(live, ask.Donkey("giant"))
    async with at_the_table(view, live, Speaker(room.voice)) as (look, _):
        await room.until("begun", 1)
        refusal = live.submit_request(ask.Favour("Ann", 6))
        assert refusal is not None
        look()
        await room.until("begun", 2)
        enter(live, ask.Load("Ann"))
        look()
        await asyncio.sleep(0.1)
        assert len(room.lines("begun")) == 2
        room.hold.unlink()
        await room.until("said", 2)
    room.voice.close()
    first, second = room.lines("said")
    assert Translator("en", live.game).translate(refusal.text) in first
    assert "Ann has played." in second


@VIEWS
async def test_it_is_silent_in_the_middle_of_a_sentence(view: str, tmp_path: Path) -> None:
    room, live = Room(tmp_path), live_session()
    enter(live, ask.Donkey("giant"))
    async with at_the_table(view, live, Speaker(room.voice)) as (look, mute):
        await room.until("begun", 1)
        mute()
        enter(live, ask.Load("Ann"))
        look()
    room.voice.close()  # waits for a sentence that is being said; this one would never end
    assert room.hold.exists()
    assert room.lines("said") == []
    assert len(room.lines("begun")) == 1
