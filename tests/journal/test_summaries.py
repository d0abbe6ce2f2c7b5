"""Summaries of sessions: counted once, the same when they are read again, and only a help."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from types import SimpleNamespace

import msgspec
import pytest

from companion.folders import user_cache_folder
from companion.journal import summaries as module
from companion.journal.store import Store
from companion.journal.summaries import SessionSummary, iter_last_played, load_summaries, summarise_session
from companion.rules import registry
from companion.rules.acts import Act, Entry
from companion.rules.contract import Tally
from companion.rules.messages import Text
from companion.rules.people import SeatChange
from companion.rules.session import Session
from tests.rules.evenings import evenings_of

SUMMARY = SessionSummary(
    number=1,
    game="dtc",
    begun=1.0,
    last=4.0,
    minutes=4.0,
    names={"s1": "Ann", "s2": "Ben", "s3": "Cid"},
    shown={"s1": "Eve (Ann)"},
    points={"Ann": 1, "Ben": 2, "Cid": 3},
    ranks={"Ann": 3, "Ben": 2, "Cid": 1},
    winners=("Ben", "Cid"),
    tallies=tuple(
        Tally("offers", Text("figures.pawn.locked"), *one) for one in (("Ben", 2), ("Cid",), ("Zoe",))
    ),
)


@pytest.fixture
def counted(monkeypatch, tmp_path):
    """The sessions that are counted, by number, with a cache folder of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = []

    def count(kept):
        found.append(kept.number)
        return summarise_session(kept)

    monkeypatch.setattr(module, "summarise_session", count)
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a journal of the five games, the first half of each, in which a name was put
    right."""
    path = tmp_path_factory.mktemp("played") / "journal.sqlite3"
    with Store.open(path) as store:
        for begun, game in enumerate(registry.list_game_ids()):
            evening = evenings_of(game)[0]
            store.start_session(evening.setup, 1.79e9 + 7200 * begun)
            session = Session(evening.game, evening.setup, store.append)
            for _act in range(40):
                session.act(evening.players.next_action(session.list_acts(), session.view()).request)
            store.append(Entry("note", (), notes=(SeatChange("rename", evening.setup.players[0], "Zoé"),)))
    return path.parent


@pytest.fixture
def file(played, tmp_path):
    """A copy of that journal."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path / "journal.sqlite3"


def listed(file):
    with Store.open_read_only(file) as store:
        return list(load_summaries(store, store.list_sessions()))


def test_each_session_is_counted_once_and_is_the_same_when_it_is_read_again(file, counted):
    first = listed(file)
    assert counted == [1, 2, 3, 4, 5]
    assert listed(file) == first
    assert counted == [1, 2, 3, 4, 5]
    assert [found.players[0] for found in first] == ["Zoé"] * 5
    assert any(found.tallies for found in first)
    with Store.open_read_only(file) as store:
        assert first == [summarise_session(store.read_session(number)) for number in range(1, 6)]


def test_only_what_went_on_is_counted_anew(file, counted):
    listed(file)
    with Store.open(file) as store:
        kept = store.resume_session(3)
        kept.restore_session(store.append).undo()
    assert listed(file)[2].last > kept.times[-1]
    assert counted == [1, 2, 3, 4, 5, 3]


@pytest.mark.parametrize("change", [("FORMAT", 99), ("__version__", "9"), ("_game_modified_at", len)])
def test_another_program_or_another_game_counts_anew(file, counted, monkeypatch, change):
    listed(file)
    monkeypatch.setattr(module, *change)
    listed(file)
    assert counted == [1, 2, 3, 4, 5] * 2


def test_a_game_whose_files_change_is_counted_anew(file, counted, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "find_game_folder", lambda game: tmp_path)
    # not remembered, as by the next program
    monkeypatch.setattr(module, "_game_modified_at", module._game_modified_at.__wrapped__)
    (tmp_path / "moves.py").touch()
    for seconds in (1, 1, 2):
        os.utime(tmp_path / "moves.py", (seconds, seconds))
        listed(file)
    assert counted == [1, 2, 3, 4, 5] * 2


def test_a_copy_is_not_counted_and_has_numbers_of_its_own(file, counted, tmp_path):
    before = listed(file)
    copy = tmp_path / "copy.sqlite3"
    shutil.copy(file, copy)
    # as if the first four had never been in it
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("DELETE FROM entries WHERE session < 5")
        connection.execute("DELETE FROM sessions WHERE session < 5")
    assert listed(copy) == before[4:]
    assert counted == [1, 2, 3, 4, 5]


def garbled(place):
    place.write_bytes(b"SQLite format 3\0, and then nothing of the kind")


def other_tables(place):
    place.unlink()
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("CREATE TABLE summaries (something TEXT)")


def half_written(place):
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("UPDATE summaries SET summary = substr(summary, 1, 20)")


def a_folder(place):
    place.unlink()
    place.mkdir()


@pytest.mark.parametrize(
    ("harm", "times"), [(garbled, 2), (other_tables, 2), (half_written, 2), (a_folder, 3)]
)
def test_whatever_became_of_them_they_are_counted_anew_and_kept_again(file, counted, harm, times):
    first = listed(file)
    cache = user_cache_folder() / "summaries.sqlite3"
    assert cache.stat().st_mode & 0o777 == 0o600
    harm(cache)
    assert listed(file) == listed(file) == first
    assert counted == [1, 2, 3, 4, 5] * times


