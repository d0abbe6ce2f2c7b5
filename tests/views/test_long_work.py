"""Long work behind the home screen: it says how far it is, and a key breaks it off."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import ProgressBar

from companion.rules.contract import Problem
from companion.texts import Translator
from companion.views.home_screen.list_pages import ProgressCallback, ProgressPage
from tests.simulated.terminal import companion
from tests.views.table import on_screen


class Drawing:
    """Work of three steps, each of which waits until it may go on."""

    def __init__(self) -> None:
        self.go_on = threading.Semaphore(0)
        self.made: list[int] = []

    def __call__(self, told: ProgressCallback) -> list[str]:
        for number in range(1, 4):
            told(number, 3)
            self.go_on.acquire()
            self.made.append(number)
        return ["three cards"]


def page(work: object) -> ProgressPage:
    return ProgressPage("A deck", work, "cards.progress", Translator("en"), "")  # type: ignore[arg-type]


async def over(pilot: Pilot[object]) -> None:
    while not pilot.app._exit:
        await pilot.pause(0.01)


async def test_it_says_how_far_it_is_and_what_came_of_it() -> None:
    work = Drawing()
    app = page(work)
    async with app.run_test(size=(80, 24)) as pilot:
        work.go_on.release()
        while "card 2 of 3" not in on_screen(app):
            await pilot.pause(0.01)
        assert app.query_one(ProgressBar).percentage == pytest.approx(2 / 3)
        work.go_on.release(2)
        await over(pilot)
    assert app.return_value == ["three cards"]


async def test_it_is_broken_off_at_the_next_step() -> None:
    work = Drawing()
    app = page(work)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        work.go_on.release(3)
        await over(pilot)
    assert (app.return_value, work.made) == (None, [1])


async def test_what_cannot_be_done_is_said_in_a_sentence() -> None:
    def refuses(_told: ProgressCallback) -> list[str]:
        raise Problem("export.over_source", file="/deck")

    app = page(refuses)
    async with app.run_test(size=(80, 24)) as pilot:
        await over(pilot)
    assert app.return_value is not None
    assert "/deck" in app.return_value[0]


def test_printing_from_the_home_screen_shows_its_progress_and_broken_off_leaves_nothing(
    tmp_path: Path,
) -> None:
    with companion(tmp_path, "welcome", "--lang", "en", XDG_CACHE_HOME=str(tmp_path / "cache")) as terminal:
        terminal.until("Settings")
        terminal.type("k")
        terminal.until("Back")
        terminal.type("\r")
        terminal.until("Print")
        terminal.type("\r")
        # a quick card is done before the screen is drawn: the first number shown may be any
        terminal.until("Drawing card ")
        terminal.type("q")
        terminal.until("no sheets were written")
        assert terminal.end(pressing="q") == 0
    assert not [*tmp_path.rglob("*.pdf"), *tmp_path.rglob("deck.toml")]
