"""Hostile files: decks, layouts, plans of pads and recordings that were made to hold the program
up."""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from companion.readers.recorded import read as read_recording
from companion.rules.contract import Problem
from companion.table import pads, zones
from companion.table.deckfile import DeckError
from companion.table.decks import Deck

Rows = list[tuple[str, str, str, str]]
READERS: tuple[Callable[[Path], object], ...] = (Deck.load, zones.load, pads.load, read_recording)
SEEDS = (
    b'[deck]\nname = "Mine"\ngame = "dtc"\n[[design]]\nname = "dtc:4"\ncopies = 3\n',
    b'[[zone]]\nname = "seat:1"\ncorners = [[0, 0], [1, 0], [1, 1]]\n',
    b'[[pad]]\nzone = "seat:1"\nname = "seat1"\n',
    b'{"recording": 1}\n{"kind":"sighting","reader":"c","track":1,"design":null,"where":"middle","at":1}\n',
)
PIECES = (
    b"[",
    b"{a=",
    b"a.",
    b"9",
    b'"',
    b"'''",
    b"\\",
    b"=",
    b"\n[[design]]\n",
    b"0x",
    b"f",
    b"\0",
    b"\xff",
    "\u202e".encode(),
    b"#",
)


def run_with(count: int) -> Rows:
    """Read `count` hostile files by each reader; count those about which nothing is said in
    words."""
    failed, slowest = 0, 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "given"
        for number in range(count):
            file.write_bytes(_hostile(random.Random(number)))
            for read in READERS:
                began = time.perf_counter()
                try:
                    read(file)
                except (Problem, DeckError):
                    pass
                except Exception:
                    failed += 1
                slowest = max(slowest, time.perf_counter() - began)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    what = f"{count} files of up to 400 kB, by 4 readers"
    return [
        ("files: about which nothing is said", str(failed), what, "0"),
        ("files: the slowest", f"{slowest:.2f} s", what, "10 s"),
        ("files: memory taken at most", f"{grown:.0f} MB", what, "300 MB"),
    ]


def _hostile(chance: random.Random) -> bytes:
    data = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randrange(1, 5)):
        piece = chance.choice(PIECES) * chance.choice((1, 3, 70, 5_000, 100_000))
        at = chance.randrange(len(data) + 1)
        data[at:at] = piece[:400_000]
    return bytes(data)
