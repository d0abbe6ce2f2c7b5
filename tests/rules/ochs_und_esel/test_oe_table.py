"""What the readers' claims mean in Ochs & Esel."""

import pytest

from companion.games.ochs_und_esel import GAME
from companion.games.ochs_und_esel.moves import Hand, Pass, Play
from companion.rules.contract import Claim, Doubt, Proposal
from companion.rules.session import Session
from tests.correcting import correct
from tests.rules.talk import setup_of


def a_session(**options):
    return Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"], **options))


def laid(seat, *cards, start=1):
    return [Claim(start + number, f"oe:{card}", f"seat:{seat}") for number, card in enumerate(cards)]


def read(session, *claims):
    return list(GAME.interpret_claims(session.state, claims))


def button(number, seat, which):
    return Claim(number, f"button:{which}", f"seat:{seat}")


def test_a_lead_may_still_grow_until_the_button_says_that_it_is_complete():
    session = a_session()
    assert read(session, *laid(1, "7")) == [Proposal(Play("Ann", ("7",)), (1,), growing=True)]
    assert read(session, *laid(1, "7", "joker"), button(9, 1, "accept")) == [
        Proposal(Play("Ann", ("7", "joker")), (1, 2, 9))
    ]


def test_an_animal_is_led_alone_so_it_cannot_grow():
    assert read(a_session(), *laid(1, "donkey")) == [Proposal(Play("Ann", ("donkey",)), (1,))]


def test_a_follower_s_play_is_read_when_it_is_as_large_as_the_lead():
    session = a_session()
    session.act(Play("Ann", ("4", "4")))
    assert read(session, *laid(2, "5")) == []
    assert read(session, *laid(2, "5", "5")) == [Proposal(Play("Ben", ("5", "5")), (1, 2))]
    [doubt] = read(session, *laid(2, "5", "5", "5"))
    assert isinstance(doubt, Doubt)
    assert (doubt.clause, doubt.about) == ("OE-4", (1, 2, 3))


def test_a_play_that_the_rules_refuse_is_proposed_so_that_the_table_hears_why():
    session = a_session()
    session.act(Play("Ann", ("4",)))
    assert read(session, *laid(2, "3")) == [Proposal(Play("Ben", ("3",)), (1,))]


def test_cards_laid_before_the_turn_wait_for_it():
    session = a_session()
    session.act(Play("Ann", ("4",)))
    assert read(session, *laid(3, "9")) == []
    session.act(Pass("Ben"))
    assert read(session, *laid(3, "9")) == [Proposal(Play("Cy", ("9",)), (1,))]


def test_cards_in_the_middle_belong_to_whose_turn_it_is():
    session = a_session()
    assert read(session, Claim(3, "oe:2", "middle")) == [Proposal(Play("Ann", ("2",)), (3,), growing=True)]


def test_the_refuse_button_passes():
    session = a_session()
    session.act(Play("Ann", ("4",)))
    assert read(session, button(1, 2, "refuse")) == [Proposal(Pass("Ben"), (1,))]
    assert read(session, button(1, 3, "refuse")) == []


def test_a_card_laid_after_the_act_is_asked_about():
    session = a_session()
    session.act(Play("Ann", ("4", "4")))
    [doubt] = read(session, *laid(1, "4"))
    assert (doubt.text.code, doubt.about) == ("doubt.acted_already", (1,))


def test_animals_that_wait_in_the_middle_mean_nothing():
    session = a_session(ox=True)
    assert read(session, Claim(1, "oe:donkey", "middle"), Claim(2, "oe:ox", "middle")) == []


def test_an_animal_that_is_elsewhere_is_asked_about():
    session = a_session()
    session.act(Play("Ann", ("4",)))
    [doubt] = read(session, *laid(2, "donkey"))
    assert (doubt.clause, doubt.text.code) == ("OE-7", "doubt.animal_elsewhere")


