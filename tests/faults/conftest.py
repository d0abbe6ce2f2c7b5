"""The shim, compiled once for all tests of a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import require

SOURCE = Path(__file__).with_name("disk_shim.c")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def run_on_failing_disk(tmp_path_factory):
    """Return a function that runs a module of the tests in a process of its own, with the shim."""
    require("failing_disk")
    shim = tmp_path_factory.mktemp("shim") / "disk_shim.so"
    flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden")
    subprocess.run(["gcc", *flags, "-o", shim, SOURCE, "-ldl"], check=True)

    def run(module, *arguments):
        environment = os.environ | {"LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
