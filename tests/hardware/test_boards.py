"""The circuit boards: the router by itself, and KiCad's own word on the boards that are kept, when
KiCad is there."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path

import cv2
import pytest
import simp_sexp

from hardware.circuit import HARDWARE, build_circuit
from hardware.pcb import layout
from hardware.pcb.drop import SQUARE, drops
from hardware.pcb.lettering import Box, Lettering, NoRoom, Words
from hardware.pcb.router import CLEARANCE, STEP, TRACK, VIA, Leg, Line, NoRoute, Router, lines, widen
from hardware.pcb.schematic import schematic
from tests.needs import require

PYTHON = "/usr/bin/python3"
"""The Python that Debian's pcbnew is for."""
BOARDS = ("junction-mega2560", "junction-nano", "tray-strip")


def sheet_of(name):
    return next(sheet for sheet in layout.sheets() if sheet.name == name)


def leg(net, column, row):
    return Leg(net, column * STEP, row * STEP, 0.8, 0.8)


def too_near(drawn):
    return [
        (one.net, other.net)
        for one in drawn
        for other in drawn
        if one.net < other.net and (one.layer is None or other.layer is None or one.layer == other.layer)
        if one.gap(other) < (one.width + other.width) / 2 + CLEARANCE - 1e-6
    ]


def test_two_nets_that_cross_take_two_layers():
    legs = [leg("a", 4, 16), leg("a", 28, 16), leg("b", 16, 4), leg("b", 16, 28)]
    drawn = lines(Router(21, 21, legs).route())
    assert too_near(drawn) == []
    assert len({line.layer for line in drawn if line.layer is not None}) == 2


def test_a_busy_board_is_laid_without_two_tracks_touching_and_the_same_each_time():
    legs = [leg(f"n{i}", 6 + 4 * i, 4) for i in range(8)] + [
        leg(f"n{i}", 6 + 4 * ((i * 3) % 8), 36) for i in range(8)
    ]
    first, second = (lines(Router(27, 27, legs).route()) for _ in range(2))
    assert first == second
    assert too_near(first) == []
    assert {line.net for line in first} == {f"n{i}" for i in range(8)}


def test_where_there_is_no_way_the_net_is_named():
    wall = [Leg("", 8.0, y / 2, 0.5, 0.5) for y in range(30)]
    with pytest.raises(NoRoute) as caught:
        Router(16, 14, [leg("lost", 4, 10), leg("lost", 20, 10), *wall]).route()
    assert caught.value.args == ("lost",)


def test_a_supply_is_as_wide_as_its_neighbours_allow():
    alone = Line("3V3", 0, (5, 5), (15, 5), TRACK)
    tight = Line("3V3", 0, (5, 10), (15, 10), TRACK)
    beside = Line("SDA1", 0, (5, 10.9), (15, 10.9), TRACK)
    widen([alone, tight, beside], [], {"3V3": (1.2, 0.8)}, (20, 20))
    assert (alone.width, tight.width, beside.width) == (1.2, 0.8, TRACK)
    squeezed = Line("3V3", 0, (5, 5), (15, 5), TRACK)
    widen([squeezed, Line("MISO", None, (10, 4.2), (10, 4.2), VIA)], [], {"3V3": (1.2, 0.8)}, (20, 20))
    assert squeezed.width == TRACK


def test_copper_loses_what_ohm_says():
    """Ten squares of 0.5 milliohm, then the same again narrower by half, with an ampere at the end
    and half of one in the middle."""
    pieces = [((0, 0, 0), (0, 10, 0), 1.0), ((0, 10, 0), (1, 10, 0), 0.0), ((1, 10, 0), (1, 10, 10), 0.5)]
    pins = {"from": [(0, 0, 0)], "middle": [(0, 10, 0)], "end": [(1, 10, 10)]}
    lost = drops(pieces, pins, "from", {"end": 1.0, "middle": 0.5})
    middle = 1.5 * (0.001 + 10 * SQUARE)
    assert lost["middle"] == pytest.approx(middle + 0.5 * 0.001, rel=1e-3)
    assert lost["end"] == pytest.approx(middle + 0.001 + 20 * SQUARE + 0.001, rel=1e-3)


