"""The cards' art as pictures: what the camera is to recognise, and what the demo lays on its table.

The pictures come from the very pages that are printed. Drawing a whole deck takes a second or two,
so the pictures are kept in the user's cache folder, under a name made from the art itself; a cache
that is missing, stale or damaged is drawn again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
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
    file, names = _file(deck.game, lang, height, cache), _names(deck)
    pictures = _read(file, names.values(), height)
    if missing := [design for design in deck.designs if names[design.name] not in pictures]:
        sides = decks.faces.faces(replace(deck, designs=tuple(missing)), lang)
        drawn = _drawn(sides, height, done)
        fresh = {names[design.name]: drawn.get(design.name) for design in missing}
        _keep(file, fresh)
        pictures |= fresh
    return {one: picture for one, name in names.items() if (picture := pictures[name]) is not None}


def drawn_before(deck: Deck, lang: str) -> bool:
    """Tell whether `drawings` finds its pictures for these arguments cached, and takes no time."""
    return _kept(_file(deck.game, lang, PIXELS, None)).keys() >= set(_names(deck).values())


def back_drawing(game: str, cache: Path | None = None) -> Picture:
    """Return a picture of the back of the cards of `game`."""
    file = _file(game, "back", PIXELS, cache)
    back = _read(file, ["back"], PIXELS).get("back")
    if back is None:
        back = _drawn({"back": decks.faces.back(game)}, PIXELS)["back"]
        _keep(file, {"back": back})
    return back


def _names(deck: Deck) -> dict[str, str]:
    """Return under which name each design is kept: decks of a game share their cards, but for the
    markers on them."""
    said = {design.name: repr((design.name, design.marker)).encode() for design in deck.designs}
    return {name: hashlib.blake2b(one, digest_size=12).hexdigest() for name, one in said.items()}


def _drawn(sides: Mapping[str, CardSide], height: int, done: Done = nobody) -> dict[str, Picture]:
    if not sides:
        return {}
    return dict(zip(sides, render(decks.sheets.one_a_page([*sides.values()], done), height), strict=True))


def _file(game: str, what: str, height: int, cache: Path | None) -> Path:
    """Return where pictures are kept: the name says all that they are made from, but for the cards
    themselves, so that a stale one is never found."""
    name, folder = f"{game}-{what}", user_cache() / "drawings" if cache is None else cache
    mark = hashlib.blake2b(repr((name, height)).encode() + _art(game), digest_size=12).hexdigest()
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


def _kept(file: Path) -> dict[str, bytes]:
    """Read what is kept, as it is packed, by name; nothing where it is not there or not whole."""
    try:
        with libraries.zipfile.ZipFile(file) as every:
            return {name: every.read(name) for name in every.namelist()}
    except (OSError, libraries.zipfile.BadZipFile):
        return {}


def _read(file: Path, names: Iterable[str], height: int) -> dict[str, Picture | None]:
    """Read those of the names that are kept and whole; None for a card that is not drawn."""
    kept = _kept(file)
    found: dict[str, Picture | None] = {}
    for name in names:
        packed = kept.get(name)
        if packed == b"":
            found[name] = None
        elif packed is not None:
            picture = libraries.cv2.imdecode(
                libraries.np.frombuffer(packed, libraries.np.uint8), libraries.cv2.IMREAD_COLOR
            )
            if picture is not None and picture.shape[:2] == (height, round(height * WIDTH / HEIGHT)):
                found[name] = libraries.np.asarray(picture, dtype=libraries.np.uint8)
    return found


def _keep(file: Path, pictures: Mapping[str, Picture | None]) -> None:
    """Keep pictures for the next start, beside those of the game's other decks and in the place of
    what was made otherwise; without a writable cache do without."""
    packed = {
        name: b"" if picture is None else libraries.cv2.imencode(".png", picture)[1].tobytes()
        for name, picture in pictures.items()
    }
    fresh = file.with_suffix(f".{os.getpid()}")  # another program may be drawing at the same time
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with libraries.zipfile.ZipFile(fresh, "w") as every:  # not compressed: the pictures are
            for name, one in (_kept(file) | packed).items():
                every.writestr(name, one)
        fresh.replace(file)
        for old in file.parent.glob(f"{file.stem[:-24]}{'[0-9a-f]' * 24}.*"):
            if old.stem != file.stem:
                old.unlink(missing_ok=True)
