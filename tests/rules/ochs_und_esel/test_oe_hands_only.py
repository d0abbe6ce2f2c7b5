"""Ochs & Esel of which only the end of each hand is told (OE-12)."""

import pytest

from companion.games.ochs_und_esel import GAME
from companion.games.ochs_und_esel.moves import Hand
from companion.games.ochs_und_esel.player import Players
from companion.rules.contract import Claim, Proposal, Refusal
from companion.rules.session import Session
from tests.rules.ochs_und_esel.test_oe_rounds import play
from tests.rules.talk import Talk, setup_of


def told_table(players=("Ann", "Ben", "Cy"), **options):
    return Talk("ochs_und_esel", list(players), hands_only=True, **options)


def refused(talk, said):
    """`Ann: 5 donkey` tells what is left; `pile Ann: ox 3` the ox trick in front of Ann."""
    who, _, cards = said.partition(":")
    do, player = ("pile", who.removeprefix("pile ")) if who.startswith("pile ") else ("hand", who)
    return talk.refused(do, player=player, cards=cards.split())


def test_a_hand_begins_with_what_is_left_of_it():
    talk = told_table()
    assert (talk.view["phase"], talk.view["hand_number"], talk.view["leader"]) == ("hands", 1, "Ann")
    assert talk.waiting == ["hand Ann", "hand Ben", "hand Cy"]
    assert talk.refused("play", player="Ann", cards=["5"]) == "wrong_phase"


def test_cards_left_cost_what_they_always_cost_and_the_donkey_leads():
    talk = told_table()
    play(talk, "Ann:", "Ben: 5 joker", "Cy: donkey 13")
    assert talk.column("points") == [0, 19, 33]
    assert (talk.view["hand_number"], talk.view["leader"], talk.view["donkey"]) == (2, "Cy", "Cy")
    assert talk.waiting == ["hand Ann", "hand Ben", "hand Cy"]
    assert [reason["points"] for reason in talk.explained("Cy")][:1] == [33]


def test_after_the_last_hand_the_fewest_points_win():
    talk = told_table(rounds=1)
    play(talk, "Ann:", "Ben: 1", "Cy: donkey")
    assert talk.view["phase"] == "game_over"
    assert talk.view["result"]["winners"] == ["Ann"]
    assert talk.view["leader"] == "Cy"


@pytest.mark.parametrize(
    ("before", "said", "code"),
    [
        (["Ann: 5", "Ben: donkey"], "Cy: 7", "bad_count OE-9"),  # nobody is out
        (["Ann:", "Ben: 5"], "Cy: 7", "not_holding OE-9"),  # nobody has the donkey
        (["Ann: 5"], "Ben: 7", "not_holding OE-9"),  # Cy cannot be out and hold it
        (["Ann: donkey"], "Ben: donkey", "impossible_cards OE-1"),
        ([], "Ann: ox", "not_holding OE-20"),
        ([], "Ann: 9 9 9 9 9 9 9 9 9", "impossible_cards OE-1"),
        (["Ann: 9 9 9 9 9"], "Ben: 9 9 9 9", "impossible_cards OE-1"),
        ([], "Ann: zebra", "unknown_card OE-1"),
        (["Ann: 5"], "Ann: 5", "already_done OE-9"),
        ([], "pile Ann: ox 5 6", "wrong_phase"),
    ],
)
def test_what_cannot_be_left_is_refused(before, said, code):
    talk = told_table()
    play(talk, *before)
    assert refused(talk, said) == code


def test_no_more_can_be_left_than_was_dealt():
    talk = told_table(deal=1)
    play(talk, "Ann: donkey 7 8")  # a donkey trick brings the others' cards
    assert refused(talk, "Ben: 1 2") == "bad_count OE-2"
    play(talk, "Ben: 1")


def test_an_ox_in_no_hand_was_led_and_lies_in_front_of_somebody():
    talk = told_table(ox=True)
    play(talk, "Ann:", "Ben: donkey", "Cy: 4")
    assert talk.waiting == ["pile Ann", "pile Ben", "pile Cy"]
    assert talk.column("points") == [0, 0, 0]
    assert refused(talk, "Ann: 5") == "already_done OE-9"
    assert refused(talk, "pile Cy: 7 8") == "not_holding OE-21"
    assert refused(talk, "pile Cy: ox") == "bad_count OE-21"
    assert refused(talk, "pile Cy: ox 7 8 9") == "bad_count OE-21"
    talk.ok("pile", player="Ann", cards=["ox", "7", "joker"])
    assert talk.column("points") == [8, 20, 4]
    assert talk.view["leader"] == "Ben"


def test_an_ox_in_hand_was_not_led():
    talk = told_table(ox=True, rounds=1)
    play(talk, "Ann:", "Ben: donkey", "Cy: ox")
    assert talk.column("points") == [0, 20, 15]


def test_with_the_donkey_still_in_the_middle_who_took_the_ox_leads():
    talk = told_table(ox=True, deal=2, rounds=2)
    play(talk, "Ann:", "Ben: 3 4", "Cy: ox")
    assert talk.column("points") == [0, 7, 15]
    assert (talk.view["leader"], talk.view["donkey"]) == ("Cy", "middle")


def test_a_hand_of_thirteen_is_not_over_in_one_trick_so_somebody_holds_the_donkey():
    talk = told_table(ox=True)
    play(talk, "Ann:", "Ben: 3 4")
    assert refused(talk, "Cy: ox") == "not_holding OE-9"


def test_accept_tells_what_lies_before_a_player_and_cards_alone_tell_nothing():
    session = Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"], hands_only=True))
    cards = [Claim(1, "oe:5", "seat:2"), Claim(2, "oe:donkey", "seat:2")]
    assert list(GAME.interpret_claims(session.state, cards)) == []
    pressed = [*cards, Claim(3, "button:accept", "seat:2"), Claim(4, "button:accept", "seat:3")]
    assert list(GAME.interpret_claims(session.state, pressed)) == [
        Proposal(Hand("Ben", ("5", "donkey")), (1, 2, 3)),
        Proposal(Hand("Cy", ()), (4,)),
    ]


@pytest.mark.parametrize(("count", "ox", "deal"), [(4, False, None), (5, True, None), (3, True, 1)])
def test_points_and_leader_are_those_of_the_same_hands_told_trick_by_trick(count, ox, deal):
    for seed in range(3):
        setup = setup_of(GAME, list("ABCDE")[:count], seed, ox=ox, deal=deal, rounds=3, hands_only=True)
        players, session = Players(setup), Session(GAME, setup)
        wanted, hand = dict.fromkeys(setup.players, 0), 0
        while (deed := players.next_action(session.list_acts(), session.view())) is not None:
            view = session.view()
            if view["hand_number"] > hand:
                hand = view["hand_number"]
                played = players.finish_unseen_hand(hand, view["leader"])
                wanted = {name: points + played.penalties[name] for name, points in wanted.items()}
            assert not isinstance(session.act(deed.request), Refusal)
        assert {row["name"]: row["points"] for row in session.view()["players"]} == wanted
        assert session.view()["leader"] == played.leader