@pytest.mark.parametrize("sheet", layout.sheets(), ids=lambda sheet: sheet.name)
def test_every_part_and_every_pin_of_the_circuit_is_on_its_board(sheet):
    place = 1 if sheet.name == "tray-strip" else "box"
    parts = {ref for ref, part in sheet.made.parts.items() if part.place == place}
    assert set(sheet.places) - {"JA", "JB", *layout.HOLES} == parts - (
        {"BOARD"} if "JA" in sheet.places else set()
    )
    on_board = layout.joins(sheet)
    for net, ends in sheet.made.nets.items():
        for ref, _pin in ends:
            if ref in parts:
                refs = {"JA", "JB"} if ref == "BOARD" and "JA" in sheet.places else {ref}
                assert any(net == found and one in refs for (one, _), found in on_board.items()), (net, ref)


def test_the_megas_rows_hold_each_of_its_pins():
    made = build_circuit("mega2560")
    pins = {pin for joins in made.nets.values() for ref, pin in joins if ref == "BOARD"}
    assert {pin for row in layout.MEGA_ROWS.values() for pin in row} == pins


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_says_what_it_is_its_version_and_every_part_with_its_value(name):
    text = (Path(layout.__file__).parent / "boards" / f"{name}.kicad_pcb").read_text()
    sheet = sheet_of(name)
    printed = re.findall(r'\(gr_text "([^"]+)"', text)
    assert f"{sheet.title} v{layout.VERSION}" in printed
    for ref in set(sheet.places) - {"JA", "JB", *layout.HOLES}:
        assert any(one.split()[0] == ref for one in printed), ref
    for one in printed:
        if one.startswith(("RK", "RO", "RD")):
            assert one.endswith(" 100")
    assert text.count("MountingHole_2.7mm_M2.5") >= 2


@pytest.mark.parametrize("sheet", [*layout.sheets(), layout.tray()], ids=lambda sheet: sheet.name)
def test_a_schematic_joins_what_the_board_joins(sheet):
    """Read back by the places alone, as KiCad does: what is drawn where a pin ends is on it."""
    text = schematic(sheet)
    file = simp_sexp.Sexp(text)

    def all_of(inside, name):
        return [one for one in inside if isinstance(one, list) and one[0] == name]

    def point(one, x=0, y=0):
        (at,) = all_of(one, "at")
        return round(x + float(at[1]), 2), round(y + float(at[2]), 2)

    there = {point(one): one[1] for one in all_of(file, "global_label")}
    there |= {point(one): None for one in all_of(file, "no_connect")}
    (library,) = all_of(file, "lib_symbols")
    pins = {
        one[1]: [pin for unit in all_of(one, "symbol") for pin in all_of(unit, "pin")]
        for one in all_of(library, "symbol")
    }
    found, prints = {}, {}
    for part in all_of(file, "symbol"):
        told = {one[1]: one[2] for one in all_of(part, "property")}
        prints[told["Reference"]] = told["Footprint"]
        x, y = point(part)
        for pin in pins[all_of(part, "lib_id")[0][1]]:
            dx, dy = point(pin)  # y up, inside a symbol
            end, number = (round(x + dx, 2), round(y - dy, 2)), all_of(pin, "number")[0][1]
            assert pin[1] == "no_connect" or end in there, (told["Reference"], number)
            if there.get(end):
                found[told["Reference"], str(number)] = there[end]
    assert found == layout.joins(sheet)
    assert prints == {ref: layout.footprint(sheet, ref) for ref in sheet.places if ref not in layout.HOLES}
    ids = re.findall(r"\(uuid (\S+?)\)", text)
    assert len(set(ids)) == len(ids)


# ---- words on a board ----


def test_words_stand_beside_what_they_name_and_on_nothing():
    hole = Box(9, 9, 11, 11)
    side = Lettering(Box(0, 0, 20, 20), [hole])
    words = Words("C1", 10, 10)
    box = words.box(*side.place(words))
    assert not box.meets(hole)
    assert math.hypot((box.left + box.right) / 2 - 10, (box.top + box.bottom) / 2 - 10) < 3
    other = words.box(*side.place(words))
    assert not other.meets(box)


