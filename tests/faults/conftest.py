"""The shim, compiled once for all tests of a run."""

from functools import partial

import pytest

from tests.faults.run import compile_shim, run_with_shim
from tests.needs import require


@pytest.fixture(scope="session")
def run_on_failing_disk(tmp_path_factory):
    """Return a function that runs a module of the tests in a process of its own, with the shim."""
    require("failing_disk")
    return partial(run_with_shim, compile_shim(tmp_path_factory.mktemp("shim")))
