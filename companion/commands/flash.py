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

from companion.commands.common import add_language
from companion.readers.rfid import board, boot_loader, ports
from companion.readers.rfid.board import BoardReader
from companion.readers.rfid.boot_loader import Found
from companion.readers.rfid.events import ReaderProblem
from companion.readers.rfid.simulator import build
from companion.rules.contract import Problem
from companion.table.sightings import nobody
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
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find the board, ask, write, read back and connect; return 0 if the reader has answered, 1 if
    it was written and does not answer."""
    say = Translator(arguments.lang)
    port = _port(arguments.reader, say)
    if boot_loader.is_pico(Path(port)):
        return _to_drive(Path(port), arguments.image, say)
    print(say("flash.looking", port=port), flush=True)
    with boot_loader.opening(port) as opened:
        found = boot_loader.find(opened, port)
    print(say("flash.found", board=found.chip.name, baud=str(found.spoken.baud)))
    file = arguments.image or _image(found.chip.kind)
    content = boot_loader.image(file, found.chip.room)
    print(say("flash.image", file=str(file), bytes=str(len(content))))
    if not _agreed(say):
        raise Problem("flash.left")
    # The usual tool where it is installed; else our own programmer.
    avrdude = shutil.which("avrdude")
    if avrdude:
        _by_avrdude([avrdude, *found.loader.avrdude], found, port, file)
    else:
        with boot_loader.opening(port) as opened:
            # The boot loader has given up while the user was deciding, and is started again.
            found = boot_loader.find(opened, port, (found.spoken,))
            boot_loader.program(found, content, lambda done, count: _tell(done, count, say))
    print(say("flash.verified"), flush=True)
    return _connected(port, say)


def _port(named: str, say: Translator) -> str:
    """Return the named port, else the likely one, or the drive of a Pico; if there are several,
    ask."""
    if named != "auto":
        return named
    likely = [(str(drive), "Raspberry Pi Pico") for drive in boot_loader.drives()]
    likely += [(port.device, port.name) for port in ports.ports() if port.likely in ("board", "bridge")]
    if not likely:
        _why_none()
    if len(likely) == 1:
        return likely[0][0]
    for number, (port, name) in enumerate(likely, 1):
        print(f"{number}  {port}  {name}")
    with suppress(ValueError, EOFError):
        number = int(input(say("flash.which") + " "))
        if 0 < number <= len(likely):
            return likely[number - 1][0]
    raise Problem("flash.several")


def _why_none() -> NoReturn:
    """Raise a `Problem` that says what is plugged in instead of a board that can be programmed."""
    if boot_loader.UNMOUNTED.exists():
        raise Problem("flash.not_mounted", device=str(boot_loader.UNMOUNTED))
    running = board.plugged_in()
    raise Problem("flash.tray_runs", tray=running[0]) if running else Problem("flash.no_board")


def _to_drive(drive: Path, named: Path | None, say: Translator) -> int:
    """Copy the image to a Pico's drive, and connect to the tray that appears then."""
    print(say("flash.drive", drive=str(drive)))
    file = named or _image("pico")
    content = boot_loader.pico_image(file)
    print(say("flash.image", file=str(file), bytes=str(len(content))))
    if not _agreed(say):
        raise Problem("flash.left")
    # The tray that is new afterwards is the one just programmed; others may be plugged in already.
    before = set(board.plugged_in())

    def come() -> set[str]:
        return set(board.plugged_in()) - before

    boot_loader.copy(content, drive, lambda: bool(come()))
    print(say("flash.copied"), flush=True)
    until = time.monotonic() + CONNECTED
    while not come() and time.monotonic() < until:
        time.sleep(_LOOK)
    for tray in come():
        print(say("flash.tray", tray=tray))
        return _connected(board.port_of(tray) or "", say)
    print(say("flash.silent"))
    return 1


def _image(kind: str) -> Path:
    """Return the image of this version for a kind of board: the one of a release, else compile it
    from the source tree."""
    target, ending = ("pico", "uf2") if kind == "pico" else ("all", "hex")
    # A wheel has the images; a source tree compiles them.
    packed = _PACKED / f"reader-{kind}.{ending}"
    if packed.exists():
        return packed
    try:
        return build(target) / kind / f"reader.{ending}"
    except ReaderProblem as fault:
        if fault.text.code == "reader.simulator_broken":
            raise
        raise Problem("flash.not_packed", image=packed.name) from None


def _agreed(say: Translator) -> bool:
    try:
        return input(say("flash.sure") + " " + say("check.yes_no") + " ").strip().lower() == "y"
    except EOFError:
        print()
        return False


def _tell(done: int, count: int, say: Translator) -> None:
    """Show the progress: in one line on a terminal, else once at the end of each half."""
    here = sys.stdout.isatty()
    # A log gets two lines, not one for each page written.
    if here or done * 2 in (count, 2 * count):
        words = say(
            "flash.writing" if done * 2 <= count else "flash.reading", share=f"{100 * done // count} %"
        )
        print(("\r" if here else "") + words, end="" if here and done < count else "\n", flush=True)


def _by_avrdude(tool: list[str], found: Found, port: str, file: Path) -> None:
    """Write and verify with avrdude, showing its output. Raises `Problem` if it fails."""
    words = [*tool, "-P", port, "-b", str(found.spoken.baud), "-U", f"flash:w:{file}:i"]
    print(" ".join(words), flush=True)
    if subprocess.run(words, check=False).returncode:
        raise Problem("flash.avrdude")


def _connected(port: str, say: Translator) -> int:
    """Open the port as an evening does, and report which reader answers; return the exit status."""
    identity, until = None, time.monotonic() + CONNECTED
    reader = BoardReader(port, lambda _tag: None)
    reader.start(nobody)
    try:
        while identity is None and time.monotonic() < until:
            time.sleep(_LOOK)
            health = reader.health
            identity = health.identity if health.state == "ok" else None
    finally:
        reader.close()
    if identity is None:
        print(say.say(health.problem) if health.problem else say("flash.silent"))
        return 1
    print(say("flash.done", firmware=".".join(map(str, identity.firmware)), pads=str(identity.pads)))
    return 0
