"""The pin map, the circuits, the drawing and the guide say the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hardware import tables, wiring
from hardware.circuit import HARDWARE, SHIFTER_CHANNELS, build_circuit, list_signals, load_part_kinds

PINS = {
    board["name"]: board
    for board in tomllib.loads((HARDWARE.parent / "firmware" / "pins.toml").read_text())["board"]
}
BOTH = pytest.mark.parametrize("name", PINS)


def reach_pins(made, pin):
    """The pins that a board's pin gets to, through resistors and shifters."""
    through = {}
    for ref, kind in made.parts.items():
        pairs = SHIFTER_CHANNELS if kind == "shifter" else [(1, 2)] if kind.startswith("resistor") else []
        through |= {(ref, a): (ref, b) for a, b in pairs}
    todo, seen, found = [made.net_of("BOARD", pin)], set(), set()
    while todo:
        net = todo.pop()
        if net in seen or net in ("GND", "5V USB", "3V3"):
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
    for wire, number in ((pins["spi"]["sck"], 2), (pins["spi"]["mosi"], 3), (pins["reset"], 7)):
        assert {(f"M{n}", number) for n in pads} <= reach_pins(made, wire["arduino"])
    assert {(f"M{n}", 4) for n in pads} <= reach_pins(made, pins["spi"]["miso"]["arduino"])
    assert ("L1", 3) in reach_pins(made, pins["lights"]["arduino"])
    assert ("BZ1", 1) in reach_pins(made, pins["buzzer"]["arduino"])
    for number, pad in enumerate(pins["pads"], 1):
        selected = {join for join in reach_pins(made, pad["select"]["arduino"]) if join[0].startswith("M")}
        assert selected == {(f"M{number}", 1)}
    for seat in pins["buttons"]:
        for act, ref in (("accept", "SA"), ("refuse", "SR")):
            assert made.net_of(f"{ref}{seat['seat']}", 1) == made.net_of("BOARD", seat[act]["arduino"])


def test_no_five_volts_on_anything_that_a_reader_listens_to():
    """Everything of a Pico is 3.3 V, but the light's supply behind its diode."""
    made = build_circuit("nano")
    outputs = {pin for pin, _, kind in list_signals(made.board) if kind == "output"}
    for ref in (ref for ref in made.parts if made.parts[ref] == "rc522"):
        assert made.net_of(ref, 8) == "3V3"
        for pin in (1, 2, 3, 7):
            assert not outputs & {end for one, end in made.nets[made.net_of(ref, pin)] if one == "BOARD"}
    assert made.net_of("U1", 1) == "3V3"
    tray = build_circuit("pico")
    assert tray.nets["5V USB"] == [("BOARD", "VBUS"), ("D1", 2)]
    assert tray.nets["5V LIGHT"] == [("D1", 1), ("L1", 1)]


def test_the_lights_of_a_nano_hand_their_data_on_in_pad_order():
    made = build_circuit("nano")
    for number in (1, 2):
        assert made.net_of(f"L{number}", 4) == made.net_of(f"L{number + 1}", 3)


@BOTH
def test_every_pin_is_on_one_net_or_meant_to_stay_open(name):
    made = build_circuit(name)
    joins = [join for joins in made.nets.values() for join in joins]
    assert len(joins) == len(set(joins))
    assert all(len(joins) > 1 for joins in made.nets.values()), "a wire has two ends"
    for ref, kind in made.parts.items():
        rows = [row.split() for row in load_part_kinds()[kind].get("pins", ())]
        wanted = {int(number) for number, _, what in rows if what != "unused"}
        if ref == "BOARD":
            wanted = {pin for pin, _, _ in list_signals(made.board)}
        assert {pin for one, pin in [*joins, *made.open] if one == ref} == wanted, ref
    powers = {"power-out"}
    for net, joins in made.nets.items():
        kinds = [
            next(
                row.split()[2]
                for row in load_part_kinds()[made.parts[ref]]["pins"]
                if row.split()[0] == str(pin)
            )
            if ref != "BOARD"
            else next(kind for one, _, kind in list_signals(made.board) if one == pin)
            for ref, pin in joins
        ]
        drivers = [kind for kind in kinds if kind in powers or (kind == "output" and net != "MISO")]
        assert len(drivers) <= 1, f"{net}: two outputs on one wire"


