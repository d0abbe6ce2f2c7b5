"""Companion for real card tables: it sees the cards, knows the rules and keeps the scores."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

import vision as _vision  # noqa: F401 - it settles what OpenCV and NumPy ask for when they are loaded

if TYPE_CHECKING:
    from collections.abc import Callable

__version__ = "0.1.0"


def make_lazy_getattr(package: str) -> Callable[[str], object]:
    """Return a `__getattr__` for a package that imports its modules on first use.

    `package.module` is then imported when it is first accessed, so that modules which load OpenCV,
    a server or a screen delay only the commands that use them.
    """

    def import_submodule(name: str) -> object:
        try:
            return _import_module(f"{package}.{name}")
        except ModuleNotFoundError as fault:
            # Only a missing module of this package becomes an AttributeError; a missing dependency
            # of an existing module must be reported as what it is.
            if fault.name != f"{package}.{name}":  # the module exists, but one of its imports does not
                raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return import_submodule
