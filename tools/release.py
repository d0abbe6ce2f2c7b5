"""Make a release in `dist/`: source archive, wheel, manual page, a list of all its parts
(CycloneDX), the reader's firmware and plans, and checksums.

    .venv/bin/python tools/release.py            as `make release` does

The version of `pyproject.toml` must have an entry with a date in CHANGELOG.md. Nothing is uploaded
and nothing is tagged: look at what is there, then do both.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

from bundled_libraries import add_bundled_libraries

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SBOM = "cyclonedx-bom==7.5.0"
"""Run once a release, in an environment of its own: it shares nothing with the program."""
PLANS = {
    "build": (
        "stl/*.stl",
        "sheets/*.pdf",
        "mat/*",
        "wiring/*.svg",
    ),
    ".": ("guide.*.md", "first_pico.*.md", "mat_and_camera.*.md", "pictures/*.png", "LICENSE.*"),
}
"""What of `hardware/` people print, cut, and read meanwhile."""


class ReleaseError(Exception):
    """The release cannot be made; the text says why and what to do."""


def read_version() -> str:
    """Return the version that `pyproject.toml` names."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def find_release_date(number: str, changelog: str) -> str:
    """Return the day that the changelog gives for this version, YYYY-MM-DD. Raises
    `ReleaseError`."""
    found = re.search(rf"^## {re.escape(number)} — (\S+)", changelog, re.MULTILINE)
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no entry «## {number} — date»: write one")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        raise ReleaseError(f"CHANGELOG.md calls {number} «{found[1]}»: give it its date, YYYY-MM-DD")
    return found[1]


def build_packages(target: Path) -> Path:
    """Build the source archive and the wheel, the wheel from the archive; return the wheel."""
    _run_checked([str(BIN / "python"), "-m", "build", "--no-isolation", "--outdir", str(target), str(ROOT)])
    return next(target.glob("*.whl"))


def list_parts(wheel: Path, target: Path) -> None:
    """Install the wheel with the locked packages into an empty environment, try it, and list all
    that is in there: packages, and the native libraries that they carry."""
    uv = str(BIN / "uv")
    with tempfile.TemporaryDirectory() as name:
        python = Path(name) / "env" / "bin" / "python"
        _run_checked([uv, "venv", "--quiet", str(python.parent.parent)])
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
        locked = str(Path(name) / "locked.txt")
        export = ["export", "--quiet", "--frozen", "--no-default-groups", "--no-emit-project"]
        _run_checked([uv, *export, "--project", str(ROOT), "--output-file", locked])
        _run_checked([*install, "--require-hashes", "--requirement", locked])
        _run_checked([*install, "--no-deps", str(wheel)])
        _run_checked([str(python.parent / "companion"), "--version"])
        bom = target / "sbom.cdx.json"
        parts = ["cyclonedx-py", "environment", str(python), "--output-file", str(bom)]
        _run_checked([uv, "tool", "run", "--quiet", "--from", SBOM, *parts])
        add_bundled_libraries(bom, python)


def add_manual(target: Path) -> None:
    """Write the manual page, as `man -l companion.1` shows it."""
    with (target / "companion.1").open("w", encoding="utf-8") as page:
        subprocess.run([sys.executable, ROOT / "tools" / "manual_page.py"], stdout=page, check=True)


def add_firmware(target: Path) -> None:
    """Build the reader's firmware and put it beside the wheel, so that who builds a reader needs no
    compiler. The wheel that is built next has it too, for `companion flash`."""
    _run_checked(["make", "-s", "-C", str(ROOT), "firmware"])
    for file in sorted((ROOT / "out" / "firmware").glob("reader-*.*")):
        shutil.copy(file, target)


def add_plans(target: Path, hardware: Path = ROOT / "hardware") -> None:
    """Put what `make hardware` made into one archive, with guides and licence. Raises
    `ReleaseError` when a part is missing."""
    with zipfile.ZipFile(target / "reader-plans.zip", "w", zipfile.ZIP_DEFLATED) as plans:
        for folder, pattern in ((hardware / name, one) for name, some in PLANS.items() for one in some):
            files = sorted(folder.glob(pattern))
            if not files:
                raise ReleaseError(f"hardware/ has no {pattern}: see what `make hardware` says")
            for file in files:
                plans.write(file, file.relative_to(folder))


def write_checksums(target: Path) -> None:
    """Write SHA256SUMS, as `sha256sum --check` reads it."""
    files = sorted(file for file in target.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (target / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


def make_release(target: Path) -> None:
    """Make everything in the folder `target`, which is emptied first. Raises `ReleaseError`, or
    `CalledProcessError` when a step fails."""
    find_release_date(read_version(), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    add_firmware(target)
    list_parts(build_packages(target), target)
    add_manual(target)
    _run_checked(["make", "-C", str(ROOT), "hardware"])
    add_plans(target)
    write_checksums(target)


def _run_checked(command: list[str]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    try:
        make_release(ROOT / "dist")
    except ReleaseError as fault:
        sys.exit(f"No release yet. {fault}")
    except subprocess.CalledProcessError as fault:
        sys.exit(f"No release: {' '.join(fault.cmd[:3])} … failed; its message stands above.")
