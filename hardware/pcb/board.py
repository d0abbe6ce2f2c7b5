"""KiCad's boards, made by its own `pcbnew` module: parts, tracks, copper ground, design rules
check, Gerber and drill files; the schematic beside each.

    python3 -m hardware.pcb.board route [NAME...]   lay the tracks anew (minutes), into boards/
    python3 -m hardware.pcb.board letter [NAME...]  write the words on the kept boards anew
    python3 -m hardware.pcb.board FOLDER [NAME...]  check the boards; write for the board house

Runs in the system's Python (Debian: `apt-get install --no-install-recommends kicad
kicad-footprints`).
"""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pcbnew

from hardware.circuit import load_part_kinds
from hardware.pcb.layout import HOLES, MEGA_ROWS, VERSION, Sheet, footprint, joins, sheets
from hardware.pcb.lettering import Box, Lettering, Words
from hardware.pcb.router import STEP, TRACK, Leg, Line, Router, Tracks, lines, widen
from hardware.pcb.schematic import schematic
from hardware.pcb.verdict import LOSS, check, differences, supply_loss

LIBRARY = Path(os.environ.get("KICAD6_FOOTPRINT_DIR", "/usr/share/kicad/footprints"))
KEPT = Path(__file__).parent / "boards"
"""The routed boards, without their copper ground, which is filled in when they are built."""
WIDE: dict[str, Sequence[float]] = {"3V3": (1.2, 0.8, 0.6), "9V": (1.2, 0.8, 0.6), "5V USB": (1.2, 0.8, 0.6)}
"""Widths, in millimetres, that a supply's tracks may have where there is room; 0.4 carries the 0.8
A of seven readers (IPC-2221: 10 K)."""
DRILL = 0.4
PLOTS = (
    (pcbnew.F_Cu, "F_Cu"), (pcbnew.B_Cu, "B_Cu"), (pcbnew.F_Mask, "F_Mask"), (pcbnew.B_Mask, "B_Mask"),
    (pcbnew.F_SilkS, "F_Silkscreen"), (pcbnew.B_SilkS, "B_Silkscreen"), (pcbnew.Edge_Cuts, "Edge_Cuts"),
)  # fmt: skip
"""The layers that a board house wants."""


NAMED = ("rc522", "pixel", "supply", "regulator-mega2560", "regulator-nano", "buzzer")
"""Parts whose holes are named one by one, as a Mega's rows are."""
BARE = 0.06
"""How near to a hole's copper nothing is printed (mm)."""
SCREW = 2.5
"""Half the width that a screw's head needs (M2.5; mm)."""


def mm(x: float, y: float) -> Any:
    """Return a point."""
    return pcbnew.wxPointMM(x, y)


