"""The cards of Partners: fourteen kinds, each with its own ground, its move written large and drawn
as a step diagram; and the board, for printing (with marks for the camera) and for the pages. The
positions of spots come from `build_printed_board.CELLS` alone.

Spots are white, and only their rims have a player's colour: so the camera can tell the pawns from
the print, and the print takes little ink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from companion.decks import patterns
from companion.decks.assets import GameArt
from companion.decks.faces import CardSide
from companion.decks.patterns import PlayerColour, draw_panel, draw_patterned_back
from companion.decks.sheets import BoardDrawing
from companion.decks.svg import (
    CAPITALS,
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    box_path,
    darken_colour,
    draw_both_ways,
    draw_box,
    draw_circle,
    draw_line,
    draw_numeral,
    draw_path,
    draw_text,
    fmt,
    lighten_colour,
    measure_text,
    place_art,
)
from companion.games.partners.board import (
    CELLS,
    COLOURS,
    MARKS,
    SIDE,
    SIZE,
    STRETCH,
    TRACK,
    list_base_spots,
    list_goal_spots,
)
from companion.rules.claims import CardId
from companion.texts import Translator
from vision.printed_markers import marker_cells

if TYPE_CHECKING:
    from vision.pawns import PrintedBoard

ART = GameArt(__file__)

_INKS: dict[str, str] = {
    "heart": "#d0213f", "8": "#3a7d2c", "13": "#2b3f9e", "-4": "#4a4e58", "1/14": "#b06a00", "7": "#7a2fa0", "swap": "#007f8c",
    "2": "#8c5a3c", "3": "#5b8c00", "5": "#c4581a", "6": "#00729c", "9": "#a3286b", "10": "#2f6b57", "12": "#6b6b00",
}  # fmt: skip


def draw_card_back() -> str:
    """Draw the back that all cards have."""
    return draw_patterned_back("#1d3b2a", "#265038", 4, ART("back"))


def draw_card_face(card: CardId, _translator: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "pa":
        raise LookupError(card)
    kind = card.name
    ink = _INKS[kind]
    # Each kind has a pattern of its own, by its place in the table.
    place = list(_INKS).index(kind)
    plate = draw_box(8.5, 21, 46, 46, 6, PAPER, darken_colour(ink, 0.2), 1)
    ground = draw_panel(lighten_colour(ink, 0.12), ink, place, darken_colour(ink, 0.3))
    if kind == "heart":
        leave = ART("leave", ink=ink)
        middle = place_art(ART("heart", ink=ink), 31.5, 37.5, 1.25) + place_art(leave, 31.5, 57, 0.8)
        corner = place_art(ART("heart", ink=WHITE, edge=WHITE), 11.5, 13, 0.52)
    elif kind == "swap":
        middle = place_art(ART("swap"), 31.5, 44, 1.25)
        corner = place_art(ART("swap_sign"), 11.5, 12)
    else:
        middle = _draw_number(kind, ink)
        high = 12.6 if measure_text(kind, 12.6) < 17 else 9
        corner = draw_numeral(kind, 5.8 + measure_text(kind, high) / 2, 6 + high / 2, high, WHITE)
    return CardSide(ground + plate + middle + draw_both_ways(corner))


def _draw_number(kind: str, ink: str) -> str:
    high = min(26.0, 26 * 40 / measure_text(kind, 26))
    # Smaller, to leave room for the line that `draw_numeral` draws under 6 and 9.
    high = 19.0 if kind in ("6", "9") else high
    text = draw_text if kind == "1/14" else draw_numeral
    number = text(kind, 31.5, 36.6, high, darken_colour(ink, 0.25))
    leave = place_art(ART("leave", ink=ink), 0, 2, 0.8)
    signs = {
        "-4": _draw_steps(4, back=True),
        "1/14": place_art(_draw_steps(1), -12, 2, 0.55) + place_art(_draw_steps(14), 11, 2, 0.55),
        "7": place_art(ART("split"), 0, -5, 0.85),
        "8": leave,
        "13": leave,
    }
    return number + place_art(signs.get(kind) or _draw_steps(int(kind)), WIDTH / 2, HEIGHT / 2 + 16.4, 0.85)


def _draw_steps(count: int, back: bool = False) -> str:
    """Draw a row of squares with an arrow over it, in two rows where there are more than seven."""
    # More than seven do not fit the width of a card.
    rows = [count] if count <= 7 else [(count + 1) // 2, count // 2]
    art = ""
    for r, many in enumerate(rows):
        y = 5.8 * (r - (len(rows) - 1) / 2)
        art += "".join(draw_circle(6 * (k - (many - 1) / 2), y, 2.1, PAPER, DARK, 0.7) for k in range(many))
    tip = "M19 -12L24 -9L19 -6" if not back else "M-19 -12L-24 -9L-19 -6"
    return art + draw_line(
        f"M{fmt(-20 if not back else -23)} -9H{fmt(23 if not back else 20)}{tip}", DARK, 1.5
    )


Figure: TypeAlias = Callable[[str, float, float, float, str], str]
"""A function that writes a number: text, middle, height of its capitals, colour."""

CELL = 10.0
"""Units of the drawing in a cell; the ring of cells is `SIDE` of them wide."""
PLAYERS = tuple(patterns.COLOURS[name] for name in COLOURS)
"""The colours of the four players' pawns, in the order of the start."""
_BAND, _EDGE, _RIM, _FIGURE = "#efe8d8", "#cfc4ab", "#9c917b", "#a89d87"
_GROUND, _LEAF = "#f8f4ea", "#f1ead9"
_TURNS = (90.0, 180.0, 270.0, 0.0)
"""The rotation of each side's signs, in degrees, so that they read from that side."""


