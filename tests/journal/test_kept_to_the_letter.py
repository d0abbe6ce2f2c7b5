"""Two evenings as the journal gives them back: entry by entry in words, the lines of the log, the
score sheet, the summary and every export. After a change that is meant: `WRITE=1 pytest
tests/journal/test_kept_to_the_letter.py`, and read the difference."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.journal import narration as module
from companion.journal.export import FORMATS, remove_old_seals
from companion.journal.history import build_records, build_score_sheet
from companion.journal.journal import CHECK_INTERVAL, Journal
from companion.journal.narration import LogLine, LogLines
from companion.journal.saved_session import verify_commitments
from companion.journal.store import Store
from companion.journal.summaries import summarise_session
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Text
from companion.rules.people import SeatChange
from companion.rules.session import Session
from companion.settings import Person, Settings
from companion.texts import Translator
from tests.correcting import correct
from tests.letters import compare_with_file
from tests.rules.evenings import evenings_of
from tests.toy import TOY, Lay, Show, toy_setup

FILE = Path(__file__).with_name("kept.txt")
BEGUN = 1_790_000_000.25
KNOWN = Settings(people=(Person("Zoé", "ID-OF-ZOE"),))


@pytest.fixture
def toy_and_others(monkeypatch):
    real = registry.load_game
    monkeypatch.setattr(registry, "load_game", lambda game_id: TOY if game_id == "toy" else real(game_id))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def toy(store):
    """Slips of every kind, and people who change."""
    setup = toy_setup("Ann", "=Ben", "Cid", rounds=2)
    store.start_session(setup, BEGUN)
    session = Session(TOY, setup, kept_at(store, BEGUN))
    players = setup.players
    for request in (*map(Lay, players), Show("Ann", 3), Show("=Ben", 9)):
        session.act(request)
    session.undo()
    session.act(Show("=Ben", 8))
    session.act(Show("Cid", 8))
    session.record_seat_change(SeatChange("rename", "Cid", "Zoé"))
    session.undo()
    session.redo()
    correct(session, 3, Show("Ann", 9))
    session.undo()
    session.redo()
    session.act(Lay("Cid"))
    correct(session, 6, None)
    session.record_seat_change(SeatChange("stand_in", "Ann", "Eve"))
    for request in (*map(Lay, players), Show("Ann", 1), Show("=Ben", 2), Show("Cid", 7)):
        session.act(request)
    return session


def dtc(store):
    """The first half of an evening of DTC."""
    evening = evenings_of("dtc")[0]
    store.start_session(evening.setup, BEGUN + 86_400)
    session = Session(evening.game, evening.setup, kept_at(store, BEGUN + 86_400))
    players = evening.players
    for _ in range(12):
        session.act(players.next_action(session.list_acts(), session.view()).request)
    session.undo()


def kept_at(store, begun):
    moments = iter(range(10_000))
    return lambda entry: store.append(entry, begun + 61.5 * next(moments))


def told(kept):
    translator = Translator("en", kept.restore_session().game, kept.people.display_names).translate
    for one in build_records(kept):
        yield f"{one.number} {one.time} {one.player} {translator(one.text)} {dict(one.points)} {one.renames or ''}"
    for line in kept.replay_narration().lines:
        yield f"  {line.act} {translator(line.text)} {'' if line.stands else '(no more)'}"
    yield f"last: {kept.replay_narration().last_text and translator(kept.replay_narration().last_text)}"
    yield from (f"{row.round}: {dict(row.points)}" for row in build_score_sheet(kept))
    yield str(msgspec.to_builtins(summarise_session(kept)))
    yield str(verify_commitments(kept))


def test_two_evenings_to_the_letter(tmp_path, toy_and_others):
    with Store.open(tmp_path / "journal.sqlite3") as store:
        toy(store)
        dtc(store)
        rows = store.list_sessions()
        kept = [store.read_session(row.number) for row in rows]
        asked = ("application_id", "user_version")
        file = [store._db.execute(f"PRAGMA {one}").fetchone()[0] for one in asked]
    found = [f"the file: {file}"]
    found += [f"{row.number} {row.game} {row.begun} {row.last} {row.entries}" for row in rows]
    for one in kept:
        assert one.id is not None
        found += told(one)
    plain = [msgspec.structs.replace(one, id=UUID(int=one.number), _replayed=[]) for one in kept]
    for name, language in (("csv", "en"), ("csv", "fr"), ("json", "en"), ("bgstats", "fr")):
        found += "".join(FORMATS[name](plain, language, KNOWN)).splitlines()
    compare_with_file(FILE, found)


@given(st.data())
def test_lines_are_a_list_that_shares_its_pieces(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", 3)
        drawn = st.lists(st.integers(0, 2), max_size=8)
        plain, lines = [], LogLines()
        for _ in range(data.draw(st.integers(1, 6))):
            begin = data.draw(st.integers(0, len(plain)))
            new = [
                LogLine(len(plain) + number, Text("x", {"kind": kind}))
                for number, kind in enumerate(data.draw(drawn))
            ]
            before, was = lines, plain
            plain, lines = [*plain[:begin], *new], lines.with_replaced_tail(begin, new)
            assert (list(lines), len(lines)) == (plain, len(plain))
            assert list(before) == was, "it never changes"
            same = next(
                (at for at, pair in enumerate(zip(was, plain, strict=False)) if pair[0] != pair[1]),
                min(len(was), len(plain)),
            )
            # Of the first piece that they do not share the lines are compared, of others none.
            assert lines.count_shared_lines(before) == min(same, 3 * (begin // 3 + 1))
            assert (lines == before) == (plain == was)
            at = data.draw(st.integers(-len(plain) - 1, len(plain)))
            if -len(plain) <= at < len(plain):
                assert lines[at] == plain[at]
            else:
                with pytest.raises(IndexError):
                    lines[at]
            assert lines[at : at + 4] == tuple(plain[at : at + 4])
            assert lines[::-2] == tuple(plain[::-2])


def test_what_is_kept_is_looked_after_now_and_then(tmp_path, monkeypatch):
    journal, synced = Journal.open(tmp_path / "journal.sqlite3"), []
    monkeypatch.setattr(journal._store, "sync_checkpoint", lambda: synced.append(journal.pending_count))
    journal.run_maintenance(100.0)
    journal.run_maintenance(100.0 + CHECK_INTERVAL - 0.1)
    journal.start_session(toy_setup())
    journal.append(Entry("act", (), 0))
    assert len(synced) == 1, "what is written does not wait for the disk"
    journal.run_maintenance(100.0 + CHECK_INTERVAL)
    assert synced == [0, 0]
    journal.close()
    assert len(synced) == 3
    journal.run_maintenance(200.0)
    assert len(synced) == 3


def test_a_player_named_like_an_old_seal_stays_in_the_export():
    name = "0123456789abcdef" * 2
    other = "f" * 32
    acts = [{"player": name, "sealed": [other], "seal": other, "count": 1}]
    assert remove_old_seals(acts, [name]) == [{"player": name, "sealed": [], "count": 1}]
