"""`companion history` and `companion export`: what people see of a kept evening, and what other
programs read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from companion import texts
from companion.__main__ import main
from companion.journal.export import format_bgstats_plays
from companion.journal.history import build_records, build_score_sheet
from companion.journal.sidecar_files import SessionNotes, save_notes
from companion.journal.spreadsheets import SheetStyle, format_name_cell
from companion.journal.store import Store
from companion.journal.summaries import summarise_session
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.session import Session
from companion.texts import Translator
from tests.correcting import correct
from tests.journal.played import play_a_round
from tests.journal.test_machine import possible, setup_of
from tests.toy import TOY, Lay, Show, toy_setup


@pytest.fixture
def evenings(file):
    """One evening that ended, and one that did not, in one journal."""
    with Store.open(file) as store:
        for players, rounds in ((("Ann", "Bénédicte"), 3), (("Cleo", "Ann", "Dan"), 1)):
            setup = toy_setup(*players, rounds=3)
            store.start_session(setup)
            session = Session(TOY, setup, store.append)
            for values in ((3, 9, 1), (4, 4, 4), (8, 2, 1))[:rounds]:
                play_a_round(session, *values[: len(players)])
        yield store


def told(store, number=1):
    return [(record.player, record.text.code) for record in build_records(store.read_session(number))]


def exported(capsys, file, *words):
    status = main(["export", "--journal", str(file), *words])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def complaint(capsys, *words):
    status = main(list(words))
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    return err


def test_history_lists_every_evening_and_how_it_stands(evenings, file, capsys):
    assert main(["history", "--journal", str(file)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert re.match(r" +1  \d{4}-\d\d-\d\d \d\d:\d\d  .*: Bénédicte won \(Ann 12, Bénédicte 13\)$", first)
    assert "not finished (Cleo 0, Ann 9, Dan 0)" in second


def test_history_tells_on_which_day_an_evening_went_on(tmp_path, capsys):
    file = tmp_path / "evening.sqlite3"
    begun = datetime(2026, 10, 3, 23, 58).timestamp()
    moments = iter((begun + 60, begun + 180))
    with Store.open(file) as store:
        store.start_session(toy_setup(), begun)
        session = Session(TOY, toy_setup(), lambda entry: store.append(entry, next(moments)))
        for player in toy_setup().players:
            session.act(Lay(player))
    assert main(["history", "1", "--journal", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:14].strip() for line in lines[1:4]] == ["1  23:59:00", "2026-10-04", "2  00:01:00"]


def test_history_tells_one_evening_act_by_act(evenings, file, capsys):
    session = evenings.resume_session(1).restore_session(evenings.append)
    session.undo()
    assert main(["history", "2", "--journal", str(file), "--lang", "fr"]) == 0
    told_second = capsys.readouterr().out.splitlines()
    assert len(told_second) == 1 + 6 + 1 + 1
    assert "donnent les mêmes résultats" in told_second[-1]
    assert main(["history", "1", "--journal", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 13 + 1 + 1
    assert lines[4].endswith("[Ann 0, Bénédicte 9]")
    assert "Undone: " in lines[13]
    assert lines[-2] == "not finished (Ann 4, Bénédicte 13)"


def test_undo_redo_and_correction_are_told_as_what_they_were(file):
    with Store.open(file) as store:
        setup = toy_setup()
        store.start_session(setup)
        session = Session(TOY, setup, store.append)
        for request in (Lay("Ann"), Lay("Ben"), Show("Ann", 3)):
            session.act(request)
        session.undo()
        session.redo()
        correct(session, 2, Show("Ann", 5))
        session.undo()
        session.redo()
        correct(session, 2, None)
        correct(session, 0, None)
        assert [code for _, code in told(store)][2:] == [
            "toy.shown",
            "live.undone",
            "live.redone",
            "live.corrected",
            "live.correction_undo",
            "live.correction_redo",
            "live.taken_out",
            "live.taken_out",
        ]
        assert [player for player, _ in told(store)][:4] == ["Ann", "Ben", "Ann", None]


HEADING = "game,date,session,round,player,side,points,exact,place,options"


def test_the_rounds_and_the_totals_are_one_table(evenings, file, capsys):
    text = exported(capsys, file, "--session", "all")
    assert text.splitlines()[0] == HEADING
    rows = list(csv.DictReader(io.StringIO(text)))
    first = [row for row in rows if row["session"] == "1"]
    assert [(row["round"], row["player"], row["points"], row["place"]) for row in first] == [
        ("1", "Ann", "0", ""),
        ("1", "Bénédicte", "9", ""),
        ("2", "Ann", "4", ""),
        ("2", "Bénédicte", "4", ""),
        ("3", "Ann", "8", ""),
        ("3", "Bénédicte", "0", ""),
        ("", "Ann", "12", "2"),
        ("", "Bénédicte", "13", "1"),
    ]
    second = [row for row in rows if row["session"] == "2"]
    assert {row["place"] for row in second} == {""}, "it has not ended"
    assert {row["game"] for row in rows} == {"toy"}
    assert {row["side"] for row in first} == {"1", "2"}
    assert {row["options"] for row in rows} == {""}, "as the game is usually played"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"]) for row in rows)
    last = exported(capsys, file).splitlines()
    assert [HEADING, *(line for line in text.splitlines() if ",2," in line[:18])] == last
    evenings.start_session(toy_setup("Ann", "Ben", rounds=2))
    assert exported(capsys, file).splitlines()[-1].endswith(",Ben,2,0,0,,rounds=2")


def test_spreadsheets_in_french_get_semicolons_decimal_commas_and_a_mark(evenings, file, capsys, tmp_path):
    out = tmp_path / "all.csv"
    words = ("--session", "all", "--out", str(out), "--separator", "semicolon", "--bom")
    assert exported(capsys, file, *words, "--lang", "fr") == ""
    data = out.read_bytes()
    assert data.startswith(b"\xef\xbb\xbfgame;date;session;")
    assert SheetStyle("semicolon").format_points(Fraction(10, 3)) == ("3,333333", "3 1/3")
    assert SheetStyle().format_points(Fraction(-1, 3)) == ("-0.333333", "-0 1/3")
    assert SheetStyle().format_points(Fraction(1, 3)) == ("0.333333", "0 1/3")
    assert [SheetStyle().format_points(Fraction(whole)) for whole in (0, 100, -20)] == [
        ("0", "0"),
        ("100", "100"),
        ("-20", "-20"),
    ]


def shared_points():
    """What a table of shares would hold, of which a spreadsheet makes dates: the third of October,
    the first of March."""
    return [Fraction(10, 3), Fraction(1, 3), Fraction(7, 2), Fraction(-5, 3), Fraction(12)]


@pytest.mark.slow
@pytest.mark.ssconvert
def test_a_spreadsheet_reads_and_writes_the_numbers_as_they_are(tmp_path):
    style = SheetStyle(has_mark=True)
    rows = [("Bénédicte", *style.format_points(one)) for one in shared_points()]
    source, target = tmp_path / "points.csv", tmp_path / "read.csv"
    source.write_text(
        style.write_rows([("player", "points", "exact"), *rows], is_first=True), "utf-8", newline=""
    )
    command = [
        "ssconvert",
        "--import-type=Gnumeric_stf:stf_csvtab",
        str(source),
        str(tmp_path / "sheet.gnumeric"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    back = ["ssconvert", str(tmp_path / "sheet.gnumeric"), str(target)]
    subprocess.run(back, check=True, capture_output=True)
    read = list(csv.DictReader(io.StringIO(target.read_text("utf-8"))))
    assert [row["player"] for row in read] == ["Bénédicte"] * len(rows)
    assert [float(row["points"]) for row in read] == pytest.approx([float(one) for one in shared_points()])
    with zipfile_or_plain(tmp_path / "sheet.gnumeric") as sheet:
        cells = re.findall(r'Col="([12])"[^>]*ValueType="(\d+)"[^>]*>([^<]*)<', sheet.read().decode())
    numbers = [value for column, kind, value in cells if kind == "40"]
    assert len(numbers) == 2 * len(rows), "decimals and mixed fractions are numbers, not days or words"
    assert [float(value) for value in numbers[1::2]] == pytest.approx([float(one) for one in shared_points()])


def zipfile_or_plain(file):
    """Open a Gnumeric file, which is usually packed."""
    return gzip.open(file) if file.read_bytes().startswith(b"\x1f\x8b") else file.open("rb")


@pytest.mark.slow
@pytest.mark.soffice
@pytest.mark.parametrize(
    ("language", "locale", "words"),
    [
        ("en", 1033, ()),
        ("de", 1031, ("--separator", "semicolon", "--bom")),
    ],
)
def test_libreoffice_reads_numbers_and_days_as_they_are(
    evenings, file, capsys, tmp_path, language, locale, words
):
    style = SheetStyle("semicolon", has_mark=True) if words else SheetStyle()
    whole, points = tmp_path / "all.csv", tmp_path / "points.csv"
    exported(capsys, file, "--session", "all", "--lang", language, *words, "--out", str(whole))
    names = ("Bénédicte", "Zoé; Max", 'Ann "A"', format_name_cell("=2+3"), format_name_cell("-Ben"))
    rows = [[name, *style.format_points(one)] for name, one in zip(names, shared_points(), strict=True)]
    points.write_text(
        style.write_rows([["player", "points", "exact"], *rows], is_first=True), "utf-8", newline=""
    )
    # Separator, quotation mark, UTF-8, first line, language; numbers of any form are looked for,
    # which is what makes days of fractions.
    how = f"CSV:{ord(';' if words else ',')},34,76,1,,{locale},false,true"
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", f"--infilter={how}", "--convert-to", "fods"]
    subprocess.run(
        [*command, "--outdir", str(tmp_path / "read"), str(whole), str(points)],
        check=True,
        capture_output=True,
        cwd=tmp_path,
    )
    read = list_cells(tmp_path / "read" / "points.fods")
    assert read[0] == ["player", "points", "exact"]
    assert [row[0] for row in read[1:]] == list(names)
    for column in (1, 2):
        numbers = [row[column] for row in read[1:]]
        assert numbers == pytest.approx([float(one) for one in shared_points()], abs=1e-6)
    heading, *played = list_cells(tmp_path / "read" / "all.fods")
    assert heading == HEADING.split(",")
    written = list(csv.DictReader(io.StringIO(whole.read_text("utf-8-sig")), delimiter=";" if words else ","))
    assert [row[heading.index("player")] for row in played] == [row["player"] for row in written]
    for name in ("session", "round", "side", "points", "exact", "place"):
        assert [row[heading.index(name)] for row in played] == [
            float(row[name]) if row[name] else "" for row in written
        ]
    days = [date.fromisoformat(row["date"]) for row in written]
    assert [row[heading.index("date")] for row in played] == days


def list_cells(file):
    """List the rows of a flat OpenDocument sheet: numbers and days as such, all else as text."""
    office, table = (f"{{urn:oasis:names:tc:opendocument:xmlns:{part}:1.0}}" for part in ("office", "table"))
    rows = []
    for row in ElementTree.parse(file).iter(f"{table}table-row"):
        cells = []
        for cell in row.iter(f"{table}table-cell"):
            read = "".join(cell.itertext()).strip()
            match cell.get(f"{office}value-type"):
                case "float":
                    read = float(cell.get(f"{office}value"))
                case "date":
                    read = date.fromisoformat(cell.get(f"{office}date-value"))
            cells += [read] * int(cell.get(f"{table}number-columns-repeated", 1))
        rows += [cells] * int(row.get(f"{table}number-rows-repeated", 1))
    return rows


def test_json_has_everything_and_adds_up(evenings, file, capsys):
    export = json.loads(exported(capsys, file, "--format", "json", "--session", "all"))
    first, second = export["sessions"]
    assert (first["over"], second["over"]) == (True, False)
    assert len(first["entries"]) == 12
    assert first["entries"][2]["acts"] == [
        {
            "request": {"do": "show", "player": "Ann", "value": 3},
            "events": [{"type": "card_shown", "player": "Ann", "value": 3}],
        }
    ]
    for session in (first, second):
        for row in session["view"]["players"]:
            assert row["points"] == sum(line["points"][row["name"]] for line in session["score_sheet"])
            assert row["points"] == sum(reason["points"] for reason in session["explanation"][row["name"]])
    assert "salt" not in json.dumps(export)


def test_bg_stats_gets_the_evenings_that_ended(evenings, file, capsys):
    words = ("--format", "bgstats", "--session", "all")
    export = json.loads(exported(capsys, file, *words))
    assert [game["highestWins"] for game in export["games"]] == [True]
    assert {player["id"]: player["name"] for player in export["players"]} == {1: "Ann", 2: "Bénédicte"}
    (play,) = export["plays"]
    assert play["gameRefId"] == export["games"][0]["id"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", play["playDate"])
    assert play["playerScores"] == [
        {"playerRefId": 1, "score": "12", "winner": False, "rank": 2, "seatOrder": 1, "startPlayer": True},
        {"playerRefId": 2, "score": "13", "winner": True, "rank": 1, "seatOrder": 2, "startPlayer": False},
    ]
    assert (
        json.loads(exported(capsys, file, *words)) == export
    )  # the same ids each time: no play is imported twice


def test_bg_stats_gets_place_and_note_and_decimals(evenings, file, capsys):
    begun = evenings.list_sessions()[0].begun
    save_notes(file, 1, begun, SessionNotes("Café <Ânes>", "Rain\nall day"))
    export = json.loads(exported(capsys, file, "--format", "bgstats", "--session", "1"))
    (play,), (place,) = export["plays"], export["locations"]
    assert (place["name"], play["locationRefId"]) == ("Café <Ânes>", place["id"])
    assert play["comments"].startswith("Rain")
    summary = summarise_session(evenings.read_session(1))
    shared = replace(summary, points={"Ann": "142/3", "Bénédicte": 13})
    (play,) = json.loads(format_bgstats_plays([(shared, SessionNotes())], "en", {}))["plays"]
    assert [one["score"] for one in play["playerScores"]] == ["47.333333", "13"]


def test_history_for_programs(evenings, file, capsys):
    assert main(["history", "--journal", str(file), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["session"], first["game"], first["over"], second["over"]) == (1, "toy", True, False)
    assert first["players"][1] == {"name": "Bénédicte", "side": 2, "points": 13, "place": 1}
    assert main(["history", "1", "--journal", str(file), "--json"]) == 0
    story = json.loads(capsys.readouterr().out)
    assert story["told"][2]["points"] == {"Ann": 0, "Bénédicte": 0}
    assert story["proof"]["valid"] is True
    assert len(story["told"]) == first["entries"]


def test_bg_stats_takes_no_evening_that_goes_on(evenings, file, capsys):
    assert "finished" in complaint(
        capsys, "export", "--journal", str(file), "--format", "bgstats", "--session", "2"
    )


def test_nothing_to_read_is_said(file, capsys, tmp_path):
    for command in ("history", "export"):
        assert "There is no journal" in complaint(capsys, command, "--journal", str(file))
    Store.open(file).close()
    assert "no session" in complaint(capsys, "export", "--journal", str(file))
    assert main(["history", "--journal", str(file)]) == 0
    assert "no session" in capsys.readouterr().out
    assert "no session 5" in complaint(capsys, "history", "5", "--journal", str(file))
    file.write_bytes(b"something else")
    assert "not a journal of this program" in complaint(capsys, "history", "--journal", str(file))


@pytest.mark.parametrize("words", [("export", "--out"), ("history", "1", "--page")])
def test_nothing_is_written_over_the_journal_under_whatever_name(evenings, file, tmp_path, capsys, words):
    before = file.read_bytes()
    (tmp_path / "linked.html").symlink_to(file)
    for name in (file, tmp_path / "linked.html"):
        assert "would be overwritten" in complaint(capsys, *words, str(name), "--journal", str(file))
        assert file.read_bytes() == before


def test_an_export_into_nowhere_is_said(evenings, file, capsys, tmp_path):
    out = tmp_path / "missing" / "sheet.csv"
    assert "cannot be written" in complaint(capsys, "export", "--journal", str(file), "--out", str(out))


@pytest.mark.parametrize("word", ["-1", "0", "7", "99999999999999999999"])
def test_a_session_that_is_none_is_said(evenings, file, capsys, word):
    assert f"no session {word}" in complaint(capsys, "export", "--journal", str(file), f"--session={word}")


@pytest.mark.parametrize("game_id", registry.list_game_ids())
def test_every_games_evening_can_be_told_and_exported(file, capsys, game_id):
    setup = setup_of(game_id)
    with Store.open(file) as store:
        store.start_session(setup)
        session = Session(registry.load_game(game_id), setup, store.append)
        dice = setup.make_rng("test")
        for _ in range(120):
            offered = possible(session)
            if offered:
                session.act(dice.choice(offered))
            if dice.random() < 0.1:
                session.undo()
        kept = store.read_session(1)
        total = {row["name"]: row["points"] for row in session.view()["players"]}
        sums = {
            name: sum(map(Fraction, (row.points[name] for row in build_score_sheet(kept)))) for name in total
        }
    assert len(session.list_acts()) > 10
    assert sums == {name: Fraction(points) for name, points in total.items()}
    for language in ("en", "fr"):
        assert main(["history", "1", "--journal", str(file), "--lang", language]) == 0
        words = capsys.readouterr().out
        assert "live.undone" not in words
    for name in ("csv", "json"):
        exported(capsys, file, "--format", name)


def test_every_message_of_the_journal_and_the_live_session_exists_in_both_languages():
    codes = re.findall(
        r'^msgid "((?:live|history|export|refusal\.fault|journal)[a-z_.]*)"', _catalogue("en"), re.MULTILINE
    )
    assert len(codes) > 35
    assert set(codes) <= set(re.findall(r'^msgid "(.+)"', _catalogue("fr"), re.MULTILINE))
    args = dict.fromkeys(re.findall(r"{(\w+)}", _catalogue("en")), "X")
    for language in ("en", "fr"):
        translator = Translator(language).translate
        for code in codes:
            for n in (None, 1, 2):
                assert translator(Text(code, args, n)) not in (code, "")
                assert "{" not in translator(Text(code, args, n))


def _catalogue(language):
    return (Path(texts.__file__).parent / "locale" / language / "LC_MESSAGES" / "companion.po").read_text(
        "utf-8"
    )


def test_a_json_export_is_written_for_people_too_and_ends_its_last_line(capsys, file, evenings):
    text = exported(capsys, file, "--format", "json", "--session", "1")
    assert text.startswith('{\n "format"')
    assert "Bénédicte" in text
    assert text.endswith("}\n")
