"""What happens at the table becomes requests, steps and snapshots; nothing that players or readers do raises."""

from __future__ import annotations

import threading

import pytest

from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live.snapshot import Move
from companion.rules import registry
from companion.rules.contract import Proposal, Request, Text
from companion.table.sightings import Sighting
from tests.live.seats import CARDS, Seats
from tests.toy import TOY, Lay, Show, Toy, toy_setup


@pytest.fixture
def seats():
    return Seats("Ann", "Ben")


@pytest.fixture
def toy_is_installed(monkeypatch):
    monkeypatch.setattr(registry, "load", lambda game_id: {"toy": TOY}[game_id])


def says(snapshot):
    return [(line.act, line.text.code, line.stands) for line in snapshot.log]


def test_an_evening_of_real_cards_ends_with_a_winner(seats):
    seats.round(3, 4)
    seats.round(9, 1)
    seen = seats.round(2, 2)
    assert seen.view["phase"] == "game_over"
    assert seats.points == [11, 6]
    assert seen.view["result"]["winners"] == ["Ann"]
    assert seen.last.code == "live.sentences"
    assert seen.last.args["rest"].code == "toy.round"


def test_a_card_that_stays_is_played_once(seats):
    seats.lay(1)
    seats.later()
    assert seats.live.snapshot().number == 1
    seen = seats.later(5)
    assert seen.number == 1
    assert seats.phase == "lay"


def test_the_same_card_laid_again_in_the_next_round_is_played_again(seats):
    seats.round(4, 3)
    seats.round(4, 3)
    assert seats.points == [8, 0]


def test_old_cards_left_lying_mean_nothing_in_the_next_round(seats):
    seats.lay(1)
    seats.lay(2)
    seats.later()
    seats.lay(1, "toy:3")
    seats.lay(2, "toy:5")
    seats.later()
    assert (seats.phase, seats.points) == ("lay", [0, 5])
    seats.lay(1)
    seats.lay(2)
    seats.later(5)
    assert (seats.phase, seats.live.snapshot().refusal) == ("show", None)


def test_a_card_read_only_after_it_was_entered_by_hand_means_nothing_later(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit(request)
    seats.lay(1, "toy:3")
    seats.later()
    seats.live.submit(Show("Ben", 4))
    for request in (Lay("Ann"), Lay("Ben")):
        seats.live.submit(request)
    seats.later(5)
    assert [row["player"] for row in seats.live.snapshot().view["waiting_for"]] == ["Ann", "Ben"]
    seats.lay(2, "toy:6")
    seats.later()
    assert [row["player"] for row in seats.live.snapshot().view["waiting_for"]] == ["Ann"]


def test_a_refused_card_is_not_tried_again_while_it_lies_there(seats):
    tried = []

    class Strict(Toy):
        def decide(self, state, request):
            tried.append(request)
            return super().decide(state, request)

        def interpret(self, state, claims):
            return [Proposal(Show("Ann", 99), (claim.id,)) for claim in claims]

    seats = Seats("Ann", "Ben", game=Strict())
    seats.lay(1, "toy:3")
    seen = seats.later(5)
    assert seen.refusal.code == "wrong_phase"
    assert len(tried) == 1
    seats.live.submit(Lay("Ann"))
    assert seats.live.snapshot().refusal is None


def test_keys_and_cards_can_be_mixed(seats):
    assert seats.live.submit(Lay("Ann")) is None
    seats.lay(2)
    seats.later()
    assert seats.live.submit(Show("Ben", 7)) is None
    seats.lay(1, "toy:8")
    seats.later()
    assert seats.points == [8, 0]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (Show("Ann", 3), "wrong_phase"),
        (Lay("Zoe"), "unknown_player"),
        (Lay("Ann", sealed="all"), "bad_request"),
        (Lay(7), "bad_request"),
        (Lay(None), "bad_request"),
        (Show("Ann", True), "bad_request"),
        (Show("Ann", 10**40), "wrong_phase"),
        (Request(), "bad_request"),
        ("lay", "bad_request"),
        (None, "bad_request"),
    ],
)
def test_nonsense_is_refused_with_words(seats, request_, code):
    before = seats.live.snapshot()
    assert seats.live.submit(request_).code == code
    after = seats.live.snapshot()
    assert (after.refusal.code, after.view) == (code, before.view)
    assert after.number == before.number + 1


