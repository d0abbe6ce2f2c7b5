"""One edition of a deck enrolled, other editions, cameras and lamps read: each table of SET of
other people is the enrolled one in turn, and all other tables are read.

    python -m bench.vision_editions [--tables DIR] [--photos DIR] [--only NAME]

No limit of `vision` was chosen on most of these pairs. What the enrolled table does not show is a
stranger's card on the others. Aims: as on other people's tables, 95 % right and sure, one wrong and
sure card in a thousand at most, and one of no enrolled design named in two hundred.
"""

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2

from bench.vision_tables import NO_PHOTOGRAPHS, SHARED, reader_of, tables
from vision import photo
from vision.decks import labels
from vision.decks.labels import LabelledPhoto
from vision.decks.measure import AccuracyRow, score
from vision.geometry import contains
from vision.reader import Reader

DECKS = "set81", "set-table"
"""Decks of one game whose labels name its designs, each in words of its own."""

WORDS = {
    "single": "1",
    "double": "2",
    "triple": "3",
    "outline": "empty",
    "stripes": "striped",
    "capsule": "oval",
}

OF_ONE = "set81, references", "set81, enrolled table"
"""Two photographs each of the same cards, by the same camera: neither is read with the other."""


@dataclass
class Row:
    """What came of one enrolled table; `strangers`: cards whose design it does not show."""

    tally: AccuracyRow
    strangers: int = 0
    named: int = 0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="One edition of a deck enrolled, other editions read.")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    parser.add_argument("--only", metavar="NAME", help="only enrolled tables whose name holds this")
    options = parser.parse_args()
    files = [f for f in (options.photos / "labels.json", options.tables / "labels.json") if f.exists()]
    if not files:
        print(f"{NO_PHOTOGRAPHS.format(options.tables)} The table of editions is left out.\n")
        return
    cv2.setNumThreads(1)
    by_table = editions(one for file in files for one in labels.load(file))
    print(
        "| enrolled table (designs) | cards | right, sure | right, unsure | wrong, sure "
        "| wrong, unsure | missed | not enrolled: named |\n|---|" + "---:|" * 7
    )
    rows = []
    for name, own in by_table.items():
        if options.only is None or options.only in name:
            reader = reader_of(own)
            own_too = OF_ONE if name in OF_ONE else (name,)
            rows.append(
                read(reader, [one for other in by_table if other not in own_too for one in by_table[other]])
            )
            print(line(f"{name} ({len(reader.library.designs)})", rows[-1]), flush=True)
    print(line("all", added(rows)))


def editions(photos: Iterable[LabelledPhoto]) -> dict[str, list[LabelledPhoto]]:
    """The photographs by table, their designs named alike; those that `bench.vision_tables` enrols
    from are a table of their own."""
    found: dict[str, list[LabelledPhoto]] = {}
    for one in photos:
        if one.deck in DECKS:
            table = f"{one.deck}, references" if one.use == "reference" else next(iter(tables([one])))
            cards = tuple(replace(card, card=design(card.card)) for card in one.cards)
            found.setdefault(table, []).append(replace(one, cards=cards))
    return found


def design(name: str) -> str:
    """A design as number, colour, filling and shape, by whichever deck's words it is named."""
    words = [WORDS.get(word, word) for word in name.split("-")]
    number = next(word for word in words if re.fullmatch(r"\d", word))
    return "-".join([number, *(word for word in words if word != number)])


def read(reader: Reader, photos: Sequence[LabelledPhoto]) -> Row:
    """Read the photographs with the views of another table."""
    row = Row(AccuracyRow())
    for one in photos:
        found = reader.read(photo.load(one.path))
        known = tuple(card for card in one.cards if card.card in reader.library.designs)
        strange = [c for c in one.cards if c not in known and c.whole]
        of_strange = [r for r in found if any(contains(r.quad, (c.x, c.y)) for c in strange)]
        row.strangers += len(strange)
        row.named += sum(r.sure for r in of_strange)
        score(row.tally, one.name, known, [r for r in found if not any(r is other for other in of_strange)])
    return row


def added(rows: Sequence[Row]) -> Row:
    """All rows as one."""
    total = Row(AccuracyRow(), sum(row.strangers for row in rows), sum(row.named for row in rows))
    for row in rows:
        for name in ("right_sure", "right_unsure", "wrong_sure", "wrong_unsure", "missed"):
            setattr(total.tally, name, getattr(total.tally, name) + getattr(row.tally, name))
    return total


def line(name: str, row: Row) -> str:
    """One row of the table."""
    t = row.tally
    cards = t.right_sure + t.right_unsure + t.wrong_sure + t.wrong_unsure + t.missed
    strangers = f"{row.named} of {row.strangers}" if row.strangers else "–"
    return (
        f"| {name} | {cards} | {t.right_sure} | {t.right_unsure} | {t.wrong_sure} | {t.wrong_unsure} "
        f"| {t.missed} | {strangers} |"
    )


if __name__ == "__main__":
    main()
