"""Boards of models: in simavr (the real binary), and compiled for this machine with sanitizers."""

from __future__ import annotations

import pytest

from tests.firmware.chip import Chip
from tests.firmware.simavr_marker import pytest_runtest_setup
from tests.simulated.lock_step import LockStep

__all__ = ["pytest_runtest_setup"]

SIMAVR = pytest.mark.simavr


@pytest.fixture(
    params=[
        pytest.param(("mega2560", False), id="mega", marks=SIMAVR),
        pytest.param(("nano", True), id="native-nano"),
    ]
)
def table(request):
    """Each board once and each build once: the sources are the same. What a board has for itself
    (pins, number of pads, memory), other tests try in the build that is missing here."""
    kind, native = request.param
    with LockStep(kind, native=native) as table:
        table.open()
        table.events.clear()
        yield table


@pytest.fixture(params=[pytest.param(False, id="mega", marks=SIMAVR), pytest.param(True, id="native")])
def mega(request):
    with LockStep(native=request.param) as table:
        table.open()
        table.events.clear()
        yield table


@pytest.fixture
def chip():
    chip = Chip()
    yield chip
    chip.close()
