"""A key that means nothing where it is typed is answered, short, and nothing is covered by it."""

import pytest
from textual.widgets import OptionList

from companion.demo.actions import make_players
from companion.games.donkey_valley import moves as ask
from companion.language import LANGUAGES
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


@pytest.mark.parametrize(
    "language", [one if one == "de" else pytest.param(one, marks=pytest.mark.slow) for one in LANGUAGES]
)
@pytest.mark.parametrize("game", ["donkey_valley", "dtc", "ochs_und_esel", "partners", "ascend"])
async def test_the_answer_names_what_to_do_and_its_clause_at_80x24(game: str, language: str) -> None:
    live = live_session(("Ann", "Bartholomäus", "Chloé", "Dan"), game)
    async with dashboard(live, language).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "z")
        assert f"({live.game.clauses[live.snapshot().view['phase']]})" in await steady(pilot)


@pytest.mark.parametrize(("size", "whole"), [((80, 24), False), ((120, 40), True), ((200, 60), True)])
async def test_a_long_refusal_keeps_its_clause(size: tuple[int, int], whole: bool) -> None:
    async with dashboard(live_session(game="ascend")).run_test(size=size) as pilot:
        await pilot.press("enter")
        pilot.app._table.entry_panel.show_hint("✘ " + "Calamity (crown) and " * 14 + "don't combine. (AS-11)")
        shown = await steady(pilot)
        assert (shown.count("Calamity") == 14) == whole
        assert "(AS-11)" in shown


async def test_rows_are_wrapped_with_room_for_their_scrollbar() -> None:
    live = live_session(("Ann", "Bartholomäus", "Chloé", "Dan"), "partners")
    hands, listing = make_players(live.setup), None
    async with dashboard(live, "fr").run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        while listing is None or not listing.show_vertical_scrollbar:
            deed = hands.next_action(live.list_acts(), live.snapshot().view)
            assert deed is not None
            assert live.submit_request(deed.request) is None
            await steady(pilot)
            listing = pilot.app.screen.query_one("#entry-list", OptionList)
        room = listing.scrollable_content_region.width
        prompts = [listing.get_option_at_index(at).prompt for at in range(listing.option_count)]
        assert max(len(line) for prompt in prompts for line in str(prompt).split("\n")) <= room


@pytest.mark.parametrize("size", [(80, 15), (40, 8)])
async def test_in_a_window_of_a_few_rows_nothing_is_entered_blindly(size: tuple[int, int]) -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"), *(ask.Load(player) for player in live.setup.players))
    async with dashboard(live).run_test(size=size) as pilot:
        await pilot.press("enter")
        assert "n  No favour" in await steady(pilot)
