"""The demo table as a whole: frames a second, sighting to screen, start-up, memory, and CPU while
nothing moves.

`python -m bench.demo` runs the program itself in a pseudo-terminal of 120 x 40, as a player would.
"""

from __future__ import annotations

import asyncio
import os
import re
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np

from companion.decks import back_drawing, drawings
from companion.demo.scene.animation import Animation
from companion.demo.scene.world import World
from companion.live.live import Live
from companion.readers.camera.reader import Eyes
from companion.rules.contract import Refusal
from companion.rules.start import Start, begin
from companion.table.decks import Deck
from companion.table.identification import BACK, Pad
from companion.table.sightings import Sighting
from companion.table.table import Table
from companion.table.zones import default
from companion.views.dashboard.app import Dashboard
from simulated.terminal import run as run_in_terminal
from vision.library import Library

Row: TypeAlias = tuple[str, str, str, str]
SIZE = (40, 120)
PAD = "1.middle"
EVENING = 900.0
"""Seconds within which the evening at speed 16 must be over."""


def run() -> Iterator[Row]:
    """Yield every figure."""
    yield frames_a_second()
    yield from asyncio.run(sighting_to_screen())
    yield from program()


def frames_a_second(frames: int = 200) -> Row:
    """Render the drawn table with a hand that moves, and read each frame as the camera's thread
    does."""
    deck = Deck.builtin("donkey_valley")
    pictures = drawings(deck)
    zones = default(4)
    world = World(pictures, back_drawing("donkey_valley"), zones)
    stage = Animation(world)
    eyes = Eyes(Library.from_drawings({**pictures, BACK: np.asarray(back_drawing("donkey_valley"))}))
    cards = [
        (f"load:{colour}:{3 + number}", f"seat:{number + 1}")
        for number, colour in enumerate(deck.colours[:4])
    ]
    for card, zone in [*cards, ("donkey:giant", "middle")]:
        world.lay(card, zone)
    for _ in range(30):
        stage.advance(0.05)
        eyes.see(stage.picture())
    began = time.process_time()
    for _ in range(frames):
        stage.advance(0.05)
        eyes.see(stage.picture())
    rate = frames / (time.process_time() - began)
    return (
        "camera path of the demo, frames a second",
        f"{rate:.0f}",
        "1280x720, five cards, drawn and read, CPU time of one thread",
        "20 or more",
    )


async def sighting_to_screen(times: int = 40) -> list[Row]:
    """Tap a card on the pad in the middle and wait until the dashboard's screen has been composed
    with it."""
    begun = begin(Start("donkey_valley", ["Ann", "Bob", "Chloé"], {}, 1))
    assert not isinstance(begun, Refusal)
    live = Live(
        *begun, table=Table(Deck.builtin("donkey_valley"), pads={PAD: Pad("middle")}), now=time.monotonic()
    )
    app = Dashboard(live)
    taken = []
    async with app.run_test(size=(SIZE[1], SIZE[0])) as pilot:
        live.on_wake(app.wake)
        await pilot.pause(0.5)
        for number in range(times):
            before = live.snapshot().number
            began = time.perf_counter()
            tapped = Sighting("bench", number, "donkey:giant", PAD, time.monotonic())
            live.post(tapped)
            live.post(msgspec.structs.replace(tapped, present=False))
            while live.snapshot().number == before:
                await asyncio.sleep(0)
            await pilot.pause(0)
            taken.append(time.perf_counter() - began)
            live.undo()
            live.confirm_moves()
            await pilot.pause(0.05)
    taken.sort()
    median, p95 = statistics.median(taken), taken[int(len(taken) * 0.95)]
    conditions = (
        f"{times} cards tapped, 120x40, reader's post to composed screen, without the table's debounce"
    )
    return [
        ("sighting to screen, median", f"{1000 * median:.0f} ms", conditions, "100 ms"),
        ("sighting to screen, p95", f"{1000 * p95:.0f} ms", conditions, "100 ms"),
    ]


def program() -> Iterator[Row]:
    """Run the program: to its first screen, an evening at speed 16, and a still table."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["play", "--seed", "7", "--new", "--journal", f"{folder}/a.sqlite", "--speed", "16"]
        with terminal(words) as (screen, process):
            began = time.perf_counter()
            screen.until(rb"Quit", 60)
            yield (
                "start-up to a usable screen",
                f"{time.perf_counter() - began:.1f} s",
                "demo table, drawings cached, 120x40",
                "5 s",
            )
            begun = time.perf_counter()
            screen.until(rb"Score sheet", EVENING)
            took = time.perf_counter() - begun
            yield (
                "peak memory of a demo evening",
                f"{peak_megabytes(process):.0f} MB",
                f"8 rounds, 4 players, speed 16, {took:.0f} s",
                "300 MB",
            )
            time.sleep(5)
            yield (
                "CPU with a still table",
                f"{cpu_percent(process, screen):.1f} %",
                "after the evening, camera looking, 20 s, of one core",
                "5 %",
            )


class Screen:
    """What a program writes to its terminal."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._seen = b""

    def until(self, pattern: bytes, seconds: float) -> None:
        """Read until the pattern has been written; raises `TimeoutError`."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self._seen):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the program never wrote {pattern!r}")
            self.read(0.2)

    def type(self, keys: bytes) -> None:
        """Press keys; what was written before is no answer to them."""
        self._seen = b""
        os.write(self._handle, keys)

    def read(self, seconds: float) -> None:
        """Take what comes within so many seconds, as a terminal does."""
        if select.select([self._handle], [], [], seconds)[0]:
            self._seen = (self._seen + os.read(self._handle, 65536))[-200_000:]


@contextmanager
def terminal(
    words: Sequence[str], program: Sequence[str] = ("-m", "companion")
) -> Iterator[tuple[Screen, int]]:
    """Run `companion` (or what Python is to run instead) with these words in a pseudo-terminal of
    its own; it is ended at the end."""
    rows, columns = SIZE
    with run_in_terminal([sys.executable, *program, *words], columns=columns, rows=rows) as started:
        yield Screen(started.handle), started.process


def peak_megabytes(process: int) -> float:
    """Return the most memory the process has had resident, from the kernel's count (Linux)."""
    return megabytes(process, "VmHWM")


def megabytes(process: int, what: str = "VmRSS") -> float:
    """Return the memory that the process has resident now, or another of the kernel's counts
    (Linux)."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(rf"{what}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def processor_seconds(process: int) -> float:
    """Return the processor's time that the process and its threads have used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_percent(process: int, screen: Screen, seconds: float = 20.0) -> float:
    """Return how much of one core the process and its threads use while `seconds` pass."""
    before, deadline = processor_seconds(process), time.monotonic() + seconds
    while time.monotonic() < deadline:
        screen.read(0.2)
    return 100 * (processor_seconds(process) - before) / seconds


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "demo")
