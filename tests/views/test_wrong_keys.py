"""A key that means nothing where it is typed is answered, short, and nothing is covered by it."""

import pytest

from tests.views.table import dashboard, live_session, steady


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_key_that_no_line_has_is_answered_with_those_there_are(size: tuple[int, int]) -> None:
    live = live_session()
    async with dashboard(live, language="de").run_test(size=size) as pilot:
        await pilot.press("enter", "z")
        seen = await steady(pilot)
        keys = [line for line in seen.splitlines() if "Keine Zeile hat" in line]
        assert keys
        assert "Taste z" in " ".join(seen.split())
        assert live.acts() == []
        await pilot.press("2")  # a seat: outside the panel
        assert "Taste 2" in " ".join((await steady(pilot)).split())
        await pilot.press("g")
        assert "Keine Zeile hat" not in await steady(pilot)
