"""The locked packages for machines that nobody here has: does each have a wheel there, so that no
compiler is asked for?"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"


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
def test_the_lock_installs_from_wheels_alone(tmp_path: Path, platform: str, python: str) -> None:
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--dry-run", "--quiet"]
    where = ["--python-platform", platform, "--python-version", python, "--target", str(tmp_path)]
    wheels = ["--only-binary", ":all:", "--require-hashes", "--requirement", str(LOCK)]
    done = subprocess.run([*uv, *where, *wheels], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