def test_nothing_to_undo_or_correct_is_said(seats):
    assert seats.live.undo().code == "nothing_to_undo"
    assert seats.live.redo().code == "nothing_to_undo"
    assert seats.live.correct(0, None).code == "nothing_to_undo"
    assert seats.live.correct(-5, Lay("Ann")).code == "nothing_to_undo"
    assert seats.live.choices_at(3) == ()
    assert seats.live.choices("Zoe") == ()
    assert seats.live.explain("Zoe") == ()
    seats.live.answer(99, 0)
    assert not seats.live.snapshot().can_undo


def test_an_undo_marks_the_line_and_names_the_cards_to_move(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit(request)
    seats.live.undo()
    seen = seats.live.snapshot()
    assert seen.last == Text("live.undone", {"what": Text("toy.shown", {"player": "Ann", "value": 3})})
    assert says(seen) == [(0, "live.act_of", True), (1, "live.act_of", True), (2, "toy.shown", False)]
    assert seen.moves == (Move("toy:3", "seat:1 up", None),)
    assert (seen.can_undo, seen.can_redo) == (True, True)
    seats.live.redo()
    seen = seats.live.snapshot()
    assert seen.moves == ()
    assert says(seen)[-1] == (2, "toy.shown", True)


def test_cards_that_are_being_put_right_are_no_moves_of_the_game(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit(request)
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
        seats.live.submit(request)
    seats.live.undo()
    seats.live.confirm_moves()
    seats.later(0.1)
    seats.lay(2, "toy:9")
    assert [row["player"] for row in seats.later().view["waiting_for"]] == ["Ann"]


def test_nothing_is_listened_to_while_the_table_is_held(seats):
    seats.live.hold()
    seats.lay(1)
    seats.later()
    assert seats.live.acts() == []
    seats.live.confirm_moves()
    seats.later(0.1)
    seats.lay(2)
    seats.later()
    assert [act.request for act in seats.live.acts()] == [Lay("Ben")]


def test_a_correction_recomputes_and_names_the_cards_to_move(seats):
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    seats.live.submit(Show("Ann", 3))
    seats.live.correct(2, Show("Ann", 8))
    seen = seats.live.snapshot()
    assert seen.moves == (Move("toy:3", "seat:1 up", None), Move("toy:8", None, "seat:1 up"))
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
        seats.live.submit(request)
    assert seats.live.correct(0, None) is None
    seen = seats.live.snapshot()
    assert seen.notice.code == "live.dropped"
    assert seen.notice.n == 2
    assert seen.last.code == "live.taken_out"
    assert [row["player"] for row in seen.view["waiting_for"]] == ["Ann"]
    seats.live.submit(Lay("Ann"))
    assert seats.live.snapshot().notice is None


def test_what_could_have_been_entered_instead_is_that_of_the_moment(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
        seats.live.submit(request)
    assert [choice.request for choice in seats.live.choices_at(2)] == [Show("Ann", v) for v in range(1, 10)]
    assert [choice.request for choice in seats.live.choices_at(1)] == [Lay("Ben")]
    assert [choice.request for choice in seats.live.choices(None)] == [Lay("Ann"), Lay("Ben")]


def test_a_card_of_nobody_is_asked_about_once_and_the_answer_counts(seats):
    deck_of_colours = seats.table.identifier.deck
    seats.table.identifier.owner = lambda reading: None if reading.card == "toy:9" else 1
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    seats.lay(1, "toy:9")
    assert seats.later().questions == ()  # another card may be on its way that explains it
    assert seats.live.due(seats.now) < seats.now + 1.5
    (question,) = seats.later().questions
    assert (question.text.code, question.clause) == ("toy.whose", "TOY-6")
    assert [choice.request.card for choice in question.choices] == list(deck_of_colours.cards)
    seats.live.answer(question.id, 99)
    assert seats.live.snapshot().questions == (question,)
    seats.live.answer(question.id, CARDS.index("toy:6"))
    seats.later()
    assert seats.live.snapshot().questions == ()
    seats.live.submit(Show("Ben", 5))
    assert seats.points == [6, 0]


def test_a_question_put_aside_does_not_come_back_until_the_card_is_laid_again(seats):
    seats.table.identifier.owner = lambda _reading: None
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    lying = seats.lay(1, "toy:9")
    (question,) = seats.later(2).questions
    seats.live.answer(question.id, None)
    assert seats.later(5).questions == ()
    seats.take(lying)
    seats.later()
    seats.lay(1, "toy:9")
    (again,) = seats.later(2).questions
    assert again.id != question.id


def test_a_question_goes_with_its_card(seats):
    seats.table.identifier.owner = lambda _reading: None
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    lying = seats.lay(1, "toy:9")
    (question,) = seats.later(2).questions
    seats.take(lying)
    assert seats.later().questions == ()
    seats.live.answer(question.id, 0)
    assert seats.live.snapshot().refusal is None


def test_two_readers_that_disagree_make_a_question_and_no_move(seats):
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    seats.lay(1, "toy:3")
    seats.lay(1, "toy:7", reader="second camera")
    seen = seats.later(3)
    (question,) = seen.questions
    assert question.text.code == "table.dispute.readers"
    assert [choice.request.card for choice in question.choices][:2] == ["toy:3", "toy:7"]
    assert len(question.choices) == len(CARDS)
    assert [row["player"] for row in seen.view["waiting_for"]] == ["Ann", "Ben"]
    seats.live.answer(question.id, 1)
    seats.live.submit(Show("Ben", 1))
    seats.later()
    assert seats.points == [7, 0]
    assert seats.live.snapshot().questions == ()


def test_a_hint_is_shown_as_long_as_it_holds(seats):
    lying = seats.lay(1, "toy:3", sure=False)
    assert seats.later(4).notice.code == "table.hint.unsure"
    seats.take(lying)
    assert seats.later().notice is None


def test_reports_come_from_any_thread_and_wake_the_session(seats):
    woken = []
    seats.live.on_wake(lambda: woken.append(threading.current_thread()))

    def report():
        for track in range(50):
            seats.live.post(Sighting("keys", track, None, f"seat:{1 + track % 2}", 100.0))

    threads = [threading.Thread(target=report) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(woken) == 200
    assert set(woken) == set(threads)
    seats.later()
    assert seats.phase == "show"


def test_subscribers_hear_of_every_change_and_of_nothing_else(seats):
    heard = []
    leave = seats.live.subscribe(lambda snapshot: heard.append(snapshot.number))
    seats.live.submit(Lay("Ann"))
    seats.later(3)
    seats.live.submit(Lay("Ann"))
    seats.ill()
    seats.later()
    assert heard == [1, 2, 3]
    leave()
    seats.live.submit(Lay("Ben"))
    assert heard == [1, 2, 3]
    assert seats.live.snapshot().health[0].state == "lost"


def test_a_still_table_makes_no_new_snapshot(seats):
    seats.lay(1)
    seen = seats.later()
    assert seats.later(10) is seen


def test_a_growing_proposal_waits_until_the_table_is_still():
    class Lead(Toy):
        def interpret(self, state, claims):
            ids = tuple(claim.id for claim in claims)
            return [Proposal(Lay("Ann"), ids, growing=True)] if ids and not state.laid else []

    seats = Seats("Ann", "Ben", game=Lead())
    seats.lay(1, "toy:1")
    seats.later(1.2)
    seats.lay(1, "toy:1")
    seats.later(1.2)
    assert seats.live.acts() == []
    assert seats.live.due(seats.now) is not None
    seats.later(1)
    assert len(seats.live.acts()) == 1


def test_what_is_entered_by_hand_uses_up_the_cards_that_are_still_growing():
    class Lead(Toy):
        def interpret(self, state, claims):
            player = state.setup.players[len(state.laid)] if state.phase == "lay" else None
            return [Proposal(Lay(player), (claim.id,), growing=True) for claim in claims if player]

    seats = Seats("Ann", "Ben", game=Lead())
    seats.lay(1, "toy:1")
    seats.later(1)
    seats.live.submit(Lay("Ann"))
    seats.later(5)
    assert [act.request for act in seats.live.acts()] == [Lay("Ann")]


def test_nothing_is_played_after_the_end():
    seats = Seats("Ann", "Ben", rounds=1)
    seats.round(3, 4)
    seats.lay(1)
    seen = seats.later()
    assert (seats.phase, seen.refusal, seen.questions) == ("game_over", None, ())


def test_a_game_that_stumbles_over_a_card_does_not_end_the_evening():
    class Broken(Toy):
        def interpret(self, state, claims):
            if claims:
                raise KeyError("toy:secret")
            return []

        def decide(self, state, request):
            if request.player == "Ben":
                raise ZeroDivisionError
            return super().decide(state, request)

    seats = Seats("Ann", "Ben", game=Broken())
    lying = seats.lay(1, "toy:1")
    seen = seats.later()
    assert seen.notice == Text("refusal.fault", {"kind": "KeyError"})
    assert seats.live.submit(Lay("Ben")).text == Text("refusal.fault", {"kind": "ZeroDivisionError"})
    assert seats.live.submit(Lay("Ann")) is None
    seats.take(lying)
    assert seats.later().notice is None


def test_the_journal_has_a_step_before_any_view_shows_it(tmp_path, toy_is_installed):
    file = tmp_path / "evening.sqlite3"
    seats = Seats("Ann", "Ben", journal=Journal.open(file))
    on_disk = []

    def count(_snapshot):
        with Store.look(file) as look:
            on_disk.append(len(look.read(1).entries))

    seats.live.subscribe(count)
    seats.live.submit(Lay("Ann"))
    seats.live.submit(Lay("Ben"))
    seats.live.undo()
    assert on_disk == [1, 2, 3]
    seats.live.close()


def test_an_evening_goes_on_where_the_laptop_died(tmp_path, toy_is_installed):
    file = tmp_path / "evening.sqlite3"
    first = Seats("Ann", "Ben", journal=Journal.open(file))
    first.round(3, 4)
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 6), Show("Ben", 2)):
        first.live.submit(request)
    first.live.undo()
    before = first.live.snapshot()
    first.journal._store._lock.release()  # what the system does for a program that is killed
    journal = Journal.open(file)
    again = Seats(journal=journal, kept=journal.unfinished()[0])
    after = again.live.snapshot()
    assert after.view == before.view
    assert says(after) == says(before)
    assert after.moves == (Move("toy:6", None, "seat:1 up"),)
    assert (after.can_undo, after.can_redo) == (True, True)
    lying = [again.lay(1, "toy:6"), again.lay(2)]
    again.later()
    again.live.confirm_moves()
    assert again.live.snapshot().moves == ()
    again.later()
    again.take(lying[1])
    again.lay(2, "toy:9")
    again.later()
    assert again.points == [0, 13]
    again.live.close()
    with Store.look(file) as look:
        assert look.read(1).session(print).state.points == {"Ann": 0, "Ben": 13}
        assert len(look.sessions()) == 1


def test_a_full_disk_is_shown_and_the_game_goes_on(tmp_path):
    file = tmp_path / "evening.sqlite3"
    file.write_text("not a journal")
    seats = Seats("Ann", "Ben", journal=Journal.open(file))
    assert seats.live.snapshot().keeping.code == "journal.foreign"
    seats.round(3, 4)
    assert seats.points == [0, 4]


def test_an_evening_of_two_thousand_acts_costs_each_act_the_same(monkeypatch):
    evolved = []

    class Counting(Toy):
        def evolve(self, state, event):
            evolved.append(event)
            return super().evolve(state, event)

    seats = Seats("Ann", "Ben", game=Counting(), setup=toy_setup("Ann", "Ben", rounds=100))
    costs = []
    for _ in range(100):
        for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3), Show("Ben", 4)):
            before = len(evolved)
            seats.live.submit(request)
            costs.append(len(evolved) - before)
    assert max(costs) <= 4  # two events, each for the session and for the log