def test_words_turn_where_only_a_narrow_strip_is_left_and_shun_vias_while_they_can():
    walls = [Box(0, 0, 8, 20), Box(10, 0, 20, 20)]
    assert Lettering(Box(0, 0, 20, 20), walls).place(Words("RK1 100", 9, 10))[2] == 90
    via = Box(9, 9, 11, 11)
    words = Words("R1", 10, 10)
    assert not words.box(*Lettering(Box(0, 0, 20, 20), [], [via]).place(words)).meets(via)
    everywhere = Box(0, 0, 20, 20)
    assert Lettering(everywhere, [], [everywhere]).place(words) == (10, 10, 0)


def test_words_without_room_are_named():
    with pytest.raises(NoRoom) as caught:
        Lettering(Box(0, 0, 20, 20), [Box(0, 0, 20, 20)]).place(Words("U1", 10, 10))
    assert caught.value.args == ("U1",)


# ---- KiCad's own word ----


@pytest.fixture(scope="session")
def kicad():
    require("kicad")
    return lambda *words: subprocess.run(
        [PYTHON, *words], cwd=HARDWARE.parent, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.gerbv
@pytest.mark.parametrize("name", BOARDS)
def test_kicad_finds_no_fault_and_the_circuit_s_own_nets(kicad, tmp_path, name):
    done = kicad("-m", "hardware.pcb.board", str(tmp_path), name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no design rule broken" in done.stdout
    report = (tmp_path / f"{name}.drc.txt").read_text()
    assert "** Found 0 unconnected pads **" in report
    assert "Severity:" not in report, "a warning is words that cannot be read"
    assert "(filled_polygon" in (tmp_path / f"{name}.kicad_pcb").read_text(), "ground as KiCad shows it"
    files = {file.suffix for file in (tmp_path / name).iterdir()}
    assert (tmp_path / f"{name}.kicad_sch").read_text() == schematic(sheet_of(name))
    assert {".gtl", ".gbl", ".gts", ".gbs", ".gto", ".gm1", ".drl"} <= files
    picture = tmp_path / "copper.png"
    copper = tmp_path / name / f"{name}-F_Cu.gtl"
    subprocess.run(
        ["gerbv", "-x", "png", "-D", "100", "-o", str(picture), str(copper)], capture_output=True, check=True
    )
    drawn = cv2.imread(str(picture), cv2.IMREAD_GRAYSCALE)
    width, height = sheet_of(name).size
    assert drawn.shape[1] / drawn.shape[0] == pytest.approx(width / height, rel=0.05)
    assert 0.3 < (drawn > 40).mean() < 0.98


BROKEN = """
import json, sys
from pathlib import Path
import pcbnew
from hardware.pcb import board, layout, verdict
sheet = next(one for one in layout.sheets() if one.name == "tray-strip")
made = pcbnew.LoadBoard(str(board.KEPT / "tray-strip.kicad_pcb"))
said = {}
sheet.made.nets["MISO1"].remove(("M1", 4))
sheet.made.nets["RST"].append(("M1", 4))
said["another circuit"] = verdict.differences(made, sheet)
words = pcbnew.PCB_TEXT(made)
words.SetText("OVER A HOLE")
words.SetLayer(pcbnew.F_SilkS)
words.SetPosition(next(pad for pad in made.GetPads() if pad.GetNetname() == "SCK1").GetPosition())
made.Add(words)
said["words on a hole"] = [one for one in verdict.check(made, Path(sys.argv[1])) if "Silk" in one]
made.Delete(words)
made.Remove(next(one for one in made.GetTracks() if one.GetNetname() == "MISO1"))
said["a track is missing"] = verdict.check(made, Path(sys.argv[1]))
print(json.dumps(said))
"""


def test_a_board_that_is_not_the_circuit_or_lacks_a_track_is_found_out(kicad, tmp_path):
    done = kicad("-c", BROKEN, str(tmp_path / "drc.txt"))
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert any("M1.4" in one for one in said["another circuit"])
    assert said["words on a hole"]
    assert any("unconnected" in one.lower() or "Missing" in one for one in said["a track is missing"])


def test_the_kept_boards_are_small_and_hold_no_path_of_this_machine():
    for name in BOARDS:
        text = (Path(layout.__file__).parent / "boards" / f"{name}.kicad_pcb").read_text()
        assert len(text) < 700_000
        assert "/tmp/" not in text
        assert "/home/" not in text
