"""The companion for real card tables: it sees the cards, knows the rules, keeps the scores and says
why."""

import os as _os
from collections.abc import Callable as _Callable
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from types import ModuleType as _ModuleType

__version__ = "0.1.0"

# Before OpenCV is loaded, whichever module comes first: see `vision.MAX_PIXELS`.
_os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(2**27))


def lazily(package: str) -> _Callable[[str], _ModuleType]:
    """Return a package's `__getattr__`: its modules are imported when they are first asked for, as
    `package.module`. What loads OpenCV, a server or a screen delays nobody who needs none."""

    def find(name: str) -> _ModuleType:
        if name.startswith("__") or _find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return _import_module(f"{package}.{name}")

    return find