def test_every_part_is_described_in_both_languages():
    for name, kind in load_part_kinds().items():
        for language in ("en", "fr"):
            assert kind[language]["name"], name
            assert set(kind[language]) - {"number"} == {"name", "other", "warn"}
        assert bool(kind["en"]["warn"]) == bool(kind["fr"]["warn"]), name
        assert kind["euro"] > 0


def test_the_parts_list_ends_with_the_sum_of_its_rows():
    rows = [
        [cell.strip() for cell in row.split("|")[1:-1]]
        for row in tables.list_tray_parts(build_circuit("pico"), "en")[2:]
    ]
    total = float(rows[-1][-1].strip("*"))
    assert total == pytest.approx(sum(float(row[-1]) for row in rows[:-1]))
    assert 10 < total < 15
    listed = " ".join(row[1] for row in rows)
    assert all(needed in listed for needed in ("USB cable", "Single-pin lead", "Screw M3"))


def test_the_drawing_holds_every_wire_of_the_pico():
    made = build_circuit("pico")
    wires = wiring.list_wires(made)
    drawn = {end for _, a, b in wires for end in (a, b) if end[0] == "BOARD"}
    assert all(net in (made.net_of(*a), made.net_of(*b)) for net, a, b in wires)
    assert drawn == {("BOARD", pin) for pin, _, _ in list_signals(made.board)}


def test_the_guides_tables_are_what_the_pin_map_says():
    for path, text in tables.build_guides().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make -C hardware tables"


def test_a_pin_that_moves_moves_in_the_guide():
    moved = build_circuit("nano")
    moved.nets["SDA1 5V"] = [
        ("BOARD", "D4") if join == ("BOARD", "D8") else join for join in moved.nets["SDA1 5V"]
    ]
    rows = tables.list_nano_wires(moved, "en")
    assert any(row.startswith("| D4 | U1.9") for row in rows)
    assert not any(row.startswith("| D8 ") for row in rows)


@pytest.mark.parametrize("page", ["guide", "first_pico", "mat_and_camera"])
def test_both_languages_have_the_same_pictures_tables_and_steps(page):
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
    assert max(len(text.split()) for text in texts) <= 2000, "nobody builds from a longer one"


@pytest.mark.parametrize(("board", "column"), [("pico", 3), ("nano", 4)])
def test_parts_and_joints_are_counted_from_the_circuit(board, column):
    made = build_circuit(board)
    joints = sum(map(len, made.nets.values()))
    page = (HARDWARE / "README.md").read_text(encoding="utf-8")
    rows = {cells[0].strip(): cells for line in page.splitlines() if len(cells := line[1:].split("|")) > 5}
    counts = [int(rows[name][column]) for name in ("parts", "joints")]
    assert counts == [len(made.parts), joints]
    if board == "pico":
        for language, word in (("en", "joints"), ("fr", "soudures")):
            guide = (HARDWARE / f"guide.{language}.md").read_text(encoding="utf-8")
            assert f"{joints} {word}" in guide


@pytest.mark.graphviz
def test_wireviz_draws_a_tray_and_lists_its_parts(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["wiring", str(tmp_path)])
    wiring.main()
    drawing = (tmp_path / wiring.FILE).with_suffix(".svg").read_text(encoding="utf-8")
    assert all(word in drawing for word in ("RC522", "1N4148", "GP10", "BUZZER"))
    assert "Raspberry Pi Pico" in (tmp_path / "pico-tray.bom.tsv").read_text(encoding="utf-8")
