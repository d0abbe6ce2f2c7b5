"""The game goes on whatever the disk does, and what could not be written is written when it can be
again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.journal.journal import Journal
from companion.journal.store import Store
from companion.live.snapshot import describe_unsaved_steps
from companion.referee import Referee
from companion.rules.acts import EntryNotSaved
from companion.rules.session import Session
from tests.journal.played import play_a_round
from tests.live.seats import Seats
from tests.toy import TOY, Lay, toy_setup


def play_into(journal, rounds=3):
    setup = toy_setup(rounds=rounds)
    journal.start_session(setup)
    session = Session(TOY, setup, journal.append)
    for _ in range(rounds):
        play_a_round(session, 3, 4)
    return session


def play_rounds(session, rounds):
    for _ in range(rounds):
        play_a_round(session, 3, 4)


def limit_pages(store, pages):
    """Let the file grow no further than to `pages` pages: what SQLite does on a full disk."""
    store._db.execute(f"PRAGMA max_page_count = {pages}")


def pages_of(store):
    return store._db.execute("PRAGMA page_count").fetchone()[0]


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda file: file.write_text("not a journal"), "journal.foreign"),
        (lambda file: file.mkdir(), "journal.folder"),
        (lambda file: file.parent.joinpath(file.name + ".lock").mkdir(), "journal.unusable"),
    ],
)
def test_a_bad_place_does_not_stop_the_evening(file, spoil, code):
    spoil(file)
    journal = Journal.open(file)
    session = play_into(journal)
    assert journal.trouble.code == code
    assert session.is_over
    assert journal.list_unfinished() == []
    assert journal.list_sessions() == []
    journal.close()
    if file.is_file():
        assert file.read_text() == "not a journal"


def test_what_was_played_before_the_place_was_good_is_kept_once_it_is(file):
    file.mkdir()
    journal = Journal.open(file)
    session = play_into(journal)
    journal.run_maintenance(0.0)
    assert (journal.trouble.code, journal.pending_count) == ("journal.folder", 1 + len(session.list_acts()))
    file.rmdir()
    journal.run_maintenance(60.0)
    assert (journal.trouble, journal.pending_count) == (None, 0)
    assert journal.read_current_session().restore_session(print).state == session.state
    journal.close()


def test_leaving_keeps_what_was_played_if_the_place_is_good_by_then(file):
    file.mkdir()
    journal = Journal.open(file)
    play_into(journal)
    file.rmdir()
    journal.close()
    with Store.open_read_only(file) as look:
        assert len(look.list_sessions()) == 1


def test_a_good_place_gives_no_trouble(file):
    journal = Journal.open(file)
    session = play_into(journal)
    assert (journal.trouble, journal.pending_count) == (None, 0)
    assert journal.read_session(1).restore_session(print).state == session.state
    journal.close()


def test_the_last_evening_is_offered_until_its_game_is_over(file):
    journal = Journal.open(file)
    assert journal.list_unfinished() == []
    session = play_into(journal)
    assert journal.list_unfinished() == []
    session.undo()
    assert [kept.number for kept in journal.list_unfinished()] == [1]
    session.redo()
    assert journal.list_unfinished() == []
    journal.start_session(toy_setup())
    assert journal.list_unfinished() == []  # nothing has happened in it yet
    journal.close()


def test_a_second_program_plays_on_in_memory_until_the_first_has_ended(file):
    first, second = Journal.open(file), Journal.open(file)
    play_into(second)
    play_into(first)
    assert second.trouble.code == "journal.locked"
    assert first.trouble is None
    assert len(first.list_sessions()) == 1
    first.close()
    second.run_maintenance(0.0)
    assert (second.trouble, len(second.list_sessions())) == (None, 2)
    second.close()


def test_a_disk_that_fills_up_keeps_the_rest_in_memory_and_writes_it_when_there_is_room(file):
    journal = Journal.open(file)
    store = journal._store
    setup = toy_setup(rounds=200)
    journal.start_session(setup)
    session = Session(TOY, setup, journal.append)
    limit_pages(store, pages_of(store) + 1)
    while journal.trouble is None:
        play_a_round(session, 3, 4)
    assert journal.trouble.code == "journal.full"
    play_a_round(session, 5, 4)
    assert journal.pending_count > 4
    with Store.open_read_only(file) as look:
        kept = look.read_session(1)
    assert len(kept.entries) + journal.pending_count == len(session.list_acts())
    limit_pages(store, 1_000)
    session.act(Lay("Ann"))
    assert (journal.trouble, journal.pending_count) == (None, 0)
    journal.close()
    with Store.open_read_only(file) as look:
        assert look.read_session(1).restore_session(print).state == session.state


def test_an_evening_begun_on_a_full_disk_is_written_when_there_is_room(file):
    journal = Journal.open(file)
    store = journal._store
    limit_pages(store, pages_of(store))
    setup = toy_setup("Ann", "Ben", seed="x" * 10_000)
    journal.start_session(setup)
    session = Session(TOY, setup, journal.append)
    play_a_round(session, 3, 4)
    assert (journal.trouble.code, journal.pending_count) == ("journal.full", 5)
    limit_pages(store, 1_000)
    journal.close()
    with Store.open_read_only(file) as look:
        assert look.read_session(1).restore_session(print).state == session.state


def test_what_waits_of_an_earlier_game_is_asked_about_and_written_with_the_next_one(file):
    """The disk is full at the end of a game; people start another one, and want to leave."""
    journal = Journal.open(file)
    journal.stays_open = True
    limit_pages(journal._store, pages_of(journal._store))
    first = Seats(journal=journal, setup=toy_setup(seed="x" * 10_000)).live
    first.submit_request(Lay("Ann"))
    assert describe_unsaved_steps(first.snapshot()).code == "leaving.lost"
    first.close()
    second = Seats("Cleo", "Dan", journal=journal).live
    lost = describe_unsaved_steps(second.snapshot())
    assert (lost.code, lost.n) == ("leaving.lost_before", 2)
    limit_pages(journal._store, 1_000)
    journal.stays_open = False
    journal.close()
    with Store.open_read_only(file) as look:
        assert [row.entries for row in look.list_sessions()] == [1, 0]


def test_the_referee_refuses_what_is_not_on_disk(file):
    store = Store.open(file)
    setup = toy_setup(rounds=200)
    store.start_session(setup)
    session = Session(TOY, setup, store.append)
    limit_pages(store, pages_of(store) + 1)
    with pytest.raises(EntryNotSaved):
        play_rounds(session, 200)
    assert store.read_session(1).restore_session(print).state == session.state
    limit_pages(store, 1_000)
    kept = len(session.list_acts())
    play_a_round(session, 3, 4)
    assert len(session.list_acts()) > kept
    assert store.read_session(1).restore_session(print).state == session.state
    store.close()


def test_a_bot_is_told_what_could_not_be_kept_and_can_try_again(file):
    store = Store.open(file)
    referee = Referee(log=store)

    def ask(**request):
        return json.loads(referee.answer_line(json.dumps(request).encode()))

    limit_pages(store, pages_of(store))
    start = {"do": "start", "game": "toy", "players": ["Ann", "Ben"], "seed": "x" * 10_000}
    refused = ask(**start)
    assert refused["error"]["code"] == "not_kept"
    assert "full" in refused["error"]["message"]
    assert ask(do="view")["error"]["code"] == "no_session"
    limit_pages(store, 1_000)
    assert ask(**start)["ok"]
    limit_pages(store, pages_of(store))
    options = [{"do": "lay", "player": "Ann"}, {"do": "undo"}]
    answers = [ask(**options[number % 2]) for number in range(400)]
    assert answers[0]["ok"]
    assert "not_kept" in {answer.get("error", {}).get("code") for answer in answers}
    before = ask(do="view")["view"]
    assert store.read_session(1).restore_session().view() == before
    limit_pages(store, 1_000)
    assert ask(do="lay", player="Ben")["ok"]
    assert store.read_session(1).restore_session().view() == ask(do="view")["view"]
    store.close()


def test_a_limit_on_the_size_of_files_is_a_full_disk_too(file):
    """A real write that the system refuses, in a process of its own (the limit would hit the test
    run)."""
    program = """
