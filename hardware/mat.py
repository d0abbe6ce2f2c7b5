"""Draw the table mat with its four marks and the seats' places: PDF files to print.

    python -m hardware.mat FOLDER [--seats 4] [--width 841] [--depth 594]

For each number of seats: `mat-N.pdf` in one piece for a copy shop, `mat-N-a4.pdf` in tiles to glue,
and `mat-N.toml`, the layout for the program. The marks are those that the camera reader looks for
(`companion.readers.camera.calibration`), and the zones are the program's own
(`companion.table.zones`), so the three cannot differ.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import cv2
import numpy as np
from fpdf import FPDF
from fpdf.prefs import ViewerPreferences

from companion.readers.camera.calibration import list_mark_corners
from companion.table import zones
from vision.markers import DEFAULT, FAMILIES

SIZE = (841.0, 594.0)
"""Width and depth of a mat in millimetres: A1."""
CARD = (63.0, 88.0)
TRAY = (100.0, 124.0)
"""Size of a pad's tray, as in mounts/pad_tray.scad."""
COIL = 74.0
"""Distance from the tray's front edge to the middle of the card on it."""
A4 = (297.0, 210.0)
MARGIN = 8.0
"""Margin that a home printer leaves white at each edge."""
LAP = 6.0
"""Width by which tiles overlap."""
HUES = ("#2f6db3", "#b3472f", "#3c8a4e", "#8a5a9e", "#b38a2f", "#2f9aa3")
CLOTH, CHALK = "#55705f", "#dfe8dc"
"""Colours of a mat from the copy shop: pale cards stand out on it. At home it is printed in lines
on white, to save ink."""
WORDS = {"seat": "Seat / Place", "middle": "Middle / Milieu", "pile": "Pile"}


def make_blank_page(width: float, height: float) -> FPDF:
    """Make a PDF of one page of this size in millimetres."""
    pdf = FPDF(unit="mm", format=(width, height))
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    pdf.core_fonts_encoding = "windows-1252"
    pdf.set_font("helvetica", "B", 12)
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    return pdf


def seat_colour(seat: int | None, cloth: bool) -> str:
    """Return the colour of a seat's lines, None for the middle's."""
    if cloth:
        return CHALK
    return HUES[(seat - 1) % len(HUES)] if seat else "#7a808a"


def draw_mat(
    pdf: FPDF, seats: int, size: tuple[float, float], at: tuple[float, float] = (0, 0), *, cloth: bool = False
) -> None:
    """Draw a mat on the page, its far left corner at `at`."""
    if cloth:
        pdf.set_fill_color(CLOTH)
        pdf.rect(*at, *size, style="F")
    layout = zones.make_default_zones(seats, size[0] / size[1])
    for zone in layout.zone:
        points = [(at[0] + x * size[0], at[1] + y * size[1]) for x, y in zone.corners]
        seat = int(zone.name.split(":")[1]) if zone.name.startswith("seat") else None
        pdf.set_draw_color(seat_colour(seat, cloth))
        pdf.set_line_width(0.7)
        pdf.polygon([_move_towards_centre(point, points, 1.6) for point in points], style="D")
        if seat:
            with pdf.local_context():
                _draw_seat(pdf, seat, card_place(seat, seats, size), at, seat_colour(seat, cloth))
        else:
            x = sum(x for x, _ in points) / len(points)
            _draw_text(pdf, x, max(y for _, y in points) - 6, WORDS[zone.name], 15, seat_colour(None, cloth))
    _draw_marks(pdf, size, at)


def _move_towards_centre(
    point: tuple[float, float], outline: list[tuple[float, float]], by: float
) -> tuple[float, float]:
    """Move a corner a little towards the middle of its zone, so that neighbouring lines do not
    touch."""
    middle = [sum(axis) / len(outline) for axis in zip(*outline, strict=True)]
    dx, dy = middle[0] - point[0], middle[1] - point[1]
    length = math.hypot(dx, dy) or 1
    return point[0] + dx / length * by, point[1] + dy / length * by


def _draw_marks(pdf: FPDF, size: tuple[float, float], at: tuple[float, float]) -> None:
    """Draw the marks as squares, sharp at any size, with white around them."""
    dictionary = cv2.aruco.getPredefinedDictionary(FAMILIES[DEFAULT])
    for number, corners in list_mark_corners(size[0] / size[1]).items():
        left, top = at[0] + corners[0][0] * size[0], at[1] + corners[0][1] * size[1]
        side = (corners[1][0] - corners[0][0]) * size[0]
        cells = cv2.aruco.generateImageMarker(dictionary, number, 6)
        cell = side / 6
        pdf.set_fill_color("#ffffff")
        pdf.rect(left - cell, top - cell, side + 2 * cell, side + 2 * cell, style="F")
        pdf.set_fill_color("#000000")
        for row, column in np.argwhere(cells == 0):
            # slightly over the cell's edge: viewers show white lines between squares that only
            # touch
            pdf.rect(left + column * cell, top + row * cell, cell + 0.05, cell + 0.05, style="F")


