"""Write sheets to print: labels for the trays, where to stick tags on cards, and the bench
acceptance sheet, in English and French.

    python -m hardware.sheets FOLDER [PICTURES]

The texts are in `sheets.toml`. With PICTURES the drawing of the tags is also written there, for the
guides.
"""

from __future__ import annotations

import itertools
import sys
import tomllib
from pathlib import Path
from typing import Any

import pypdfium2
from fpdf import FPDF

from hardware.circuit import HARDWARE
from hardware.mat import CARD, HUES, make_blank_page

INK, SOFT, GOOD, BAD, TAG = "#20242c", "#7a808a", "#3c8a4e", "#b3472f", "#c9973f"
TAG_SIZE = 25.0
PAGE = (210.0, 297.0)


def load_texts(language: str) -> dict[str, Any]:
    """Return the texts of one language."""
    found: dict[str, Any] = tomllib.loads((HARDWARE / "sheets.toml").read_text(encoding="utf-8"))[language]
    return found


def draw_line(
    pdf: FPDF,
    x: float,
    y: float,
    text: str,
    points: float,
    colour: str = INK,
    *,
    bold: bool = False,
    middle: bool = False,
) -> None:
    """Write one line with its base line at `y`."""
    pdf.set_font("helvetica", "B" if bold else "", points)
    pdf.set_text_color(colour)
    pdf.text(x - pdf.get_string_width(text) / 2 if middle else x, y, text)


def draw_paragraph(
    pdf: FPDF, x: float, y: float, wide: float, text: str, points: float, colour: str = INK
) -> float:
    """Write a paragraph and return the position of its end."""
    pdf.set_font("helvetica", "", points)
    pdf.set_text_color(colour)
    pdf.set_xy(x, y)
    pdf.multi_cell(wide, points * 0.46, text, align="L", new_x="LEFT", new_y="NEXT")
    return float(pdf.get_y())


def make_label_sheet(language: str) -> FPDF:
    """Return labels to glue on the trays' plates: seat number, accept and refuse; cut along the
    lines."""
    texts = load_texts(language)["labels"]
    pdf = make_blank_page(*PAGE)
    pdf.add_page()
    draw_line(pdf, PAGE[0] / 2, 14, texts["title"], 13, bold=True, middle=True)
    names = [f"{texts['seat']} {seat}" for seat in range(1, 7)] + [texts["middle"]]
    for row, name in enumerate(names):
        x, y, hue = 55.0, 22 + row * 38.0, HUES[row % len(HUES)] if row < 6 else SOFT
        pdf.set_draw_color(SOFT)
        pdf.set_line_width(0.15)
        pdf.rect(x, y, 100, 28)
        draw_line(pdf, x + 50, y + 25.5, name, 13, hue, bold=True, middle=True)
        if row == 6:
            pdf.ellipse(x + 47, y + 11.4, 6, 6, style="D")
            continue
        for at, colour, text in ((18, GOOD, texts["accept"]), (82, BAD, texts["refuse"])):
            pdf.set_draw_color(colour)
            pdf.set_line_width(0.5)
            pdf.ellipse(x + at - 6.8, y + 7.6, 13.6, 13.6, style="D")
            draw_line(pdf, x + at, y + 5.6, text, 10, colour, bold=True, middle=True)
        pdf.set_draw_color(SOFT)
        pdf.ellipse(x + 47, y + 11.4, 6, 6, style="D")
    draw_line(pdf, PAGE[0] / 2, 290, texts["note"], 9, SOFT, middle=True)
    return pdf


def _draw_card(pdf: FPDF, x: float, y: float, tags: tuple[tuple[float, float], ...], *, good: bool) -> None:
    pdf.set_draw_color(INK)
    pdf.set_line_width(0.5)
    pdf.rect(x, y, *CARD, round_corners=True, corner_radius=3)
    pdf.set_line_width(0.4)
    for dx, dy in tags:
        cx, cy = x + CARD[0] / 2 + dx, y + CARD[1] / 2 + dy
        pdf.set_draw_color(TAG)
        for radius in (TAG_SIZE / 2, 10.5, 9.3, 8.1):
            pdf.ellipse(cx - radius, cy - radius, 2 * radius, 2 * radius, style="D")
        pdf.set_fill_color(INK)
        pdf.rect(cx - 1, cy - 1, 2, 2, style="F")
    left, top = x + CARD[0] - 9, y + 9
    pdf.set_draw_color(GOOD if good else BAD)
    pdf.set_line_width(1.2)
    for line in ([(-3, 0), (-0.8, 2.6), (4, -3.4)],) if good else ([(-3, -3), (3, 3)], [(-3, 3), (3, -3)]):
        for (ax, ay), (bx, by) in itertools.pairwise(line):
            pdf.line(left + ax, top + ay, left + bx, top + by)


