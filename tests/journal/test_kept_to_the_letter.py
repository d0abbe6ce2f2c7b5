"""Two evenings as the journal gives them back: entry by entry in words, the lines of the log, the
score sheet, the summary and every export. After a change that is meant: `WRITE=1 pytest
tests/journal/test_kept_to_the_letter.py`, and read the difference."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.journal import narration as module
from companion.journal.export import FORMATS, without_old_seals
from companion.journal.history import records, score_sheet
from companion.journal.journal import EACH, Journal
from companion.journal.kept import prove
from companion.journal.narration import Line, Lines
from companion.journal.store import Store
from companion.journal.summaries import summary_of
from companion.rules import registry
from companion.rules.acts import Entry
from companion.rules.contract import Text
from companion.rules.people import Seated
from companion.rules.session import Session
from companion.settings import Person, Settings
from companion.texts import Translator
from tests.correcting import correct
from tests.rules.evenings import evenings_of
from tests.toy import TOY, Lay, Show, toy_setup

FILE = Path(__file__).with_name("kept.txt")
BEGUN = 1_790_000_000.25
KNOWN = Settings(people=(Person("Zoé", "ID-OF-ZOE"),))


@pytest.fixture
def toy_and_others(monkeypatch):
    real = registry.load
    monkeypatch.setattr(registry, "load", lambda game_id: TOY if game_id == "toy" else real(game_id))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def toy(store):
    """Slips of every kind, and people who change."""
    setup = toy_setup("Ann", "=Ben", "Cid", rounds=2)
    store.begin(setup, BEGUN)
    session = Session(TOY, setup, kept_at(store, BEGUN))
    players = setup.players
    for request in (*map(Lay, players), Show("Ann", 3), Show("=Ben", 9)):
        session.act(request)
    session.undo()
    session.act(Show("=Ben", 8))
    session.act(Show("Cid", 8))
    session.seat(Seated("rename", "Cid", "Zoé"))
    session.undo()
    session.redo()
    correct(session, 3, Show("Ann", 9))
    session.undo()
    session.redo()
    session.act(Lay("Cid"))
    correct(session, 6, None)
    session.seat(Seated("stand_in", "Ann", "Eve"))
    for request in (*map(Lay, players), Show("Ann", 1), Show("=Ben", 2), Show("Cid", 7)):
        session.act(request)
    return session


def dtc(store):
    """The first half of an evening of DTC."""
    evening = evenings_of("dtc")[0]
    store.begin(evening.setup, BEGUN + 86_400)
    session = Session(evening.game, evening.setup, kept_at(store, BEGUN + 86_400))
    players = evening.players
    for _ in range(12):
        session.act(players.next(session.acts(), session.view()).request)
    session.undo()


def kept_at(store, begun):
    moments = iter(range(10_000))
    return lambda entry: store.append(entry, begun + 61.5 * next(moments))


def told(kept):
    say = Translator("en", kept.session().game, kept.people.shown).say
    for one in records(kept):
        yield f"{one.number} {one.time} {one.player} {say(one.text)} {dict(one.points)} {one.renames or ''}"
    for line in kept.narration().lines:
        yield f"  {line.act} {say(line.text)} {'' if line.stands else '(no more)'}"
    yield f"last: {kept.narration().last and say(kept.narration().last)}"
    yield from (f"{row.round}: {dict(row.points)}" for row in score_sheet(kept))
    yield str(msgspec.to_builtins(summary_of(kept)))
    yield str(prove(kept))


def test_two_evenings_to_the_letter(tmp_path, toy_and_others):
    with Store.open(tmp_path / "journal.sqlite3") as store:
        toy(store)
        dtc(store)
        rows = store.sessions()
        kept = [store.read(row.number) for row in rows]
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
    if os.environ.get("WRITE"):
        FILE.write_text("\n".join(found) + "\n", encoding="utf-8")
    assert found == FILE.read_text(encoding="utf-8").splitlines()


@given(st.data())
def test_lines_are_a_list_that_shares_its_pieces(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PIECE", 3)
        drawn = st.lists(st.integers(0, 2), max_size=8)
        plain, lines = [], Lines()
        for _ in range(data.draw(st.integers(1, 6))):
            begin = data.draw(st.integers(0, len(plain)))
            new = [
                Line(len(plain) + number, Text("x", {"kind": kind}))
                for number, kind in enumerate(data.draw(drawn))
            ]
            before, was = lines, plain
            plain, lines = [*plain[:begin], *new], lines.replaced(begin, new)
            assert (list(lines), len(lines)) == (plain, len(plain))
            assert list(before) == was, "it never changes"
            same = next(
                (at for at, pair in enumerate(zip(was, plain, strict=False)) if pair[0] != pair[1]),
                min(len(was), len(plain)),
            )
            # Of the first piece that they do not share the lines are compared, of others none.
            assert lines.since(before) == min(same, 3 * (begin // 3 + 1))
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
    monkeypatch.setattr(journal._store, "sync", lambda: synced.append(journal.waiting))
    journal.look_after(100.0)
    journal.look_after(100.0 + EACH - 0.1)
    journal.begin(toy_setup())
    journal.append(Entry("act", (), 0))
    assert len(synced) == 1, "what is written does not wait for the disk"
    journal.look_after(100.0 + EACH)
    assert synced == [0, 0]
    journal.close()
    assert len(synced) == 3
    journal.look_after(200.0)
    assert len(synced) == 3


def test_a_player_named_like_an_old_seal_stays_in_the_export():
    name = "0123456789abcdef" * 2
    other = "f" * 32
    acts = [{"player": name, "sealed": [other], "seal": other, "count": 1}]
    assert without_old_seals(acts, [name]) == [{"player": name, "sealed": [], "count": 1}]
