from __future__ import annotations

import os

import pytest

from tests.needs import refuse
from tests.simulated.virtual_pcsc import Pcscd, missing


@pytest.fixture
def pcscd():
    """Run the real PC/SC service with two virtual readers."""
    if os.geteuid() != 0:
        pytest.skip("only root runs pcscd, whose socket is in /run/pcscd")
    if lacking := missing():
        refuse(f"PC/SC readers need {lacking}")
    with Pcscd() as service:
        yield service
