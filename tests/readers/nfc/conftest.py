from __future__ import annotations

import os

import pytest

from tests.simulated.virtual_pcsc import Pcscd, missing


@pytest.fixture
def pcscd():
    """Run the real PC/SC service with two virtual readers; where it cannot run, the test fails in
    CI and skips elsewhere."""
    lacking = missing()
    if lacking is not None:
        words = f"*** PC/SC is NOT tested: it needs {lacking}"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    with Pcscd() as service:
        yield service
