"""Strangers' films from a camera in a hand: how many of the rests of a card are named while it
rests.

    python -m bench.vision_films [--change "one stop darker" ...]

The films and their labels lie in `../shared/tables` and are not part of the project. A rest is
named when, at a frame within it, a card of the right name that is sure covers the labelled spot;
wrong and sure is any card that is not in the film, each frame that shows it. The second table reads
both films as another camera, lamp or hand would have made them (`bench.vision_changed`), a row a
change; `--change` without any leaves it out.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.vision_changed import CHANGES, Changed, Picture
from vision.decks import enrol, labels
from vision.film.watch import Watcher
from vision.geometry import contains, transform
from vision.library import Library

TABLES = Path(__file__).parents[2] / "shared" / "tables"

Change = Callable[[Picture, int], Changed]
"""A change of a frame, by its number."""


def _noisy(picture: Picture, number: int) -> Changed:
    """Each frame has noise of its own."""
    noise = 4 * np.random.default_rng(number).standard_normal(picture.shape, dtype=np.float32)
    return np.asarray(np.clip(np.rint(picture + noise), 0, 255), np.uint8), np.eye(3)


def _shaken(picture: Picture, number: int) -> Changed:
    """A hand that sways by four pixels and half a degree more than the one that made the film."""
    height, width = picture.shape[:2]
    slow, quick = 0.24 * number, 0.6 * number
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 0.5 * np.sin(0.13 * number), 1)
    turn[:, 2] += 4 * np.sin(slow) + 1.6 * np.sin(quick), 4 * np.cos(0.18 * number)
    moved = cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8), np.vstack([turn, [0, 0, 1]])


def _still(change: Callable[[Picture], Changed]) -> Change:
    return lambda picture, number: change(picture)


FILMED: dict[str, Change] = {
    **{name: _still(change) for name, change in CHANGES.items()},
    "noise of 4 grey levels": _noisy,
    "shaken by 4 pixels more": _shaken,
}
"""What the same film might have looked like."""


@dataclass
class Watched:
    """What was seen in films: `after`: how many seconds after it began each rest that was named
    was; `wrong` counts frames with a card that is not in the film; `cost`: milliseconds a
    frame."""

    rests: int = 0
    after: list[float] = field(default_factory=list)
    wrong: int = 0
    cost: list[float] = field(default_factory=list)

    @property
    def frames(self) -> str:
        """What a frame takes of the processor: median, 95 of 100 within."""
        p50, p95 = np.percentile(self.cost, [50, 95])
        return f"{p50:.0f}, {p95:.0f}"


def watched(films: list[dict[str, Any]], library: Library, change: Change) -> Watched:
    """Watch films of `films.json`, each frame changed, each to its end."""
    seen = Watched()
    for film in films:
        watcher, named = Watcher(library), dict[int, float]()
        for t, picture, matrix in _frames(TABLES / film["film"], change):
            began = time.process_time()
            lying = watcher.see(picture, t)
            seen.cost.append(1000 * (time.process_time() - began))
            sure = [one for one in lying if one.sure]
            seen.wrong += any(one.card not in film["in_sight"] for one in sure)
            for i, rest in enumerate(film["rests"]):
                spot = transform(matrix, [[rest["x"], rest["y"]]])[0]
                covered = any(one.card == rest["card"] and contains(one.quad, spot) for one in sure)
                if covered and rest["from"] <= t <= rest["to"]:
                    named.setdefault(i, t - rest["from"])
        seen.rests += len(film["rests"])
        seen.after += [named[i] for i in sorted(named)]
    return seen


def _frames(path: Path, change: Change) -> Iterator[tuple[float, Picture, NDArray[np.float64]]]:
    """The seconds of each frame, the frame as changed, and the map from its pixels to those."""
    capture, number = cv2.VideoCapture(str(path)), 0
    rate = capture.get(cv2.CAP_PROP_FPS)
    while (read := capture.read())[0]:
        picture, matrix = change(np.asarray(read[1], dtype=np.uint8), number)
        yield number / rate, np.ascontiguousarray(picture), matrix
        number += 1


def main() -> None:
    """Print a row for each film, and one for each change."""
    parser = argparse.ArgumentParser(description="Strangers' films from a hand: rests that are named.")
    parser.add_argument("--change", nargs="*", choices=list(FILMED), default=list(FILMED))
    options = parser.parse_args()
    if not (TABLES / "films.json").exists():
        raise SystemExit(f"No films in {TABLES}: films.json and labels.json say which they are.")
    library = Library()
    enrol.from_photos(library, labels.load(TABLES / "labels.json", only_deck="film", use="reference"))
    films = json.loads((TABLES / "films.json").read_text(encoding="utf-8"))
    print(
        "| film | rests | named | seconds after it came to rest | wrong and sure "
        "| ms of the processor a frame (median, p95) |\n|---|---:|---:|---|---:|---:|"
    )
    for film in films:
        seen = watched([film], library, FILMED["none"])
        after = ", ".join(f"{seconds:.2f}" for seconds in seen.after)
        print(
            f"| {film['film']} | {seen.rests} | {len(seen.after)} | {after} | {seen.wrong} | {seen.frames} |"
        )
    if options.change:
        print(
            "\nThe same films changed\n\n| change | rests | named | wrong and sure "
            "| ms of the processor a frame (median, p95) |\n|---|---:|---:|---:|---:|"
        )
    for name in options.change:
        seen = watched(films, library, FILMED[name])
        print(f"| {name} | {seen.rests} | {len(seen.after)} | {seen.wrong} | {seen.frames} |", flush=True)


if __name__ == "__main__":
    main()
