"""Make the virtual environment and everything that runs in it; standard library only, for `make` on
a fresh machine.

    python3 tools/set_up.py play        what playing needs
    python3 tools/set_up.py simulator   that, and what the simulated card reader needs
    python3 tools/set_up.py dev         what editing and `make quick` need
    python3 tools/set_up.py test        all that, and what the tests need

Packages are installed by uv if it is available, otherwise by pip; steps already done are skipped.
Missing system packages are listed with the command that installs them, and installed only if the
user is asked and agrees, or if `SYSTEM_PACKAGES=install` is set (Debian, Ubuntu).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PLAYING, EDITING = ("requirements.lock", "tools/build.lock"), ("requirements-dev.lock",)
LOCKS = {"play": PLAYING, "simulator": PLAYING, "dev": EDITING, "test": EDITING}
PIP = ("-m", "pip", "--disable-pip-version-check")
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300")
"""Waits for a lock: another install may be running, as at a machine's first start."""


def done(*words: object, quiet: bool = False) -> bool:
    """Run a command in the project's folder; return whether it succeeded."""
    try:
        return not subprocess.run([*map(str, words)], check=False, cwd=ROOT, capture_output=quiet).returncode
    except OSError:
        return False


class Need(NamedTuple):
    """A requirement of the system: the feature that needs it, its Debian packages, and how to
    detect it: by programs, files, and a statement that a Python must be able to run."""

    what: str
    packages: str
    programs: str = ""
    files: str = ""
    python: Path = Path("/usr/bin/python3")
    can: str = ""

    def there(self) -> bool:
        """Check whether all of it is available."""
        found = (*map(shutil.which, self.programs.split()), *map(os.path.exists, self.files.split()))
        return all(found) and (not self.can or done(self.python, "-c", self.can, quiet=True))


# OpenCV's wheels need two libraries that a bare Debian lacks
CAMERA = Need("The camera and the demo table", "libgl1 libglib2.0-0", python=PYTHON, can="import cv2")
SIMULATOR = Need(
    "The real firmware in the simulated microcontroller",
    "g++ gcc-avr avr-libc binutils-avr simavr libsimavr-dev libelf-dev pkg-config arduino-core-avr avrdude",
    "avr-gcc g++ avrdude",
    "/usr/include/simavr/sim_avr.h /usr/include/libelf.h /usr/share/arduino/hardware/arduino/avr/bootloaders",
)
NODE = Need("The Pico that is simulated for the tray's tests", "nodejs npm", "node npm")
PCSC = Need(
    "The tests of PC/SC readers",
    "pcscd vsmartcard-vpcd swig libpcsclite-dev gcc python3-dev",
    "pcscd swig gcc",
    "/usr/lib/pcsc/drivers/serial/libifdvpcd.so /usr/include/PCSC/winscard.h",
)
TESTS = (
    Need("The card tray's firmware", "gcc-arm-none-eabi", "arm-none-eabi-g++"),
    NODE,
    PCSC,
    Need("The tests of prints and wiring drawings", "openscad graphviz", "openscad dot"),
    Need(
        "The test with cards that strangers drew",
        "gnome-cards-data librsvg2-bin",
        "rsvg-convert",
        "/usr/share/aisleriot/cards",
    ),
    Need(
        "The tests of shared pages and of network cameras",
        "chromium chromium-l10n chromium-headless-shell ffmpeg curl gstreamer1.0-plugins-good"
        " gstreamer1.0-rtsp gir1.2-gst-rtsp-server-1.0 python3-gi",
        "chromium ffmpeg curl",
        "/usr/lib/chromium/locales/fr.pak",
        can="import gi; gi.require_version('GstRtspServer', '1.0')",
    ),
    Need(
        "The tests of the card reader's circuit boards",
        "kicad kicad-footprints gerbv",
        "gerbv",
        can="import pcbnew",
    ),
)
NEEDS = {"play": (CAMERA,), "simulator": (CAMERA, SIMULATOR), "test": (CAMERA, SIMULATOR, *TESTS)}


