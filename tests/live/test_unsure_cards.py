"""A card that the camera is not sure of is put to the table when the game could use it, and the
answer is played and passed on."""

from __future__ import annotations

import pytest

from companion.rules.contract import Text
from tests.live.seats import CARDS, Seats
from tests.toy import Lay, Show


@pytest.fixture
def seats():
    """Two loads lie face down, and it is time to show them."""
    seats = Seats("Ann", "Ben")
    seats.said = []
    seats.live.set_card_named_callback(lambda tracks, card: seats.said.append((*tracks, card)))
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    return seats


def unsure(seats, seat, card="toy:6"):
    return seats.lay(seat, card, sure=False, candidates=(card, "toy:9"))


def number(question, card):
    return [choice.request.card for choice in question.choices].index(card)


def test_the_table_is_asked_which_card_lies_there_and_may_name_any(seats):
    unsure(seats, 1)
    assert seats.later(2).questions == ()
    (question,) = seats.later(2).questions
    assert question.text == Text("table.unsure", {"place": Text("zone.seat", {"seat": 1})})
    offered = [choice.request.card for choice in question.choices]
    assert offered[:2] == ["toy:6", "toy:9"]
    assert sorted(offered) == sorted(CARDS)


def test_the_answer_is_played_and_passed_on_to_whoever_learns(seats):
    reader, track, _ = unsure(seats, 1)
    (question,) = seats.later(5).questions
    seats.live.answer_question(question.id, number(question, "toy:8"))
    assert seats.live.list_acts()[-1].request == Show("Ann", 8)
    assert seats.said == [((reader, track), "toy:8")]
    assert seats.later(9).questions == ()


def test_put_aside_it_is_asked_no_more_and_teaches_nothing(seats):
    unsure(seats, 1)
    (question,) = seats.later(5).questions
    seats.live.answer_question(question.id, None)
    seen = seats.later(60)
    assert (seen.questions, seen.notice, seats.said) == ((), None, [])
    assert seats.live.submit_request(Show("Ann", 3)) is None


def test_the_question_goes_when_the_card_is_named_or_taken_away(seats):
    reader, track, where = unsure(seats, 1)
    other = unsure(seats, 2)
    assert len(seats.later(5).questions) == 2
    seats.take(other)
    (question,) = seats.later(0.2).questions
    seats.take((reader, track, where))
    seats.lay(1, "toy:6")
    seen = seats.later()
    assert (seen.questions, seats.live.list_acts()[-1].request) == ((), Show("Ann", 6))
    seats.live.answer_question(question.id, 0)
    assert seats.live.snapshot().refusal is None


def test_what_is_entered_by_hand_meanwhile_is_the_answer(seats):
    reader, track, _ = unsure(seats, 1)
    unsure(seats, 2)
    assert len(seats.later(5).questions) == 2
    seats.live.submit_request(Show("Ann", 9))
    (question,) = seats.later(0.2).questions
    assert question.text.args["place"] == Text("zone.seat", {"seat": 2})
    assert seats.said == [((reader, track), "toy:9")]
    seats.later(9)
    assert [act.request for act in seats.live.list_acts()][2:] == [Show("Ann", 9)]


def test_whoever_enters_it_before_the_question_comes_has_answered_it(seats):
    unsure(seats, 1)
    seats.later()
    seats.live.submit_request(Show("Ann", 6))
    seats.live.submit_request(Show("Ben", 2))
    for request in (Lay("Ann"), Lay("Ben")):
        seats.live.submit_request(request)
    assert seats.later(9).questions == ()
    assert [card for _, card in seats.said] == ["toy:6"]


def test_a_card_that_is_none_of_the_likely_ones_by_hand_is_not_taken_for_the_unsure_one(seats):
    unsure(seats, 1)
    seats.later(5)
    seats.live.submit_request(Show("Ann", 2))
    assert seats.later().questions == ()
    assert seats.said == []


def test_a_refused_entry_answers_nothing(seats):
    unsure(seats, 1)
    (question,) = seats.later(5).questions
    assert seats.live.submit_request(Lay("Ann")) is not None
    assert seats.live.snapshot().questions == (question,)


def test_nobody_is_asked_about_a_card_that_the_game_has_no_use_for(seats):
    seats.live.submit_request(Show("Ann", 3))
    unsure(seats, 1)
    seats.lay(3, "toy:6", sure=False, candidates=("toy:9",))  # nobody sits there
    seen = seats.later(9)
    assert (seen.questions, seen.notice.code) == ((), "table.hint.unsure")


def test_an_unread_card_of_the_last_round_is_not_asked_about_in_the_next(seats):
    unsure(seats, 1)
    seats.later()
    seats.live.submit_request(Show("Ann", 3))
    seats.live.submit_request(Show("Ben", 2))
    seats.later(5)
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    assert seats.later(9).questions == ()


def test_nothing_is_asked_while_the_real_cards_are_put_right(seats):
    unsure(seats, 1)
    assert seats.later(5).questions
    seats.live.hold_play()
    assert seats.later(0.2).questions == ()
    seats.live.confirm_moves()
    assert seats.later(9).questions == ()


def test_a_game_that_stumbles_over_a_supposed_card_is_not_asked_and_goes_on():
    class Clumsy(type(Seats("Ann", "Ben").live.game)):
        def interpret_claims(self, state, claims):
            if any(claim.what == "toy:6" for claim in claims):
                raise KeyError("toy:6")
            return super().interpret_claims(state, claims)

    seats = Seats("Ann", "Ben", game=Clumsy())
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    seats.lay(1, "toy:6", sure=False)
    seen = seats.later(9)
    assert (seen.questions, seen.notice.code) == ((), "table.hint.unsure")


def test_a_remark_is_shown_for_a_while_and_wakes_the_screen(seats):
    woken = []
    seats.live.set_wake_callback(lambda: woken.append(True))
    seats.live.show_remark(Text("toy.learnt"))
    assert woken == [True]
    assert seats.later(1).notice == Text("toy.learnt")
    seats.live.tick(seats.live.next_due_time(seats.now))
    assert seats.live.snapshot().notice is None
