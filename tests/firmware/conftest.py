"""Boards of models: in simavr (the real binary), and compiled for this machine with sanitizers."""

from __future__ import annotations

import pytest

from tests.firmware.chip import Chip
from tests.simulated.lock_step import LockStep

SIMAVR, NATIVE = pytest.mark.simavr, pytest.mark.native


@pytest.fixture(
    params=[
        pytest.param(("mega2560", False), id="mega", marks=SIMAVR),
        pytest.param(("nano", False), id="nano", marks=SIMAVR),
        pytest.param(("mega2560", True), id="native", marks=NATIVE),
        pytest.param(("nano", True), id="native-nano", marks=NATIVE),
    ]
)
def table(request):
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
