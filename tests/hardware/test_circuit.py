"""The pin map, the circuit, the drawings, the netlist and the guides say the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hardware import tables, wiring
from hardware.circuit import (
    GATES,
    HARDWARE,
    SHIFTER_CHANNELS,
    build_circuit,
    list_signals,
    load_boards,
    load_part_kinds,
)

ROOT = HARDWARE.parent
PINS = {
    board["name"]: board for board in tomllib.loads((ROOT / "firmware" / "pins.toml").read_text())["board"]
}
BOTH = pytest.mark.parametrize("name", ["mega2560", "nano"])


def reached(made, pin):
    """The pins of trays that an Arduino's output gets to, through resistors, shifters and gates."""
    through = {}
    for ref, part in made.parts.items():
        pairs = {"shifter": SHIFTER_CHANNELS, "gate": [(a, y) for _, a, y in GATES]}.get(part.kind, ())
        if part.kind.startswith("resistor"):
            pairs = [(1, 2)]
        through |= {(ref, a): (ref, b) for a, b in pairs}
    todo, seen, found = [made.net_of("BOARD", pin)], set(), set()
    while todo:
        net = todo.pop()
        if net in seen or net in ("GND", "9V", "5V USB", "3V3"):
            continue
        seen.add(net)
        for join in made.nets[net]:
            found.add(join)
            if join in through and (onward := made.net_of(*through[join])):
                todo.append(onward)
    return found


@BOTH
def test_every_pin_of_the_pin_map_gets_to_its_part(name):
    made, pins = build_circuit(name), PINS[name]
    pads = range(1, len(pins["pads"]) + 1)
    assert {(f"M{n}", 2) for n in pads} <= reached(made, pins["spi"]["sck"]["arduino"])
    assert {(f"M{n}", 3) for n in pads} <= reached(made, pins["spi"]["mosi"]["arduino"])
    assert {(f"M{n}", 7) for n in pads} <= reached(made, pins["reset"]["arduino"])
    assert ("L1", 3) in reached(made, pins["lights"]["arduino"])
    assert ("BZ1", 1) in reached(made, pins["buzzer"]["arduino"])
    for number, pad in enumerate(pins["pads"], 1):
        selected = {join for join in reached(made, pad["select"]["arduino"]) if join[0].startswith("M")}
        assert selected == {(f"M{number}", 1)}
    for seat in pins["buttons"]:
        has_pad = any(pad["name"] == f"seat{seat['seat']}" for pad in pins["pads"])
        for act, ref in (("accept", "SA"), ("refuse", "SR")):
            net = made.net_of("BOARD", seat[act]["arduino"])
            buttons = [join for join in made.nets[net] if made.parts[join[0]].kind == "button"] if net else []
            assert buttons == ([(f"{ref}{seat['seat']}", 1)] if has_pad else [])


@BOTH
def test_a_reader_answers_through_the_gate_that_its_own_select_opens(name):
    made, pins = build_circuit(name), PINS[name]
    for number, pad in enumerate(pins["pads"], 1):
        ((chip, source),) = [
            join for join in made.nets[f"MISO{number}"] if made.parts[join[0]].kind == "gate"
        ]
        enable, output = next((enable, output) for enable, entry, output in GATES if entry == source)
        assert made.net_of(chip, enable) == made.net_of("BOARD", pad["select"]["arduino"])
        assert made.net_of(chip, output) == made.net_of("BOARD", pins["spi"]["miso"]["arduino"])
        assert made.net_of(f"M{number}", 4) == f"MISO{number}"


@BOTH
def test_no_gate_has_a_floating_input_when_its_tray_is_unplugged(name):
    made = build_circuit(name)
    pulled = {
        made.net_of(ref, 1): made.net_of(ref, 2)
        for ref, part in made.parts.items()
        if part.kind == "resistor-10k"
    }
    assert pulled == {f"MISO{number}": "3V3" for number in range(1, len(made.board["pads"]) + 1)}
    at_home = {ref for ref, part in made.parts.items() if part.place == "box"}
    for ref, part in made.parts.items():
        if part.kind == "gate":
            for enable, entry, _ in GATES:
                for pin in (enable, entry):
                    others = {one for one, _ in made.nets[made.net_of(ref, pin)]} & at_home
                    assert {one for one in others if one[0] in "RB"} or made.net_of(ref, pin) in (
                        "GND",
                        "5V USB",
                    )