def main(purpose: str) -> None:
    """Set up for `purpose`, one of `LOCKS`."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python the machine has
        give_up(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.",
            "install a newer Python, then: make PYTHON=python3.12 play",
        )
    if not PYTHON.exists():
        print(f"Making the virtual environment {VENV.name}/ ...", flush=True)
        uv = shutil.which("uv")
        venv = [uv, "venv", "--quiet", "--python", sys.executable] if uv else [sys.executable, "-m", "venv"]
        # `--clear`: an interrupted set-up leaves a folder without a Python
        if not done(*venv, "--clear", VENV):
            give_up(
                "The virtual environment could not be made; the message above says why.",
                "is the disk full, the folder read-only, or (Debian, Ubuntu) python3-venv missing?"
                " sudo apt-get install python3-venv",
            )
    # The packages for editing include those for playing.
    install(EDITING if _installed(EDITING) else LOCKS[purpose], "--no-build-isolation", "--editable", ".")
    supply(NEEDS.get(purpose, ()))
    if purpose == "test":
        install_emulator()
        # Drivers by other people, for the simulated chip; PC/SC, which has no wheel for Linux.
        for lock in ("tools/drivers.lock", *(["tools/pcsc.lock"] if PCSC.there() else [])):
            install((lock,))


def install(locks: tuple[str, ...], *beside: str) -> None:
    """Install the packages of the locks into `.venv`, then `beside`, unless that was done."""
    if _installed(locks):
        return
    print(f"Installing {' and '.join(locks)}; the first time takes a minute or two ...", flush=True)
    uv = shutil.which("uv")
    pip = [uv, "pip", "install", "--python", PYTHON] if uv else [PYTHON, *PIP, "install"]
    # the locks list everything: nothing else may be chosen
    pip += ["--quiet", "--no-deps"]
    # hashes exist for the locked packages only, not for the project itself
    locked = done(*pip, "--require-hashes", *(f"--requirement={lock}" for lock in locks))
    if not (locked and (not beside or done(*pip, *beside))):
        give_up(
            "Some packages could not be installed.",
            "look at the message above: is there a network, and room on the disk?",
        )
    # written last: an interrupted install is repeated
    _stamp(locks).write_text(_digest(locks))


def install_emulator() -> None:
    """Install the simulated Pico by npm, following its lock, if npm is available."""
    folder = ROOT / "firmware" / "simulator" / "pico"
    lock, made = folder / "package-lock.json", folder / "node_modules" / ".package-lock.json"
    if not NODE.there() or (made.exists() and made.stat().st_mtime >= lock.stat().st_mtime):
        return
    if not done("npm", "ci", "--silent", "--no-fund", "--no-audit", "--prefix", folder):
        give_up("rp2040js could not be installed.", "look at the message above: is there a network?")
    # newer than the lock now, also if npm had nothing to do
    made.touch()


def _installed(locks: tuple[str, ...]) -> bool:
    return _stamp(locks).exists() and _stamp(locks).read_text() == _digest(locks)


def _stamp(locks: tuple[str, ...]) -> Path:
    return VENV / f".installed-{Path(locks[0]).stem}"


def _digest(locks: tuple[str, ...]) -> str:
    """Return a digest that changes with the locks and the project's own list."""
    return hashlib.sha256(
        b"".join((ROOT / file).read_bytes() for file in (*locks, "pyproject.toml"))
    ).hexdigest()


def supply(needs: tuple[Need, ...]) -> None:
    """Install the missing system packages if the user agrees; report the features that cannot run
    without the rest."""
    lacking = [need for need in needs if not need.there()]
    packages = " ".join(need.packages for need in lacking)
    if packages and shutil.which("apt-get") and wanted(packages):
        # root has no need of sudo, and containers often lack it
        apt = APT if os.geteuid() == 0 else ("sudo", *APT)
        take = (*apt, "install", "-y", "--no-install-recommends")
        if not done(*take, *packages.split()):
            done(*apt, "update")  # the lists of packages may be stale
            if not done(*take, *packages.split()):
                # One package that is unavailable, npm beside NodeSource's node say, blocks all: try
                # each alone.
                for need in lacking:
                    done(*take, *need.packages.split())
        lacking = [need for need in lacking if not need.there()]
    for need in lacking:
        print(
            f"\n*** {need.what} CANNOT RUN on this machine.\n"
            f"*** On Debian or Ubuntu: sudo apt-get install --no-install-recommends {need.packages}\n",
            flush=True,
        )


def wanted(packages: str) -> bool:
    """Ask whether to install Debian packages, unless the environment has answered."""
    # for machines without anybody to ask
    if os.environ.get("SYSTEM_PACKAGES") == "install":
        return True
    if not sys.stdin.isatty():
        return False
    print(f"\nThese Debian packages are needed: {packages}", flush=True)
    return input("Install them now, with apt-get? [y/N] ").strip().lower() in {"y", "yes"}


def give_up(what: str, remedy: str) -> None:
    """Exit with one clear message: what is missing and what to do."""
    sys.exit(f"\nSet-up stopped. {what}\n  What to do: {remedy}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in LOCKS else "play")
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; run it again to go on.")
