"""`make portraits`: the small pictures of cards that screens show, drawn from the cards' art
(`companion/decks/portraits/`)."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
from PIL import Image

from companion.decks.faces import face
from companion.decks.portraits import CUT, FOLDER, PIXELS, file_name
from companion.decks.sheets import one_a_page
from companion.decks.svg import HEIGHT
from companion.table.decks import Deck, Design

CARDS = [
    *(one.name for one in Deck.builtin("donkey_valley").designs if one.name.startswith("donkey:")),
    "oe:donkey",
    "oe:ox",
]
_FINE = 4
"""Each pixel is the mean of so many squared: art drawn small at once has ragged lines."""


def drawn(cards: list[str]) -> list[Image.Image]:
    """Draw the cards' portraits, in their order."""
    faces = [face(Design(card, card)) for card in cards]
    document = pypdfium2.PdfDocument(one_a_page([one for one in faces if one is not None]))
    scale = PIXELS * _FINE * HEIGHT / (HEIGHT / 25.4 * 72)
    pictures = [page.render(scale=scale).to_pil().convert("RGB") for page in document]
    document.close()
    return [_cut(card, picture) for card, picture in zip(cards, pictures, strict=True)]


def _cut(card: str, picture: Image.Image) -> Image.Image:
    left, top, right, bottom = CUT[card.partition(":")[0]]
    box = tuple(side * PIXELS * _FINE for side in (left, top, right, bottom))
    size = (round((right - left) * PIXELS), round((bottom - top) * PIXELS))
    return picture.resize(size, Image.Resampling.BOX, box=box)


def main(folder: Path = FOLDER) -> None:
    """Write every portrait; flat art needs few colours."""
    folder.mkdir(exist_ok=True)
    for card, picture in zip(CARDS, drawn(CARDS), strict=True):
        few = picture.quantize(64, dither=Image.Dither.NONE)
        few.save(folder / f"{file_name(card)}.png", optimize=True)
    print(f"{len(CARDS)} portraits in {folder}")


if __name__ == "__main__":
    main()
