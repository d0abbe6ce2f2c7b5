"""Make the virtual environment and everything that runs in it; standard library only, for `make` on
a fresh machine.

    python3 tools/set_up.py play        what playing needs
    python3 tools/set_up.py simulator   that, and what the simulated card reader needs
    python3 tools/set_up.py dev         what editing and `make quick` need
    python3 tools/set_up.py test        all that, and what the tests need

Each step says in plain words what is missing and how to get it. Steps already done are skipped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCKS = {"play": "requirements.lock", "simulator": "requirements.lock"}
LOCKS |= {"dev": "requirements-dev.lock", "test": "requirements-dev.lock"}
SIMULATOR_PACKAGES = (
    "g++",
    "gcc-avr",
    "avr-libc",
    "binutils-avr",
    "simavr",
    "libsimavr-dev",
    "libelf-dev",
    "pkg-config",
    "arduino-core-avr",  # the boot loaders that boards are sold with
    "avrdude",
)
BOOT_LOADERS = Path("/usr/share/arduino/hardware/arduino/avr/bootloaders")
DRAWING_PACKAGES = ("openscad", "graphviz")
PACKS = Path("/usr/share/aisleriot/cards")
BOARD_PACKAGES = ("kicad", "kicad-footprints", "gerbv")
PCSC_PACKAGES = ("pcscd", "vsmartcard-vpcd", "swig", "libpcsclite-dev", "gcc", "python3-dev")
PACK_PACKAGES = ("gnome-cards-data", "librsvg2-bin")  # packs of cards that strangers drew, for `vision`
BROWSER_PROGRAMS = ("chromium", "ffmpeg", "curl")
BROWSER_LANGUAGES = Path("/usr/lib/chromium/locales/fr.pak")
RTSP_PACKAGES = ("gstreamer1.0-plugins-good", "gstreamer1.0-rtsp", "gir1.2-gst-rtsp-server-1.0", "python3-gi")
SCREEN_LIBRARIES = ("libgl1", "libglib2.0-0")


def main(purpose: str) -> None:
    """Set up for `purpose`, one of `LOCKS`."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python the machine has
        give_up(
            f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.",
            "install a newer Python, then: make PYTHON=python3.12 play",
        )
    make_venv()
    install(purpose)
    check_opencv()
    if purpose in ("simulator", "test"):
        install_simulator()
    if purpose == "test":
        install_drawing_tools()
        install_card_packs()
        install_browser_and_server()
        install_board_tools()
        install_pcsc()
        install_drivers()


def make_venv() -> None:
    """Create `.venv`, with pip in it."""
    if (VENV / "bin" / "pip").exists():
        return
    if not has_module("ensurepip") and not debian_install(("python3-venv",)):
        give_up("Python's venv module has no pip.", "sudo apt-get install python3-venv   (Debian, Ubuntu)")
    print(f"Making the virtual environment {VENV.name}/ ...", flush=True)
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False).returncode:
        give_up(
            "The virtual environment could not be made.",
            "see the message above; is the disk full or the folder read-only?",
        )