class Build:
    """One board being made. `sheet`: what lies where."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.board = pcbnew.BOARD()
        self._nets: dict[str, Any] = {}
        self._legs: list[Leg] = []

    def make(self) -> Any:
        """Return the finished board."""
        self._outline()
        self._place()
        laid = Router(*self.sheet.size, self._legs).route()
        drawn = lines(laid)
        widen(drawn, self._legs, WIDE, self.sheet.size)
        for line in drawn:
            self._draw(line)
        for leg in (leg for leg in self._legs if leg.net):
            for layer, x, y in _ends_off_the_middle(leg, laid[leg.net]):
                self._draw(Line(leg.net, layer, (x, y), (leg.x, leg.y), TRACK))
        self._ground()
        return self.board

    def _net(self, name: str) -> Any:
        if name not in self._nets:
            self._nets[name] = pcbnew.NETINFO_ITEM(self.board, name)
            self.board.Add(self._nets[name])
        return self._nets[name]

    def _outline(self) -> None:
        width, height = self.sheet.size
        edge = pcbnew.PCB_SHAPE(self.board, pcbnew.SHAPE_T_RECT)
        edge.SetStart(mm(0, 0))
        edge.SetEnd(mm(width, height))
        edge.SetLayer(pcbnew.Edge_Cuts)
        edge.SetWidth(pcbnew.FromMM(0.1))
        self.board.Add(edge)

    def _place(self) -> None:
        nets = joins(self.sheet)
        for ref, place in self.sheet.places.items():
            library, name = footprint(self.sheet, ref).split(":")
            part = pcbnew.FootprintLoad(str(LIBRARY / f"{library}.pretty"), name)
            if part is None:
                sys.exit(f"No footprint {library}:{name} in {LIBRARY}: sudo apt-get install kicad-footprints")
            part.SetFPID(pcbnew.LIB_ID(library, name))
            part.SetReference(ref)
            part.SetValue(
                load_part_kinds()[self.sheet.made.parts[ref].kind]["value"]
                if ref in self.sheet.made.parts
                else name
            )
            self.board.Add(part)
            part.SetOrientationDegrees(place.turn)
            part.SetPosition(mm(place.column * STEP, place.row * STEP))
            part.Value().SetVisible(False)
            part.Reference().SetVisible(False)
            for pad in part.Pads():
                net = nets.get((ref, pad.GetNumber()), "")
                if net:
                    pad.SetNet(self._net(net))
                leg = _leg(pad, net)
                self._legs.append(replace(leg, half_w=SCREW, half_h=SCREW) if ref in HOLES else leg)

    def _draw(self, line: Line) -> None:
        if line.layer is None:
            piece = pcbnew.PCB_VIA(self.board)
            piece.SetPosition(mm(*line.a))
            piece.SetDrill(pcbnew.FromMM(DRILL))
        else:
            piece = pcbnew.PCB_TRACK(self.board)
            piece.SetStart(mm(*line.a))
            piece.SetEnd(mm(*line.b))
            piece.SetLayer((pcbnew.F_Cu, pcbnew.B_Cu)[line.layer])
        piece.SetWidth(pcbnew.FromMM(line.width))
        piece.SetNet(self._net(line.net))
        self.board.Add(piece)

    def _ground(self) -> None:
        """Fill what is left with ground, on both sides."""
        width, height = self.sheet.size
        for layer in (pcbnew.F_Cu, pcbnew.B_Cu):
            zone = pcbnew.ZONE(self.board)
            zone.SetLayer(layer)
            zone.SetNet(self._net("GND"))
            corners = pcbnew.SHAPE_LINE_CHAIN()
            for x, y in ((0.5, 0.5), (width - 0.5, 0.5), (width - 0.5, height - 0.5), (0.5, height - 0.5)):
                corners.Append(pcbnew.FromMM(x), pcbnew.FromMM(y))
            corners.SetClosed(True)
            zone.Outline().AddOutline(corners)
            zone.SetLocalClearance(pcbnew.FromMM(0.25))
            zone.SetMinThickness(pcbnew.FromMM(0.25))
            zone.SetThermalReliefGap(pcbnew.FromMM(0.4))
            zone.SetThermalReliefSpokeWidth(pcbnew.FromMM(0.5))
            zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
            self.board.Add(zone)


def letter(board: Any, sheet: Sheet) -> None:
    """Write the board's name and version, every part's name and value, and what the holes for
    wires are for: where it can be read."""
    for old in list(board.GetDrawings()):
        if isinstance(old, pcbnew.PCB_TEXT):
            board.Delete(old)
    width, height = sheet.size
    side = Lettering(Box(0.6, 0.6, width - 0.6, height - 0.6))
    asked = []
    holes = [_box(pad.GetBoundingBox()) for pad in board.GetPads()]
    side.hard += holes
    for part in board.GetFootprints():
        ref = part.GetReference()
        if ref in HOLES:
            at = part.GetPosition()
            x, y = pcbnew.ToMM(at.x), pcbnew.ToMM(at.y)
            side.hard.append(Box(x - SCREW, y - SCREW, x + SCREW, y + SCREW))
            continue
        side.soft.append(_box(part.GetBoundingBox(False, False)))
        for shape in list(part.GraphicalItems()):
            if shape.GetLayer() == pcbnew.F_SilkS and isinstance(shape, pcbnew.FP_SHAPE):
                ground = list(_outline(shape))
                # The ring of a resistor that stands would take its name's place; a line that
                # runs into a hole is not printed whole.
                if (
                    _upright(sheet, ref)
                    or _triangle(sheet, ref, shape)
                    or any(one.meets(pad, BARE) for one in ground for pad in holes)
                ):
                    part.Delete(shape)
                else:
                    side.hard += ground
        asked += list(_words(sheet, ref, part))
    side.soft += [_box(one.GetBoundingBox()) for one in board.GetTracks() if isinstance(one, pcbnew.PCB_VIA)]
    for words in sorted(asked, key=lambda one: one.reach):
        _write(board, words, *side.place(words))
    size = 1.2 if height > 30 else 0.8
    for text in (f"{sheet.title} v{VERSION}", "CERN-OHL-P-2.0"):
        words = Words(text, width / 2, height / 2, size, (0, 90), max(width, height) / 2)
        _write(board, words, *side.place(words))


def _upright(sheet: Sheet, ref: str) -> bool:
    return ref in sheet.made.parts and sheet.made.parts[ref].kind.startswith("resistor")


def _triangle(sheet: Sheet, ref: str, shape: Any) -> bool:
    """Tell whether a line is of the mark at a socket's pin 1, where its resistors stand: a figure
    inside takes its place."""
    return (
        ref in sheet.made.parts
        and sheet.made.parts[ref].kind == "socket"
        and shape.GetLength() < pcbnew.FromMM(1.5)
    )


def _words(sheet: Sheet, ref: str, part: Any) -> Iterator[Words]:
    kind = sheet.made.parts[ref].kind if ref in sheet.made.parts else ""
    middle = part.GetBoundingBox(False, False).GetCenter()
    x, y = pcbnew.ToMM(middle.x), pcbnew.ToMM(middle.y)
    if ref in MEGA_ROWS or kind in NAMED:
        names = MEGA_ROWS.get(ref) or [row.split()[1] for row in load_part_kinds()[kind]["pins"]]
        for pad in part.Pads():
            at = pad.GetPosition()
            name = names[int(pad.GetNumber()) - 1]
            yield Words(name, pcbnew.ToMM(at.x), pcbnew.ToMM(at.y), 0.8, (90, 0), 3.5)
    if ref in MEGA_ROWS:
        return
    value = load_part_kinds()[kind]["value"]
    if _upright(sheet, ref):
        short = value.replace(" kilohm", "k").replace(" ohm", "")
        yield Words(f"{ref} {short}", x + 1.6, y, 0.7, (90,), 2.0)
    elif kind in ("shifter", "gate") or kind.startswith(("capacitor", "regulator", "board")):
        yield Words(f"{ref} {value.replace(' uF', 'u').replace(' nF', 'n')}", x, y)
    elif kind == "socket":
        first = next(pad.GetPosition() for pad in part.Pads() if pad.GetNumber() == "1")
        x, y = pcbnew.ToMM(first.x), pcbnew.ToMM(first.y)
        yield Words("1", x, y, 0.8, (0,), 3.0)
        yield Words(ref, x - 4.0, y + 6.0, 1.2, (0,))
    else:
        yield Words(ref, x, y, 1.2)


def _write(board: Any, words: Words, x: float, y: float, turn: int) -> None:
    text = pcbnew.PCB_TEXT(board)
    text.SetText(words.text)
    text.SetPosition(mm(x, y))
    text.SetLayer(pcbnew.F_SilkS)
    text.SetTextSize(pcbnew.wxSizeMM(words.size, words.size))
    text.SetTextThickness(pcbnew.FromMM(words.size * 0.16))
    text.SetTextAngle(turn * 10)
    board.Add(text)


def _ends_off_the_middle(leg: Leg, tracks: Tracks) -> Iterator[tuple[int, float, float]]:
    """Give the points of tracks on a leg's copper that are not its middle: a short piece leads on
    to the middle."""
    for layer, column, row in sorted(tracks.nodes):
        x, y = column * STEP, row * STEP
        if leg.distance(x, y) == 0.0 and abs(x - leg.x) + abs(y - leg.y) > 0.01:
            yield layer, x, y


def _box(found: Any) -> Box:
    return Box(
        *(
            pcbnew.ToMM(side)
            for side in (found.GetLeft(), found.GetTop(), found.GetRight(), found.GetBottom())
        )
    )


def _outline(shape: Any) -> Iterator[Box]:
    """Give the ground that a printed line covers; one that slants, or a circle, in small pieces."""
    if shape.GetShape() == pcbnew.SHAPE_T_CIRCLE:
        centre, radius = shape.GetCenter(), shape.GetRadius()
        steps = [i * math.tau / 48 for i in range(49)]
        points = [(centre.x + radius * math.cos(a), centre.y + radius * math.sin(a)) for a in steps]
    elif shape.GetShape() == pcbnew.SHAPE_T_SEGMENT:
        (ax, ay), (bx, by) = shape.GetStart(), shape.GetEnd()
        pieces = 1 if ax == bx or ay == by else 12
        points = [(ax + (bx - ax) * i / pieces, ay + (by - ay) * i / pieces) for i in range(pieces + 1)]
    else:
        yield _box(shape.GetBoundingBox())
        return
    half = pcbnew.ToMM(shape.GetWidth()) / 2
    for a, b in itertools.pairwise(points):
        (left, right), (top, bottom) = (sorted(map(pcbnew.ToMM, pair)) for pair in zip(a, b, strict=True))
        yield Box(left - half, top - half, right + half, bottom + half)


def _leg(pad: Any, net: str) -> Leg:
    at, size = pad.GetPosition(), pad.GetBoundingBox()
    half_w, half_h = pcbnew.ToMM(size.GetWidth()) / 2, pcbnew.ToMM(size.GetHeight()) / 2
    return Leg(net, pcbnew.ToMM(at.x), pcbnew.ToMM(at.y), half_w, half_h)


def plot(board: Any, folder: Path) -> None:
    """Write the Gerber and drill files that a board house takes."""
    folder.mkdir(parents=True, exist_ok=True)
    control = pcbnew.PLOT_CONTROLLER(board)
    options = control.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetUseGerberProtelExtensions(True)
    options.SetSubtractMaskFromSilk(True)
    for layer, name in PLOTS:
        control.SetLayer(layer)
        control.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        control.PlotLayer()
    control.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetOptions(False, False, mm(0, 0), False)
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)


def renew(sheet: Sheet) -> None:
    """Write the words of a kept board anew."""
    file = str(KEPT / f"{sheet.name}.kicad_pcb")
    board = pcbnew.LoadBoard(file)
    letter(board, sheet)
    pcbnew.SaveBoard(file, board)


def route(sheet: Sheet) -> str:
    """Lay a board's tracks and keep it; return a word on it."""
    board = Build(sheet).make()
    KEPT.mkdir(exist_ok=True)
    file = str(KEPT / f"{sheet.name}.kicad_pcb")
    pcbnew.SaveBoard(file, board)
    renew(sheet)
    for suffix in (".kicad_pro", ".kicad_prl"):  # what a person's editor remembers; KiCad makes them anew
        (KEPT / f"{sheet.name}{suffix}").unlink(missing_ok=True)
    vias = sum(isinstance(one, pcbnew.PCB_VIA) for one in board.GetTracks())
    return f"{sheet.name}: {len(sheet.places)} parts, {len(board.GetTracks()) - vias} tracks, {vias} vias"