def locate_spot(spot: str) -> tuple[float, float]:
    """Return the middle of a spot, in units from the upper left of the ring."""
    column, row = CELLS[spot]
    return (column + 0.5) * CELL, (row + 0.5) * CELL


def draw_board(figure: Figure = draw_text) -> str:
    """Draw the board without pawns, `SIDE * CELL` units wide and high; `figure` writes a number
    as `svg.draw_text` does."""
    whole = SIDE * CELL
    art = draw_box(0.3, 0.3, whole - 0.6, whole - 0.6, 6.5, _BAND, _EDGE, 0.6)
    art += draw_box(
        CELL + 0.3, CELL + 0.3, whole - 2 * CELL - 0.6, whole - 2 * CELL - 0.6, 3, _GROUND, _EDGE, 0.6
    )
    art += _draw_centre(whole / 2)
    for number, colour in enumerate(PLAYERS, 1):
        art += _draw_player_corner(number, colour)
    # After the lanes and bases, which lie beneath the spots.
    for spot in CELLS:
        art += _draw_spot(spot, figure)
    return art


def _draw_centre(at: float) -> str:
    """Draw the place where cards are played: only its corners, since a whole outline would look
    like a card to the camera."""
    art = draw_circle(at, at, 33, _LEAF) + draw_circle(at, at, 30.5, "none", _EDGE, 0.4)
    wide, high, arm = 18.6, 25.8, 5.0
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = at + right * wide, at + down * high
        art += draw_line(f"M{fmt(x - right * arm)} {fmt(y)}H{fmt(x)}V{fmt(y - down * arm)}", _RIM, 0.7)
    return art


def _draw_player_corner(number: int, colour: PlayerColour) -> str:
    """Draw a player's area beneath the spots: the lane to the goal, from the square that leads into
    it, the base, and the start."""
    entry = TRACK[(number - 1) * (STRETCH + 1) - 1]
    (x0, y0), (x1, y1) = locate_spot(entry), locate_spot(list_goal_spots(number)[-1])
    half, pale = CELL * 0.47, lighten_colour(colour.ink, 0.72)
    left, top = min(x0, x1) - half, min(y0, y1) - half
    art = draw_box(left, top, abs(x1 - x0) + 2 * half, abs(y1 - y0) + 2 * half, half, pale)
    places = [locate_spot(spot) for spot in list_base_spots(number)]
    left, top = places[0][0] - CELL * 0.75, places[0][1] - CELL * 0.75
    art += draw_box(
        left, top, CELL * 2.5, CELL * 2.5, 6.5, pale, lighten_colour(colour.numeral_ink, 0.2), 0.5
    )
    x, y = (places[0][0] + places[3][0]) / 2, (places[0][1] + places[3][1]) / 2
    return art + place_art(draw_path(colour.shape, colour.ink, WHITE, 1.2), x, y, 0.34)


def _draw_spot(spot: str, figure: Figure) -> str:
    kind, _, number = spot.rpartition(" ")
    player, _, at = number.partition(":")
    turn, colour = _TURNS[int(player) - 1], PLAYERS[int(player) - 1]
    if not kind:
        return place_art(
            draw_circle(0, 0, 4.15, WHITE, _RIM, 0.35) + figure(at, 0, 0, 2.5, _FIGURE),
            *locate_spot(spot),
            1,
            turn,
        )
    pale = lighten_colour(colour.numeral_ink, 0.45)
    if kind == "start":
        art = draw_circle(0, 0, 4.85, colour.ink, lighten_colour(colour.numeral_ink, 0.2), 0.3) + draw_circle(
            0, 0, 3.7, WHITE
        )
        art += place_art(draw_line("M-1.5 0.8L0 -0.9L1.5 0.8", pale, 0.8), turn=-90)
    else:
        art = draw_circle(0, 0, 4.3, colour.ink, lighten_colour(colour.numeral_ink, 0.2), 0.3) + draw_circle(
            0, 0, 3.6, WHITE
        )
        art += figure(at, 0, 0, 2.5, pale) if kind == "goal" else ""
    return place_art(art, *locate_spot(spot), 1, turn)


