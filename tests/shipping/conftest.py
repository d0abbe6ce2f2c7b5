"""The program as other people get it: a wheel, installed from the package index into an environment
that holds nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.firmware.simavr_marker import pytest_runtest_setup

__all__ = ["pytest_runtest_setup"]

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent

_spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
assert _spec is not None
assert _spec.loader is not None
release = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release)


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, a home of its own, and a working folder outside the
    source tree."""

    bin: Path
    home: Path

    @property
    def variables(self) -> dict[str, str]:
        """The variables that keep the source tree and this machine's settings out."""
        return {
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "PYTHONPATH": "",
        }

    def run(self, *words: str, given: str = "", seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment (`companion`, `python`, ...) and return what it
        printed."""
        return subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env={**os.environ, **self.variables},
            timeout=seconds,
        )


def checked(command: list[str]) -> None:
    """Run a command that needs the package index; without a network the test is skipped, but not in
    CI."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if not os.environ.get("CI") and "connection" in done.stderr.lower():
        pytest.skip("the package index cannot be reached")
    pytest.fail(done.stderr)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as a release does: from the source archive, so that the archive is known to
    be whole."""
    return release.build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel as a user does: plain pip, whatever versions it finds, nothing of our
    locks."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder / "env", with_pip=True)
    home = folder / "home"
    home.mkdir()
    checked([str(folder / "env" / "bin" / "pip"), "install", "--quiet", str(wheel)])
    return Installed(folder / "env" / "bin", home)
