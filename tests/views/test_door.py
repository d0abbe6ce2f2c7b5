"""The front door: what it offers, that a key is enough, and that the last group is at the table in
a moment."""

import os
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from companion.commands import welcome
from companion.evening.setup_form import game_row
from companion.evening.welcome import doings, words_of
from companion.journal.journal import Journal
from companion.journal.store import default_path
from companion.rules.donkey_valley import requests as ask
from companion.rules.registry import game_ids
from companion.settings import Group, Settings, load, save
from companion.texts import LANGUAGES, Translator
from companion.views.dashboard.setup import SetUp
from companion.views.door.door import Door
from companion.views.door.reading import Browse
from tests.terminal import companion
from tests.views.table import enter, live_session, on_screen

FRIDAY = Group("donkey_valley", ("Ann", "Bob", "Chloé"), cameras=("0",))
EN = Translator("en")


def keys(settings: Settings, finished: Group | None = None) -> dict[str, tuple[str, ...]]:
    return {doing.key: doing.runs for doing in doings(settings, (), finished, EN)}


def test_no_two_doings_have_one_key() -> None:
    offered = doings(Settings(groups=(FRIDAY,) * 8), (), FRIDAY, EN)
    assert len({doing.key for doing in offered}) == len(offered)


def test_a_group_is_remembered_with_all_that_opens_its_table() -> None:
    group = Group("ascend", ("Ann", "Dan"), ("bidding=true",), "mine", ("0",), ("auto",), 30.0)
    words = words_of(group)
    for word in ("--game", "ascend", "Ann,Dan", "bidding=true", "mine", "0", "auto", "30.0"):
        assert word in words
    assert "--by-hand" in words_of(Group("dtc", ("Ann", "Bob")))


def test_the_last_group_comes_first_and_old_ones_are_forgotten() -> None:
    settings = Settings()
    for number in range(20):
        settings = settings.with_group(Group("dtc", ("Ann", f"Bob {number}")))
    settings = settings.with_group(Group("dtc", ("Ann", "Bob 15")))
    assert [group.players[1] for group in settings.groups[:2]] == ["Bob 15", "Bob 19"]
    assert len(settings.groups) == 8


def test_damaged_settings_are_kept_aside_and_the_usual_ones_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    save(Settings(language="fr"))
    assert load().language == "fr"
    [file] = tmp_path.rglob("settings.json")
    file.write_text("{nonsense")
    assert load() == Settings()
    assert file.with_name("settings.json.bad").read_text() == "{nonsense"


@pytest.mark.parametrize(("named", "spoken"), [("fr_BE.UTF-8", "fr"), ("C", "en"), ("ja_JP", "en")])
def test_the_language_follows_the_locale(named: str, spoken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", named)
    assert Settings().spoken() == spoken
    assert Settings(language="en").spoken() == "en"


def test_every_unfinished_evening_is_offered_and_an_empty_one_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for donkeys in (["giant"], ["puny"], []):  # the last evening was left before anything happened
        journal = Journal.open(default_path())
        live = live_session(journal=journal)
        enter(live, *map(ask.Donkey, donkeys))
        live.close()
    going_on, _ = welcome._past()
    assert [kept.number for kept in going_on] == [2, 1]
    offered = doings(Settings(), going_on, None, EN)
    assert [doing.runs for doing in offered[:2]] == [("play", "--resume", "2"), ("play", "--resume", "1")]
    assert all("round 1" in doing.beside for doing in offered[:2])


async def test_a_long_line_of_the_history_goes_on_below() -> None:
    line = "1  2026-11-22 14:20  Donkey Valley: nicht beendet (Zoé 0, Léo 5, Inès 0, Marc-Antoine 4)"
    app = Browse("Verlauf", [line], Translator("de"), "")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Marc-Antoine 4)" in on_screen(app)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_long_names_push_what_stands_beside_them_to_a_line_of_its_own(language: str) -> None:
    say = Translator(language)
    group = Group("donkey_valley", ("Zoé", "Léo", "Inès", "Marc-Antoine", "Bérénice"))
    app = Door(doings(Settings(groups=(group,)), (), group, say), say, "")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "…" not in on_screen(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_key_or_enter_does_it_and_no_line_is_cut(size: tuple[int, int], language: str) -> None:
    say = Translator(language)
    offered = doings(Settings(groups=(FRIDAY,)), (), FRIDAY, say)
    app = Door(offered, say, "")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = on_screen(app)
        for doing in offered:
            assert doing.words in screen
            assert doing.beside in screen
        await pilot.press("d")
    assert app.return_value is not None
    assert app.return_value.runs == ("play", "--demo", "--new")


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_from_the_door_to_the_first_round_by_six_keys(tmp_path: Path) -> None:
    """What people type, in a terminal: the known group, the first donkey."""
    folder = tmp_path / "card-table-companion"
    folder.mkdir()
    (folder / "settings.json").write_bytes(
        b'{"groups": [{"game": "donkey_valley", "players": ["Ann", "Bob", "Zo\\u00e9"]}]}'
    )
    with companion(tmp_path, LC_ALL="C.UTF-8") as terminal:
        terminal.until("Demo table")
        terminal.type("p")
        terminal.until("Quit")
        terminal.type("\r")
        terminal.until("giant")
        terminal.type("g")
        terminal.until("load")
        terminal.type("\x11")  # Ctrl+Q: in the panel `q` belongs to the rows
        terminal.until("Demo table")  # the door again, and the evening is there to go on with
        terminal.type("q")
        assert terminal.end() == 0


async def test_what_was_wrong_with_one_game_is_not_said_of_the_next() -> None:
    say = Translator("en")
    rows = [game_row(name, say) for name in game_ids()]
    app = SetUp(rows, lambda answers: f"wrong with {answers.game}", say, "donkey_valley", None)
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        app.action_begin()
        await pilot.pause()
        assert "wrong with donkey_valley" in str(app.query_one("#wrong").render())
        app.query_one("#game", Select).value = "partners"
        await pilot.pause()
        await pilot.pause()
        assert str(app.query_one("#wrong").render()) == ""


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_form_offers_every_ruling_in_words_and_gives_those_that_are_not_as_usual(
    language: str,
) -> None:
    rows = [game_row(name, Translator(language)) for name in game_ids()]
    app = SetUp(rows, lambda _: "", Translator(language), "donkey_valley", "0")
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        for name in game_ids():
            app.query_one("#game", Select).value = name
            assert app.answers().options == (), "also before the rulings are drawn"
            await pilot.pause()
            assert app.answers().options == ()
        app.query_one("#game", Select).value = "dtc"
        while [one.value for one in app.query("#option-variant").results(Select)] != ["off"]:
            await pilot.pause()  # a select takes its first value a message after it was mounted
        app.query_one("#players", Input).value = "Ann, Bob"
        app.query_one("#option-variant", Select).value = "at_least"
        app.action_begin()
    assert app.return_value is not None
    assert app.return_value.options == ("variant=at_least",)
    assert (app.return_value.game, app.return_value.players, app.return_value.camera) == (
        "dtc",
        ("Ann", "Bob"),
        "0",
    )
