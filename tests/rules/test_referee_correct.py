"""`correct_act`: an earlier request is put right, and what came after it is done again."""

import pytest

from companion.games.ochs_und_esel import GAME
from companion.games.ochs_und_esel.moves import Hand
from companion.rules.session import Session
from tests.rules.talk import Talk, replayed

NAMES = ["Ann", "Ben", "Cy"]


@pytest.fixture
def talk():
    """Ben's and Cy's hands leave Ann out of cards, by OE-9; but Ben's was told wrong."""
    talk = Talk("ochs_und_esel", NAMES, hands_only=True)
    talk.ok("hand", player="Ben", cards=["7"])
    talk.ok("hand", player="Cy", cards=["donkey", "9"])
    return talk


def error(talk, at, request):
    """`code: message` of a correction that is refused; nothing has changed by it."""
    before = talk.view
    told = talk.reply("correct", at=at, request=request)["error"]
    talk.ok("view")
    assert talk.view == before
    return f"{told['code']}: {told['message']}"


def test_the_hand_that_was_told_wrong_is_corrected_as_its_refusal_says(talk):
    told = talk.reply("hand", player="Ann", cards=["8"])["error"]["message"]
    assert told.endswith("If another hand was entered wrong, correct that one.")
    bens = {"do": "hand", "player": "Ben", "cards": []}
    talk.ok("correct", at=0, request=bens)
    assert talk.events == [{"type": "request_corrected", "at": 0, "request": bens}]
    talk.ok("hand", player="Ann", cards=["8"])
    assert talk.column("points") == [8, 0, 29]


def test_one_undo_takes_it_back_and_a_redo_makes_it_again(talk):
    talk.ok("correct", at=1, request=None)
    assert {"do": "hand", "player": "Cy"} in talk.view["waiting_for"]
    after = talk.view
    talk.ok("undo")
    assert {"do": "hand", "player": "Cy"} not in talk.view["waiting_for"]
    talk.ok("redo")
    assert talk.view == after


def test_a_correction_is_in_the_log_before_the_answer_and_a_restart_brings_it_back(talk):
    setup, kept = talk.referee.session.setup, []
    live = Session(GAME, setup, kept.append)
    for request in talk.referee.session.list_acts():
        live.act(request.request)
    live.correct_act(0, Hand("Ben", ()))
    again = replayed(GAME, setup, kept)
    assert again.view() == live.view()
    again.undo()
    live.undo()
    assert again.view() == live.view() == talk.view


def test_what_cannot_be_is_refused_and_changes_nothing(talk):
    ben = {"do": "hand", "player": "Ben", "cards": []}
    assert error(talk, 2, ben) == "nothing_to_undo: There is no entry 2 to correct."
    assert error(talk, -1, ben) == "nothing_to_undo: There is no entry -1 to correct."
    assert error(talk, 0, ben | {"card": 1}).startswith("bad_request")
    assert error(talk, 0, {"do": "undo"}).startswith("bad_request")
    assert error(talk, 0, 7).startswith("bad_request")
    assert error(talk, 0, ben | {"player": "Zoe"}).startswith("unknown_player")
    told = error(talk, 0, {"do": "hand", "player": "Cy", "cards": []})
    assert told.startswith("already_done: After this, entry 1 is no longer possible: Cy")


def test_a_donkey_that_was_drawn_is_not_drawn_anew_when_an_earlier_round_is_put_right():
    talk = Talk("donkey_valley", NAMES, donkey_copies={"normal": 10, "giant": 10})
    talk.ok("draw_donkey")
    drawn = talk.view["donkey"]
    other = {"normal": "giant", "giant": "normal"}[drawn]
    for name in NAMES:
        talk.ok("load", player=name)
    talk.ok("correct", at=0, request={"do": "donkey", "type": other})
    assert (talk.view["donkey"], talk.view["phase"]) == (other, "favours")
