"""Card faces on PDF pages: the one place that talks to fpdf2, for sheets and drawings alike."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeAlias

from fpdf import FPDF
from fpdf.svg import SVGObject

from companion.decks.faces import Face
from companion.decks.ink import HEIGHT, WIDTH

Done: TypeAlias = Callable[[int, int], object]
"""Hears which card is being drawn, from 1, and of how many."""


def nobody(_number: int, _count: int) -> None:
    """Hear nothing."""


_FONT = "helvetica"
"""One of the fourteen fonts that every PDF reader brings along, so that no font is shipped."""


def blank(width: float, height: float) -> FPDF:
    """Make a PDF of pages of this size in mm, without margins; same content, same bytes."""
    pdf = FPDF(unit="mm", format=(width, height))
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    pdf.core_fonts_encoding = "windows-1252"
    pdf.set_creation_date(datetime(2022, 1, 1, tzinfo=UTC))
    pdf.set_creator("card-table-companion")
    return pdf


@lru_cache(maxsize=128)
def _parsed(svg: str) -> SVGObject:
    """Read a drawing once for all its copies."""
    return SVGObject(svg)


def put_face(pdf: FPDF, face: Face, x: float = 0.0, y: float = 0.0) -> None:
    """Draw a face on the PDF's last page, its top left corner at (x, y) millimetres; what runs over
    the card's edge is cut off."""
    with pdf.rect_clip(x, y, WIDTH, HEIGHT):
        _parsed(face.svg).draw_to_page(pdf, x, y)
    for one in face.words:
        put_words(pdf, x + one.x, y + one.y, one.text, one.points, bold=one.bold, colour=one.colour)


def put_words(
    pdf: FPDF, x: float, y: float, text: str, points: float, *, bold: bool = False, colour: str = "#000000"
) -> None:
    """Write text with its base line at `y`."""
    pdf.set_font(_FONT, "B" if bold else "", points)
    pdf.set_text_color(colour)
    pdf.text(x, y, text)


def one_a_page(faces: list[Face], done: Done = nobody) -> bytes:
    """Return a PDF, one card a page as large as the card; `done` hears how far it is."""
    pdf = blank(WIDTH, HEIGHT)
    for number, face in enumerate(faces, 1):
        done(number, len(faces))
        pdf.add_page()
        put_face(pdf, face)
    return bytes(pdf.output())
