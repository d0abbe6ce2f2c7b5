from __future__ import annotations

import os

import pytest

from companion.readers.rfid.simulator import PACKAGES, PICO_PACKAGES, missing_tools

NEEDS = {"simavr": ("simulator", PACKAGES), "pico": ("simulator-pico", PICO_PACKAGES)}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests that need a simulated chip fail where CI runs without it, and skip with the reason
    elsewhere: never in silence."""
    for marker, (target, packages) in NEEDS.items():
        if item.get_closest_marker(marker) and (missing := missing_tools(target)):
            words = f"the simulated reader needs {', '.join(missing)}: make test (Debian: {packages})"
            pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