@BOTH
def test_no_five_volts_on_anything_that_a_reader_listens_to(name):
    made = build_circuit(name)
    outputs = {pin for pin, _, kind in list_signals(made.board) if kind == "output"}
    for ref in (ref for ref in made.parts if made.parts[ref].kind == "rc522"):
        assert made.net_of(ref, 8) == "3V3"
        for pin in (1, 2, 3, 7):
            assert not {
                join for join in made.nets[made.net_of(ref, pin)] if join[0] == "BOARD" and join[1] in outputs
            }
    assert all(made.net_of(ref, 1) == "3V3" for ref, part in made.parts.items() if part.kind == "shifter")


@BOTH
def test_the_lights_hand_their_data_on_in_pad_order(name):
    made = build_circuit(name)
    for number in range(1, len(made.board["pads"])):
        assert made.net_of(f"L{number}", 4) == made.net_of(f"L{number + 1}", 3)


@BOTH
def test_a_ribbon_joins_box_and_tray_wire_by_wire(name):
    made = build_circuit(name)
    for number in range(1, len(made.board["pads"]) + 1):
        assert [made.net_of(f"J{number}", pin) for pin in range(1, 17)] == [
            made.net_of(f"JT{number}", pin) for pin in range(1, 17)
        ]


@BOTH
def test_no_pin_is_on_two_nets_and_every_pin_exists(name):
    made = build_circuit(name)
    joins = [join for joins in made.nets.values() for join in joins]
    assert len(joins) == len(set(joins))
    for ref, pin in joins:
        kind = made.parts[ref].kind
        names = (
            [row[0] for row in list_signals(made.board)]
            if ref == "BOARD"
            else [int(row.split()[0]) for row in load_part_kinds()[kind]["pins"]]
        )
        assert pin in names


def test_every_part_is_described_in_both_languages():
    for name, kind in load_part_kinds().items():
        for language in ("en", "fr"):
            assert kind[language]["name"], name
            assert set(kind[language]) - {"number"} == {"name", "other", "warn"}
        assert bool(kind["en"]["warn"]) == bool(kind["fr"]["warn"]), name
        assert kind["euro"] > 0
        assert kind["number"], name


def test_a_tray_of_its_own_has_its_readers_pins_at_the_pico_and_five_volts_at_its_light_only():
    made, pins = build_circuit("pico"), PINS["pico"]
    wanted = {1: pins["pads"][0]["select"], 7: pins["reset"]}
    wanted |= {number: pins["spi"][wire] for number, wire in ((2, "sck"), (3, "mosi"), (4, "miso"))}
    for number, pin in wanted.items():
        assert made.nets[made.net_of("M1", number)] == [("BOARD", pin["arduino"]), ("M1", number)]
    assert made.net_of("M1", 8) == made.net_of("BOARD", "3V3")
    assert made.nets["5V USB"] == [("BOARD", "VBUS"), ("D1", 2)]
    assert made.nets["5V LIGHT"] == [("D1", 1), ("L1", 1)]
    assert {join for join in reached(made, pins["lights"]["arduino"]) if join[0] == "L1"} == {("L1", 3)}
    assert ("BZ1", 1) in reached(made, pins["buzzer"]["arduino"])
    (seat,) = pins["buttons"]
    for act, ref in (("accept", "SA1"), ("refuse", "SR1")):
        assert made.net_of(ref, 1) == made.net_of("BOARD", seat[act]["arduino"])


@pytest.mark.parametrize(
    ("name", "least", "most"), [("mega2560", 80, 140), ("nano", 30, 60), ("pico", 60, 75)]
)
def test_the_parts_list_ends_with_the_sum_of_its_rows(name, least, most):
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for row in tables.list_bill_of_materials(build_circuit(name), "en")[2:]
    ]
    assert float(rows[-1][-1].strip("*")) == pytest.approx(sum(float(row[-1] or 0) for row in rows[:-1]))
    assert least < float(rows[-1][-1].strip("*")) < most
    listed = " ".join(row[1] for row in rows)
    for needed in ("USB cable", "Single-pin lead", "Tube of 20 mm", "M8 x 50"):
        assert needed in listed
    assert ("Female strip, 15 ways" in listed) == (name == "nano")


