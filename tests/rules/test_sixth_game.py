"""A sixth game is one package and its deck: installed from outside the project, found by its entry
point, played like any other."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.rules.contract import CommonView
from companion.table.decks import Deck

PROJECT = Path(__file__).parents[2]
EXAMPLE = PROJECT / "docs" / "sixth_game"
START = {"do": "start", "game": "second_best", "players": ["Ann", "Ben", "Cy"], "options": {}, "seed": 6}
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r'^    (\{"do".*\})$', README, re.M)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The example as its README leaves it, in a folder of its own and nothing from elsewhere."""
    source = tmp_path_factory.mktemp("outside") / "sixth_game"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("*.mo", "__pycache__"))
    return _installed(source)


@pytest.fixture(scope="module", params=["player.py", "drawing.py"])
def bare(installed, tmp_path_factory, request):
    """The same game without simulated players, or without drawn cards."""
    bare = shutil.copytree(installed, tmp_path_factory.mktemp("bare") / "installed")
    (bare / "second_best" / request.param).unlink()
    return bare


def _installed(source):
    """Do what the README in that folder says, command by command; return where the game is
    installed."""
    readme = (source / "README.md").read_text(encoding="utf-8")
    shell = [line.split() for line in re.findall(r"^    ((?:pip|companion) .*)$", readme, re.M)]
    assert shell == [["pip", "install", "."], ["companion", "referee"]]
    install, _ = shell
    target = source.parent / "installed"
    # By uv, which the tests' own environment has: made by uv, it has no pip.
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--python", sys.executable]
    uv = Path(sys.executable).parent / "uv"
    _run(str(uv), "pip", "install", *options, "--target", str(target), *install[2:], folder=source)
    return target


