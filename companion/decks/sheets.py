"""Cards on PDF pages, the one place that talks to fpdf2: one a page for the drawings, and sheets to
print, nine a page with cut marks, their backs mirrored for both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from fpdf import FPDF
from fpdf.svg import SVGObject

from companion.decks.faces import CardSide, back, faces, other_side
from companion.decks.svg import HEIGHT, WIDTH
from companion.table.deckfile import fault
from companion.table.decks import Deck, DeckError
from companion.texts import Translator, system_reason

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


def put_face(pdf: FPDF, face: CardSide, x: float = 0.0, y: float = 0.0) -> None:
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


def one_a_page(sides: list[CardSide], done: Done = nobody) -> bytes:
    """Return a PDF, one card a page as large as the card; `done` hears how far it is."""
    pdf = blank(WIDTH, HEIGHT)
    for number, face in enumerate(sides, 1):
        done(number, len(sides))
        pdf.add_page()
        put_face(pdf, face)
    return bytes(pdf.output())


PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height of the papers, in millimetres."""

COLUMNS, ROWS = 3, 3
_PER_SHEET = COLUMNS * ROWS
_MARK, _GAP = 4.0, 1.2

_NOTES = ("sheet.scale", "sheet.number")
"""The foot of a sheet: what stands under columns two and three, clear of the cut marks."""


@dataclass(frozen=True)
class PrintedCard:
    """One physical card: the design in front and the printed sides."""

    design: str
    front: CardSide
    back: CardSide


def cards(deck: Deck, lang: str = "en", *, both_sides: bool = False) -> list[PrintedCard]:
    """List the physical cards of `deck` that the program draws, copies included, in the deck's
    order.

    `both_sides`: cards with two faces (contracts, summaries) are one card; else each face is one,
    to be glued or sleeved back to back.
    """
    drawn = faces(deck, lang)
    common = back(deck.game)
    found: list[PrintedCard] = []
    done: set[str] = set()
    for design in deck.designs:
        if design.name not in drawn or design.name in done:
            continue
        other = other_side(design.name)
        turned = other if both_sides and other in drawn else None
        done |= {design.name} if turned is None else {design.name, turned}
        one = PrintedCard(design.name, drawn[design.name], common if turned is None else drawn[turned])
        found += [one] * design.copies
    return found


def pdf(
    deck: Deck, paper: str = "a4", lang: str = "en", *, backs: bool = False, done: Done = nobody
) -> bytes:
    """Return the PDF of all cards of `deck`; with `backs` each sheet is followed by its backs,
    mirrored for turning over the long edge; `done` hears how far it is."""
    every = cards(deck, lang, both_sides=backs)
    if not every:
        raise DeckError(deck.name, [fault("nothing_drawn")])
    width, height = PAPERS[paper]
    document = blank(width, height)
    document.set_title(deck.name)
    document.set_lang(lang)
    say = Translator(lang)
    sheets = [every[k : k + _PER_SHEET] for k in range(0, len(every), _PER_SHEET)]
    for number, sheet in enumerate(sheets, 1):
        notes = [say(note, name=deck.name, sheet=number, sheets=len(sheets)) for note in _NOTES]
        done((number - 1) * _PER_SHEET + len(sheet), len(every))
        _page(document, [card.front for card in sheet], notes)
        if backs:
            _page(document, [card.back for card in sheet], None)
    return bytes(document.output())


def _page(document: FPDF, sides: Sequence[CardSide], notes: Sequence[str] | None) -> None:
    """Lay out one page; without notes it is one of backs, whose columns run from right to left."""
    document.add_page()
    left = (document.w - COLUMNS * WIDTH) / 2
    top = (document.h - ROWS * HEIGHT) / 2
    for place, side in enumerate(sides):
        row, column = divmod(place, COLUMNS)
        column = COLUMNS - 1 - column if notes is None else column
        put_face(document, side, left + column * WIDTH, top + row * HEIGHT)
    if notes is not None:
        _cut_marks(document, left, top)
        _foot(document, left, notes)


def _cut_marks(document: FPDF, left: float, top: float) -> None:
    """Draw a short line in the margin at both ends of each cut, clear of the cards."""
    right, bottom = left + COLUMNS * WIDTH, top + ROWS * HEIGHT
    document.set_draw_color(0)
    document.set_line_width(0.15)
    for column in range(COLUMNS + 1):
        x = left + column * WIDTH
        document.line(x, top - _GAP - _MARK, x, top - _GAP)
        document.line(x, bottom + _GAP, x, bottom + _GAP + _MARK)
    for row in range(ROWS + 1):
        y = top + row * HEIGHT
        document.line(left - _GAP - _MARK, y, left - _GAP, y)
        document.line(right + _GAP, y, right + _GAP + _MARK, y)


def _foot(document: FPDF, left: float, notes: Sequence[str]) -> None:
    """Write the foot of the sheet with a rule of 50 mm, to check the scale of the print."""
    y = document.h - 4.4
    document.set_line_width(0.3)
    document.line(left + 6.5, y - 0.8, left + 56.5, y - 0.8)
    for column, note in enumerate(notes, 1):
        put_words(document, left + column * WIDTH + 2.5, y, note, 7)


def write(
    deck: Deck, folder: Path, paper: str = "a4", lang: str = "en", *, backs: bool = False, done: Done = nobody
) -> Path:
    """Write the PDF into `folder`, whole or not at all, and return its path.

    Raises `DeckError` when it cannot be written. `done` hears how far it is.
    """
    file = folder / f"{deck.game}-{paper}-{lang}{'-backs' if backs else ''}.pdf"
    data = pdf(deck, paper, lang, backs=backs, done=done)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_bytes(data)
        fresh.replace(file)
    except OSError as error:
        raise DeckError(str(file), [fault("unwritable", reason=system_reason(error))]) from error
    return file
