"""Fixtures of the tests of views."""

from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.screen import Screen

from companion.texts import Translator
from tests.views.looks import Bare, Step, describe_steps
from tests.views.table import Characters


@pytest.fixture
def drawn(snapshot: SnapshotAssertion):
    """Compare what an app shows, step by step, with the golden file."""

    async def compare(app: App[Any], size: tuple[int, int], *steps: Step, **waits: Callable[[], Any]) -> None:
        async with app.run_test(size=size) as pilot:
            shown = await describe_steps(pilot, steps, **waits)
        assert shown == snapshot(extension_class=Characters)

    return compare


@pytest.fixture
def bare() -> Callable[[Screen, Translator], Bare]:
    """Open a screen over an empty app, whose result it then returns."""

    def make(screen: Screen, translator: Translator) -> Bare:
        app = Bare(translator)
        app.call_later(lambda: app.push_screen(screen, app.exit))
        return app

    return make