def _run(*command, given="", path="", folder="/"):
    environment = {**os.environ, "PYTHONPATH": str(path), "PIP_ROOT_USER_ACTION": "ignore"}
    done = subprocess.run(
        command,
        input=given,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _talk(installed, requests, language="en"):
    lines = "\n".join(map(json.dumps, requests)) + "\n"
    out = _run(sys.executable, "-m", "companion", "referee", "--lang", language, given=lines, path=installed)
    return [json.loads(line) for line in out.splitlines()]


def plays(*acts):
    return [{"do": "play", "player": name, "card": card} for name, card in acts]


def test_without_the_package_there_is_no_such_game():
    lines = json.dumps(START) + "\n"
    [reply] = _run(sys.executable, "-m", "companion", "referee", given=lines).splitlines()
    assert json.loads(reply)["error"]["code"] == "unknown_game"


def test_it_is_found_by_its_entry_point_and_played(installed):
    trick = plays(("Ann", 9), ("Ben", 21), ("Cy", 14))
    replies = _talk(
        installed, [START, *trick, {"do": "undo"}, {"do": "redo"}, {"do": "explain", "player": "Cy"}]
    )
    assert all(reply["ok"] for reply in replies)
    assert replies[3]["events"][-1] == {"type": "trick_won", "player": "Cy", "card": 14, "points": 1}
    assert replies[3]["view"]["waiting_for"] == [{"do": "play", "player": "Cy"}]
    assert replies[4]["view"] == replies[2]["view"]
    assert replies[5]["view"] == replies[3]["view"]
    assert replies[6]["explanation"] == [
        {"text": "Cy had the second highest card, 14: 1 point.", "clauses": ["SB-4"], "points": 1}
    ]


def test_the_conversation_of_the_readme_goes_as_it_says(installed):
    """Cy's 14 is second best and wins."""
    replies = _talk(installed, map(json.loads, LINES))
    assert [reply["ok"] for reply in replies] == [True] * 5
    assert [row["points"] for row in replies[-1]["explanation"]] == [1]
    assert all(
        f"`{field}`" in README and field in replies[0]["view"] for field in CommonView.__required_keys__
    )


def test_it_refuses_in_its_own_words_and_in_french(installed):
    wrong = [START, *plays(("Ben", 1), ("Ann", 25), ("Ann", 9), ("Ben", 9))]
    errors = [reply.get("error") for reply in _talk(installed, wrong, "fr")]
    assert errors[1]["code"] == "not_your_turn"
    assert errors[1]["message"] == "Ce n’est pas au tour de Ben. Ann joue une carte."
    assert errors[2] == {
        "code": "unknown_card",
        "message": "Il n’y a pas de carte 25 : elles vont de 1 à 24.",
        "clause": "SB-1",
    }
    assert errors[3] is None
    assert errors[4] == {"code": "card_spent", "message": "Le 9 a déjà été joué.", "clause": "SB-3"}


@pytest.mark.parametrize(("double", "points"), [(True, 7), (False, 6)])
def test_a_whole_game_ends_with_a_winner(installed, double, points):
    tricks = []
    for number in range(6):
        hands = {"Ann": 1 + number, "Ben": 7 + number, "Cy": 13 + number}  # Ben is always second best
        order = ["Ann", "Ben", "Cy"] if number == 0 else ["Ben", "Cy", "Ann"]
        tricks += plays(*((name, hands[name]) for name in order))
    replies = _talk(installed, [{**START, "options": {"double_last": double}}, *tricks])
    result = replies[-1]["view"]["result"]
    assert result["winners"] == ["Ben"]
    assert [row["points"] for row in result["ranking"]] == [points, 0, 0]
    assert [row["rank"] for row in result["ranking"]] == [1, 2, 2]


def test_a_new_game_goes_the_same_way(tmp_path):
    """`companion new-game` in an empty folder, then what its own README says, then a trick, a
    refusal, its cards, its panel, its players and its deck."""
    name = "six_nimmt"
    command = [sys.executable, "-m", "companion", "new-game", name, "--lang", "de"]
    said = _run(*command, folder=tmp_path, path=PROJECT)
    assert said.startswith("six_nimmt enthält das Spiel six_nimmt, fertig")
    files = [file.relative_to(tmp_path / name) for file in (tmp_path / name).rglob("*") if file.is_file()]
    texts = [str(file) + (tmp_path / name / file).read_text(encoding="utf-8") for file in files]
    assert not re.search(r"second[_-]best|Second ?Best|\bsb\b|\bSB\b", "".join(texts))
    target = _installed(tmp_path / name)
    readme = (tmp_path / name / "README.md").read_text(encoding="utf-8")
    assert readme.startswith("# Six Nimmt\n")
    assert "sixth" not in readme.lower()
    lines = re.findall(r'^    (\{"do".*\})$', readme, re.M)
    replies = _talk(target, [*map(json.loads, lines), *plays(("Cy", 9))])
    assert [reply["ok"] for reply in replies] == [True] * 5 + [False]
    assert replies[4]["explanation"][0]["clauses"] == ["SN-4"]
    assert replies[5]["error"]["message"] == "The 9 has been played already."
    script = f"{READ}{PANEL}{DEMO}".replace("second_best", name).replace("sb:", "sn:")
    _run(sys.executable, "-c", script, path=target)
    assert Deck.load(target / name / "deck.toml").card_counts == {f"sn:{card}": 1 for card in range(1, 25)}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("6nimmt", "6nimmt cannot be a game's id"),
        ("../six", "../six cannot be a game's id"),
        ("class", "class cannot be a game's id"),
        ("json", "json is already the name of a game or a package"),
        ("companion", "companion is already the name of a game or a package"),
        ("donkey_valley", "donkey_valley is already the name of a game"),
        ("mine", "mine already exists and is not empty"),
    ],
)
def test_a_new_game_overwrites_nothing_and_takes_no_name_that_would_not_work(
    name, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert main(["new-game", name, "--lang", "en"]) == 2
    assert said in capsys.readouterr().err
    assert [file.name for file in tmp_path.rglob("*")] == ["mine", "notes.txt"]


def test_its_cards_are_read_its_panel_is_found_and_its_players_play_to_the_end(installed):
    _run(sys.executable, "-c", f"{READ}{PANEL}{DEMO}", path=installed)


READ = """
from companion.rules import registry
from companion.rules.contract import Claim, Setup
from companion.rules.options import describe_options
from companion.rules.session import Session
from companion.language import LANGUAGES
from companion.texts import Translator
game = registry.load_game("second_best")
session = Session(game, Setup("second_best", ("Ann", "Ben"), {"double_last": True}, 1))
options = [text for one in describe_options(game) for text in (one.about, *(value.effect for value in one.values))]
table = [Claim(1, "sb:7", "seat:1"), Claim(2, "sb:9", "seat:2")]
say = [Translator(language, game) for language in LANGUAGES]
while True:
    texts = [*options, game.describe_awaited(session.state), *(r.text for r in game.explain_round(session.state))]
    texts += [choice.label for choice in game.list_choices(session.state, session.state.acting_player)]
    readings = game.interpret_claims(session.state, table)
    for proposal in readings:
        table = [claim for claim in table if claim.id not in proposal.used]
        texts += [game.describe(session.state, event) for event in session.act(proposal.request)]
    for text in texts:
        assert all(one.translate(text) != text.code for one in say), text
    if not readings:
        break
assert session.state.won == (("Ann", 7, 1),), session.state
"""


PANEL = """
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session
from companion.texts import Translator
from companion.views.panel import load_face_builder
from second_best import Play
game = registry.load_game("second_best")
session = Session(game, Setup("second_best", ("Ann", "Ben", "Cy"), {"double_last": True}, 1))
for player, card in (("Ann", 21), ("Ben", 9)):
    session.act(Play(player, card))
face = load_face_builder("second_best")(session.view(), Translator("fr", game))
assert (face.headline, face.meaning) == ("9  21", "La deuxième plus forte est le 9."), face
"""


DEMO = """
from companion.decks.collection import find_deck
from companion.decks.faces import draw_back, draw_faces
from companion.demo.actions import make_players
from companion.demo.director import replay_gestures
from companion.rules import registry
from companion.rules.contract import Setup
from companion.rules.session import Session
deck = find_deck("second_best")
sides = draw_faces(deck)
assert list(sides) == list(deck.card_counts)
assert len({side.svg for side in sides.values()} | {draw_back("second_best").svg}) == 25
setup = Setup("second_best", ("Ann", "Ben", "Cy"), {"double_last": True}, 1)
game = registry.load_game("second_best")
session, players, gestures = Session(game, setup), make_players(setup), []
dealt = [card for name in setup.players for card in players.list_hand(session.list_acts(), name)]
assert len(dealt) == len(set(dealt)) == 18 and set(dealt) <= set(sides)
while (action := players.next_action(session.list_acts(), session.view())) is not None:
    may = players.list_playable_choices(session.list_acts(), session.view(), action.player, game.list_choices(session.state, action.player))
    assert action.request in [one.request for one in may]
    assert len(may) == len(players.list_hand(session.list_acts(), action.player))
    session.act(action.request)
    gestures += action.gestures
assert sorted(dealt) == sorted(one.card for one in gestures if one.kind == "lay")
assert all(len(cards) == 1 for cards in replay_gestures(gestures).values())
assert session.view()["result"] is not None
"""


def test_the_deck_file_lists_the_cards_that_the_rules_know():
    deck = Deck.load(EXAMPLE / "second_best" / "deck.toml")
    assert deck.game == "second_best"
    assert deck.card_counts == {f"sb:{card}": 1 for card in range(1, 25)}


def test_a_game_that_the_demo_table_cannot_play_opens_by_hand_and_says_so(bare, tmp_path):
    """`companion play --game X` ended in a traceback without players; without drawn cards the
    demo's camera stopped at the first."""
    command = [sys.executable, "-m", "companion", "play", "--game", "second_best", "--plain"]
    command += ["--journal", str(tmp_path / "evening.sqlite")]
    out = _run(*command, given="quit\n", path=bare)
    assert "second_best has no simulated players or drawn cards, so the demo table can't play it." in out
    assert "say who plays: --players" in out
    assert "Ann plays a card." in out


@pytest.mark.parametrize("bare", ["player.py"], indirect=True)
def test_an_evening_of_people_is_no_demo_though_the_demo_table_cannot_play_the_game(
    bare, tmp_path, monkeypatch
):
    """It was kept among the demo's games, where history does not show it, and bore the demo's
    mark."""
    command = [sys.executable, "-m", "companion"]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    play = ["play", "--game", "second_best", "--plain", "--players", "Zoé,Yann"]
    out = _run(*command, *play, given="1\n\n0\n7\nquit\n", path=bare)
    assert "You can play it yourselves, by hand." in out
    assert "say who plays" not in out
    assert "Zoé plays a card." in out
    assert "Zoé" in _run(*command, "history", path=bare)
