"""What the referee of Partners refuses, with which code, and which fault it names first."""

import pytest

from tests.rules.partners.positions import NAMES
from tests.rules.talk import Talk

START = [{"owner": "Ann", "pawn": 1, "to": "start"}]


@pytest.fixture
def talk():
    return Talk("partners", NAMES)


def test_four_players_no_more_no_fewer(talk):
    for names in (NAMES[:3], [*NAMES, "Eve"]):
        assert talk.refused("start", game="partners", players=names) == "bad_players"


@pytest.mark.parametrize(
    "copies",
    [
        3,
        0,
        -1,
        True,
        None,
        "4",
        4.5,
        [4],
        {"11": 4},
        {"heart": -1},
        {"heart": True},
        {"heart": 0, "8": 0, "13": 3},
    ],
)
def test_copies_that_do_not_fit(talk, copies):
    refused = talk.refused("start", game="partners", players=NAMES, options={"copies": copies})
    assert refused == "bad_option PA-4"


@pytest.mark.parametrize("copies", [4, 10, {}, {"heart": 0, "8": 0}, {"swap": 1}])
def test_copies_that_fit(copies):
    talk = Talk("partners", NAMES, copies=copies)
    talk.ok("exchanged")
    left_out = isinstance(copies, dict) and copies.get("heart") == 0
    reply = talk.reply("moves", player="Ann", card="heart")
    assert reply["ok"] is not left_out


@pytest.mark.parametrize("options", [{"own_pawn": "both"}, {"own_pawn": True}, {"own_pawns": "stack"}])
def test_options_that_do_not_fit(talk, options):
    assert talk.refused("start", game="partners", players=NAMES, options=options).startswith("bad_option")


@pytest.mark.parametrize(
    "fields",
    [
        {"do": "play", "player": "Ann", "card": "8"},
        {"do": "play", "player": "Ann", "card": 8, "moves": START},
        {"do": "play", "player": "Ann", "card": "8", "moves": START[0]},
        {
            "do": "play",
            "player": "Ann",
            "card": "8",
            "moves": [{"owner": "Ann", "pawn": True, "to": "start"}],
        },
        {"do": "play", "player": "Ann", "card": "8", "moves": [{"owner": "Ann", "pawn": "1", "to": "start"}]},
        {"do": "play", "player": "Ann", "card": "8", "moves": [{"owner": "Ann", "pawn": 1}]},
        {"do": "play", "card": "8", "moves": START},
        {"do": "fold"},
        {"do": "fold", "player": "Ann", "cards": "heart"},
        {"do": "fold", "player": "Ann", "cards": [8]},
        {"do": "moves", "player": "Ann"},
        {"do": "pass", "player": "Ann"},
    ],
)
def test_a_request_of_another_shape(talk, fields):
    assert talk.refused(**fields) == "bad_request"


def test_names_come_before_the_phase_and_the_phase_before_the_turn(talk):
    stranger = [{"owner": "Zoe", "pawn": 1, "to": "start"}]
    assert talk.refused("play", player="Zoe", card="11", moves=[]) == "unknown_player"
    assert talk.refused("play", player="Ann", card="11", moves=stranger) == "unknown_player"
    assert talk.refused("play", player="Bob", card="11", moves=[]) == "wrong_phase PA-5"
    assert talk.refused("moves", player="Bob", card="11") == "wrong_phase PA-5"
    assert talk.refused("fold", player="Bob", cards=["11"]) == "wrong_phase PA-5"
    talk.ok("exchanged")
    assert talk.refused("exchanged") == "wrong_phase PA-5"
    assert talk.refused("play", player="Bob", card="11", moves=[]) == "not_your_turn PA-5"
    assert talk.refused("moves", player="Bob", card="11") == "not_your_turn PA-5"
    assert talk.refused("fold", player="Bob", cards=["11"]) == "not_your_turn PA-5"


def test_of_several_faults_the_card_comes_first_then_its_copies_then_the_move():
    talk = Talk("partners", NAMES, copies={"2": 0})
    talk.ok("exchanged")
    assert talk.refused("play", player="Ann", card="11", moves=[]) == "unknown_card PA-4"
    assert talk.refused("play", player="Ann", card="2", moves=[]) == "no_such_card PA-5"
    assert talk.refused("play", player="Ann", card="3", moves=[]) == "illegal_move PA-7"
    assert talk.refused("moves", player="Ann", card="11") == "unknown_card PA-4"
    assert talk.refused("moves", player="Ann", card="2") == "no_such_card PA-5"
    assert "is not in the deck" in talk.reply("moves", player="Ann", card="2")["error"]["message"]
    assert talk.refused("fold", player="Ann", cards=["11", "2"]) == "unknown_card PA-4"
    assert talk.refused("fold", player="Ann", cards=["2", "heart"]) == "bad_count PA-6"
    assert talk.refused("fold", player="Ann", cards=[]) == "bad_count PA-6"
    assert talk.refused("fold", player="Ann", cards=["2", "heart", "3", "3"]) == "no_such_card PA-5"
    assert talk.refused("fold", player="Ann", cards=["3"] * 5) == "bad_count PA-6"
    assert talk.refused("fold", player="Ann", cards=["5", "heart", "3", "3"]) == "could_play PA-6"


def test_a_question_changes_nothing_is_not_undone_and_does_not_end_a_redo(talk):
    talk.ok("exchanged")
    talk.ok("play", player="Ann", card="8", moves=START)
    talk.ok("undo")
    reply = talk.reply("moves", player="Ann", card="8")
    assert (reply["ok"], reply["events"], reply["view"]) == (True, [], talk.view)
    talk.ok("redo")
    assert talk.column("pawns")[0] == ["start", "base", "base", "base"]
    talk.reply("moves", player="Bob", card="8")
    talk.ok("undo")
    assert talk.column("pawns")[0] == ["base"] * 4


def test_names_of_the_table_are_not_taken_for_places_or_codes():
    names = ["base", "{player}", "goal:1", "1:1"]
    talk = Talk("partners", names)
    talk.ok("exchanged")
    talk.ok("play", player="base", card="8", moves=[{"owner": "base", "pawn": 1, "to": "start"}])
    assert talk.refused("play", player="{player}", card="8", moves=[]) == "illegal_move PA-7"
    assert talk.explained("base")
