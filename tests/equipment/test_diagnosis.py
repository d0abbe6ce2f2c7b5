"""What measurements mean: each fault is named with its likely cause, in both languages."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint

import cv2
import numpy as np
import pytest

from companion.demo.deferred_table import assign_tags
from companion.equipment import diagnosis
from companion.equipment.diagnosis import (
    Disk,
    KnownTags,
    PictureQuality,
    TapRecord,
    measure_disk,
    measure_pictures,
)
from companion.language import LANGUAGES
from companion.readers.camera.frames import RATE_SAMPLES, AnalysisRate
from companion.readers.rfid.board import LinkHealth
from companion.readers.rfid.events import Identity, PadHealth, PadState, TagId
from companion.readers.rfid.ports import Port
from companion.rules import registry
from companion.rules.contract import Text
from companion.table.decks import Deck
from companion.texts import Translator
from companion.views.dashboard.check import format_finding
from tests.equipment.equipment_words import say_all

EN = Translator("en")
GOOD = PictureQuality(sharpness=400, brightness=120, contrast=50, burnt=0.0, drift=1.0)


def verdicts(findings):
    return [one.verdict for one in findings]


def codes(findings):
    return [one.text.code for one in findings]


def identity(cause=1):
    return Identity(1, (1, 0, 0), 7, cause, 15, 6, 7)


@pytest.mark.parametrize(
    ("ports", "code", "verdict"),
    [
        ([], "check.ports.none", "absent"),
        ([Port("/dev/ttyS0", "", "", "", "other")], "check.ports.other", "absent"),
        ([Port("/dev/ttyUSB0", "", "1a86:7523", "", "bridge")], "check.ports.found", "ok"),
    ],
)
def test_ports(ports, code, verdict):
    found = diagnosis.assess_ports(ports)
    assert (found.text.code, found.verdict) == (code, verdict)
    say_all([found])


def test_a_board_that_is_well_says_what_it_is():
    found = diagnosis.assess_board("auto", LinkHealth("/dev/ttyUSB0", "ok", identity()))
    assert verdicts(found) == ["ok"]
    assert "1.0.0" in say_all(found)[1]


@pytest.mark.parametrize(
    ("health", "code"),
    [
        (
            LinkHealth("/dev/ttyUSB0", "lost", problem=Text("reader.rfid.busy", {"port": "x"})),
            "reader.rfid.busy",
        ),
        (LinkHealth("/dev/ttyUSB0", "starting"), "reader.rfid.no_answer"),
    ],
)
def test_a_board_that_is_not_there_says_why(health, code):
    found = diagnosis.assess_board("auto", health)
    assert (codes(found), verdicts(found)) == ([code], ["fault"])
    say_all(found)


@pytest.mark.parametrize(("cause", "code"), [(3, "check.board.brownout"), (4, "check.board.watchdog")])
def test_why_a_board_last_started_tells_of_its_supply(cause, code):
    found = diagnosis.assess_board("auto", LinkHealth("p", "ok", identity(cause)))
    assert (codes(found)[1:], verdicts(found)) == ([code], ["ok", "warn"])
    say_all(found)


def test_a_bad_cable_is_told_by_garbled_frames():
    found = diagnosis.assess_board("auto", LinkHealth("p", "ok", identity(), dropped=99))
    assert codes(found)[1:] == ["check.board.line"]
    say_all(found)


@pytest.mark.parametrize("health", [one for one in PadHealth if one is not PadHealth.WELL])
def test_every_state_of_a_pad_has_words_and_a_verdict(health):
    (found,) = [diagnosis.assess_pad("seat1", PadState(health, 0x12), alone=False)]
    wanted = {1: "warn", 6: "warn", 7: "ok", 8: "warn", 9: "warn"}
    assert found.verdict == wanted.get(health, "fault")
    say_all([found])


def test_a_code_of_a_newer_firmware_is_a_fault_of_a_kind_not_known():
    found = diagnosis.assess_pad("seat1", PadState(PadHealth(99), 0x12), alone=False)
    assert (found.verdict, found.text.code) == ("fault", "reader.rfid.pad.unknown_chip")


@pytest.mark.parametrize(
    ("health", "version", "test", "code", "verdict", "named"),
    [
        (PadHealth.CLONE, 0x88, 0, "check.pad.relative", "ok", "FM17522"),
        (PadHealth.CLONE, 0x90, 0, "check.pad.relative", "ok", "MFRC522 0.0"),
        (PadHealth.CLONE, 0x88, 1, "check.pad.damaged", "warn", "FM17522"),
        (PadHealth.CLONE, 0x88, None, "reader.rfid.pad.clone", "warn", "88"),
        (PadHealth.CLONE, 0x12, 2, "reader.rfid.pad.clone", "warn", "12"),
        (PadHealth.WELL, 0x92, 1, "check.pad.counterfeit", "warn", "NXP"),
    ],
)
def test_a_chip_that_is_a_known_relative_is_called_by_its_name(health, version, test, code, verdict, named):
    found = diagnosis.assess_pad("seat1", PadState(health, version), alone=False, test=test)
    assert (found.text.code, found.verdict) == (code, verdict)
    assert named in say_all([found])[1]


def test_pads_that_were_never_built_are_absent_but_none_at_all_is_a_wire_they_share():
    some = diagnosis.assess_pads(
        ["seat1", "seat2"], [PadState(PadHealth(0), 0x92), PadState(PadHealth(2), 0)]
    )
    assert verdicts(some) == ["ok", "absent"]
    none = diagnosis.assess_pads(["seat1", "seat2"], [PadState(PadHealth(2), 0)] * 2)
    assert (verdicts(none), codes(none)) == (["fault"], ["check.pads.none"])
    say_all([*some, *none])


RED = TagId.from_hex("04a1b2c3d4e5f6")


def known(design=None, taught=True):
    return KnownTags(lambda _tag: design, taught)


@pytest.mark.parametrize(
    ("tag", "of_the_deck", "code", "verdict"),
    [
        (RED, known("load:red:1"), "check.tap.ok", "ok"),
        (RED, known(), "check.tap.unknown", "warn"),
        (RED, known(taught=False), "check.tap.read", "ok"),
        (TagId.from_hex("08aabbcc"), known(taught=False), "check.tap.random", "warn"),
        (None, known(), "check.tap.nothing", "fault"),
    ],
)
def test_a_card_held_to_a_reader(tag, of_the_deck, code, verdict):
    found = diagnosis.assess_tag("pad", "seat1", tag, of_the_deck)
    assert (found.text.code, found.verdict) == (code, verdict)
    said = say_all([found])
    assert code != "check.tap.nothing" or ("125 kHz" in said[1] and "10 mm" in said[1])


def judged(*turns):
    """Ask for pads one after another, each with the pads that a card came to meanwhile."""
    asked = {pad: turn for turn, (pad, *_came) in enumerate(turns, 1)}
    taps = [TapRecord(turn, pad, RED) for turn, (_pad, *came) in enumerate(turns, 1) for pad in came]
    found = {pad: diagnosis.assess_tap(pad, asked, taps, known("load:red:1")) for pad in asked}
    say_all(found.values())
    return {pad: one.text.code.removeprefix("check.tap.") for pad, one in found.items()}


def test_one_late_card_accuses_no_pad():
    late = judged(("seat1",), ("seat2", "seat1"), ("seat3", "seat2"), ("seat4", "seat3", "seat4"))
    assert set(late.values()) == {"ok"}
    assert judged(("seat1",), ("seat2", "seat1")) == {"seat1": "ok", "seat2": "nothing"}
    assert judged(("seat1",), ("seat2", "seat1", "seat2")) == {"seat1": "ok", "seat2": "ok"}


def test_a_card_at_another_pad_is_no_verdict_on_wires():
    assert judged(("seat1", "seat2"), ("seat2", "seat2")) == {"seat1": "elsewhere", "seat2": "ok"}
    assert judged(("seat1", "seat1"), ("seat2", "seat1")) == {"seat1": "ok", "seat2": "elsewhere"}


def test_three_pads_in_a_ring_are_not_taken_for_late():
    ring = judged(("seat1", "seat2"), ("seat2", "seat3"), ("seat3", "seat1"))
    assert set(ring.values()) == {"elsewhere"}


def test_two_pads_that_are_read_only_in_each_others_turn_are_swapped():
    assert judged(("seat1", "seat2"), ("seat2", "seat1"), ("seat3", "seat3")) == {
        "seat1": "swapped",
        "seat2": "swapped",
        "seat3": "ok",
    }


def test_buttons_that_did_not_come_are_named():
    wanted = {(1, "accept"), (1, "refuse"), (2, "accept")}
    assert diagnosis.assess_buttons(wanted, wanted).verdict == "ok"
    assert diagnosis.assess_buttons(wanted, set()).verdict == "absent"
    found = diagnosis.assess_buttons(wanted, {(1, "accept")})
    assert found.verdict == "fault"
    assert (
        "refuse, seat 1 and accept, seat 2" in say_all([found])[1] or "accept, seat 2" in say_all([found])[1]
    )


@pytest.mark.parametrize("part", ["lights", "buzzer", "voice"])
def test_what_only_a_person_can_tell(part):
    found = [diagnosis.assess_answer(part, yes) for yes in (True, False)]
    assert verdicts(found) == ["ok", "fault"]
    say_all(found)


@pytest.mark.parametrize(
    ("changed", "part", "code", "verdict"),
    [
        ({}, "focus", "check.focus.ok", "ok"),
        ({"sharpness": 5}, "focus", "check.focus.no", "fault"),
        ({"sharpness": 40}, "focus", "check.focus.soft", "warn"),
        ({"brightness": 20}, "light", "check.light.dark", "fault"),
        ({"brightness": 240}, "light", "check.light.bright", "fault"),
        ({"contrast": 4}, "light", "check.light.flat", "warn"),
        ({"burnt": 0.05}, "glare", "check.glare.yes", "warn"),
        ({"drift": 40}, "drift", "check.drift.yes", "warn"),
    ],
)
def test_the_cameras_picture(changed, part, code, verdict):
    found = diagnosis.assess_picture(
        PictureQuality(**{**{key: getattr(GOOD, key) for key in GOOD.__struct_fields__}, **changed})
    )
    one = next(one for one in found if one.part.code == f"check.part.{part}")
    assert (one.text.code, one.verdict) == (code, verdict)
    assert sum(one.verdict != "ok" for one in found) == (verdict != "ok")
    say_all(found)


@pytest.mark.parametrize(
    ("seconds", "code"), [(0.04, "check.looks.ok"), (0.3, "reader.camera.slow_computer")]
)
def test_how_often_this_computer_looks(seconds, code):
    rate = AnalysisRate()
    for _ in range(RATE_SAMPLES):
        rate.record_duration(seconds)
    found = diagnosis.assess_frame_rate(rate.per_second, rate.slow_notice)
    assert found.text.code == code
    assert f"{round(1 / seconds)} times a second" in say_all([found])[1]


def table_with_cards():
    """A picture with the detail that printed cards have."""
    rng = np.random.default_rng(1)
    picture = np.full((720, 1280, 3), 110, np.uint8)
    for _ in range(300):
        x, y = rng.integers(0, 1180), rng.integers(0, 640)
        cv2.rectangle(picture, (x, y), (x + 60, y + 60), tuple(int(v) for v in rng.integers(30, 230, 3)), -1)
        cv2.putText(picture, "7", (x + 15, y + 48), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    return picture


def test_a_picture_is_measured_as_a_person_would_call_it():
    sharp = table_with_cards()
    blurred = cv2.GaussianBlur(sharp, (0, 0), 12)
    assert verdicts(diagnosis.assess_picture(measure_pictures([sharp]))) == ["ok"] * 4
    assert diagnosis.assess_picture(measure_pictures([blurred]))[0].text.code == "check.focus.no"
    assert diagnosis.assess_picture(measure_pictures([(sharp // 8)]))[1].text.code == "check.light.dark"
    glare = sharp.copy()
    cv2.circle(glare, (600, 300), 120, (255, 255, 255), -1)
    assert diagnosis.assess_picture(measure_pictures([glare]))[2].text.code == "check.glare.yes"
    assert (
        diagnosis.assess_picture(measure_pictures([sharp, (sharp * 0.6).astype(np.uint8)]))[3].text.code
        == "check.drift.yes"
    )
    with pytest.raises(ValueError, match="no picture"):
        measure_pictures([])


def test_the_disk_is_tried_and_left_as_it_was(tmp_path):
    found = measure_disk(tmp_path / "not" / "yet")
    assert found.free > 0
    assert found.fsync > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (Disk("/d", 10**12, 0.001), "check.disk.ok"),
        (Disk("/d", 10**6, 0.001), "check.disk.full"),
        (Disk("/d", 10**12, 0.5), "check.disk.slow"),
        (Disk("/d", error="Read-only file system"), "check.disk.no"),
    ],
)
def test_the_disk(found, code):
    judged = diagnosis.assess_disk(found)
    assert codes(judged) == [code]
    say_all(judged)


def test_a_deck_without_tags_or_views_is_said_for_those_who_use_them():
    deck = Deck.load_builtin("donkey_valley")
    assert len(diagnosis.assess_deck(deck, [], camera=False, reader=False)) == 1
    bare = diagnosis.assess_deck(deck, ["donkey:giant"], camera=True, reader=True)
    assert verdicts(bare) == ["ok", "warn", "warn"]
    assert codes(bare)[2] == "check.deck.tags.none", "one word for all, and not each card's name"
    full = diagnosis.assess_deck(assign_tags(deck), [], camera=True, reader=True)
    assert verdicts(full) == ["ok", "ok", "ok"]
    say_all([*bare, *full], "donkey_valley")


@pytest.mark.parametrize("language", LANGUAGES)
def test_designs_that_lack_something_are_called_as_people_call_them(language):
    deck = Deck.load_builtin("donkey_valley")
    names = [design.name for design in deck.designs]
    say = Translator.for_game(language, deck.game)
    [_, views] = diagnosis.assess_deck(deck, names, camera=True, reader=False)
    told = say.translate(views.text)
    assert say("card.giant") in told or say("colour.red") in told
    assert not re.search(r"\w:\w", told)


def test_what_of_a_game_cannot_be_loaded_is_said_with_the_reason(tmp_path, monkeypatch):
    """The panel of a game somebody writes is broken, and its cards want a library that is missing;
    of another the rules. What a game has not is no fault, nor are ours."""
    (tmp_path / "whist").mkdir()
    for name, text in {
        "__init__": "from tests.toy import Toy\nclass Whist(Toy):\n    pass\nGAME = Whist()\n",
        "panel": "def face(:\n",
        "player": "Players = object()\n",
        "drawing": "import nowhere_to_be_had\n",
    }.items():
        (tmp_path / "whist" / f"{name}.py").write_text(text, encoding="utf-8")
    points = [
        EntryPoint("whist", "whist:GAME", registry.GROUP),
        EntryPoint("chess", "nowhere_to_be_had:GAME", registry.GROUP),
    ]
    monkeypatch.syspath_prepend(tmp_path)
    ours = registry.list_entry_points(registry.GROUP)
    monkeypatch.setattr(
        registry,
        "list_entry_points",
        lambda group: {**ours, **{one.name: one for one in points}} if group == registry.GROUP else {},
    )
    registry.load_game.cache_clear()
    found = diagnosis.find_broken_games()
    registry.load_game.cache_clear()
    assert verdicts(found) == ["fault", "warn", "warn"]
    said = [f"{EN.translate(one.part)}: {EN.translate(one.text)}" for one in found]
    lacking = "ModuleNotFoundError: No module named 'nowhere_to_be_had'"
    assert said[0] == f"Game chess: The game chess cannot be loaded: {lacking}"
    assert said[1].startswith(
        "Game whist: Its own display can't be loaded, so the plain one is used: SyntaxError: "
    )
    assert "panel.py, line 1" in said[1]
    assert (
        said[2]
        == f"Game whist: Its drawn cards can't be loaded, so they are neither printed nor shown: {lacking}"
    )
    say_all(found)


def test_a_line_of_the_report_is_written_as_its_language_writes_it():
    [found] = diagnosis.assess_disk(Disk("/home/ann", 5_000_000_000, 0.0032))
    assert format_finding(found, Translator("fr")) == (
        "[✓] Disque : /home/ann : 5000 Mo libres, une écriture sûre prend 4 ms."
    )
