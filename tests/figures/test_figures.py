"""`companion figures`: an evening counted by hand, whole random games that add up, tables,
pictures, and other people's players."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
import zipfile
from fractions import Fraction

import cv2
import pytest
from msgspec.structs import replace

from companion.__main__ import main
from companion.figures.rendering import FiguresWording, format_table
from companion.figures.tables import (
    FiguresTable,
    build_head_to_head_table,
    build_standings_table,
    build_tables,
    build_tally_tables,
)
from companion.journal.export import format_bgstats_plays
from companion.journal.saved_session import SavedSession
from companion.journal.sidecar_files import SessionNotes
from companion.journal.store import Store
from companion.journal.summaries import SessionSummary, summarise_session
from companion.rules import registry
from companion.rules.session import Session
from companion.settings import load_settings
from companion.views.dashboard.setup import NameSuggester
from tests.rules.donkey_valley.evening import Evening
from tests.rules.evenings import evenings_of


def play(winner, *ranks, number=1, game="dtc"):
    """A session of Ann, Ben and Cy, in this order of ranks; the winner is of rank 1."""
    names = ("Ann", "Ben", "Cy")[: len(ranks)]
    points, begun = dict.fromkeys(names, 3), float(number)
    called = dict(zip(names, names, strict=True))
    ranks = dict(zip(names, ranks, strict=True))
    return SessionSummary(number, game, begun, begun + 5400, 90.0, called, {}, points, ranks, (winner,))


def rows(table: FiguresTable):
    """A table as people read it: the cells of each row in English."""
    wording = FiguresWording("en")
    return [
        " ".join(
            wording.format_cell(cell, column, table) for cell, column in zip(row, table.columns, strict=True)
        )
        for row in table.rows
    ]


THREE = [play("Ann", 1, 2, 3), play("Ann", 1, 3, 2, number=2), play("Ben", 2, 1, number=3)]


def test_wins_their_rate_and_their_runs():
    assert rows(build_standings_table(THREE)) == ["Ann 3 2 67% 0 2", "Ben 3 1 33% 1 1", "Cy 2 0 0% 0 0"]


def test_head_to_head_counts_who_was_ranked_before_whom():
    assert rows(build_head_to_head_table([*THREE, play("Ann", 1, 1, number=4)])) == [
        "Ann – Ben 4 2 1 1",
        "Ann – Cy 2 2 0 0",
        "Ben – Cy 2 1 1 0",
    ]


def test_partners_are_not_compared_and_teams_reach_bg_stats():
    four = play("Ann", 1, 3, 1, game="partners")
    names = {**four.names, "Dee": "Dee"}
    four = replace(four, names=names, points=dict.fromkeys(names, 3), ranks={**four.ranks, "Dee": 3})
    assert rows(build_head_to_head_table([four])) == [
        "Ann – Ben 1 1 0 0",
        "Ann – Dee 1 1 0 0",
        "Ben – Cy 1 0 1 0",
        "Cy – Dee 1 1 0 0",
    ]
    told = json.loads(format_bgstats_plays([(four, SessionNotes())], "en", {}))
    assert told["games"][0]["usesTeams"] is told["plays"][0]["usesTeams"] is True
    assert [one["team"] for one in told["plays"][0]["playerScores"]] == ["1", "2", "1", "2"]
    told = json.loads(format_bgstats_plays([(one, SessionNotes()) for one in THREE], "en", {}))
    assert told["plays"][0]["usesTeams"] is False
    assert "team" not in told["plays"][0]["playerScores"][0]


def kept_of(talk):
    """What a journal would hold of a conversation with the referee."""
    session = talk.referee.session
    entries = []
    again = Session(session.game, session.setup, entries.append)
    for act in session.list_acts():
        again.act(act.request)
    return SavedSession(1, session.setup, 0.0, tuple(entries), tuple(60.0 * n for n in range(len(entries))))


def table_of(found, title):
    return next(table for table in found if table.title.code == title)


def test_an_evening_worked_by_hand():
    """Giant (18 for three): 10 + 8 + 1 = 19, overloaded; B and C accepted and win nothing, A
    refused and draws. Normal (15): 3 + 5 + 7.

    In the first A pays the 2 to decide last; in the second everybody accepts, so each wins their
    own load.
    """
    talk = Evening("ABC")
    talk.round("giant", [10, 8, 1], "RAA", A=2)
    drawn = talk.points[0]
    talk.round("normal", [3, 5, 7], "AAA")
    counted = summarise_session(kept_of(talk))
    assert not counted.is_over
    assert counted.minutes == pytest.approx(talk.referee.session.list_acts().__len__() - 1)
    found = build_tally_tables("donkey_valley", [counted])
    donkeys, by_player = [
        table for table in found if table.title.code in ("figures.donkeys", "figures.by_player.points")
    ][:2]
    assert rows(donkeys) == [
        f"giant donkey 3 33% {drawn / 3:.1f}",
        "normal donkey 3 100% 5.0",
    ]
    assert rows(by_player) == [f"giant donkey {drawn}.0 0.0 0.0", "normal donkey 3.0 5.0 7.0"]
    favours = table_of(found, "figures.favours")
    # none: B and C twice each less A's first round: (0 + 0 + 3 + 5 + 7) / 5 = 3
    assert rows(favours) == [
        f"2: decide last 1 100% {drawn}.0 {drawn - 3:+d}.0".replace("-", "−"),
        "none 5 60% 3.0 –",
    ]
    assert rows(table_of(found, "figures.decisions")) == ["accept 5 60%", "refuse 1 100%"]


def test_what_was_undone_is_not_counted():
    talk = Evening("ABC")
    talk.round("normal", [3, 5, 7], "AAA")
    before = summarise_session(kept_of(talk)).tallies
    assert before
    talk.referee.session.undo()
    assert summarise_session(kept_of(talk)).tallies == ()


def summed(counted, table):
    """The points of a count for each player."""
    total = dict.fromkeys(counted.players, Fraction())
    for one in counted.tallies:
        if one.table == table:
            total[one.player] += Fraction(one.points or 0)
    return total


ADDS_UP = {"donkey_valley": "donkeys", "dtc": "penalties", "ochs_und_esel": "hands", "ascend": "places"}
"""The count of each game whose points are those of the game."""


@pytest.fixture(scope="module")
def whole_games():
    """One whole game of each, played by its simulated players, as a journal holds it."""
    found = {}
    for game_id in registry.list_game_ids():
        evening = evenings_of(game_id)[0]
        entries = []
        session = Session(evening.game, evening.setup, entries.append)
        players = evening.players
        while (deed := players.next_action(session.list_acts(), session.view())) is not None:
            session.act(deed.request)
        found[game_id] = SavedSession(1, evening.setup, 0.0, tuple(entries), (0.0,) * len(entries))
    return found


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_whole_random_games_add_up(whole_games, game_id):
    counted = summarise_session(whole_games[game_id])
    assert counted.is_over
    assert counted.tallies
    if game_id in ADDS_UP:
        assert summed(counted, ADDS_UP[game_id]) == counted.points
    else:  # Partners: two players' eight pawns are locked, and nobody's fifth
        locked = [one for one in counted.tallies if one.row.code == "figures.pawn.locked"]
        assert sum(one.times for one in locked if one.player in counted.winners) == 8
    for language in ("en", "fr", "de"):
        lines = [
            line
            for table in build_tables([counted])
            for line in format_table(table, FiguresWording(language))
        ]
        assert not [line for line in lines if "figures." in line or "card." in line or "{" in line]


@pytest.fixture(scope="module")
def journal(whole_games, tmp_path_factory):
    """The five games in one journal."""
    file = tmp_path_factory.mktemp("journal") / "evenings.sqlite3"
    with Store.open(file) as store:
        for kept in whole_games.values():
            store.start_session(kept.setup)
            for entry in kept.entries[: 40 if kept.setup.game == "partners" else None]:
                store.append(entry)
    return file


def test_the_command_prints_tables_that_fit_a_terminal(journal, capsys):
    assert main(["figures", "--journal", str(journal), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    for heading in (
        "Games",
        "Wins",
        "Head to head",
        "Donkey Valley: donkeys",
        "DTC: answers",
        "Partners: pawns",
    ):
        assert heading in lines
    assert main(["figures", "--journal", str(journal), "--player", "Bob", "--lang", "en"]) == 0
    assert "Donkey Valley" not in capsys.readouterr().out


@pytest.mark.slow
def test_pictures_hold_the_same_words(journal, tmp_path, capsys):
    svg, png = tmp_path / "all.svg", tmp_path / "all.png"
    for file in (svg, png):
        words = ["figures", "--journal", str(journal), "--game", "dtc", "--chart", str(file), "--lang", "fr"]
        assert main(words) == 0
    said = {element.text for element in ET.parse(svg).iter("{http://www.w3.org/2000/svg}text")}
    assert {"Ann", "Ben", "DTC : offres · juste"} <= {word for word in said if word}
    assert cv2.imread(str(png)).shape[1] == 880
    again = tmp_path / "again.svg"
    main(["figures", "--journal", str(journal), "--game", "dtc", "--chart", str(again), "--lang", "fr"])
    assert again.read_bytes() == svg.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chart", "figures.pdf"], ".svg or .png"),
        (["--chart", "/nowhere/figures.svg"], "cannot be written"),
        (["--player", "Nobody"], "Nothing to count"),
    ],
)
def test_what_cannot_be_shown_is_said(journal, capsys, words, said):
    assert main(["figures", "--journal", str(journal), *words, "--lang", "en"]) == 2
    assert said in capsys.readouterr().err


def test_without_matplotlib_the_tables_are_there_and_the_picture_says_what_to_install(
    journal, capsys, monkeypatch, tmp_path
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["figures", "--journal", str(journal), "--lang", "en"]) == 0
    assert (
        main(["figures", "--journal", str(journal), "--chart", str(tmp_path / "a.svg"), "--lang", "en"]) == 2
    )
    assert "pip install matplotlib" in capsys.readouterr().err


EXPORT = {
    "about": {"app": "BG Stats"},
    "players": [
        {"uuid": "AAAA-1", "id": 1, "name": "Zoé", "isAnonymous": False, "bggUsername": "zoe"},
        {"uuid": "AAAA-2", "id": 2, "name": "Anonymous player", "isAnonymous": True},
        {"uuid": "AAAA-3", "id": 3, "name": "Ann", "isAnonymous": False},
    ],
    "plays": [{"uuid": "P", "gameRefId": 1}],
}


def test_players_of_bg_stats_are_completed_in_the_form_and_keep_their_ids_in_exports(
    journal, tmp_path, capsys
):
    file = tmp_path / "BGStatsExport.json"
    file.write_text(json.dumps(EXPORT), "utf-8")
    assert main(["people", "--import", str(file), "--lang", "en"]) == 0
    assert "2 players imported" in capsys.readouterr().out
    assert load_settings().list_known_names() == ("Ann", "Zoé")
    main(["people", "--lang", "en"])
    assert capsys.readouterr().out.splitlines() == ["Ann", "Zoé"]
    main(["export", "--format", "bgstats", "--session", "1", "--journal", str(journal)])
    exported = json.loads(capsys.readouterr().out)
    ids = {one["name"]: one["uuid"] for one in exported["players"]}
    assert ids["Ann"] == "AAAA-3"
    assert ids["Ben"] not in ("AAAA-1", "AAAA-2", "AAAA-3", "")


PLAYS = EXPORT | {
    "players": [
        {"uuid": "AAAA-1", "id": 1, "name": "Zoé", "isAnonymous": 0},
        {"uuid": "AAAA-3", "id": 3, "name": "Ann", "isAnonymous": 0},
        {"uuid": "AAAA-4", "id": 4, "name": "Ann", "isAnonymous": 0},
    ],
    "games": [{"id": 7, "name": "DTC"}, {"id": 8, "name": "Catan"}],
    "plays": [
        {
            "uuid": f"P{number}",
            "gameRefId": game,
            "playDate": "2020-01-02 20:00:00",
            "durationMin": 30,
            "playerScores": [
                {"playerRefId": player, "score": score, "winner": False, "rank": 0, "seatOrder": 0}
                for player, score in scores
            ],
        }
        for number, (game, scores) in enumerate(
            [
                (7, [(1, "2"), (3, "0"), (4, "1.5")]),
                (7, [(1, "0"), (3, ""), (4, "1")]),  # without points it cannot be counted
                (8, [(1, "10"), (3, "8")]),
            ]
        )
    ],
}


@pytest.mark.parametrize("form", ["utf-8", "utf-8-sig", "utf-16", "zip"])
def test_bg_stats_is_read_in_whatever_form_it_is_kept_and_namesakes_stay_two(tmp_path, capsys, form):
    file = tmp_path / "export.json"
    text = json.dumps(PLAYS, ensure_ascii=False)
    if form == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("BGStatsExport.json", text)
    else:
        file.write_text(text, form)
    for _ in range(2):
        assert main(["people", "--import", str(file), "--lang", "en"]) == 0
        assert load_settings().list_known_names() == ("Ann", "Ann (2)", "Zoé")
    capsys.readouterr()
    main(["people", "--json"])
    assert json.loads(capsys.readouterr().out)[1] == {"name": "Ann (2)", "bgstats": "AAAA-4"}


def test_plays_of_bg_stats_are_counted_with_the_evenings_and_our_own_only_once(journal, tmp_path, capsys):
    main(["figures", "--journal", str(journal), "--json", "--lang", "en"])
    before = {one["table"]: one for one in json.loads(capsys.readouterr().out) if one["game"] is None}
    main(["export", "--format", "bgstats", "--session", "all", "--journal", str(journal)])
    own, strangers = tmp_path / "own.json", tmp_path / "plays.json"
    own.write_text(capsys.readouterr().out, "utf-8")
    strangers.write_text(json.dumps(PLAYS), "utf-8")
    words = ["figures", "--journal", str(journal), "--json", "--lang", "en", "--plays", str(own)]
    assert main([*words, "--plays", str(strangers)]) == 0
    out, err = capsys.readouterr()
    after = {one["table"]: one for one in json.loads(out) if one["game"] is None}
    assert "2 plays left out" in err
    games = {row[0]: row[1] for row in after["games"]["rows"]}
    assert sum(games.values()) == 1 + sum(row[1] for row in before["games"]["rows"])
    (zoe,) = [row for row in after["standings"]["rows"] if row[0] == "Zoé"]
    assert zoe[1:4] == [1, 0, 0], "DTC is won by the fewest cards, which the game says"
    assert "Ann (2)" in {row[0] for row in after["standings"]["rows"]}


def test_only_somebody_is_renamed(journal, capsys):
    assert main(["people", "--call", "Xyz", "Ann", "--lang", "en"]) == 2
    assert "Nobody has the name Xyz" in capsys.readouterr().err
    assert load_settings().called == {}


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"\xff\xfe\x00", b"\xef\xbb\xbf"])
def test_archives_and_texts_that_are_cut_off_are_refused_in_words(tmp_path, capsys, data):
    file = tmp_path / "export.zip"
    file.write_bytes(data)
    assert main(["people", "--import", str(file), "--lang", "en"]) == 2
    assert "isn't an export from BG Stats" in capsys.readouterr().err


async def test_the_form_completes_the_last_name():
    names = NameSuggester(["Ann", "Annabelle", "Zoé"])
    assert await names.get_suggestion("zo") == "zoé"
    assert await names.get_suggestion("Ann, an") == "Ann, annabelle"
    assert await names.get_suggestion("Ann, ") is None
    assert await names.get_suggestion("Bob") is None


@pytest.mark.parametrize("words", ["", "[]", "{", '{"players": 3}', '{"players": [{"name": 3}]}'])
def test_what_is_no_export_is_refused_and_nobody_is_forgotten(tmp_path, capsys, words):
    file = tmp_path / "export.json"
    file.write_text(words)
    assert main(["people", "--import", str(file), "--lang", "en"]) == 2
    assert "isn't an export from BG Stats" in capsys.readouterr().err
    assert load_settings().people == ()