def install(purpose: str) -> None:
    """Install the locked packages and the project itself, unless they are there already: what tests
    need holds what playing needs."""
    lock = ROOT / LOCKS[purpose]
    if any(_installed(LOCKS[one]) for one in (purpose, "test")):
        return
    print(f"Installing the packages of {lock.name}; the first time takes a minute or two ...", flush=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    packages = [*pip, "--require-hashes", "--requirement", str(lock)]
    project = [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    for command in (packages, project):
        if subprocess.run(command, check=False).returncode:
            give_up(
                "Some packages could not be installed.",
                "look at pip's message above: is there a network, and room on the disk?",
            )
    _stamp(LOCKS[purpose]).write_text(_wanted(LOCKS[purpose]))


def _installed(lock: str) -> bool:
    return _stamp(lock).exists() and _stamp(lock).read_text() == _wanted(lock)


def _stamp(lock: str) -> Path:
    return VENV / f".installed-{Path(lock).stem}"


def _wanted(lock: str) -> str:
    """Return what tells one state of the lock and the project's own list from another."""
    return hashlib.sha256((ROOT / lock).read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()


def check_opencv() -> None:
    """Make sure that OpenCV can be imported: its wheels need two system libraries that a bare
    Debian lacks."""
    probe = [str(VENV / "bin" / "python"), "-c", "import cv2"]
    if subprocess.run(probe, check=False, capture_output=True).returncode == 0:
        return
    debian_install(SCREEN_LIBRARIES)
    second = subprocess.run(probe, check=False, capture_output=True, text=True)
    if second.returncode:
        reason = second.stderr.strip().splitlines()[-1]
        give_up(
            f"OpenCV cannot be loaded: {reason}",
            f"sudo apt-get install {' '.join(SCREEN_LIBRARIES)}   (Debian, Ubuntu)",
        )


def install_simulator() -> None:
    """Install the AVR toolchain and simavr on Debian; elsewhere say what there will be none of."""
    if (
        shutil.which("avr-gcc")
        and shutil.which("g++")
        and Path("/usr/include/simavr/sim_avr.h").exists()
        and Path("/usr/include/libelf.h").exists()
        and BOOT_LOADERS.exists()
        and shutil.which("avrdude")
    ):
        return
    if not debian_install(SIMULATOR_PACKAGES):
        print(
            "\n*** The real firmware in the simulated microcontroller CANNOT RUN on this machine.\n"
            f"*** They need: {' '.join(SIMULATOR_PACKAGES)}\n"
            f"*** On Debian or Ubuntu: sudo apt-get install {' '.join(SIMULATOR_PACKAGES)}\n",
            flush=True,
        )


def install_browser_and_server() -> None:
    """Install on Debian what looks at the shared pages and what serves a network camera's picture;
    elsewhere say what is missing."""
    probe = ["/usr/bin/python3", "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"]
    serves = (
        Path(probe[0]).exists() and not subprocess.run(probe, check=False, capture_output=True).returncode
    )
    if serves and BROWSER_LANGUAGES.exists() and all(map(shutil.which, BROWSER_PROGRAMS)):
        return
    packages = (*BROWSER_PROGRAMS, "chromium-l10n", *RTSP_PACKAGES)
    if not debian_install(packages):
        print(
            "\n*** The tests of the shared pages and of network cameras CANNOT RUN on this machine: they need Chromium, FFmpeg and\n"
            "*** GStreamer's RTSP server.\n"
            f"*** On Debian: sudo apt-get install {' '.join(packages)}\n",
            flush=True,
        )


def install_drawing_tools() -> None:
    """Install what checks the card reader's prints and drawings on Debian; elsewhere say what the
    tests will do without."""
    if shutil.which("openscad") and shutil.which("dot"):
        return
    if not debian_install(DRAWING_PACKAGES):
        print(
            "\n*** The tests of the card reader's prints and wiring drawings CANNOT RUN on this machine.\n"
            f"*** On Debian or Ubuntu: sudo apt-get install {' '.join(DRAWING_PACKAGES)}\n",
            flush=True,
        )


def install_card_packs() -> None:
    """Install playing cards that strangers drew, and what draws them, on Debian; elsewhere say what
    the tests will do without."""
    if shutil.which("rsvg-convert") and PACKS.exists():
        return
    if not debian_install(PACK_PACKAGES):
        print(
            "\n*** Packs of cards that strangers drew CANNOT BE READ on this machine: their test is skipped.\n"
            f"*** On Debian or Ubuntu: sudo apt-get install {' '.join(PACK_PACKAGES)}\n",
            flush=True,
        )


def install_board_tools() -> None:
    """Install KiCad's own module and a reader of Gerber files on Debian; elsewhere say what the
    tests will do without."""
    probe = ["/usr/bin/python3", "-c", "import pcbnew"]
    there = (
        Path(probe[0]).exists() and subprocess.run(probe, check=False, capture_output=True).returncode == 0
    )
    if there and shutil.which("gerbv"):
        return
    if not debian_install(BOARD_PACKAGES):
        print(
            "\n*** The card reader's circuit boards CANNOT BE CHECKED on this machine.\n"
            f"*** On Debian or Ubuntu: sudo apt-get install --no-install-recommends {' '.join(BOARD_PACKAGES)}\n",
            flush=True,
        )


def install_pcsc() -> None:
    """Install the PC/SC service with its virtual reader, and pyscard, which is built here;
    elsewhere say what the tests will do without."""
    if shutil.which("pcscd") and is_locked("pcsc"):
        return
    if debian_install(PCSC_PACKAGES) and install_locked("pcsc"):
        return
    print(
        "\n*** The tests of PC/SC readers CANNOT RUN on this machine.\n"
        f"*** On Debian or Ubuntu: sudo apt-get install {' '.join(PCSC_PACKAGES)}\n",
        flush=True,
    )


def install_drivers() -> None:
    """Install drivers that others wrote, which run on the simulated chip."""
    if not is_locked("drivers") and not install_locked("drivers", "--no-deps"):
        give_up(
            "Drivers for the tests could not be installed.",
            "look at pip's message above: is there a network?",
        )


def is_locked(name: str) -> bool:
    """Tell whether the packages of `tools/NAME.lock` are there as it says."""
    stamp = VENV / f".installed-{name}"
    return stamp.exists() and stamp.read_text() == _digest(name)


def install_locked(name: str, *options: str) -> bool:
    """Install the packages of `tools/NAME.lock`; tell whether it worked."""
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    words = [*pip, *options, "--require-hashes", "--requirement", str(ROOT / "tools" / f"{name}.lock")]
    if subprocess.run(words, check=False).returncode:
        return False
    (VENV / f".installed-{name}").write_text(_digest(name))
    return True


def _digest(name: str) -> str:
    return hashlib.sha256((ROOT / "tools" / f"{name}.lock").read_bytes()).hexdigest()


def debian_install(packages: tuple[str, ...]) -> bool:
    """Install Debian packages; tell whether it worked.

    As root (a container) or in CI they are simply installed. On somebody's own machine they are
    asked first, and see what happens; where nobody can be asked nothing is installed: the caller
    then says the command.
    """
    if shutil.which("apt-get") is None:
        return False
    if os.geteuid() == 0:
        return apt_get((), packages)
    if shutil.which("sudo") is None:
        return False
    if os.environ.get("CI"):
        return apt_get(("sudo", "-n"), packages)
    return may_install(packages) and apt_get(("sudo",), packages)


def may_install(packages: tuple[str, ...]) -> bool:
    """Ask the person at the terminal; without one the answer is no."""
    if not sys.stdin.isatty():
        return False
    print(f"\nThese Debian packages are needed: {' '.join(packages)}", flush=True)
    answer = input(f"Run `sudo apt-get install {' '.join(packages)}` now? [y/N] ")
    return answer.strip().lower() in {"y", "yes"}


def apt_get(sudo: tuple[str, ...], packages: tuple[str, ...]) -> bool:
    """Install, once more after an update where the lists of packages are stale; `sudo`: how to
    become root, in words."""
    print(f"Installing from Debian: {' '.join(packages)} ...", flush=True)
    asked = sudo == ("sudo",)
    quiet = (
        {}
        if asked
        else {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    waiting = (
        "-o",
        "DPkg::Lock::Timeout=300",
    )  # another install may be running, as at a machine's first start
    install = [*sudo, "apt-get", *waiting, "install", "-y", "-q", "--no-install-recommends", *packages]
    if subprocess.run(install, check=False, env=environment, **quiet).returncode == 0:
        return True
    subprocess.run([*sudo, "apt-get", *waiting, "update", "-q"], check=False, env=environment, **quiet)
    return subprocess.run(install, check=False, env=environment, **quiet).returncode == 0


def has_module(name: str) -> bool:
    """Tell whether this Python can import `name`."""
    return (
        subprocess.run([sys.executable, "-c", f"import {name}"], check=False, capture_output=True).returncode
        == 0
    )


def give_up(what: str, remedy: str) -> None:
    """End with one clear message: what is missing and what to do."""
    sys.exit(f"\nSet-up stopped. {what}\n  What to do: {remedy}")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] in LOCKS else "play")
    except KeyboardInterrupt:
        sys.exit("\nSet-up interrupted; run it again to go on.")
