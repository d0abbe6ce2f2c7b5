"""The home screen: what it offers, that a key is enough, and that the last group is at the table in
a moment."""

import os
import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from textual.widgets import Input, Select, Static

from companion.__main__ import main
from companion.commands import home_screen_pages, welcome
from companion.commands.parsing import Parser, import_command
from companion.evening.home_screen_entries import PastSessions, list_home_entries
from companion.evening.setup_form import build_game_row
from companion.folders import user_settings_file
from companion.games.donkey_valley import moves as ask
from companion.journal.journal import Journal
from companion.journal.store import default_journal_path
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.rules.options import describe_options
from companion.rules.registry import list_game_ids, load_game
from companion.settings import Settings, load_settings, try_change_settings
from companion.texts import Translator
from companion.views.conversations import translate_source
from companion.views.dashboard.setup import SetupApp
from companion.views.home_screen.home_screen import HomeScreen
from companion.views.home_screen.list_pages import ListPage, SearchPage, choose_line
from tests.simulated.terminal import companion
from tests.views.screens import SIZES
from tests.views.table import enter, first_round, live_session, on_screen

FRIDAY = Plan("donkey_valley", ("Ann", "Bob", "Chloé"), cameras=("0",))
EN = Translator("en")


def test_no_two_doings_have_one_key() -> None:
    offered = list_home_entries(Settings(groups=(FRIDAY,) * 8), PastSessions((), FRIDAY), EN)
    assert len({doing.key for doing in offered}) == len(offered)


def test_a_group_is_remembered_with_all_that_opens_its_table() -> None:
    group = Plan("ascend", ("Ann", "Dan"), {"bidding": True}, "mine", ("0",), ("auto",), 30.0, 60.0)
    try_change_settings(lambda _: Settings().with_group(group))
    assert load_settings().groups == (group,)
    assert [
        doing.opens for doing in list_home_entries(load_settings(), PastSessions(), EN) if doing.key == "p"
    ] == [group]


def test_groups_are_read_as_older_programs_kept_them() -> None:
    try_change_settings(lambda _: Settings())
    user_settings_file().write_text(
        '{"language": "fr", "groups": [{"game": "ascend", "players": ["Ann", "Dan"], "options":'
        ' ["bidding=true", "bombs=strict"], "deck": "", "cameras": ["0"], "readers": [], "clock": 30.0},'
        ' {"game": "dtc", "players": ["Bob", "Cy"], "options": [], "clock": null}]}'
    )
    assert load_settings() == Settings(
        language="fr",
        groups=(
            Plan("ascend", ("Ann", "Dan"), {"bidding": True, "bombs": "strict"}, "", ("0",), (), 30.0),
            Plan("dtc", ("Bob", "Cy")),
        ),
    )


def test_the_last_group_comes_first_and_old_ones_are_forgotten() -> None:
    settings = Settings()
    for number in range(20):
        settings = settings.with_group(Plan("dtc", ("Ann", f"Bob {number}")))
    settings = settings.with_group(Plan("dtc", ("Ann", "Bob 15")))
    assert [group.players[1] for group in settings.groups[:2]] == ["Bob 15", "Bob 19"]
    assert len(settings.groups) == 8


def test_damaged_settings_are_kept_aside_and_the_usual_ones_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    try_change_settings(lambda _: Settings(language="fr"))
    assert load_settings().language == "fr"
    [file] = tmp_path.rglob("settings.json")
    file.write_text("{nonsense")
    assert load_settings() == Settings()
    assert file.with_name("settings.json.bad").read_text() == "{nonsense"


