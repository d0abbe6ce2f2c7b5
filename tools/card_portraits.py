"""Draw the small pictures of cards that screens show (`make portraits`): the donkey of the round
without the edge and the plate with its name, from the cards' art into the games' folders."""

from __future__ import annotations

import pypdfium2
from PIL import Image

from companion.decks.faces import draw_face
from companion.decks.sheets import build_card_pages
from companion.decks.svg import HEIGHT
from companion.rules import registry
from companion.table.decks import Deck, Design
from companion.texts import find_game_folder

CARDS = [
    *(
        ("donkey_valley", name)
        for name in Deck.load_builtin("donkey_valley").card_counts
        if name.startswith("donkey:")
    ),
    ("ochs_und_esel", "oe:donkey"),
    ("ochs_und_esel", "oe:ox"),
]
CUT = {"donkey_valley": (3.5, 3.5, 59.5, 75.0), "ochs_und_esel": (3.5, 3.5, 59.5, 84.5)}
"""Part of a game's cards that is shown, in millimetres: left, top, right, bottom."""
PIXELS = 3
"""Pixels of a millimetre: the largest terminal draws a donkey 70 pixels wide."""
_FINE = 4
"""Side of the square of which each pixel is the mean: art drawn small at once has ragged lines."""


def draw_portraits(cards: list[tuple[str, str]]) -> list[Image.Image]:
    """Draw the cards' portraits, in their order."""
    faces = [draw_face(game, Design(card, card)) for game, card in cards]
    document = pypdfium2.PdfDocument(build_card_pages([one for one in faces if one is not None]))
    # a PDF's unit is a 72nd of an inch
    scale = PIXELS * _FINE * HEIGHT / (HEIGHT / 25.4 * 72)
    pictures = [page.render(scale=scale).to_pil().convert("RGB") for page in document]
    document.close()
    return [_crop_portrait(game, picture) for (game, _), picture in zip(cards, pictures, strict=True)]


def _crop_portrait(game: str, picture: Image.Image) -> Image.Image:
    left, top, right, bottom = CUT[game]
    box = tuple(side * PIXELS * _FINE for side in (left, top, right, bottom))
    size = (round((right - left) * PIXELS), round((bottom - top) * PIXELS))
    return picture.resize(size, Image.Resampling.BOX, box=box)


def main() -> None:
    """Write every portrait; flat art needs few colours."""
    for (game, card), picture in zip(CARDS, draw_portraits(CARDS), strict=True):
        few = picture.quantize(64, dither=Image.Dither.NONE)
        folder = find_game_folder(registry.load_game(game)) / "portraits"
        folder.mkdir(exist_ok=True)
        few.save(folder / f"{card.replace(':', '_')}.png", optimize=True)
    print(f"{len(CARDS)} portraits")


if __name__ == "__main__":
    main()
