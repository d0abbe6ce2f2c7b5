"""Boards of models: in simavr (the real binary), and compiled for this machine with sanitizers."""

from __future__ import annotations

import pytest

from tests.firmware.chip import Chip
from tests.simulated.lock_step import LockStep

SIMAVR, NATIVE = pytest.mark.simavr, pytest.mark.native


@pytest.fixture(
    params=[
        pytest.param(("mega2560", False), id="mega", marks=SIMAVR),
        pytest.param(("nano", True), id="native-nano", marks=NATIVE),
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


@pytest.fixture(
    params=[pytest.param(False, id="mega", marks=SIMAVR), pytest.param(True, id="native", marks=NATIVE)]
)
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
