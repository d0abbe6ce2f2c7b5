"""The first start of a game: its cards are drawn once, and the players are told what they wait
for."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.demo.deferred_table import DeferredTable
from companion.evening.first_start import build_simulated_board, needs_card_drawing
from companion.evening.session_opening import open_table_session
from companion.journal.journal import Journal
from companion.plan import OFF, SIMULATED, Plan
from companion.texts import Translator
from companion.views.table_session import TableSession


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_demo_says_once_that_it_draws_the_cards(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait_for_the_table(evening: TableSession) -> None:
        assert isinstance(evening.backstage, DeferredTable)
        while evening.backstage.source is None:
            evening.backstage.tick(0.0)
            time.sleep(0.05)

    monkeypatch.setattr("companion.views.plain_view.run", wait_for_the_table)
    play = ["play", "--plain", "--new", "--game", "dtc", "--lang", "fr"]
    assert main(play) == 0
    assert capsys.readouterr().err == "Dessin des cartes, la première fois seulement…\n"
    assert main(play) == 0
    assert capsys.readouterr().err == ""


def test_behind_its_screen_the_demo_remarks_once_that_it_draws_the_cards(tmp_path: Path) -> None:
    def remarks(name: str) -> set[str]:
        plan, heard = Plan("dtc", ("Ann", "Bob"), demo=True), set[str]()
        with closing(open_table_session(plan, Journal.open(tmp_path / name), None, 0.0)) as evening:
            evening.start_readers()
            while evening.backstage.source is None:
                evening.backstage.tick(0.0)
                evening.live.tick(0.0)
                heard |= {text.code for text in [evening.live.snapshot().notice] if text is not None}
                time.sleep(0.05)
        return heard

    assert "play.drawing" in remarks("first")
    assert "play.drawing" not in remarks("second")


@pytest.mark.parametrize(
    ("plan", "wait"),
    [
        (Plan("dtc", ("Ann", "Bob"), demo=True), True),
        (Plan("dtc", ("Ann", "Bob"), demo=True, readers=(SIMULATED,)), True),
        (Plan("dtc", ("Ann", "Bob"), demo=True, readers=(SIMULATED,), cameras=(OFF,)), False),
        (Plan("dtc", ("Ann", "Bob"), cameras=("0",)), True),
        (Plan("dtc", ("Ann", "Bob"), cameras=(OFF,), readers=("auto",)), False),
        (Plan("dtc", ("Ann", "Bob")), False),
    ],
)
def test_only_who_plays_before_a_camera_waits_for_drawings(plan: Plan, wait: bool) -> None:
    assert needs_card_drawing(plan) is wait


def test_compiling_the_simulated_reader_is_told_step_by_step_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Makefile").write_text(
        "tray: build/one build/two\nbuild/%:\n\tg++ --version > $@\n.PHONY: tray\n"
    )
    monkeypatch.setenv("COMPANION_FIRMWARE", str(tmp_path))
    monkeypatch.setattr("companion.readers.rfid.simulator.list_missing_tools", lambda _target: [])
    build_simulated_board(Translator("en"))
    assert capsys.readouterr().err == (
        "Compiling the simulated card reader, the first time only: 1 of 2 …\n"
        "Compiling the simulated card reader, the first time only: 2 of 2 …\n"
    )
    build_simulated_board(Translator("en"))
    assert capsys.readouterr().err == ""


def test_the_evening_tells_of_it_before_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def opened(*_: object) -> None:
        told.append("opened")
        raise SystemExit

    monkeypatch.setattr("companion.commands.play.build_simulated_board", lambda _say: told.append("compiled"))
    monkeypatch.setattr("companion.commands.play.open_table_session", opened)
    with pytest.raises(SystemExit):
        main(["play", "--reader", "simulated", "--players", "Ann,Bob,Dan", "--new", "--plain"])
    assert told == ["compiled", "opened"]
