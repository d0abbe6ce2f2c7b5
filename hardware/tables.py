"""Make the tables of the guide from the circuits and `parts.toml`, so that the guide cannot name
another pin than the firmware uses.

    python -m hardware.tables            write the tables into the guide
    python -m hardware.tables --check    write nothing; exit 1 if the guide is out of date
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from hardware.circuit import HARDWARE, Circuit, build_circuit, list_signals, load_part_kinds

LANGUAGES = ("en", "fr")
HEADS = {
    "en": {
        "parts": "| each | part (look for) | instead | beware | € |",
        "sum": "**together, each tray**",
        "tray": "| pin of a Pico | RP2040-Zero | goes to | what it is |",
        "nano": "| from the Nano | to | what it is |",
    },
    "fr": {
        "parts": "| par plateau | pièce (cherchez) | à défaut | attention | € |",
        "sum": "**en tout, par plateau**",
        "tray": "| broche d'un Pico | RP2040-Zero | va à | ce que c'est |",
        "nano": "| de la Nano | vers | ce que c'est |",
    },
}
PICO_PINS = {"GP1": 2, "GP2": 4, "GP3": 5, "GP4": 6, "GP6": 9, "GP7": 10, "GP8": 11, "GP9": 12, "GP10": 14,
             "3V3": 36, "VBUS": 40, "GND": 8}  # fmt: skip
"""Number of each pin on a Pico, counted from the USB plug round the board (its data sheet, 2.1)."""


def count_parts(made: Circuit) -> Counter[str]:
    """Count the parts of a reader by kind, with those on no net (`also` of parts.toml)."""
    counts = Counter(made.parts.values())
    for name, kind in load_part_kinds().items():
        counts[name] += kind.get("also", {}).get(made.board["name"], 0)
    return counts


def list_tray_parts(made: Circuit, language: str) -> list[str]:
    """Return the parts of a tray, most costly first, and their sum."""
    counts, kinds, rows = count_parts(made), load_part_kinds(), []
    chosen = sorted((name for name in kinds if counts[name]), key=lambda name: -kinds[name]["euro"])
    for name in chosen:
        words, cost = kinds[name][language], kinds[name]["euro"] * counts[name]
        number = words.get("number", kinds[name]["number"])
        cells = [
            str(counts[name]),
            f"{words['name']} ({number})" if number else words["name"],
            words["other"],
            words["warn"],
            format_amount(cost, language),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    total = sum(kinds[name]["euro"] * counts[name] for name in chosen)
    rows.append(f"| | {HEADS[language]['sum']} | | | **{format_amount(total, language)}** |")
    return [HEADS[language]["parts"], "|---|---|---|---|---|", *rows]


def format_amount(euro: float, language: str) -> str:
    """Format an amount as the language does, with two digits."""
    return f"{euro:.2f}".replace(".", "," if language == "fr" else ".")


def list_tray_wires(made: Circuit, language: str) -> list[str]:
    """Return every wire of a tray, from the Pico's pins in their order, then the light's supply."""
    rows = []
    for pin, net, _ in list_signals(made.board):
        ends = ", ".join(_format_pin(made, ref, end) for ref, end in made.nets[net] if ref != "BOARD")
        # an RP2040-Zero prints 5V for VBUS, and numbers without GP
        zero = {"VBUS": "5V"}.get(pin, pin.removeprefix("GP"))
        rows.append(f"| {PICO_PINS[pin]} ({pin}) | {zero} | {ends} | {net} |")
    for net in ("LIGHT1", "5V LIGHT", "BUZZER PIEZO"):
        first, *others = (_format_pin(made, ref, end) for ref, end in made.nets[net])
        rows.append(f"| | | {first} – {', '.join(others)} | {net} |")
    return [HEADS[language]["tray"], "|---|---|---|---|", *rows]


def list_nano_wires(made: Circuit, language: str) -> list[str]:
    """Return the wires of a Nano's perfboard: from the Nano, then what goes on from the chips."""
    rows = []
    for net, joins in made.nets.items():
        # lights, buttons and capacitors are wired as a tray's
        ends = [end for end in joins if made.parts[end[0]] in ("board-nano", "shifter", "regulator", "rc522")]
        if len(ends) > 1:
            (ref, pin), *others = ends
            first = str(pin) if ref == "BOARD" else _format_pin(made, ref, pin)
            rows.append(f"| {first} | {', '.join(_format_pin(made, *other) for other in others)} | {net} |")
    return [HEADS[language]["nano"], "|---|---|---|", *rows]


def _format_pin(made: Circuit, ref: str, pin: int | str) -> str:
    # a chip's pins are counted, a module's are printed on it
    if made.parts[ref] == "shifter":
        return f"{ref}.{pin}"
    rows = (row.split() for row in load_part_kinds()[made.parts[ref]]["pins"])
    return f"{ref}.{next(name for number, name, _ in rows if number == str(pin))}"


TABLES = {
    "parts": ("pico", list_tray_parts),
    "tray": ("pico", list_tray_wires),
    "nano": ("nano", list_nano_wires),
}
"""Tables by name: the board whose circuit they show, and the function that makes their rows."""


def fill_tables(text: str, language: str) -> str:
    """Return a guide with its tables made again; each stands between `<!-- table NAME -->` and
    `<!-- end -->`."""
    out, skipping = [], False
    for line in text.splitlines():
        if skipping and line.strip() != "<!-- end -->":
            continue
        skipping = False
        out.append(line)
        if line.startswith("<!-- table "):
            board, list_rows = TABLES[line.split()[2]]
            out += ["", *list_rows(build_circuit(board), language), ""]
            skipping = True
    return "\n".join(out) + "\n"


def build_guides() -> dict[Path, str]:
    """Return each guide's path and the text it should have."""
    pages = [(HARDWARE / f"guide.{language}.md", language) for language in LANGUAGES]
    return {path: fill_tables(path.read_text(encoding="utf-8"), language) for path, language in pages}


def main() -> int:
    """Write the guides' tables, or check them."""
    stale = {path: text for path, text in build_guides().items() if path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(f"{path.name} is not what the pin map says: run make -C hardware tables", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
