"""What the table is asked, and what its answers do."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import pytest

from companion.live.table_listener import OpenQuestions, TableListener
from companion.rules.contract import Choice, Doubt, Proposal, Text
from companion.table.table import Table
from companion.table.timeouts import IDLE_TIMEOUT
from tests.live.seats import CARDS, DECK
from tests.toy import Lay, Show, Toy


def test_a_card_of_nobody_is_asked_about_once_and_the_answer_counts(seats):
    deck_of_colours = seats.table.identifier.deck
    seats.table.identifier.find_owner_seat = lambda reading: None if reading.card == "toy:9" else 1
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    seats.lay(1, "toy:9")
    assert seats.later().questions == ()  # another card may be on its way that explains it
    assert seats.live.next_due_time(seats.now) < seats.now + 1.5
    (question,) = seats.later().questions
    assert (question.text.code, question.clause) == ("toy.whose", "TOY-6")
    assert [choice.request.card for choice in question.choices] == list(deck_of_colours.card_counts)
    seats.live.answer_question(question.id, 99)
    assert seats.live.snapshot().questions == (question,)
    seats.live.answer_question(question.id, CARDS.index("toy:6"))
    seats.later()
    assert seats.live.snapshot().questions == ()
    seats.live.submit_request(Show("Ben", 5))
    assert seats.points == [6, 0]


def test_a_question_put_aside_does_not_come_back_until_the_card_is_laid_again(seats):
    seats.table.identifier.find_owner_seat = lambda _reading: None
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    lying = seats.lay(1, "toy:9")
    (question,) = seats.later(2).questions
    seats.live.answer_question(question.id, None)
    assert seats.later(5).questions == ()
    seats.take(lying)
    seats.later()
    seats.lay(1, "toy:9")
    (again,) = seats.later(2).questions
    assert again.id != question.id


def test_a_question_goes_with_its_card(seats):
    seats.table.identifier.find_owner_seat = lambda _reading: None
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    lying = seats.lay(1, "toy:9")
    (question,) = seats.later(2).questions
    seats.take(lying)
    assert seats.later().questions == ()
    seats.live.answer_question(question.id, 0)
    assert seats.live.snapshot().refusal is None


def test_two_readers_that_disagree_make_a_question_and_no_move(seats):
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    seats.lay(1, "toy:3")
    seats.lay(1, "toy:7", reader="second camera")
    seen = seats.later(3)
    (question,) = seen.questions
    assert question.text.code == "table.dispute.readers"
    assert [choice.request.card for choice in question.choices][:2] == ["toy:3", "toy:7"]
    assert len(question.choices) == len(CARDS)
    assert [row["player"] for row in seen.view["waiting_for"]] == ["Ann", "Ben"]
    seats.live.answer_question(question.id, 1)
    seats.live.submit_request(Show("Ben", 1))
    seats.later()
    assert seats.points == [7, 0]
    assert seats.live.snapshot().questions == ()


def test_a_hint_is_shown_as_long_as_it_holds(seats):
    lying = seats.lay(1, "toy:3", sure=False)
    assert seats.later(4).notice.code == "table.hint.unsure"
    seats.take(lying)
    assert seats.later().notice is None


class Reads(Toy):
    """Reads what the test says, whatever lies there."""

    def interpret_claims(self, state, claims):
        return self.readings


ANN, BEN = Lay("Ann"), Lay("Ben")


@pytest.mark.parametrize(
    "looks",
    [
        [({ANN: ()}, [ANN]), ({ANN: ()}, []), ({}, []), ({ANN: ()}, [ANN])],
        [({ANN: ()}, [ANN]), ({BEN: ()}, [BEN]), ({ANN: ()}, [ANN])],
        [({ANN: (), BEN: ()}, [ANN, BEN]), ({ANN: (), BEN: ()}, []), ({BEN: ()}, []), ({ANN: ()}, [ANN])],
        [({ANN: (), BEN: (1,)}, [ANN, BEN]), ({ANN: (), BEN: (2,)}, [BEN])],
        [({ANN: (1,), BEN: (1, 2)}, [ANN, BEN])],
        [({ANN: (1, 2), BEN: (2,)}, [ANN])],
    ],
    ids=["one", "another", "two at once", "beside a card", "a card says two things", "a card says one thing"],
)
def test_what_is_read_is_proposed_once_while_it_lasts_and_each_card_once(looks):
    """`looks`: what is read in one look after another, with the cards it uses, and what is
    proposed."""
    game = Reads()
    listener = TableListener(game, Table(DECK, {}), CARDS)
    for read, proposed in looks:
        game.readings = [Proposal(request, used) for request, used in read.items()]
        heard = islice(listener.generate_proposals(lambda: None, 100.0), 5)
        assert [proposal.request for proposal in heard] == proposed


def test_a_doubt_is_asked_once_it_has_lasted_and_again_once_it_was_over():
    questions, why = OpenQuestions(CARDS[:3]), Text("toy.whose", {"value": 3})
    doubt, mute = Doubt(why, (1,), "TOY-6"), Doubt(why, (2,), None, None)
    told = Doubt(why, (3,), None, (Choice(why, Lay("Ann")),))

    def look(now, *doubts, disputes=()):
        questions.update(doubts, disputes, now)
        return [one.id for one in questions.list_open()], questions.next_due_time(now)

    assert look(0.0, doubt) == ([], IDLE_TIMEOUT)
    assert look(IDLE_TIMEOUT - 0.1, doubt, mute) == ([], IDLE_TIMEOUT)
    assert look(IDLE_TIMEOUT, doubt, mute) == ([1], 2 * IDLE_TIMEOUT - 0.1)
    assert look(9.0, doubt, mute, told) == ([1, 2], 9.0 + IDLE_TIMEOUT)
    assert look(19.0, doubt, mute, told) == ([1, 2, 3], None)
    cards, none, own = (one.choices for one in questions.list_open())
    assert [choice.request.card for choice in cards] == [*CARDS[:3]]
    assert (none, own) == ((), told.choices)
    assert [one.about for one in questions.find_answered_by(Lay("Ann"))] == [(3,)]
    assert questions.find_answered_by(Lay("Ben")) == []
    assert questions.remove_question(1).about == (1,)
    assert questions.remove_question(1) is None
    assert look(20.0, doubt, mute, told) == ([2, 3], None), "answered"
    assert look(21.0, told) == ([3], None)
    assert look(22.0, doubt, told) == ([3], 22.0 + IDLE_TIMEOUT)
    assert look(30.0, doubt, told) == ([3, 4], None), "it has come back"


def test_a_dispute_of_readers_is_asked_at_once_with_what_they_read_at_the_top():
    questions = OpenQuestions(CARDS[:3])
    dispute = SimpleNamespace(
        id=7, text=Text("toy.whose", {"value": 3}), about=(5,), cards=(CARDS[2], CARDS[8])
    )
    questions.update((), [dispute], 1.0)
    ((one, about, number),) = (questions.remove_question(one.id) for one in questions.list_open())
    assert [choice.request.card for choice in one.choices] == [CARDS[2], CARDS[8], *CARDS[:2]]
    assert (one.clause, about, number) == (None, (5,), 7)
