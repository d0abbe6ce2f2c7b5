"""What the settings say is every command's usual choice; the command line wins."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import ValidationError
from msgspec.structs import replace

from companion.__main__ import main
from companion.commands import calibrate, cards, enrol, people, play
from companion.folders import user_settings_file
from companion.league.membership import load_membership
from companion.plan import Plan
from companion.settings import (
    Person,
    Settings,
    load_settings,
    take_damage_notice,
    try_change_settings,
)


def parsed(command, *words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setattr("companion.settings._damage_notices", [])


def test_a_new_user_is_spoken_to_in_the_computers_language_before_the_first_camera(monkeypatch):
    assert parsed(play).lang == "en"
    assert parsed(calibrate).camera == "0"
    monkeypatch.setenv("LC_ALL", "fr_CH.UTF-8")
    assert parsed(play).lang == parsed(cards, "list").lang == "fr"


def test_the_settings_are_every_commands_usual_choice_and_the_command_line_wins():
    try_change_settings(lambda _: Settings(language="fr", camera="2"))
    assert parsed(play).lang == parsed(cards, "list").lang == "fr"
    assert parsed(calibrate).camera == parsed(enrol, "--deck", "dtc").camera == "2"
    assert parsed(calibrate, "--camera", "0", "--lang", "en").camera == "0"
    assert parsed(calibrate, "--camera", "0", "--lang", "en").lang == "en"


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["cards", "list", "whist"], 2, "Il n’y a pas de paquet de ce nom"),
        (["enrol", "--deck", "whist"], 2, "Il n’y a pas de paquet de ce nom"),
        (["calibrate", "--seats", "40"], 2, "joueurs"),
        (["calibrate", "--camera", "~nobody-here/evening.mp4"], 2, "evening.mp4"),
        (["cards", "check", "~nobody-here/deck.toml"], 2, "illisible"),
    ],
)
def test_every_command_gives_up_with_one_sentence_in_the_players_language(words, status, says, capsys):
    try_change_settings(lambda _: Settings(language="fr"))
    assert main(words) == status
    said = capsys.readouterr().err
    assert said.startswith(f"companion {words[0]}: ")
    assert "Traceback" not in said
    print(said)


@pytest.mark.parametrize("damaged", [b'{"later":' + b"[" * 20_000, b'{"camera":1}', b"\xff", b""])
def test_damaged_settings_are_kept_aside_and_the_usual_ones_hold(damaged):
    try_change_settings(lambda _: Settings(camera="2"))
    file = user_settings_file()
    file.write_bytes(damaged)
    assert load_settings() == Settings()
    assert file.with_name(file.name + ".bad").read_bytes() == damaged


KEY = {"url": "u", "club": "c", "club_name": "n", "table": "t", "key": "00", "since": 1.0}


def test_one_field_of_the_wrong_type_costs_only_itself():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    groups = [{"game": "dtc", "players": ["Ann", "Ben"]}, 7]
    damaged = {
        "camera": 1,
        "language": "fr",
        "league": KEY,
        "groups": groups,
        "said": {"Zoé": "zo-e", "A": 3},
    }
    file.write_text(json.dumps(damaged))
    found = load_settings()
    assert (found.camera, found.language, load_membership().key) == ("", "fr", "00")
    assert [group.players for group in found.groups] == [("Ann", "Ben")]
    assert found.said == {"Zoé": "zo-e"}
    notice = take_damage_notice()
    assert (notice.code, take_damage_notice()) == ("settings.damaged", None)
    assert json.loads(Path(notice.args["copy"]).read_text()) == damaged
    # What is left of it is no damage any more.
    assert load_settings() == found
    assert take_damage_notice() is None


def test_each_damaged_file_is_kept_under_its_own_name():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    for damaged in (b"first", b"second", b"third"):
        file.write_bytes(damaged)
        assert load_settings() == Settings()
        take_damage_notice()
    names = ("settings.json.bad", "settings.json.bad-2", "settings.json.bad-3")
    assert [file.with_name(name).read_bytes() for name in names] == [b"first", b"second", b"third"]


def test_a_damaged_file_that_its_owner_made_read_only_is_left_alone():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_bytes(b"damaged")
    file.chmod(0o444)
    assert load_settings() == load_settings() == Settings()
    assert [one.name for one in file.parent.glob("*.bad*")] == []
    assert file.read_bytes() == b"damaged"


def test_what_a_newer_version_has_saved_stays():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"camera": "2", "hologram": {"size": 3}}')
    try_change_settings(lambda before: replace(before, language="fr"))
    saved = json.loads(file.read_text())
    assert (saved["hologram"], saved["camera"], saved["language"]) == ({"size": 3}, "2", "fr")
    assert take_damage_notice() is None


def test_a_plug_in_changes_nothing_but_its_own():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"camera": "2", "hologram": null, "tally": {"name": "Ann"}, "league": null}')
    settings = load_settings()
    assert settings.read_plug_in("tally", Person) == Person("Ann")
    assert settings.read_plug_in("league", Person) is None
    with pytest.raises(ValidationError):
        settings.read_plug_in("tally", int)
    try_change_settings(lambda before: before.with_plug_in("tally", Person("Bob", "1")))
    saved = json.loads(file.read_text())
    assert saved["plug_ins"] == {"tally": {"name": "Bob", "uuid": "1"}}
    assert (saved["hologram"], saved["camera"]) == (None, "2")
    assert "tally" not in saved, "it was there before plug-ins had a place of their own"
    assert load_settings().read_plug_in("tally", Person) == Person("Bob", "1")
    try_change_settings(lambda before: before.with_plug_in("tally", None))
    assert json.loads(file.read_text())["plug_ins"] == {}


@pytest.mark.parametrize("name", ["camera", "groups", "others", "plug_ins"])
def test_a_plug_in_may_be_named_like_a_setting(name):
    try_change_settings(lambda before: replace(before, camera="2", groups=(Plan("dtc", ("Ann", "Ben")),)))
    before = load_settings()
    try_change_settings(lambda before: before.with_plug_in(name, Person("Ann")))
    after = load_settings()
    assert (after.read_plug_in(name, Person), after.list_plug_ins()) == (Person("Ann"), [name])
    assert (after.camera, after.groups, after.others) == (before.camera, before.groups, before.others)
    try_change_settings(lambda before: before.with_plug_in(name, None))
    assert load_settings() == before
    assert take_damage_notice() is None


def test_plug_ins_of_a_damaged_file_keep_what_can_be_read():
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"camera": 2, "plug_ins": {"tally": {"name": "Ann"}}}')
    assert load_settings().read_plug_in("tally", Person) == Person("Ann")
    assert take_damage_notice().code == "settings.damaged"
    file.write_text('{"camera": "2", "plug_ins": ["tally"]}')
    assert (load_settings().list_plug_ins(), load_settings().camera) == ([], "2")
    assert take_damage_notice().code == "settings.damaged"


def test_a_membership_that_cannot_be_read_is_told_and_can_be_left(capsys):
    file = user_settings_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"camera": "2", "league": {"url": 1}}')
    for todo in ("status", "leave"):
        assert main(["league", todo, "--lang", "en"]) == 2
        assert capsys.readouterr().err.startswith("companion league: The league settings of this table can't")
    assert json.loads(file.read_text()).keys() >= {"camera"}
    assert "league" not in json.loads(file.read_text())
    assert main(["league", "status", "--lang", "en"]) == 2
    assert "isn't in a league" in capsys.readouterr().err


def test_two_programs_that_change_settings_at_once_lose_nothing():
    program = """