@pytest.mark.parametrize(("named", "spoken"), [("fr_BE.UTF-8", "fr"), ("C", "en"), ("ja_JP", "en")])
def test_the_language_follows_the_locale(named: str, spoken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", named)
    assert Settings().resolve_language() == spoken
    assert Settings(language="en").resolve_language() == "en"


def test_every_unfinished_evening_is_offered_and_an_empty_one_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for donkeys in (["giant"], ["puny"], []):  # the last evening was left before anything happened
        journal = Journal.open(default_journal_path())
        live = live_session(journal=journal)
        enter(live, *map(ask.Donkey, donkeys))
        live.close()
    past = welcome.load_past_sessions(Settings())
    assert [kept.number for kept in past.unfinished] == [2, 1]
    offered = list_home_entries(Settings(), past, EN)
    assert [doing.opens for doing in offered[:2]] == [Plan(resume=2), Plan(resume=1)]
    assert all("round 1" in doing.beside for doing in offered[:2])


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_title_is_as_large_as_it_fits_and_never_folded(size, language) -> None:
    translator = Translator(language)
    async with HomeScreen(list_home_entries(Settings(), PastSessions(), translator), translator, "").run_test(
        size=size
    ) as pilot:
        await pilot.pause()
        title = pilot.app.query_one("#home-title")
        lines = str(title.content).split("\n")
        assert title.size.height == len(lines) > 1
        assert max(map(len, lines)) <= title.size.width


async def test_the_title_grows_with_the_terminal() -> None:
    async with HomeScreen(list_home_entries(Settings(), PastSessions(), EN), EN, "").run_test() as pilot:
        title, rows = pilot.app.query_one("#home-title", Static), list[int]()
        for height in (30, 31):
            await pilot.resize_terminal(200, height)
            await pilot.pause()
            rows.append(str(title.render()).count("\n") + 1)
    assert rows == [3, 4]


async def test_a_long_line_of_the_history_goes_on_below() -> None:
    line = "1  2026-11-22 14:20  Donkey Valley: nicht beendet (Zoé 0, Léo 5, Inès 0, Marc-Antoine 4)"
    app = ListPage("Verlauf", [line], Translator("de"), "")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Marc-Antoine 4)" in on_screen(app)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_key_or_enter_does_it_and_no_line_is_cut(size: tuple[int, int], language: str) -> None:
    translator = Translator(language)
    offered = list_home_entries(Settings(groups=(FRIDAY,)), PastSessions((), FRIDAY), translator)
    app = HomeScreen(offered, translator, "")
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = on_screen(app)
        for doing in offered:
            assert doing.words in screen
            assert doing.beside in screen
        await pilot.press("d")
    assert app.return_value is not None
    assert app.return_value.opens == Plan(demo=True)


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_from_the_home_screen_to_the_first_round_by_six_keys(tmp_path: Path) -> None:
    """What people type, in a terminal: the known group, the first donkey."""
    folder = tmp_path / "card-table-companion"
    folder.mkdir()
    (folder / "settings.json").write_bytes(
        b'{"groups": [{"game": "donkey_valley", "players": ["Ann", "Bob", "Zo\\u00e9"]}]}'
    )
    with companion(tmp_path, LC_ALL="C.UTF-8") as terminal:
        terminal.until("Demo table")
        terminal.type("p")
        terminal.until("Give the first-player card to")  # the table: its keys are on the home screen too
        terminal.type("\r")
        terminal.until("giant")
        terminal.type("g")
        terminal.until("load")
        terminal.type("\x11")  # Ctrl+Q: in the panel `q` belongs to the rows
        terminal.until("Demo table")  # the home screen again, and the evening is there to go on with
        terminal.type("q")
        assert terminal.end() == 0


async def test_what_was_wrong_with_one_game_is_not_said_of_the_next() -> None:
    translator = Translator("en")
    rows = [build_game_row(name, translator) for name in list_game_ids()]
    app = SetupApp(rows, translator, Plan())
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        app.action_begin()
        await pilot.pause()
        assert "3 to 7 players" in str(app.query_one("#wrong").render())
        app.query_one("#game", Select).value = "partners"
        await pilot.pause()
        await pilot.pause()
        assert str(app.query_one("#wrong").render()) == ""


