from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture
def needs():
    """Ask for a program: absent, the test fails where CI runs and skips with the reason
    elsewhere."""

    def ask(program: str, package: str) -> str:
        found = shutil.which(program)
        if found is None:
            words = f"*** {program} is missing, so the hardware files are NOT checked: sudo apt-get install {package}"
            pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
        return found

    return ask