def draw_pawn(colour: str, x: float, y: float, scale: float = 1.0) -> str:
    """Draw a pawn from its side, its foot about (x, y)."""
    body = draw_path("M-6 0C-6 -4 -3 -5 -2.6 -12H2.6C3 -5 6 -4 6 0Z", colour, DARK, 0.8)
    return place_art(body + draw_circle(0, -14.6, 4.4, colour, DARK, 0.8), x, y, scale)


def _draw_printed_board() -> str:
    """Draw the board for printing: the ring, beside it the camera's marks and the two teams; in
    cells times `CELL`, `SIZE` of them."""
    wide, high = (CELL * side for side in SIZE)
    flank = (wide - SIDE * CELL) / 2
    art = draw_box(0, 0, wide, high, 0, "#ffffff") + place_art(draw_board(), flank, (high - SIDE * CELL) / 2)
    for number, (left, top, side) in MARKS.items():
        art += place_art(_draw_marker(number, side * CELL), left * CELL, top * CELL)
    # Partners sit opposite: 1 and 3 on one flank, 2 and 4 on the other.
    for x, pair, turn in ((flank / 2, (0, 2), 90), (wide - flank / 2, (1, 3), -90)):
        names = place_art(draw_text("PARTNERS", 0, 0, 6.6, "#3c4a3f"), x, high / 2, 1, turn)
        art += names
        for place, seat in enumerate(pair):
            art += draw_pawn(PLAYERS[seat].ink, x, high / 2 + (41.5 if place else -28), 0.8)
    return art


def _draw_marker(number: int, side: float) -> str:
    """Draw a mark of the camera's family, sharp at any size."""
    cells = marker_cells(number, "aruco4x4")
    # The mark is six cells wide, its black border included.
    size = side / 6
    # A row at a time, each a hair over the next: viewers leave lines between what only touches.
    return "".join(
        draw_path("".join(_draw_marker_row(cells[y], size, size * y)), "#000000") for y in range(6)
    )


def _draw_marker_row(dark: Sequence[bool], size: float, top: float) -> Iterator[str]:
    """Draw each run of dark cells of a mark's row as one box."""
    at = 0
    for black, cells in groupby(dark):
        count = len(list(cells))
        if black:
            yield box_path(size * at, top, size * count, size + 0.1)
        at += count


def build_printed_board() -> BoardDrawing:
    """Return the board to print."""
    low = MARKS[7]
    return BoardDrawing(
        _draw_printed_board(), SIZE[0] * CELL, SIZE[1] * CELL, (low[0] * CELL, low[1] * CELL - 6)
    )


_FREE = ((5.5, 2.2), (2.2, 5.5))
"""The free area between bases and lanes: a cross, in cells from the ring's edges."""


def _write_figure(text: str, x: float, y: float, height: float, colour: str) -> str:
    """Write a number with the font of the viewer: a tenth as long as its outline."""
    at = f'x="{fmt(x)}" y="{fmt(y + height / 2)}" font-size="{fmt(height / CAPITALS)}" fill="{colour}"'
    return f"<text {at}>{text}</text>"


def render_board_svg() -> str:
    """Return the board without pawns as a whole SVG, for pages."""
    side = fmt(SIDE * CELL)
    look = 'font-family="Quicksand, Nunito, sans-serif" font-weight="700" text-anchor="middle"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" {look}>'
    return f"{head}{draw_board(_write_figure)}</svg>"


def build_camera_board() -> PrintedBoard:
    """Return where the printed board's marks and spots lie, for the camera."""
    from vision.geometry import make_box as upright  # noqa: PLC0415 - OpenCV, which printing does without
    from vision.pawns import PrintedBoard  # noqa: PLC0415 - as above

    left, top = (SIZE[0] - SIDE) / 2, (SIZE[1] - SIDE) / 2
    return PrintedBoard(
        {number: upright(x, y, x + side, y + side) for number, (x, y, side) in MARKS.items()},
        {name: (left + column + 0.5, top + row + 0.5) for name, (column, row) in CELLS.items()},
        SIZE,
        tuple((left + one, top + other, left + SIDE - one, top + SIDE - other) for one, other in _FREE),
    )