def test_a_ninth_card_of_a_value_is_asked_about():
    session = a_session()
    for _ in range(2):
        session.act(Play("Ann", ("4",) * 4))
        session.act(Pass("Ben"))
        session.act(Pass("Cy"))
    [doubt] = read(session, *laid(1, "4"))
    assert (doubt.clause, doubt.about) == ("OE-1", (1,))


@pytest.mark.parametrize("card", ["dtc:4", "oe:14", "decktet:castle"])
def test_a_card_of_another_game_is_asked_about(card):
    [doubt] = read(a_session(), Claim(4, card, "seat:2"))
    assert doubt.text.code == "doubt.foreign_card"


def test_face_down_cards_mean_nothing():
    assert read(a_session(), Claim(4, None, "seat:1", "down")) == []


@pytest.fixture
def counting():
    session = a_session(deal=2)
    session.act(Play("Ann", ("1",)))
    session.act(Play("Ben", ("2",)))
    session.act(Pass("Cy"))
    session.act(Play("Ben", ("3",)))
    session.act(Pass("Cy"))
    session.act(Pass("Ann"))
    assert session.state.phase == "hands"
    return session


def test_hands_are_read_when_all_that_is_left_lies_there(counting):
    claims = [*laid(1, "7", "donkey"), *laid(3, "joker", start=11)]
    assert read(counting, *claims) == [Proposal(Hand("Ann", ("7", "donkey")), (1, 2))]
    claims += laid(3, "13", start=12)
    assert read(counting, *claims) == [
        Proposal(Hand("Ann", ("7", "donkey")), (1, 2)),
        Proposal(Hand("Cy", ("joker", "13")), (11, 12)),
    ]


def test_more_cards_than_are_left_are_asked_about_and_fewer_wait_for_the_button(counting):
    [doubt] = read(counting, *laid(3, "7", "8", "9"))
    assert (doubt.clause, doubt.about) == ("OE-9", (1, 2, 3))
    assert read(counting, *laid(3, "7"), button(5, 3, "accept")) == [Proposal(Hand("Cy", ("7",)), (1, 5))]


def test_after_a_play_the_layout_tells_where_it_lies():
    session = a_session()
    session.act(Play("Ann", ("4", "joker")))
    assert GAME.layout_cards(session.state) == {
        "seat:1 hand": ("oe:donkey",),
        "seat:1 up": ("oe:4", "oe:joker"),
    }


def test_when_time_is_up_a_pass_is_made_where_one_may_pass():
    session = a_session()
    assert GAME.default_request(session.state) is None
    session.act(Play("Ann", ("donkey",)))
    assert GAME.default_request(session.state) is None
    session.undo()
    session.act(Play("Ann", ("4",)))
    assert GAME.default_request(session.state) == Pass("Ben")


def test_a_misread_play_can_be_corrected_and_what_follows_is_judged_anew():
    session = a_session()
    for request in [Play("Ann", ("4",)), Play("Ben", ("6",)), Play("Cy", ("8",)), Play("Cy", ("1",))]:
        session.act(request)
    before = GAME.layout_cards(session.state)
    assert (before["aside"], before["seat:3 up"]) == (("oe:4", "oe:6", "oe:8"), ("oe:1",))
    fallen = correct(session, 1, Play("Ben", ("9",))).dropped_acts
    assert [(act.number, act.reason.code) for act in fallen] == [(2, "too_low"), (3, "too_low")]
    assert GAME.layout_cards(session.state) == {
        "seat:1 hand": ("oe:donkey",),
        "seat:1 up": ("oe:4",),
        "seat:2 up": ("oe:9",),
    }


@pytest.mark.parametrize(("cy", "code"), [("7", "trick.donkey_equal"), ("6", "trick.donkey")])
def test_the_report_says_that_the_last_of_equals_took_the_trick_only_where_cards_were_equal(cy, code):
    session = a_session()
    for name, card in [("Ann", "donkey"), ("Ben", "7"), ("Cy", cy)]:
        session.act(Play(name, (card,)))
    [reason] = GAME.explain_round(session.state)
    assert (reason.text.code, reason.clauses) == (code, ("OE-7",))
