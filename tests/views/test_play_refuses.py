"""`companion play` with something that cannot be: one clear sentence, exit status 2, no
traceback."""

import errno
import os
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.table import zones

CASES = {
    "an unknown game": (
        ["--game", "chess"],
        "chess is not installed. Installed games: ascend, donkey_valley, ",
    ),
    "an unknown game and its players": (
        ["--game", "chess", "--players", "Ann,Bob"],
        "Installed games: ascend",
    ),
    "an unknown option": (["--option", "foo=1"], "no option foo"),
    "an option without a value": (["--option", "nonsense"], "write --option name=value"),
    "two players": (["--players", "2"], "3 to 7 players, not for 2"),
    "eight players": (["--players", "8"], "3 to 7 players, not for 8"),
    "a number of players that fits no number": (["--players", "9" * 5000], "3 to 7 players"),
    "equal names": (["--players", "Ann,Ann,Bob"], "same name"),
    "empty names": (["--players", ",,"], "can't be used as a name"),
    "control characters": (["--players", "A\x01b,Bob,Chloé"], "without control characters"),
    "a speed below nothing": (["--speed", "-5"], "must be from 0.1 to 50"),
    "no number as speed": (["--speed", "nan"], "must be from 0.1 to 50"),
    "a speed beyond all": (["--speed", "1e308"], "must be from 0.1 to 50"),
    "a clock of a million years": (["--clock", "1e30"], "86400 seconds"),
    "no number as clock": (["--clock", "nan"], "86400 seconds"),
    "a deck that is not there": (["--deck", "nosuch"], "there is no deck with that name"),
    "a layout that is not there": (["--zones", "/no/such.toml"], "no layout /no/such.toml"),
    "a recording that is not there": (["--replay", "/no/such.jsonl"], "The recording /no/such.jsonl"),
    "a folder as recording": (["--replay", "/"], "isn't a recording made by this program"),
    "a film that is not there": (["--camera", "/no/such.mp4"], "no video file /no/such.mp4"),
    "pads that are not there": (["--pads", "/no/such.toml"], "/no/such.toml cannot be read"),
}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_said_in_one_sentence(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, said = CASES[case]
    assert main(["play", "--plain", "--new", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--replay", "/no/such.jsonl"], "L’enregistrement /no/such.jsonl n’existe pas"),
        (["--camera", "/no/such.mp4"], "pas de fichier vidéo /no/such.mp4"),
    ],
)
def test_a_file_that_is_not_there_is_said_in_french_too(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--plain", "--new", "--lang", "fr", *words]) == 2
    assert said in capsys.readouterr().err


def test_what_is_no_film_no_recording_and_no_folder_of_photos_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ann,\n")
    for words in (["--replay", str(letter)], ["--camera", str(letter)], ["--camera", str(tmp_path)]):
        assert main(["play", "--plain", "--new", *words]) == 2
    replay, film, photos = capsys.readouterr().err.splitlines()
    assert "isn't a recording made by this program" in replay
    assert "can't be read as a video" in film
    assert "no photos" in photos


def test_calibration_wants_a_film_that_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "--camera", "/no/such.mp4"]) == 2
    assert "no video file /no/such.mp4" in capsys.readouterr().err


def test_a_mistake_in_a_deck_file_is_named_by_line_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "deck.toml"
    deck.write_text('[deck]\nname = "x"\ngame = "donkey_valley"\ncolour = "red"\n')
    assert main(["play", "--plain", "--new", "--deck", str(deck)]) == 2
    assert "line 4, key `colour`" in capsys.readouterr().err


def test_a_mistake_in_a_layout_is_named_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = tmp_path / "zones.toml"
    layout.write_text("seats = 3\n[zones\n")
    assert main(["play", "--plain", "--new", "--camera", "0", "--zones", str(layout)]) == 2
    assert "line 2" in capsys.readouterr().err


@pytest.mark.parametrize("others", [["--by-hand"], ["--camera", "0"], ["--reader", "phone"]])
def test_a_layout_that_cannot_be_read_is_refused_whoever_sees_the_cards(
    others: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = tmp_path / "zones.toml"
    zones.make_default_zones(3).save(layout)

    def closed(path: Path) -> str:  # as to a user who may not read it; root may read anything
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(zones, "read_text", closed)
    assert main(["play", "--plain", "--new", *others, "--zones", str(layout)]) == 2
    said = capsys.readouterr().err
    assert f"{layout} cannot be read" in said
    assert "Traceback" not in said


def test_a_layout_that_is_none_is_refused_when_cards_are_entered_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "letter").write_text("Dear Ann,\n")
    for name in ("pipe", "letter"):
        assert main(["play", "--plain", "--new", "--by-hand", "--zones", str(tmp_path / name)]) == 2
        assert str(tmp_path / name) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--overlay", "/proc/no/page.html"], "The page /proc/no/page.html cannot be written"),
        (["--record", "/proc/no/record"], ""),
        (["--journal", "/proc/no/a.sqlite"], ""),
        (["--players", "Abcdefghijklmnopqrstuvwxyzabcdefghijklmnop,B,C"], ""),
        (["--seed", "9" * 400], ""),
    ],
)
def test_what_can_be_done_without_is_said_and_the_evening_begins(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    monkeypatch.setattr("companion.views.plain_view.run", begun.append)
    assert main(["play", "--plain", "--new", "--by-hand", "--players", "A,B,C", *words]) == 0
    assert begun
    assert said in capsys.readouterr().err
