"""`companion flash`: put the reader's firmware on the board that is plugged in."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from companion.commands.common import add_language_option
from companion.readers.rfid import board, boot_loader, ports
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.boot_loader import FoundLoader
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build_firmware
from companion.rules.contract import Problem
from companion.table.sightings import discard_report
from companion.texts import Translator

CONNECTED = 8.0
"""Seconds in which a board that was programmed must identify itself; a boot loader takes up to two
of them."""
_LOOK = 0.05
"""Seconds between two checks whether it has."""
_PACKED = Path(boot_loader.__file__).with_name("images")
"""Folder of the images in a release's wheel (`tools/build_catalogues.py`)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion flash`."""
    parser.add_argument("--reader", metavar="PORT", default="auto", help="flash.reader")
    parser.add_argument("--image", type=Path, default=None, metavar="FILE", help="flash.image")
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the board, ask, write, read back and connect; return 0 if the reader has answered, 1 if
    it was written and does not answer."""
    translator = Translator(arguments.lang)
    port = _choose_port(arguments.reader, translator)
    if boot_loader.is_pico_drive(Path(port)):
        return _copy_to_drive(Path(port), arguments.image, translator)
    print(translator("flash.looking", port=port), flush=True)
    with boot_loader.resetting_port(port) as opened:
        found = boot_loader.find_boot_loader(opened, port)
    print(translator("flash.found", board=found.chip.name, baud=str(found.baud)))
    file = arguments.image or _find_image(found.chip.kind)
    content = boot_loader.load_hex_image(file, found.chip.room)
    print(translator("flash.image", file=str(file), bytes=str(len(content))))
    if not _confirm_flash(translator):
        raise Problem("flash.left")
    # The usual tool where it is installed; else our own programmer.
    avrdude = shutil.which("avrdude")
    if avrdude:
        _run_avrdude([avrdude, *found.loader.avrdude], found, port, file)
    else:
        with boot_loader.resetting_port(port) as opened:
            # The boot loader has given up while the user was deciding, and is started again.
            found = boot_loader.find_boot_loader(opened, port, (found.baud,))
            boot_loader.flash_firmware(
                found, content, lambda done, count: _print_progress(done, count, translator)
            )
    print(translator("flash.verified"), flush=True)
    return _check_connection(port, translator)


def _choose_port(requested: str, translator: Translator) -> str:
    """Return the named port, else the likely one, or the drive of a Pico; if there are several,
    ask."""
    if requested != "auto":
        return requested
    likely = [(str(drive), "Raspberry Pi Pico") for drive in boot_loader.list_pico_drives()]
    likely += [
        (port.device, port.name) for port in ports.list_serial_ports() if port.likely in ("board", "bridge")
    ]
    if not likely:
        _raise_no_board()
    if len(likely) == 1:
        return likely[0][0]
    for number, (port, name) in enumerate(likely, 1):
        print(f"{number}  {port}  {name}")
    with suppress(ValueError, EOFError):
        number = int(input(translator("flash.which") + " "))
        if 0 < number <= len(likely):
            return likely[number - 1][0]
    raise Problem("flash.several")


def _raise_no_board() -> NoReturn:
    """Raise a `Problem` that says what is plugged in instead of a board that can be programmed."""
    if boot_loader.UNMOUNTED.exists():
        raise Problem("flash.not_mounted", device=str(boot_loader.UNMOUNTED))
    running = board.list_trays()
    raise Problem("flash.tray_runs", tray=running[0]) if running else Problem("flash.no_board")


def _copy_to_drive(drive: Path, requested_image: Path | None, translator: Translator) -> int:
    """Copy the image to a Pico's drive, and connect to the tray that appears then."""
    print(translator("flash.drive", drive=str(drive)))
    file = requested_image or _find_image("pico")
    content = boot_loader.load_uf2_image(file)
    print(translator("flash.image", file=str(file), bytes=str(len(content))))
    if not _confirm_flash(translator):
        raise Problem("flash.left")
    # The tray that is new afterwards is the one just programmed; others may be plugged in already.
    before = set(board.list_trays())

    def list_new_trays() -> set[str]:
        return set(board.list_trays()) - before

    boot_loader.copy_to_pico(content, drive, lambda: bool(list_new_trays()))
    print(translator("flash.copied"), flush=True)
    until = time.monotonic() + CONNECTED
    while not list_new_trays() and time.monotonic() < until:
        time.sleep(_LOOK)
    for tray in list_new_trays():
        print(translator("flash.tray", tray=tray))
        return _check_connection(board.find_tray_port(tray) or "", translator)
    print(translator("flash.silent"))
    return 1


def _find_image(kind: str) -> Path:
    """Return the image of this version for a kind of board: the one of a release, else compile it
    from the source tree."""
    target, ending = ("pico", "uf2") if kind == "pico" else ("all", "hex")
    # A wheel has the images; a source tree compiles them.
    packed = _PACKED / f"reader-{kind}.{ending}"
    if packed.exists():
        return packed
    try:
        return build_firmware(target) / kind / f"reader.{ending}"
    except ReaderProblem as fault:
        if fault.text.code == "reader.simulator_broken":
            raise
        raise Problem("flash.not_packed", image=packed.name) from None


def _confirm_flash(translator: Translator) -> bool:
    try:
        return input(translator("flash.sure") + " " + translator("check.yes_no") + " ").strip().lower() == "y"
    except EOFError:
        print()
        return False


def _print_progress(done: int, count: int, translator: Translator) -> None:
    """Show the progress: in one line on a terminal, else once at the end of each half."""
    is_terminal = sys.stdout.isatty()
    # A log gets two lines, not one for each page written.
    if is_terminal or done * 2 in (count, 2 * count):
        words = translator(
            "flash.writing" if done * 2 <= count else "flash.reading", share=f"{100 * done // count} %"
        )
        print(
            ("\r" if is_terminal else "") + words,
            end="" if is_terminal and done < count else "\n",
            flush=True,
        )


def _run_avrdude(tool: list[str], found: FoundLoader, port: str, file: Path) -> None:
    """Write and verify with avrdude, showing its output. Raises `Problem` if it fails."""
    words = [*tool, "-P", port, "-b", str(found.baud), "-U", f"flash:w:{file}:i"]
    print(" ".join(words), flush=True)
    if subprocess.run(words, check=False).returncode:
        raise Problem("flash.avrdude")


def _check_connection(port: str, translator: Translator) -> int:
    """Open the port as an evening does, and report which reader answers; return the exit status."""
    identity, until = None, time.monotonic() + CONNECTED
    reader = BoardReader(port, lambda _tag: None)
    reader.start(discard_report)
    try:
        while identity is None and time.monotonic() < until:
            time.sleep(_LOOK)
            health = reader.health
            identity = health.identity if health.state == "ok" else None
    finally:
        reader.close()
    if identity is None:
        print(translator.translate(health.problem) if health.problem else translator("flash.silent"))
        return 1
    print(translator("flash.done", identity.pads, firmware=".".join(map(str, identity.firmware))))
    return 0
