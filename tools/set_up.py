"""Make the virtual environment and everything that runs in it; standard library only, for `make` on
a fresh machine.

    python3 tools/set_up.py play        what playing needs
    python3 tools/set_up.py simulator   that, and what the simulated card reader needs
    python3 tools/set_up.py dev         what editing and `make quick` need
    python3 tools/set_up.py test        all that, and what the tests need

Packages come by uv where there is one, else by pip; steps already done are skipped. What the system
lacks is told with the command that installs it, and installed only where somebody is asked and says
yes, or `SYSTEM_PACKAGES=install` is set (Debian, Ubuntu).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PLAYING, EDITING = ("requirements.lock", "tools/build.lock"), ("requirements-dev.lock",)
LOCKS = {"play": PLAYING, "simulator": PLAYING, "dev": EDITING, "test": EDITING}
FIRMWARE = "/usr/share/arduino/hardware/arduino/avr/bootloaders"
EMULATOR = ROOT / "firmware" / "simulator" / "pico"
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300")
"""Another install may be running, as at a machine's first start."""


@dataclass(frozen=True)
class Need:
    """Something of the system: what cannot be done without it, the Debian packages, and by what it
    is seen to be there: programs, files, modules of a Python."""

    what: str
    packages: str
    programs: str = ""
    files: str = ""
    modules: str = ""
    python: Path = Path("/usr/bin/python3")

    def there(self) -> bool:
        """Tell whether nothing of it is missing."""
        if self.modules:
            try:
                done = subprocess.run([self.python, "-c", self.modules], check=False, capture_output=True)
            except OSError:
                return False
            if done.returncode:
                return False
        return all(map(shutil.which, self.programs.split())) and all(
            Path(file).exists() for file in self.files.split()
        )


CAMERA = Need(
    "The camera and the demo table", "libgl1 libglib2.0-0", modules="import cv2", python=PYTHON
)  # OpenCV's wheels need two libraries that a bare Debian lacks
SIMULATOR = Need(
    "The real firmware in the simulated microcontroller",
    "g++ gcc-avr avr-libc binutils-avr simavr libsimavr-dev libelf-dev pkg-config arduino-core-avr avrdude",
    programs="avr-gcc g++ avrdude",
    files=f"/usr/include/simavr/sim_avr.h /usr/include/libelf.h {FIRMWARE}",
)
PICO = Need("The card tray's firmware", "gcc-arm-none-eabi", programs="arm-none-eabi-g++")
NODE = Need(
    "The Pico that is simulated for the tray's tests", "nodejs npm", programs="node npm"
)  # apart: Debian's npm cannot be had beside a Node of its makers, which brings its own
PCSC = Need(
    "The tests of PC/SC readers",
    "pcscd vsmartcard-vpcd swig libpcsclite-dev gcc python3-dev",
    programs="pcscd swig gcc",
    files="/usr/lib/pcsc/drivers/serial/libifdvpcd.so /usr/include/PCSC/winscard.h",
)
NEEDS = {"play": (CAMERA,), "simulator": (CAMERA, SIMULATOR), "dev": ()}
NEEDS["test"] = (
    CAMERA,
    SIMULATOR,
    PICO,
    NODE,
    PCSC,
    Need("The tests of prints and wiring drawings", "openscad graphviz", programs="openscad dot"),
    Need(
        "The test with cards that strangers drew",
        "gnome-cards-data librsvg2-bin",
        programs="rsvg-convert",
        files="/usr/share/aisleriot/cards",
    ),
    Need(
        "The tests of shared pages and of network cameras",
        "chromium chromium-l10n ffmpeg curl gstreamer1.0-plugins-good gstreamer1.0-rtsp"
        " gir1.2-gst-rtsp-server-1.0 python3-gi",
        programs="chromium ffmpeg curl",
        files="/usr/lib/chromium/locales/fr.pak",
        modules="import gi; gi.require_version('GstRtspServer', '1.0')",
    ),
    Need(
        "The tests of the card reader's circuit boards",
        "kicad kicad-footprints gerbv",
        programs="gerbv",
        modules="import pcbnew",
    ),
)


