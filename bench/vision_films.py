"""Strangers' films from a camera in a hand: how many of the rests of a card are named while it
rests.

    python -m bench.vision_films

The films and their labels lie in `../shared/tables` and are not part of the project. A rest is
named when, at a frame within it, a card of the right name that is sure covers the labelled spot;
wrong and sure is any card that is not in the film.
"""

import json
import time
from pathlib import Path

import cv2
import numpy as np

from vision.decks import enrol, labels
from vision.film.watch import Watcher
from vision.library import Library

TABLES = Path(__file__).parents[2] / "shared" / "tables"


def main() -> None:
    """Print a row for each film."""
    if not (TABLES / "films.json").exists():
        raise SystemExit(f"No films in {TABLES}: films.json and labels.json say which they are.")
    library = Library()
    enrol.from_photos(library, labels.load(TABLES / "labels.json", only_deck="film", use="reference"))
    print(
        "| film | rests | named | seconds after it came to rest | wrong and sure "
        "| ms of the processor a frame (median, p95) |\n|---|---:|---:|---|---:|---:|"
    )
    for film in json.loads((TABLES / "films.json").read_text(encoding="utf-8")):
        capture = cv2.VideoCapture(str(TABLES / film["film"]))
        rate = capture.get(cv2.CAP_PROP_FPS)
        watcher, named, wrong, cost = Watcher(library), dict[int, float](), 0, list[float]()
        number = 0
        while (read := capture.read())[0]:
            t = number / rate
            number += 1
            began = time.process_time()
            lying = watcher.see(np.asarray(read[1], dtype=np.uint8), t)
            cost.append(1000 * (time.process_time() - began))
            for card in (one for one in lying if one.sure):
                wrong += card.card not in film["in_sight"]
                for i, rest in enumerate(film["rests"]):
                    spot = (float(rest["x"]), float(rest["y"]))
                    covers = cv2.pointPolygonTest(card.quad.reshape(-1, 1, 2), spot, False) >= 0
                    if card.card == rest["card"] and covers and rest["from"] <= t <= rest["to"]:
                        named.setdefault(i, t - rest["from"])
        after = ", ".join(f"{seconds:.2f}" for _, seconds in sorted(named.items()))
        p50, p95 = np.percentile(cost, [50, 95])
        print(
            f"| {film['film']} | {len(film['rests'])} | {len(named)} | {after} | {wrong} | {p50:.0f}, {p95:.0f} |"
        )


if __name__ == "__main__":
    main()
