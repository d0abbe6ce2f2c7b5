"""What the readers' claims mean in DTC."""

import pytest

from companion.games.dtc import GAME
from companion.games.dtc.moves import Accept, Challenge, Offer, Reveal
from companion.rules.contract import Claim, Doubt, Proposal
from companion.rules.session import Session
from tests.correcting import correct
from tests.rules.talk import setup_of


@pytest.fixture
def session():
    return Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"]))


def up(number, card, zone="middle"):
    return Claim(number, card, zone)


def read(session, *claims):
    return list(GAME.interpret_claims(session.state, claims))


def test_face_down_cards_and_old_ones_mean_nothing_while_an_offer_is_due(session):
    assert read(session, Claim(1, None, "seat:2", "down"), up(2, "dtc:3")) == []


def test_the_challengers_buttons_answer(session):
    session.act(Offer("Ann", 2, 3))
    assert read(session, up(5, "button:accept", "seat:2")) == [Proposal(Accept("Ben"), (5,))]
    assert read(session, up(6, "button:refuse", "seat:2")) == [Proposal(Challenge("Ben"), (6,))]
    assert read(session, up(7, "button:accept", "seat:3")) == []


def test_turning_a_card_up_is_a_challenge_and_all_cards_up_are_the_reveal(session):
    session.act(Offer("Ann", 2, 3))
    claims = [up(1, "dtc:3", "seat:2"), up(2, "dtc:joker", "seat:2")]
    assert read(session, claims[0]) == [Proposal(Challenge("Ben"), ())]
    session.act(Challenge("Ben"))
    assert read(session, claims[0]) == []
    assert read(session, *claims) == [Proposal(Reveal(("3", "joker")), (1, 2))]


def test_a_card_before_somebody_else_is_no_challenge(session):
    session.act(Offer("Ann", 2, 3))
    assert read(session, up(1, "dtc:3", "seat:3"), up(2, "dtc:3", "pile")) == []


def test_more_cards_than_were_offered_are_asked_about(session):
    session.act(Offer("Ann", 1, 3))
    session.act(Challenge("Ben"))
    [doubt] = read(session, up(1, "dtc:3"), up(2, "dtc:4"))
    assert isinstance(doubt, Doubt)
    assert (doubt.clause, doubt.about, doubt.text.code) == ("DTC-3", (1, 2), "doubt.too_many_up")


def test_a_tenth_card_of_a_value_is_asked_about(session):
    for giver, challenger in [("Ann", "Ben"), ("Ben", "Cy")]:
        session.act(Offer(giver, 4, 2))
        session.act(Challenge(challenger))
        session.act(Reveal(("2",) * 4))
    session.act(Offer("Cy", 3, 2))
    session.act(Challenge("Ann"))
    [doubt] = read(session, up(1, "dtc:2"), up(2, "dtc:2"))
    assert (doubt.clause, doubt.about) == ("DTC-1", (1, 2))


@pytest.mark.parametrize("card", ["oe:7", "dtc:7", "load:red:3", "first_player"])
def test_a_card_of_another_game_is_asked_about(session, card):
    [doubt] = read(session, up(9, card))
    assert (doubt.about, doubt.text.code) == ((9,), "doubt.foreign_card")


def test_turned_up_cards_lie_in_the_loser_s_pile(session):
    session.act(Offer("Ann", 2, 3))
    session.act(Challenge("Ben"))
    session.act(Reveal(("3", "joker")))
    assert GAME.layout_cards(session.state) == {"seat:2 penalty": ("dtc:3", "dtc:joker")}


def test_when_time_is_up_an_offer_is_challenged_and_nobody_offers_for_another(session):
    assert GAME.default_request(session.state) is None
    session.act(Offer("Ann", 2, 3))
    assert GAME.default_request(session.state) == Challenge("Ben")


def test_an_offer_is_typed_in_two_keys(session):
    keys = {choice.key: choice.request for choice in GAME.list_choices(session.state, "Ann")}
    assert keys["34"] == Offer("Ann", 3, 4)
    assert len(keys) == 36
    assert GAME.list_choices(session.state, "Ben") == []


def test_a_misread_reveal_can_be_corrected_and_tells_which_cards_change_piles(session):
    for request in [Offer("Ann", 2, 3), Challenge("Ben"), Reveal(("3", "joker")), Offer("Ben", 1, 1)]:
        session.act(request)
    assert GAME.layout_cards(session.state) == {"seat:2 penalty": ("dtc:3", "dtc:joker")}
    fallen = correct(session, 2, Reveal(("3", "4"))).dropped_acts
    assert GAME.layout_cards(session.state) == {"seat:1 penalty": ("dtc:3", "dtc:4")}
    assert [(act.number, act.reason.code) for act in fallen] == [(3, "not_your_turn")]
    session.undo()
    assert session.state.offer is not None
