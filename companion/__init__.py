"""The companion for real card tables: it sees the cards, knows the rules, keeps the scores and says
why."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

import vision as _vision  # noqa: F401 - it settles what OpenCV and NumPy ask for when they are loaded

if TYPE_CHECKING:
    from collections.abc import Callable

__version__ = "0.1.0"


def lazily(package: str) -> Callable[[str], object]:
    """Return a package's `__getattr__`: its modules are imported when they are first asked for, as
    `package.module`. What loads OpenCV, a server or a screen delays nobody who needs none."""

    def find(name: str) -> object:
        try:
            return _import_module(f"{package}.{name}")
        except ModuleNotFoundError as fault:
            if fault.name != f"{package}.{name}":  # it is there, and wants what is not
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
