"""What the mouse does in lists and on sheets: a click means the words under it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from companion.texts import Translator
from companion.views.conversations import Conversation, Menu, Reply, Sentence
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.dashboard.screens.pads import PadsScreen
from companion.views.dashboard.screens.share import ShareDialog
from companion.views.dashboard.screens.text_dialogs import MovesScreen
from companion.views.home_screen.list_pages import SearchPage
from tests.views.looks import WIDE, open_screen
from tests.views.table import on_screen, steady
from tests.views.test_apps_drawn import Trays, invited


async def click_on(pilot: Pilot[Any], words: str) -> None:
    """Click on the first place where words stand."""
    lines = (await steady(pilot)).splitlines()
    x, y = next((line.index(words), y) for y, line in enumerate(lines) if words in line)
    # The pilot names the widget itself: a click by place alone would be one on the screen.
    widget, region = pilot.app.get_widget_at(x, y)
    await pilot.click(widget, offset=(x - region.x, y - region.y))
    await pilot.pause()


async def test_a_line_that_was_found() -> None:
    """Its place in the list is no longer its number."""
    app = SearchPage("Which?", ["one", "two", "three"], Translator("en"), "")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("t")
        await click_on(pilot, "three")
    assert app.return_value == 2


@pytest.mark.parametrize(
    ("screen", "clicks", "result"),
    [
        (lambda: ChoiceScreen("Which?", ["Stay", "Leave"]), ("Leave",), 1),
        (lambda: MovesScreen(["red 7", "blue 5"], Translator("en")), ("blue 5", "red 7"), True),
        (lambda: MovesScreen(["red 7", "blue 5"], Translator("en")), ("blue 5",), None),
    ],
)
async def test_what_a_sheet_returns(screen: Callable[[], Screen[Any]], clicks, result) -> None:
    app = open_screen(screen())
    async with app.run_test(size=WIDE) as pilot:
        for words in clicks:
            await click_on(pilot, words)
    assert app.return_value == result


async def test_beside_the_cards_to_move_nothing_is_moved() -> None:
    app = open_screen(MovesScreen(["red 7"], Translator("en")))
    async with app.run_test(size=WIDE) as pilot:
        await steady(pilot)
        await pilot.click("#choose-title")
        assert app.return_value is None
        await pilot.click(offset=(0, 0))
    assert app.return_value is False


async def test_who_joins_by_the_code_of_a_line() -> None:
    app = open_screen(ShareDialog(invited, Translator("en"), lambda: None))
    async with app.run_test(size=(140, 60)) as pilot:
        await click_on(pilot, "Ann")
        assert "8640/seat#1" in on_screen(app)
        await pilot.click("#code")
        assert "8640/seat#1" in on_screen(app)


async def test_what_is_done_on_a_tray() -> None:
    trays = Trays()
    app = open_screen(PadsScreen(trays, Translator.for_game("en", "donkey_valley")))
    async with app.run_test(size=WIDE) as pilot:
        for words in ("Accept", "Refuse"):
            await click_on(pilot, words)
        await click_on(pilot, "dark")
        assert isinstance(app.screen, ChoiceScreen)
    assert [done[1:] for done in trays.done if done[-1] is True] == [("accept", True), ("refuse", True)]


async def test_a_row_of_a_conversation() -> None:
    taken = []

    def converse():
        rows = [Reply("1", "the first", 1), Sentence("a heading", "title"), Reply("2", "the second", 2)]
        taken.append((yield Menu([], rows, long=True)))
        yield Menu([], [Reply("q", "a question", None)])

    app = open_screen(ConversationScreen(Conversation(converse), Translator("en")))
    async with app.run_test(size=WIDE) as pilot:
        await click_on(pilot, "a heading")
        assert not taken
        await click_on(pilot, "the second")
        await click_on(pilot, "the first")
    assert taken == [2, 1]
