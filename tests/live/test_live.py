"""What happens at the table becomes requests, steps and snapshots; nothing that players or readers
do raises."""

from __future__ import annotations

import math
import pickle
import threading
from itertools import permutations
from types import SimpleNamespace

import pytest

from companion.live import table_listener
from companion.live.live_session import Checklist
from companion.live.sealed_decisions import SealedDecisions, validate_request
from companion.live.timeline import Timeline
from companion.rules.acts import discard_entry
from companion.rules.contract import Claim, Proposal, Request, SetupStep, Text
from companion.rules.people import SeatChange
from companion.rules.registry import load_game
from companion.table.sightings import Sighting
from tests.live.seats import Seats
from tests.rules.talk import setup_of
from tests.toy import TOY, Lay, Show, Toy, toy_setup


def test_an_evening_of_real_cards_ends_with_a_winner(seats):
    seats.round(3, 4)
    seats.round(9, 1)
    seen = seats.round(2, 2)
    assert seen.view["phase"] == "game_over"
    assert seats.points == [11, 6]
    assert seen.view["result"]["winners"] == ["Ann"]
    assert seen.last.code == "live.sentences"
    assert seen.last.args["rest"].code == "toy.round"


def test_of_the_last_step_it_is_kept_which_readers_saw_its_cards(seats):
    seats.lay(1)
    seats.lay(2)
    seats.later()
    seats.lay(1, "toy:3")
    shown = seats.later()
    assert [(one.card, one.reader_names) for one in shown.seen] == [("toy:3", ("camera",))]
    seats.live.submit_request(Show("Ben", 5))
    assert seats.live.snapshot().seen == ()


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
        seats.live.submit_request(request)
    seats.lay(1, "toy:3")
    seats.later()
    seats.live.submit_request(Show("Ben", 4))
    for request in (Lay("Ann"), Lay("Ben")):
        seats.live.submit_request(request)
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

        def interpret_claims(self, state, claims):
            return [Proposal(Show("Ann", 99), (claim.id,)) for claim in claims]

    seats = Seats("Ann", "Ben", game=Strict())
    seats.lay(1, "toy:3")
    seen = seats.later(5)
    assert seen.refusal.code == "wrong_phase"
    assert len(tried) == 1
    seats.live.submit_request(Lay("Ann"))
    assert seats.live.snapshot().refusal is None


def test_keys_and_cards_can_be_mixed(seats):
    assert seats.live.submit_request(Lay("Ann")) is None
    seats.lay(2)
    seats.later()
    assert seats.live.submit_request(Show("Ben", 7)) is None
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
    assert seats.live.submit_request(request_).code == code
    after = seats.live.snapshot()
    assert (after.refusal.code, after.view) == (code, before.view)
    assert after.number == before.number + 1


def test_reports_come_from_any_thread_and_wake_the_session(seats):
    woken = []
    seats.live.set_wake_callback(lambda: woken.append(threading.current_thread()))

    def report():
        for track in range(50):
            seats.live.post_report(Sighting("keys", track, None, f"seat:{1 + track % 2}", 100.0))

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
    seats.live.submit_request(Lay("Ann"))
    seats.later(3)
    seats.live.submit_request(Lay("Ann"))
    seats.ill()
    seats.later()
    assert heard == [1, 2, 3]
    leave()
    seats.live.submit_request(Lay("Ben"))
    assert heard == [1, 2, 3]
    assert seats.live.snapshot().health[0].state == "lost"


def test_a_still_table_makes_no_new_snapshot(seats):
    seats.lay(1)
    seen = seats.later()
    assert seats.later(10) is seen


