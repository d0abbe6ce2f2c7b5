"""What the readers' claims mean in Partners, what the menus offer, and where real pawns stand."""

import pytest

from companion.games.partners import GAME
from companion.games.partners.moves import Exchanged, Fold, Moves, Play
from companion.rules.contract import Claim, Doubt, Proposal
from companion.rules.session import Session
from tests.rules.partners.positions import HOME, NAMES, board, moves, state_of
from tests.rules.talk import Spoken, setup_of

TWO_OUT = board(Ann="1:1 1:3", Bob="2:5")


@pytest.fixture
def session():
    return Session(GAME, setup_of(GAME, NAMES))


def up(number, card, zone="middle"):
    return Claim(number, card, zone)


def read(state, *claims):
    return list(GAME.interpret_claims(state, claims))


def test_the_first_card_or_any_accept_button_says_that_cards_are_exchanged(session):
    assert read(session.state) == []
    assert read(session.state, up(1, "pa:8", "seat:2")) == []
    assert read(session.state, up(1, "pa:8")) == [Proposal(Exchanged(), ())]
    assert read(session.state, up(2, "button:accept", "seat:3")) == [Proposal(Exchanged(), (2,))]


def test_a_card_with_one_legal_play_is_played_at_once(session):
    session.act(Exchanged())
    [reading] = read(session.state, up(4, "pa:heart"))
    assert reading == Proposal(Play("Ann", "heart", moves("Ann 1 start")), (4,))
    assert read(session.state, up(4, "pa:heart", "seat:1")) == [reading]
    assert read(session.state, up(4, "pa:heart", "pile")) == []


def test_of_a_card_with_several_plays_the_table_is_asked_which():
    state = state_of(TWO_OUT)
    [doubt] = read(state, up(4, "pa:6"))
    assert (doubt.about, doubt.clause, doubt.text.code) == ((4,), "PA-7", "doubt.which_play")
    assert [choice.request for choice in doubt.choices] == [
        Play("Ann", "6", moves("Ann 1 1:7")),
        Play("Ann", "6", moves("Ann 2 1:9")),
    ]


def test_a_card_of_which_all_copies_are_played_is_asked_about():
    session = Session(GAME, setup_of(GAME, NAMES, copies={"heart": 1}))
    session.act(Exchanged())
    session.act(Play("Ann", "heart", moves("Ann 1 start")))
    [doubt] = read(session.state, up(5, "pa:heart"))
    assert (doubt.about, doubt.clause, doubt.text.code) == ((5,), "PA-5", "doubt.card_spent")


def test_a_whole_hand_of_unusable_cards_is_a_fold(session):
    session.act(Exchanged())
    hand = [up(number, card) for number, card in enumerate(["pa:2", "pa:7", "pa:swap", "pa:-4"], 1)]
    [doubt] = read(session.state, *hand[:3])
    assert (doubt.about, doubt.text.code) == ((1, 2, 3), "doubt.unusable")
    assert [choice.request for choice in doubt.choices] == [Fold("Ann")]
    assert read(session.state, *hand) == [Proposal(Fold("Ann", ("2", "7", "swap", "-4")), (1, 2, 3, 4))]


def test_of_several_cards_the_usable_one_is_played(session):
    session.act(Exchanged())
    [reading] = read(session.state, up(1, "pa:2"), up(2, "pa:heart"))
    assert reading == Proposal(Play("Ann", "heart", moves("Ann 1 start")), (2,))


def test_the_refuse_button_folds_without_showing(session):
    session.act(Exchanged())
    assert read(session.state, up(3, "button:refuse", "seat:1")) == [Proposal(Fold("Ann"), (3,))]
    assert read(session.state, up(3, "button:refuse", "seat:2")) == [Proposal(Fold("Bob"), (3,))]
    assert session.act(Fold("Bob")).code == "not_your_turn"


def test_cards_before_somebody_else_and_cards_of_other_games_are_asked_about(session):
    session.act(Exchanged())
    [doubt] = read(session.state, up(3, "pa:heart", "seat:2"))
    assert (doubt.about, doubt.text.code) == ((3,), "doubt.not_your_turn")
    for card in ("dtc:4", "pa:11", "decktet:castle"):
        [doubt] = read(session.state, up(3, card))
        assert isinstance(doubt, Doubt)
        assert doubt.text.code == "doubt.foreign_card"
    assert read(session.state, Claim(4, None, "middle", "down")) == []


