"""The cards' art as pictures: what the camera is to recognise, and what the demo lays on its table.

The pictures come from the very pages that are printed. Drawing a whole deck takes a second or two,
so the pictures are kept in the user's cache folder, under a name made from the art itself; a cache
that is missing, stale or damaged is drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache as cached
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from companion import decks, libraries
from companion.decks.svg import FONT, HEIGHT, WIDTH
from companion.folders import user_cache
from companion.rules import registry
from companion.table.decks import Deck
from companion.texts import folder_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from companion.decks.faces import CardSide

Picture: TypeAlias = "NDArray[np.uint8]"
"""Height x width x 3, blue, green, red."""

Done: TypeAlias = Callable[[int, int], object]
"""Hears which card is being drawn, from 1, and of how many."""


def nobody(_number: int, _count: int) -> None:
    """Hear nothing."""


PIXELS = 400
"""Height of a drawing, in pixels."""


def drawings(
    deck: Deck,
    lang: str = "en",
    height: int = PIXELS,
    cache: Path | None = None,
    done: Done = nobody,
) -> dict[str, Picture]:
    """Return a picture of every design of `deck` that the program draws, by the design's name (for
    our decks the card id).

    `lang`: the language of the names on the cards. `height`: pixels; the width is 63/88 of it.
    `cache`: the folder to keep pictures in, by default the user's. Designs of cards that people own
    already (`7S`) have no drawing and are left out. `done` hears how far the drawing is.
    """
    return _pictures(_file(deck, lang, height, cache), lambda: decks.faces.faces(deck, lang), height, done)


def drawn_before(deck: Deck, lang: str) -> bool:
    """Tell whether `drawings` finds its pictures for these arguments cached, and takes no time."""
    return _file(deck, lang, PIXELS, None).is_file()


def back_drawing(game: str, cache: Path | None = None) -> Picture:
    """Return a picture of the back of the cards of `game`."""
    file = _named(game, "back", (), PIXELS, cache)
    return _pictures(file, lambda: {"back": decks.faces.back(game)}, PIXELS)["back"]


def _pictures(
    file: Path, drawn: Callable[[], Mapping[str, CardSide]], height: int, done: Done = nobody
) -> dict[str, Picture]:
    kept = _kept(file, height)
    if kept is not None:
        return kept
    faces = drawn()
    pictures = {}
    if faces:
        pages = decks.sheets.one_a_page(list(faces.values()), done)
        pictures = dict(zip(faces, render(pages, height), strict=True))
    _keep(file, pictures)
    return pictures


def _file(deck: Deck, lang: str, height: int, cache: Path | None) -> Path:
    designs = [(design.name, design.marker) for design in deck.designs]
    return _named(deck.game, lang, designs, height, cache)


def _named(game: str, what: str, designs: Sequence[object], height: int, cache: Path | None) -> Path:
    """Return where pictures are kept: the name says all that they are made from, so that a stale
    one is never found."""
    name, folder = f"{game}-{what}", user_cache() / "drawings" if cache is None else cache
    mark = hashlib.blake2b(repr((name, height, designs)).encode() + _art(game), digest_size=12).hexdigest()
    return folder / f"{name}-{mark}.zip"


@cached
def _art(game: str) -> bytes:
    """Return a digest of everything that a game's art is made from: this package with its font, the
    game's drawing with its SVGs, and its catalogues.

    To read these files takes milliseconds; to draw every card, only to see that nothing has
    changed, took half a second.
    """
    digest = hashlib.blake2b(digest_size=16)
    files = [*Path(__file__).parent.glob("*.py"), FONT]
    with suppress(registry.GameUnavailable):
        own = folder_of(registry.load(game))
        files += [own / "drawing.py", *own.glob("art/**/*.svg"), *own.glob("locale/**/*.mo")]
    for file in sorted(file for file in files if file.is_file()):
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    return digest.digest()


def render(pdf: bytes, height: int) -> list[Picture]:
    """Turn a PDF of card pages into pictures `height` pixels high."""
    width = round(height * WIDTH / HEIGHT)
    scale = height / (HEIGHT / 25.4 * 72)
    document = libraries.pypdfium2.PdfDocument(pdf)
    try:
        found = []
        for page in document:
            picture = page.render(scale=scale).to_numpy()[:height, :width, :3]
            found.append(libraries.np.ascontiguousarray(picture, dtype=libraries.np.uint8))
            page.close()
        return found
    finally:
        document.close()


def _kept(file: Path, height: int) -> dict[str, Picture] | None:
    """Read pictures by name; None when they are not there or not whole."""
    kept = {}
    try:
        with libraries.zipfile.ZipFile(file) as every:
            for name in every.namelist():
                picture = libraries.cv2.imdecode(
                    libraries.np.frombuffer(every.read(name), libraries.np.uint8), libraries.cv2.IMREAD_COLOR
                )
                if picture is None or picture.shape[:2] != (height, round(height * WIDTH / HEIGHT)):
                    return None
                kept[name] = libraries.np.asarray(picture, dtype=libraries.np.uint8)
    except (OSError, libraries.zipfile.BadZipFile, libraries.cv2.error):
        return None
    return kept


def _keep(file: Path, pictures: Mapping[str, Picture]) -> None:
    """Keep pictures for the next start, in the place of older ones of the same name; without a
    writable cache do without."""
    fresh = file.with_suffix(".new")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with libraries.zipfile.ZipFile(fresh, "w") as every:  # not compressed: the pictures are
            for name, picture in pictures.items():
                every.writestr(name, libraries.cv2.imencode(".png", picture)[1].tobytes())
        for old in file.parent.glob(f"{file.stem[:-24]}{'[0-9a-f]' * 24}.*"):
            if old != fresh:
                old.unlink()
        fresh.replace(file)
