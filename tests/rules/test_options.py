"""Options: words for every value in both languages, the table on every rules page, and journals
older than an option."""

import gettext
import importlib
import re
from pathlib import Path

import msgspec
import pytest

from companion.demo.actions import make_players
from companion.evening.setup_form import build_game_row
from companion.language import LANGUAGES
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.options import describe_option_value, describe_options
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game
from companion.texts import Translator
from companion.views.dashboard.setup import SetupApp
from tests.rules.machine import values
from tests.rules.talk import Spoken, played_out, setup_of
from tools import write_rule_options

GAMES = registry.list_game_ids()
GAMES_HOME = Path(__file__).parents[2] / "companion" / "games"
BOX = {"normal": 12, "giant": 2, "double": 6}
PAGES = Path(__file__).parents[2] / "docs" / "rules"


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", GAMES)
def test_every_option_and_every_value_has_words(game_id, language):
    game = registry.load_game(game_id)
    translator = Translator(language, game)
    for option in describe_options(game):
        texts = [option.about, *(value.effect for value in option.values)]
        assert [text.code for text in texts if translator.translate(text) == text.code] == []
        assert sum(value.usual for value in option.values) == (1 if option.values else 0)


@pytest.mark.parametrize("game_id", GAMES)
def test_a_rule_reads_an_option_where_the_players_chose_it(game_id):
    """In `state.setup.options`, and nowhere else: a state holds no copy of an option."""
    game = registry.load_game(game_id)
    setup = setup_of(game, ["Ann", "Ben", "Cy", "Dee"])
    state = game.start(setup)
    assert state.setup is setup
    fields = {field.name: type(getattr(state, field.name)) for field in msgspec.structs.fields(state)}
    copied = [name for name, value in setup.options.items() if fields.get(name) is type(value)]
    assert copied == []


@pytest.mark.parametrize("game_id", GAMES)
def test_every_value_of_every_option_has_a_scene(game_id):
    """A test in the game's `test_..._options.py` that is parametrized by the option's name. An
    option of any number, or of a map, needs its default and one other value."""
    missing = []
    for option in registry.load_game(game_id).options:
        played = [value for name, value in list_scenes(game_id) if name == option.name]
        listed = values(option.kind)
        missing += [(option.name, value) for value in [option.default, *listed] if value not in played]
        if len(played) < 2:
            missing.append((option.name, "another value"))
    assert missing == []


def list_scenes(game_id):
    """The name and value of each option by which the game's scenes are parametrized."""
    found = []
    for path in sorted((Path(__file__).parent / game_id).glob("test_*_options.py")):
        module = importlib.import_module(f"tests.rules.{game_id}.{path.stem}")
        marks = [mark for one in vars(module).values() for mark in getattr(one, "pytestmark", ())]
        for mark in marks:
            names, rows = mark.args[:2]
            if isinstance(names, str):
                found += [(names, row) for row in rows]
            else:
                found += [pair for row in rows for pair in zip(names, row, strict=True)]
    return found


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("game_id", GAMES)
def test_the_rules_page_has_the_table_of_options(game_id, language):
    """Made by `make pages`."""
    page = (PAGES / f"{game_id}.{language}.md").read_text(encoding="utf-8")
    assert write_rule_options.update_page(page, game_id, language) == page
    assert all(f"`{option.name}`" in page for option in registry.load_game(game_id).options)


OURS = {
    "donkey_valley": ("DV-13", "DV-39", "DV-41"),
    "dtc": ("DTC-6",),
    "ochs_und_esel": ("OE-11",),
    "partners": ("PA-4",),
}
"""Clauses that are our reading of a sheet that is silent or says less, and are no option."""


@pytest.mark.parametrize(
    ("language", "mark"),
    [("en", r"\*[^*]*\b(our reading|are ours)\b"), ("fr", r"\*[^*]*(notre lecture|les nôtres)")],
)
@pytest.mark.parametrize("game_id", OURS)
def test_a_reading_that_is_ours_is_marked_as_ours(game_id, language, mark):
    page = (PAGES / f"{game_id}.{language}.md").read_text(encoding="utf-8")
    # A clause is an entry of a list, or a row of a table.
    entries = [" ".join(entry.split()) for entry in re.split(r"\n(?=- \*\*|\d+\. |\| )|\n\n", page)]
    for clause in OURS[game_id]:
        told = [entry for entry in entries if re.search(rf"\*\*{clause}\*\*|\| {clause} \|", entry)]
        assert any(re.search(mark, entry) for entry in told), clause


def test_a_default_that_the_sheet_does_not_support_is_said_to_be_our_choice():
    for game_id, names in {"donkey_valley": {"barred"}, "partners": {"swap_start"}}.items():
        game = registry.load_game(game_id)
        assert {option.name for option in game.options if option.ours} == names
        translator = Translator("en", game)
        told = {one.name: translator.translate(one.source) for one in describe_options(game)}
        ours = {name for name, source in told.items() if source.endswith("The usual value is our choice.")}
        assert {name for name in ours if "«" in told[name]} == names