def test_the_keys_of_a_play_are_its_card_and_its_pawns():
    choices = {
        choice.key: choice.request for choice in GAME.list_choices(state_of(TWO_OUT), "Ann") if choice.key
    }
    assert choices["h3"] == Play("Ann", "heart", moves("Ann 3 start"))
    assert choices["61"] == Play("Ann", "6", moves("Ann 1 1:7"))
    assert choices["62"] == Play("Ann", "6", moves("Ann 2 1:9"))
    assert choices["42"] == Play("Ann", "-4", moves("Ann 2 4:13"))
    ahead = {choices[key].moves[0].to for key in ("1421", "1422")}
    assert ahead == {"1:4", "2:3"}
    assert choices["121"] == Play("Ann", "12", moves("Ann 1 1:13"))
    assert choices["f"] == Fold("Ann")
    assert len({key for key in choices if key[0] == "7"}) == len(
        GAME.answer(state_of(TWO_OUT), Moves("Ann", "7"))["moves"]
    )
    assert GAME.list_choices(state_of(TWO_OUT), "Bob") == []


def test_menus_group_the_plays_of_a_card_by_the_pawn_that_goes_first():
    menu = [choice.request for choice in GAME.list_choices(state_of(TWO_OUT), "Ann")]
    firsts = [request.moves[0].pawn for request in menu if getattr(request, "card", "") == "7"]
    assert len(set(firsts)) > 1
    assert firsts == sorted(firsts)


def test_menus_say_what_each_play_does_in_both_languages():
    spoken = Spoken(GAME)
    state = state_of(board(Ann="1:1 1:3 goal:1 4:13", Bob="1:5 1:5", Cid="1:8", Dot="start"))
    for option in ("stack", "capture"):
        spoken.everything(GAME, state_of(board(Ann="1:1 1:3", Bob="1:5"), own_pawn=option))
    spoken.everything(GAME, state)
    spoken.everything(GAME, state_of(board(Ann="goal:3"), own_pawn="capture"))
    spoken.everything(GAME, state_of(board(Ann=HOME, Cid="1:1 goal:3")))
    steps = ("moved", "moved_partner", "stays", "stays_partner", "captured", "stack", "swapped", "locked")
    assert {f"step.{step}" for step in steps} <= spoken.heard


def test_the_layout_says_where_every_real_pawn_stands():
    before, after = state_of(TWO_OUT), state_of(board(Ann="1:1 2:5"))
    assert GAME.layout_cards(before)["2:5"] == ("Bob 1",)
    assert GAME.layout_cards(after)["2:5"] == ("Ann 2",)
    assert "Bob 1" in GAME.layout_cards(after)["base"]
    assert sum(len(pawns) for pawns in GAME.layout_cards(before).values()) == 16


def test_nothing_is_harmless_enough_to_be_done_for_a_player(session):
    assert GAME.default_request(session.state) is None


@pytest.mark.parametrize(
    ("position", "card", "steps", "clauses"),
    [
        ({}, "heart", ["Ann 1 start"], [("PA-7",), ("PA-10",)]),
        ({"Ann": "1:1"}, "-4", ["Ann 1 4:11"], [("PA-7",), ("PA-14",)]),
        ({"Ann": "4:13"}, "5", ["Ann 1 goal:1"], [("PA-7",), ("PA-4", "PA-13"), ("PA-13",)]),
        ({"Ann": "1:1", "Bob": "1:8"}, "7", ["Ann 1 1:8"], [("PA-7",), ("PA-15",), ("PA-12",)]),
        ({"Ann": "1:1", "Bob": "1:8"}, "swap", ["Ann 1 1:8", "Bob 1 1:1"], [("PA-7",), ("PA-16",)]),
    ],
)
def test_the_report_says_what_the_last_card_did_and_by_which_clause(position, card, steps, clauses):
    state = state_of(board(**position))
    assert GAME.explain_round(state) == []
    _, state = GAME.decide(state, Play("Ann", card, moves(*steps)))[-1]
    assert [reason.clauses for reason in GAME.explain_round(state)] == clauses
    assert {reason.points for reason in GAME.explain_round(state)} == {0}


def test_the_report_says_where_the_option_decided():
    state = state_of(board(Ann="1:1 1:3"), own_pawn="capture")
    _, state = GAME.decide(state, Play("Ann", "2", moves("Ann 1 1:3")))[-1]
    assert GAME.explain_round(state)[-1].text.code == "report.own_captured"


def test_a_play_is_named_on_the_board_by_where_its_pawn_goes_from_and_to():
    state = state_of(board(Ann="1:1 1:3 start", Bob="2:5"))
    found = {
        one.request.card: one for one in GAME.list_choices(state, "Ann") if one.spots[:1] == (("1:1", "1:7"),)
    }
    assert found["6"].spots == (("1:1", "1:7"),)
    offered = {
        (one.request.card, *one.spots)
        for one in GAME.list_choices(state, "Ann")
        if hasattr(one.request, "card")
    }
    assert ("heart", ("base 1", "start 1")) in offered
    assert ("10", ("start 1", "1:10")) in offered
    assert ("swap", ("1:1", "2:5"), ("2:5", "1:1")) in offered, "either pawn may be tapped first"
    sevens = [one for one in GAME.list_choices(state, "Ann") if one.parts and len(one.parts.parts) == 2]
    assert all(one.spots == tuple(pair for part in one.parts.parts for pair in part.spots) for one in sevens)
