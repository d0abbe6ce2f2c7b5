"""People come and go: names, stand-ins, who joins and who leaves; kept, told, and no act is touched
by it."""

from pathlib import Path

import pytest

from companion.games.donkey_valley import moves as ask
from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.language import LANGUAGES
from companion.rules.people import Seated
from companion.texts import Translator
from companion.views.conversations import Conversation, people
from companion.views.plain import Plain
from companion.views.spoken import Speaker
from tests.correcting import correct_live
from tests.views.table import SEVEN, Heard, dashboard, enter, first_round, live_session, on_screen


def called(live) -> list[str]:
    shown = live.snapshot().people.shown
    return [shown.get(name, name) for name in live.setup.players]


def test_a_name_is_put_right_and_the_points_stay() -> None:
    live = live_session()
    first_round(live)
    before = live.snapshot().view
    assert live.seat(Seated("rename", "Bob", "Bobby")) is None
    assert called(live) == ["Ann", "Bobby", "Chloé"]
    assert live.snapshot().view == before


def test_two_who_have_each_others_colour_are_put_right_in_mid_game_and_found_so_again(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite3"
    live = live_session(("Ada", "Bob", "Cy", "Dan"), "partners", journal=Journal.open(file))
    before = live.snapshot().view
    lines: list[str] = []
    plain = Plain(live, Translator("en", live.game), lines.append)
    plain.look(0.0)
    for typed in ("people", "1", "c", "4"):
        plain.enter(typed)
    assert called(live) == ["Dan", "Bob", "Cy", "Ada"]
    assert live.snapshot().view == before
    plain.look(1.0)
    assert "Dan and Ada had their colours and seats mixed up" in "\n".join(lines)
    live.close()
    with Store.open(file) as store:
        assert store.read(1).people.right == {"Ada": "Dan", "Bob": "Bob", "Cy": "Cy", "Dan": "Ada"}


def test_a_stand_in_plays_for_somebody_until_they_are_back() -> None:
    live = live_session()
    live.seat(Seated("stand_in", "Bob", "Eve"))
    assert called(live) == ["Ann", "Eve (Bob)", "Chloé"]
    enter(live, ask.Donkey("giant"), ask.Load("Bob"))
    live.seat(Seated("back", "Bob"))
    assert called(live) == ["Ann", "Bob", "Chloé"]


def test_what_may_happen_to_a_seat_is_said_of_its_player_and_not_of_who_stands_in() -> None:
    live = live_session()
    live.seat(Seated("stand_in", "Bob", "Eve"))
    talk = Conversation(lambda: people(live, Translator("en", live.game)))
    assert talk.menu is not None
    talk.answer(talk.menu.replies[1])
    words = {one.key: one.words for one in talk.menu.replies}
    assert words["b"] == "Bob plays alone again"
    assert "Eve" not in words["g"] + words["x"] + words["r"]


def test_the_next_game_is_played_by_who_is_there_in_the_order_of_the_seats() -> None:
    live = live_session()
    for change in (
        Seated("join", "", "Zoé"),
        Seated("swap", "Ann", "Bob"),
        Seated("leave", "Chloé"),
        Seated("rename", "Bob", "Bobby"),
    ):
        assert live.seat(change) is None
    assert live.snapshot().people.next_players == ("Bobby", "Ann", "Zoé")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (Seated("rename", "Bob", "Ann"), "refusal.same_name"),
        (Seated("rename", "Bob", " "), "refusal.bad_name"),
        (Seated("stand_in", "Bob", "Chloé\u200b"), "refusal.same_name"),
        (Seated("rename", "Nobody", "Eve"), "refusal.unknown_player"),
        (Seated("back", "Bob"), "refusal.people_done"),
        (Seated("swap", "Bob", "Bob"), "refusal.people_swap"),
    ],
)
def test_what_cannot_be_is_said_in_words_and_changes_nothing(change: Seated, code: str) -> None:
    live = live_session()
    refusal = live.seat(change)
    assert refusal is not None
    assert refusal.text.code == code
    assert called(live) == ["Ann", "Bob", "Chloé"]
    for language in LANGUAGES:
        assert "refusal." not in Translator(language, live.game).say(refusal.text)


