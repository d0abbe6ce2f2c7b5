"""The reader's figures, in simulated cycles of the real firmware (`make bench-reader`).

    python bench/reader.py [--quick] [--json FILE]

Each line: what was measured, under which conditions, the figure, and the limit it must keep. Ends
with 1 if one is not kept. `--quick` takes fewer samples, for the tests. Wall time plays no part,
except that a slow computer takes longer.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import figures
from companion.readers.rfid.events import CardArrived, CardLeft, ReaderFault
from simulated import lock_step, lossy_line
from simulated.lock_step import HERTZ, LockStep, card

FIRMWARE = Path(__file__).parent.parent / "firmware"
WUPA, REQA, ANTICOLLISION = 0x52, 0x26, 0x93


@dataclass
class Figure:
    """One measured figure and its limit (None: for information)."""

    name: str
    conditions: str
    value: float
    unit: str
    limit: float | None

    @property
    def kept(self) -> bool:
        """Whether the figure is within its limit."""
        return self.limit is None or self.value <= self.limit

    def line(self) -> str:
        """Return one line for people."""
        limit = "" if self.limit is None else f" (at most {self.limit:g})"
        return f"{'ok  ' if self.kept else 'MISS'} {self.name}: {self.value:g} {self.unit}{limit} -- {self.conditions}"

    def row(self) -> figures.Row:
        """Return the figure as the page of figures has it."""
        limit = "" if self.limit is None else f"{self.limit:g}"
        return self.name, f"{self.value:g} {self.unit}".strip(), self.conditions, limit


def _quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def latencies(count: int, *, loaded: int, seed: int = 1) -> list[float]:
    """Milliseconds from laying a card on one of seven pads to the last byte of its event, `loaded`
    other pads having one card."""
    rng = random.Random(seed)
    found = []
    with LockStep(seed=seed) as table:
        table.open()
        for pad in range(loaded):
            table.board.put(pad, card(pad))
        table.run(200)
        for n in range(count):
            pad = rng.randrange(loaded, 7)
            table.run(rng.uniform(20, 30), step=5)
            put = table.board.put(pad, card(1000 + n))
            arrived = [e for e in table.run(40) if isinstance(e, CardArrived)]
            assert len(arrived) == 1
            found.append(arrived[0].received * 1000 - put * 1000 / HERTZ)
            table.board.take(pad)
            table.until(lambda: not table.wire.pads[pad].tags)  # noqa: B023 - called at once
    return found


def piles(count: int) -> tuple[list[float], list[float]]:
    """Ten tags laid on one pad at once: milliseconds of each inventory, and of each verification
    once they are known.

    The inventory counts from the first frame on air that they answer to the last event at the host.
    """
    inventories, rounds = [], []
    for n in range(count):
        with LockStep(seed=n + 1) as table:
            table.open()
            table.run(n * 0.7)
            table.board.command("trace", 3, "on")
            pile = [card(100 * n + i, batch=n) for i in range(10)]
            table.board.put(3, *pile)
            arrived = [e for e in table.run(120) if isinstance(e, CardArrived)]
            assert {e.tag for e in arrived} == set(pile)
            first = next(i for i, line in enumerate(table.air) if line["command"] == ANTICOLLISION)
            inventories.append(arrived[-1].received * 1000 - table.air[first - 1]["from"] * 1000 / HERTZ)
            table.run(300)
            table.air.clear()
            table.run(200)
            rounds += list(_verifications(table.air))
    return inventories, rounds


def _verifications(air: list[dict[str, int]]) -> Iterator[float]:
    """Find the rounds of one WUPA and ten confirmations, and how many milliseconds each took."""
    woke, asked, end = None, 0, 0
    for line in air:
        if line["command"] == WUPA:
            woke, asked = line["from"], 0
        elif line["command"] == ANTICOLLISION and woke is not None:
            asked, end = asked + 1, line["to"]
        elif line["command"] == REQA and woke is not None:
            if asked == 10:
                yield (end - woke) * 1000 / HERTZ
            woke = None


def noisy_hour(minutes: float, *, native: bool) -> tuple[int, int]:
    """Seven cards lie while a fifth of all replies is garbled, a quarter of these to silence.
    Return (false removals, arrivals twice)."""
    with LockStep(native=native) as table:
        table.open()
        for pad in range(7):
            table.board.put(pad, card(pad), *([card(50), card(51)] if pad == 6 else []))
        table.run(500)
        for pad in range(7):
            table.board.command("noise", pad, 20, 25)
        since = len(table.events)
        table.run(minutes * 60_000, step=200)
        later = table.events[since:]
    return sum(isinstance(e, CardLeft) for e in later), sum(isinstance(e, CardArrived) for e in later)


def dead_reader() -> float:
    """Milliseconds from a reader's death to the event that names it, the slowest of several kinds
    of death."""
    slowest = 0.0
    for words in (("kill", 2), ("mute", 2, "on"), ("miso", 2, "low")):
        with LockStep() as table:
            table.open()
            died = table.board.command(*words)
            table.until(lambda: any(e.health > 1 for e in table.of(ReaderFault)))
            named = next(e for e in table.of(ReaderFault) if e.health > 1)
            slowest = max(slowest, named.received * 1000 - died * 1000 / HERTZ)
    return slowest


def _latency(quick: bool) -> Iterator[Figure]:
    for loaded in (0, 6):
        found = latencies(20 if quick else 300, loaded=loaded)
        where = f"{len(found)} cards at random moments, seven pads, {loaded} others with a card; every tag takes 5 ms to wake up"
        yield Figure("card put to host event, p95", where, round(_quantile(found, 0.95), 2), "ms", 15)
        yield Figure("card put to host event, slowest", where, round(max(found), 2), "ms", None)


def _piles(quick: bool) -> Iterator[Figure]:
    inventories, rounds = piles(2 if quick else 20)
    yield Figure(
        "ten tags inventoried", f"slowest of {len(inventories)} piles", round(max(inventories), 2), "ms", 45
    )
    yield Figure(
        "ten known tags verified", f"slowest of {len(rounds)} rounds", round(max(rounds), 2), "ms", 10
    )


def _line(quick: bool) -> Iterator[Figure]:
    tally = lossy_line.run(3_000 if quick else 100_000, seed=4, mean_gap_ms=25)
    where = (
        f"{tally.posted} events, 1 % of bytes lost or garbled each way, {tally.closes} closes, {tally.resets} resets; "
        f"{tally.taken} taken once, {tally.told_lost} given up and told by a snapshot"
    )
    yield Figure("events lost silently", where, tally.silent, "events", 0)
    yield Figure("events taken twice or out of order", where, tally.twice, "events", 0)
    yield Figure("pads wrong at the end", where, 0 if tally.agree else 1, "", 0)
    yield Figure("commands not carried out", f"{tally.commands} commands", 0 if tally.obeyed else 1, "", 0)


def _noise(quick: bool) -> Iterator[Figure]:
    for native, minutes in ((False, 0.1 if quick else 60.0), (True, 1.0 if quick else 5.0)):
        left, twice = noisy_hour(minutes, native=native)
        where = f"{minutes:g} simulated minutes, 20 % of replies garbled, {'native build' if native else 'simavr'}"
        yield Figure("false removals", where, left, "cards", 0)
        yield Figure("false arrivals", where, twice, "cards", 0)


def _connect(quick: bool) -> Iterator[Figure]:
    if package := lock_step.missing():
        raise SystemExit(f"Arduino's boot loaders are not here: install Debian's package {package}")
    lock_step.make_old_loader()
    for name in lock_step.SOLD:
        found = list(lock_step.plugs(name, 6 if quick else 200))
        where = f"{name}: {len(found)} plugs at random moments, from opening the port"
        yield Figure("connected, slowest", where, round(max(found), 2), "s", 2.99)


def _dead(_quick: bool) -> Iterator[Figure]:
    yield Figure(
        "dead reader named", "power, crystal, MISO; the slowest", round(dead_reader(), 1), "ms", 2000
    )


def _size(_quick: bool) -> Iterator[Figure]:
    sys.path.insert(0, str(FIRMWARE / "tools"))
    import size  # type: ignore[import-not-found] # noqa: PLC0415

    subprocess.run(["make", "-s", "-C", str(FIRMWARE), "all"], check=True)
    for board in ("mega2560", "nano"):
        flash, ram = size.sizes(FIRMWARE / "build" / board / "reader.elf")
        flash_room, ram_room = size.room_on(board)
        where = "avr-gcc of Debian; what the largest boot loader leaves"
        yield Figure(f"flash, {board}", where, flash, "bytes", flash_room)
        yield Figure(f"static RAM, {board}", "of the chip's", round(100 * ram / ram_room, 1), "%", 69.9)


PARTS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "size": _size,
    "connect": _connect,
    "latency": _latency,
    "piles": _piles,
    "dead": _dead,
    "line": _line,
    "noise": _noise,
}


def main() -> int:
    """Measure, print, and say whether all limits were kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="measure only this (may be given several times)"
    )
    parser.add_argument("--json", type=Path, help="write the figures to a file as well")
    parser.add_argument("--record", action="store_true", help="write them to docs/figures.md")
    args = parser.parse_args()
    found = []
    for name, part in PARTS.items():
        for figure in part(args.quick) if not args.only or name in args.only else ():
            print(figure.line(), flush=True)
            found.append(figure)
    if args.json:
        args.json.write_text(json.dumps([asdict(figure) for figure in found], indent=1))
    if args.record:
        figures.record("reader", "make bench-reader", figures.plain(figure.row() for figure in found))
    return 0 if all(figure.kept for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
