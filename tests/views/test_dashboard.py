"""The dashboard as people use it: keys in, screen out."""

from contextlib import nullcontext

import pytest
from textual.geometry import Offset
from textual.widgets import Static

from companion.games.donkey_valley import moves as ask
from companion.games.partners import moves as partners
from companion.journal.journal import Journal
from companion.live.clocks import ClockOptions
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.table.table import Table
from companion.views.announcements import Speaker
from companion.views.entry_options import assign_keys
from companion.views.panel import FACTS
from companion.views.table_session import Backstage, Command, ShareSwitch
from tests.rules.evenings import ONE_OF_EACH_GAME, titled
from tests.views.table import (
    SEVEN,
    Heard,
    dashboard,
    enter,
    first_round,
    live_session,
    on_screen,
    steady,
    wait_until,
)


async def test_a_seat_is_its_own_number_and_undo_is_one_key() -> None:
    live = live_session()
    enter(live, ask.Donkey("normal"))
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "1")
        await pilot.pause()
        assert live.snapshot().view["players"][1]["loads_down"] == 1
        await pilot.press("escape", "u")
        await pilot.pause()
    assert live.snapshot().view["players"][1]["loads_down"] == 0


async def test_a_round_of_four_takes_fifteen_keys() -> None:
    live = live_session(SEVEN[:4])
    typed = ["enter", "g", "*", "N", *"aara", *"7532"]
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press(*typed)
        await pilot.pause()
    assert len(typed) <= 15
    assert live.snapshot().view["phase"] == "donkey"
    assert live.snapshot().view["total"] == 17
    [row] = live.snapshot().rounds
    assert row.won == {"Ann": "7", "Bob": "5", "Chloé": "0", "Dora": "2"}


async def test_the_result_stays_until_the_next_act() -> None:
    live = live_session()
    first_round(live, "puny")
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "7 + 5 + 3 = 15 (limit 12)" in on_screen(pilot.app) or "▀" in on_screen(pilot.app)
        assert "Chloé" in on_screen(pilot.app).split("15 (limit 12)")[-1]
        assert pilot.app.screen.has_class("has-moment")
        enter(live, ask.Donkey("giant"))
        await wait_until(pilot, lambda: not pilot.app.screen.has_class("has-moment"))


async def test_a_click_leads_back_from_the_glance() -> None:
    async with dashboard(live_session()).run_test(size=(80, 24)) as pilot:
        await pilot.press("g")
        assert pilot.app.screen.has_class("-glance")
        await pilot.click("#stage")
        await wait_until(pilot, lambda: not pilot.app.screen.has_class("-glance"))


async def test_wrong_keys_do_nothing_and_break_nothing() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press(*"xyzkj;:!", "9", "escape", "tab", "f5", "up", "delete", "r", "m")
        await pilot.pause()
        assert pilot.app.return_code is None
    assert live.list_acts() == []


@pytest.mark.parametrize("size", [(20, 5), (30, 10), (1, 1), (300, 100)])
async def test_any_size_of_terminal_shows_something_and_breaks_nothing(size: tuple[int, int]) -> None:
    live = live_session(SEVEN)
    first_round(live)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(*size)
        await pilot.pause()
        shown = on_screen(pilot.app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Françoise" in on_screen(pilot.app)
    assert len(shown.split("\n")) == size[1]


async def test_a_tiny_terminal_still_says_what_is_awaited() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(30, 5)) as pilot:
        await pilot.pause()
        assert "Turn up the next donkey" in on_screen(pilot.app)


async def test_what_is_to_be_set_up_and_has_no_room_stands_where_its_key_leads() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        shown = await steady(pilot)
        assert " more: e" in shown
        assert "Give the first-player card" not in shown
        await pilot.press("e")
        assert "Give the first-player card" in await steady(pilot)


