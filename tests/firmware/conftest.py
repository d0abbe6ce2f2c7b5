"""A Nano with models of its readers: in simavr (the real binary), and compiled for this machine
with sanitizers."""

from __future__ import annotations

import pytest

from tests.firmware.chip import Chip
from tests.simulated.lock_step import LockStep

SIMAVR, NATIVE = pytest.mark.simavr, pytest.mark.native


@pytest.fixture(
    params=[pytest.param(False, id="simavr", marks=SIMAVR), pytest.param(True, id="native", marks=NATIVE)]
)
def table(request):
    """A Nano in each build. The tray's sources are the same but for the layer over its chip, which
    test_pico.py tries."""
    with LockStep(native=request.param) as table:
        table.open()
        table.events.clear()
        yield table


@pytest.fixture
def chip():
    chip = Chip()
    yield chip
    chip.close()