def card_place(seat: int, seats: int, size: tuple[float, float]) -> tuple[float, float, float]:
    """Return where a seat's card lies (mm from the mat's far left corner) and how far the seat is
    turned, in degrees.

    The place is in the middle of the seat's stretch of edge, inside its zone, clear of the marks.
    """
    layout = zones.make_default_zones(seats, size[0] / size[1])
    corners = layout.find_outline(f"seat:{seat}") * np.array(size)
    # the first half of a zone's corners lies along the mat's edge
    outer = corners[: len(corners) // 2]
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(outer, axis=0), axis=1))])
    # the middle of the edge by its length, corners included
    half = along[-1] / 2
    edge = np.array([np.interp(half, along, outer[:, 0]), np.interp(half, along, outer[:, 1])])
    # the nearest of the mat's four edges
    side = int(np.argmin([size[1] - edge[1], edge[0], edge[1], size[0] - edge[0]]))
    inward = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)][side], float)
    middle = edge + inward * (COIL + 4)
    clear = 0.16 * size[1] + TRAY[0] / 2
    if side % 2 == 0:
        middle[0] = np.clip(middle[0], clear, size[0] - clear)
    else:
        middle[1] = np.clip(middle[1], clear, size[1] - clear)
    return float(middle[0]), float(middle[1]), 90.0 * side


def _draw_seat(
    pdf: FPDF, seat: int, place: tuple[float, float, float], at: tuple[float, float], colour: str
) -> None:
    """Draw the corners of the card's place, the tray's outline round it, and the seat's number.

    Only corners: a whole outline would look like a card to the camera.
    """
    x, y, turn = at[0] + place[0], at[1] + place[1], place[2]
    with pdf.rotation(-turn, x, y):
        pdf.set_draw_color(colour)
        pdf.set_line_width(0.9)
        for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            cx, cy = x + right * CARD[0] / 2, y + down * CARD[1] / 2
            pdf.line(cx, cy, cx - right * 9, cy)
            pdf.line(cx, cy, cx, cy - down * 9)
        pdf.set_line_width(0.3)
        pdf.set_dash_pattern(dash=3, gap=2)
        pdf.rect(x - TRAY[0] / 2, y + COIL - TRAY[1], *TRAY, round_corners=True, corner_radius=4)
        pdf.set_dash_pattern()
        _draw_text(pdf, x - 13, y + COIL - 9, str(seat), 42, colour)
        pdf.set_font("helvetica", "B", 11)
        pdf.text(x - 4, y + COIL - 9, WORDS["seat"])


def _draw_text(pdf: FPDF, x: float, y: float, text: str, points: float, colour: str) -> None:
    pdf.set_font("helvetica", "B", points)
    pdf.set_text_color(colour)
    pdf.text(x - pdf.get_string_width(text) / 2, y, text)


def make_mat(seats: int, size: tuple[float, float]) -> FPDF:
    """Return the mat in one piece."""
    pdf = make_blank_page(*size)
    pdf.add_page()
    draw_mat(pdf, seats, size, cloth=True)
    return pdf


def make_tiled_mat(seats: int, size: tuple[float, float]) -> FPDF:
    """Return the mat in A4 tiles: each is cut along its right and lower line and glued on the
    next."""
    step = (A4[0] - 2 * MARGIN - LAP, A4[1] - 2 * MARGIN - LAP)
    columns, rows = (math.ceil((size[i] - LAP) / step[i]) for i in (0, 1))
    pdf = make_blank_page(*A4)
    for row in range(rows):
        for column in range(columns):
            pdf.add_page()
            with pdf.rect_clip(MARGIN, MARGIN, A4[0] - 2 * MARGIN, A4[1] - 2 * MARGIN):
                draw_mat(pdf, seats, size, (MARGIN - column * step[0], MARGIN - row * step[1]))
            pdf.set_draw_color("#9aa0aa")
            pdf.set_line_width(0.15)
            if column + 1 < columns:
                pdf.line(A4[0] - MARGIN - LAP, 3, A4[0] - MARGIN - LAP, A4[1] - 3)
            if row + 1 < rows:
                pdf.line(3, A4[1] - MARGIN - LAP, A4[0] - 3, A4[1] - MARGIN - LAP)
            _draw_text(
                pdf, A4[0] / 2, 6, f"{chr(65 + row)}{column + 1}   ({columns} x {rows}, 100 %)", 9, "#9aa0aa"
            )
    return pdf


def main() -> None:
    """Write the mats for two to six seats, or for the number given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seats", type=int, choices=zones.SEATS)
    parser.add_argument("--width", type=float, default=SIZE[0], help="of the mat, in millimetres")
    parser.add_argument("--depth", type=float, default=SIZE[1], help="of the mat, in millimetres")
    options = parser.parse_args()
    size = (options.width, options.depth)
    options.folder.mkdir(parents=True, exist_ok=True)
    for seats in [options.seats] if options.seats else range(2, 7):
        make_mat(seats, size).output(str(options.folder / f"mat-{seats}.pdf"))
        make_tiled_mat(seats, size).output(str(options.folder / f"mat-{seats}-a4.pdf"))
        zones.make_default_zones(seats, size[0] / size[1]).with_camera(zones.Camera("mat")).save(
            options.folder / f"mat-{seats}.toml"
        )


if __name__ == "__main__":
    main()
