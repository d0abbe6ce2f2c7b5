"""Putting it right: acts are found by words, a value that was shown before leads there, real cards
are ticked off."""

import re

import pytest
from textual.widgets import Input

from companion.games.ascend import moves as ascend
from companion.games.donkey_valley import moves as ask
from companion.games.dtc import moves as dtc
from companion.journal.journal import Journal
from companion.live.live_session import LiveSession
from companion.rules.contract import LONGEST_NAME, Text
from companion.table.decks import Deck
from companion.table.sightings import Health
from companion.table.table import Table
from tests.views.screens import middle
from tests.views.table import dashboard, enter, first_round, live_session, on_screen, steady


async def test_an_act_is_found_by_a_word() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "slash", *"giant", "enter")
        shown = await steady(pilot)
        assert "giant" in shown
        assert "Bob has played" not in shown
        await pilot.press("escape")


async def test_no_more_is_searched_for_than_a_name_may_be_long() -> None:
    """Textual measures the whole line at each key."""
    async with dashboard(middle("donkey_valley")).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "slash")
        search = pilot.app.screen.query_one("#long-search", Input)
        search.insert_text_at_cursor("x" * LONGEST_NAME)
        search.insert_text_at_cursor("x")
        assert search.value == "x" * LONGEST_NAME
        await pilot.press("escape", "escape")


async def test_an_act_is_found_by_several_words_without_their_accents() -> None:
    live = live_session(("Zoé", "Bob", "Dan"))
    enter(live, ask.Donkey("giant"), ask.Load("Zoé"), ask.Load("Bob"))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "slash", *"played zoe", "enter")
        shown = await steady(pilot)
        assert "Zoé has played" in shown
        assert "Bob has played" not in shown
        await pilot.press("escape")


async def test_a_value_shown_before_leads_to_the_round_where_it_was_shown() -> None:
    live = live_session()
    first_round(live)
    first_round_of_seven = [act.request for act in live.list_acts()].index(ask.Reveal("Ann", (7,)))
    players = live.setup.players[1:] + live.setup.players[:1]
    enter(
        live,
        ask.Donkey("normal"),
        *(ask.Load(one) for one in players),
        *(ask.NoFavour(one) for one in players),
    )
    enter(live, *(ask.Decide(one, True) for one in players))
    enter(live, ask.Reveal("Ann", (1,)))
    assert (7, first_round_of_seven) in live.list_values_shown_elsewhere(len(live.list_acts()) - 1)
    acts = live.list_acts()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter")
        await pilot.pause()
        assert f"Go to entry {first_round_of_seven + 1}" in on_screen(pilot.app)
        await pilot.press("7")
        await pilot.pause()
        assert f"Entry {first_round_of_seven + 1} should have been" in on_screen(pilot.app)
        await pilot.press("escape", "escape")
    assert live.list_acts() == acts


async def test_a_table_that_goes_on_meanwhile_is_shown_before_anything_is_changed() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter")
        await steady(pilot)
        live.undo()  # by a phone: the very entry that is to be corrected
        acts = live.list_acts()
        await pilot.press("-")
        assert "The game has moved on" in await steady(pilot)
        await pilot.press("enter", "-")
        assert "before → after" in await steady(pilot)
        enter(live, ask.Reveal(live.setup.players[-1], (3,)))
        await pilot.press("enter")
        assert "The game has moved on" in await steady(pilot)
    assert live.list_acts()[:-1] == acts


async def test_cards_to_be_moved_are_ticked_off_one_by_one() -> None:
    live = live_session()
    first_round(live)
    live.undo()
    live.undo()
    assert live.snapshot().moves == ()  # only keys have told of them
    count = len(live.snapshot().unasked)
    assert count > 1
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("m", *["enter"] * (count - 1))
        await pilot.pause()
        assert len(live.snapshot().unasked) == count
        await pilot.press("enter")
        await pilot.pause()
    assert live.snapshot().unasked == ()


async def test_what_is_to_be_moved_and_has_no_room_is_found_by_the_key_that_is_told(tmp_path) -> None:
    journal = Journal.open(tmp_path / "evening.sqlite3")
    live = live_session(journal=journal)
    first_round(live)
    kept = journal.read_current_session()
    table = Table(Deck.load_builtin(live.game.id))
    again = LiveSession(live.game, kept.setup, table=table, journal=journal, saved=kept)
    # Without a reader nobody asks for cards to be moved.
    again.post_report(Health("camera", "ok", Text("reader.ok"), 0.0))
    async with dashboard(again).run_test(size=(80, 24)) as pilot:
        [more] = [line for line in (await steady(pilot)).splitlines() if " more: " in line]
        await pilot.press(more.split(": ")[1].strip())
        assert (await steady(pilot)).count("☐") > 3
    journal.close()


async def test_cards_of_an_act_are_put_right_by_the_keys_that_entered_them() -> None:
    live = live_session(game="dtc")
    enter(live, dtc.Offer("Ann", 2, 3), dtc.Challenge("Bob"), dtc.Reveal(("1", "2")))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter", "n")
        await steady(pilot)
        await pilot.press("enter")
        await steady(pilot)
    assert live.list_acts()[-1].request == dtc.Reveal(("3", "3"))


async def test_cards_that_begin_with_their_rank_are_put_right_in_two_keys() -> None:
    live = live_session(game="ascend")
    enter(live, ascend.Exchanged(), ascend.Play("Ann", ("castle", "cave")))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter", "6")
        await steady(pilot)
        await pilot.press("3")
        await steady(pilot)
        await pilot.press("enter")
        await steady(pilot)
    assert live.list_acts()[-1].request == ascend.Play("Ann", ("lunatic", "penitent", "market"))


async def test_what_may_be_inserted_names_its_player_once() -> None:
    live = live_session(game="ascend")
    enter(live, ascend.Exchanged(), ascend.Play("Ann", ("castle",)))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter")
        shown = await steady(pilot)
        assert "Insert before it: Ann leads with these cards" in shown
        await pilot.press("escape", "escape")


async def test_lines_of_a_long_entry_begin_below_its_words() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("c")
        rows = [line[:40].rstrip() for line in (await steady(pilot)).splitlines()]
        numbered = re.compile(r"\s*\d+  \S")
        first = next(at for at, row in enumerate(rows) if numbered.match(row))
        words = len(numbered.match(rows[first])[0]) - 1
        # Those without a number and sign are headings, or continue the entry above.
        more = [row for row in rows[first:-1] if row.startswith(" " * words) and row.strip()]
        assert more
        assert all(numbered.match(row) or row in more or "Round" in row for row in rows[first:-1] if row)


async def test_a_wrong_key_in_a_correction_is_answered_without_the_keys_of_the_table() -> None:
    live = live_session()
    first_round(live)
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "enter", "z")
        shown = " ".join((await steady(pilot)).split())
        assert "No line has the key z" in shown
        assert "for the table's keys" not in shown


async def test_keys_that_are_not_all_told_end_without_a_full_stop() -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"), ask.Load("Ann"))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", "1", "enter", "z")
        shown = " ".join((await steady(pilot)).split())
    assert "…" in shown.partition("No line has the key z")[2]
    assert "…." not in shown


@pytest.mark.parametrize("game", ["ascend", "ochs_und_esel"])
async def test_a_game_of_hands_has_no_rounds_on_its_screens(game: str) -> None:
    live = middle(game)
    async with dashboard(live, language="en").run_test(size=(120, 40)) as pilot:
        await pilot.press("c")
        shown = await steady(pilot)
    assert "Hand 1" in shown
    assert "Round" not in shown
