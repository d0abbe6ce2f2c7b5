"""People come and go: names, stand-ins, who joins and who leaves; kept, told, and no act is touched
by it."""

from pathlib import Path

import pytest

from companion.games.donkey_valley import moves as ask
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.language import LANGUAGES
from companion.rules.people import SeatChange
from companion.texts import Translator
from companion.views.announcements import Speaker
from companion.views.conversations import Conversation, prompt_for_people_change
from companion.views.plain_view import PlainView
from tests.correcting import correct_live
from tests.views.table import (
    SEVEN,
    Heard,
    dashboard,
    enter,
    first_round,
    live_session,
    on_screen,
    wait_for_words,
)


def called(live) -> list[str]:
    shown = live.snapshot().people.display_names
    return [shown.get(name, name) for name in live.setup.players]


def test_a_name_is_put_right_and_the_points_stay() -> None:
    live = live_session()
    first_round(live)
    before = live.snapshot().view
    assert live.change_seats(SeatChange("rename", "Bob", "Bobby")) is None
    assert called(live) == ["Ann", "Bobby", "Chloé"]
    assert live.snapshot().view == before


def test_two_who_have_each_others_colour_are_put_right_in_mid_game_and_found_so_again(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite3"
    live = live_session(("Ada", "Bob", "Cy", "Dan"), "partners", journal=Journal.open(file))
    before = live.snapshot().view
    lines: list[str] = []
    plain = PlainView(live, Translator("en", live.game), lines.append)
    plain.poll_table(0.0)
    for typed in ("people", "1", "c", "4"):
        plain.enter_line(typed)
    assert called(live) == ["Dan", "Bob", "Cy", "Ada"]
    assert live.snapshot().view == before
    plain.poll_table(1.0)
    assert "Dan and Ada had their colours and seats mixed up" in "\n".join(lines)
    live.close()
    with Store.open(file) as store:
        assert store.read_session(1).people.real_names == {
            "Ada": "Dan",
            "Bob": "Bob",
            "Cy": "Cy",
            "Dan": "Ada",
        }


def test_a_stand_in_plays_for_somebody_until_they_are_back() -> None:
    live = live_session()
    live.change_seats(SeatChange("stand_in", "Bob", "Eve"))
    assert called(live) == ["Ann", "Eve (Bob)", "Chloé"]
    enter(live, ask.Donkey("giant"), ask.Load("Bob"))
    live.change_seats(SeatChange("back", "Bob"))
    assert called(live) == ["Ann", "Bob", "Chloé"]


def test_what_may_happen_to_a_seat_is_said_of_its_player_and_not_of_who_stands_in() -> None:
    live = live_session()
    live.change_seats(SeatChange("stand_in", "Bob", "Eve"))
    talk = Conversation(lambda: prompt_for_people_change(live, Translator("en", live.game)))
    assert talk.menu is not None
    talk.give_answer(talk.menu.replies[1])
    words = {one.key: one.words for one in talk.menu.replies}
    assert words["b"] == "Bob plays alone again"
    assert "Eve" not in words["g"] + words["x"] + words["r"]


def test_the_next_game_is_played_by_who_is_there_in_the_order_of_the_seats() -> None:
    live = live_session()
    for change in (
        SeatChange("join", "", "Zoé"),
        SeatChange("swap", "Ann", "Bob"),
        SeatChange("leave", "Chloé"),
        SeatChange("rename", "Bob", "Bobby"),
    ):
        assert live.change_seats(change) is None
    assert live.snapshot().people.next_players == ("Bobby", "Ann", "Zoé")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (SeatChange("rename", "Bob", "Ann"), "refusal.same_name"),
        (SeatChange("rename", "Bob", " "), "refusal.bad_name"),
        (SeatChange("stand_in", "Bob", "Chloé\u200b"), "refusal.same_name"),
        (SeatChange("rename", "Nobody", "Eve"), "refusal.unknown_player"),
        (SeatChange("back", "Bob"), "refusal.people_done"),
        (SeatChange("swap", "Bob", "Bob"), "refusal.people_swap"),
    ],
)
def test_what_cannot_be_is_said_in_words_and_changes_nothing(change: SeatChange, code: str) -> None:
    live = live_session()
    refusal = live.change_seats(change)
    assert refusal is not None
    assert refusal.text.code == code
    assert called(live) == ["Ann", "Bob", "Chloé"]
    for language in LANGUAGES:
        assert "refusal." not in Translator(language, live.game).translate(refusal.text)


