"""Draw the pictures of our cards for the documentation: `python tools/card_pictures.py` (writes
`docs/pictures/`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image

from companion.decks import render_back, render_drawings, sheets
from companion.games.partners import drawing
from companion.table.decks import Deck

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
COLUMNS = {"donkey_valley": 14, "dtc": 8, "ochs_und_esel": 9, "partners": 8, "ascend": 12}
CLOTH = 92

Picture = NDArray[np.uint8]


def make_contact_sheet(pictures: Sequence[Picture], width: int, columns: int) -> Picture:
    """Lay pictures out in rows on grey cloth, each `width` pixels wide."""
    small = [cv2.resize(p, (width, round(width * 88 / 63)), interpolation=cv2.INTER_AREA) for p in pictures]
    gap, height = max(4, width // 12), small[0].shape[0]
    rows = -(-len(small) // columns)
    sheet = np.full((rows * (height + gap) + gap, columns * (width + gap) + gap, 3), CLOTH, np.uint8)
    for place, card in enumerate(small):
        row, column = divmod(place, columns)
        y, x = gap + row * (height + gap), gap + column * (width + gap)
        sheet[y : y + height, x : x + width] = card
    return sheet


def save_png(name: str, picture: Picture) -> None:
    """Write a PNG with a palette, a third of the size of one without."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    image.quantize(200, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)


def main() -> None:
    """Draw one contact sheet for each game, one of every card 60 pixels wide, and a printed
    sheet."""
    tiny: list[Picture] = []
    for game, columns in COLUMNS.items():
        cards = [*render_drawings(Deck.load_builtin(game)).values(), render_back(game)]
        # without the back
        tiny += cards[:-1]
        save_png(f"cards_{game}.png", make_contact_sheet(cards, 100, columns))
    save_png("cards_at_60_pixels.png", make_contact_sheet(tiny, 60, 20))
    sheet = pypdfium2.PdfDocument(sheets.build_deck_pdf(Deck.load_builtin("donkey_valley")))[9]
    save_png("sheet_donkey_valley.png", np.asarray(sheet.render(scale=1.1).to_numpy(), dtype=np.uint8))
    board = pypdfium2.PdfDocument(sheets.build_board_pdf(drawing.build_printed_board(), "a3", "partners"))[0]
    save_png("board_partners.png", np.asarray(board.render(scale=0.8).to_numpy(), dtype=np.uint8))


if __name__ == "__main__":
    main()
