"""Make a release in `dist/`: source archive, wheel, manual page, a list of all components
(CycloneDX), the reader's firmware and plans, and checksums.

    .venv/bin/python tools/release.py            as `make release` does

The version of `pyproject.toml` must have an entry with a date in CHANGELOG.md. Nothing is uploaded
or tagged: check the result, then do both.
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

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SBOM = "cyclonedx-bom==7.5.0"
"""Run once for each release, in an environment of its own, because it shares nothing with the
program."""
PLANS = {
    "build": (
        "stl/*.stl",
        "sheets/*.pdf",
        "mat/*",
        "wiring/*.svg",
        "boards/*.zip",
        "boards/*.kicad_p[cr][bo]",
        "boards/*.kicad_sch",
    ),
    ".": ("guide.*.md", "tray.*.md", "first_pico.*.md", "pictures/*.png", "LICENSE.*"),
}
"""Files of `hardware/` that people print, order, cut, change in KiCad, and read meanwhile."""


class Unready(Exception):
    """The release cannot be made; the text says why and what to do."""


def version() -> str:
    """Return the version in `pyproject.toml`."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def dated(number: str, changelog: str) -> str:
    """Return the date of this version in the changelog, YYYY-MM-DD. Raises `Unready`."""
    found = re.search(rf"^## {re.escape(number)} — (\S+)", changelog, re.MULTILINE)
    if found is None:
        raise Unready(f"CHANGELOG.md has no entry «## {number} — date»: write one")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        raise Unready(f"CHANGELOG.md calls {number} «{found[1]}»: give it its date, YYYY-MM-DD")
    return found[1]


def build(target: Path) -> Path:
    """Build the source archive and the wheel, the wheel from the archive; return the wheel."""
    _run([str(BIN / "python"), "-m", "build", "--no-isolation", "--outdir", str(target), str(ROOT)])
    return next(target.glob("*.whl"))


def list_parts(wheel: Path, target: Path) -> None:
    """Install the wheel with the locked packages into an empty environment, try it, and list all
    components in it."""
    uv = str(BIN / "uv")
    with tempfile.TemporaryDirectory() as name:
        python = Path(name) / "env" / "bin" / "python"
        _run([uv, "venv", "--quiet", str(python.parent.parent)])
        install = [uv, "pip", "install", "--quiet", "--python", str(python)]
        # first the locked packages, exactly as locked, then the wheel without choosing any
        _run([*install, "--require-hashes", "--requirement", str(ROOT / "requirements.lock")])
        _run([*install, "--no-deps", str(wheel)])
        _run([str(python.parent / "companion"), "--version"])
        parts = ["cyclonedx-py", "environment", str(python), "--output-file", str(target / "sbom.cdx.json")]
        _run([uv, "tool", "run", "--quiet", "--from", SBOM, *parts])


def add_manual(target: Path) -> None:
    """Write the manual page, as `man -l companion.1` shows it."""
    with (target / "companion.1").open("w", encoding="utf-8") as page:
        subprocess.run([sys.executable, ROOT / "tools" / "manual_page.py"], stdout=page, check=True)


def add_firmware(target: Path) -> None:
    """Build the reader's firmware and put it beside the wheel, so that people who build a reader
    need no compiler. The wheel that is built next contains it too, for `companion flash`."""
    _run(["make", "-s", "-C", str(ROOT), "firmware"])
    for file in sorted((ROOT / "out" / "firmware").glob("reader-*.*")):
        shutil.copy(file, target)


def add_plans(target: Path, hardware: Path = ROOT / "hardware") -> None:
    """Put the output of `make hardware` into one archive, with guides and licence. Raises `Unready`
    when a part is missing."""
    with zipfile.ZipFile(target / "reader-plans.zip", "w", zipfile.ZIP_DEFLATED) as plans:
        for folder, pattern in ((hardware / name, one) for name, some in PLANS.items() for one in some):
            files = sorted(folder.glob(pattern))
            if not files:
                raise Unready(f"hardware/ has no {pattern}: see what `make hardware` says")
            for file in files:
                plans.write(file, file.relative_to(folder))


def sum_up(target: Path) -> None:
    """Write SHA256SUMS in the format of `sha256sum --check`."""
    files = sorted(file for file in target.iterdir() if file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (target / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


def release(target: Path) -> None:
    """Make everything in the folder `target`, which is emptied first. Raises `Unready`, or
    `CalledProcessError` when a step fails."""
    dated(version(), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    # an old part must not be taken for a new one
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # before the wheel, which packs it
    add_firmware(target)
    list_parts(build(target), target)
    add_manual(target)
    _run(["make", "-C", str(ROOT), "hardware"])
    add_plans(target)
    sum_up(target)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    try:
        release(ROOT / "dist")
    except Unready as fault:
        sys.exit(f"No release yet. {fault}")
    except subprocess.CalledProcessError as fault:
        sys.exit(f"No release: {' '.join(fault.cmd[:3])} … failed; its message stands above.")
