"""The cards of Partners: fourteen kinds, each with its own ground, its move written large and drawn
as a step diagram; and the board, for printing (with marks for the camera) and for the pages. The
positions of spots come from `board.CELLS` alone.

Spots are white, and only their rims have a player's colour: so the camera can tell the pawns from
the print, and the print takes little ink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from companion.decks import patterns
from companion.decks.assets import Art
from companion.decks.faces import CardSide
from companion.decks.patterns import Colour, card_back, panel
from companion.decks.sheets import Board
from companion.decks.svg import (
    CAPITALS,
    DARK,
    HEIGHT,
    PAPER,
    WHITE,
    WIDTH,
    both_ways,
    box,
    box_d,
    circle,
    line,
    n,
    numeral,
    path,
    put,
    shade,
    tint,
    width_of,
    write,
)
from companion.games.partners.board import (
    CELLS,
    COLOURS,
    MARKS,
    SIDE,
    SIZE,
    STRETCH,
    TRACK,
    base_spots,
    goal_spots,
)
from companion.rules.claims import CardId
from companion.texts import Translator
from vision.printed_markers import marker_cells

if TYPE_CHECKING:
    from vision.pawns import PrintedBoard

ART = Art(__file__)

_INKS: dict[str, str] = {
    "heart": "#d0213f", "8": "#3a7d2c", "13": "#2b3f9e", "-4": "#4a4e58", "1/14": "#b06a00", "7": "#7a2fa0", "swap": "#007f8c",
    "2": "#8c5a3c", "3": "#5b8c00", "5": "#c4581a", "6": "#00729c", "9": "#a3286b", "10": "#2f6b57", "12": "#6b6b00",
}  # fmt: skip


def back() -> str:
    """Draw the back that all cards have."""
    return card_back("#1d3b2a", "#265038", 4, ART("back"))


def face(card: CardId, _say: Translator) -> CardSide:
    """Draw a card; raise `LookupError` or `ValueError` for one that is not of ours."""
    if card.kind != "pa":
        raise LookupError(card)
    kind = card.name
    ink = _INKS[kind]
    # Each kind has a pattern of its own, by its place in the table.
    place = list(_INKS).index(kind)
    plate = box(8.5, 21, 46, 46, 6, PAPER, shade(ink, 0.2), 1)
    ground = panel(tint(ink, 0.12), ink, place, shade(ink, 0.3))
    if kind == "heart":
        leave = ART("leave", ink=ink)
        middle = put(ART("heart", ink=ink), 31.5, 37.5, 1.25) + put(leave, 31.5, 57, 0.8)
        corner = put(ART("heart", ink=WHITE, edge=WHITE), 11.5, 13, 0.52)
    elif kind == "swap":
        middle = put(ART("swap"), 31.5, 44, 1.25)
        corner = put(ART("swap_sign"), 11.5, 12)
    else:
        middle = _number(kind, ink)
        high = 12.6 if width_of(kind, 12.6) < 17 else 9
        corner = numeral(kind, 5.8 + width_of(kind, high) / 2, 6 + high / 2, high, WHITE)
    return CardSide(ground + plate + middle + both_ways(corner))


def _number(kind: str, ink: str) -> str:
    high = min(26.0, 26 * 40 / width_of(kind, 26))
    # Smaller, to leave room for the line that `numeral` draws under 6 and 9.
    high = 19.0 if kind in ("6", "9") else high
    text = write if kind == "1/14" else numeral
    number = text(kind, 31.5, 36.6, high, shade(ink, 0.25))
    leave = put(ART("leave", ink=ink), 0, 2, 0.8)
    signs = {
        "-4": _steps(4, back=True),
        "1/14": put(_steps(1), -12, 2, 0.55) + put(_steps(14), 11, 2, 0.55),
        "7": put(ART("split"), 0, -5, 0.85),
        "8": leave,
        "13": leave,
    }
    return number + put(signs.get(kind) or _steps(int(kind)), WIDTH / 2, HEIGHT / 2 + 16.4, 0.85)


def _steps(count: int, back: bool = False) -> str:
    """Draw a row of squares with an arrow over it, in two rows where there are more than seven."""
    # More than seven do not fit the width of a card.
    rows = [count] if count <= 7 else [(count + 1) // 2, count // 2]
    art = ""
    for r, many in enumerate(rows):
        y = 5.8 * (r - (len(rows) - 1) / 2)
        art += "".join(circle(6 * (k - (many - 1) / 2), y, 2.1, PAPER, DARK, 0.7) for k in range(many))
    tip = "M19 -12L24 -9L19 -6" if not back else "M-19 -12L-24 -9L-19 -6"
    return art + line(f"M{n(-20 if not back else -23)} -9H{n(23 if not back else 20)}{tip}", DARK, 1.5)


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


def middle(spot: str) -> tuple[float, float]:
    """Return the middle of a spot, in units from the upper left of the ring."""
    column, row = CELLS[spot]
    return (column + 0.5) * CELL, (row + 0.5) * CELL


def ground(figure: Figure = write) -> str:
    """Draw the board without pawns, `SIDE * CELL` units wide and high; `figure` writes a number
    as `svg.write` does."""
    whole = SIDE * CELL
    art = box(0.3, 0.3, whole - 0.6, whole - 0.6, 6.5, _BAND, _EDGE, 0.6)
    art += box(CELL + 0.3, CELL + 0.3, whole - 2 * CELL - 0.6, whole - 2 * CELL - 0.6, 3, _GROUND, _EDGE, 0.6)
    art += _centre(whole / 2)
    for number, colour in enumerate(PLAYERS, 1):
        art += _corner(number, colour)
    # After the lanes and bases, which lie beneath the spots.
    for spot in CELLS:
        art += _spot(spot, figure)
    return art


def _centre(at: float) -> str:
    """Draw the place where cards are played: only its corners, since a whole outline would look
    like a card to the camera."""
    art = circle(at, at, 33, _LEAF) + circle(at, at, 30.5, "none", _EDGE, 0.4)
    wide, high, arm = 18.6, 25.8, 5.0
    for right, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        x, y = at + right * wide, at + down * high
        art += line(f"M{n(x - right * arm)} {n(y)}H{n(x)}V{n(y - down * arm)}", _RIM, 0.7)
    return art


def _corner(number: int, colour: Colour) -> str:
    """Draw a player's area beneath the spots: the lane to the goal, from the square that leads into
    it, the base, and the start."""
    entry = TRACK[(number - 1) * (STRETCH + 1) - 1]
    (x0, y0), (x1, y1) = middle(entry), middle(goal_spots(number)[-1])
    half, pale = CELL * 0.47, tint(colour.ink, 0.72)
    left, top = min(x0, x1) - half, min(y0, y1) - half
    art = box(left, top, abs(x1 - x0) + 2 * half, abs(y1 - y0) + 2 * half, half, pale)
    places = [middle(spot) for spot in base_spots(number)]
    left, top = places[0][0] - CELL * 0.75, places[0][1] - CELL * 0.75
    art += box(left, top, CELL * 2.5, CELL * 2.5, 6.5, pale, tint(colour.deep, 0.2), 0.5)
    x, y = (places[0][0] + places[3][0]) / 2, (places[0][1] + places[3][1]) / 2
    return art + put(path(colour.shape, colour.ink, WHITE, 1.2), x, y, 0.34)


def _spot(spot: str, figure: Figure) -> str:
    kind, _, number = spot.rpartition(" ")
    player, _, at = number.partition(":")
    turn, colour = _TURNS[int(player) - 1], PLAYERS[int(player) - 1]
    if not kind:
        return put(
            circle(0, 0, 4.15, WHITE, _RIM, 0.35) + figure(at, 0, 0, 2.5, _FIGURE), *middle(spot), 1, turn
        )
    pale = tint(colour.deep, 0.45)
    if kind == "start":
        art = circle(0, 0, 4.85, colour.ink, tint(colour.deep, 0.2), 0.3) + circle(0, 0, 3.7, WHITE)
        art += put(line("M-1.5 0.8L0 -0.9L1.5 0.8", pale, 0.8), turn=-90)
    else:
        art = circle(0, 0, 4.3, colour.ink, tint(colour.deep, 0.2), 0.3) + circle(0, 0, 3.6, WHITE)
        art += figure(at, 0, 0, 2.5, pale) if kind == "goal" else ""
    return put(art, *middle(spot), 1, turn)


def pawn(colour: str, x: float, y: float, scale: float = 1.0) -> str:
    """Draw a pawn from its side, its foot about (x, y)."""
    body = path("M-6 0C-6 -4 -3 -5 -2.6 -12H2.6C3 -5 6 -4 6 0Z", colour, DARK, 0.8)
    return put(body + circle(0, -14.6, 4.4, colour, DARK, 0.8), x, y, scale)


def _whole() -> str:
    """Draw the board for printing: the ring, beside it the camera's marks and the two teams; in
    cells times `CELL`, `SIZE` of them."""
    wide, high = (CELL * side for side in SIZE)
    flank = (wide - SIDE * CELL) / 2
    art = box(0, 0, wide, high, 0, "#ffffff") + put(ground(), flank, (high - SIDE * CELL) / 2)
    for number, (left, top, side) in MARKS.items():
        art += put(_mark(number, side * CELL), left * CELL, top * CELL)
    # Partners sit opposite: 1 and 3 on one flank, 2 and 4 on the other.
    for x, pair, turn in ((flank / 2, (0, 2), 90), (wide - flank / 2, (1, 3), -90)):
        names = put(write("PARTNERS", 0, 0, 6.6, "#3c4a3f"), x, high / 2, 1, turn)
        art += names
        for place, seat in enumerate(pair):
            art += pawn(PLAYERS[seat].ink, x, high / 2 + (41.5 if place else -28), 0.8)
    return art


def _mark(number: int, side: float) -> str:
    """Draw a mark of the camera's family, sharp at any size."""
    cells = marker_cells(number, "aruco4x4")
    # The mark is six cells wide, its black border included.
    size = side / 6
    # A row at a time, each a hair over the next: viewers leave lines between what only touches.
    return "".join(path("".join(_run(cells[y], size, size * y)), "#000000") for y in range(6))