@pytest.mark.parametrize(
    ("last", "draws"), [({}, "app"), ({"draws": "table"}, "table"), ({"double_loads": "must"}, "app")]
)
async def test_who_draws_is_asked_before_deck_and_rules_and_remembered(
    last: dict[str, str], draws: str
) -> None:
    row, played = build_game_row("donkey_valley", EN), Plan("donkey_valley", ("Ann", "Bob", "Cy"), last)
    habits = Settings().with_group(played).list_last_options()
    app = SetupApp([row], EN, Plan(), camera="0", habits=habits)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        asked = app.query_one("#preferences #option-draws", Select)
        while asked.value != draws:
            await pilot.pause()
        assert app.query_one("#begin").region.bottom <= 24
        assert app.query_one("#begin").region.bottom <= asked.region.y < app.query_one("#deck").region.y
        app.query_one("#players", Input).value = "Ann, Bob, Cy"
        await pilot.pause()
        # Only preferences are: a rule is chosen each time.
        assert app.build_plan().options == ({"draws": "table"} if draws == "table" else {})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_form_quotes_the_sheet_in_the_readers_language(language: str) -> None:
    for name in list_game_ids():
        game = load_game(name)
        for option in describe_options(game):
            quoted = translate_source(option, Translator(language, game))
            # French sets a space before a sign that the sheet sets none before.
            plain = "".join(quoted.split())
            original = bool(option.sheet) and "".join(option.sheet.replace("'", "’").split()) in plain
            assert original == (language == "fr" and bool(option.sheet)), quoted


def test_the_home_screen_says_how_a_terminal_gets_the_command(monkeypatch, tmp_path) -> None:
    activate = tmp_path / ".venv" / "bin" / "activate"
    activate.parent.mkdir(parents=True)
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.chdir(tmp_path)
    assert welcome.describe_missing_command() is None, "installed elsewhere"
    activate.touch()
    told = welcome.describe_missing_command()
    assert told is not None
    for language in LANGUAGES:
        assert ". .venv/bin/activate" in Translator(language).translate(told)
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/companion")
    assert welcome.describe_missing_command() is None


async def test_the_letters_of_a_game_find_it_in_the_list() -> None:
    translator = Translator("en")
    app = SetupApp([build_game_row(name, translator) for name in list_game_ids()], translator, Plan())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("shift+tab", "enter", "d", "t", "enter")
        await pilot.pause()
        assert app.query_one("#game", Select).value == "dtc"


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_form_offers_every_ruling_in_words_and_gives_those_that_are_not_as_usual(
    language: str,
) -> None:
    rows = [build_game_row(name, Translator(language)) for name in list_game_ids()]
    app = SetupApp(rows, Translator(language), Plan(), camera="0")
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        for name in list_game_ids():
            app.query_one("#game", Select).value = name
            assert app.build_plan().options == {}, "also before the rulings are drawn"
            await pilot.pause()
            assert app.build_plan().options == {}
        app.query_one("#game", Select).value = "dtc"
        while [one.value for one in app.query("#option-variant").results(Select)] != ["off"]:
            await pilot.pause()  # a select takes its first value a message after it was mounted
        app.query_one("#players", Input).value = "Ann, Bob"
        app.query_one("#option-variant", Select).value = "at_least"
        await pilot.pause()  # what a change leads to is done before the form goes
        app.action_begin()
    assert app.return_value is not None
    assert app.return_value.options == {"variant": "at_least"}
    assert (app.return_value.game, app.return_value.players, app.return_value.cameras) == (
        "dtc",
        ("Ann", "Bob"),
        ("0",),
    )


async def test_a_number_that_usually_nobody_chooses_can_be_typed_in_the_form() -> None:
    app = SetupApp([build_game_row("ochs_und_esel", EN)], EN, Plan("ochs_und_esel"))
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        app.query_one("#option-deal", Input).value = "11"
        assert app.build_plan().options == {"deal": 11}


