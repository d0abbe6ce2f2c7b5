"""Make the virtual environment with uv; standard library only, for `make` on a fresh machine.

    python3 tools/set_up.py play        what playing needs
    python3 tools/set_up.py dev         what editing needs
    python3 tools/set_up.py test        that, and the simulated tray; says what the system lacks
    python3 tools/set_up.py lock        renews uv.lock instead

`SYSTEM_PACKAGES=install` installs the missing Debian packages, for continuous integration.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
SUFFIX = ".exe" if os.name == "nt" else ""
OLDEST_UV = (0, 8)
"""As `required-version` in pyproject.toml."""


def main(purpose: str) -> None:
    """Set up for `purpose`: "play", "dev", "test" or "lock"."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python the machine has
        exit_with_error(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.",
            "install a newer Python, then: make PYTHON=python3.12 play",
        )
    sys.path.insert(0, str(ROOT))
    from companion.system_needs import NEEDS  # noqa: PLC0415 - not before the version is known

    if any(VENV.glob(".installed-*")):
        # Made before there was uv.lock: uninstalling that OpenCV would take files of today's.
        shutil.rmtree(VENV)
    uv = find_uv() or fetch_uv()
    if purpose == "lock":
        sys.exit(0 if run(uv, "lock", "--upgrade") else 1)
    sync = [uv, "sync", "--locked", "--python", sys.executable]
    if purpose == "play":
        sync.append("--inexact")  # what a developer installed besides stays
    else:
        sync += ["--group", "dev"]
        if not NEEDS["pcsc"].find_missing():  # pyscard has no wheel for Linux
            sync += ["--extra", "pcsc"]
    if not run(*sync, "--check", quiet=True):
        print(f"Installing packages into {VENV.name}/; the first time takes a minute ...", flush=True)
        if not run(*sync, *([] if sys.stderr.isatty() else ["--quiet"])):
            exit_with_error(
                "Some packages could not be installed.",
                "look at the message above: is there a network, and room on the disk?",
            )
    if purpose == "test":
        if os.environ.get("SYSTEM_PACKAGES") == "install":
            install_system_packages([need.packages for need in NEEDS.values() if need.find_missing()])
        install_emulator()
        missing = [need for need in NEEDS.values() if need.find_missing()]
        for need in missing:
            print(f"Not tested here: {need.purpose} ({need.packages})")
        if missing:
            packages = " ".join(sorted({name for need in missing for name in need.packages.split()}))
            print(f"To test it too (Debian, Ubuntu): sudo apt-get install --no-install-recommends {packages}")


def find_uv() -> str | None:
    """Return a uv that is new enough: the system's, or the one in `.venv`."""
    for uv in (shutil.which("uv"), str(BIN / f"uv{SUFFIX}")):
        if uv and Path(uv).exists():
            words = subprocess.run(
                [uv, "--version"], capture_output=True, text=True, check=False
            ).stdout.split()
            if len(words) > 1 and tuple(map(int, words[1].split(".")[:2])) >= OLDEST_UV:
                return uv
    return None


def fetch_uv() -> str:
    """Install the locked uv into `.venv` by pip; return its path."""
    import tomllib  # noqa: PLC0415 - not before the version is known

    print(f"Making the virtual environment {VENV.name}/ ...", flush=True)
    if not run(sys.executable, "-m", "venv", "--clear", VENV):
        exit_with_error(
            "The virtual environment could not be made; the message above says why.",
            "is the disk full, the folder read-only, or (Debian, Ubuntu) python3-venv missing?"
            " sudo apt-get install python3-venv",
        )
    locked = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    [uv] = [package for package in locked if package["name"] == "uv"]
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "uv.txt"
        hashes = " ".join(f"--hash={wheel['hash']}" for wheel in uv["wheels"])
        wanted.write_text(f"uv=={uv['version']} {hashes}\n", encoding="ascii")
        pip = [BIN / f"python{SUFFIX}", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        if not run(*pip, "--only-binary=:all:", "--require-hashes", "-r", wanted):
            exit_with_error("uv could not be installed.", "look at the message above: is there a network?")
    return str(BIN / f"uv{SUFFIX}")


def install_emulator() -> None:
    """Install the simulated Pico by npm, as its lock says, where there is npm."""
    folder = ROOT / "firmware" / "simulator" / "pico"
    lock, made = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if shutil.which("npm") is None or (made.exists() and made.stat().st_mtime >= lock.stat().st_mtime):
        return
    if run("npm", "ci", "--silent", "--no-fund", "--no-audit", "--prefix", folder):
        made.touch()


def install_system_packages(packages: list[str]) -> None:
    """Install Debian packages, where there is apt-get; each element is one need's."""
    if not packages or shutil.which("apt-get") is None:
        return
    # Another install may be running, as at a machine's first start.
    apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    apt = apt if os.geteuid() == 0 else ["sudo", *apt]
    install = [*apt, "install", "-y", "--no-install-recommends"]
    run(*apt, "update")
    if not run(*install, *" ".join(packages).split()):
        # One package that cannot be had, npm beside NodeSource's node say, keeps all away.
        for some in packages:
            run(*install, *some.split())


def run(*words: object, quiet: bool = False) -> bool:
    """Run a command in the project's folder; return whether it succeeded."""
    try:
        return not subprocess.run([*map(str, words)], check=False, cwd=ROOT, capture_output=quiet).returncode
    except OSError:
        return False


def exit_with_error(problem: str, remedy: str) -> None:
    """End with one clear message: what is missing and what to do."""
    sys.exit(f"\nSet-up stopped. {problem}\n  What to do: {remedy}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "play")
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; run it again to go on.")