def make_tag_sheet(language: str) -> FPDF:
    """Return the drawing of where to stick tags: in the middle, with the faults of other places."""
    texts = load_texts(language)["tags"]
    pdf = make_blank_page(297, 210)
    pdf.add_page()
    draw_line(pdf, 148.5, 20, texts["title"], 18, bold=True, middle=True)
    cases = (
        (((0.0, 0.0),), True, texts["right"]),
        (((0.0, 27.0),), False, texts["edge"]),
        (((-12.0, -18.0), (12.0, 18.0)), False, texts["two"]),
    )
    for column, (places, good, text) in enumerate(cases):
        x = 27 + column * 90.0
        _draw_card(pdf, x, 32, places, good=good)
        if good:
            pdf.set_draw_color(SOFT)
            pdf.set_line_width(0.2)
            pdf.set_dash_pattern(dash=2, gap=2)
            pdf.line(x + CARD[0] / 2, 29, x + CARD[0] / 2, 32 + CARD[1] + 3)
            pdf.line(x - 3, 32 + CARD[1] / 2, x + CARD[0] + 3, 32 + CARD[1] / 2)
            pdf.set_dash_pattern()
        draw_paragraph(pdf, x - 4, 125, 74, text, 11.5)
    y = 156.0
    for number, text in enumerate(texts["steps"], 1):
        draw_line(pdf, 24, y + 4.2, str(number), 12, TAG, bold=True)
        y = draw_paragraph(pdf, 31, y, 245, text, 11.5) + 2
    return pdf


def make_acceptance_sheet(language: str) -> FPDF:
    """Return the bench acceptance sheet: one page, a box to tick for every check."""
    texts = load_texts(language)["bench"]
    pdf = make_blank_page(*PAGE)
    pdf.add_page()
    draw_line(pdf, 15, 18, texts["title"], 17, bold=True)
    y = draw_paragraph(pdf, 15, 22, 180, texts["how"], 9.5, SOFT) + 3
    draw_line(pdf, 15, y + 3, texts["who"], 9.5)
    y += 8
    for part in texts["part"]:
        pdf.set_fill_color("#e9edf2")
        pdf.rect(15, y, 180, 6, style="F")
        draw_line(pdf, 17, y + 4.3, part["name"], 10.5, bold=True)
        y += 7.6
        for check, wanted in part["checks"]:
            pdf.set_draw_color(INK)
            pdf.set_line_width(0.3)
            pdf.rect(16, y + 0.3, 3.6, 3.6)
            end = max(
                draw_paragraph(pdf, 22, y, 112, check, 9.3),
                draw_paragraph(pdf, 137, y, 58, wanted, 9.3, SOFT),
            )
            y = end + 1.3
        y += 1.2
    if y > 282:
        raise ValueError(f"the bench sheet ({language}) is {y:.0f} mm long: it must stay one page")
    draw_line(pdf, 15, 289, texts["end"], 9.5)
    return pdf


SHEETS = {"labels": make_label_sheet, "tags": make_tag_sheet, "bench": make_acceptance_sheet}


def main() -> None:
    """Write all sheets in both languages."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SHEETS.items():
        for language in ("en", "fr"):
            target = folder / f"{name}.{language}.pdf"
            make(language).output(str(target))
            if len(sys.argv) > 2 and name == "tags":
                page = pypdfium2.PdfDocument(target)[0]
                page.render(scale=1.6).to_pil().convert("P").save(
                    Path(sys.argv[2]) / f"{name}.{language}.png", optimize=True
                )


if __name__ == "__main__":
    main()
