"""Other people's tables: what is read of photographs that strangers took, a row a table, with two
usual methods beside it.

    python -m bench.vision_tables [--tables DIR] [--photos DIR] [--only NAME]

A table is the photographs that one person took in one light. Each deck is enrolled from its
`reference` photographs; then each quarter of the designs is left out in turn, to count how often
their cards are named as another. *Seconds* are those of one core for a whole photograph, outlines
included.
"""

import argparse
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench import vision_peers
from vision import photo
from vision.decks import enrol, labels, separation
from vision.decks.labels import Label, LabelledPhoto
from vision.decks.measure import AccuracyRow, score
from vision.geometry import contains
from vision.library import Library
from vision.reader import Reader

SHARED = Path(__file__).parents[2] / "shared"
NO_PHOTOGRAPHS = "No photographs in {}: name their folder with --tables."
LEFT_OUT = 4
"""Every so many designs one is left out to be a stranger's card, then the next ones, until each
was."""


@dataclass
class Row:
    """What came of one table; `seconds` of the processor a photograph; `strangers`: cards of
    designs that were left out."""

    tally: AccuracyRow = field(default_factory=AccuracyRow)
    seconds: list[float] = field(default_factory=list)
    strangers: int = 0
    named: int = 0
    peers: str = ""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Accuracy on other people's tables.")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--only", metavar="NAME", help="only tables whose name holds this")
    parser.add_argument("--fast", action="store_true", help="neither strangers' cards nor the peers")
    options = parser.parse_args()
    if not any((folder / "labels.json").exists() for folder in (options.photos, options.tables)):
        print(f"{NO_PHOTOGRAPHS.format(options.tables)} The table of other people's tables is left out.\n")
        return
    cv2.setNumThreads(1)
    print(f"OpenCV {cv2.__version__}; seconds of one core; each quarter of the designs is left out in turn\n")
    print(
        "| table | cards | right, sure | right, unsure | wrong, sure | wrong, unsure | missed | false, sure | half hidden: right, wrong "
        "| not enrolled: named | s a photo, median and worst | best guess right: hash, ORB, XFeat |\n|---|"
        + "---:|"
        * 11
    )
    mistakes = []
    for deck, tests in decks(options.photos, options.tables, options.only):
        references = [one for one in deck if one.use == "reference"]
        reader = reader_of(references)
        without = [reader_of(references, leave_out=first) for first in range(LEFT_OUT)]
        for name, photos in tests.items():
            row = read(reader, photos)
            if not options.fast:
                counts = [strangers(one, photos) for one in without]
                row.strangers, row.named = (sum(column) for column in zip(*counts, strict=True))
                row.peers = vision_peers.shares(reader.library, photos)
            print(line(name, row), flush=True)
            mistakes += row.tally.mistakes
    print("\n" + "\n".join(mistakes))


def decks(
    photos: Path, tables_: Path, only: str | None
) -> Iterable[tuple[list[LabelledPhoto], dict[str, list[LabelledPhoto]]]]:
    """All photographs of each deck, and of them those to be read, by table; `only`: a part of the
    tables' names."""
    files = [f for f in (photos / "labels.json", tables_ / "labels.json") if f.exists()]
    if not files:
        raise SystemExit(NO_PHOTOGRAPHS.format(tables_))
    everything = [one for file in files for one in labels.load(file)]
    for deck in dict.fromkeys(one.deck for one in everything):
        of_deck = [one for one in everything if one.deck == deck]
        found = tables([p for p in of_deck if p.use == "test"])
        tests = {name: found[name] for name in found if only is None or only in name}
        if tests:
            yield of_deck, tests


def tables(photos: Iterable[LabelledPhoto]) -> dict[str, list[LabelledPhoto]]:
    """The photographs by table: the deck, and whose photograph it is by the words of its name."""
    found: dict[str, list[LabelledPhoto]] = {}
    for one in photos:
        stem = Path(one.name).stem
        if one.deck == "set-table":
            name = f"{one.deck}, {stem.split('-')[1]}"
        elif one.deck == "set81":
            name = f"{one.deck}, {'enrolled table' if re.match('red|green|purple', stem) else stem}"
        else:
            name = one.deck
        found.setdefault(name, []).append(one)
    return found


def reader_of(references: Sequence[LabelledPhoto], leave_out: int | None = None) -> Reader:
    """A reader that was told the reference photographs, without every `LEFT_OUT`-th design from
    number `leave_out` on."""
    library = Library()
    enrol.from_photos(library, references)
    if leave_out is not None:
        library = without(library, leave_out)
    return Reader(library, separation.run(library).margins)


def without(library: Library, first: int) -> Library:
    """The library less every `LEFT_OUT`-th design from number `first` on."""
    left_out = set(sorted(library.designs)[first::LEFT_OUT])
    return Library(one for one in library.references if one.card not in left_out)


def read(reader: Reader, photos: Sequence[LabelledPhoto]) -> Row:
    """Read the photographs of one table."""
    row = Row()
    for labelled in photos:
        image = photo.load(labelled.path)
        began = time.process_time()
        readings = reader.read(image)
        row.seconds.append(time.process_time() - began)
        score(row.tally, labelled.name, labelled.cards, readings)
    return row


def strangers(reader: Reader, photos: Sequence[LabelledPhoto]) -> tuple[int, int]:
    """How many cards lie there of designs the reader does not know, and how many of them it is sure
    of all the same."""
    counts = [strangers_in(reader, one.cards, photo.load(one.path)) for one in photos]
    cards, named = (sum(column) for column in zip(*counts, strict=True))
    return cards, named


def strangers_in(reader: Reader, lying: Iterable[Label], picture: NDArray[np.uint8]) -> tuple[int, int]:
    """The same of one picture and the cards that lie in it."""
    known = set(reader.library.designs)
    unknown = [c for c in lying if c.card not in known and c.whole]
    sure = [r for r in reader.read(picture) if r.sure] if unknown else []
    return len(unknown), sum(any(contains(r.quad, (c.x, c.y)) for r in sure) for c in unknown)


def line(name: str, row: Row) -> str:
    """One row of the table."""
    t = row.tally
    cells = [t.cards, f"{t.right_sure} ({100 * t.right_sure / max(t.cards, 1):.1f} %)", t.right_unsure]
    cells += [t.wrong_sure, t.wrong_unsure, t.missed, t.false_sure]
    cells += [f"{t.hidden_right}, {t.hidden_wrong} of {t.hidden}" if t.hidden else "–"]
    cells += [
        f"{row.named} of {row.strangers}",
        f"{np.median(row.seconds):.1f}, {max(row.seconds):.1f}",
        row.peers,
    ]
    return f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    main()
