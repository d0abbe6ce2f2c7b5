"""The verifier's limits, chosen by a procedure, and each table as it came out when it was the one
left out.

    python -m bench.vision_limits [--only NAME] [--cache out/limits]

Every table of `bench.vision_tables` is read with all designs enrolled and with each quarter of them
left out. What was asked of the verifier is kept in the cache, a file a table, until `vision`
changes, so it can be done a table at a time with `--only`. Then the limits of `vision.same_print`
are chosen from all tables but one, that one is judged by them, and so on in turn; the last row has
those chosen from all.

The procedure: a card that is sure though it shows another design costs `WRONG` times what one costs
that is unsure though it is right; each counts the more the further its log odds lie on the wrong
side of a limit (`SOFT`). The limits that cost least are taken.
"""

import argparse
import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self
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

WRONG = 4.0
"""Cards that may be unsure for one that is not wrong. With 20 of 352 cards 317 were right and sure
on tables left out, and 3 of 352 of no design named; with 4, 333 and 8: people enrol whole decks,
and an unsure card stops the game."""

SOFT = 0.15
"""Log odds within which a card counts in part on both sides of a limit: one limit for all tables
is not to hang on a single card."""

GRID = np.round(np.arange(-1.0, 3.01, 0.1), 1)
"""Limits that are tried: what the network takes for another print by more than e to 1 is never
sure."""

FITS, WHOLLY = (0.5, 0.6, 0.7, 0.8), (0.9, 0.93, 0.96, 0.98)
"""Likenesses that are tried for the constants of these names."""


@dataclass(frozen=True)
class Asked:
    """One reading of which the verifier was asked: what it said, and what is true of it.

    `label`: the card it lies on, -1 for none; `sure`: before it was asked; `rendered`: the picture
    renders ink otherwise than the deck; `all_known`: no design was left out.
    """

    label: int
    right: bool
    odds: float
    likeness: float
    sure: bool
    rendered: bool
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


@dataclass(frozen=True)
class Limits:
    """The constants of `vision.same_print`."""

    proven: float
    fits: float
    wholly: float
    not_another: float
    as_enrolled: float
    rendered: float

    @classmethod
    def shipped(cls) -> Self:
        """Those in use."""
        s = same_print
        return cls(s.PROVEN, s.FITS, s.WHOLLY, s.NOT_ANOTHER, s.AS_ENROLLED, s.RENDERED)

    def accepts(self, one: Asked) -> bool:
        """Whether a reading is sure by these limits; as `same_print.verified` decides it."""
        kind = _kind(one, self.fits, self.wholly)
        return kind is not None and one.odds >= getattr(self, kind)


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
    """Print each table by the limits of the others, and all by their own and by those in use."""
    print(
        "| left out | cards | right, sure | wrong, sure | not enrolled: named | limits |\n|---|---:|---:|---:|---:|---|"
    )
    rows = []
    for one in tables:
        limits = chosen([t for t in tables if t is not one])
        rows.append(outcome(one, limits))
        print(_line(one.name, [rows[-1]], limits))
    print(_line("all, each as left out", rows))
    for name, limits in (("none: chosen from all", chosen(tables)), ("none: those in use", Limits.shipped())):
        print(_line(name, [outcome(t, limits) for t in tables], limits))


def _line(name: str, rows: Sequence[tuple[int, int, int, int, int]], limits: Limits | None = None) -> str:
    cards, right, wrong, strangers, named = (sum(column) for column in zip(*rows, strict=True))
    told = "" if limits is None else ", ".join(f"{key} {value:g}" for key, value in asdict(limits).items())
    return f"| {name} | {cards} | {right} ({100 * right / cards:.1f} %) | {wrong} | {named} of {strangers} | {told} |"


def outcome(table: Table, limits: Limits) -> tuple[int, int, int, int, int]:
    """Cards, right and sure, wrong and sure, cards of designs that were left out, those named, by
    these limits."""
    sure = [a for a in table.asked if limits.accepts(a)]
    right = {a.label for a in sure if a.right and a.all_known} | set(table.settled)
    wrong = sum(not a.right and a.all_known for a in sure)
    named = sum(not a.right and not a.all_known for a in sure)
    return table.cards, len(right), wrong, table.strangers, named


