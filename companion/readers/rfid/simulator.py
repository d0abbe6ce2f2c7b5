"""Simulated card trays: the real firmware, with models of its card readers, on pseudo-terminals.

`SimulatedBoard` starts the simulator and speaks its command channel (firmware/README.md, "The
simulator"): put and take tags, press keys, break card readers, read the lights and the buzzer. A
program opens `board.port` like any serial port. Players get trays compiled for this computer; tests
also run the images of real boards, a Nano's in simavr and a tray's in rp2040js.

The simulator is built from `firmware/` of a source tree when needed, with Debian's packages.
Without them `start` raises ReaderProblem with the code `reader.simulator_missing`, which names
them.

`VirtualTrays` is a table of such trays with a deck, so that people can lay cards with the mouse.
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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from companion.readers.rfid.events import ReaderProblem, TagId
from companion.system_needs import NEEDS
from companion.table.decks import Deck
from companion.table.pad_plan import make_seat_pad

with contextlib.suppress(ImportError):  # POSIX only, as the simulator's pseudo-terminal is
    import fcntl

_NEEDS: Final = {
    "tray": NEEDS["native"],
    "native": NEEDS["native"],
    "simulator": NEEDS["simavr"],
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


def list_missing_tools(target: str = "tray") -> list[str]:
    """Return what is missing for building `target`; empty if it can be built."""
    missing = _NEEDS[target].find_missing(find_firmware_folder().parent)
    if not (find_firmware_folder() / "Makefile").exists():
        missing.append("the folder firmware/ of the source tree")
    return missing


def build_firmware(
    target: str = "tray", on_progress: Callable[[int, int], object] = lambda done, count: None
) -> Path:
    """Build the simulated tray (or another target of `_NEEDS`) if anything has changed, which takes
    up to a minute; return the folder with the results. `on_progress` is called with the number of
    each compiled file, from 1, and the total.

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

    `kind` is a board of pins.toml. `native` runs the firmware compiled for this machine with
    sanitizers; otherwise its image runs in simavr (`nano`) or rp2040js (`pico`). `realtime` keeps
    simulated time at the pace of the clock from the start; otherwise it passes with `run_for` only.
    `reset_on_open` restarts the board when a program opens the port, as DTR does on an Arduino.
    `boot_loader` is the Intel HEX file of a boot loader that runs before the firmware after each
    reset (simavr only; None: a board that was programmed without one).
    """

    def __init__(
        self,
        kind: str = "pico",
        *,
        seed: int = 1,
        realtime: bool = True,
        native: bool = True,
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
        is_tray = self.kind == "pico"
        program: list[object]
        if self._native:
            folder = build_firmware("tray" if is_tray else "native")
            program = [folder / "native" / self.kind / "simulate"]
        elif is_tray:
            folder = build_firmware("simulator-pico")
            program = ["node", folder.parent / "simulator/pico/tray.cjs"]
        else:
            folder = build_firmware("simulator")
            program = [folder / "simulate"]
        image = folder / self.kind / ("reader.uf2" if is_tray else "reader.elf")
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


class VirtualTrays:
    """Simulated trays on which people, or the demo's players, lay cards of `deck`, by the names of
    their places: `seat1`, `seat2`, ..., `middle`.

    `face_down`: places whose cards are shown to nobody.
    """

    def __init__(
        self, trays: Mapping[str, SimulatedBoard], deck: Deck, face_down: Sequence[str] = ()
    ) -> None:
        self._trays = dict(trays)
        self._deck = deck
        self._face_down = frozenset(face_down)
        self._there: dict[str, list[TagId]] = {}
        self.pads: tuple[str, ...] = tuple(trays)

    @property
    def lights(self) -> Sequence[str]:
        """Colour of each tray's light, `#rrggbb`."""
        return [tray.lights[0] for tray in self._trays.values()]

    @property
    def tone(self) -> int:
        """Highest frequency of the buzzers in hertz; 0 is silence."""
        return max((tray.tone for tray in self._trays.values()), default=0)

    def put_tags(self, pad: str, *tags: TagId) -> None:
        """Lay tags on a tray."""
        self._there.setdefault(pad, []).extend(tags)
        self._trays[pad].put_tags(0, *tags)

    def take_tags(self, pad: str, *tags: TagId) -> None:
        """Take tags away."""
        self._there[pad] = [tag for tag in self._there.get(pad, []) if tag not in tags]
        self._trays[pad].take_tags(0, *tags)

    def press_button(self, seat: int, key: str, *, down: bool = True) -> None:
        """Press a button of the tray at a seat, or release it; nothing at a seat without a tray."""
        tray = self._trays.get(make_seat_pad(seat))
        if tray is not None:
            tray.press_button(1, key, down=down)

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