def build(sheet: Sheet, folder: Path) -> list[str]:
    """Fill a kept board's ground, check it against circuit and design rules, write its files and
    its schematic; return what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{sheet.name}.kicad_pcb"
    board = pcbnew.LoadBoard(str(KEPT / file.name))
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.SaveBoard(str(file), board)
    file.with_suffix(".kicad_sch").write_text(schematic(sheet), encoding="utf-8")
    said = differences(board, sheet) + check(board, folder / f"{sheet.name}.drc.txt")
    loss = supply_loss(board, sheet)
    if loss > LOSS:
        said.append(f"{sheet.name}: the 3.3 V net loses {loss * 1000:.0f} mV, more than {LOSS * 1000:.0f}")
    plot(board, folder / sheet.name)
    print(f"{sheet.name}: 3.3 V loses {loss * 1000:.0f} mV in the copper; ", end="")
    return said


def main() -> int:
    """Route or build the boards named, or all."""
    chosen = [sheet for sheet in sheets() if sheet.name in sys.argv[2:] or len(sys.argv) == 2]
    broken = 0
    for sheet in chosen:
        if sys.argv[1] == "route":
            print(route(sheet), flush=True)
            continue
        if sys.argv[1] == "letter":
            renew(sheet)
            continue
        said = build(sheet, Path(sys.argv[1]).resolve())
        print("\n".join(said) or "as the circuit says, no design rule broken", flush=True)
        broken += bool(said)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
