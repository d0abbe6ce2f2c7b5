"""The way in: start-up beside Textual's own bare app in the same run, keys to the first round,
idle CPU, memory.

`python -m bench front_door`. Times are those of a real terminal (a pseudo-terminal of 120 x 40);
beside the seconds on the wall stands the processor's time, which a busy machine changes less. A new
user's folders, drawings of the cards kept from the run before.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.demo import Row, cpu_percent, megabytes, processor_seconds, terminal
from bench.entry_keys import FOUR, session
from companion.demo.players import players_of
from companion.plan import Plan
from companion.settings import Settings
from companion.views.dashboard.app import Dashboard

BARE = """
from textual.app import App
from textual.widgets import Footer, Static
class Bare(App):
    BINDINGS = [("q", "quit", "Quit")]
    def compose(self):
        yield Static("bare")
        yield Footer()
Bare().run()
"""
"""The peer: what Textual itself takes to its first screen."""
BY_HAND = ("play", "--by-hand", "--new", "--lang", "en", "--players", ",".join(FOUR))
TIMES = 5
EVENINGS = 4
"""Games of the simulated evening: eight rounds of Donkey Valley with four take an hour."""


def run() -> Iterator[Row]:
    """Yield every figure."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {f"XDG_{kind}_HOME": folder for kind in ("DATA", "CONFIG")}
        # a program that was installed has its byte code, as Textual has: where none may be written,
        # all of ours was compiled anew at every start
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        yield from start_up()
        yield from first_round(Path(folder))
        yield idle()
    yield asyncio.run(memory())


class Began(NamedTuple):
    """Seconds to the first screen: on the wall, and of the processor."""

    wall: float
    processor: float


def start_up() -> Iterator[Row]:
    """Start each kind in turn, `TIMES` times, so that they share what else the machine does; the
    median of each."""
    kinds = {
        "bare": (("-c", BARE), rb"Quit"),
        "the door": (("-m", "companion", "welcome", "--lang", "en"), rb"Settings"),
        "by hand": (("-m", "companion", *BY_HAND), rb"Quit"),
        "demo table": (("-m", "companion", "play", "--demo", "--new", "--lang", "en"), rb"Quit"),
    }
    taken: dict[str, list[Began]] = {name: [] for name in kinds}
    for number in range(TIMES + 1):
        for name, (program, shown) in kinds.items():
            began = time.perf_counter()
            with terminal((), program=program) as (screen, process):
                screen.until(shown, 120)
                once = Began(time.perf_counter() - began, processor_seconds(process))
            if number:  # the first start of each writes byte code and draws the cards
                taken[name].append(once)
    middle = {name: Began(*map(statistics.median, zip(*every, strict=True))) for name, every in taken.items()}
    limits = {"bare": "-", "the door": "-", "by hand": "1.5 x bare", "demo table": "2.5 x bare"}
    for name, one in middle.items():
        times = Began(one.wall / middle["bare"].wall, one.processor / middle["bare"].processor)
        figure = f"{one.wall:.2f} s, {times.wall:.2f} x"
        conditions = f"processor {one.processor:.2f} s, {times.processor:.2f} x; median of {TIMES}, in turns"
        yield f"start-up to the first screen: {name}", figure, conditions, limits[name]


def first_round(folder: Path) -> Iterator[Row]:
    """From the welcome to the first round with a group that is known: what is typed, and how long
    the program takes for it."""
    settings = folder / "card-table-companion" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_bytes(msgspec.json.encode(Settings(language="en", groups=(Plan("donkey_valley", FOUR),))))
    keys = 0
    began = time.perf_counter()
    with terminal(("welcome",)) as (screen, _):
        for shown, key in ((rb"Settings", b"p"), (rb"Quit", b"\r"), (rb"[Gg]iant", b"g")):
            screen.until(shown, 60)
            screen.type(key)
            keys += 1
        screen.until(rb"Capacity", 60)
    took = time.perf_counter() - began
    yield "welcome to the first round, keys", f"{keys}", "a known group, Donkey Valley, by hand", "6"
    yield "welcome to the first round", f"{took:.1f} s", "the program's part, typed without a pause", "30 s"


def idle() -> Row:
    """Let the table stand, entered by hand, with nobody pressing a key."""
    with terminal(BY_HAND) as (screen, process):
        screen.until(rb"Quit", 60)
        time.sleep(3)
        used = cpu_percent(process, screen)
    return "CPU with nobody there", f"{used:.1f} %", "by hand, 120x40, 20 s, of one core", "5 %"


async def memory() -> Row:
    """Play four games one after the other in one process, each with its dashboard; what the process
    holds after the first and the last."""
    held = []
    for _ in range(EVENINGS):
        live = session("donkey_valley")
        players = players_of(live.setup)
        async with Dashboard(live, clock=lambda: 0.0).run_test(size=(120, 40)) as pilot:
            while (deed := players.next(live.acts(), live.snapshot().view)) is not None:
                live.submit(deed.request)
                await pilot.pause()
        held.append(megabytes(os.getpid()))
    figure = f"{held[-1]:.0f} MB (+{held[-1] - held[0]:.1f})"
    return (
        "memory after a simulated four-hour evening",
        figure,
        f"{EVENINGS} games, dashboard open; + since the first",
        "300 MB",
    )


if __name__ == "__main__":
    from bench.__main__ import main

    main(sys.argv[1:], "front_door")
