from __future__ import annotations

import os

import pytest

from companion.readers.rfid.simulator import PACKAGES, missing_tools


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests that need simavr fail where CI runs without it, and skip with the reason elsewhere:
    never in silence."""
    if item.get_closest_marker("simavr") is None:
        return
    missing = missing_tools()
    if missing:
        words = f"the simulated reader needs {', '.join(missing)}: install {PACKAGES}"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
