"""What the settings say is every command's usual choice; the command line wins."""

from __future__ import annotations

import argparse
import os

import pytest

from companion.__main__ import main
from companion.commands import calibrate, cards, enrol, play
from companion.folders import user_settings_file
from companion.settings import Settings, load_settings, try_save_settings


def parsed(command, *words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")


def test_a_new_user_is_spoken_to_in_the_computers_language_before_the_first_camera(monkeypatch):
    assert parsed(play).lang == "en"
    assert parsed(calibrate).camera == "0"
    monkeypatch.setenv("LC_ALL", "fr_CH.UTF-8")
    assert parsed(play).lang == parsed(cards, "list").lang == "fr"


def test_the_settings_are_every_commands_usual_choice_and_the_command_line_wins():
    try_save_settings(Settings(language="fr", camera="2"))
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
    try_save_settings(Settings(language="fr"))
    assert main(words) == status
    said = capsys.readouterr().err
    assert said.startswith(f"companion {words[0]}: ")
    assert "Traceback" not in said
    print(said)


@pytest.mark.parametrize("damaged", [b'{"later":' + b"[" * 20_000, b'{"camera":1}', b"\xff", b""])
def test_damaged_settings_are_kept_aside_and_the_usual_ones_hold(damaged):
    try_save_settings(Settings(camera="2"))
    file = user_settings_file()
    file.write_bytes(damaged)
    assert load_settings() == Settings()
    assert file.with_name(file.name + ".bad").read_bytes() == damaged


def test_a_name_that_is_no_text_is_refused_in_words_where_it_is_to_be_kept(capsys):
    assert main(["people", "--call", "An\udcff", "Ann", "--lang", "en"]) == 2
    assert capsys.readouterr().err.startswith(r"companion people: 'An\udcff' can't be used as a name: ")


def test_a_name_that_is_no_text_costs_neither_the_evening_nor_the_settings_of_before():
    try_save_settings(Settings(camera="2"))
    try_save_settings(Settings(camera=os.fsdecode(b"\xff")))
    assert load_settings().camera == "2"


@pytest.mark.parametrize(
    "words", [("people", "--call", "Bob", "Robert"), ("league", "join", "http://127.0.0.1:9", "KD7Q")]
)
def test_what_cannot_be_kept_is_not_said_to_be_done(words, tmp_path, monkeypatch, capsys):
    (tmp_path / "a file").write_text("no folder")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "a file"))
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