async def test_what_is_wrong_is_told_whole_where_the_key_leads(tmp_path) -> None:
    # longer than the screen's line, however short the path of this test's folder is
    file = tmp_path / "a_long_way_from_home" / ("and_further" * 8) / "evening.sqlite3"
    other = Journal.open(file)
    live = live_session(journal=Journal.open(file))
    first_round(live)
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        assert "--journal" not in await steady(pilot)
        await pilot.press("e")
        assert "--journal" in await steady(pilot)
    other.close()


async def test_a_correction_is_seen_before_it_is_made() -> None:
    live = live_session()
    first_round(live)
    acts = live.list_acts()
    at = [act.request for act in acts].index(ask.NoFavour("Bob"))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("c", *["up"] * (len(acts) - 1 - at), "enter", "6")
        await pilot.pause()
        assert live.list_acts() == acts
        await pilot.press("-")  # the favour 6 lowers the limit
        await pilot.pause()
        shown = on_screen(pilot.app)
        assert "before → after" in shown
        assert live.list_acts() == acts
        await pilot.press("enter")
        await pilot.pause()
    assert live.list_acts()[at].request == ask.Favour("Bob", 6)
    assert [act.request for act in live.list_acts()].count(ask.Adjust("Bob", -2)) == 1


async def test_leaving_a_correction_leaves_everything_as_it_was() -> None:
    live = live_session()
    first_round(live)
    acts = live.list_acts()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("c", "enter", "-", "escape", "escape")
        await pilot.pause()
        assert "Rounds" in on_screen(pilot.app) or "Quit" in on_screen(pilot.app)
    assert live.list_acts() == acts


async def test_pause_stops_the_clock_and_says_so() -> None:
    live = live_session(clock=ClockOptions(seconds=30.0))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        await pilot.press("space")
        await pilot.pause()
        shown = on_screen(pilot.app)
        clock = live.snapshot().clock
    assert "paused" in shown.lower()
    assert clock is not None
    assert clock.paused


async def test_one_key_goes_through_the_languages() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        for said in ("Runde 1 von 8", "Manche 1 sur 8", "Round 1 of 8"):
            await pilot.press("l")
            await pilot.pause()
            assert said in on_screen(pilot.app)


async def test_the_keys_of_this_table_alone_change_their_language_too() -> None:
    sharing = ShareSwitch(lambda _network: nullcontext(lambda: None))
    async with dashboard(live_session(), "fr", sharing=sharing).run_test(size=(200, 60)) as pilot:
        assert "j Rejoindre" in await steady(pilot)
        await pilot.press("l")
        assert "j Join" in await steady(pilot)
        await pilot.press("enter")
        assert "esc Back" in await steady(pilot)


async def test_the_palette_tells_the_key_of_each_command() -> None:
    app = dashboard(live_session())
    async with app.run_test(size=(120, 40)):
        commands = [*app.get_system_commands(app.screen)]
    assert ("Undo the last step", "u") in [(one.title, one.help) for one in commands]
    assert all(one.title != one.help for one in commands)


async def test_names_of_forty_letters_and_marks_leave_the_screen_in_order() -> None:
    live = live_session(("A" * 40, "\u200fBob\u200f", "名前"))
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        shown = on_screen(pilot.app)
    assert "\u200f" not in shown
    assert "AAAAAAAAAA" in shown


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
@pytest.mark.parametrize("evening", ONE_OF_EACH_GAME.values(), ids=titled)
async def test_what_there_is_to_say_of_a_seat_has_room_in_french(evening, size) -> None:
    live = LiveSession(evening.game, evening.setup, table=Table(Deck.load_builtin(evening.game.id), {}))
    while live.step_count < 25:
        enter(live, evening.players.next_action(live.list_acts(), live.snapshot().view).request)
    async with dashboard(live, language="fr").run_test(size=size) as pilot:
        shown = await steady(pilot)
        for seat in pilot.app._build_face(live.snapshot()).seats:
            for words in (*(badge.word for badge in seat.badges), *seat.detail.split(FACTS)):
                assert words in shown, words


