"""Take a picture of every screen of the program at three sizes (`make pictures`), and write the
page that shows them (`docs/screens.md`); also the animated round of the README.

The screens are those of the tests (`tests/views/screens.py`). Textual's output is drawn cell by
cell, with matplotlib's own copy of the DejaVu fonts, so that the pictures are the same on every
computer. Names after the command limit it to those screens (`round`: the animated one).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.color import Color
from textual.app import App

from companion.demo.actions import make_players
from companion.games.donkey_valley.moves import Donkey
from tests.views.screens import PLACES, SIZES, screens_of
from tests.views.table import SEVEN, dashboard, live_session, steady

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures" / "screens"
PAGE = ROOT / "docs" / "screens.md"
MOVING = ROOT / "docs" / "pictures" / "round.webp"
HELD, RESULT = 900, 5000
"""Milliseconds for which a step of the round, and its result, stay."""
CELL = (8, 16)
"""Pixels of a character."""
COLOURS = 128
"""Colours of a picture: screens have few, and such a PNG is a fifth as large."""
_FACES = ("DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSans")
_FONTS = {face: ImageFont.truetype(f"{mpl.get_data_path()}/fonts/ttf/{face}.ttf", 13) for face in _FACES}
_SIGNS = {face: TTFont(font.path).getBestCmap() for face, font in _FONTS.items()}
_BLOCKS = {
    "█": (0, 0, 8, 8),
    "▀": (0, 0, 8, 4),
    "▌": (0, 0, 4, 8),
    "▐": (4, 0, 8, 8),
    "▔": (0, 0, 8, 1),
    **{sign: (0, 8 - eighths, 8, 8) for eighths, sign in enumerate("▁▂▃▄▅▆▇", 1)},
    **{sign: (0, 0, eighths, 8) for eighths, sign in enumerate("▏▎▍▌▋▊▉", 1)},
}
"""Blocks as rectangles in eighths of a cell, because a font leaves gaps between them."""
_QUARTERS = {sign: bits for bits, sign in enumerate(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")}
"""Quadrants as bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""


def render_screen(app: App[Any]) -> Image.Image:
    """Draw the current screen."""
    width, height = CELL
    picture = Image.new("RGB", (app.size.width * width, app.size.height * height))
    draw = ImageDraw.Draw(picture)
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            style = segment.style
            ink, ground = _to_rgb(style and style.color, True), _to_rgb(style and style.bgcolor, False)
            if style and style.reverse:
                ink, ground = ground, ink
            # Textual's styles leave it to the terminal what dim looks like
            if style and style.dim:
                ink = tuple((2 * one + other) // 3 for one, other in zip(ink, ground, strict=True))
            for sign in segment.text:
                columns = max(cell_len(sign), 1)
                place = (x * width, y * height)
                draw.rectangle((*place, place[0] + columns * width - 1, place[1] + height - 1), fill=ground)
                _draw_character(draw, sign, place, ink, bool(style and style.bold))
                x += columns
    return picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _draw_character(
    draw: ImageDraw.ImageDraw, character: str, place: tuple[int, int], ink: tuple[int, ...], bold: bool
) -> None:
    x, y = place
    if block := _BLOCKS.get(character):
        left, top, right, bottom = block
        draw.rectangle((x + left, y + 2 * top, x + right - 1, y + 2 * bottom - 1), fill=ink)
    elif bits := _QUARTERS.get(character):
        for at in range(4):
            if bits >> at & 1:
                left, top = x + at % 2 * 4, y + at // 2 * 8
                draw.rectangle((left, top, left + 3, top + 7), fill=ink)
    elif not character.isspace():
        wanted = _FACES[1:] if bold else _FACES[::2]
        face = next((one for one in wanted if ord(character[0]) in _SIGNS[one]), wanted[0])
        draw.text((x, y), character, fill=ink, font=_FONTS[face])


def _to_rgb(colour: Color | None, foreground: bool) -> tuple[int, ...]:
    return tuple((colour or Color.default()).get_truecolor(foreground=foreground))


async def take_pictures(names: set[str]) -> Iterator[str]:
    """Take the pictures; return the names of the screens."""
    taken = []
    for place in PLACES:
        if names and not names & set(place.screens):
            continue
        for size in SIZES:
            async for name, app in screens_of(place, "en", size):
                file = FOLDER / f"{name}_{size[0]}x{size[1]}.png"
                render_screen(app).save(file, optimize=True)
                taken.append(name)
    return iter(dict.fromkeys(taken))


async def record_animation() -> None:
    """Let four simulated players play the first round of Donkey Valley, and take a picture of each
    step."""
    live = live_session(SEVEN[:4])
    app, players, steps = dashboard(live), make_players(live.setup), []
    async with app.run_test(size=(100, 30)) as pilot:
        while deed := players.next_action(live.list_acts(), live.snapshot().view):
            if isinstance(deed.request, Donkey) and steps:
                # the next donkey begins the second round
                break
            live.submit_request(deed.request)
            await steady(pilot)
            steps.append(render_screen(app).convert("RGB"))
    held = [*[HELD] * (len(steps) - 1), RESULT]
    steps[0].save(
        MOVING, save_all=True, append_images=steps[1:], duration=held, loop=0, lossless=True, method=6
    )


def build_page(names: list[str]) -> str:
    """Write the page that shows them: the usual size, and links to the two others."""
    (small, usual, large) = (f"{columns}x{rows}" for columns, rows in SIZES)
    parts = [
        "# Every screen\n",
        "Made by `make pictures` from the table of screens that the tests walk through\n"
        "(`tests/views/screens.py`), each at three sizes.\n",
    ]
    for name in names:
        parts += [
            f"## {name.replace('_', ' ')}\n",
            f"![{name.replace('_', ' ')} at {usual}](pictures/screens/{name}_{usual}.png)\n",
            f"[{small}](pictures/screens/{name}_{small}.png) ·\n"
            f"[{large}](pictures/screens/{name}_{large}.png)\n",
        ]
    return "\n".join(parts)


def main(names: list[str]) -> None:
    """Take all pictures, or those named; the page is written again when all were taken."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not names or "round" in names:
        asyncio.run(record_animation())
    taken = list(asyncio.run(take_pictures(set(names))))
    if not names:
        PAGE.write_text(build_page(taken), encoding="utf-8")
    print(f"{len(taken)} screens at {len(SIZES)} sizes in {FOLDER.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
