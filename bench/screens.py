"""The program in a pseudo-terminal of 120 x 40, as a player would have it: start-up, the way in,
the demo table, memory, and the processor while nothing moves."""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from bench.harness import Figure, Options, quantile, timed
from bench.program import FOUR, begun
from companion.decks import back_drawing, drawings
from companion.demo.actions import players_of
from companion.demo.animation import Animation
from companion.demo.world import World
from companion.live.live import Live
from companion.plan import Plan
from companion.readers.camera.reader import Eyes
from companion.rules.contract import Refusal
from companion.rules.start import Start, begin
from companion.settings import Settings
from companion.table.decks import Deck
from companion.table.identification import BACK, Pad
from companion.table.sightings import Sighting
from companion.table.table import Table
from companion.table.zones import default
from companion.views.dashboard.app import Dashboard
from companion.views.evening import Evening
from tests.simulated.terminal import Terminal, run
from vision.library import Library

COLUMNS, ROWS = 120, 40
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
KINDS = {
    "bare": (("-c", BARE), "Quit", "–"),
    "the door": (("-m", "companion", "welcome", "--lang", "en"), "Settings", "–"),
    "by hand": (("-m", "companion", *BY_HAND), "Quit", "1.5 x bare"),
    "demo table": (("-m", "companion", "play", "--demo", "--new", "--lang", "en"), "Quit", "2.5 x bare"),
}
"""What is started, what its first screen shows, and how long that may take."""
PAD = "1.middle"


@contextmanager
def program(*words: str, **env: str) -> Iterator[Terminal]:
    """Run Python with these words in a terminal of its own; it is ended at the end."""
    with run([sys.executable, *words], columns=COLUMNS, rows=ROWS, where=None, **env) as started:
        yield started


def door(options: Options) -> Iterator[Figure]:
    """Start-up beside Textual's own bare app in the same run, keys to the first round, and the
    processor with nobody there. A new user's folders, drawings of the cards kept from the first
    run."""
    with tempfile.TemporaryDirectory() as folder:
        env = {f"XDG_{kind}_HOME": folder for kind in ("DATA", "CONFIG")}
        # a program that was installed has its byte code, as Textual has: where none may be written,
        # all of ours was compiled anew at every start
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        env["PYTHONPYCACHEPREFIX"] = folder
        yield from _start_up(options.many(5), env)
        yield from _first_round(Path(folder), env)
        with program("-m", "companion", *BY_HAND, **env) as started:
            started.until("Quit", 60)
            time.sleep(3)
            used = _cpu_percent(started)
    yield Figure("CPU with nobody there", f"{used:.1f} %", "5 %", "by hand, 20 s, of one core", used <= 5)


