"""Every key of the table's files with values at and beyond its bounds: what is read, or what is
said of the mistake. After a change that is meant: `WRITE=1 pytest
tests/table/test_files_to_the_letter.py`, and read the difference."""

from __future__ import annotations

import os
from pathlib import Path

from companion.rules.contract import Problem
from companion.table import pad_plan, zones
from companion.table.decks import Deck
from companion.texts import Translator
from tests.letters import compare_with_file

FILE = Path(__file__).with_name("files.txt")
SAY = Translator("en").translate
DECK = {
    "deck": {"name": '"Mine"', "game": '"dtc"', "owner_by": '"seat"', "references": '"references"'},
    "[design]": {
        "name": '"a"',
        "card": '"load:any:7"',
        "copies": "2",
        "tags": '["04a2b3c4"]',
        "marker": "17",
    },
}
PADS = {"[pad]": {"name": '"seat3"', "board": "1", "zone": '"seat:3"', "face_down": "true"}}
SQUARE = "[[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5]]"
ZONES = {
    "": {"aspect": "1.5"},
    "camera": {"method": '"corners"', "corners": SQUARE},
    "[zone]": {"name": '"seat:1"', "corners": SQUARE},
}
WORDS = ('""', '" a"', '"a\\tb"', f'"{"a" * 80}"', f'"{"a" * 81}"', "3", "[]", "nan", "false", None)
NUMBERS = ("-1", "0", "1", "9", "10", "249", "250", "999", "1000", "true", "1.0", '"1"')
OTHERS = {
    "name": ('"a123456789012345"', '"a1234567890123456"', '"Seat1"', '"seat:99"', '"seat:100"', '"piles"'),
    "game": ('"Dtc"', '"a b"', '"x_1"', '"dtc\\n"'),
    "owner_by": ('"colour"', '"none"', '"suit"'),
    "references": (
        '"../references"',
        '"a/references"',
        '"/references"',
        '"C:references"',
        '"a\\\\references"',
        '".."',
    ),
    "card": ('"a"', '"a:b"', '"a:B c"', '"A:b"', '"a:"', '"a::b"'),
    "tags": (
        '["04:A2-B3 C4"]',
        '["04"]',
        f'["{"a" * 14}", "{"b" * 20}"]',
        f'["{"a" * 10}"]',
        f'["{"a" * 21}"]',
        '"04a2b3c4"',
        "[1]",
    ),
    "zone": (
        '"seat:99"',
        '"seat:100"',
        '"piles"',
        '"middle"',
        '"pile"',
        '"seat:9"',
        '"seat:10"',
        '"seat:0"',
        '"seat"',
    ),
    "device": ('"ACR"', f'"{"a" * 200}"', f'"{"a" * 201}"'),
    "under": ("true", "false"),
    "aspect": ("0.1", "0.11", "9.99", "10"),
    "method": ('"picture"', '"mat"', '"eyes"'),
    "corners": (
        "[[0, 0], [1, 0], [1, 1]]",
        "[[0, 0], [1, 0]]",
        "[[0, 0], [1, 0], [1, 1.01], [0, 1]]",
        '"all"',
    ),
}


def written(tables):
    return "".join(
        (f"[{name}]\n" if name else "")
        + "".join(f"{key} = {value}\n" for key, value in keys.items() if value)
        for name, keys in tables.items()
    )


def bent(tables):
    """Files with one key changed, left out, or one too many; and what was changed."""
    yield "as it is", written(tables)
    for table, keys in tables.items():
        for key in [*keys, *["at_once"] * (table == "deck"), "device", "under", "colour", "nam", "x"]:
            number = keys.get(key, "-")[0].isdigit()
            for value in (*(NUMBERS if number else WORDS), *OTHERS.get(key, ())):
                yield f"{table} {key} = {value}", written({**tables, table: {**keys, key: value}})
        yield f"two of {table}", written(tables) + written({table: keys})
        yield f"no {table}", written({name: rest for name, rest in tables.items() if name != table})
    yield "a stranger", written(tables) + "[strange]\na = 1\n"
    yield "a list", "deck = 3\ndesign = 4\npad = 5\nzone = 6\n"
    yield "written otherwise", written(tables).replace("[deck]\n", "deck.", 1).replace("\nname", "\n'name'")
    yield "no TOML", written(tables) + "= 3\n"
    yield "half a line", written(tables) + "marker = \n"
    yield "no end", written(tables) + 'marker = "'


def outcome(load, file, text):
    file.write_text(text, encoding="utf-8")
    try:
        return repr(load(file))
    except Problem as problem:
        faults = getattr(problem, "faults", None)
        said = [f"{one.line} {one.key}: {SAY(one.text)}" for one in faults] if faults else [SAY(problem.text)]
        return " | ".join(said)


def lines(folder):
    deck = (lambda file: Deck.load(file).designs, DECK)
    for name, (load, tables) in {
        "deck": deck,
        "pads": (pad_plan.load_pads, PADS),
        "zones": (zones.load_zones, ZONES),
    }.items():
        found = {}
        for what, text in bent(tables):
            said = outcome(load, folder / f"{name}.toml", text).replace(f"{folder}{os.sep}", "")
            found.setdefault(said, []).append(what)
        for said, whats in found.items():
            yield f"{name}: {said}"
            yield from (f"    {what}" for what in whats)
    for seats in zones.SEATS:
        yield f"usual zones for {seats}: " + "; ".join(
            f"{one.name} {one.corners}" for one in zones.make_default_zones(seats).zone
        )
    for boards in (1, 2):
        yield f"usual pads of {boards}: {pad_plan.make_default_pads(boards, face_down=True)}"


def test_every_key_at_and_beyond_its_bounds(tmp_path):
    found = list(lines(tmp_path))
    compare_with_file(FILE, found)
