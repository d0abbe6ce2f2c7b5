"""However many evenings and groups the home screen lists, what stands last in it stays in sight."""

import pytest

from companion.evening.home_screen_entries import PastSessions, list_home_entries
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.settings import Settings
from companion.texts import Translator
from companion.views.home_screen.home_screen import HomeScreen
from tests.views.table import on_screen

MANY = tuple(Plan("donkey_valley", ("Ann", "Bob", "Chloé", f"Dan {row}"), cameras=("0",)) for row in range(8))


async def show_home_screen(groups: tuple[Plan, ...], language: str, size: tuple[int, int], click: str = ""):
    translator = Translator(language)
    app = HomeScreen(
        list_home_entries(
            Settings(groups=groups), PastSessions((), groups[0] if groups else None), translator
        ),
        translator,
        "",
    )
    async with app.run_test(size=size) as pilot:
        for _ in range(5):
            await pilot.pause()
        seen = on_screen(app)
        if click:
            rows = seen.splitlines()
            row = next(y for y in reversed(range(len(rows) - 1)) if click in rows[y])
            await pilot.click(offset=(rows[row].index(click) + 1, row))
    return seen, app.return_value


@pytest.mark.parametrize("language", LANGUAGES)
async def test_settings_and_quit_are_in_sight_with_eight_groups_at_80x24(language: str) -> None:
    seen, _ = await show_home_screen(MANY, language, (80, 24))
    translator = Translator(language)
    for code in (
        "home_screen.share",
        "home_screen.history",
        "home_screen.check",
        "home_screen.settings",
        "key.short.quit",
    ):
        assert translator(code) in " ".join(seen.split()), (code, seen)


async def test_what_is_named_in_short_can_be_clicked() -> None:
    _, chosen = await show_home_screen(MANY, "en", (80, 24), click=Translator("en")("home_screen.settings"))
    assert chosen is not None
    assert chosen.opens == "settings"


async def test_a_home_screen_that_shows_everything_says_nothing_twice() -> None:
    seen, _ = await show_home_screen(MANY[:1], "en", (120, 40))
    assert seen.count(Translator("en")("home_screen.settings")) == 1
