"""An evening's first card on film: our own giant donkey, laid on a green table. Also a program, for
an installed wheel's own drawings:

python tests/filmed.py film.avi 20 100 fr
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks import render_drawings
from companion.demo.world import NoiseSensor
from companion.table.decks import Deck

RATE = 15
SIZE = (1280, 720)


def giant(bare: int, laid: int, language: str = "en") -> Iterator[NDArray[np.uint8]]:
    """Give so many pictures of the bare table, then so many with the card: each with its own grain,
    as a camera's."""
    card = np.asarray(render_drawings(Deck.load_by_name("donkey_valley"), language)["donkey:giant"])
    camera = NoiseSensor(*SIZE, np.random.default_rng(1))
    table = np.full((SIZE[1], SIZE[0], 3), (70, 95, 60), np.uint8)
    for number in range(bare + laid):
        if number == bare:
            table[270:446, 577:703] = cv2.resize(card, (126, 176), interpolation=cv2.INTER_AREA)
        yield camera.add_noise(table)


def film(file: Path, bare: int, laid: int, language: str = "en") -> Path:
    """Write them as a video, or, where the name ends in `.mjpeg`, as JPEGs one after another, as
    Chromium's fake camera takes them."""
    pictures = giant(bare, laid, language)
    if file.suffix == ".mjpeg":
        encoded = (cv2.imencode(".jpg", one, [cv2.IMWRITE_JPEG_QUALITY, 92])[1] for one in pictures)
        file.write_bytes(b"".join(one.tobytes() for one in encoded))
        return file
    target = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), RATE, SIZE)
    for one in pictures:
        target.write(one)
    target.release()
    return file


if __name__ == "__main__":
    film(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
