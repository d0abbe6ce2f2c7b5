"""Simulated reader board: the real firmware in simavr, with models of its card readers, on a
pseudo-terminal.

`SimulatedBoard` starts the simulator and speaks its command channel (firmware/README.md, "The
simulator"): put and take tags, press keys, break card readers, read the lights and the buzzer. A
program opens `board.port` like any serial port.

The simulator is built from `firmware/` of a source tree when needed, with Debian's packages.
Without them `start` raises ReaderProblem with the code `reader.simulator_missing`, which names
them.

`VirtualBoard` adds a deck, so that people can lay cards with the mouse.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from companion.readers.rfid.events import PAD_NAMES, ReaderProblem, TagId
from companion.system_needs import NEEDS
from companion.table.decks import Deck

with contextlib.suppress(ImportError):  # POSIX only, as the simulator's pseudo-terminal is
    import fcntl

_NEEDS: Final = {
    "simulator": NEEDS["simavr"],
    "native": NEEDS["native"],
    "all": NEEDS["avr"],
    "pico": NEEDS["arm"],
    "simulator-pico": NEEDS["pico"],
}
"""What a target of firmware/Makefile needs; `all` and `pico` are the firmware for real boards."""
_ANSWER_TIMEOUT = 120.0  # seconds of real time; a command may simulate minutes


def find_firmware_folder() -> Path:
    """Return the folder of the firmware's sources: `COMPANION_FIRMWARE`, or the one in our source
    tree."""
    override = os.environ.get("COMPANION_FIRMWARE")
    return Path(override) if override else Path(__file__).resolve().parents[3] / "firmware"


def list_missing_tools(target: str = "simulator") -> list[str]:
    """Return what is missing for building `target`; empty if it can be built."""
    missing = _NEEDS[target].find_missing(find_firmware_folder().parent)
    if not (find_firmware_folder() / "Makefile").exists():
        missing.append("the folder firmware/ of the source tree")
    return missing


def build_firmware(
    target: str = "simulator", on_progress: Callable[[int, int], object] = lambda done, count: None
) -> Path:
    """Build the simulator (or another target of `_NEEDS`) if anything has changed, which takes up
    to a minute; return the folder with the results. `on_progress` is called with the number of each
    compiled file, from 1, and the total.

    Raises ReaderProblem `reader.simulator_missing` (args `missing`, `packages`),
    `reader.simulator_broken` (`detail`), or `reader.simulator_not_here` on Windows.
    """
    # Windows has no pseudo-terminals; its Linux subsystem does.
    if sys.platform == "win32":
        raise ReaderProblem("reader.simulator_not_here")
    missing = list_missing_tools(target)
    if missing:
        raise ReaderProblem(
            "reader.simulator_missing", missing=", ".join(missing), packages=_NEEDS[target].packages
        )
    folder = find_firmware_folder() / "build"
    folder.mkdir(exist_ok=True)
    # Two programs may build at the same time.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make = ["make", "-C", str(folder.parent), target]
        steps = _count_compilations(
            subprocess.run([*make, "-n"], check=False, capture_output=True, text=True).stdout
        )
        output_lines: list[str] = []
        with subprocess.Popen(
            [*make, "-j2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as made:
            assert made.stdout is not None
            for line in made.stdout:
                output_lines.append(line)
                if _count_compilations(line):
                    on_progress(min(_count_compilations("".join(output_lines)), steps), steps)
    if made.returncode != 0:
        raise ReaderProblem("reader.simulator_broken", detail="".join(output_lines).strip()[-500:])
    return folder


def _count_compilations(output: str) -> int:
    """Count the calls of a compiler in the output of `make`."""
    return sum(line.startswith(("g++ ", "avr-g++ ", "arm-none-eabi-g++ ")) for line in output.splitlines())


class SimulatedBoard:
    """One simulated board. Use as a context manager, or call `start` and `close`.

    `kind` is a board of pins.toml, `pico` runs in rp2040js. `native` runs the firmware compiled for
    this machine with sanitizers instead of simavr. `realtime` keeps simulated time at the pace of
    the clock from the start; otherwise it passes with `run_for` only. `reset_on_open` restarts the
    board when a program opens the port, as DTR does on an Arduino. `boot_loader` is the Intel HEX
    file of a boot loader that runs before the firmware after each reset (simavr only; None: a board
    that was programmed without one).
    """

    def __init__(
        self,
        kind: str = "mega2560",
        *,
        seed: int = 1,
        realtime: bool = True,
        native: bool = False,
        reset_on_open: bool = False,
        boot_loader: Path | None = None,
    ) -> None:
        self.kind, self._seed, self._realtime, self._native = kind, seed, realtime, native
        self._reset_on_open, self._boot_loader = reset_on_open, boot_loader
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._lock = threading.Lock()
        self.port = ""
        self.lights: tuple[str, ...] = ()
        """Colour of each pad's light, `#rrggbb`."""
        self.tone = 0
        """Frequency of the buzzer in hertz; 0 is silence."""
        self.on_line: Callable[[dict[str, Any]], None] | None = None
        """Called, from a thread of the board's own, with each line that is not an answer: lights,
        tone, tx, air."""

    def __enter__(self) -> SimulatedBoard:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Build if needed, start the simulator, and set `port`."""
        if self.kind == "pico" and not self._native:
            folder = build_firmware("simulator-pico")
            program: list[object] = ["node", folder.parent / "simulator/pico/tray.cjs"]
            image = folder / "pico" / "reader.uf2"
        else:
            folder = build_firmware("native" if self._native else "simulator")
            program = [folder / "native" / self.kind / "simulate" if self._native else folder / "simulate"]
            image = folder / self.kind / "reader.elf"
        words = [*program, folder / "boards.txt", self.kind, image, "--seed", self._seed]
        words += ["--reset-on-open"] if self._reset_on_open else []
        words += ["--boot-loader", self._boot_loader] if self._boot_loader else []
        self._process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Not a pipe: if nobody reads it, it fills up and blocks the simulator.
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        threading.Thread(target=self._read_output, name="simulated board", daemon=True).start()
        first = self._read_answer()
        # A unique name that is deleted with the board: the system gives the next pseudo-terminal
        # the same name, and a reader looking for its board would talk to another one.
        port = Path(tempfile.mkdtemp(prefix="board")) / "port"
        port.symlink_to(first["port"])
        self.port = str(port)
        self.lights = ("#000000",) * int(first["pads"])
        if self._realtime:
            self.send_command("realtime", "on")

    def close(self) -> None:
        """End the simulation; returns when its process has ended."""
        process, self._process = self._process, None
        if process is None:
            return
        if self.port:
            shutil.rmtree(Path(self.port).parent)
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                # The simulator ends when its input does.
                process.stdin.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def send_command(self, *words: object) -> int:
        """Execute one command of the channel; return the cycle at which it was done.

        Raises ValueError with the simulator's error message, ReaderProblem if the simulator has
        ended.
        """
        with self._lock:
            process = self._process
            if process is None or process.stdin is None:
                raise ReaderProblem("reader.simulator_ended")
            try:
                process.stdin.write(" ".join(str(word) for word in words) + "\n")
                process.stdin.flush()
            except BrokenPipeError:
                raise ReaderProblem("reader.simulator_ended") from None
            # Within the lock: answers have no numbers, but come in the order of the commands.
            answer = self._read_answer()
        if "error" in answer:
            raise ValueError(answer["error"])
        return int(answer["cycle"])

    def put_tags(self, pad: str | int, *tags: TagId) -> int:
        """Lay tags on a pad, all at the same moment; return the cycle."""
        return self.send_command("put", pad, *(tag.hex() for tag in tags))

    def take_tags(self, pad: str | int, *tags: TagId) -> int:
        """Take away these tags, or all if none are named; return the cycle."""
        return self.send_command("take", pad, *(tag.hex() for tag in tags) if tags else ("all",))

    def run_for(self, milliseconds: float) -> int:
        """Advance simulated time (not while it follows the clock); return the cycle."""
        return self.send_command("run", milliseconds)

    def press_button(self, seat: int, key: str, *, down: bool = True) -> int:
        """Press a seat's `accept` or `refuse`, or release it; return the cycle."""
        return self.send_command("press" if down else "release", seat, key)

    def _read_answer(self) -> dict[str, Any]:
        try:
            answer = self._answers.get(timeout=_ANSWER_TIMEOUT)
        except queue.Empty:
            answer = None
        if answer is None:
            # Put back for later callers: the simulator has ended for all of them.
            self._answers.put(None)
            raise ReaderProblem("reader.simulator_ended")
        return answer

    def _read_output(self) -> None:
        process = self._process
        if process is None or process.stdout is None:
            return
        try:
            for line in process.stdout:
                if not line.startswith("{"):
                    # simavr prints what it has loaded.
                    continue
                message = json.loads(line)
                if message.keys() & {"done", "error", "port"}:
                    self._answers.put(message)
                    continue
                self.lights = tuple(message.get("lights", self.lights))
                self.tone = message.get("tone", self.tone)
                if self.on_line is not None:
                    self.on_line(message)
        except ValueError:
            # The pipe was closed while reading.
            pass
        self._answers.put(None)