def chosen(tables: Sequence[Table]) -> Limits:
    """The limits that cost least on these tables."""
    asked = [a for t in tables for a in t.asked if a.all_known or not a.right]
    best = (np.inf, Limits.shipped())
    for fits, wholly in itertools.product(FITS, WHOLLY):
        kinds = {name: [a for a in asked if _kind(a, fits, wholly) == name] for name in KINDS}
        each = {name: _least(some) for name, some in kinds.items()}
        # what fits too little to be asked stays unsure
        left = sum(a.right for a in asked if _kind(a, fits, wholly) is None)
        cost = sum(cost for cost, _ in each.values()) + left
        if cost < best[0]:
            best = (
                cost,
                Limits(fits=fits, wholly=wholly, **{name: limit for name, (_, limit) in each.items()}),
            )
    return best[1]


KINDS = ("proven", "not_another", "as_enrolled", "rendered")
"""The limits of log odds, each for readings of one kind."""


def _kind(one: Asked, fits: float, wholly: float) -> str | None:
    """Which limit decides of a reading; None if it is not asked."""
    if not one.sure:
        return "proven" if one.likeness >= fits else None
    if one.likeness >= wholly:
        return "not_another"
    return "rendered" if one.rendered else "as_enrolled"


def _least(some: Sequence[Asked]) -> tuple[float, float]:
    """The least cost of readings of one kind, and the limit that has it."""
    odds = np.array([a.odds for a in some])
    right = np.array([a.right for a in some], dtype=bool)
    passes = 1 / (1 + np.exp(-(odds[None] - GRID[:, None]) / SOFT))
    cost = (np.where(right, 1 - passes, WRONG * passes)).sum(axis=1)
    return float(cost.min()), float(GRID[cost.argmin()])


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
    cards = [c for p in photos for c in p.cards if not (c.hidden or c.ignore)]
    strangers = 0
    for leave_out in (None, *range(vision_tables.LEFT_OUT)):
        reader = vision_tables.reader_of(references, leave_out)
        strangers += 0 if leave_out is None else sum(c.card not in reader.library.designs for c in cards)
        first = 0
        for one in photos:
            if leave_out is None or any(c.card not in reader.library.designs for c in one.cards):
                rows, sure = _photo(reader, one, first, leave_out is None)
                asked += rows
                settled += sure if leave_out is None else []
            first += len(one.cards)
    return Table(name, len(cards), strangers, tuple(sorted(set(settled))), tuple(asked))


def _photo(reader: Reader, one: LabelledPhoto, first: int, all_known: bool) -> tuple[list[Asked], list[int]]:
    """What is asked in one photograph, and the cards that are right and sure without; `first`: the
    number of its first card."""
    seen: list[tuple[list[Reading], float]] = []
    decide = same_print.verified

    def verified(found: Sequence[Reading], least: float) -> list[Reading]:
        # the least of what can be asked, so that any limit can be tried
        with patch.object(same_print, "FITS", min(FITS)):
            seen.append((decide(found, least), least))
        before.extend(found)
        return seen[-1][0]

    before: list[Reading] = []
    with patch("vision.reader.verified", verified):
        reader.read(photo.load(one.path))
    rows, settled = [], []
    for was, now in zip(before, seen[-1][0], strict=True):
        label = next((i for i, c in enumerate(one.cards) if contains(now.quad, (c.x, c.y))), -1)
        if label >= 0 and (one.cards[label].hidden or one.cards[label].ignore):
            continue
        right = label >= 0 and one.cards[label].card == now.card
        if np.isfinite(now.same):
            likeness = now.candidates[0][1]
            rendered = seen[-1][1] == same_print.RENDERED
            rows.append(
                Asked(
                    first + label if label >= 0 else -1,
                    right,
                    now.same,
                    likeness,
                    was.sure,
                    rendered,
                    all_known,
                )
            )
        elif now.sure and right:
            settled.append(first + label)
    return rows, settled


if __name__ == "__main__":
    main()
