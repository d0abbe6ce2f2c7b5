"""The program as other people get it: a wheel, installed from the package index into an environment
that holds nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.system_needs import NEEDS
from tests.needs import refuse

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
HOME_PAGE = "https://example.org/cards"

# As for a script that is run: its folder.
sys.path.append(str(ROOT / "tools"))
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

    def run(
        self, *words: str, given: str = "", seconds: float = 120, before: Sequence[str] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment (`companion`, `python`, ...) and return what it
        printed. `before`: what goes before the command; `variables`: of its environment."""
        return subprocess.run(
            [*before, str(self.bin / words[0]), *words[1:]],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env={**os.environ, **self.variables, **variables},
            timeout=seconds,
        )


def checked(command: list[str]) -> None:
    """Run a command that needs the package index; without a network the test is skipped."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if "connection" in done.stderr.lower():
        refuse("the package index cannot be reached")
    pytest.fail(done.stderr)


def once(factory: pytest.TempPathFactory, name: str, fill: Callable[[Path], object]) -> Path:
    """Return a folder that one of the parallel workers fills, and the others take as it is."""
    import fcntl  # noqa: PLC0415 - other tests of this folder run where there is none

    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with folder.with_suffix(".made").open("a+") as made:
        fcntl.flock(made, fcntl.LOCK_EX)
        made.seek(0)
        if not made.read():
            fill(folder)
            made.write("made")
    return folder


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as a release does: from the source archive, so that the archive is known to
    be whole."""

    def made(folder: Path) -> None:
        folder.mkdir()
        if not (NEEDS["avr"].find_missing() or NEEDS["arm"].find_missing()):
            release.add_firmware(folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME_PAGE", HOME_PAGE)
            release.build_packages(folder)

    return next(once(tmp_path_factory, "dist", made).glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install the wheel as a user does: plain pip, whatever versions it finds, nothing of our
    locks. The home is this worker's own."""

    def install(folder: Path) -> None:
        venv.create(folder, with_pip=True)
        checked([str(folder / "bin" / "pip"), "install", "--quiet", "--no-compile", str(wheel)])

    env = once(tmp_path_factory, "env", install)
    return Installed(env / "bin", tmp_path_factory.mktemp("home"))
