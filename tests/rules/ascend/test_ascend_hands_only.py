"""Ascend of which only the end of each hand is told (AS-22)."""

import pytest

from companion.games.ascend import GAME
from companion.games.ascend.moves import Out, Promised
from companion.rules.contract import Claim, Proposal
from tests.rules.ascend.ascend_talk import FOUR, THREE
from tests.rules.talk import Talk, setup_of


def told_table(players=THREE, **options):
    return Talk("ascend", players, hands_only=True, **options)


def out(talk, *players):
    for player in players:
        talk.ok("out", player=player)
    return talk.view


def test_a_hand_waits_for_who_goes_out_and_for_a_promise_where_there_are_any():
    talk = told_table()
    assert talk.waiting == ["out Ann", "out Ben", "out Cy"]
    out(talk, "Ben")
    assert talk.waiting == ["out Ann", "out Cy"]
    talk = told_table(bidding=True)
    assert talk.waiting[:3] == ["out Ann", "promised Ann", "out Ben"]
    assert (talk.view["phase"], talk.view["leader"]) == ("hands", "Ann")
    assert talk.refused("exchanged") == "wrong_phase AS-2"
    assert talk.refused("play", player="Ann", cards=["castle"]) == "wrong_phase AS-2"


@pytest.mark.parametrize(
    ("players", "order", "points"),
    [(THREE, ("Cy", "Ann"), [4, 0, 9]), (FOUR, ("Dee", "Ben", "Ann"), [2, 4, 0, 7])],
)
def test_the_places_score_as_ever_and_the_next_hand_begins(players, order, points):
    talk = told_table(players)
    view = out(talk, *order)
    assert talk.column("points") == points
    assert (view["hand_number"], view["leader"], view["order_out"]) == (2, "Ben", [])
    assert [row["points"] for row in talk.explained("Ann")] == [points[0]]


def test_a_player_is_out_once():
    talk = told_table()
    out(talk, "Cy")
    assert talk.column("hand") == [15, 15, 0]
    assert talk.refused("out", player="Cy") == "already_done AS-22"
    assert talk.refused("out", player="Zoe") == "unknown_player"


@pytest.mark.parametrize(("first", "points"), [("Ben", [4, 8 + 6, 0]), ("Cy", [4 + 3, 0, 8 + 3])])
def test_a_promise_is_kept_or_broken(first, points):
    talk = told_table(bidding=True)
    talk.ok("promised", player="Ben", worth=6)
    assert talk.view["promise"] == {"player": "Ben", "worth": 6}
    out(talk, first, "Ann")
    assert talk.column("points") == points


def test_what_cannot_have_been_promised_is_refused():
    assert told_table().refused("promised", player="Ben", worth=3) == "no_promise AS-30"
    talk = told_table(bidding=True)
    for worth in (0, -1, 15, 10**9):
        assert talk.refused("promised", player="Ben", worth=worth) == "bad_count AS-30"
    talk.ok("promised", player="Ben", worth=14)
    assert talk.refused("promised", player="Ann", worth=1) == "no_promise AS-30"
    talk = told_table(bidding=True)
    out(talk, "Cy")
    assert talk.refused("promised", player="Ben", worth=1) == "no_promise AS-30"


def test_the_game_ends_at_the_target():
    talk = told_table(target=9)
    assert out(talk, "Cy", "Ann")["result"]["winners"] == ["Cy"]


def test_one_key_says_that_a_player_is_out_three_tell_a_promise():
    state = GAME.start(setup_of(GAME, THREE, hands_only=True, bidding=True))
    keys = {choice.key: choice.request for choice in GAME.list_choices(state, "Ben")}
    assert (keys["o"], keys["b07"]) == (Out("Ben"), Promised("Ben", 7))
    assert len(keys) == 1 + 14
    assert GAME.list_choices(state, None) == []


def test_a_seats_accept_button_says_that_its_player_is_out():
    state = GAME.start(setup_of(GAME, THREE, hands_only=True))
    press = Claim(1, "button:accept", "seat:2", "up")
    assert GAME.interpret_claims(state, [press]) == [Proposal(Out("Ben"), (1,))]
    assert GAME.interpret_claims(state, [Claim(1, "decktet:castle", "middle", "up")]) == []
