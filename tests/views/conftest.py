"""Fixtures of the tests of views."""

from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.app import App

from tests.views.looks import Step, describe_steps
from tests.views.table import Characters


@pytest.fixture
def drawn(snapshot: SnapshotAssertion):
    """Compare what an app shows, step by step, with the golden file."""

    async def compare(app: App[Any], size: tuple[int, int], *steps: Step, **waits: Callable[[], Any]) -> None:
        async with app.run_test(size=size) as pilot:
            shown = await describe_steps(pilot, steps, **waits)
        assert shown == snapshot(extension_class=Characters)

    return compare