import sys
from companion.settings import Person, change_settings
for number in range(40):
    change_settings(lambda before: before.with_people([Person(f"{sys.argv[1]}{number}")]))
"""
    words = [sys.executable, "-c", program]
    with subprocess.Popen([*words, "Ann"]) as one, subprocess.Popen([*words, "Ben"]) as other:
        assert (one.wait(), other.wait()) == (0, 0)
    assert len(load_settings().people) == 80


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
def test_only_their_owner_reads_the_settings_which_hold_the_leagues_key():
    try_change_settings(lambda _: Settings(camera="2"))
    assert user_settings_file().stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_no_text_is_refused_in_words_where_it_is_to_be_kept(capsys):
    assert main(["people", "--call", "An\udcff", "Ann", "--lang", "en"]) == 2
    assert capsys.readouterr().err.startswith(r"companion people: 'An\udcff' can't be used as a name: ")


def test_a_name_that_is_no_text_costs_neither_the_evening_nor_the_settings_of_before():
    try_change_settings(lambda _: Settings(camera="2"))
    try_change_settings(lambda _: Settings(camera=os.fsdecode(b"\xff")))
    assert load_settings().camera == "2"


@pytest.mark.parametrize(
    "words", [("people", "--call", "Bob", "Robert"), ("league", "join", "http://127.0.0.1:9", "KD7Q")]
)
def test_what_cannot_be_kept_is_not_said_to_be_done(words, tmp_path, monkeypatch, capsys):
    (tmp_path / "a file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "a file"))
    monkeypatch.setattr(people, "is_known_name", lambda *_: True)
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "settings.json could not be written" in err
    assert "nothing was changed" in err


@pytest.mark.parametrize(
    ("words", "command", "rest"),
    [
        (["--lang", "fr"], "welcome", ["--lang", "fr"]),
        (["--lang=de"], "welcome", ["--lang=de"]),
        (["--lang", "de", "history", "--page", "x"], "history", ["--lang", "de", "--page", "x"]),
    ],
)
def test_a_language_may_be_named_before_the_command_or_without_one(words, command, rest, monkeypatch):
    run = []
    monkeypatch.setattr(
        "companion.commands.running.run_command", lambda name, words, _: run.append((name, words)) or 0
    )
    assert main(words) == 0
    assert run == [(command, rest)]
