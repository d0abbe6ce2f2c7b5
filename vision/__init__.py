"""Identify the cards in pictures and videos of a table; knows no game.

`Library`: the reference views of a deck's cards. `Reader`: finds the cards in one picture.
`Watcher`: follows the cards on a table through a video, each as a `Presence`. Each is imported on
first use, so that code that needs only a name or an error does not load OpenCV.

Two cards of a deck drawn here, laid on a green table:

>>> import cv2
>>> import numpy as np
>>> def drawn(sign, colour):
...     face = np.full((176, 126, 3), 255, np.uint8)
...     return cv2.putText(face, sign, (20, 125), cv2.FONT_HERSHEY_DUPLEX, 3.5, colour, 12)
>>> ace, seven = drawn("A", (40, 40, 200)), drawn("7", (160, 60, 20))
>>> library = Library.from_drawings({"ace": ace, "seven": seven})
>>> table = np.full((360, 640, 3), (60, 90, 60), np.uint8)
>>> table[100:276, 150:276] = ace

A picture is read once; a video is watched, and a card keeps its number when another is laid beside
it or over it:

>>> [(one.card, one.sure) for one in Reader(library).read(table)]
[('ace', True)]
>>> watcher = Watcher(library)
>>> def watched(seconds):
...     return {one.card: one.id for t in seconds for one in watcher.update(table, t)}
>>> first = watched(np.arange(0, 0.5, 0.1))
>>> table = table.copy()
>>> table[100:276, 400:526] = seven
>>> both = watched(np.arange(0.5, 2, 0.1))
>>> sorted(both), both["ace"] == first["ace"]
(['ace', 'seven'], True)
"""

import os as _os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision import library as library
    from vision import markers as markers
    from vision.library import Library
    from vision.reader import Reader
    from vision.video.presence import Presence
    from vision.video.watcher import Watcher

__all__ = ["Library", "Presence", "Reader", "Watcher"]

VIEWS_FOLDER, VIEWS_INDEX = "references", "index.json"
"""Where a deck's reference views lie in its folder, and the file there that lists them."""
MAX_PIXELS = 2**27
"""Most pixels of a picture: 134 million. The largest picture of a phone's camera has 108 million;
30,000 x 30,000 pixels would take 5 GB to read."""
_os.environ.setdefault(
    "OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS)
)  # OpenCV reads it once, when it is loaded
# NumPy reads it once, too. Our matrices are small: BLAS's threads only wait for each other. With a
# second program on the machine a product of 5 ms took 40 to 50, and the tests a fifth more of the
# processor's time.
_os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

_HOME = {"Library": "library", "Presence": "video.presence", "Reader": "reader", "Watcher": "video.watcher"}


def __getattr__(name: str) -> object:
    """Import a class or module of the package when it is first used."""
    if name in _HOME:
        return getattr(import_module(f"vision.{_HOME[name]}"), name)
    if name in ("library", "markers"):
        return import_module(f"vision.{name}")
    raise AttributeError(f"module 'vision' has no attribute {name!r}")