def _run(dark: Sequence[bool], size: float, top: float) -> Iterator[str]:
    """Draw each run of dark cells of a mark's row as one box."""
    at = 0
    for black, cells in groupby(dark):
        count = len(list(cells))
        if black:
            yield box_d(size * at, top, size * count, size + 0.1)
        at += count


def board() -> Board:
    """Return the board to print."""
    low = MARKS[7]
    return Board(_whole(), SIZE[0] * CELL, SIZE[1] * CELL, (low[0] * CELL, low[1] * CELL - 6))


_FREE = ((5.5, 2.2), (2.2, 5.5))
"""The free area between bases and lanes: a cross, in cells from the ring's edges."""


def _figure(text: str, x: float, y: float, height: float, colour: str) -> str:
    """Write a number with the font of the viewer: a tenth as long as its outline."""
    at = f'x="{n(x)}" y="{n(y + height / 2)}" font-size="{n(height / CAPITALS)}" fill="{colour}"'
    return f"<text {at}>{text}</text>"


def picture() -> str:
    """Return the board without pawns as a whole SVG, for pages."""
    side = n(SIDE * CELL)
    look = 'font-family="Quicksand, Nunito, sans-serif" font-weight="700" text-anchor="middle"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" {look}>'
    return f"{head}{ground(_figure)}</svg>"


def under_camera() -> PrintedBoard:
    """Return where the printed board's marks and spots lie, for the camera."""
    from vision.geometry import box as upright  # noqa: PLC0415 - OpenCV, which printing does without
    from vision.pawns import PrintedBoard  # noqa: PLC0415 - as above

    left, top = (SIZE[0] - SIDE) / 2, (SIZE[1] - SIDE) / 2
    return PrintedBoard(
        {number: upright(x, y, x + side, y + side) for number, (x, y, side) in MARKS.items()},
        {name: (left + column + 0.5, top + row + 0.5) for name, (column, row) in CELLS.items()},
        SIZE,
        tuple((left + one, top + other, left + SIDE - one, top + SIDE - other) for one, other in _FREE),
    )
