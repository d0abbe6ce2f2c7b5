"""Make the tables of the guides from the circuit and `parts.toml`, so that a guide cannot name
another pin than the firmware uses.

    python -m hardware.tables            write the tables into the guides
    python -m hardware.tables --check    write nothing; exit 1 if a guide is out of date
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from hardware.circuit import HARDWARE, Circuit, build_circuit, list_signals, load_part_kinds
from hardware.supply import TRAYS

LANGUAGES = ("en", "fr")
PAGES = ("guide", "tray")
HEADS = {
    "en": {
        "bom": "| how many | part | look for | instead | beware | € each | € |",
        "wires": "| from the Arduino | to | what it is |",
        "pad": "| wire | signal | RC522 | others on the strip |",
        "chips": "| chip | pin | goes to |",
        "links": "| from | to |",
        "own": "| pin of a Pico | RP2040-Zero | goes to | what it is |",
        "table": "the table",
        "box": "box", "tray": "each tray", "cards": "one a card", "camera": "camera mount",
        "sum": "together, without stickers and camera mount",
    },
    "fr": {
        "bom": "| combien | pièce | cherchez | à défaut | attention | € pièce | € |",
        "wires": "| de l'Arduino | vers | ce que c'est |",
        "pad": "| fil | signal | RC522 | autres, sur la barrette |",
        "chips": "| puce | broche | va à |",
        "links": "| de | vers |",
        "own": "| broche d'un Pico | RP2040-Zero | va à | ce que c'est |",
        "table": "la table",
        "box": "boîtier", "tray": "chaque plateau", "cards": "une par carte", "camera": "support de caméra",
        "sum": "en tout, sans pastilles ni support de caméra",
    },
}  # fmt: skip


def list_bill_of_materials(made: Circuit, language: str) -> list[str]:
    """Return the bill of materials: parts of the box and of each tray, most costly first, and the
    sum."""
    head = HEADS[language]
    pads = TRAYS if made.is_tray_only else len(made.board["pads"])
    head = {**head, "box": head["table"]} if made.is_tray_only else head
    box = Counter(part.kind for part in made.parts.values() if part.place == "box")
    tray = Counter(part.kind for part in made.parts.values() if part.place == 1)
    camera: Counter[str] = Counter()
    for name, kind in load_part_kinds().items():
        extra = kind.get("extra", {})
        if extra and extra.get("board", made.board["name"]) == made.board["name"]:
            # A tray of its own has neither a box with a junction board nor a lid.
            here = extra["box"] if "board" in extra or not made.is_tray_only else 0
            box[name], tray[name], camera[name] = here, extra["tray"], extra.get("camera", 0)
    rows, total = [], 0.0
    for name, kind in sorted(load_part_kinds().items(), key=lambda item: item[1]["euro"], reverse=True):
        counts = [f"{box[name]} ({head['box']})"] * (box[name] > 0)
        counts += [f"{tray[name]} x {pads} ({head['tray']})"] * (tray[name] > 0)
        counts += [f"{camera[name]} ({head['camera']})"] * (camera[name] > 0)
        counts += [head["cards"]] * (name == "tag")
        if counts:
            words, each = kind[language], kind["euro"]
            cost = each * (box[name] + tray[name] * pads)
            total += cost
            cells = [
                " + ".join(counts),
                words["name"],
                words.get("number", kind["number"]),
                words["other"],
                words["warn"],
            ]
            rows.append(
                f"| {' | '.join(cells)} | {format_amount(each, language)} | {format_amount(cost, language) if cost else ''} |"
            )
    rows.append(f"| | **{head['sum']}** | | | | | **{format_amount(total, language)}** |")
    return [head["bom"], "|---|---|---|---|---|---|---|", *rows]


def format_amount(euro: float, language: str) -> str:
    """Format an amount as the language does, with two digits."""
    return f"{euro:.2f}".replace(".", "," if language == "fr" else ".")


def list_arduino_wires(made: Circuit, language: str) -> list[str]:
    """Return the list of wires that leave the Arduino."""
    rows = []
    for net, joins in made.nets.items():
        for pin in [pin for ref, pin in joins if ref == "BOARD"]:
            others = [(ref, end) for ref, end in joins if ref != "BOARD" and made.parts[ref].place == "box"]
            ends = ", ".join(f"{ref}.{end}" for ref, end in others)
            rows.append(f"| {pin} | {'0 V' if net == 'GND' else ends} | {net} |")
    return [HEADS[language]["wires"], "|---|---|---|", *rows]


def list_ribbon_wires(made: Circuit, language: str) -> list[str]:
    """Return the signal of each wire of a pad's ribbon, and where it ends in the tray."""
    rows = []
    for row in load_part_kinds()["ribbon"]["pins"]:
        number, signal, _ = row.split()
        # all grounds end in one place: one row names it
        if signal == "GND" and number != "2":
            rows.append(f"| {number} | {signal} | = 2 | |")
            continue
        net = made.net_of("JT1", int(number))
        ends = [
            (ref, pin) for ref, pin in made.nets[net or ""] if made.parts[ref].place == 1 and ref != "JT1"
        ]
        module = ", ".join(name for ref, pin in ends if ref == "M1" for name in _pin_names("rc522", pin))
        rest = ", ".join(
            f"{ref.rstrip('1')}.{_pin_names(made.parts[ref].kind, pin)[0]}"
            for ref, pin in ends
            if ref != "M1"
        )
        rows.append(f"| {number} | {signal} | {module} | {rest} |")
    return [HEADS[language]["pad"], "|---|---|---|---|", *rows]