def test_a_growing_proposal_waits_until_the_table_is_still():
    class Lead(Toy):
        def interpret_claims(self, state, claims):
            ids = tuple(claim.id for claim in claims)
            return [Proposal(Lay("Ann"), ids, growing=True)] if ids and not state.laid else []

    seats = Seats("Ann", "Ben", game=Lead())
    seats.lay(1, "toy:1")
    seats.later(1.2)
    seats.lay(1, "toy:1")
    seats.later(1.2)
    assert seats.live.list_acts() == []
    assert seats.live.next_due_time(seats.now) is not None
    seats.later(1)
    assert len(seats.live.list_acts()) == 1


def test_what_is_entered_by_hand_uses_up_the_cards_that_are_still_growing_and_no_others():
    class Lead(Toy):
        def interpret_claims(self, state, claims):
            if state.phase == "show":
                return []
            seats = {claim.id: int(claim.zone.removeprefix("seat:")) - 1 for claim in claims}
            return [Proposal(Lay(state.setup.players[at]), (one,), growing=True) for one, at in seats.items()]

    seats = Seats("Ann", "Ben", "Cy", game=Lead())
    seats.lay(1, "toy:1")
    seats.lay(2, "toy:1")
    seats.later(1)
    seats.live.submit_request(Lay("Ann"))
    seen = seats.later(5)
    assert [act.request for act in seats.live.list_acts()] == [Lay("Ann"), Lay("Ben")]
    assert seen.refusal is None


def test_nothing_is_played_after_the_end():
    seats = Seats("Ann", "Ben", rounds=1)
    seats.round(3, 4)
    seats.lay(1)
    seen = seats.later()
    assert (seats.phase, seen.refusal, seen.questions) == ("game_over", None, ())


def test_a_game_that_stumbles_over_a_card_does_not_end_the_evening():
    class Broken(Toy):
        def interpret_claims(self, state, claims):
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
    assert seats.live.submit_request(Lay("Ben")).text == Text("refusal.fault", {"kind": "ZeroDivisionError"})
    assert seats.live.submit_request(Lay("Ann")) is None
    seats.take(lying)
    assert seats.later().notice is None


def test_names_that_stand_beside_the_log_are_kept_there_and_never_in_it():
    entries, called = [], []
    names = {"s1": "Ann", "s2": "Ben"}
    timeline = Timeline(
        TOY, toy_setup("s1", "s2"), entries.append, names=names, call=lambda *name: called.append(name)
    )
    for change in (
        SeatChange("rename", "s2", "Benno"),
        SeatChange("stand_in", "s1", "Eve"),
        SeatChange("share", "s2", "Gus"),
        SeatChange("back", "s1"),
        SeatChange("join", "", "Zoe"),
    ):
        assert timeline.change_seats(change) is None
    assert called == [("s2", "Benno"), ("g1", "Eve"), ("g2", "Gus"), ("g3", "Zoe")]
    called.clear()
    last, people = timeline.last, timeline.people
    assert timeline.change_seats(SeatChange("exchange", "s1", "s2")) is None
    assert called == [("s1", "Benno"), ("s2", "Ann")]
    timeline.change_seats(SeatChange("exchange", "s1", "s2"))
    assert timeline.people.display_names == people.display_names
    timeline.last = last
    assert [note for entry in entries for note in entry.notes] == [
        SeatChange("stand_in", "s1", "g1"),
        SeatChange("share", "s2", "g2"),
        SeatChange("back", "s1"),
        SeatChange("join", "", "g3"),
    ]
    assert timeline.people.display_names == {"s2": "Benno + Gus", "s1": "Ann"}
    assert timeline.people.next_players == ("Ann", "Benno", "Zoe")
    assert timeline.last == Text("people.told.join", {"player": "", "name": "Zoe", "guest": ""})