async def test_the_form_begins_with_what_the_command_line_said_and_loses_nothing_of_it() -> None:
    said = Plan(
        "dtc", options={"variant": "at_least"}, clock=45.0, bank=60.0, when_up="harmless", readers=("auto",)
    )
    rows = [build_game_row(name, EN) for name in list_game_ids()]
    app = SetupApp(rows, EN, said)
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        app.query_one("#players", Input).value = "Ann, Bob"
        while app.build_plan().options != said.options:
            await pilot.pause()
        app.query_one("#clock", Input).value = "soon"
        app.action_begin()
        assert "soon" in str(app.query_one("#wrong").render())
        app.query_one("#clock", Input).value = "30"
        app.action_begin()
    assert app.return_value == said.with_changes(
        players=("Ann", "Bob"), clock=30.0, deck=app.return_value.deck
    )


@pytest.fixture
def evenings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A real game, then eight short trials that push it down; the settings say English."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("companion.journal.journal.time", Days())
    for number in range(9):
        journal = Journal.open(default_journal_path())
        live = live_session(
            ("Zoé", "Léo", "Inès") if not number else ("Try", f"Out{number}"),
            "donkey_valley" if not number else "dtc",
            journal=journal,
        )
        if number:
            live.submit_request(live.list_choices("Try")[0].request) if live.list_choices("Try") else enter(
                live, live.list_choices(None)[0].request
            )
        else:
            first_round(live)
        live.close()
    try_change_settings(lambda _: Settings(language="en"))
    return load_settings()


class Days:
    """The time that a journal writes: an evening a day."""

    now = 1.79e9

    def time(self) -> float:
        self.now += 3600
        return self.now


class Asked(list[tuple[str, list[str]]]):
    """Answers pages one after the other, each by the line to choose (in a tuple: to throw away);
    keeps what they said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: object) -> None:
        self.answers = list(answers)

        def answer(page: ListPage) -> int | None:
            return self.answer_to(page)

        monkeypatch.setattr("companion.commands.home_screen_pages.ListPage.run", answer)
        self.ran: list[Plan | str] = []
        monkeypatch.setattr(
            "companion.commands.home_screen_pages.run_from_home_screen",
            lambda what, _, words=(): self.ran.append(" ".join([what, *words]) if words else what),
        )

    def answer_to(self, page: ListPage) -> int | None:
        self.append((page._heading, list(page._lines)))
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            return None
        page.chosen_for_removal = isinstance(answer, tuple)
        wanted = answer[0] if isinstance(answer, tuple) else answer
        [found] = [number for number, line in enumerate(page._lines) if str(wanted) in line]
        return found


def test_six_trials_push_no_real_game_out(evenings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home screen offers three; one key shows all."""
    past = welcome.load_past_sessions(evenings)
    offered = list_home_entries(evenings, past, EN)
    assert [doing.key for doing in offered[:4]] == ["1", "2", "3", "g"]
    asked = Asked(monkeypatch, "Zoé")
    assert home_screen_pages.PAGE_OPENERS["evenings"](evenings, EN) == ""
    [(_, lines)] = asked
    assert len(lines) == 9
    assert asked.ran == [Plan(resume=1)]


def test_an_empty_house_says_so_at_the_home_screen_and_opens_no_page_without_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    asked = Asked(monkeypatch)
    before = {"history": "history.empty", "people": "people.none", "figures": "history.empty"}
    assert {name: home_screen_pages.PAGE_OPENERS[name](load_settings(), EN) for name in before} == {
        name: EN(code) for name, code in before.items()
    }
    Journal.open(default_journal_path()).close()  # an evening that was left before it began
    after = {"history": "history.empty", "people": "people.none", "figures": "figures.none"}
    assert {name: home_screen_pages.PAGE_OPENERS[name](load_settings(), EN) for name in after} == {
        name: EN(code) for name, code in after.items()
    }
    assert home_screen_pages.PAGE_OPENERS["evenings"](load_settings(), EN) == ""
    assert asked == []


def test_who_shows_cards_is_asked_which_deck(evenings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, "(donkey_valley_52)")
    assert welcome._perform_choice("enrol", evenings, EN) == ""
    assert asked.ran == ["enrol --deck donkey_valley_52"]