def test_the_form_tells_what_a_reading_changes_and_which_sentence_is_read_so():
    rows = {row.name: row for row in build_game_row("ascend", Translator("fr")).options}
    row = rows["bomb_size"]
    assert ("de même taille, ou plus grandes de n’importe quel rang", "larger") in row.values
    assert "« Une bombe doit être suivie par une bombe de taille équivalente ou supérieure… »" in row.sheet
    copies = {row.name: row for row in build_game_row("partners", Translator("fr")).options}["copies"]
    assert "La règle n’en dit rien" in copies.sheet


def tables():
    """A table for every game as usual, and one for every other value of every option."""
    other = {
        "target": (12,),
        "rounds": (2,),
        "deal": (6,),
        "copies": (5, {"heart": 6}),
        "donkey_copies": (BOX,),
    }
    for game_id in GAMES:
        yield game_id, {}
        for option in registry.load_game(game_id).options:
            listed = other.get(option.name) or values(option.kind)
            yield from ((game_id, {option.name: value}) for value in listed if value != option.default)


EDGES = [
    ("ascend", "target", 1, 0),
    ("ochs_und_esel", "rounds", 1, 0),
    ("ochs_und_esel", "deal", 1, 0),
    ("partners", "copies", 4, 1),
    ("partners", "copies", {"heart": 0}, {"heart": -1}),
    ("donkey_valley", "donkey_copies", {"normal": 20}, {"normal": 21}),
    ("donkey_valley", "donkey_copies", {"normal": 0, "giant": 20}, {"normal": -1, "giant": 21}),
]


@pytest.mark.parametrize(("game_id", "name", "least", "beyond"), EDGES)
def test_an_option_takes_its_edge_and_nothing_beyond(game_id, name, least, beyond):
    game = registry.load_game(game_id)
    begun = [
        prepare_game(Start(game_id, ["Ann", "Ben", "Cy", "Dee"], {name: value})) for value in (least, beyond)
    ]
    assert [getattr(one, "code", "begun") for one in begun] == ["begun", "bad_option"]
    numbers = {one.name for one in game.options if "integer" in str(msgspec.json.schema(one.kind))}
    assert numbers <= {option for of, option, *_ in EDGES if of == game_id}


@pytest.mark.slow
@pytest.mark.parametrize(("game_id", "options"), list(tables()), ids=str)
def test_no_option_is_said_as_a_code_in_a_whole_game(game_id, options):
    """Every event, every report and every explanation, in every language."""
    game, spoken = registry.load_game(game_id), Spoken(registry.load_game(game_id))
    brisk = {"target": 12} if game_id == "ascend" else {}
    setup = setup_of(game, ["Ann", "Ben", "Cy", "Dee"], 12, **brisk | options)

    def hear(session, _deed, events):
        for text in (game.describe(session.state, event) for event in events):
            if text is not None:
                spoken.say(text)
        for reason in game.explain_round(session.state):
            spoken.say(reason.text)

    for step in game.list_setup_steps(game.start(setup)):
        spoken.say(step.text)
    session = played_out(game, setup, make_players(setup), hear)
    for player in setup.players:
        for reason in session.explain_points(player):
            spoken.say(reason.text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game_id", GAMES)
def test_no_message_of_a_game_holds_an_option_as_a_code(game_id, language):
    """Also those that no game comes to by chance; an option's own words may name a thing that is
    called like it (a deck)."""
    names = "|".join(option.name for option in registry.load_game(game_id).options)
    told = {
        code: words
        for code, words in messages(game_id, language)
        if re.search(rf"option ({names})\b|\b({names}) ?= ?\w", words, re.IGNORECASE)
    }
    assert told == {}


def messages(domain, language):
    """Every message with each of its forms."""
    catalogue = gettext.translation(domain, GAMES_HOME / domain / "locale", [language])
    return [(code, words) for code, words in catalogue._catalog.items() if code]


def test_a_reason_names_a_ruling_as_the_form_does():
    """Title and value, in the words that were chosen in the form."""
    row = {row.name: row for row in build_game_row("donkey_valley", Translator("fr")).options}["draws"]
    effect = next(words for words, written in row.values if written == "table")
    said = Translator("fr", registry.load_game("donkey_valley")).translate(
        describe_option_value("draws", "table")
    )
    assert said == f"« {row.about.removesuffix(' [DV-19]')} : {effect} »"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_form_says_what_is_wrong_with_an_option_by_its_title(language):
    translator = Translator(language)
    row = build_game_row("ochs_und_esel", translator)
    title = {one.name: one for one in row.options}["deal"].about
    app = SetupApp([row], translator, Plan("ochs_und_esel", ("Ann", "Ben", "Cy"), {"deal": 0}))
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        app.action_begin()
        wrong = str(app.query_one("#wrong").render())
    assert title.removesuffix(" [OE-2]") in wrong
    assert "deal " not in wrong


def test_a_journal_that_is_older_than_an_option_goes_on_by_the_usual_reading():
    game = registry.load_game("ascend")
    old = {"deck": "extended", "target": 50, "bidding": False, "shares": "exact"}
    session = Session(game, Setup("ascend", ("Ann", "Ben", "Cy"), old, 1))
    assert session.setup.options["bombs"] == "any"
    assert session.view()["phase"] == "exchange"
