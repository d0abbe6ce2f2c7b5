"""Frames in, identified cards out. Knows no game.

`Library`: what the cards of a deck look like. `Reader`: the cards in one picture. `Watcher`: the cards on a table through a
video, each a `Presence`. They are imported when they are first asked for: whoever needs only a name or an error does not
load OpenCV.
"""

import os as _os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.library import Library
    from vision.reader import Reader
    from vision.watch import Presence, Watcher

__all__ = ["Library", "Presence", "Reader", "Watcher"]

MAX_PIXELS = 2**27
"""Of a picture: 134 million. The largest of a phone's camera is 108 million; 30,000 x 30,000 pixels would take 5 GB to read."""
_os.environ.setdefault(
    "OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS)
)  # OpenCV reads it once, when it is loaded

_HOME = {"Library": "library", "Presence": "watch", "Reader": "reader", "Watcher": "watch"}


def __getattr__(name: str) -> object:
    """Import a class of the library when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'vision' has no attribute {name!r}")
    return getattr(import_module(f"vision.{_HOME[name]}"), name)