def test_a_busy_reader_does_not_hold_the_game_up(seats, monkeypatch):
    """Its reports are put on the table some at a time; sightings beyond the limit come again."""
    monkeypatch.setattr(table_listener, "MAX_WAITING_REPORTS", 300)
    taken = []
    monkeypatch.setattr(seats.table, "add_report", taken.append)
    for track in range(400):
        seats.live.post_report(Sighting("keys", track, None, "middle", 100.0))
    seats.well()
    seats.press(1)
    counts = []
    for _ in range(3):
        assert (seats.live.next_due_time(seats.now) == seats.now) == (len(taken) < 302)
        seats.live.tick(seats.now)
        counts.append(len(taken))
    assert counts == [256, 302, 302]
    assert not isinstance(taken[-1], Sighting), "a press is reported once, and waits"


def test_what_is_due_next_lies_ahead(seats, monkeypatch):
    monkeypatch.setattr(seats.table, "next_due_time", lambda now: 90.0)
    assert seats.live.next_due_time(100.0) is None
    monkeypatch.setattr(seats.table, "next_due_time", lambda now: 101.0)
    seats.live.show_remark(Text("live.held"))
    seats.live.tick(100.0)
    assert seats.live.next_due_time(100.0) == 101.0
    monkeypatch.setattr(seats.table, "next_due_time", lambda now: None)
    assert seats.live.next_due_time(100.0) == 112.0
    assert seats.live.next_due_time(112.0) is None


def test_what_changes_the_snapshot_is_shown_at_once(seats):
    seats.well()
    seats.later()
    live, shown = seats.live, []
    live.subscribe(lambda snapshot: shown.append((snapshot.paused, snapshot.can_count, snapshot.odds)))
    live.set_paused(True)
    live.set_paused(False)
    assert [paused for paused, _, _ in shown] == [True, False]
    live.set_odds_shown(True)
    assert live.shows_odds
    assert (live.measure_idle_time(200.0), live.can_seal_decision("Ann")) == (math.inf, False)


def test_what_may_be_typed_is_the_games_to_say_for_those_who_play():
    game = load_game("ochs_und_esel")
    timeline = Timeline(game, setup_of(game, ["Ann", "Ben", "Cy"]), discard_entry)
    assert len(timeline.list_attempts("Ann")) > 2
    assert timeline.list_attempts("Ann") == game.list_attempts(timeline.state, "Ann")
    assert (timeline.list_attempts("Zoe"), timeline.list_attempts(None)) == ((), ())
    asked = []
    game = SimpleNamespace(list_attempts=lambda state, player: asked.append(player) or ())
    timeline._game = game
    for player in (None, "Ben", "Zoe"):
        timeline.list_attempts(player)
    assert asked == [None, "Ben"]


def test_what_the_table_does_by_itself_is_one_step_with_what_led_to_it_and_may_be_said_again():
    """DV-14: the looks end once nobody may look any more."""
    game = load_game("donkey_valley")
    timeline = Timeline(game, setup_of(game, ["Ann", "Ben", "Cy"]), discard_entry)
    do = game.moves
    for request in (do.Donkey("holed"), *map(do.Load, ("Ann", "Ben", "Cy"))):
        assert timeline.perform_request(request) is None
    for player in ("Ann", "Ben", "Cy"):
        assert timeline.perform_request(do.NoFavour(player)) is None
    assert (timeline.step_count, timeline.state.phase) == (len(timeline.session.list_acts()), "peeks")
    looks = [(one, other) for one, other in permutations(("Ann", "Ben", "Cy"), 2)]
    for one, other in looks:
        if timeline.state.phase == "peeks":
            timeline.perform_request(do.Peek(one, (other,)))
    acts, steps, words = timeline.session.list_acts(), timeline.step_count, timeline.last
    assert (acts[-1].request, timeline.state.phase) == (do.PeeksDone(), "decisions")
    assert (steps, timeline.view["phase"], words.code) == (len(acts), "decisions", "event.loads_looked_at")
    assert timeline.perform_request(do.PeeksDone()) is None, "said by somebody: it is done"
    assert (timeline.step_count, timeline.last) == (steps, words)
    assert timeline.perform_request(do.PeeksDone()).code == "wrong_phase"
    timeline.undo()
    assert (timeline.state.phase, len(timeline.session.list_acts())) == ("peeks", len(acts) - 2)
    timeline.redo("Ben")
    assert timeline.session.list_acts() == acts
    assert timeline.last.args["who"] == "Ben"