def test_keys_of_a_menu_are_all_different_and_none_begins_another() -> None:
    keys = assign_keys(["a", "", "34", "", *[""] * 60, "35", "a"])
    given = [key for key in keys if key]
    assert len(set(given)) == len(given)
    assert not [(one, other) for one in given for other in given if one != other and other.startswith(one)]


async def test_the_voice_says_what_is_new_once_and_mute_is_one_key() -> None:
    live, spoken = live_session(), Heard()
    async with dashboard(live, speaker=Speaker(spoken)).run_test(size=(80, 24)) as pilot:
        enter(live, ask.Donkey("giant"))
        await wait_until(pilot, lambda: "giant" in "".join(spoken[-1:]))
        live.submit_request(ask.Favour("Ann", 3))
        await wait_until(pilot, lambda: "giant" not in spoken[-1])
        await pilot.press("x")
        assert spoken[-1] == "(silence)"
        count = len(spoken)
        enter(live, ask.Load("Ann"))
        await wait_until(pilot, lambda: pilot.app._settled == live.snapshot())
    assert len(spoken) == count


async def test_a_missing_voice_is_told_at_the_start() -> None:
    async with dashboard(live_session(), messages=[Text("live.held")]).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert len(pilot.app._notifications) == 1


class Photos(Backstage):
    """A folder of photos, paged by a key that the demo uses for something else."""

    def __init__(self) -> None:
        self.paged = 0
        self.commands = (Command("n", Text("reader.next_photo"), self._next, "n"),)

    def _next(self) -> None:
        self.paged += 1


async def test_one_key_leads_from_the_demo_to_a_game_of_ones_own_and_elsewhere_pages_photos() -> None:
    app, photos = dashboard(live_session(), plan=Plan(demo=True, seed=5)), Photos()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("n")
    assert app.return_value == Plan(seed=5)
    async with dashboard(live_session(), backstage=photos).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "n " in on_screen(pilot.app)
        await pilot.press("n")
    assert photos.paged == 1


async def test_a_key_of_one_table_is_no_key_of_the_next() -> None:
    """Textual copies a class's keys for each app, but not the lists in them; the home screen opens
    table after table."""
    async with dashboard(live_session(), backstage=Photos()).run_test(size=(120, 40)) as pilot:
        assert "n Next photo" in await steady(pilot)
    async with dashboard(live_session()).run_test(size=(120, 40)) as pilot:
        assert "Next photo" not in await steady(pilot)


async def test_a_row_that_goes_as_the_mouse_presses_it_ends_nothing(monkeypatch):
    async with dashboard(live_session()).run_test(size=(80, 24)) as pilot:
        gone = Static("a row")
        await pilot.app.screen.mount(gone)
        await gone.remove()
        monkeypatch.setattr(pilot.app.screen, "get_widget_and_offset_at", lambda _x, _y: (gone, Offset(0, 0)))
        await pilot.mouse_down(offset=(3, 3))
        assert pilot.app.is_running


async def test_what_the_last_act_says_is_not_repeated_by_the_report() -> None:
    live = live_session(SEVEN[:4], "partners")
    enter(live, partners.Exchanged(), partners.Play("Ann", "heart", (partners.Move("Ann", 1, "start"),)))
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        shown = await steady(pilot)
    assert shown.count("Ann's pawn 1") == 1


async def test_a_result_before_the_last_act_is_called_so_but_not_the_steps_that_prepare_the_game() -> None:
    live = live_session(SEVEN[:3])
    async with dashboard(live).run_test(size=(120, 40)) as pilot:
        enter(live, ask.Donkey("giant"))
        live.undo()
        shown = await steady(pilot)
        assert "See that no load is missing" in shown
        assert "Before:" not in shown
        first_round(live)
        enter(live, ask.Donkey("normal"))
        assert "Before: Round 1, giant donkey" in await steady(pilot)
