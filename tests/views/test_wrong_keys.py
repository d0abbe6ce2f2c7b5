"""A key that means nothing where it is typed is answered, short, and nothing is covered by it."""

import pytest

from companion.games.donkey_valley import moves as ask
from tests.views.table import dashboard, enter, live_session, steady


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_key_that_no_line_has_is_answered_with_those_there_are(size: tuple[int, int]) -> None:
    live = live_session()
    async with dashboard(live, language="de").run_test(size=size) as pilot:
        await pilot.press("enter", "z")
        seen = await steady(pilot)
        keys = [line for line in seen.splitlines() if "Keine Zeile hat" in line]
        assert keys
        assert "Taste z" in " ".join(seen.split())
        assert live.list_acts() == []
        await pilot.press("2")  # a seat: outside the panel
        assert "Taste 2" in " ".join((await steady(pilot)).split())
        await pilot.press("g")
        assert "Keine Zeile hat" not in await steady(pilot)


@pytest.mark.parametrize("size", [(80, 15), (40, 8)])
async def test_in_a_window_of_a_few_rows_nothing_is_entered_blindly(size: tuple[int, int]) -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"), *(ask.Load(player) for player in live.setup.players))
    async with dashboard(live).run_test(size=size) as pilot:
        await pilot.press("enter")
        assert "n  No favour" in await steady(pilot)