def main(purpose: str) -> None:
    """Set up for `purpose`, one of `LOCKS`."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python the machine has
        give_up(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.",
            "install a newer Python, then: make PYTHON=python3.12 play",
        )
    make_venv()
    locks = LOCKS[purpose]
    if locks != EDITING and not _stale(EDITING):
        locks = EDITING  # it holds what playing needs
    if _stale(locks):
        print("Installing the locked packages; the first time takes a minute or two ...", flush=True)
        install("--no-deps", "--require-hashes", *(f"--requirement={lock}" for lock in locks))
        install("--no-deps", "--no-build-isolation", "--editable", ".")
        _stamp(locks).write_text(_digest(locks))
    supply(NEEDS[purpose])
    if purpose == "test":
        install_emulator()
        # Drivers that others wrote, for the simulated chip; PC/SC, which has no wheel for Linux.
        for lock in ("tools/drivers.lock", *(["tools/pcsc.lock"] if PCSC.there() else [])):
            if _stale((lock,)):
                install("--no-deps", "--require-hashes", f"--requirement={lock}")
                _stamp((lock,)).write_text(_digest((lock,)))


def make_venv() -> None:
    """Create `.venv`, by uv, or by Python's own module with pip in it."""
    if PYTHON.exists():
        return
    print(f"Making the virtual environment {VENV.name}/ ...", flush=True)
    words = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if uv := shutil.which("uv"):
        words = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(VENV)]
    if subprocess.run(words, check=False).returncode:
        give_up(
            "The virtual environment could not be made; the message above says why.",
            "is the disk full, the folder read-only, or (Debian, Ubuntu) python3-venv missing?"
            " sudo apt-get install python3-venv",
        )


def install(*what: str) -> None:
    """Install packages into `.venv`."""
    uv = shutil.which("uv")
    pip = [uv, "pip"] if uv else [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]
    into = ["--python", str(PYTHON)] if uv else []
    if subprocess.run([*pip, "install", "--quiet", *into, *what], check=False, cwd=ROOT).returncode:
        give_up(
            "Some packages could not be installed.",
            "look at the message above: is there a network, and room on the disk?",
        )


def install_emulator() -> None:
    """Install the simulated Pico by npm, as its lock says, where there is npm."""
    lock, done = EMULATOR / "package-lock.json", EMULATOR / "node_modules" / ".package-lock.json"
    if not NODE.there() or (done.exists() and done.stat().st_mtime >= lock.stat().st_mtime):
        return
    take = ["npm", "ci", "--silent", "--no-fund", "--no-audit", "--prefix", str(EMULATOR)]
    if subprocess.run(take, check=False).returncode:
        give_up("rp2040js could not be installed.", "look at the message above: is there a network?")
    done.touch()


def _stale(locks: tuple[str, ...]) -> bool:
    return not _stamp(locks).exists() or _stamp(locks).read_text() != _digest(locks)


def _stamp(locks: tuple[str, ...]) -> Path:
    return VENV / f".installed-{Path(locks[0]).stem}"


def _digest(locks: tuple[str, ...]) -> str:
    """Return what tells one state of the locks and the project's own list from another."""
    files = (*locks, "pyproject.toml")
    return hashlib.sha256(b"".join((ROOT / file).read_bytes() for file in files)).hexdigest()


def supply(needs: tuple[Need, ...]) -> None:
    """Install what the system lacks, if somebody wants that; say what cannot be done without the
    rest."""
    lacking = [need for need in needs if not need.there()]
    packages = " ".join(need.packages for need in lacking).split()
    if packages and shutil.which("apt-get") and wanted(packages):
        apt = APT if os.geteuid() == 0 else ("sudo", *APT)
        take = [*apt, "install", "-y", "--no-install-recommends", *packages]
        if subprocess.run(take, check=False).returncode:  # the lists of packages may be stale
            subprocess.run([*apt, "update"], check=False)
            subprocess.run(take, check=False)
        lacking = [need for need in lacking if not need.there()]
    for need in lacking:
        print(
            f"\n*** {need.what} CANNOT RUN on this machine.\n"
            f"*** On Debian or Ubuntu: sudo apt-get install --no-install-recommends {need.packages}\n",
            flush=True,
        )


def wanted(packages: list[str]) -> bool:
    """Tell whether Debian packages are to be installed: somebody said so before, or says so now."""
    if os.environ.get("SYSTEM_PACKAGES") == "install":
        return True
    if not sys.stdin.isatty():
        return False
    print(f"\nThese Debian packages are needed: {' '.join(packages)}", flush=True)
    return input("Install them now, with apt-get? [y/N] ").strip().lower() in {"y", "yes"}


def give_up(what: str, remedy: str) -> None:
    """End with one clear message: what is missing and what to do."""
    sys.exit(f"\nSet-up stopped. {what}\n  What to do: {remedy}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in LOCKS else "play")
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; run it again to go on.")
