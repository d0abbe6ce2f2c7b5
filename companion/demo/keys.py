"""The demo's keys: speed, one step, and a seat of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from companion.rules.contract import Text
from companion.views.host import Command

if TYPE_CHECKING:
    from companion.demo.table import DemoTable


def demo_keys(table: Callable[[], DemoTable | None]) -> Sequence[Command]:
    """Return the keys; while there is no table yet they do nothing."""
    rows: Sequence[tuple[str, str, str, Callable[[DemoTable], object]]] = (
        ("plus", "+", "demo.faster", lambda there: there.change_speed(1)),
        ("minus", "-", "demo.slower", lambda there: there.change_speed(-1)),
        ("s", "s", "demo.step", lambda there: there.stage.step()),
        ("o", "o", "demo.take_over", lambda there: there.take_over()),
    )
    return tuple(Command(key, Text(label), _at(table, act), typed) for key, typed, label, act in rows)


def _at(table: Callable[[], DemoTable | None], act: Callable[[DemoTable], object]) -> Callable[[], object]:
    def press() -> object:
        there = table()
        return None if there is None else act(there)

    return press
