"""The locked packages for machines that nobody here has: does each have a wheel there, so that no
compiler is asked for?"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).parent / "uv"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the locked packages that a player gets, with their hashes."""
    file = tmp_path_factory.mktemp("locked") / "locked.txt"
    what = ["--frozen", "--no-default-groups", "--no-emit-project", "--output-file", str(file)]
    subprocess.run([str(UV), "export", "--quiet", *what], cwd=ROOT, check=True)
    return file


@pytest.mark.network
@pytest.mark.parametrize("python", ["3.11", "3.14"])
@pytest.mark.parametrize(
    "platform",
    [
        "aarch64-unknown-linux-gnu",  # a Raspberry Pi with a 64-bit system, an ARM laptop
        "aarch64-apple-darwin",
        "x86_64-unknown-linux-gnu",
        "x86_64-pc-windows-msvc",
    ],
)
def test_the_lock_installs_from_wheels_alone(
    tmp_path: Path, locked: Path, platform: str, python: str
) -> None:
    install = [str(UV), "pip", "install", "--dry-run", "--quiet"]
    where = ["--python-platform", platform, "--python-version", python, "--target", str(tmp_path)]
    wheels = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(locked)]
    done = subprocess.run([*install, *where, *wheels], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_lock_names_the_public_index_alone() -> None:
    text = (ROOT / "uv.lock").read_text(encoding="utf-8")
    addresses = {
        word.split("/packages/")[0] for word in text.split('"') if word.startswith(("http", "file:"))
    }
    assert addresses == {"https://pypi.org/simple", "https://files.pythonhosted.org"}
