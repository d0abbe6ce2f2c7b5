"""Undo and correction at the table: what changes, and which real cards are to be moved."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.live.corrections import Correction
from companion.live.snapshot import CardMove
from companion.rules.contract import Choice, Doubt, Proposal, Text, refuse
from companion.rules.session import Session
from tests.correcting import correct_live, left_out
from tests.live.seats import Seats, says
from tests.toy import CardShown, Lay, RoundWon, Show, Toy, toy_setup


def test_nothing_to_undo_is_said(seats):
    assert seats.live.undo().code == "nothing_to_undo"
    assert seats.live.redo().code == "nothing_to_undo"
    assert seats.live.list_choices_at(3) == ()
    assert seats.live.list_choices("Zoe") == ()
    assert seats.live.explain_points("Zoe") == ()
    seats.live.answer_question(99, 0)
    assert not seats.live.snapshot().can_undo


def _ann_shows_a_three(seats):
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    seats.lay(1, "toy:3")
    seats.later()


def test_an_undo_marks_the_line_and_names_the_cards_to_move(seats):
    _ann_shows_a_three(seats)
    seats.live.undo()
    seen = seats.live.snapshot()
    assert seen.last == Text("live.undone", {"what": Text("toy.shown", {"player": "Ann", "value": 3})})
    assert says(seen) == [(0, "live.act_of", True), (1, "live.act_of", True), (2, "toy.shown", False)]
    assert seen.moves == (CardMove("toy:3", "seat:1 up", None),)
    assert (seen.can_undo, seen.can_redo) == (True, True)
    seats.live.redo()
    seen = seats.live.snapshot()
    assert seen.moves == ()
    assert says(seen)[-1] == (2, "toy.shown", True)


def test_cards_that_are_being_put_right_are_no_moves_of_the_game(seats):
    _ann_shows_a_three(seats)
    seats.live.undo()
    put_back = seats.lay(2, "toy:9")
    seats.later()
    seats.lay(1, "toy:8")
    seats.live.tick(seats.now)  # this card is laid, and not yet read for long enough to be believed
    seats.live.confirm_moves()
    seen = seats.later(3)
    assert [row["player"] for row in seen.view["waiting_for"]] == ["Ann", "Ben"]
    assert seen.moves == ()
    seats.take(put_back)
    seats.later()
    seats.lay(2, "toy:9")
    assert [row["player"] for row in seats.later().view["waiting_for"]] == ["Ann"]


def test_a_card_laid_right_after_the_confirmation_counts(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit_request(request)
    seats.live.undo()
    seats.live.confirm_moves()
    seats.later(0.1)
    seats.lay(2, "toy:9")
    assert [row["player"] for row in seats.later().view["waiting_for"]] == ["Ann"]


def test_nothing_is_listened_to_while_the_table_is_held(seats):
    seats.live.hold_play()
    seats.lay(1)
    seats.later()
    assert seats.live.list_acts() == []
    seats.live.confirm_moves()
    seats.later(0.1)
    seats.lay(2)
    seats.later()
    assert [act.request for act in seats.live.list_acts()] == [Lay("Ben")]


def test_a_correction_recomputes_and_names_the_cards_to_move(seats):
    _ann_shows_a_three(seats)
    correct_live(seats.live, 2, Show("Ann", 8))
    seen = seats.live.snapshot()
    assert seen.moves == (CardMove("toy:3", "seat:1 up", None), CardMove("toy:8", None, "seat:1 up"))
    assert [(line.act, line.text.args.get("value"), line.stands) for line in seen.log[2:]] == [
        (2, 3, False),
        (2, 8, True),
    ]
    assert seen.last.code == "live.corrected"
    seats.live.undo()
    assert seats.live.snapshot().last.code == "live.correction_undo"
    assert seats.live.snapshot().moves == ()
    seats.live.redo()
    assert seats.live.snapshot().last.code == "live.correction_redo"


def test_a_correction_says_which_later_acts_no_longer_fit(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
        seats.live.submit_request(request)
    draft = left_out(seats.live.draft_correction(0, None))
    assert [(fallen.number, fallen.reason.code) for fallen in draft.dropped_acts] == [
        (2, "wrong_phase"),
        (3, "wrong_phase"),
    ]
    assert seats.live.apply_correction(draft) is None
    seen = seats.live.snapshot()
    assert seen.last.code == "live.taken_out"
    assert [row["player"] for row in seen.view["waiting_for"]] == ["Ann"]


def test_what_could_have_been_entered_instead_is_that_of_the_moment(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
        seats.live.submit_request(request)
    assert [choice.request for choice in seats.live.list_choices_at(2)] == [
        Show("Ann", v) for v in range(1, 10)
    ]
    assert [choice.request for choice in seats.live.list_choices_at(1)] == [Lay("Ben")]
    assert [choice.request for choice in seats.live.list_choices(None)] == [Lay("Ann"), Lay("Ben")]


class NoNeighbours(Toy):
    """No card may be shown that is one more or less than one that lies there."""

    def decide(self, state, request):
        near = isinstance(request, Show) and any(
            abs(request.value - one) == 1 for one in state.shown.values()
        )
        return refuse("bad_value", "TOY-3", message="game_over") if near else super().decide(state, request)


def test_each_player_whose_later_act_no_longer_fits_is_asked_again_in_turn():
    session = Session(NoNeighbours(), toy_setup("Ann", "Ben", "Cleo", "Dan"))
    shows = [Show("Ann", 1), Show("Ben", 4), Show("Cleo", 6), Show("Dan", 9)]
    for request in (*map(Lay, session.setup.players), *shows, Lay("Ben")):
        session.act(request)
    draft = Correction(session, 4, Show("Ann", 5))
    assert (draft.pending_act.number, draft.pending_act.request, draft.pending_act.reason.code) == (
        5,
        shows[1],
        "bad_value",
    )
    assert draft.requests == [Show("Ann", 5), Show("Dan", 9)], "who still can goes first"
    assert {choice.request.player for choice in draft.pending_act.choices} == {"Ben"}
    assert draft.answer_pending_act(Show("Ben", 8)).code == "bad_value"
    assert draft.answer_pending_act(Show("Ben", 2)) is None
    assert (draft.pending_act.number, draft.pending_act.request) == (6, shows[2])
    assert draft.answer_pending_act(Show("Cleo", 5)) is None
    assert (draft.pending_act, draft.dropped_acts) == (None, [])
    assert session.replace_acts(draft.at, draft.requests) is None
    assert [act.request for act in session.list_acts()[4:]] == draft.requests
    assert session.state.shown == {}
    assert session.state.laid == {"Ben": ()}
    assert [(row.before, row.after) for row in draft.compare_points()] == [(0, 0)] * 3 + [(9, 9)]


class Nine(Toy):
    """A nine ends its round at once, or with `ends` the game."""

    ends = False

    def evolve(self, state, event):
        after = super().evolve(state, event)
        if not (isinstance(event, CardShown) and event.value == 9):
            return after
        return replace(after, phase="game_over") if self.ends else RoundWon((event.player,), 9).apply(after)


class Last(Nine):
    ends = True


ROUND = (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4))


@pytest.mark.parametrize(
    ("game", "dropped", "left"),
    [
        (Nine(), [(3, "wrong_phase")], [Show("Ann", 9), Lay("Ben"), Lay("Ann")]),
        (Last(), [(3, "game_over"), (4, "game_over"), (5, "game_over")], [Show("Ann", 9)]),
    ],
)
def test_acts_that_a_correction_leaves_no_room_for_are_dropped_without_a_question(game, dropped, left):
    session = Session(game, toy_setup("Ann", "Ben"))
    for request in (*ROUND, Lay("Ben"), Lay("Ann")):
        session.act(request)
    draft = Correction(session, 2, Show("Ann", 9))
    assert [(one.number, one.reason.code) for one in draft.dropped_acts] == dropped
    assert (draft.pending_act, draft.requests) == (None, left)
    assert draft.answer_pending_act(None) is None


def test_what_a_correction_lacks_is_asked_for_with_the_words_of_the_first_act_that_waits_for_it():
    session = Session(Toy(), toy_setup("Ann", "Ben"))
    for request in (*ROUND, Lay("Ann")):
        session.act(request)
    draft = Correction(session, 1, None)
    asked = draft.pending_act
    assert (asked.number, asked.request, asked.old.args) == (None, None, {"player": "Ann", "value": 3})
    assert (asked.reason.code, asked.awaited) == ("wrong_phase", Text("toy.awaited", {"players": ("Ben",)}))
    assert [choice.request for choice in asked.choices] == [Lay("Ben")]
    assert draft.answer_pending_act(Lay("Ben")) is None
    assert (draft.pending_act, draft.requests) == (None, [Lay("Ben"), *ROUND[2:], Lay("Ann")])


def test_an_act_can_be_put_in_before_another(seats):
    for request in ROUND[1:2]:
        seats.live.submit_request(request)
    draft = seats.live.draft_correction(0, Lay("Ann"), insert=True)
    assert draft.requests == [Lay("Ann"), Lay("Ben")]
    assert seats.live.draft_correction(0, Lay("Ann")).requests == [Lay("Ann")]


class Free(NoNeighbours):
    """Cards may be laid at any time, too, by the menu."""

    def list_choices(self, state, player):
        return [
            Choice(Text("toy.lay", {"player": player}), Lay(player)),
            *super().list_choices(state, player),
        ]


def test_what_may_be_entered_again_begins_with_the_kind_that_it_was():
    session = Session(Free(), toy_setup("Ann", "Ben"))
    for request in ROUND[:2]:
        session.act(request)
    for request in (Show("Ann", 3), Show("Ben", 6)):
        session.act(request)
    asked = Correction(session, 2, Show("Ann", 5)).pending_act
    assert [type(choice.request) for choice in asked.choices] == [Show] * 9 + [Lay]
    assert asked.number == 3


class Asking(Toy):
    """A card shown is asked about, with one answer; `growing`: or waited for."""

    growing = False

    def interpret_claims(self, state, claims):
        there = [claim for claim in claims if claim.what and state.phase == "show" and not state.shown]
        if self.growing:
            return [Proposal(Show("Ann", 3), (claim.id,), growing=True) for claim in there]
        answer = Choice(Text("toy.show", {"value": 3}), Show("Ann", 3))
        return [Doubt(Text("toy.whose", {"value": 3}), (claim.id,), "TOY-6", (answer,)) for claim in there]


class Waiting(Asking):
    growing = True


@pytest.mark.parametrize("way", ["answered", "entered", "entered while it is waited for", "entered unseen"])
def test_what_a_reader_saw_is_to_be_moved_however_it_was_entered(way):
    seats = Seats("Ann", "Ben", game=Waiting() if "waited" in way else Asking())
    for request in ROUND[:2]:
        seats.live.submit_request(request)
    if way != "entered unseen":
        seats.lay(1, "toy:3")
    questions = seats.later(1.2 if "waited" in way else 3).questions
    assert len(questions) == (way in ("answered", "entered"))
    if way == "answered":
        seats.live.answer_question(questions[0].id, 0)
    else:
        assert seats.live.submit_request(Show("Ann", 3)) is None
    assert seats.live.snapshot().questions == ()
    assert [act.request for act in seats.live.list_acts()[2:]] == [Show("Ann", 3)]
    seats.live.undo()
    seen = seats.live.snapshot()
    move = CardMove("toy:3", "seat:1 up", None)
    assert (seen.moves, seen.unasked) == (((), (move,)) if way == "entered unseen" else ((move,), ()))


def test_each_act_is_found_by_its_number_and_no_other_is(seats):
    for request in ROUND[:3]:
        seats.live.submit_request(request)
    live, far = seats.live, (-1, 0, 1, 2, 3)
    assert [live.find_request_at(at) for at in far] == [None, *ROUND[:3], None]
    assert [[one.request for one in live.list_choices_at(at)] for at in far[:3]] == [
        [],
        [Lay("Ann")],
        [Lay("Ben")],
    ]
    assert [len(live.list_choices_at(at)) for at in far[3:]] == [9, 0]
    assert [live.list_values_shown_elsewhere(at) for at in far] == [()] * 5
    before = [(player, choice.request) for player, choice in live.list_choices_before(1)]
    assert before == [(None, Lay("Ben")), ("Ben", Lay("Ben"))]