import resource, sys
from companion.referee import Referee
from companion.journal.journal import Journal
from tests.journal.played import play_a_round
from tests.toy import TOY, toy_setup
from companion.rules.session import Session
journal = Journal.open(sys.argv[1])
setup = toy_setup(rounds=400)
journal.start_session(setup)
session = Session(TOY, setup, journal.append)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
for _ in range(100):
    play_a_round(session, 3, 4)
on_disk = len(session.list_acts()) - journal.pending_count
print(journal.trouble.code, on_disk, len(session.list_acts()))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
play_a_round(session, 3, 4)
print(journal.trouble, journal.pending_count)
"""
    done = subprocess.run([sys.executable, "-c", program, file], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    full, after = done.stdout.splitlines()
    code, on_disk, played = full.split()
    assert code == "journal.full"
    assert 0 < int(on_disk) < int(played) == 400
    assert after == "None 0"


@contextmanager
def folder_of_another_person():
    """A folder that this process may read and not write. Root may write anywhere, so it steps down
    for the while."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        yield folder
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@contextmanager
def as_a_guest():
    guest = 65534
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(guest)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_does_not_stop_the_evening():
    with folder_of_another_person() as folder:
        folder.chmod(0o555)
        with as_a_guest():
            journal = Journal.open(folder / "evening.sqlite3")
            session = play_into(journal)
        assert journal.trouble.code == "journal.read_only"
        assert session.is_over
        assert list(folder.iterdir()) == []


