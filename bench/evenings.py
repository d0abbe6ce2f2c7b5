"""Play evenings that the camera alone reads, and one with everything that happens to families."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from bench.harness import Figure, Options, format_spread
from companion.rules.contract import GAME_OVER
from tests.simulated.film_evening import CONDITIONS, LONGEST, FilmEvening
from tests.simulated.long_evening import LONG, SHORT, evening
from tests.simulated.photo_evenings import evenings


class VideoResult(msgspec.Struct):
    """An evening by video, played to its end: its result, and what the camera did not see."""

    condition: str
    seed: int
    over: bool
    score: str
    cards: int
    asked: list[str]
    entered: int
    missed: list[str]
    wrong: list[str]
    seconds: float
    cost: str

    @property
    def needed_players(self) -> bool:
        """Whether somebody was asked, or had to enter something."""
        return bool(self.asked or self.entered)


def bench_by_film(options: Options) -> Iterator[Mapping[str, object] | Figure]:
    """Play evenings of Donkey Valley by video, the camera alone, under other light and other
    cameras, each beside the same evening as drawn. The aim: one in fifty cards asked for or
    entered, none wrong and sure, no other score that nobody was asked about. `--times 20`: so many
    evenings of each; those that `--keep` holds of an interrupted run are not played again."""
    # without `--keep`, results are not stored
    kept = Path(os.devnull) if options.keep is None else options.keep / "by_film.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_bytes().splitlines() if kept.exists() else []
    known = {(one.condition, one.seed): one for one in map(_decoder.decode, lines)}
    result_lines: list[str] = []
    silent = evenings_read = 0
    for seed in range(options.seed, options.seed + options.scale_count(1)):
        drawn = ""
        for name in CONDITIONS:
            if not options.wants_row(name) and name != "as drawn":
                continue
            # needed in any case: every other condition is compared with it
            one = known.get((name, seed))
            if one is None:
                one = _play_by_video(name, seed)
                # written at once, so that an interrupted run need not be repeated
                with kept.open("ab") as file:
                    file.write(msgspec.json.encode(one) + b"\n")
            # the first condition is the evening as drawn
            drawn = drawn or one.score
            evenings_read += 1
            silent += one.score != drawn and not one.needed_players
            yield {
                "condition": name,
                "seed": seed,
                "to the final score": "yes" if one.over else "no",
                "score": one.score,
                "as drawn": "yes" if one.score == drawn else "no",
                "cards read": one.cards,
                "questions": len(one.asked),
                "entered for the camera": one.entered,
                "wrong and sure": len(one.wrong),
                "film seconds": f"{one.seconds:.0f}",
                "ms of the processor a frame": one.cost,
            }
            result_lines += [f"{name}, {seed}: asked: {question}" for question in sorted(one.asked)]
            result_lines += [f"{name}, {seed}: entered at {missed}" for missed in one.missed]
            result_lines += [f"{name}, {seed}: wrong and sure: {wrong}" for wrong in one.wrong]
    yield from ({"what the camera did not see": line} for line in result_lines)
    figure = f"{silent} of {evenings_read}"
    yield Figure("another score that nobody was asked about", figure, "0", "evenings by film", not silent)


_decoder = msgspec.json.Decoder(VideoResult)


def _play_by_video(name: str, seed: int) -> VideoResult:
    with tempfile.TemporaryDirectory() as folder:
        one = FilmEvening(CONDITIONS[name], Path(folder), seed)
        while one.live.snapshot().view["phase"] != GAME_OVER and one.now < LONGEST:
            one.step()
    view = one.live.snapshot().view
    return VideoResult(
        name,
        seed,
        view["phase"] == GAME_OVER,
        ", ".join(f"{row['name']} {row['points']}" for row in view["players"]),
        len(one.read),
        [repr(question) for question in one.asked],
        one.entered,
        one.missed,
        one.wrong,
        one.now,
        format_spread(one.cost, ".0f"),
    )


def bench_by_photo(options: Options) -> Iterator[Mapping[str, object]]:
    """Play two evenings of Donkey Valley read from other people's photographs: each is one reveal
    of four players, cards as read beside cards as labelled."""
    photos = options.shared / "photos"
    if not photos.is_dir():
        raise SystemExit(f"No photos at {photos}: name their folder with --shared.")
    for row in evenings(photos):
        if options.wants_row(row.photo):
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


def bench_long(options: Options) -> Iterator[Figure]:
    """Play three games in ten minutes with phones, sleeping laptops, lost connections, kills and
    slips: what was reported wrongly, and for how long. `--only GAME`: one of them; `--times 0`: the
    evening of the tests."""
    games = [game for game in (LONG if options.times else SHORT) if options.wants_row(game.game)]
    began = time.monotonic()

    def print_progress(message: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {message}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        one = evening(games, Path(folder), options.seed, print_progress)
    for row in one.rows():
        yield Figure(row.name, row.figure, row.limit, row.conditions, row.well)
    for what, times in Counter(one.faults).items():
        print(f"  {times} x {what}", file=sys.stderr)
