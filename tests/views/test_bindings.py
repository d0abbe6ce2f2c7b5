"""Every key of every screen does something: Textual ignores an action that does not exist, and a
key that no terminal sends, without a word."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.actions import parse
from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character
from textual.screen import Screen
from textual.widget import Widget

import companion.views
from companion.views.dashboard.app import Dashboard
from companion.views.dashboard.calibrate import CalibrationApp
from companion.views.dashboard.check import CheckApp
from companion.views.dashboard.enrol import AdviceDialog
from companion.views.dashboard.screens.conversation import ConversationScreen
from companion.views.dashboard.screens.dialog import ChoiceScreen
from companion.views.dashboard.screens.pads import PadsScreen, PadView
from companion.views.dashboard.screens.share import ShareDialog
from companion.views.dashboard.screens.text_dialogs import ExplanationScreen, HelpScreen, MovesScreen
from companion.views.dashboard.setup import SeatRow, SetupApp
from companion.views.dashboard.themed_app import ThemedApp
from companion.views.dashboard.widgets.entry_panel import EntryPanel
from companion.views.home_screen.figures_page import FiguresPage
from companion.views.home_screen.home_screen import HomeScreen
from companion.views.home_screen.list_pages import ListPage, ProgressPage, SearchPage
from tests.views.table import Characters

WITH_KEYS: tuple[type[DOMNode], ...] = (
    *(ThemedApp, Dashboard, CalibrationApp, CheckApp, SetupApp, HomeScreen, FiguresPage),
    *(ListPage, SearchPage, ProgressPage),
    *(ConversationScreen, ChoiceScreen, PadsScreen, ShareDialog, ExplanationScreen, HelpScreen, MovesScreen),
    *(AdviceDialog, EntryPanel, PadView, SeatRow),
)


def test_every_class_with_keys_is_listed() -> None:
    found = {
        one
        for module in pkgutil.walk_packages(companion.views.__path__, "companion.views.")
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        if issubclass(one, App | Screen | Widget) and one.__module__ == module.name
        if vars(one).get("BINDINGS")
    }
    assert found == set(WITH_KEYS)


def bindings(owner: type[DOMNode]) -> list[Binding]:
    return list(Binding.make_bindings(vars(owner)["BINDINGS"]))


def is_key(name: str) -> bool:
    """Whether a terminal can send this key, as Textual names it."""
    plain = re.sub(r"^(?:(?:ctrl|shift|alt)\+)+", "", name)
    known = {*Keys, *KEY_NAME_REPLACEMENTS.values()}
    return len(key_to_character(plain) or "") == 1 or not known.isdisjoint((name, plain))


@pytest.mark.parametrize("owner", WITH_KEYS, ids=lambda one: one.__name__)
def test_every_key_exists_and_names_an_action_that_exists(owner: type[DOMNode]) -> None:
    for one in bindings(owner):
        assert is_key(one.key), one
        where, name, arguments = parse(one.action)
        target = App if where == "app" else Screen if where == "screen" else owner
        action = getattr(target, f"action_{name}", None)
        assert action is not None, one
        inspect.signature(action).bind(None, *arguments)


def test_the_keys_of_every_screen(snapshot: SnapshotAssertion) -> None:
    """What each class declares; the words are those that a screen shows before it has a language,
    or codes."""
    lines = []
    for owner in WITH_KEYS:
        lines.append(f"[{owner.__name__}]")
        for one in bindings(owner):
            signs = "".join(
                sign
                for sign, there in (
                    ("hidden ", not one.show),
                    ("first ", one.priority),
                    (f"id={one.id} ", one.id),
                )
                if there
            )
            lines.append(
                f"{one.key_display or one.key:16} {one.key:16} {one.action:24} {one.description!r} {signs}".rstrip()
            )
    assert "\n".join(lines) == snapshot(extension_class=Characters)
