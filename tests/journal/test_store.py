"""What is written is read back; one writer; a bad place is said in words and left as it is."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.games.donkey_valley.moves import NoFavour
from companion.journal import database_file, schema, store
from companion.journal.checkpoint import checkpoint_path
from companion.journal.database_file import StorageFault
from companion.journal.store import Store
from companion.rules.acts import Entry
from companion.rules.contract import Refusal, Text
from companion.rules.session import Session
from companion.texts import Translator
from tests.correcting import correct
from tests.journal.played import evening, play_a_round, trouble_of
from tests.toy import TOY, Lay, Show, toy_setup

READ_AT_ONCE = """
import sys, threading
from companion.journal import schema
from companion.rules import registry
sys.setswitchinterval(1e-6)
games = [registry.load_game(name) for name in ("donkey_valley", "dtc", "ochs_und_esel")]
together = threading.Barrier(4)
def read(first):
    together.wait()
    for game in games[first:] + games[:first]:
        schema.decode_entry(game, "note", 0, b'{"acts":[]}')
threads = [threading.Thread(target=read, args=(number % 2,)) for number in range(4)]
for one in threads: one.start()
for one in threads: one.join()
"""


def test_several_threads_read_a_games_first_entry_at_once():
    # A program of its own: msgspec ended it by a segmentation fault.
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", READ_AT_ONCE], check=False).returncode == 0


def test_an_evening_is_read_back_as_it_was_played(file):
    store, session = evening(file, setup=toy_setup("Ann", "Ben", "Cleo", seed="été"))
    play_a_round(session, 3, 9, 2)
    session.undo()
    session.undo()
    session.redo()
    correct(session, 3, Show("Ann", 5))
    store.close()
    with Store.open(file) as again:
        kept = again.read_session(1)
        assert kept.setup == session.setup
        assert [entry.kind for entry in kept.entries] == ["act"] * 6 + ["undo", "undo", "redo", "correct"]
        resumed = kept.restore_session(again.append)
    assert resumed.state == session.state
    assert resumed.list_acts() == session.list_acts()
    session.commit = resumed.commit = lambda _entry: None
    while session.can_undo:
        session.undo()
        resumed.undo()
        assert resumed.state == session.state
    assert not resumed.can_undo


def test_the_program_waits_until_every_commit_is_on_the_disk(file):
    """As the program itself has it: `tests/conftest.py` lets no test wait."""
    with closing(sqlite3.connect(file)) as connection, connection:
        runpy.run_path(database_file.__file__)["configure_for_writing"](connection)
        asked = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("synchronous", "fullfsync")]
    assert asked == [(2,), (1,)]
    connection.close()


def test_a_second_session_does_not_touch_the_first(file):
    store, first = evening(file)
    play_a_round(first, 1, 2)
    store.start_session(toy_setup("Cleo", "Dan"))
    second = Session(TOY, toy_setup("Cleo", "Dan"), store.append)
    play_a_round(second, 4, 3)
    store.close()
    with Store.open_read_only(file) as look:
        assert [(row.number, row.entries) for row in look.list_sessions()] == [(1, 4), (2, 4)]
        assert [look.read_session(number).people.seats for number in (1, 2)] == [
            ("Ann", "Ben"),
            ("Cleo", "Dan"),
        ]
        assert look.read_session(1).restore_session(print).state == first.state
        assert look.read_session(2).restore_session(print).state == second.state
        assert trouble_of(look.read_session, 3) == "journal.no_session"


def test_going_on_with_an_old_session_appends_to_it(file):
    store, session = evening(file)
    play_a_round(session, 1, 2)
    store.close()
    with Store.open(file) as again:
        session = again.resume_session(1).restore_session(again.append)
        play_a_round(session, 5, 4)
    with Store.open_read_only(file) as look:
        kept = look.read_session(1)
    assert len(kept.entries) == 8
    assert kept.restore_session(print).view()["players"] == [
        {"name": "Ann", "points": 5},
        {"name": "Ben", "points": 2},
    ]


def test_a_session_without_an_act_is_taken_up(file):
    evening(file)[0].close()
    with Store.open(file) as again:
        session = again.resume_session(1).restore_session(again.append)
        session.act(Lay("Ben"))
    with Store.open_read_only(file) as look:
        assert len(look.read_session(1).entries) == 1


def test_reading_goes_on_beside_the_writer(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    with Store.open_read_only(file) as look:
        assert len(look.read_session(1).entries) == 1
        session.act(Lay("Ben"))
        assert len(look.read_session(1).entries) == 2
    store.close()


def test_a_second_program_is_told_who_has_the_journal(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    program = """
import sys
from companion.journal.journal import Journal
print(Journal.open(sys.argv[1]).trouble)
"""
    said = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    ).stdout
    assert "journal.locked" in said
    assert str(os.getpid()) in said
    session.act(Lay("Ben"))
    store.close()
    with Store.open(file) as again:
        assert len(again.read_session(1).entries) == 2


def test_two_writers_of_one_place_are_an_error_not_a_mix_up(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    intruder = Store(file, sqlite3.connect(file, isolation_level=None))
    intruder.resume_session(1)
    session.act(Lay("Ben"))
    assert trouble_of(intruder.append, Entry("undo")) == "journal.race"
    intruder.close()
    store.close()


def test_a_game_that_is_gone_is_named(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    store.close()
    with closing(sqlite3.connect(file)) as other, other:
        row = other.execute("SELECT setup, salt, begun FROM sessions").fetchone()
        other.execute(
            "UPDATE sessions SET game = 'canasta', digest = ?",
            (schema.compute_row_digest(0, "canasta", *row),),
        )
        other.execute("DELETE FROM entries")
        other.execute("DROP TABLE heads")
        other.execute("PRAGMA user_version = 3")
    other.close()
    checkpoint_path(file).unlink()
    with Store.open(file) as again:
        with pytest.raises(StorageFault) as caught:
            again.read_session(1)
        again.start_session(toy_setup())  # a new evening of another game can be kept all the same
    assert caught.value.text.code == "journal.no_game"
    assert caught.value.text.args["game"] == "canasta"


def test_acts_of_an_older_format_are_upcast_on_reading(file, monkeypatch):
    store, session = evening(file)
    session.act(Lay("Ann"))
    store.close()
    now = schema.FORMAT
    monkeypatch.setattr(schema, "FORMAT", now + 1)

    def rename(game_id, entry):
        assert game_id == "toy"
        acts = [{**act, "request": {**act["request"], "player": "Ben"}} for act in entry["acts"]]
        return {**entry, "acts": acts}

    monkeypatch.setattr(schema, "UPCASTS", {now: rename})
    with Store.open(file) as again:
        assert again.read_session(1).entries[0].acts[0].request == Lay("Ben")


def test_an_act_that_no_game_understands_is_said_without_its_values(file):
    with pytest.raises(schema.UnreadableRow) as caught:
        schema.decode_entry(
            TOY,
            "act",
            0,
            b'{"acts":[{"request":{"do":"lay","player":"Ann","sealed":"load:red:7"},"events":[]}]}',
        )
    assert "red" not in "".join(
        map(str, (caught.value, caught.value.__cause__, caught.value.__context__ or ""))
    )


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_trouble_has_words(language):
    translator = Translator(language).translate
    codes = {name for name in _codes_in_the_source() if name.startswith("journal.")}
    assert len(codes) >= 15
    args = {
        "file": "F",
        "process": "1",
        "game": "G",
        "reason": "R",
        "number": 3,
        "new": "N",
        "mark": "M",
        "held": 60,
        "here": 23,
    }
    for code in codes:
        words = translator(Text(code, args))
        assert words != code
        assert "{" not in words


def _codes_in_the_source():
    return re.findall(r'"(journal\.[a-z_]+)"', "".join(map(inspect.getsource, (store, database_file))))


def test_a_journal_of_the_first_version_is_read_and_gone_on_with(file, capsys):
    """`version_1.sqlite3` was written by the program as it was then: seals under a salt, a public
    seed, entries without notes."""
    shutil.copy(Path(__file__).with_name("version_1.sqlite3"), file)
    with Store.open_read_only(file) as look:
        kept = look.read_session(1)
    assert kept.setup.seed == 4711
    assert [entry.kind for entry in kept.entries] == ["act"] * 5 + ["undo", "act", "correct"]
    assert kept.restore_session().state.current_round.donkey == "normal"
    assert main(["history", "1", "--journal", str(file)]) == 0
    assert "3" in capsys.readouterr().out
    with Store.open(file) as store:
        session = store.resume_session(1).restore_session(store.append)
        assert not isinstance(session.act(NoFavour("Bob")), Refusal)
        assert len(store.read_session(1).entries) == 9
    assert file.read_bytes()[60:64] == schema.USER_VERSION.to_bytes(4, "big"), (
        "an older program leaves it alone now"
    )