def test_every_command_of_the_home_screen_can_be_run_with_its_language_only(evenings: Settings) -> None:
    choices = [one.opens for one in list_home_entries(evenings, welcome.load_past_sessions(evenings), EN)]
    commands = {one for one in choices if isinstance(one, str)} - welcome.HOME_PAGES
    assert commands >= {"calibrate", "check"}
    for name in commands:
        parser = Parser(name)
        import_command(name).add_arguments(parser)
        assert parser.parse_args(["--lang", "de"]).lang == "de"


def test_the_cards_of_a_deck_are_called_as_people_call_them(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(monkeypatch, "(donkey_valley)")
    home_screen_pages.PAGE_OPENERS["cards"](evenings, Translator("de"))
    cards = asked[1][1][1:]
    assert any("riesiger Esel" in one for one in cards), cards
    assert not [one for one in cards if re.search(r"\w:\w", one)]


def test_an_evening_is_resumed_from_the_history_too(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(monkeypatch, "Zoé", EN("evening.go_on"))
    home_screen_pages.PAGE_OPENERS["history"](evenings, EN)
    assert asked.ran == [Plan(resume=1)]


def test_a_trial_is_thrown_away_only_when_asked_twice_and_can_be_taken_back(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Asked(monkeypatch, ("Out8",), EN("evening.leave"))
    home_screen_pages.PAGE_OPENERS["evenings"](evenings, EN)
    assert load_settings().thrown_away == ()
    for number in (8, 7):
        Asked(monkeypatch, (f"Out{number}",), EN("evening.surely"))
        home_screen_pages.PAGE_OPENERS["evenings"](evenings, EN)
    assert (
        "Out6" in list_home_entries(load_settings(), welcome.load_past_sessions(load_settings()), EN)[0].words
    )
    asked = Asked(monkeypatch)
    home_screen_pages.PAGE_OPENERS["evenings"](evenings, EN)
    assert len(asked[0][1]) == 7
    assert main(["figures", "--lang", "en"]) == 0
    assert re.search(r"DTC +6 ", capsys.readouterr().out)
    main(["export", "--session", "all"])
    assert "Out8" not in capsys.readouterr().out
    main(["history", "--lang", "en"])
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 9
    assert [line.split()[0] for line in listed if "[thrown away]" in line] == ["8", "9"]
    Asked(monkeypatch, "Out8", EN("evening.take_back"))
    home_screen_pages.PAGE_OPENERS["history"](load_settings(), EN)
    assert (
        "Out8" in list_home_entries(load_settings(), welcome.load_past_sessions(load_settings()), EN)[0].words
    )


def test_the_home_screen_says_what_could_not_be_kept(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "a file"))
    Asked(monkeypatch, ("Out8",), EN("evening.surely"))
    assert "could not be written" in welcome._perform_choice("evenings", evenings, EN)


def test_nothing_in_the_journal_changes_when_an_evening_is_thrown_away(
    evenings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    before = default_journal_path().read_bytes()
    assert main(["history", "9", "--throw-away", "--lang", "en"]) == 0
    assert "--take-back" in capsys.readouterr().out
    assert default_journal_path().read_bytes() == before
    assert main(["history", "9", "--take-back", "--lang", "en"]) == 0
    assert load_settings() == evenings
    assert main(["history", "--throw-away", "--lang", "en"]) == 2
    assert "Say which evening" in capsys.readouterr().err


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_few_letters_find_the_evening(size: tuple[int, int]) -> None:
    lines = [f"DTC · Try, Out{number}" for number in range(40)]
    lines.insert(33, "Donkey Valley · Zoé, Léo · 2026-11-22")
    app = SearchPage("All evenings", lines, EN, "", can_remove=True)
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"zoe")
        await pilot.pause()
        screen = on_screen(app)
        assert "Zoé, Léo" in screen
        assert "Out1" not in screen
        await pilot.press("enter")
    assert app.return_value == 33
    assert not app.chosen_for_removal


async def test_letters_told_after_the_search_was_left_find_nothing() -> None:
    app = SearchPage("All evenings", ["DTC · Ann", "Ascend · Bob"], EN, "")
    async with app.run_test() as pilot:
        field = app.query_one(Input)
        await app.screen.query("*").remove()
        app.on_input_changed(Input.Changed(field, "ann"))
        await pilot.pause()
    assert app.return_value is None


async def test_arrows_choose_while_one_types_and_delete_throws_away() -> None:
    app = SearchPage("All evenings", ["one", "two", "three"], EN, "", can_remove=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("t", "down", "left")
        await pilot.press("delete")  # a letter, while there is one to be deleted
        await pilot.pause()
        assert "one" in on_screen(app)
        await pilot.press("down", "down", "delete")
    assert app.chosen_for_removal
    assert app.return_value == 2


async def test_what_nothing_says_is_told_and_enter_does_nothing() -> None:
    app = SearchPage("All evenings", ["one", "two"], EN, "", can_remove=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"nobody", "enter", "delete")
        await pilot.pause()
        assert EN("home_screen.search.none") in on_screen(app)
        await pilot.press("escape")
    assert app.return_value is None
    assert not app.chosen_for_removal


def test_line_by_line_words_search_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["nobody", "try", "12"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    lines = ["Donkey Valley · Zoé", *(f"DTC · Try{number}" for number in range(20))]
    assert choose_line("Which evening?", lines, EN, "", plain=True) == 11
    said = capsys.readouterr().out
    assert EN("home_screen.search.none") in said
    for words, chosen in (("zoe", 0), ("1", 0), ("21", 20), (" ", None)):
        monkeypatch.setattr("builtins.input", lambda _, words=words: words)
        assert choose_line("Which evening?", lines, EN, "", plain=True) == chosen


def test_the_home_screen_looks_at_every_evening(evenings: Settings) -> None:
    past = welcome.load_past_sessions(evenings)
    assert len(past.unfinished) == 9
    assert [kept.number for kept in past.unfinished][-1] == 1


def test_somebody_is_renamed_in_all_evenings_and_two_names_are_made_one_only_when_asked_twice(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = default_journal_path().read_bytes()
    merge = EN("people.merge", player="Out8")
    asked = Asked(monkeypatch, "Out8", merge, "Out7", EN("people.as_is"))
    home_screen_pages.PAGE_OPENERS["people"](evenings, EN)
    assert load_settings().called == {}
    assert any(line.startswith("Out8  1 evening") for line in asked[0][1])
    Asked(monkeypatch, "Out8", merge, "Out7", EN("people.surely", old="Out8", new="Out7"))
    home_screen_pages.PAGE_OPENERS["people"](evenings, EN)
    assert load_settings().called == {"Out8": "Out7"}
    asked = Asked(monkeypatch)
    home_screen_pages.PAGE_OPENERS["people"](load_settings(), EN)
    assert any(line.startswith("Out7  2 evenings") for line in asked[0][1])
    assert main(["people", "--call", "Out7", "Nina", "--lang", "en"]) == 0
    assert load_settings().called == {"Out8": "Nina", "Out7": "Nina"}
    assert (
        "Nina" in list_home_entries(load_settings(), welcome.load_past_sessions(load_settings()), EN)[0].words
    )
    capsys.readouterr()
    main(["history", "--lang", "en"])
    listed = capsys.readouterr().out
    assert listed.count("Nina") == 2
    assert "Out7" not in listed
    assert main(["people", "--call", "Nina", " ", "--lang", "en"]) == 2
    assert default_journal_path().read_bytes() == before, "the journal only grows"


def test_a_photo_of_an_evening_is_kept_upright_and_small_without_what_the_camera_wrote_beside_it(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    taken, page = tmp_path / "taken.jpg", tmp_path / "page.html"
    lying = Image.new("RGB", (2400, 1200), "teal")
    about = Image.Exif()
    about[0x0112], about[0x010F] = 6, "Whose camera"  # turned by a quarter; the maker
    lying.save(taken, exif=about)
    before = default_journal_path().read_bytes()
    assert main(["history", "9", "--photo", str(taken), "--lang", "en"]) == 0
    assert EN("evening.photo.kept") in capsys.readouterr().out
    [kept] = default_journal_path().parent.glob("*-notes/*.jpg")
    assert b"Whose camera" not in kept.read_bytes()
    with Image.open(kept) as upright:
        assert upright.size == (800, 1600)
    assert main(["history", "--lang", "en"]) == 0
    assert f"  · {EN('evening.photo.mark')}" in capsys.readouterr().out.splitlines()[-1]
    assert main(["history", "9", "--page", str(page), "--place", "Zoé's", "--note", "<rain>"]) == 0
    assert EN("page.photo") in (words := page.read_text(encoding="utf-8"))
    assert " · Zoé&#x27;s" in words
    assert "&lt;rain&gt;" in words
    asked = Asked(monkeypatch, "Zoé's", EN("evening.photo", photo=EN("answer.yes")))
    home_screen_pages.PAGE_OPENERS["history"](evenings, EN)
    assert EN("evening.photo.ask") in [title for title, _ in asked]
    for damaged in (b"noise", kept.read_bytes()[:400]):
        kept.write_bytes(damaged)
        Asked(monkeypatch, "Zoé's", EN("evening.photo", photo=EN("answer.yes")))
        assert home_screen_pages.PAGE_OPENERS["history"](evenings, EN) == ""
    assert main(["history", "9", "--photo", "", "--lang", "en"]) == 0
    assert not kept.exists()
    assert default_journal_path().read_bytes() == before


async def test_the_photo_stands_above_the_evening_in_a_third_of_the_rows() -> None:
    taken = BytesIO()
    Image.new("RGB", (400, 200), "teal").save(taken, "JPEG")
    app = ListPage(
        "Friday", ["what happened"], EN, "", photo=home_screen_pages.make_photo_renderer(taken.getvalue())
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.query_one("#sheet-photo").size.height == 8
        assert "what happened" in on_screen(app)


@pytest.mark.parametrize("wrong", ["no picture at all", "", None])
def test_what_is_no_photo_is_told_and_the_one_before_stays(
    evenings: Settings, capsys: pytest.CaptureFixture[str], tmp_path: Path, wrong: str | None
) -> None:
    file = tmp_path / "photo.jpg"
    Image.new("RGB", (30, 20)).save(file)
    assert main(["history", "9", "--photo", str(file)]) == 0
    if wrong is None:
        file.unlink()
    else:
        file.write_text(wrong or "GIF89a")
    assert main(["history", "9", "--photo", str(file), "--lang", "en"]) == 2
    assert "photo" in capsys.readouterr().err
    assert len([*default_journal_path().parent.glob("*-notes/*.jpg")]) == 1


async def test_a_new_name_is_typed_where_no_line_has_it() -> None:
    app = SearchPage("Call Ann otherwise", [], EN, "", free=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "⏎ Choose" in on_screen(app)
        await pilot.press(*"Zoe", "enter")
    assert (app.return_value, app.typed) == (-1, "Zoe")


def test_where_an_evening_was_played_and_notes_are_found_again_and_the_journal_stays_as_it_is(
    evenings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = default_journal_path().read_bytes()
    assert main(["history", "9", "--place", "Zoé's", "--note", "rain", "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith("Noted: Zoé's · rain")
    assert main(["history", "9", "--note", "", "--lang", "en"]) == 0
    main(["history", "--lang", "en"])
    assert "  · Zoé's" in capsys.readouterr().out.splitlines()[-1]
    asked = Asked(monkeypatch, "Zoé's", EN("evening.place", place="Zoé's"))
    home_screen_pages.PAGE_OPENERS["history"](evenings, EN)
    assert EN("evening.place.ask") in [title for title, _ in asked]
    assert main(["history", "--place", "here", "--lang", "en"]) == 2
    assert default_journal_path().read_bytes() == before
    [file] = default_journal_path().parent.glob("*-notes/*.json")
    file.write_text("{broken")
    assert main(["history", "--lang", "en"]) == 0