def test_a_session_that_cannot_be_read_is_told_and_hides_no_other(file, counted):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE entries SET acts = x'00' WHERE session = 2 AND sequence = 7")
    found = listed(file)
    assert found[1].code == "journal.damaged_session"
    assert [one.number for one in found if not isinstance(one, Text)] == [1, 3, 4, 5]
    with Store.open_read_only(file) as store:
        assert [one.number for one in iter_last_played(store, {1.79e9})] == [5, 4, 3]


def test_words_within_words_come_back_as_they_were(file, counted, monkeypatch):
    row = Text("figures.place", {"who": ("Ann", Text("card.ox", n=2)), "place": 1})
    game = registry.load_game("dtc")
    monkeypatch.setattr(
        type(game),
        "tally_event",
        lambda *_states: (Tally("places", row, "Zoé", "7/3"), Tally("places", row, "Zoé", "2/3")),
    )
    first = listed(file)
    dtc = next(one for one in first if one.game == "dtc")
    [tally] = {one.row.code: one for one in dtc.tallies}.values()
    assert (tally.row, tally.points) == (row, tally.times * 3 // 2)
    assert listed(file) == first


def test_who_is_called_otherwise_by_now_is_so_everywhere_but_for_two_of_one_name():
    def tally(player, **more):
        return Tally("offers", Text("figures.pawn.locked"), player, **more)

    summary = SUMMARY
    renamed = summary.with_renamed_players({"Ben": "Max", "Cid": "Ann"})
    assert renamed.names == {"s1": "Ann", "s2": "Max", "s3": "Cid"}
    assert renamed.shown == {"s1": "Eve (Ann)", "s2": "Max"}
    assert (renamed.points, renamed.ranks) == ({"Ann": 1, "Max": 2, "Cid": 3}, {"Ann": 3, "Max": 2, "Cid": 1})
    assert renamed.winners == ("Max", "Cid")
    assert renamed.tallies == (tally("Max", points=2), tally("Cid"), tally("Zoe"))
    assert summary.with_renamed_players({"Flo": "Max"}) is summary


def test_a_game_is_counted_by_what_was_tried_for_whom_and_whether_it_won_anything(monkeypatch):
    def tally(player, points=None, right=None, row="figures.pawn.locked"):
        return Tally("offers", Text(row), player, points, right)

    told = [
        [tally("Ann", 2), tally("Ann"), tally("Ann", "1/3")],
        [tally("Ben", 1, True), tally("Ben", 1, False), tally("Ben", 1, True)],
        [tally("Ben", 1, True, "figures.pawn.lost"), tally("Ann")],
    ]
    game = SimpleNamespace(
        start=lambda setup: 0, evolve=lambda state, event: event, tally_event=lambda *moment: told[moment[1]]
    )
    session = SimpleNamespace(setup=None, list_acts=lambda: [Act(None, (0, 1)), Act(None, (2,))])
    found = module._collect_tallies(game, SimpleNamespace(restore_session=lambda: session), {"Ben": "Max"})
    assert [(one.player, one.points, one.right, one.times) for one in found] == [
        ("Ann", "7/3", None, 2),
        ("Ann", None, None, 2),
        ("Max", 2, True, 2),
        ("Max", 1, False, 1),
        ("Max", 1, True, 1),
    ]


def test_an_id_is_a_uuid_of_version_7_of_the_time_at_which_it_began(file):
    with Store.open_read_only(file) as store:
        rows = store.list_sessions()
        assert [store.read_session(row.number).id for row in rows] == [row.id for row in rows]
    assert {(row.id.version, row.id.variant) for row in rows} == {(7, "specified in RFC 4122")}
    assert [row.id.int >> 80 for row in rows] == [round(row.begun * 1000) for row in rows]
    assert len({row.id for row in rows}) == 5
    assert datetime.fromtimestamp((rows[0].id.int >> 80) / 1000, UTC).year == 2026


def test_an_evening_lasted_as_long_as_it_was_played(tmp_path):
    """Two minutes a step; the clock is put back by an hour, and the rest is played next week."""
    evening = evenings_of("dtc")[0]
    clock = [1.79e9 + step for step in (120, 240, 240 - 3600, 360 - 3600, 360 + 7 * 86400, 480 + 7 * 86400)]
    with Store.open(tmp_path / "journal.sqlite3") as store:
        store.start_session(evening.setup, 1.79e9)
        moments = iter(clock)
        session = Session(evening.game, evening.setup, lambda entry: store.append(entry, next(moments)))
        for _act in clock:
            session.act(evening.players.next_action(session.list_acts(), session.view()).request)
        counted = summarise_session(store.read_session(1))
    assert counted.minutes == 2 * 4
    assert counted.last == clock[-1]


def test_a_name_beside_the_log_is_read_anew_without_a_new_entry(tmp_path, counted):
    path = tmp_path / "labels.sqlite3"
    with Store.open(path) as store:
        setup = msgspec.structs.replace(evenings_of("dtc")[0].setup, players=("s1", "s2"))
        store.start_session(setup, 1.79e9, {"s1": "Zoé", "s2": "Max"})
        store.append(Entry("note", (), notes=(SeatChange("back", "s1"),)))
        for names in (["Zoé", "Max"], ["Zoé", "Max"], ["Zoé", "Maxi"]):
            if "Maxi" in names:
                store.rename_player("s2", "Maxi")
            (summary,) = load_summaries(store, store.list_sessions())
            assert [*summary.names.values()] == names
    assert counted == [1, 1], "once for each change of names"
