"""What an app looks like, in full: its words, their colours, and what its keys do.

Below each line stand the colours of its columns (`a3 b77`), at the end what each letter means.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from string import ascii_letters
from typing import Any

import pytest
from textual.actions import parse
from textual.app import App
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import ActiveBinding, Screen
from textual.widgets import Footer, Input

from companion.texts import Translator
from companion.views.dashboard.check import CheckApp
from companion.views.dashboard.themed_app import ThemedApp

INKS = ascii_letters + "αβγδεζηθικλμνξοπρστυφχψω0123456789"
PICTURE = re.compile(r"#\w{6}")
"""The colours of a picture's cells: what it shows is tried elsewhere, and art may change."""
Step = tuple[str, Sequence[str | Callable[[], object]]]
"""A name, and the keys (or calls, for what happens meanwhile) that lead there from the step
before."""

SMALL, WIDE = (80, 24), (120, 40)
MOSTLY_SMALL = pytest.mark.parametrize(
    ("size", "language"),
    [(SMALL, "de"), pytest.param(WIDE, "en", marks=pytest.mark.slow)],
    ids=["80x24-de", "120x40-en"],
)
"""Apps that cost most: the wide size is looked at by the slow tests."""


class Bare(ThemedApp[Any]):
    """An app for one screen or widget."""

    CSS_PATH = Path(inspect.getfile(CheckApp)).with_name("dashboard.tcss")


def open_screen(screen: Screen[Any], translator: Translator | None = None) -> Bare:
    """An app that opens a screen, whose result it then returns."""
    app = Bare(translator or Translator("en"))
    app.call_later(lambda: app.push_screen(screen, app.exit))
    return app


class Inks:
    """Letters for styles, in the order in which they were met."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def describe_line(self, pieces: Iterable[tuple[str, object]]) -> str:
        """Write a line, and below it its colours; pieces of blanks at its end are left out."""
        signs = [(sign, self._find_letter(str(style))) for words, style in pieces for sign in words]
        runs = [(letter, len(list(run))) for letter, run in groupby(letter for _, letter in signs)]
        words = "".join(sign for sign, _ in signs).rstrip()
        return f"{words}\n\t{' '.join(f'{letter}{count}' for letter, count in runs)}"

    def list_styles(self) -> str:
        """Write what each letter means."""
        return "\n".join(f"{letter} = {style}" for style, letter in self._letters.items())

    def _find_letter(self, style: str) -> str:
        again, at = divmod(len(self._letters), len(INKS))
        return self._letters.setdefault(style, INKS[at] + "'" * again)


def describe_lines(lines: Sequence[Content], inks: Inks) -> str:
    """Write what a part of the screen draws."""
    found = []
    for line in lines:
        styles = [
            " + ".join(str(span.style) for span in line.spans if span.start <= at < span.end)
            for at in range(len(line))
        ]
        pieces = zip(line.plain, styles, strict=True)
        found.append(
            inks.describe_line(
                ("▒", "a picture") if PICTURE.search(style) else (sign, style) for sign, style in pieces
            )
        )
    return "\n".join(found)


def describe_screen(app: App[object], inks: Inks) -> str:
    """Write what stands on the screen, and what its keys do."""
    rows = [
        inks.describe_line(("" if piece.control else piece.text, piece.style) for piece in strip)
        for strip in app.screen._compositor.render_strips()
    ]
    keys = [
        f"{key} {one.binding.action}{'' if one.enabled else ' (off)'}"
        for key, one in app.screen.active_bindings.items()
        if _is_ours(one)
    ]
    return "\n".join([*_count_equal_rows(rows), f"keys: {', '.join(sorted(keys))}"])


def _is_ours(bound: ActiveBinding) -> bool:
    """Whether a key does something of ours: Textual's own differ from version to version."""
    action = getattr(type(bound.node), f"action_{parse(bound.binding.action)[1]}", None)
    return action is not None and action.__module__.startswith("companion.")


def _count_equal_rows(rows: Iterable[str]) -> Iterable[str]:
    for row, equal in groupby(rows):
        count = len(list(equal))
        yield row if count == 1 else f"{row} × {count}"


def _has_keys(footer: Footer) -> bool:
    """Whether a footer is laid out, which happens last."""
    return not footer.display or any(key.size for key in footer.children)


async def _settle(pilot: Pilot[Any], update: Callable[[], Awaitable[object] | None]) -> None:
    """Wait until nothing on the screen changes any more, whatever the machine does besides."""
    before: list[object] = []
    calm = 0
    while calm < 3:
        if (waiting := update()) is not None:
            await waiting
        for line in pilot.app.screen.query(Input):
            line.cursor_blink = False
        await pilot.pause(0.05)
        now: list[object] = [list(strip) for strip in pilot.app.screen._compositor.render_strips()]
        calm = calm + 1 if now == before and all(map(_has_keys, pilot.app.query(Footer))) else 0
        before = now


async def describe_steps(
    pilot: Pilot[Any],
    steps: Iterable[Step],
    update: Callable[[], Awaitable[object] | None] = lambda: None,
    is_ready: Callable[[], bool] = lambda: True,
) -> str:
    """Press the keys of each step, and write what the screen shows then; after the last, what the
    app returns if it has ended. `update`: what a timer calls; `is_ready`: what is waited for."""
    inks, found, told = Inks(), list[str](), list[str]()

    def notify(message: str, *, severity: str = "information", **options: object) -> None:
        # they would stand on the screen for some seconds, on a busy machine over other steps
        more = "".join(f", {name} {value}" for name, value in options.items())
        told.append(f"({severity}{more}) {message}")

    pilot.app.animation_level = "none"
    pilot.app.notify = notify  # type: ignore[method-assign]
    for name, keys in steps:
        for key in keys:
            if callable(key):
                key()
            else:
                await pilot.press(key)
        if not pilot.app.is_running or pilot.app._exit:
            found.append("\n".join([f"[{name}] left with {pilot.app.return_value!r}", *told]))
            break
        while not is_ready():
            await pilot.pause(0.02)
        await _settle(pilot, update)
        found.append("\n".join([f"[{name}]", describe_screen(pilot.app, inks), *told]))
        told.clear()
    return "\n\n".join([*found, inks.list_styles()]) + "\n"
