"""The verifier's limits, chosen by a procedure, and each table as it came out when it was the one
left out.

    python -m bench.vision_limits [--only NAME] [--cache out/limits]

Every table of `bench.vision_tables` is read with all designs enrolled and with each quarter of them
left out. What was asked of the verifier is kept in the cache, a file a table, until `vision`
changes, so it can be done a table at a time with `--only`. Then the log odds from which a card is
sure (`vision.same_print.SAME`) are chosen from all tables but one, that one is judged by them, and
so on in turn; the last rows have those chosen from all, and those in use.

The procedure: a card that is sure though it shows another design costs `WRONG` times what one costs
that is unsure though it is right; each counts the more the further its log odds lie on the wrong
side of the limit (`SOFT`). The limit that costs least is taken.

More than this one limit did worse on tables left out: six, by kinds of cards, and weights for the
likeness and for what the other cards of the picture reach (`vision.same_print.SAME`).
"""

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

import cv2
import numpy as np

import vision
from bench import vision_tables
from vision import photo, same_print
from vision.decks.labels import LabelledPhoto
from vision.geometry import contains
from vision.reader import Reader
from vision.reading import Reading

WRONG = 2.0
"""Cards that may be unsure for one that is not wrong: people enrol whole decks, and an unsure card
stops the game. On tables left out 331 of 352 cards are right and sure with 4, and 2 of no design
are named; with 2, 335 and 3."""

SOFT = 0.15
"""Log odds within which a card counts in part on both sides of the limit: one limit for all tables
is not to hang on a single card."""

GRID = np.round(np.arange(-1.0, 3.01, 0.1), 1)
"""Limits that are tried: what the network takes for another print by more than e to 1 is never
sure."""


@dataclass(frozen=True)
class Asked:
    """One reading of which the verifier was asked: what it said, and what is true of it.

    `label`: the card it lies on, -1 for none; `all_known`: no design was left out.
    """

    label: int
    right: bool
    odds: float
    all_known: bool


@dataclass(frozen=True)
class Table:
    """What was asked on one table; `settled`: cards that are right and sure whatever the limits
    are; `cards` whole in sight."""

    name: str
    cards: int
    strangers: int
    settled: tuple[int, ...]
    asked: tuple[Asked, ...]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The verifier's limits, one table left out in turn.")
    parser.add_argument("--tables", type=Path, default=vision_tables.SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=vision_tables.SHARED / "photos")
    parser.add_argument(
        "--only", metavar="NAME", help="read only tables whose name holds this, and choose nothing"
    )
    parser.add_argument("--cache", type=Path, default=Path("out/limits"))
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.cache.mkdir(parents=True, exist_ok=True)
    found = []
    for deck, tests in vision_tables.decks(options.photos, options.tables, options.only):
        references = [p for p in deck if p.use == "reference"]
        found += [kept(options.cache, name, references, photos) for name, photos in tests.items()]
    if options.only is None:
        report(found)


def report(tables: Sequence[Table]) -> None:
    """Print each table by the limit of the others, and all by their own and by the one in use."""
    print(
        "| left out | cards | right, sure | wrong, sure | not enrolled: named | limit |\n|---|---:|---:|---:|---:|---:|"
    )
    rows = []
    for one in tables:
        limit = chosen([t for t in tables if t is not one])
        rows.append(outcome(one, limit))
        print(_line(one.name, [rows[-1]], limit))
    print(_line("all, each as left out", rows))
    for name, limit in (("none: chosen from all", chosen(tables)), ("none: in use", same_print.SAME)):
        print(_line(name, [outcome(t, limit) for t in tables], limit))


def _line(name: str, rows: Sequence[tuple[int, int, int, int, int]], limit: float | None = None) -> str:
    cards, right, wrong, strangers, named = (sum(column) for column in zip(*rows, strict=True))
    told = "" if limit is None else f"{limit:g}"
    return f"| {name} | {cards} | {right} ({100 * right / cards:.1f} %) | {wrong} | {named} of {strangers} | {told} |"


