"""What is wrong with a board: where it is not the circuit, which design rules it breaks, what its
copper costs the supply.

Runs where `pcbnew` does, as `board`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pcbnew

from hardware.circuit import load_part_kinds
from hardware.pcb.drop import drops
from hardware.pcb.layout import Sheet, footprint, joins

LOSS = 0.08
"""The volts that copper may cost a reader (`hardware/supply.py` reckons with as much)."""


def differences(board: Any, sheet: Sheet) -> list[str]:
    """Return where a board is not the circuit: pins on another net, parts of another kind or place.
    Empty when all is well."""
    wanted = joins(sheet)
    there = {
        (part.GetReference(), pad.GetNumber()): pad.GetNetname()
        for part in board.GetFootprints()
        for pad in part.Pads()
        if pad.GetNetname()
    }
    said = [
        f"{ref}.{pin}: {there.get((ref, pin), '')!r}, not {net!r}"
        for (ref, pin), net in wanted.items()
        if there.get((ref, pin)) != net
    ]
    said += [
        f"{ref}.{pin}: {net!r} joins nothing" for (ref, pin), net in there.items() if (ref, pin) not in wanted
    ]
    prints = {part.GetReference(): part.GetFPIDAsString() for part in board.GetFootprints()}
    said += [
        f"{ref}: no {footprint(sheet, ref)}"
        for ref in sheet.places
        if prints.get(ref) != footprint(sheet, ref)
    ]
    return said


def check(board: Any, report: Path) -> list[str]:
    """Run KiCad's design rules check; return what it says, one line a fault, things that are not
    joined among them, and words that cannot be read: a warning counts as much as an error."""
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    text = report.read_text(encoding="utf-8")
    return [line.strip() for line in re.findall(r"^\[\w+\]:.*\n.*Severity: (?:error|warning).*", text, re.M)]


def supply_loss(board: Any, sheet: Sheet) -> float:
    """Return the volts that the farthest reader loses in the copper of the 3.3 V net, all drawing
    what a reader can; 0 for a tray."""
    pieces, ends = [], set()
    for track in (one for one in board.GetTracks() if one.GetNetname() == "3V3"):
        a, b = _point(track.GetStart()), _point(track.GetEnd())
        via = isinstance(track, pcbnew.PCB_VIA)
        layers = (0, 1) if via else (0, 0) if track.GetLayer() == pcbnew.F_Cu else (1, 1)
        pieces.append(((layers[0], *a), (layers[1], *b), 0.0 if via else pcbnew.ToMM(track.GetWidth())))
        ends |= {pieces[-1][0], pieces[-1][1]}
    pins = {
        f"{pad.GetParent().GetReference()}.{pad.GetNumber()}": [
            end for end in ends if pad.HitTest(pcbnew.wxPointMM(*end[1:]))
        ]
        for pad in board.GetPads()
        if pad.GetNetname() == "3V3"
    }
    draws = load_part_kinds()["rc522"]["limits"]["draws"]
    loads = {f"J{number}.1": draws for number in range(1, len(sheet.made.board["pads"]) + 1)}
    return max(drops(pieces, pins, "PS1.3", loads).values()) if "PS1.3" in pins else 0.0


def _point(at: Any) -> tuple[float, float]:
    return round(pcbnew.ToMM(at.x), 3), round(pcbnew.ToMM(at.y), 3)
