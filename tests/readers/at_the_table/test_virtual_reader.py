"""The simulated trays on the dashboard: cards are laid and lifted, buttons pressed, lights and
buzzer seen, by mouse and by keys."""

from __future__ import annotations

import pytest
from textual.widgets import Static

from companion.plan import Plan
from companion.rules import registry
from companion.texts import Translator
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.screens.pads import PadsScreen, PadView
from companion.views.table_session import TableSession
from tests.readers.at_the_table.rfid_table import RfidTable


class Trays:
    """Trays without a simulator."""

    pads = ("seat1", "seat2", "seat3", "seat4", "seat5", "seat6", "middle")

    def __init__(self):
        self.lights = ["#004000", "#400000", *["#000000"] * 5]
        self.tone = 880
        self.cards = {"seat1": [None], "middle": ["donkey:giant"]}
        self.pressed = []

    def list_cards(self, pad):
        return self.cards.get(pad, [])

    def list_free_designs(self):
        return ["load:red:1", "donkey:puny"]

    def find_card(self, design):
        return design

    def lay_card(self, pad, design):
        self.cards.setdefault(pad, []).append(design)

    def lift_card(self, pad):
        self.cards[pad].pop()

    def press_button(self, seat, key, *, down=True):
        self.pressed.append((seat, key, down))
        return 0


@pytest.fixture(params=["en", "fr"])
def words(request):
    return Translator(request.param, registry.load_game("donkey_valley"))


@pytest.fixture
async def shown(words):
    board = Trays()
    app = Dashboard(TableSession(Plan(language=words.language), RfidTable().live, virtual_trays=board))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("b")
        await pilot.pause()
        assert isinstance(app.screen, PadsScreen)
        yield pilot, app, board


def face(app, pad):
    view = next(one for one in app.screen.query(PadView) if one.pad == pad)
    return str(view.render())


async def test_each_pad_says_its_light_and_its_cards_in_words(shown, words):
    _, app, _ = shown
    assert words("board.light.accepted") in face(app, "seat1")
    assert words("board.light.unknown") in face(app, "seat2")
    assert words("board.face_down") in face(app, "seat1")
    assert words("card.giant") in face(app, "middle")
    assert words("board.empty") in face(app, "seat3")
    assert "880" in str(app.screen.query_one("#buzzer", Static).render())


async def test_a_card_is_chosen_and_laid_and_taken_away_again(shown):
    pilot, app, board = shown
    await pilot.press("right", "enter")
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()
    assert board.cards["seat2"] == ["load:red:1"]
    await pilot.press("backspace")
    await pilot.pause()
    assert board.cards["seat2"] == []
    await pilot.press("escape")
    await pilot.pause()
    assert not isinstance(app.screen, PadsScreen)


async def test_buttons_are_pressed_and_let_go(shown):
    pilot, _, board = shown
    await pilot.press("a")
    while len(board.pressed) < 2:
        await pilot.pause(0.1)
    assert board.pressed == [(1, "accept", True), (1, "accept", False)]


async def test_the_mouse_does_the_same(shown):
    pilot, app, board = shown
    first = app.screen.query(PadView).first()
    await pilot.click(first, offset=(3, 3))
    await pilot.pause()
    assert board.cards["seat1"] == []
    await pilot.click(first, offset=(3, 5))
    while len(board.pressed) < 2:
        await pilot.pause(0.1)
    assert board.pressed == [(1, "accept", True), (1, "accept", False)]


async def test_the_middle_has_no_buttons(shown):
    pilot, app, board = shown
    app.screen.query(PadView).last().focus()
    await pilot.press("a")
    await pilot.pause(0.4)
    assert board.pressed == []
