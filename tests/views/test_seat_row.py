"""The form: names change seats by mouse and by keys, and a line shows where one would land."""

import pytest
from textual.widgets import Input, Label

from companion.evening.setup_form import build_game_row
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.texts import Translator
from companion.views.dashboard.setup import SeatRow, SetupApp, move_name
from tests.views.table import on_screen

SMALL = (80, 24)


def form(language: str = "en") -> SetupApp:
    translator = Translator(language)
    return SetupApp([build_game_row("donkey_valley", translator)], translator, Plan(), camera="0")


async def test_a_game_without_decks_is_played_without_one() -> None:
    translator = Translator("en")
    app = SetupApp([build_game_row("donkey_valley", translator)._replace(decks=())], translator, Plan())
    async with app.run_test(size=SMALL):
        assert app.build_plan().deck == ""


@pytest.mark.parametrize(
    ("taken", "gap", "seated"),
    [(0, 3, "BCAD"), (3, 0, "DABC"), (1, 4, "ACDB"), (2, 2, "ABCD"), (2, 3, "ABCD")],
)
def test_one_is_taken_out_and_the_others_close_up(taken: int, gap: int, seated: str) -> None:
    assert "".join(move_name("ABCD", taken, gap)) == seated


async def test_a_name_is_dragged_between_two_others() -> None:
    app = form()
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#players", Input).value = "Ann, Bob, Zoé"
        await pilot.pause()
        row = app.query_one(SeatRow)  # " " " 1 Ann " " " " 2 Bob " " " " 3 Zoé "
        assert "┃" not in on_screen(app)
        await pilot.mouse_down(row, offset=(4, 0))
        await pilot.hover(row, offset=(14, 0))  # the right half of Bob
        assert " 2 Bob ┃ 3 Zoé" in on_screen(app)
        assert app.build_plan().players == ("Ann", "Bob", "Zoé"), "not before it is let go"
        await pilot.mouse_up(row, offset=(14, 0))
        await pilot.pause()
        assert app.build_plan().players == ("Bob", "Ann", "Zoé")
        assert "┃" not in on_screen(app)
        await pilot.mouse_down(row, offset=(20, 0))
        await pilot.hover("#begin")  # far below, under the second name
        await pilot.hover(row, offset=(0, 0))
        assert "┃ 1 Bob" in on_screen(app)
        await pilot.mouse_up(row, offset=(0, 0))
        await pilot.pause()
        assert app.build_plan().players == ("Zoé", "Bob", "Ann")


async def test_a_click_moves_nobody_and_escape_lets_go() -> None:
    app = form()
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#players", Input).value = "Ann, Bob, Zoé"
        await pilot.pause()
        row = app.query_one(SeatRow)
        await pilot.click(row, offset=(12, 0))
        await pilot.mouse_down(row, offset=(4, 0))
        await pilot.hover(row, offset=(25, 0))
        assert "┃" in on_screen(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "┃" not in on_screen(app)
        await pilot.mouse_up(row, offset=(25, 0))
        await pilot.pause()
        assert app.build_plan().players == ("Ann", "Bob", "Zoé")
        assert app.mouse_captured is None
        assert app.is_running, "the form was not left"


def chosen(app: SetupApp) -> list[str]:
    """What is drawn in reverse among the names."""
    row = app.query_one(SeatRow)
    return [piece.text for piece in row.render_line(0) if piece.style and piece.style.reverse]


async def test_the_name_that_keys_choose_is_marked() -> None:
    app = form()
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#players", Input).value = "Ann, Bob, Zoé"
        await pilot.pause()
        await pilot.press("tab")
        for key, name in (("right", "Bob"), ("right", "Zoé"), ("right", "Zoé"), ("left", "Bob")):
            await pilot.press(key)
            await pilot.pause()
            assert [one.split()[1] for one in chosen(app)] == [name]


async def test_the_same_by_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.views.dashboard.setup.secrets.randbelow", lambda _: 1)
    app = form()
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#players", Input).value = "Ann, Bob, Zoé"
        await pilot.pause()
        await pilot.press("tab", "right", "right", "right", "shift+left", "shift+left", "shift+left")
        await pilot.pause()
        assert app.build_plan().players == ("Zoé", "Ann", "Bob")
        await pilot.press("shift+right")
        await pilot.pause()
        assert app.build_plan().players == ("Ann", "Zoé", "Bob")
        await pilot.press("tab", "enter", "shift+tab")
        await pilot.pause()
        hint = app.query_one("#drawn", Label)
        assert str(hint.render()) == app.translator("setup.drawn", player="Zoé")
        assert app.build_plan().players == ("Zoé", "Bob", "Ann")
        await pilot.press("shift+right")
        await pilot.pause()
        assert str(hint.render()) == app.translator("setup.seats"), "another may begin now"
        await pilot.press("enter")  # the evening begins from here as from a field
    assert app.return_value is not None
    assert app.return_value.players == ("Zoé", "Ann", "Bob")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_full_table_of_long_and_wide_names_fits_the_smallest_screen(language: str) -> None:
    app = form(language)
    names = ["Jean-Marc de la Tour d'Auvergne", "佐藤さん", "[bold]Eve", "Bérénice", "Ann", "Bob"]
    async with app.run_test(size=SMALL) as pilot:
        app.query_one("#players", Input).value = ", ".join(names)
        await pilot.pause()
        row = app.query_one(SeatRow)
        assert row.size.height == 2
        screen = on_screen(app)
        for seen in (
            " 1 Jean-Marc de la",
            "2 佐藤さん",
            "3 [bold]Eve",
            "6 Bob",
            app.translator("setup.seats")[:20],
        ):
            assert seen in screen
        await pilot.mouse_down(row, offset=(3, 0))
        await pilot.hover(row, offset=(row.size.width - 1, 1))
        await pilot.mouse_up(row, offset=(row.size.width - 1, 1))
        await pilot.pause()
        assert app.build_plan().players == (*names[1:], names[0])
