"""The cards' art as pictures: what the camera is to recognise, and what the demo lays on its table.

The pictures come from the very pages that are printed. Drawing a whole deck takes a second or two,
so the pictures are kept in the user's cache folder, under a name made from the art itself; a cache
that is missing, stale or damaged is drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from companion.decks.ink import HEIGHT, WIDTH
from companion.folders import user_cache
from companion.table.decks import Deck

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from companion.decks.faces import Face

Picture: TypeAlias = "NDArray[np.uint8]"
"""Height x width x 3, blue, green, red."""

PIXELS = 400
"""Height of a drawing, in pixels."""


def drawings(
    deck: Deck, lang: str = "en", height: int = PIXELS, cache: Path | None = None
) -> dict[str, Picture]:
    """Return a picture of every design of `deck` that the program draws, by the design's name (for
    our decks the card id).

    `lang`: the language of the names on the cards. `height`: pixels; the width is 63/88 of it.
    `cache`: the folder to keep pictures in, by default the user's. Designs of cards that people own
    already (`7S`) have no drawing and are left out.
    """
    from companion.decks.faces import faces  # noqa: PLC0415 - the art is large, and who plays by hand needs none

    drawn = faces(deck, lang)
    return dict(zip(drawn, _pictures(_name(deck, lang), list(drawn.values()), height, cache), strict=True))


def drawn_before(deck: Deck, lang: str = "en", height: int = PIXELS, cache: Path | None = None) -> bool:
    """Tell whether `drawings` of the same arguments finds its pictures in the cache, and so takes
    no time."""
    from companion.decks.faces import faces  # noqa: PLC0415 - the art is large, and who plays by hand needs none

    pages = list(faces(deck, lang).values())
    return not pages or _file(_name(deck, lang), pages, height, cache).is_file()


def back_drawing(game: str, height: int = PIXELS, cache: Path | None = None) -> Picture:
    """Return a picture of the back of the cards of `game`."""
    from companion.decks.faces import back  # noqa: PLC0415 - the art is large, and who plays by hand needs none

    return _pictures(f"{game}-back", [back(game)], height, cache)[0]


def _pictures(name: str, pages: Sequence[Face], height: int, cache: Path | None) -> list[Picture]:
    if not pages:
        return []
    file = _file(name, pages, height, cache)
    kept = _kept(file, len(pages), height)
    if kept is None:
        from companion.decks.paper import one_a_page  # noqa: PLC0415 - printing's libraries are large, and seldom needed here

        kept = render(one_a_page(list(pages)), height)
        _keep(file, name, kept)
    return kept


def _name(deck: Deck, lang: str) -> str:
    return f"{deck.game}-{lang}"


def _file(name: str, pages: Sequence[Face], height: int, cache: Path | None) -> Path:
    folder = user_cache() / "drawings" if cache is None else cache
    mark = hashlib.blake2b(repr((height, pages)).encode(), digest_size=12).hexdigest()
    return folder / f"{name}-{mark}.png"


def render(pdf: bytes, height: int) -> list[Picture]:
    """Turn a PDF of card pages into pictures `height` pixels high."""
    import numpy as np  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before
    import pypdfium2  # noqa: PLC0415 - see above

    width = round(height * WIDTH / HEIGHT)
    scale = height / (HEIGHT / 25.4 * 72)
    document = pypdfium2.PdfDocument(pdf)
    try:
        found = []
        for page in document:
            picture = page.render(scale=scale).to_numpy()[:height, :width, :3]
            found.append(np.ascontiguousarray(picture, dtype=np.uint8))
            page.close()
        return found
    finally:
        document.close()


def _kept(file: Path, count: int, height: int) -> list[Picture] | None:
    """Read pictures kept one below the other; None when they are not there or not whole."""
    import cv2  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before
    import numpy as np  # noqa: PLC0415

    try:
        data = np.frombuffer(file.read_bytes(), np.uint8)
    except OSError:
        return None
    strip = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if strip is None or strip.shape[:2] != (count * height, round(height * WIDTH / HEIGHT)):
        return None
    return [np.asarray(strip[k * height : (k + 1) * height], dtype=np.uint8) for k in range(count)]


def _keep(file: Path, name: str, pictures: list[Picture]) -> None:
    """Keep pictures for the next start, in the place of older ones of the same name; without a
    writable cache do without."""
    import cv2  # noqa: PLC0415 - OpenCV is loaded with the first camera, not before
    import numpy as np  # noqa: PLC0415

    fresh = file.with_suffix(".new")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(cv2.imencode(".png", np.vstack(pictures))[1].tobytes())
        for old in file.parent.glob(f"{name}-{'[0-9a-f]' * 24}.png"):
            old.unlink()
        fresh.replace(file)