def test_a_read_only_file_does_not_stop_the_evening():
    with folder_of_another_person() as folder:
        file = folder / "evening.sqlite3"
        Journal.open(file).close()
        before = file.read_bytes()
        file.chmod(0o444)
        (folder / "evening.sqlite3.lock").chmod(0o666)
        folder.chmod(0o777)
        with as_a_guest():
            journal = Journal.open(file)
            play_into(journal)
        assert journal.trouble.code == "journal.read_only"
        assert file.read_bytes() == before


def test_a_journal_that_its_owner_made_read_only_stays_so(tmp_path):
    """For root too, whom the system would let write."""
    file = tmp_path / "evening.sqlite3"
    Journal.open(file).close()
    before = file.read_bytes()
    file.chmod(0o400)
    journal = Journal.open(file)
    assert play_into(journal).is_over
    assert journal.trouble.code == "journal.read_only"
    journal.close()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (before, 0o400)


def test_a_journal_that_others_could_read_is_closed_to_them(tmp_path):
    file = tmp_path / "evening.sqlite3"
    Journal.open(file).close()
    file.chmod(0o644)
    Journal.open(file).close()
    assert file.stat().st_mode & 0o777 == 0o600


def test_no_journal_at_all_is_no_trouble():
    journal = Journal()
    assert play_into(journal).is_over
    assert (journal.trouble, journal.pending_count) == (None, 0)


def test_a_damaged_evening_is_not_written_on(file):
    journal = Journal.open(file)
    play_into(journal, rounds=20)
    journal.close()
    damaged = file.read_bytes().replace(b'"value":4', b'"value":6', 1)
    file.write_bytes(damaged)
    journal = Journal.open(file)
    play_into(journal)
    journal.close()
    assert journal.trouble.code == "journal.damaged_session"
    assert file.read_bytes() == damaged


def test_damage_in_an_older_evening_leaves_the_others_readable(file):
    journal = Journal.open(file)
    play_into(journal, rounds=20)
    play_into(journal)
    journal.close()
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"value":4', b'"value":6', 1))
    journal = Journal.open(file)
    found = [journal.read_session(number) is not None for number in (1, 2)]
    journal.close()
    assert sorted(found) == [False, True]
