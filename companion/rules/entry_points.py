"""Entry points: what installed packages add to the program, found without importing it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def list_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name, in alphabetical order."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 30 ms, and most commands need none

    return {point.name: point for point in sorted(entry_points(group=group), key=lambda one: one.name)}
