"""One table left out at a time: the margin of the same print chosen on all other tables, and what then comes of the one left out.

    python -m bench.vision_left_out [--tables ../shared/tables] [--photos ../shared/photos]

The margin (`Margins.same`) is the one constant of the verifier. Each table is read once without it, once with all designs and
once with every fourth not enrolled; each margin is then applied to these readings. A card that is named wrongly and surely,
enrolled or not, weighs as much as `DEAR` cards that are right and not sure.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2

from bench.vision_tables import LEFT_OUT, SHARED, reader_of, tables
from vision import labels, photo
from vision.geometry import contains
from vision.labels import LabelledPhoto
from vision.measure import Tally, score
from vision.reader import Reader, Reading

GRID = [-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
"""Margins that are tried: log odds."""

DEAR = 5


@dataclass
class Table:
    """What was read of one table's photographs, without any margin of the same print."""

    enrolled: list[tuple[LabelledPhoto, list[Reading]]] = field(default_factory=list)
    without: list[tuple[LabelledPhoto, list[Reading]]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def tally(self, margin: float) -> Tally:
        """The cards of enrolled designs, counted."""
        tally = Tally()
        for labelled, readings in self.enrolled:
            score(tally, labelled.name, labelled.cards, _sure_from(margin, readings))
        return tally

    def strangers(self, margin: float) -> tuple[int, int]:
        """Cards of designs that were not enrolled, and how many of them are named as another."""
        cards, named = 0, 0
        for labelled, readings in self.without:
            sure = [r for r in _sure_from(margin, readings) if r.sure]
            unknown = [c for c in labelled.cards if c.card not in self.known and not (c.hidden or c.ignore)]
            cards += len(unknown)
            named += sum(any(contains(r.quad, (c.x, c.y)) for r in sure) for c in unknown)
        return cards, named

    def cost(self, margin: float) -> float:
        """What a margin costs on this table."""
        tally = self.tally(margin)
        return DEAR * (self.strangers(margin)[1] + tally.wrong_sure) - tally.right_sure


def main() -> None:
    """Print a row a table."""
    parser = argparse.ArgumentParser(description="One table left out at a time.")
    parser.add_argument("--tables", type=Path, default=SHARED / "tables")
    parser.add_argument("--photos", type=Path, default=SHARED / "photos")
    options = parser.parse_args()
    files = [f for f in (options.photos / "labels.json", options.tables / "labels.json") if f.exists()]
    if not files:
        raise SystemExit(f"No photographs in {options.tables}: name their folder with --tables.")
    cv2.setNumThreads(1)
    everything = [one for file in files for one in labels.load(file)]
    read: dict[str, Table] = {}
    for deck in dict.fromkeys(one.deck for one in everything):
        of_deck = [one for one in everything if one.deck == deck]
        read |= _read_deck(of_deck)
    head = "| table left out | margin chosen on the others | cards | right, sure | wrong, sure | not enrolled: named |"
    print(head + "\n|---|" + "---:|" * 5)
    for name, table in read.items():
        others = [one for other, one in read.items() if other != name]
        chosen = min(GRID, key=lambda margin: sum(one.cost(margin) for one in others))
        tally, (strangers, named) = table.tally(chosen), table.strangers(chosen)
        sure = f"{tally.right_sure} ({100 * tally.right_sure / max(tally.cards, 1):.1f} %)"
        print(f"| {name} | {chosen} | {tally.cards} | {sure} | {tally.wrong_sure} | {named} of {strangers} |")


def _read_deck(photos: Sequence[LabelledPhoto]) -> dict[str, Table]:
    tests = tables([p for p in photos if p.use == "test"])
    if not tests:
        return {}
    references = [p for p in photos if p.use == "reference"]
    reader, without = (_without_margin(reader_of(references, leave_out=n)) for n in (0, LEFT_OUT))
    found = {}
    for name, shown in tests.items():
        found[name] = Table(known=set(without.library.designs))
        for one in shown:
            image = photo.load(one.path)
            found[name].enrolled.append((one, reader.read(image)))
            found[name].without.append((one, without.read(image)))
    return found


def _without_margin(reader: Reader) -> Reader:
    return Reader(reader.library, replace(reader.margins, same=float("-inf")))


def _sure_from(margin: float, readings: Sequence[Reading]) -> list[Reading]:
    return [replace(r, sure=r.sure and r.same >= margin) for r in readings]


if __name__ == "__main__":
    main()
