"""Pictures of the cards' art: for the camera to recognise, and for the demo to lay on its table.

They are rendered from the same pages that are printed. Drawing a whole deck takes a second or two,
so pictures are cached in the user's cache folder, under a name derived from the art itself. A cache
that is missing, outdated or damaged is drawn again.
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
from companion.folders import user_cache_folder
from companion.rules import registry
from companion.table.decks import Deck
from companion.texts import find_game_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from companion.decks.faces import CardSide

Picture: TypeAlias = "NDArray[np.uint8]"
"""Height x width x 3, blue, green, red."""

OnProgress: TypeAlias = Callable[[int, int], object]
"""Progress callback: number of the card being drawn, from 1, and how many there are."""


def ignore_progress(_number: int, _count: int) -> None:
    """Ignore progress."""


PIXELS = 400
"""Height of a drawing, in pixels."""


def render_drawings(
    deck: Deck,
    lang: str = "en",
    height: int = PIXELS,
    cache: Path | None = None,
    on_progress: OnProgress = ignore_progress,
) -> dict[str, Picture]:
    """Return a picture of every design of `deck` that the program draws, by the design's name (for
    our decks the card id).

    `lang`: language of the names on the cards. `height`: pixels; the width is 63/88 of it. `cache`:
    folder for the cached pictures, by default the user's. Designs of cards that people own already
    (`7S`) have no drawing and are left out. `on_progress` is called with the progress.
    """
    file, names = _cache_file(deck.game, lang, height, cache), _make_cache_names(deck)
    pictures = _load_pictures(file, names.values(), height)
    if missing := [design for design in deck.designs if names[design.name] not in pictures]:
        sides = decks.faces.draw_faces(replace(deck, designs=tuple(missing)), lang)
        rendered = _render_sides(sides, height, on_progress)
        fresh = {names[design.name]: rendered.get(design.name) for design in missing}
        _save_pictures(file, fresh)
        pictures |= fresh
    return {one: picture for one, name in names.items() if (picture := pictures[name]) is not None}


def has_cached_drawings(deck: Deck, lang: str) -> bool:
    """Check whether `render_drawings` would find all its pictures in the cache."""
    return _load_packed(_cache_file(deck.game, lang, PIXELS, None)).keys() >= set(
        _make_cache_names(deck).values()
    )


def render_back(game: str, cache: Path | None = None) -> Picture:
    """Return a picture of the back of the cards of `game`."""
    file = _cache_file(game, "back", PIXELS, cache)
    back = _load_pictures(file, ["back"], PIXELS).get("back")
    if back is None:
        back = _render_sides({"back": decks.faces.draw_back(game)}, PIXELS)["back"]
        _save_pictures(file, {"back": back})
    return back


def _make_cache_names(deck: Deck) -> dict[str, str]:
    """Return each design's name in the cache. Decks of one game share the pictures of their cards,
    unless the markers on them differ."""
    identities = {design.name: repr((design.name, design.marker)).encode() for design in deck.designs}
    return {name: hashlib.blake2b(one, digest_size=12).hexdigest() for name, one in identities.items()}


def _render_sides(
    sides: Mapping[str, CardSide], height: int, on_progress: OnProgress = ignore_progress
) -> dict[str, Picture]:
    if not sides:
        return {}
    return dict(
        zip(
            sides,
            rasterize_pdf(decks.sheets.build_card_pages([*sides.values()], on_progress), height),
            strict=True,
        )
    )


def _cache_file(game: str, variant: str, height: int, cache: Path | None) -> Path:
    """Return the cache file. Its name contains a digest of everything the pictures are made from
    except the cards themselves, so an outdated file is never found."""
    name, folder = f"{game}-{variant}", user_cache_folder() / "drawings" if cache is None else cache
    mark = hashlib.blake2b(repr((name, height)).encode() + _digest_art(game), digest_size=12).hexdigest()
    return folder / f"{name}-{mark}.zip"


@cached
def _digest_art(game: str) -> bytes:
    """Return a digest of everything that a game's art is made from: this package with its font, the
    game's drawing with its SVGs, and its catalogues.

    Reading these files takes milliseconds; drawing every card to see whether something has changed
    took half a second.
    """
    digest = hashlib.blake2b(digest_size=16)
    files = [*Path(__file__).parent.glob("*.py"), FONT]
    with suppress(registry.GameUnavailable):
        own = find_game_folder(registry.load_game(game))
        files += [own / "drawing.py", *own.glob("art/**/*.svg"), *own.glob("locale/**/*.mo")]
    for file in sorted(file for file in files if file.is_file()):
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    return digest.digest()


def rasterize_pdf(pdf: bytes, height: int) -> list[Picture]:
    """Render a PDF of card pages as pictures `height` pixels high."""
    width = round(height * WIDTH / HEIGHT)
    # PDF lengths are points, 72 to the inch of 25.4 mm.
    scale = height / (HEIGHT / 25.4 * 72)
    document = libraries.pypdfium2.PdfDocument(pdf)
    try:
        found = []
        for page in document:
            # Rendering rounds up, so there may be one row or column too many.
            picture = page.render(scale=scale).to_numpy()[:height, :width, :3]
            found.append(libraries.np.ascontiguousarray(picture, dtype=libraries.np.uint8))
            page.close()
        return found
    finally:
        document.close()


def _load_packed(file: Path) -> dict[str, bytes]:
    """Return the cached pictures as PNG, by name; empty if the file is missing or damaged."""
    try:
        with libraries.zipfile.ZipFile(file) as every:
            return {name: every.read(name) for name in every.namelist()}
    except (OSError, libraries.zipfile.BadZipFile):
        return {}


def _load_pictures(file: Path, names: Iterable[str], height: int) -> dict[str, Picture | None]:
    """Return the cached pictures with these names that are intact; None for a card that is not
    drawn."""
    packed_files = _load_packed(file)
    found: dict[str, Picture | None] = {}
    for name in names:
        packed = packed_files.get(name)
        # "Not drawn" is cached too, as an empty entry: it is found out only by trying to draw the
        # card.
        if packed == b"":
            found[name] = None
        elif packed is not None:
            picture = libraries.cv2.imdecode(
                libraries.np.frombuffer(packed, libraries.np.uint8), libraries.cv2.IMREAD_COLOR
            )
            if picture is not None and picture.shape[:2] == (height, round(height * WIDTH / HEIGHT)):
                found[name] = libraries.np.asarray(picture, dtype=libraries.np.uint8)
    return found


def _save_pictures(file: Path, pictures: Mapping[str, Picture | None]) -> None:
    """Add pictures to the cache file of the game, and delete outdated ones. Does nothing if the
    cache cannot be written."""
    packed = {
        name: b"" if picture is None else libraries.cv2.imencode(".png", picture)[1].tobytes()
        for name, picture in pictures.items()
    }
    # With the process number: another program may be drawing at the same time.
    fresh = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        # Not compressed: PNG pictures already are.
        with libraries.zipfile.ZipFile(fresh, "w") as every:
            for name, one in (_load_packed(file) | packed).items():
                every.writestr(name, one)
        # In this order: readers find either the old file or the whole new one.
        fresh.replace(file)
        # 24 hexadecimal digits: the digest of 12 bytes at the end of the name (`_cache_file`).
        for old in file.parent.glob(f"{file.stem[:-24]}{'[0-9a-f]' * 24}.*"):
            if old.stem != file.stem:
                old.unlink(missing_ok=True)