def _start_up(times: int, env: Mapping[str, str]) -> Iterator[Figure]:
    """Start each kind in turn, so that they share what else the machine does; the median of each,
    on the wall and of the processor."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in KINDS}
    for number in range(times + 1):
        for name, (words, shown, _) in KINDS.items():
            began = time.perf_counter()
            with program(*words, **env) as started:
                started.until(shown, 120)
                once = (time.perf_counter() - began, processor_seconds(started.process))
            if number:  # the first start of each writes byte code and draws the cards
                taken[name].append(once)
    bare = [statistics.median(column) for column in zip(*taken["bare"], strict=True)]
    for name, every in taken.items():
        wall, used = (statistics.median(column) for column in zip(*every, strict=True))
        figure = f"{wall:.2f} s, {wall / bare[0]:.2f} x"
        conditions = f"processor {used:.2f} s, {used / bare[1]:.2f} x; median of {times}, in turns"
        yield Figure(f"start-up to the first screen: {name}", figure, KINDS[name][2], conditions)


def _first_round(folder: Path, env: Mapping[str, str]) -> Iterator[Figure]:
    """From the welcome to the first round with a group that is known: what is typed, and how long
    the program takes for it."""
    settings = folder / "card-table-companion" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_bytes(msgspec.json.encode(Settings(language="en", groups=(Plan("donkey_valley", FOUR),))))
    steps = (("Settings", "p"), ("Quit", "\r"), ("iant", "g"))
    began = time.perf_counter()
    with program("-m", "companion", "welcome", **env) as started:
        for shown, key in steps:
            started.until(shown, 60)
            started.written = b""
            started.type(key)
        started.until("Capacity", 60)
    took = time.perf_counter() - began
    known = "a known group, Donkey Valley, by hand"
    yield Figure("welcome to the first round, keys", f"{len(steps)}", "6", known)
    typed = "the program's part, typed without a pause"
    yield Figure("welcome to the first round", f"{took:.1f} s", "30 s", typed, took < 30)


def memory(options: Options) -> Iterator[Figure]:
    """What one process holds after four games, each with its dashboard: an evening of four
    hours."""
    games = options.many(4)
    held = asyncio.run(_games(games))
    figure = f"{held[-1]:.0f} MB (+{held[-1] - held[0]:.1f})"
    conditions = f"{games} games, dashboard open; + since the first"
    yield Figure("memory after a simulated evening", figure, "300 MB", conditions, held[-1] < 300)


async def _games(games: int) -> list[float]:
    held = []
    for _ in range(games):
        live = begun("donkey_valley", {})
        players = players_of(live.setup)
        async with Dashboard(Evening(Plan(), live), clock=lambda: 0.0).run_test(
            size=(COLUMNS, ROWS)
        ) as pilot:
            while (deed := players.next(live.acts(), live.snapshot().view)) is not None:
                live.submit(deed.request)
                await pilot.pause()
        held.append(megabytes(os.getpid()))
    return held


def demo(options: Options) -> Iterator[Figure]:
    """The demo table as a whole: frames a second, sighting to screen, start-up, peak memory, and
    the processor while nothing moves."""
    rate = _frames_a_second(200)
    conditions = "1280x720, five cards, drawn and read, CPU time of one thread"
    yield Figure(
        "camera path of the demo, frames a second", f"{rate:.0f}", "20 or more", conditions, rate >= 20
    )
    taken = asyncio.run(_sighting_to_screen(40))
    conditions = f"{len(taken)} cards tapped, reader's post to composed screen, without the table's debounce"
    for name, ms in (("median", 1000 * statistics.median(taken)), ("p95", 1000 * quantile(taken, 0.95))):
        yield Figure(f"sighting to screen, {name}", f"{ms:.0f} ms", "100 ms", conditions, ms < 100)
    with tempfile.TemporaryDirectory() as folder:
        words = ("play", "--seed", "7", "--new", "--journal", f"{folder}/a.sqlite", "--speed", "16")
        with program("-m", "companion", *words) as started:
            seconds, _ = timed(partial(started.until, "Quit", 60))
            yield Figure(
                "start-up to a usable screen", f"{seconds:.1f} s", "5 s", "demo table, drawings cached"
            )
            took, _ = timed(partial(started.until, "Score sheet", 900))
            most = megabytes(started.process, "VmHWM")
            conditions = f"8 rounds, 4 players, speed 16, {took:.0f} s"
            yield Figure("peak memory of a demo evening", f"{most:.0f} MB", "300 MB", conditions, most < 300)
            time.sleep(5)
            used = _cpu_percent(started)
            conditions = "after the evening, camera looking, 20 s, of one core"
            yield Figure("CPU with a still table", f"{used:.1f} %", "5 %", conditions, used <= 5)


def _frames_a_second(frames: int) -> float:
    """Render the drawn table with a hand that moves, and read each frame as the camera's thread
    does."""
    deck = Deck.builtin("donkey_valley")
    pictures = drawings(deck)
    world = World(pictures, back_drawing("donkey_valley"), default(4))
    stage = Animation(world)
    eyes = Eyes(Library.from_drawings({**pictures, BACK: np.asarray(back_drawing("donkey_valley"))}))
    loads = [(f"load:{colour}:{3 + n}", f"seat:{n + 1}") for n, colour in enumerate(deck.colours[:4])]
    for card, zone in [*loads, ("donkey:giant", "middle")]:
        world.lay(card, zone)

    def look(times: int) -> None:
        for _ in range(times):
            stage.advance(0.05)
            eyes.see(stage.picture())

    look(30)
    return frames / timed(partial(look, frames), time.process_time)[0]


async def _sighting_to_screen(times: int) -> list[float]:
    """Tap a card on the pad in the middle and wait until the dashboard's screen has been composed
    with it."""
    new = begin(Start("donkey_valley", ["Ann", "Bob", "Chloé"], {}, 1))
    assert not isinstance(new, Refusal)
    table = Table(Deck.builtin("donkey_valley"), pads={PAD: Pad("middle")})
    live = Live(*new, table=table, now=time.monotonic())
    app, taken = Dashboard(Evening(Plan(), live)), []
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
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
    return taken


def megabytes(process: int, what: str = "VmRSS") -> float:
    """Return the memory that the process has resident now, or another of the kernel's counts
    (Linux)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(rf"{what}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def processor_seconds(process: int) -> float:
    """Return the processor's time that the process and its threads have used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cpu_percent(started: Terminal, seconds: float = 20.0) -> float:
    """Return how much of one core the process and its threads use while `seconds` pass."""
    before, deadline = processor_seconds(started.process), time.monotonic() + seconds
    while time.monotonic() < deadline:
        started.read(0.2)
    return 100 * (processor_seconds(started.process) - before) / seconds