class VirtualBoard:
    """Simulated board on which people, or the demo's players, lay cards of `deck`.

    `face_down`: pads whose cards are shown to nobody.
    """

    def __init__(self, board: SimulatedBoard, deck: Deck, face_down: Sequence[str] = ()) -> None:
        self._board = board
        self._deck = deck
        self._face_down = frozenset(face_down)
        self._there: dict[str, list[TagId]] = {}
        self.pads: tuple[str, ...] = PAD_NAMES[1]

    @property
    def lights(self) -> Sequence[str]:
        """Colour of each pad's light, `#rrggbb`."""
        return self._board.lights

    @property
    def tone(self) -> int:
        """Frequency of the buzzer in hertz; 0 is silence."""
        return self._board.tone

    def put_tags(self, pad: str | int, *tags: TagId) -> int:
        """Lay tags on a pad; return the cycle."""
        self._there.setdefault(str(pad), []).extend(tags)
        return self._board.put_tags(pad, *tags)

    def take_tags(self, pad: str | int, *tags: TagId) -> int:
        """Take tags away; return the cycle."""
        here = self._there.get(str(pad), [])
        self._there[str(pad)] = [tag for tag in here if tag not in tags]
        return self._board.take_tags(pad, *tags)

    def press_button(self, seat: int, key: str, *, down: bool = True) -> int:
        """Press a seat's button, or release it; return the cycle."""
        return self._board.press_button(seat, key, down=down)

    def list_cards(self, pad: str) -> Sequence[str | None]:
        """Return the designs of the cards on a pad, oldest first; None for each face-down one."""
        hidden = pad in self._face_down
        return [
            None if hidden else self._deck.find_design_by_tag(tag.hex()) for tag in self._there.get(pad, ())
        ]

    def list_free_designs(self) -> Sequence[str]:
        """Return the designs of which a card is left, not counting cards that lie face down: their
        absence would reveal them."""
        used = {tag.hex() for pad, tags in self._there.items() if pad not in self._face_down for tag in tags}
        return [
            one.name
            for one in self._deck.designs
            if one.tags and len(used.intersection(one.tags)) < one.copies
        ]

    def find_card(self, design: str) -> str:
        """Return the card id of a design; its own name if it has no meaning in the game."""
        return self._deck.find_card(design) or design

    def lay_card(self, pad: str, design: str) -> None:
        """Lay a card of this design on a pad; does nothing if none is left.

        If the only one lies face down, a spare tag of the same design is laid: otherwise trying
        each card of the list would reveal which is missing.
        """
        used = {tag.hex() for tags in self._there.values() for tag in tags}
        found = self._deck.find_design(design)
        tag = next((one for one in (found.tags if found else ()) if one not in used), None)
        if tag is not None:
            self.put_tags(pad, TagId.from_hex(tag))

    def lift_card(self, pad: str) -> None:
        """Take the newest card from a pad; does nothing if it is empty."""
        if here := self._there.get(pad):
            self.take_tags(pad, here[-1])