def test_a_game_that_is_full_takes_nobody_more() -> None:
    refusal = live_session(SEVEN).change_seats(SeatChange("join", "", "Zoé"))
    assert refusal is not None
    assert "7" in Translator("en").translate(refusal.text)


def test_undo_and_correction_leave_people_where_they_are() -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"))
    live.change_seats(SeatChange("stand_in", "Bob", "Eve"))
    live.undo()
    live.redo()
    correct_live(live, 0, ask.Donkey("puny"))
    assert called(live)[1] == "Eve (Bob)"


def test_a_restart_finds_everybody_where_they_were(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite3"
    live = live_session(journal=Journal.open(file))
    enter(live, ask.Donkey("giant"))
    live.change_seats(SeatChange("rename", "Ann", "Anna"))
    live.change_seats(SeatChange("stand_in", "Bob", "Eve"))
    live.close()
    with Store.open(file) as store:
        kept = store.read_session(1)
    people = kept.replay_narration().people
    assert people.display_names == {"Ann": "Anna", "Bob": "Eve (Bob)"}
    assert [told.at for told in people.described_changes] == [1, 1]
    assert len(kept.restore_session().list_acts()) == 1


def test_who_takes_the_name_that_another_had_is_not_taken_for_them() -> None:
    live = live_session()
    live.change_seats(SeatChange("rename", "Ann", "Zoé"))
    live.change_seats(SeatChange("rename", "Bob", "Ann"))
    translator = Translator("en", live.game).with_names(live.snapshot().people.display_names)
    assert translator.display_name("Bob") == "Ann"
    assert "Zoé" in translator("awaited.load", players=("Ann",)) or translator.display_name("Ann") == "Zoé"
    assert translator("people.told.rename", player=translator.display_name("Bob"), name="x").startswith(
        "Ann "
    )


def test_the_plain_view_tells_it_and_goes_on_with_the_new_name() -> None:
    live, lines = live_session(), list[str]()
    plain = PlainView(live, Translator("en", live.game), lines.append)
    plain.poll_table(0.0)
    for typed in ("people", "2 stand_in Eve", "people", "1 rename Anna"):
        plain.enter_line(typed)
    lines.clear()
    plain.poll_table(0.0)
    assert lines[:2] == ["Eve stands in for Bob.", "Ann is called Anna."]
    enter(live, ask.Donkey("normal"), ask.Load("Bob"))
    lines.clear()
    plain.poll_table(0.0)
    assert any("Eve (Bob)" in line for line in lines)


async def test_five_keys_and_a_name_on_the_dashboard() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("p", "2", "s", *"Eve", "enter")
        await pilot.pause()
        assert "Eve stands in for Bob" in on_screen(pilot.app)
        await pilot.press("escape")
        await wait_for_words(pilot, "Eve (Bob)")


async def test_a_name_is_said_as_its_bearer_wishes() -> None:
    live, heard = live_session(), Heard()
    kept: list[tuple[str, str]] = []
    speaker = Speaker(heard, pronunciations={"Bob": "Bobbie"}, save=lambda *what: kept.append(what))
    speaker.set_pronunciation("Ann", "Anne")
    enter(live, ask.Donkey("normal"), ask.Load("Ann"), ask.Load("Bob"))
    speaker.announce_changes(live.snapshot(), Translator("en", live.game))
    assert "Bobbie" in heard[0]
    assert kept == [("Ann", "Anne")]


async def test_a_pause_stands_in_the_snapshot_so_that_every_screen_can_say_so() -> None:
    live, lines = live_session(), list[str]()
    live.set_paused(True)
    assert live.snapshot().paused
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "pause" in on_screen(pilot.app).lower()
        await pilot.press("space")
    assert not live.snapshot().paused
    assert lines == []
