"""Evenings that the camera alone reads, and one with everything that happens to families: one
stream of evenings, each with its score and what went wrong."""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.harness import Figure, Options, spread
from companion.rules.contract import GAME_OVER
from tests.simulated.film_evening import CONDITIONS, LONGEST, FilmEvening
from tests.simulated.long_evening import LONG, SHORT, evening
from tests.simulated.photo_evenings import evenings


def by_film(options: Options) -> Iterator[Mapping[str, object] | Figure]:
    """Evenings of Donkey Valley by film, the camera alone, under other light and other cameras,
    each beside the same evening as drawn; aimed at: one in fifty cards asked for or entered, none
    wrong and sure, no other score that nobody was asked about. `--times 20`: so many evenings."""
    told: list[str] = []
    silent = evenings_read = 0
    for seed in range(options.seed, options.seed + options.many(1)):
        drawn = ""
        for name, condition in CONDITIONS.items():
            if not options.wants(name) and name != "as drawn":
                continue
            with tempfile.TemporaryDirectory() as folder:
                one = FilmEvening(condition, Path(folder), seed)
                while one.live.snapshot().view["phase"] != GAME_OVER and one.now < LONGEST:
                    one.step()
            view = one.live.snapshot().view
            score = ", ".join(f"{row['name']} {row['points']}" for row in view["players"])
            drawn = drawn or score
            evenings_read += 1
            silent += score != drawn and not one.asked and not one.entered
            yield {
                "condition": name,
                "seed": seed,
                "to the final score": "yes" if view["phase"] == GAME_OVER else "no",
                "score": score,
                "as drawn": "yes" if score == drawn else "no",
                "cards read": len(one.read),
                "questions": len(one.asked),
                "entered for the camera": one.entered,
                "wrong and sure": len(one.wrong),
                "film seconds": f"{one.now:.0f}",
                "ms of the processor a frame": spread(one.cost, ".0f"),
            }
            told += [f"{name}, {seed}: asked: {question!r}" for question in sorted(map(str, one.asked))]
            told += [f"{name}, {seed}: entered at {missed}" for missed in one.missed]
            told += [f"{name}, {seed}: wrong and sure: {wrong}" for wrong in one.wrong]
    yield from ({"what the camera did not see": line} for line in told)
    figure = f"{silent} of {evenings_read}"
    yield Figure("another score that nobody was asked about", figure, "0", "evenings by film", not silent)


def by_photo(options: Options) -> Iterator[Mapping[str, object]]:
    """Two evenings of Donkey Valley read from strangers' photographs: each is one reveal of four
    players, cards as read beside cards as labelled."""
    photos = options.shared / "photos"
    if not photos.is_dir():
        raise SystemExit(f"No photos at {photos}: name their folder with --shared.")
    for row in evenings(photos):
        if options.wants(row.photo):
            yield {
                "photo": row.photo,
                "donkey": row.donkey,
                "cards read": " ".join(map(str, row.cards)),
                "labelled": " ".join(map(str, row.labelled)),
                "total": row.total,
                "limit": row.limit,
                "overloaded": "yes" if row.overloaded else "no",
                "points": ", ".join(f"{name} +{won}" for name, won in row.points.items() if won) or "nobody",
            }


def long(options: Options) -> Iterator[Figure]:
    """Three games in ten minutes with phones, sleeping laptops, lost lines, kills and slips: what
    was told wrongly, and for how long. `--only GAME`: one of them; `--times 0`: the evening of the
    tests."""
    games = [game for game in (LONG if options.times else SHORT) if options.wants(game.game)]
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        one = evening(games, Path(folder), options.seed, tell)
    for row in one.rows():
        yield Figure(row.name, row.figure, row.limit, row.conditions, row.well)
    for what, times in Counter(one.faults).items():
        print(f"  {times} x {what}", file=sys.stderr)
