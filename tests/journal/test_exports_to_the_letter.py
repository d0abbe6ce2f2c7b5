"""Whole evenings in every format of `companion export`, and what is read of exports of BG Stats.
After a change that is meant: `WRITE=1 pytest tests/journal/test_exports_to_the_letter.py`, and read
the difference."""

from __future__ import annotations

import codecs
import io
import json
import time
import zipfile
from pathlib import Path

import msgspec
import pytest

from companion.journal import schema
from companion.journal.bgstats_import import list_own_plays, read_bgstats_players, read_bgstats_plays
from companion.journal.export import (
    FORMATS,
    NoFinishedSession,
    format_bgstats,
    format_bgstats_plays,
    format_csv,
    format_utc,
)
from companion.journal.sidecar_files import SessionNotes
from companion.journal.spreadsheets import SheetStyle
from companion.journal.store import Store
from companion.journal.summaries import SessionSummary, summarise_session
from companion.rules.contract import Problem
from companion.rules.session import Session
from companion.settings import Person, Settings
from tests.letters import compare_with_file
from tests.rules.evenings import EVENINGS, Recorded

LETTERS = Path(__file__).with_name("letters")
BEGUN = 1_790_000_000.25
SESSION_ID = "01a0c450-6cfa-7c8a-af37-713c00b4bf3b"
LINKS = (
    "6c8aef37713c00b4bf3b2a8cd90ce885424e47e43db2145a4d98b63b04cc752a",
    "24599ca5ef9be643768bf142885dc143d194a843836489fc650a10b5fc922513",
)
COUNTED = [one for one in EVENINGS if one.golden and one.name in ("told", "hands")]
"""An evening of each game of which only the end is told: few acts, and all that an export has."""
SETTINGS = Settings(people=(Person("Ben", "BEN-IN-THE-APP"),), called={"Ann": "Anne", "Cy": "Ben"})


