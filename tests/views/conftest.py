"""Fixtures of the tests of views."""

from collections.abc import Callable

import pytest
from textual.screen import Screen

from companion.texts import Translator
from tests.views.looks import Bare


@pytest.fixture
def bare() -> Callable[[Screen, Translator], Bare]:
    """Open a screen over an empty app, whose result it then returns."""

    def make(screen: Screen, translator: Translator) -> Bare:
        app = Bare(translator)
        app.call_later(lambda: app.push_screen(screen, app.exit))
        return app

    return make