def test_the_drawings_hold_every_wire_of_the_arduino():
    for name in load_boards():
        drawn = set()
        made = build_circuit(name)
        for sheet in ["tray"] if made.is_tray_only else wiring.SHEETS:
            _, wires = wiring.list_sheet_wires(made, sheet)
            drawn |= {end for _, a, b in wires for end in (a, b) if end[0] == "BOARD"}
            assert all(net in (made.net_of(*a), made.net_of(*b)) for net, a, b in wires)
        assert drawn == {("BOARD", pin) for pin, _, _ in list_signals(load_boards()[name])}


def test_the_guides_tables_are_what_the_pin_map_says():
    for path, text in tables.build_guides().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make -C hardware tables"


def test_a_pin_that_moves_moves_in_the_guide(monkeypatch):
    moved = build_circuit("nano")
    moved.nets["SDA1 5V"] = [
        ("BOARD", "D4") if join == ("BOARD", "D8") else join for join in moved.nets["SDA1 5V"]
    ]
    rows = tables.list_arduino_wires(moved, "en")
    assert any(row.startswith("| D4 | U1.9") for row in rows)
    assert not any(row.startswith("| D8 ") for row in rows)


@pytest.mark.parametrize("page", ["guide", "tray", "first_pico"])
def test_both_guides_have_the_same_pictures_tables_and_steps(page):
    texts = [(HARDWARE / f"{page}.{language}.md").read_text(encoding="utf-8") for language in ("en", "fr")]
    found = [
        [word for word in text.replace(")", " ").replace("(", " ").split() if word.startswith("pictures/")]
        for text in texts
    ]
    assert [name.replace(".fr.", ".en.") for name in found[1]] == found[0]
    assert texts[0].count("<!-- table") == texts[1].count("<!-- table")
    assert texts[0].count("\n## ") == texts[1].count("\n## ")
    assert texts[0].count("\n|") == texts[1].count("\n|")
    for name in {*found[0], *found[1]}:
        assert (HARDWARE / name).stat().st_size < 300_000


@pytest.mark.graphviz
def test_wireviz_draws_a_box_and_lists_its_parts(tmp_path):
    source = tmp_path / "nano-signals.yml"
    source.write_text(wiring.build_drawings()[source.name], encoding="utf-8")
    command = [str(Path(sys.executable).with_name("wireviz")), "-f", "st", str(source)]
    subprocess.run(command, check=True, capture_output=True)
    drawing = source.with_suffix(".svg").read_text(encoding="utf-8")
    assert all(word in drawing for word in ("74HC4050", "74HCT125", "D13", "BUZZER"))
    assert "Arduino Nano" in (tmp_path / "nano-signals.bom.tsv").read_text(encoding="utf-8")


RULES = """
import json, sys
from hardware import netlist
from hardware.circuit import build_circuit, load_boards
said = {name: netlist.check_netlist(build_circuit(name)) for name in load_boards()}
for fault, (gone, put) in json.loads(sys.argv[1]).items():
    made = build_circuit("nano")
    made.nets[gone[0]].remove(tuple(gone[1]))
    if put:
        made.nets[put[0]].append(tuple(put[1]))
    said[fault] = netlist.check_netlist(made)
netlist.build_netlist(build_circuit("nano")).generate_netlist(file_="nano.net", do_backup=False)
print(json.dumps(said))
"""
FAULTS = {
    "no regulator": (("3V3", ("PS1", 3)), None),
    "two outputs on one wire": (("SDA3 3V3", ("U1", 15)), ("SDA1 3V3", ("U1", 15))),
    "a reader's answer is not wired": (("MISO1", ("M1", 4)), None),
    "a chip without ground": (("GND", ("U2", 7)), None),
}


def test_the_electrical_rules_hold_and_broken_ones_are_found(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", RULES, json.dumps(FAULTS)],
        cwd=tmp_path,  # SKiDL writes files where it runs
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said.pop("mega2560") == []
    assert said.pop("nano") == []
    assert said.pop("pico") == []
    assert set(said) == set(FAULTS)
    assert all(said.values()), said
    assert "74HC4050" in (tmp_path / "nano.net").read_text(encoding="utf-8")