def test_a_card_laid_before_anybody_looks_counts_only_face_up_and_known():
    checklist = Checklist([SetupStep(Text("step.complete", {"cards": 2}), "TOY-1", count=(("toy:", 2),))])
    assert checklist.has_cards_to_count
    checklist.record_visible_cards(
        [Claim(1, "toy:1", "middle"), Claim(2, "toy:2", "middle", "down"), Claim(3, None, "middle")]
    )
    assert checklist.count_progress == (1, 2)
    assert checklist.progress_text == Text("live.counting", {"shown": 1, "all": 2})
    assert [reason.text.code for reason in checklist.describe_steps([])] == ["step.counted"]


def test_a_sealed_decision_is_written_nowhere():
    sealed = SealedDecisions(TOY)
    sealed.seal_decision("Ann", Lay("Ann"))
    with pytest.raises(TypeError, match=r"a decision that is sealed is written nowhere$"):
        pickle.dumps(sealed)
    assert "Ann'" not in repr(sealed._sealed["Ann"])
    assert [validate_request(one) for one in (Lay("Ann"), Lay(7), Show("Ann", True), Show("Ann", "3"))] == [
        Lay("Ann"), None, None, None
    ]  # fmt: skip


def test_decisions_of_the_same_moment_are_shown_once_all_have_decided():
    class Together(Toy):
        def simultaneous_players(self, state):
            return (
                [name for name in state.setup.players if name not in state.shown]
                if state.phase == "show"
                else ()
            )

    seats = Seats("Ann", "Ben", game=Together())
    live = seats.live
    live.submit_request(Lay("Ann"))
    live.submit_request(Lay("Ben"))
    assert live.can_seal_decision("Ann")
    assert live.seal_decision(Show("Ann", 99)).code == "bad_value"
    assert live.seal_decision(Show("Ann", 3)) is None
    assert (live.snapshot().decided, seats.points) == (("Ann",), [0, 0])
    assert live.snapshot().notice == Text("live.decided", {"players": ("Ann",)}, 1)
    live.withdraw_decision("Ann")
    assert (live.snapshot().decided, live.snapshot().notice) == ((), None)
    live.seal_decision(Show("Ann", 3))
    live.seal_decision(Show("Ben", 4))
    assert (live.snapshot().decided, seats.points) == ((), [0, 4])


def test_a_card_laid_early_for_the_next_round_counts_and_one_left_lying_does_not(seats):
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
        seats.live.submit_request(request)
    seats.lay(1)
    seats.later()
    seats.live.submit_request(Show("Ben", 4))
    assert [row["player"] for row in seats.later().view["waiting_for"]] == ["Ben"]


def test_while_the_table_is_held_who_goes_on_by_keys_has_looked_where_no_reader_waits(seats):
    other = Seats("Ann", "Ben")
    other.well()
    other.later()
    for one, played in ((seats, []), (other, ["Ben"])):
        one.live.hold_play()
        one.live.submit_request(Lay("Ann"))
        one.lay(2)
        one.later()
        assert [act.request.player for act in one.live.list_acts()] == [
            "Ann",
            *(["Ben"] if not played else []),
        ]


def test_the_journal_is_looked_after_at_every_look(seats, monkeypatch):
    looks = []
    monkeypatch.setattr(seats.journal, "run_maintenance", looks.append)
    seats.live.tick(7.5)
    assert looks == [7.5]


def test_what_was_laid_together_is_played_at_one_look(seats):
    shown = []
    seats.live.subscribe(lambda snapshot: shown.append(snapshot.view["phase"]))
    seats.lay(1)
    seats.lay(2)
    seats.later()
    assert shown == ["show"]