def test_a_game_that_is_full_takes_nobody_more() -> None:
    refusal = live_session(SEVEN).seat(Seated("join", "", "Zoé"))
    assert refusal is not None
    assert "7" in Translator("en").say(refusal.text)


def test_undo_and_correction_leave_people_where_they_are() -> None:
    live = live_session()
    enter(live, ask.Donkey("giant"))
    live.seat(Seated("stand_in", "Bob", "Eve"))
    live.undo()
    live.redo()
    correct_live(live, 0, ask.Donkey("puny"))
    assert called(live)[1] == "Eve (Bob)"


def test_a_restart_finds_everybody_where_they_were(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite3"
    live = live_session(journal=Journal.open(file))
    enter(live, ask.Donkey("giant"))
    live.seat(Seated("rename", "Ann", "Anna"))
    live.seat(Seated("stand_in", "Bob", "Eve"))
    live.close()
    with Store.open(file) as store:
        kept = store.read(1)
    people = kept.narration().people
    assert people.shown == {"Ann": "Anna", "Bob": "Eve (Bob)"}
    assert [told.at for told in people.told] == [1, 1]
    assert len(kept.session().acts()) == 1


def test_who_takes_the_name_that_another_had_is_not_taken_for_them() -> None:
    live = live_session()
    live.seat(Seated("rename", "Ann", "Zoé"))
    live.seat(Seated("rename", "Bob", "Ann"))
    say = Translator("en", live.game).calling(live.snapshot().people.shown)
    assert say.name("Bob") == "Ann"
    assert "Zoé" in say("awaited.load", players=("Ann",)) or say.name("Ann") == "Zoé"
    assert say("people.told.rename", player=say.name("Bob"), name="x").startswith("Ann ")


def test_the_plain_view_tells_it_and_goes_on_with_the_new_name() -> None:
    live, lines = live_session(), list[str]()
    plain = Plain(live, Translator("en", live.game), lines.append)
    plain.look(0.0)
    for typed in ("people", "2 stand_in Eve", "people", "1 rename Anna"):
        plain.enter(typed)
    lines.clear()
    plain.look(0.0)
    assert lines[:2] == ["Eve stands in for Bob.", "Ann is called Anna."]
    enter(live, ask.Donkey("normal"), ask.Load("Bob"))
    lines.clear()
    plain.look(0.0)
    assert any("Eve (Bob)" in line for line in lines)


async def test_five_keys_and_a_name_on_the_dashboard() -> None:
    live = live_session()
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.press("p", "2", "s", *"Eve", "enter")
        await pilot.pause()
        assert "Eve stands in for Bob" in on_screen(pilot.app)
        await pilot.press("escape")
        await pilot.pause(0.2)
        assert "Eve (Bob)" in on_screen(pilot.app)


async def test_a_name_is_said_as_its_bearer_wishes() -> None:
    live, heard = live_session(), Heard()
    kept: list[tuple[str, str]] = []
    speaker = Speaker(heard, said={"Bob": "Bobbie"}, keep=lambda *what: kept.append(what))
    speaker.pronounce("Ann", "Anne")
    enter(live, ask.Donkey("normal"), ask.Load("Ann"), ask.Load("Bob"))
    speaker.hear(live.snapshot(), Translator("en", live.game))
    assert "Bobbie" in heard[0]
    assert kept == [("Ann", "Anne")]


async def test_a_pause_stands_in_the_snapshot_so_that_every_screen_can_say_so() -> None:
    live, lines = live_session(), list[str]()
    live.pause(True)
    assert live.snapshot().paused
    async with dashboard(live).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "pause" in on_screen(pilot.app).lower()
        await pilot.press("space")
    assert not live.snapshot().paused
    assert lines == []
