"""What is written is read back; one writer; a bad place is said in words and left as it is."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.journal import codec, place, schema, storage_faults, store
from companion.journal.storage_faults import StorageFault
from companion.journal.store import Store
from companion.rules.acts import Entry
from companion.rules.contract import Refusal, Text
from companion.rules.donkey_valley.requests import NoFavour
from companion.rules.session import Session
from companion.texts import Translator
from tests.toy import TOY, Lay, Show, toy_setup


def play_a_round(session, *values):
    players = session.setup.players
    for player in players:
        session.act(Lay(player))
    for player, value in zip(players, values, strict=True):
        session.act(Show(player, value))


def evening(file, *, setup=None):
    store = Store.open(file)
    setup = setup or toy_setup()
    store.begin(setup)
    return store, Session(TOY, setup, store.append)


def trouble_of(call, *args):
    with pytest.raises(StorageFault) as caught:
        call(*args)
    return caught.value.text.code


def test_an_evening_is_read_back_as_it_was_played(file):
    store, session = evening(file, setup=toy_setup("Ann", "Ben", "Cleo", seed="été"))
    play_a_round(session, 3, 9, 2)
    session.undo()
    session.undo()
    session.redo()
    session.correct(3, Show("Ann", 5))
    store.close()
    with Store.open(file) as again:
        kept = again.read(1)
        assert kept.setup == session.setup
        assert [entry.kind for entry in kept.entries] == ["act"] * 6 + ["undo", "undo", "redo", "correct"]
        resumed = kept.session(again.append)
    assert resumed.state == session.state
    assert resumed.acts() == session.acts()
    session.commit = resumed.commit = lambda _entry: None
    while session.can_undo:
        session.undo()
        resumed.undo()
        assert resumed.state == session.state
    assert not resumed.can_undo


def test_a_second_session_does_not_touch_the_first(file):
    store, first = evening(file)
    play_a_round(first, 1, 2)
    store.begin(toy_setup("Cleo", "Dan"))
    second = Session(TOY, toy_setup("Cleo", "Dan"), store.append)
    play_a_round(second, 4, 3)
    store.close()
    with Store.look(file) as look:
        assert [(row.number, row.players, row.entries) for row in look.sessions()] == [
            (1, ("Ann", "Ben"), 4),
            (2, ("Cleo", "Dan"), 4),
        ]
        assert look.read(1).session(print).state == first.state
        assert look.read(2).session(print).state == second.state
        assert trouble_of(look.read, 3) == "journal.no_session"


def test_going_on_with_an_old_session_appends_to_it(file):
    store, session = evening(file)
    play_a_round(session, 1, 2)
    store.close()
    with Store.open(file) as again:
        session = again.take_up(1).session(again.append)
        play_a_round(session, 5, 4)
    with Store.look(file) as look:
        kept = look.read(1)
    assert len(kept.entries) == 8
    assert kept.session(print).view()["players"] == [
        {"name": "Ann", "points": 5},
        {"name": "Ben", "points": 2},
    ]


def test_a_session_without_an_act_is_taken_up(file):
    evening(file)[0].close()
    with Store.open(file) as again:
        session = again.take_up(1).session(again.append)
        session.act(Lay("Ben"))
    with Store.look(file) as look:
        assert len(look.read(1).entries) == 1


def test_reading_goes_on_beside_the_writer(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    with Store.look(file) as look:
        assert len(look.read(1).entries) == 1
        session.act(Lay("Ben"))
        assert len(look.read(1).entries) == 2
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
        assert len(again.read(1).entries) == 2


def test_two_writers_of_one_place_are_an_error_not_a_mix_up(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    intruder = Store(file, sqlite3.connect(file, isolation_level=None))
    intruder.take_up(1)
    session.act(Lay("Ben"))
    assert trouble_of(intruder.append, Entry("undo")) == "journal.race"
    intruder.close()
    store.close()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"Ann: 12 points, Ben: 7 points\n", "journal.foreign"),
        (b"SQLite format 3\0" + bytes(2000), "journal.foreign"),
        (b"\0", "journal.foreign"),
    ],
)
def test_a_file_that_is_no_journal_is_left_as_it_is(file, content, code):
    file.write_bytes(content)
    assert trouble_of(Store.open, file) == code
    assert trouble_of(Store.look, file) == code
    assert file.read_bytes() == content


def test_the_database_of_another_program_is_left_as_it_is(file):
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE recipes (soup TEXT)")
    other.close()
    before = file.read_bytes()
    assert trouble_of(Store.open, file) == "journal.foreign"
    assert file.read_bytes() == before


def test_a_newer_programs_journal_is_left_as_it_is(file):
    evening(file)[0].close()
    with sqlite3.connect(file) as newer:
        newer.execute(f"PRAGMA user_version = {schema.USER_VERSION + 1}")
    newer.close()
    before = file.read_bytes()
    assert trouble_of(Store.open, file) == "journal.newer"
    assert file.read_bytes() == before


def long_evening(file):
    store, session = evening(file, setup=toy_setup(rounds=40))
    for _ in range(40):
        play_a_round(session, 3, 4)
    store.close()
    return file.read_bytes()


@pytest.mark.parametrize("page", [1, 2, 3, 4, -1])
def test_a_page_of_rubbish_is_found_before_anything_is_written(file, page):
    whole = long_evening(file)
    start = page * 4096 if page > 0 else len(whole) - 4096
    damaged = whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :]
    file.write_bytes(damaged)
    assert trouble_of(Store.open, file) in {"journal.damaged", "journal.damaged_session"}
    assert file.read_bytes() == damaged


@pytest.mark.parametrize("length", [1, 99, 4096, 10_000])
def test_a_journal_cut_short_is_left_as_it_is(file, length):
    whole = long_evening(file)
    file.write_bytes(whole[:length])
    assert trouble_of(Store.open, file) in {"journal.damaged", "journal.foreign"}
    assert file.read_bytes() == whole[:length]


def test_one_changed_digit_in_an_act_is_found(file):
    whole = long_evening(file)
    assert whole.count(b'"value":4') > 10
    damaged = whole.replace(b'"value":4', b'"value":5', 1)
    file.write_bytes(damaged)
    assert trouble_of(Store.open, file) == "journal.damaged_session"
    assert file.read_bytes() == damaged


def test_a_missing_act_is_found(file):
    long_evening(file)
    with sqlite3.connect(file) as thief:
        thief.execute("DELETE FROM entries WHERE sequence = 7")
    thief.close()
    assert trouble_of(Store.open, file) == "journal.damaged_session"


def test_a_journal_emptied_beside_its_log_is_not_begun_anew(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    log = file.with_name(file.name + "-wal")
    kept = log.read_bytes()
    store.close()
    log.write_bytes(kept)
    file.write_bytes(b"")
    assert trouble_of(Store.open, file) == "journal.damaged"
    assert log.read_bytes() == kept


def test_a_folder_is_no_journal(tmp_path):
    assert trouble_of(Store.open, tmp_path) == "journal.folder"


def test_no_journal_is_made_by_looking(file):
    assert trouble_of(Store.look, file) == "journal.none"
    assert not file.exists()


def test_a_folder_that_is_missing_is_made(tmp_path):
    evening(tmp_path / "games" / "friday" / "one.sqlite3")[0].close()
    assert (tmp_path / "games" / "friday" / "one.sqlite3").exists()


def test_a_place_below_a_file_cannot_be_written(file):
    file.write_bytes(b"")
    assert trouble_of(Store.open, file / "journal.sqlite3") == "journal.read_only"


def test_a_game_that_is_gone_is_named(file):
    store, session = evening(file)
    session.act(Lay("Ann"))
    store.close()
    with sqlite3.connect(file) as other:
        row = other.execute("SELECT setup, salt, begun FROM sessions").fetchone()
        other.execute(
            "UPDATE sessions SET game = 'canasta', digest = ?", (schema.digest(0, "canasta", *row),)
        )
        other.execute("DELETE FROM entries")
    other.close()
    with Store.open(file) as again:
        with pytest.raises(StorageFault) as caught:
            again.read(1)
        again.begin(toy_setup())  # a new evening of another game can be kept all the same
    assert caught.value.text.code == "journal.no_game"
    assert caught.value.text.args["game"] == "canasta"


def test_acts_of_an_older_format_are_upcast_on_reading(file, monkeypatch):
    store, session = evening(file)
    session.act(Lay("Ann"))
    store.close()
    now = codec.FORMAT
    monkeypatch.setattr(codec, "FORMAT", now + 1)

    def rename(game_id, entry):
        assert game_id == "toy"
        acts = [{**act, "request": {**act["request"], "player": "Ben"}} for act in entry["acts"]]
        return {**entry, "acts": acts}

    monkeypatch.setattr(codec, "UPCASTS", {now: rename})
    with Store.open(file) as again:
        assert again.read(1).entries[0].acts[0].request == Lay("Ben")


def test_an_act_that_no_game_understands_is_said_without_its_values(file):
    with pytest.raises(codec.Unreadable) as caught:
        codec.decode_entry(
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
    say = Translator(language).say
    codes = {name for name in _codes_in_the_source() if name.startswith("journal.")}
    assert len(codes) >= 15
    args = {"file": "F", "process": "1", "game": "G", "reason": "R", "number": 3, "new": "N"}
    for code in codes:
        words = say(Text(code, args))
        assert words != code
        assert "{" not in words


def _codes_in_the_source():
    return re.findall(
        r'"(journal\.[a-z_]+)"', "".join(map(inspect.getsource, (store, place, storage_faults)))
    )


def test_a_journal_of_the_first_version_is_read_and_gone_on_with(file, capsys):
    """`version_1.sqlite3` was written by the program as it was then: seals under a salt, a public
    seed, entries without notes."""
    shutil.copy(Path(__file__).with_name("version_1.sqlite3"), file)
    with Store.look(file) as look:
        kept = look.read(1)
    assert kept.setup.seed == 4711
    assert [entry.kind for entry in kept.entries] == ["act"] * 5 + ["undo", "act", "correct"]
    assert kept.session().state.now.donkey == "normal"
    assert main(["history", "1", "--journal", str(file)]) == 0
    assert "3" in capsys.readouterr().out
    with Store.open(file) as store:
        session = store.take_up(1).session(store.append)
        assert not isinstance(session.act(NoFavour("Bob")), Refusal)
        assert len(store.read(1).entries) == 9
    assert file.read_bytes()[60:64] == schema.USER_VERSION.to_bytes(4, "big"), (
        "an older program leaves it alone now"
    )


def test_damage_that_sqlite_quotes_in_bytes_that_are_no_text_is_said(file):
    """Its message names the damaged row's own bytes."""
    store, session = evening(file)
    play_a_round(session, 3, 4)
    store.close()
    whole = file.read_bytes()
    for at in range(100, len(whole), 37):
        file.write_bytes(whole[:at] + b"\xf2\x8e\xa3" + whole[at + 3 :])
        with contextlib.suppress(StorageFault), Store.open(file) as again:
            again.read(1)
        for rest in file.parent.glob(f"{file.name}-*"):
            rest.unlink()
