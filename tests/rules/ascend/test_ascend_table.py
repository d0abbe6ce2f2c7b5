"""What the readers' claims mean in Ascend, what the menus offer, and where real cards lie."""

import pytest

from companion.games.ascend import GAME
from companion.games.ascend.moves import Exchanged, Pass, Play, Promise
from companion.rules.contract import Claim, Proposal
from companion.rules.session import Session
from tests.rules.talk import Spoken, setup_of


@pytest.fixture
def session():
    session = Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"], bidding=True))
    session.act(Exchanged())
    return session


def up(number, card, zone="middle"):
    return Claim(number, f"decktet:{card}" if ":" not in card else card, zone)


def read(session, *claims):
    return list(GAME.interpret_claims(session.state, claims))


def test_any_accept_button_says_that_cards_are_exchanged():
    session = Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"]))
    assert read(session, up(1, "castle")) == []
    assert read(session, up(2, "button:accept", "seat:3")) == [Proposal(Exchanged(), (2,))]


def test_a_lead_may_grow_until_it_lies_still_or_the_button_says_that_it_is_complete(session):
    assert read(session) == []
    cards = [up(1, "castle"), up(2, "cave", "seat:1")]
    assert read(session, cards[0]) == [Proposal(Play("Ann", ("castle",)), (1,), growing=True)]
    assert read(session, *cards) == [Proposal(Play("Ann", ("castle", "cave")), (1, 2), growing=True)]
    button = up(3, "button:accept", "seat:1")
    assert read(session, *cards, button) == [Proposal(Play("Ann", ("castle", "cave")), (1, 2, 3))]


def test_an_answer_is_complete_with_as_many_cards_as_the_last(session):
    session.act(Play("Ann", ("castle", "cave")))
    lying = [up(1, "castle"), up(2, "cave")]  # a camera that lost them sees them anew
    assert read(session, *lying) == []
    assert read(session, *lying, up(3, "mill")) == [Proposal(Play("Ben", ("mill",)), (3,), growing=True)]
    assert read(session, up(3, "mill"), up(4, "betrayal")) == [
        Proposal(Play("Ben", ("mill", "betrayal")), (3, 4))
    ]
    three = [up(3, "mill"), up(4, "betrayal"), up(5, "diplomat")]
    assert read(session, *three) == [Proposal(Play("Ben", ("mill", "betrayal", "diplomat")), (3, 4, 5))]


def test_the_refuse_button_passes(session):
    session.act(Play("Ann", ("castle",)))
    assert read(session, up(4, "button:refuse", "seat:2")) == [Proposal(Pass("Ben"), (4,))]


def test_a_pass_out_of_turn_is_refused_at_once_and_does_not_wait_for_a_turn(session):
    session.act(Play("Ann", ("castle",)))
    assert read(session, up(4, "button:refuse", "seat:3")) == [Proposal(Pass("Cy"), (4,))]
    assert session.act(Pass("Cy")).code == "not_your_turn"


def test_an_accept_button_pressed_before_the_cards_were_laid_completes_nothing(session):
    early = up(1, "button:accept", "seat:1")
    assert read(session, early, up(2, "castle")) == [Proposal(Play("Ann", ("castle",)), (2,), growing=True)]


def test_a_card_of_an_earlier_trick_is_asked_about(session):
    session.act(Play("Ann", ("castle",)))
    session.act(Pass("Ben"))
    session.act(Pass("Cy"))
    [doubt] = read(session, up(5, "castle"))
    assert (doubt.about, doubt.clause, doubt.text.code) == ((5,), "AS-1", "doubt.card_spent")


def test_cards_before_somebody_else_and_of_other_games_are_asked_about(session):
    [doubt] = read(session, up(5, "castle", "seat:3"))
    assert (doubt.about, doubt.text.code) == ((5,), "doubt.not_your_turn")
    assert [one.text.code for one in read(session, up(6, "pa:7"), up(7, "castel"))] == [
        "doubt.foreign_card"
    ] * 2
    assert read(session, up(8, "castle", "pile"), Claim(9, None, "seat:1", "down")) == []


def test_a_button_never_makes_a_promise(session):
    session.act(Play("Ann", ("castle",)))
    assert read(session, up(4, "button:accept", "seat:1")) == []
    assert Promise("Ann") in [choice.request for choice in GAME.list_choices(session.state, "Ann")]


def test_menus_pick_cards_that_are_left(session):
    [lead] = GAME.list_choices(session.state, "Ann")
    assert (lead.pick.least, lead.pick.most, len(lead.pick.cards)) == (1, 15, 45)
    session.act(Play("Ann", ("castle", "cave")))
    passing, play = GAME.list_choices(session.state, "Ben")
    assert (play.pick.least, play.pick.most, len(play.pick.cards)) == (2, 2, 43)
    assert play.with_cards(["mill", "betrayal"]) == Play("Ben", ("mill", "betrayal"))
    assert (play.key, passing.key, passing.request) == ("w", "p", Pass("Ben"))
    assert GAME.list_choices(session.state, "Cy") == GAME.list_choices(session.state, None) == []


def test_the_layout_tells_the_trick_from_what_was_played_before(session):
    session.act(Play("Ann", ("castle",)))
    session.act(Pass("Ben"))
    session.act(Pass("Cy"))
    session.act(Play("Ann", ("pact", "darkness")))
    assert GAME.layout_cards(session.state) == {
        "trick": ("decktet:darkness", "decktet:pact"),
        "played": ("decktet:castle",),
    }


def test_when_time_is_up_a_player_passes_and_nobody_leads_for_another(session):
    assert GAME.default_request(session.state) is None
    session.act(Play("Ann", ("castle",)))
    assert GAME.default_request(session.state) == Pass("Ben")


def test_the_mountain_is_announced(session):
    events = session.act(Play("Ann", ("mountain",)))
    spoken = Spoken(GAME)
    spoken.everything(GAME, session.state, events)
    assert "event.mountain" in spoken.heard


def test_every_refusal_says_what_would_beat_the_trick_in_both_languages(session):
    spoken = Spoken(GAME)
    answers = [
        ("mill",),
        ("sea", "end"),
        ("pact", "darkness"),
        ("desert", "painter", "mountain"),
        ("author", "excuse"),
        ("mill", "betrayal", "diplomat"),
    ]
    tricks = [
        [("castle",)],
        [("excuse",)],
        [("castle",), ("excuse",)],
        [("castle", "cave")],
        [("savage", "sailor", "origin")],
        [("sailor", "soldier")],
        [("sailor", "soldier", "savage")],
        [("castle", "cave"), ("soldier", "merchant")],
        [("savage", "sailor", "origin"), ("soldier", "merchant", "bard")],
        [("island", "rite"), ("huntress", "bard")],
    ]
    for trick in tricks:
        session = Session(GAME, setup_of(GAME, ["Ann", "Ben", "Cy"], bidding=True))
        session.act(Exchanged())
        for player, cards in zip(("Ann", "Ben"), trick, strict=False):
            assert isinstance(session.act(Play(player, cards)), tuple)
        name = session.state.players[session.state.turn]
        for cards in answers:
            spoken.outcome(session.decide_request(session.current_moment, Play(name, cards)))
    assert {f"needed.{one}" for one in ("single", "any_single", "after_excuse", "set", "run")} <= spoken.heard
    assert {f"needed.bomb_{one}" for one in ("any", "set", "run", "only")} <= spoken.heard
    assert {
        f"refusal.{one}" for one in ("wrong_suit", "wrong_count", "does_not_beat", "sets_and_runs")
    } <= spoken.heard