def list_chip_pins(made: Circuit, language: str) -> list[str]:
    """Return every pin of every chip."""
    rows = []
    for ref, part in made.parts.items():
        if part.kind not in ("shifter", "gate"):
            continue
        for row in load_part_kinds()[part.kind]["pins"]:
            number, name, _ = row.split()
            net = made.net_of(ref, int(number))
            if net:
                rows.append(f"| {ref} {load_part_kinds()[part.kind]['value']} | {number} ({name}) | {net} |")
    return [HEADS[language]["chips"], "|---|---|---|", *rows]


def list_socket_wires(made: Circuit, language: str) -> list[str]:
    """Return the wires that each socket has for itself, and those from the chips to its resistors;
    the others run from socket to socket."""
    rows = []
    own = [
        net
        for net in made.nets
        if (
            (net.rstrip("0123456789") in ("SCK", "MOSI", "SDA", "MISO", "LIGHT", "ACCEPT", "REFUSE"))
            and net[-1].isdigit()
        )
        or " 3V3" in net
    ]
    for net in own:
        joins = [(ref, pin) for ref, pin in made.nets[net] if made.parts[ref].place == "box"]
        words = [f"{ref}.{pin}" for ref, pin in joins]
        rows.append(f"| {words[0]} | {', '.join(words[1:])} ({net}) |")
    return [HEADS[language]["links"], "|---|---|", *rows]


PICO_PINS = {"GP1": 2, "GP2": 4, "GP3": 5, "GP4": 6, "GP6": 9, "GP7": 10, "GP8": 11, "GP9": 12, "GP10": 14,
             "3V3": 36, "VBUS": 40, "GND": 8}  # fmt: skip
"""Number of each pin on a Pico, counted from the USB plug round the board (its data sheet, 2.1)."""


def list_tray_wires(made: Circuit, language: str) -> list[str]:
    """Return every wire of a tray of its own, from the Pico's pins in their order, then the light's
    supply."""
    rows = []
    for pin, net, _ in list_signals(made.board):
        ends = ", ".join(_format_pin(made, ref, end) for ref, end in made.nets[net] if ref != "BOARD")
        # an RP2040-Zero prints 5V for VBUS, and numbers without GP
        zero = {"VBUS": "5V"}.get(pin, pin.removeprefix("GP"))
        rows.append(f"| {PICO_PINS[pin]} ({pin}) | {zero} | {ends} | {net} |")
    for net in ("LIGHT1", "5V LIGHT", "BUZZER PIEZO"):
        first, *others = (_format_pin(made, ref, end) for ref, end in made.nets[net])
        rows.append(f"| | | {first} – {', '.join(others)} | {net} |")
    return [HEADS[language]["own"], "|---|---|---|---|", *rows]


def _format_pin(made: Circuit, ref: str, pin: int | str) -> str:
    return f"{ref}.{_pin_names(made.parts[ref].kind, pin)[0]}"


def _pin_names(kind: str, pin: int | str) -> list[str]:
    return [row.split()[1] for row in load_part_kinds()[kind]["pins"] if row.split()[0] == str(pin)]


TABLES = {
    "bom": list_bill_of_materials,
    "arduino": list_arduino_wires,
    "chips": list_chip_pins,
    "sockets": list_socket_wires,
    "ribbon": list_ribbon_wires,
    "tray": list_tray_wires,
}


def fill_tables(text: str, language: str) -> str:
    """Return a guide with its tables made again; each stands between `<!-- table NAME BOARD -->`
    and `<!-- end -->`."""
    out, skipping = [], False
    for line in text.splitlines():
        if skipping and line.strip() != "<!-- end -->":
            continue
        skipping = False
        out.append(line)
        if line.strip().startswith("<!-- table "):
            name, board = line.split()[2:4]
            indent = line[: line.index("<")]
            out += ["", *(indent + row for row in TABLES[name](build_circuit(board), language)), ""]
            skipping = True
    return "\n".join(out) + "\n"


def build_guides() -> dict[Path, str]:
    """Return each guide's path and the text it should have."""
    pages = [(HARDWARE / f"{page}.{language}.md", language) for page in PAGES for language in LANGUAGES]
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
