"""Libraries that are slow to load, seldom needed or not available everywhere (`pwd`), imported
lazily.

Each is imported when it is first accessed, as `libraries.cv2`. Playing without a camera and the
referee load none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import difflib
    import pwd
    import textwrap
    import zipfile

    import cv2
    import cv2_enumerate_cameras
    import evdev
    import numpy as np
    import platformdirs
    import pypdfium2
    import segno
    import shtab
    import tomlkit
    from fontTools import ttLib
    from fontTools.pens import svgPathPen, transformPen
    from PIL import Image, ImageOps

    from vision.decks import separation

__all__ = [
    "Image", "ImageOps", "cv2", "cv2_enumerate_cameras", "difflib", "evdev", "np", "platformdirs", "pwd", "pypdfium2", "segno",
    "separation", "shtab", "svgPathPen", "textwrap", "tomlkit", "transformPen", "ttLib", "zipfile",
]  # fmt: skip

_ELSEWHERE = {
    "np": "numpy",
    "Image": "PIL.Image",
    "ImageOps": "PIL.ImageOps",
    "separation": "vision.decks.separation",
    "ttLib": "fontTools.ttLib",
    "svgPathPen": "fontTools.pens.svgPathPen",
    "transformPen": "fontTools.pens.transformPen",
}


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, import_module(_ELSEWHERE.get(name, name)))
