"""What parts of the project need of the system, beyond Python packages: one table for set-up
(`tools/set_up.py`), the simulated card readers and the tests, which skip what cannot run.

Standard library only: set-up reads it before any package is installed.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent
"""The source tree; relative `files` of a need are in it."""


class Need(NamedTuple):
    """Something of the system. `purpose`: what cannot be done without it; `packages`: Debian's;
    `programs`, `files`: how it is found; `command`: one that succeeds where it is installed."""

    purpose: str
    packages: str
    programs: str = ""
    files: str = ""
    command: str = ""

    def find_missing(self, root: Path = ROOT) -> list[str]:
        """Return the programs, files and commands that are not there; empty: all of it is."""
        missing = [program for program in self.programs.split() if shutil.which(program) is None]
        missing += [file for file in self.files.split() if not (root / file).exists()]
        if self.command and not missing and not _succeeds(self.command):
            missing.append(self.command)
        return missing


def _succeeds(command: str) -> bool:
    try:
        return subprocess.run(shlex.split(command), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


_PYTHON = "/usr/bin/python3"
"""Debian's own: its packages are not in the virtual environment."""

NEEDS: Final = {
    "native": Need("the simulated card trays", "g++ make", "g++ make"),
    "avr": Need(
        "the Nano's firmware",
        "gcc-avr avr-libc binutils-avr make",
        "avr-g++ avr-objcopy make",
    ),
    "arm": Need("the card tray's firmware", "gcc-arm-none-eabi make", "arm-none-eabi-g++ make"),
    "simavr": Need(
        "the simulated Nano",
        "gcc-avr avr-libc binutils-avr libsimavr-dev libelf-dev g++ make pkg-config",
        "avr-g++ avr-objcopy g++ make pkg-config",
        command="pkg-config --exists simavr",
    ),
    "pico": Need(
        "the tray's own file in an emulator",
        "gcc-arm-none-eabi nodejs npm g++ make",
        "arm-none-eabi-g++ node g++ make",
        "firmware/simulator/pico/node_modules/rp2040js",
    ),
    "boot_loaders": Need(
        "Nanos as they are sold",
        "arduino-core-avr gcc-avr avr-libc",
        "avr-gcc",
        "/usr/share/arduino/hardware/arduino/avr/bootloaders",
    ),
    "avrdude": Need("writing firmware by avrdude", "avrdude", "avrdude"),
    "node": Need("a bot in JavaScript", "nodejs", "node"),
    "pcsc": Need(
        "PC/SC readers",
        "pcscd vsmartcard-vpcd swig libpcsclite-dev gcc python3-dev",
        "pcscd swig gcc",
        "/usr/lib/pcsc/drivers/serial/libifdvpcd.so /usr/include/PCSC/winscard.h",
    ),
    "openscad": Need("printed mounts", "openscad", "openscad"),
    "graphviz": Need("wiring drawings", "graphviz", "dot"),
    "packs": Need(
        "packs of cards from other artists",
        "gnome-cards-data librsvg2-bin",
        "rsvg-convert",
        "/usr/share/aisleriot/cards",
    ),
    "chromium": Need("shared pages in a browser", "chromium", "chromium"),
    "headless_chromium": Need(
        "shared pages in a browser without windows", "chromium-headless-shell", "chromium-headless-shell"
    ),
    "chromium_languages": Need(
        "a browser's own words", "chromium chromium-l10n", "chromium", "/usr/lib/chromium/locales/fr.pak"
    ),
    "firefox": Need("shared pages in Firefox", "firefox-esr", "firefox-esr"),
    "webkit": Need(
        "shared pages in the engine of iPhones",
        "webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb",
        "WebKitWebDriver Xvfb",
        command="sh -c 'ls /usr/lib/*/webkit2gtk-4.1/MiniBrowser'",
    ),
    "ffmpeg": Need("network cameras", "ffmpeg", "ffmpeg"),
    "gstreamer": Need(
        "network cameras by RTSP",
        "ffmpeg gstreamer1.0-plugins-good gstreamer1.0-rtsp gir1.2-gst-rtsp-server-1.0 python3-gi",
        f"ffmpeg {_PYTHON}",
        command=f"{_PYTHON} -c \"import gi; gi.require_version('GstRtspServer', '1.0')\"",
    ),
    "failing_disk": Need(
        "a disk that fails on demand", "gcc libc6-dev", "gcc", "/proc/self/fd /usr/include/dlfcn.h"
    ),
    "ssconvert": Need("exports read by a spreadsheet", "gnumeric", "ssconvert"),
    "soffice": Need("exports read by LibreOffice", "libreoffice-calc", "soffice"),
    "curl": Need("hostile requests", "curl", "curl"),
}
"""Needs by name. Each name is a mark of the tests too: `@pytest.mark.simavr`."""
