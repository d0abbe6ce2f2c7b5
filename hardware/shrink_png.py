"""Make PNG files small enough to be committed: at most 1600 pixels wide, 160 colours.

python -m hardware.shrink_png hardware/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

WIDEST = 1600
COLOURS = 160


def shrink_png(path: Path) -> None:
    """Rewrite one picture, unless it is small already."""
    with Image.open(path) as source:
        if source.mode == "P" and source.width <= WIDEST:
            return
        picture = source.convert("RGB")
    if picture.width > WIDEST:
        picture = picture.resize(
            (WIDEST, round(picture.height * WIDEST / picture.width)), Image.Resampling.LANCZOS
        )
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    for found in sorted(Path(sys.argv[1]).glob("*.png")):
        shrink_png(found)
