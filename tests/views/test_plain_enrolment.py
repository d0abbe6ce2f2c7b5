"""An enrolment line by line: what it prints as it goes on, and what each line does."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from companion.rules.contract import Text
from companion.table.zones import describe_design
from companion.texts import Translator
from companion.views.enrolment_views import (
    PlainEnrolment,
    ask_about_photos,
    ask_sitting_outcome,
    run_plain_enrolment,
)
from tests.views.test_apps_drawn import DECK, LOST, NAMES, WELL, Enrolment
from tests.views.test_dialogues import BATCH, Spread

CARDS = tuple(describe_design(DECK, name) for name in NAMES)


@pytest.fixture
def enrolment(monkeypatch) -> Enrolment:
    made = Enrolment()
    made.enroller.scene = None
    made.enroller.store_card_views = lambda _spread, names: Text("enrol.sitting.kept")
    monkeypatch.setattr("companion.views.enrolment_views._show_cards", lambda *_: iter(()))
    return made


def begin(enrolment: Enrolment) -> tuple[PlainEnrolment, list[str]]:
    told: list[str] = []
    return PlainEnrolment(enrolment, Translator.for_game("en", "donkey_valley"), told.append), told


def test_what_is_new_is_printed_once(enrolment: Enrolment) -> None:
    plain, told = begin(enrolment)

    def become(**changes: Any) -> list[str]:
        enrolment.become(**changes)()
        told.clear()
        plain.print_progress()
        plain.print_progress()
        return list(told)

    skipped = Text("enrol.skipped", {"card": CARDS[0]})
    assert become() == ["Lay down: red 1 (3 of 59)"]
    assert become(note=skipped) == ["Skipped: red 1."]
    assert become(captures=1) == ["Skipped: red 1."], "another card with the same note"
    assert become(trouble=True, captures=2) == ["! Skipped: red 1."]
    assert become(wanted=CARDS[1], done=4, note=None, trouble=False) == ["Lay down: red 2 (4 of 59)"]
    assert become(mode="sheet", sheet=CARDS[:2]) == [
        "1  red 1",
        "2  red 2",
        "Lay out in rows, from: red 2 (4 of 59)",
    ]
    assert become(sheet=CARDS[2:4]) == ["1  red 3", "2  red 4"]
    assert become(mode="pack") == []
    assert not plain.is_finished
    assert become(mode="one", wanted=None) == []
    assert plain.is_finished


def test_each_line_does_what_it_says(enrolment: Enrolment) -> None:
    plain, told = begin(enrolment)
    for line in ("", "n", " b ", "s", "c", "p", f"g {NAMES[3]}"):
        assert plain.enter_line(line)
    assert enrolment.pressed == ["now", "skip", "back", "sheet", "count", "pack", f"jump {NAMES[3]}"]
    assert told == []
    say = Translator("en")
    for line in ("?", "x y", "t"):
        assert plain.enter_line(line)
    assert told == [
        say("enrol.plain.help"),
        say("enrol.plain.unknown", typed="x y"),
        say("enrol.testing"),
        say("enrol.test.fine", designs=3, views=6),
        say("enrol.test.nothing"),
    ]
    enrolment.jump_to = lambda name: False  # type: ignore[method-assign]
    told.clear()
    assert plain.enter_line("g nothing")
    assert told == [say("enrol.plain.unknown", typed="nothing")]
    assert not plain.enter_line("q")


def test_a_pack_that_is_complete_is_named_before_all_else(enrolment: Enrolment) -> None:
    plain, told = begin(enrolment)
    enrolment.enroller.spread = Spread()
    enrolment.enroller.spread.is_complete = True
    enrolment.become(mode="pack", laid=5)()
    plain.print_progress()
    assert told[0] == "? Is number 1 red 1, and number 2 red 2?"
    enrolment.become(note=Text("enrol.sitting.kept"))()
    told.clear()
    plain.print_progress()
    assert told == [], "not while cards are being named"
    assert plain.enter_line("y")
    assert told[-1].startswith("ok takes them like this")
    assert not plain.is_finished
    assert plain.enter_line(" ok ")
    assert told[-1] == "Saved."
    told.clear()
    plain.print_progress()
    assert told == ["Saved."]


class Typed(list[str]):
    """Lines that are typed, and the end of the input."""

    def next_line(self, seconds: float) -> str:
        if not self:
            raise EOFError
        return self.pop(0)


def type_lines(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr(
        "companion.views.enrolment_views.open_typed_lines", lambda: nullcontext(Typed(typed.split()))
    )


@pytest.mark.parametrize(
    ("typed", "unattended", "ended", "printed"),
    [
        ("q\n", False, 99, ["! The camera 0 can't be opened.", "Lay down: red 1 (3 of 59)"]),
        ("", False, 99, ["! The camera 0 can't be opened.", "Lay down: red 1 (3 of 59)"]),
        (
            "",
            True,
            3,
            ["! The camera 0 can't be opened.", "Lay down: red 1 (3 of 59)", "The camera 0 is starting."],
        ),
    ],
)
def test_it_runs_until_it_is_left_or_the_camera_ends(
    enrolment, typed, unattended, ended, printed, monkeypatch, capsys
) -> None:
    looks = [0]

    def is_ended() -> bool:
        looks[0] += 1
        return looks[0] >= ended

    type_lines(monkeypatch, typed)
    plain, _ = begin(enrolment)
    plain._out = print
    run_plain_enrolment(
        plain, is_ended, lambda: LOST if looks[0] < 2 else WELL, Translator("en"), unattended=unattended
    )
    told = capsys.readouterr().out.split("\n")
    assert told[0] == Translator("en")("enrol.plain.help")
    assert [line.split(" Another")[0] for line in told[1:-1]][: len(printed)] == printed


def test_a_sitting_is_kept_where_nobody_answers(enrolment, monkeypatch, capsys) -> None:
    enrolment.enroller.album.older_views, enrolment.enroller.album.session_views = [1], [1, 2]
    enrolment.enroller.undo_session = lambda: Text("enrol.test.nothing")
    enrolment.enroller.replace_older_views = lambda: Text("enrol.nothing")
    for typed, end in (("", "enrol.sitting.kept"), ("b\n", "enrol.test.nothing"), ("r\n", "enrol.nothing")):
        type_lines(monkeypatch, typed)
        ask_sitting_outcome(enrolment.enroller, Translator("en"))
        assert capsys.readouterr().out.rstrip().split("\n")[-1] == Translator("en")(end)


@pytest.mark.parametrize("views", [[], [1]])
def test_photos_that_nobody_answers_for_are_not_saved(views, enrolment, monkeypatch, capsys) -> None:
    enrolment.enroller.album.session_views = views
    type_lines(monkeypatch, "")
    say = Translator.for_game("en", "donkey_valley")
    assert ask_about_photos(enrolment.enroller, BATCH, say) is bool(views)
    told = capsys.readouterr().out.rstrip().split("\n")
    assert told[-1] == say("enrol.photo.not_saved")
    assert len(told) > 1