def outcome(table: Table, limit: float) -> tuple[int, int, int, int, int]:
    """Cards, right and sure, wrong and sure, cards of designs that were left out, those named, by
    this limit."""
    sure = [a for a in table.asked if a.odds >= limit]
    right = {a.label for a in sure if a.right and a.all_known} | set(table.settled)
    wrong = sum(not a.right and a.all_known for a in sure)
    named = sum(not a.right and not a.all_known for a in sure)
    return table.cards, len(right), wrong, table.strangers, named


def chosen(tables: Sequence[Table]) -> float:
    """The limit that costs least on these tables."""
    asked = [a for t in tables for a in t.asked if a.all_known or not a.right]
    odds = np.array([a.odds for a in asked])
    right = np.array([a.right for a in asked], dtype=bool)
    passes = 1 / (1 + np.exp(-(odds[None] - GRID[:, None]) / SOFT))
    cost = np.where(right, 1 - passes, WRONG * passes).sum(axis=1)
    return float(GRID[cost.argmin()])


def kept(
    cache: Path, name: str, references: Sequence[LabelledPhoto], photos: Sequence[LabelledPhoto]
) -> Table:
    """A table from the cache, or read now."""
    file = cache / f"{name.replace(', ', '-').replace(' ', '-')}.json"
    if file.exists():
        content = json.loads(file.read_text())
        if content["of"] == _digest():
            rows = tuple(Asked(**a) for a in content["asked"])
            return Table(name, content["cards"], content["strangers"], tuple(content["settled"]), rows)
    table = read(name, references, photos)
    file.write_text(json.dumps({"of": _digest(), **asdict(table)}))
    return table


def _digest() -> str:
    """Of all that a reading depends on."""
    folder = Path(vision.__file__).parent
    files = sorted([*folder.rglob("*.py"), *folder.rglob("*.onnx")])
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def read(name: str, references: Sequence[LabelledPhoto], photos: Sequence[LabelledPhoto]) -> Table:
    """Read a table with all designs, and with each quarter of them left out."""
    asked: list[Asked] = []
    settled: list[int] = []
    cards = [c for p in photos for c in p.cards if c.whole]
    strangers = 0
    for leave_out in (None, *range(vision_tables.LEFT_OUT)):
        reader = vision_tables.reader_of(references, leave_out)
        strangers += 0 if leave_out is None else sum(c.card not in reader.library.designs for c in cards)
        first = 0
        for one in photos:
            if leave_out is None or any(c.card not in reader.library.designs for c in one.cards):
                rows, sure = of_photo(reader, one, first, leave_out is None)
                asked += rows
                settled += sure if leave_out is None else []
            first += len(one.cards)
    return Table(name, len(cards), strangers, tuple(sorted(set(settled))), tuple(asked))


def of_photo(
    reader: Reader, one: LabelledPhoto, first: int, all_known: bool
) -> tuple[list[Asked], list[int]]:
    """What is asked in one photograph, and the cards that are right and sure without; `first`: the
    number of its first card."""
    seen: list[list[Reading]] = []
    decide = same_print.verified

    def verified(found: Sequence[Reading]) -> list[Reading]:
        seen.append(decide(found))
        return seen[-1]

    with patch("vision.reader.verified", verified):
        reader.read(photo.load(one.path))
    rows, settled = [], []
    for now in (reading for asked in seen for reading in asked):
        label = next((i for i, c in enumerate(one.cards) if contains(now.quad, (c.x, c.y))), -1)
        if label >= 0 and not one.cards[label].whole:
            continue
        right = label >= 0 and one.cards[label].card == now.card
        if np.isfinite(now.same) and not now.proven:
            rows.append(Asked(first + label if label >= 0 else -1, right, now.same, all_known))
        elif now.sure and right:
            settled.append(first + label)
    return rows, settled


if __name__ == "__main__":
    main()
