"""An evening of Donkey Valley read from real photographs (`simulated/photo_evenings.py`): each
photo is one reveal of four players.

`python -m bench.photos_evening` prints the table.
"""

from __future__ import annotations

import argparse
import sys

from simulated.photo_evenings import PHOTOS, evenings


def main() -> int:
    """Print the table; 2 where the photos are not there."""
    argparse.ArgumentParser(description="An evening read from real photographs.").parse_args()
    if not PHOTOS.is_dir():
        print(f"No photos at {PHOTOS}.", file=sys.stderr)
        return 2
    print(
        f"{'photo':<14}{'donkey':<13}{'cards read':<16}{'labelled':<16}{'total':>5} {'limit':>6}  {'overloaded':<11} points"
    )
    for row in evenings():
        points = "  ".join(f"{name} +{won}" for name, won in row.points.items() if won) or "nobody"
        cards, labelled = (" ".join(map(str, values)) for values in (row.cards, row.labelled))
        print(
            f"{row.photo:<14}{row.donkey:<13}{cards:<16}{labelled:<16}{row.total:>5} {row.limit!s:>6}"
            f"  {'yes' if row.overloaded else 'no':<11} {points}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