@pytest.fixture
def universal_time(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def saved(tmp_path, universal_time):
    """One evening of each game, of which the acts came a minute and a half after each other."""
    with Store.open(tmp_path / "journal.sqlite3") as store:
        for day, evening in enumerate(COUNTED):
            moments = iter(range(1000))
            begun = BEGUN + 86_400 * day
            store.start_session(evening.setup, begun)
            session = Session(
                evening.game,
                evening.setup,
                lambda entry, begun=begun, moments=moments: store.append(entry, begun + 90.5 * next(moments)),
            )
            for deed in Recorded.load(evening).deeds:
                session.act(deed.request)
        return [store.read_session(row.number) for row in store.list_sessions()]


@pytest.mark.parametrize(("name", "language"), [("csv", "en"), ("json", "de"), ("bgstats", "fr")])
def test_an_evening_of_each_game_to_the_letter(saved, name, language):
    text = "".join(FORMATS[name](saved, language, SETTINGS))
    compare_with_file(LETTERS / f"evenings.{name}", text.splitlines())


def test_the_columns_of_a_spreadsheet_in_french_and_of_nothing(saved):
    lines = "".join(format_csv(saved[:2], "fr", style=SheetStyle("semicolon", has_mark=True)))
    compare_with_file(LETTERS / "evenings_french.csv", lines.split("\r\n"))
    assert "".join(FORMATS["csv"]([], "en", SETTINGS)).split(",")[:2] == ["game", "date"]
    nothing = "".join(FORMATS["json"]([], "en", SETTINGS))
    assert nothing == '{\n "format": "card-table-companion 1",\n "sessions": []\n}\n'
    with pytest.raises(NoFinishedSession):
        list(format_bgstats([], "en", SETTINGS))
    assert format_utc(0.5) == "1970-01-01T00:00:00.500+00:00"


PLAYS = [
    (
        SessionSummary(
            1, "dtc", BEGUN, BEGUN + 600, 10.4, {"Ann": "Ann", "Ben": "Ben"}, {}, {"Ann": 3, "Ben": -2},
            {"Ann": 2, "Ben": 1}, ("Ben",),
        ),
        SessionNotes("Café <Ânes>", "Rain\nall day"),
    ),
    (
        SessionSummary(
            7, "partners", BEGUN, BEGUN + 6000, 99.6, {"A": "Zoé", "B": "Ben", "C": "Cid", "D": "\u202eDot"}, {},
            {"Zoé": 4, "Ben": 1, "Cid": 4, "\u202eDot": "4/3"},
            {"Zoé": 1, "Ben": 3, "Cid": 1, "\u202eDot": 3}, ("Zoé", "Cid"),
        ),
        SessionNotes("", ""),
    ),
    (
        SessionSummary(
            9, "dtc", BEGUN + 86_400, BEGUN + 90_000, 60.0, {"Cid": "Cid", "Ann": "Ann"}, {}, {"Cid": 0, "Ann": 0},
            {"Cid": 1, "Ann": 1}, ("Cid", "Ann"),
        ),
        SessionNotes("At home", ""),
    ),
    (
        SessionSummary(
            10, "ascend", BEGUN + 86_400, BEGUN + 90_000, 60.0, {"Cid": "Cid", "Ann": "Ann", "X": "X"}, {},
            {"Cid": 30, "Ann": 0, "X": 1}, {"Cid": 1, "Ann": 3, "X": 2}, ("Cid",),
        ),
        SessionNotes("Café <Ânes>", "short"),
    ),
]  # fmt: skip
"""Plays with notes and without, in teams and alone, tied and won."""


@pytest.mark.parametrize("language", ["en", "fr"])
def test_plays_for_bg_stats_to_the_letter(universal_time, language):
    text = format_bgstats_plays(PLAYS, language, {"Ben": "BEN-IN-THE-APP", "Ann": ""})
    compare_with_file(LETTERS / f"plays_{language}.bgstats", text.splitlines())


def read(file, **known):
    """List what is read of an export."""
    people = [Person(name, uuid) for name, uuid in known.items()]
    found = read_bgstats_plays(file, people, {"MINE"})
    yield f"left out: {found.left_out}"
    yield from (str(msgspec.to_builtins(one)) for one in found.plays)
    yield from (str(msgspec.to_builtins(one)) for one in read_bgstats_players(file))


def play(game, *scores, date="2026-09-21 14:13:20", minutes=75, **more):
    """A play of the app: players by their numbers, with points, rank and seat."""
    rows = [
        {"playerRefId": player, "score": score, "rank": rank, "seatOrder": seat}
        for player, score, rank, seat in scores
    ]
    return {"gameRefId": game, "playDate": date, "durationMin": minutes, "playerScores": rows, **more}


EXPORT = {
    "players": [
        {"id": 1, "uuid": "ANN", "name": "Ann"},
        {"id": 2, "uuid": "BEN", "name": " Ben, the tall "},
        {"id": 3, "uuid": "CY", "name": "Ann"},
        {"id": 4, "name": "", "isAnonymous": 1},
        {"id": 5, "uuid": " \u202eEVE ", "name": "E" * 90},
        {"id": 6, "uuid": "FAY", "name": "Fay", "isAnonymous": True},
        {"uuid": "GUS", "name": "Gus"},
    ],
    "games": [
        {"id": 1, "name": "DTC"},
        {"id": 2, "name": "PARTNERS", "bggName": "unknown"},
        {"id": 3, "name": "Chess"},
        {"id": 4, "name": "Mine", "bggName": "Ochs & Esel"},
    ],
    "plays": [
        play(1, (1, "12", 2, 1), (2, "13,5", 1, 2)),
        play(1, (1, 12.5, 0, 2), (2, "-3", 0, 1), (3, " +7 ", 0, 3), minutes=3),
        play(1, (1, "1", 1, 0), (2, "1", 1, 5)),
        play(2, (1, "4", 1, 1), (2, "0", 2, 2), (3, "4", 1, 3), (5, "0", 2, 4), uuid="OTHER"),
        play(2, (1, "4", 1, 1), (2, "0", 2, 2)),
        play(3, (1, "4", 1, 1), (2, "0", 2, 2)),
        play(4, (1, "40", 0, 1), (2, "10", 0, 2), (3, "10", 0, 3)),
        play(1, (1, "12", 2, 1), (2, "13", 1, 2), uuid="MINE"),
        play(1, (1, "12", 2, 1), (2, "13", 1, 2), ignored=1),
        play(1, (1, "12", 2, 1), (4, "13", 1, 2)),
        play(1, (1, "12", 2, 1), (1, "13", 1, 2)),
        play(1, (1, "1e3", 2, 1), (2, "13", 1, 2)),
        play(1, (1, None, 2, 1), (2, "13", 1, 2)),
        play(1, (1, "1", 2, 1), (2, "13", 1, 2), date="yesterday"),
        play(1, (1, "1", 2, 1), (9, "13", 1, 2)),
    ],
}


def test_what_is_read_of_an_export_of_bg_stats_to_the_letter(tmp_path, universal_time):
    file = tmp_path / "export.json"
    file.write_text(json.dumps(EXPORT), encoding="utf-8")
    lines = ["nobody known", *read(file), "some known", *read(file, Bénédicte="BEN", Cyril="CY", Nobody="")]
    text = format_bgstats_plays(PLAYS, "fr", {"Ben": "BEN-IN-THE-APP"})
    file.write_text(text, encoding="utf-8")
    compare_with_file(LETTERS / "read_of_bgstats.txt", [*lines, "our own", *read(file, Ben="BEN-IN-THE-APP")])


def packed(*names):
    """An archive in which the last of these files is the export, and the others are empty."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in names:
            archive.writestr(name, b"" if name is not names[-1] else json.dumps(EXPORT))
    return target.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(EXPORT).encode(),
        codecs.BOM_UTF8 + json.dumps(EXPORT).encode(),
        codecs.BOM_UTF16_LE + json.dumps(EXPORT).encode("utf-16-le"),
        codecs.BOM_UTF16_BE + json.dumps(EXPORT).encode("utf-16-be"),
        packed("export"),
        packed("pictures/", "pictures/1.jpg", "BGStatsExport.bgsplay"),
        packed("1.jpg", "Export.JSON"),
    ],
    ids=["plain", "mark", "UTF-16", "the other UTF-16", "packed", "with pictures", "JSON in capitals"],
)
def test_exports_are_read_however_they_were_sent(tmp_path, data):
    file = tmp_path / "export"
    file.write_bytes(data)
    assert [one.name for one in read_bgstats_players(file)][:3] == ["Ann", "Ben  the tall", "Ann (2)"]
    assert len(read_bgstats_plays(file, [], ()).plays) == 6


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"players": 3}',
        b"\xff\xff",
        b"PK\x03\x04 damaged",
        packed("1.jpg", "2.jpg"),
        b"[" * 9999,
    ],
)
def test_what_is_no_export_is_said(tmp_path, data):
    file = tmp_path / "export"
    file.write_bytes(data)
    for reader in (read_bgstats_players, lambda path: read_bgstats_plays(path, [], ())):
        with pytest.raises(Problem) as error:
            reader(file)
        assert (error.value.text.code, error.value.text.args) == ("people.no_export", {"file": str(file)})


def test_plays_of_the_journal_are_known_by_their_ids(saved, tmp_path):
    text = "".join(format_bgstats(saved, "en", SETTINGS))
    ids = {one["uuid"] for one in json.loads(text)["plays"]}
    summaries = list(map(summarise_session, saved))
    assert list_own_plays(summaries) == ids
    file = tmp_path / "own"
    file.write_text(text, encoding="utf-8")
    assert read_bgstats_plays(file, [], ids) == ((), 0)
    assert len(read_bgstats_plays(file, [], ()).plays) == len(ids)


def test_the_links_of_a_journal_are_what_every_program_computes():
    """Journals of all versions hold them, and other programs verify them."""
    first = schema.compute_first_link("dtc", b"{}", BEGUN)
    following = schema.compute_next_link(first, 0, BEGUN + 1.5, "act", 3, 2, b"[1]")
    assert str(schema.compute_session_id("dtc", b"{}", BEGUN)) == SESSION_ID
    assert (first.hex(), following.hex()) == LINKS
    others = [
        schema.compute_next_link(first, *other)
        for other in (
            (1, BEGUN + 1.5, "act", 3, 2, b"[1]"),
            (0, BEGUN + 1.500001, "act", 3, 2, b"[1]"),
            (0, BEGUN + 1.5, "undo", 3, 2, b"[1]"),
            (0, BEGUN + 1.5, "act", 32, 2, b"[1]"),
            (0, BEGUN + 1.5, "act", 3, 1, b"[1]"),
            (0, BEGUN + 1.5, "act", 3, 2, b"[]"),
        )
    ]
    assert len({following, *others}) == 7


def test_an_export_that_says_little_is_read_as_far_as_it_goes(tmp_path, universal_time):
    scores = [{"playerRefId": 0, "score": "3"}, {"playerRefId": 2, "score": "5"}]
    date = "2026-09-21 14:13:20"
    little = {
        "players": [{"name": "Ann"}, {"id": 2, "name": "Ben"}],
        "games": [{"id": 1, "bggName": "DTC"}, {"id": 2}],
        "plays": [
            {"gameRefId": 1, "playDate": date, "playerScores": scores},
            {"gameRefId": 1, "playerScores": scores},
            {"gameRefId": 2, "playDate": date, "playerScores": scores},
            {"gameRefId": 1, "playDate": date, "playerScores": [{"playerRefId": 0}, scores[1]]},
            {"gameRefId": 1, "playDate": date},
        ],
    }
    file = tmp_path / "little.bgsplay"
    file.write_text(json.dumps(little))
    found = read_bgstats_plays(file, [], {"MINE"})
    assert (len(found.plays), found.left_out) == (1, 4)
    (one,) = found.plays
    assert (one.game, one.minutes, one.names) == ("dtc", 0, {"s1": "Ann", "s2": "Ben"})
    assert (one.points, one.ranks, one.winners) == ({"Ann": 3, "Ben": 5}, {"Ann": 1, "Ben": 2}, ("Ann",))
    assert [(one.name, one.uuid) for one in read_bgstats_players(file)] == [("Ann", ""), ("Ben", "")]
