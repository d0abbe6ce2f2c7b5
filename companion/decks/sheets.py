"""PDF pages of cards, the only module that uses fpdf2: one card a page for the drawings, and sheets
to print, nine cards a page with cut marks, backs mirrored for double-sided printing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from fpdf import FPDF
from fpdf.drawing import GraphicsContext
from fpdf.enums import Duplex
from fpdf.prefs import ViewerPreferences
from fpdf.svg import SVGObject

from companion.decks.collection import describe_deck_name
from companion.decks.drawings import OnProgress, ignore_progress
from companion.decks.faces import CardSide, draw_back, draw_faces
from companion.decks.svg import HEIGHT, WIDTH, fmt
from companion.table.deck_file import make_fault
from companion.table.decks import Deck, DeckError
from companion.texts import Translator, describe_os_error
from companion.user_files import write_file_atomically

_FONT = "helvetica"
"""One of the fourteen fonts built into every PDF reader, so that no font is shipped."""


class _UncopiedPdf(FPDF):
    """PDF that draws paths without copying them first: drawings are not changed afterwards, and
    copying took longer than drawing."""

    def draw_path(self, path: GraphicsContext, debug_stream: bool | None = None, copy: bool = False) -> None:
        super().draw_path(path, debug_stream, copy)


def make_blank_pdf(width: float, height: float) -> FPDF:
    """Create a PDF with pages of this size in mm, without margins. The same content gives the same
    bytes."""
    pdf = _UncopiedPdf(unit="mm", format=(width, height))
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    # fpdf2's default, latin-1, lacks the typographic apostrophe and dashes.
    pdf.core_fonts_encoding = "windows-1252"
    # A fixed date and no random parts: the same deck must give the same file.
    pdf.set_creation_date(datetime(2022, 1, 1, tzinfo=UTC))
    pdf.set_creator("card-table-companion")
    # "Fit to page" makes cards that are too small for their sleeves.
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    return pdf


class _CachedDrawing(GraphicsContext):
    """Content of a drawing, rendered once for all its copies in a document; the position of each
    copy is set outside it."""

    __slots__ = ("_document", "_written")

    def __init__(self, parts: Sequence[Any]) -> None:
        super().__init__()
        self.path_items = list(parts)
        self._document: object = None

    def render(self, resource_registry: Any, *args: Any, **kwargs: Any) -> tuple[str, Any, Any]:
        # Not across documents: what is rendered refers to resources of one document by name.
        if self._document is not resource_registry:
            self._written = super().render(resource_registry, *args, **kwargs)
            self._document = resource_registry
        return self._written


@lru_cache(maxsize=128)
def _parse_svg(svg: str) -> SVGObject:
    """Parse a drawing once for all its copies."""
    drawing = SVGObject(svg)
    drawing.base_group.path_items = [_CachedDrawing(drawing.base_group.path_items)]
    return drawing


def place_face(pdf: FPDF, face: CardSide, x: float = 0.0, y: float = 0.0) -> None:
    """Draw a face on the PDF's last page, its top left corner at (x, y) in millimetres, clipped at
    the card's edge."""
    with pdf.rect_clip(x, y, WIDTH, HEIGHT):
        _parse_svg(face.svg).draw_to_page(pdf, x, y)
    for one in face.words:
        place_text(pdf, x + one.x, y + one.y, one.text, one.points, bold=one.bold, colour=one.colour)


def place_text(
    pdf: FPDF, x: float, y: float, text: str, points: float, *, bold: bool = False, colour: str = "#000000"
) -> None:
    """Write text with its base line at `y`."""
    pdf.set_font(_FONT, "B" if bold else "", points)
    pdf.set_text_color(colour)
    pdf.text(x, y, text)


def build_card_pages(sides: list[CardSide], on_progress: OnProgress = ignore_progress) -> bytes:
    """Return a PDF with one card a page, as large as the card; `on_progress` is called with the
    progress."""
    pdf = make_blank_pdf(WIDTH, HEIGHT)
    for number, face in enumerate(sides, 1):
        on_progress(number, len(sides))
        pdf.add_page()
        place_face(pdf, face)
    return bytes(pdf.output())


PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height of the papers, in millimetres."""

COLUMNS, ROWS = 3, 3
_PER_SHEET = COLUMNS * ROWS
_MARK, _GAP = 4.0, 1.2

_NOTES = ("sheet.scale", "sheet.number")
"""Footer of a sheet: the texts below columns two and three, clear of the cut marks."""


@dataclass(frozen=True)
class PrintedCard:
    """One physical card: the design on its front, and its printed sides."""

    design: str
    front: CardSide
    back: CardSide


def list_printed_cards(deck: Deck, lang: str = "en", *, both_sides: bool = False) -> list[PrintedCard]:
    """List the physical cards of `deck` that the program draws, copies included, in the deck's
    order.

    `both_sides`: a card with two faces (contracts, summaries) is one card; otherwise each face is
    one, to be glued or sleeved back to back.
    """
    sides = draw_faces(deck, lang)
    common = draw_back(deck.game)
    printed: list[PrintedCard] = []
    used: set[str] = set()
    for design in deck.designs:
        if design.name not in sides or design.name in used:
            continue
        front = sides[design.name]
        turned = front.other_side if both_sides and front.other_side in sides else None
        # A design printed on the back of another card is not a card of its own.
        used |= {design.name} if turned is None else {design.name, turned}
        one = PrintedCard(design.name, front, common if turned is None else sides[turned])
        printed += [one] * design.copies
    return printed


def build_deck_pdf(
    deck: Deck,
    paper: str = "a4",
    lang: str = "en",
    *,
    backs: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> bytes:
    """Return the PDF of all cards of `deck`; with `backs` each sheet is followed by its backs,
    mirrored for turning over the long edge. `on_progress` is called with the
    progress. Raises `DeckError` if the program draws none of the cards."""
    every = list_printed_cards(deck, lang, both_sides=backs)
    if not every:
        raise DeckError(deck.name, [make_fault("nothing_drawn")])
    width, height = PAPERS[paper]
    document = make_blank_pdf(width, height)
    document.set_lang(lang)
    duplex = Duplex.DUPLEX_FLIP_LONG_EDGE if backs else Duplex.SIMPLEX
    document.viewer_preferences = ViewerPreferences(print_scaling="None", duplex=duplex)
    translator = Translator(lang)
    name = translator.format_argument(describe_deck_name(deck))
    document.set_title(name)
    sheets = [every[k : k + _PER_SHEET] for k in range(0, len(every), _PER_SHEET)]
    for number, sheet in enumerate(sheets, 1):
        notes = [translator(note, name=name, sheet=number, sheets=len(sheets)) for note in _NOTES]
        on_progress((number - 1) * _PER_SHEET + len(sheet), len(every))
        _add_page(document, [card.front for card in sheet], notes)
        if backs:
            _add_page(document, [card.back for card in sheet], None)
    return bytes(document.output())


def _add_page(document: FPDF, sides: Sequence[CardSide], notes: Sequence[str] | None) -> None:
    """Lay out one page; without notes it is a page of backs, whose columns run from right to
    left."""
    document.add_page()
    left = (document.w - COLUMNS * WIDTH) / 2
    top = (document.h - ROWS * HEIGHT) / 2
    for place, side in enumerate(sides):
        row, column = divmod(place, COLUMNS)
        # Mirrored, so that each back is behind its face when the sheet is turned over its long
        # edge.
        column = COLUMNS - 1 - column if notes is None else column
        place_face(document, side, left + column * WIDTH, top + row * HEIGHT)
    if notes is not None:
        _draw_cut_marks(document, left, top)
        _draw_footer(document, left, notes)


def _draw_cut_marks(document: FPDF, left: float, top: float) -> None:
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


def _draw_footer(document: FPDF, left: float, notes: Sequence[str]) -> None:
    """Write the footer with a rule of 50 mm, by which the scale of the print can be checked."""
    y = document.h - 4.4
    document.set_line_width(0.3)
    document.line(left + 6.5, y - 0.8, left + 56.5, y - 0.8)
    for column, note in enumerate(notes, 1):
        place_text(document, left + column * WIDTH + 2.5, y, note, 7)


def write_deck_pdf(
    deck: Deck,
    folder: Path,
    paper: str = "a4",
    lang: str = "en",
    *,
    backs: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> Path:
    """Write the PDF into `folder` atomically, and return its path.

    Raises `DeckError` if it cannot be written. `on_progress` is called with the progress.
    """
    data = build_deck_pdf(deck, paper, lang, backs=backs, on_progress=on_progress)
    return _write_file(folder / f"{deck.game}-{paper}-{lang}{'-backs' if backs else ''}.pdf", data)


def _write_file(file: Path, data: bytes) -> Path:
    try:
        write_file_atomically(file, data)
    except OSError as error:
        raise DeckError(str(file), [make_fault("unwritable", reason=describe_os_error(error))]) from error
    return file


class BoardDrawing(NamedTuple):
    """A board to print: its art of `width` by `height` units, and the position of its small print
    (the left end of the first line)."""

    art: str
    width: float
    height: float
    small_print: tuple[float, float]


_A3 = (420.0, 297.0)
_WHITE = 6.5
"""Margin in millimetres that printers leave white at each edge."""
_OVER = 3.0
"""Millimetres that a sheet is printed beyond the line where it is cut."""


def build_board_pdf(board: BoardDrawing, paper: str, name: str, lang: str = "en") -> bytes:
    """Return the PDF of a board: on one sheet of A3 (`a3`), or larger on four sheets of `PAPERS`
    that are cut along their lines and joined."""
    across = 1 if paper == "a3" else 2
    # Sorted: sheets of boards are in landscape format.
    wide, high = _A3 if across == 1 else sorted(PAPERS[paper], reverse=True)
    over = _OVER if across > 1 else 0.0
    scale = min(
        (wide - 2 * _WHITE - over) * across / board.width, (high - 2 * _WHITE - over) * across / board.height
    )
    size = (board.width * scale, board.height * scale)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{fmt(size[0])}mm" height="{fmt(size[1])}mm" '
        f'viewBox="0 0 {fmt(board.width)} {fmt(board.height)}">{board.art}</svg>'
    )
    document = make_blank_pdf(wide, high)
    document.set_title(name)
    document.set_lang(lang)
    translator = Translator(lang)
    notes = [translator("sheet.scale"), translator("sheet.join")][:across]
    for number in range(across * across):
        document.add_page()
        if across == 1:
            x, y = (wide - size[0]) / 2, (high - size[1]) / 2
            _place_board(document, board, svg, x, y, scale, notes)
            continue
        row, column = divmod(number, across)
        # The quarters meet at their inner edges, where they are cut.
        cut_x, cut_y = (
            _WHITE + over if there else edge - _WHITE - over for there, edge in ((column, wide), (row, high))
        )
        left, top = (cut_x - over if column else 0), (cut_y - over if row else 0)
        # Printed a little beyond the cut: an inexact cut must not leave a white line.
        with document.rect_clip(left, top, wide if column else cut_x + over, high if row else cut_y + over):
            _place_board(document, board, svg, cut_x - size[0] / 2, cut_y - size[1] / 2, scale, notes)
        document.set_draw_color(110)
        document.set_line_width(0.15)
        document.set_dash_pattern(dash=2, gap=1.5)
        document.line(cut_x, 0, cut_x, high)
        document.line(0, cut_y, wide, cut_y)
        document.set_dash_pattern()
    return bytes(document.output())


def _place_board(
    document: FPDF, board: BoardDrawing, svg: str, x: float, y: float, scale: float, notes: Sequence[str]
) -> None:
    """Draw the board with its upper left corner at (x, y), and the rule by which the scale can be
    checked."""
    _parse_svg(svg).draw_to_page(document, x, y)
    left, low = x + board.small_print[0] * scale, y + board.small_print[1] * scale
    document.set_draw_color(0)
    document.set_line_width(0.3)
    document.line(left, low, left + 50, low)
    place_text(document, left, low - 1.2, notes[0], 6)
    for note in notes[1:]:
        document.set_xy(left, low + 0.6)
        document.multi_cell(0.15 * board.height * scale, 2.5, note, align="L")


def write_board_pdfs(
    board: BoardDrawing, folder: Path, paper: str, name: str, lang: str = "en"
) -> tuple[Path, Path]:
    """Write the board on one sheet of A3 and on four of `paper` into `folder`, and return both
    paths. Raises `DeckError` if they cannot be written."""
    one, four = (
        _write_file(folder / f"{name}-board-{size}.pdf", build_board_pdf(board, size, name, lang))
        for size in ("a3", paper)
    )
    return one, four
