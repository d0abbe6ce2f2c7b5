"""An evening is kept step by step, and goes on where it stopped."""

from __future__ import annotations

import msgspec
import pytest

from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live.snapshot import CardMove
from companion.rules.commitments import HiddenSeed, SeedCommitted
from companion.rules.contract import Text
from tests.live.seats import Seats, says
from tests.toy import Lay, Show, Toy, toy_setup


def test_the_journal_has_a_step_before_any_view_shows_it(tmp_path, toy_is_installed):
    file = tmp_path / "evening.sqlite3"
    seats = Seats("Ann", "Ben", journal=Journal.open(file))
    on_disk = []

    def count(_snapshot):
        with Store.open_read_only(file) as look:
            on_disk.append(len(look.read_session(1).entries))

    seats.live.subscribe(count)
    seats.live.submit_request(Lay("Ann"))
    seats.live.submit_request(Lay("Ben"))
    seats.live.undo()
    assert on_disk == [1, 2, 3]
    seats.live.close()


def test_an_evening_goes_on_where_the_laptop_died(tmp_path, toy_is_installed):
    file = tmp_path / "evening.sqlite3"
    first = Seats("Ann", "Ben", journal=Journal.open(file))
    first.round(3, 4)
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 6), Show("Ben", 2)):
        first.live.submit_request(request)
    first.live.undo()
    before = first.live.snapshot()
    first.journal._store._release_file()  # what the system does for a program that is killed
    journal = Journal.open(file)
    again = Seats(journal=journal, kept=journal.read_session(journal.list_unfinished()[0].number))
    again.well()  # a reader is connected: the cards it has not seen yet are to be checked
    after = again.later()
    assert after.view == before.view
    assert says(after) == says(before)
    assert after.moves == (CardMove("toy:6", None, "seat:1 up"),)
    assert (first.live.step_count, again.live.step_count) == (9, 9)
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
    with Store.open_read_only(file) as look:
        assert look.read_session(1).restore_session(print).state.points == {"Ann": 0, "Ben": 13}
        assert len(look.list_sessions()) == 1


@pytest.mark.parametrize("reader", [False, True])
def test_who_plays_on_by_keys_alone_has_looked_at_the_table(reader, tmp_path, toy_is_installed):
    file = tmp_path / "evening.sqlite3"
    first = Seats("Ann", "Ben", journal=Journal.open(file))
    for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 6)):
        first.live.submit_request(request)
    first.live.close()
    journal = Journal.open(file)
    again = Seats(journal=journal, kept=journal.read_session(journal.list_unfinished()[0].number))
    if reader:
        again.well()
    before = again.later()
    # Without a reader no card is waited for, and what the players have to do next is shown instead.
    assert before.moves == ((CardMove("toy:6", None, "seat:1 up"),) if reader else ())
    assert (before.notice == Text("live.held")) is reader  # without one there is no card to be read
    again.live.submit_request(Show("Ben", 2))
    after = again.live.snapshot()
    assert (after.notice, after.moves) == ((before.notice, before.moves) if reader else (None, ()))
    again.lay(1)
    assert [row["player"] for row in again.later().view["waiting_for"]] == (
        ["Ann", "Ben"] if reader else ["Ben"]
    )
    again.live.close()


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
            seats.live.submit_request(request)
            costs.append(len(evolved) - before)
    assert max(costs) <= 4  # two events, each for the session and for the log


def test_after_a_restart_a_seed_is_committed_to_and_what_lies_face_down_is_sealed_anew(
    tmp_path, toy_is_installed
):
    file = tmp_path / "evening.sqlite3"
    setup = msgspec.structs.replace(toy_setup("Ann", "Ben"), seed=HiddenSeed())
    first = Seats(journal=Journal.open(file), setup=setup)
    lying = first.lay(1, "toy:3", under=True)
    first.later()
    first.lay(2)
    first.later()
    first.live.close()
    journal = Journal.open(file)
    again = Seats(journal=journal, kept=journal.read_session(journal.list_unfinished()[0].number))
    assert lying
    assert again.later().notice == Text("live.closed", {"players": ("Ann",)})
    notes = [note for entry in journal.read_session(1).entries for note in entry.notes]
    assert [type(note) for note in notes] == [SeedCommitted]
    again.live.confirm_moves()
    again.lay(1, "toy:3", under=True)
    again.later()
    assert again.later().notice is None
    assert again.live.submit_request(Show("Ann", 4)).code == "sealed_mismatch"
    assert again.live.submit_request(Show("Ann", 3)) is None
    again.live.close()
