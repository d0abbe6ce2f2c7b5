"""Measure the camera on videos, and what looking costs: other people's videos from a hand, an hour
of a table, a frame, the first look, a card; and the verifier's limit.

That limit (`vision.print_check.SAME_PRINT_SCORE`) is chosen by a procedure from all tables but one.
A card that is sure though it shows another design costs `WRONG` times as much as one that is unsure
though it is right; each counts the more the further its log odds lie on the wrong side of the limit
(`SOFT`). The limit with the least cost is taken. More than this one limit did worse on tables left
out: six, by kinds of cards, and weights for the likeness and for what the other cards reach.
"""

import gc
import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.counting import Picture, make_lacking_readers, make_reader
from bench.harness import (
    Figure,
    Options,
    best_milliseconds,
    format_share,
    format_spread,
    quantile,
    resident_megabytes,
    time_call,
)
from bench.vision import PHOTOS, Table, enrol_photos, lay_cards, load_all_photos, load_tables
from companion.games.partners.board import format_places
from companion.games.partners.drawing import build_camera_board
from companion.games.partners.movement import Steps, apply_play
from companion.games.partners.table import build_position, find_seen_plays
from companion.rules.contract import BoardClaim
from tests.simulated import scenes
from tests.simulated.changes import CHANGES, Changed
from tests.simulated.pawn_films import SETTINGS, Turn, shot, turns
from tests.simulated.scenes import CLOTHS, Faults, Placed, render, table
from vision import markers, photo, print_check
from vision.decks import labels
from vision.decks.labels import LabelledPhoto
from vision.geometry import contains_point, transform_points
from vision.library import Library
from vision.naming.identify import identify_card
from vision.outlines.detect import find_outlines
from vision.pawns import PrintedBoard, detect_pawns, find_board_plane
from vision.reader import Reader
from vision.reading import Reading
from vision.steps import Steps as VisionSteps
from vision.video.watcher import Watcher

FRAME = (1920, 1080)
Change = Callable[[Picture, int], Changed]
"""A change of a frame, given its number."""


def _add_noise(picture: Picture, number: int) -> Changed:
    """Add noise, different for each frame."""
    noise = 4 * np.random.default_rng(number).standard_normal(picture.shape, dtype=np.float32)
    return np.asarray(np.clip(np.rint(picture + noise), 0, 255), np.uint8), np.eye(3)


def _add_shake(picture: Picture, number: int) -> Changed:
    """Shake the picture by four pixels and half a degree more than the hand that made the video."""
    height, width = picture.shape[:2]
    slow, quick = 0.24 * number, 0.6 * number
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 0.5 * np.sin(0.13 * number), 1)
    turn[:, 2] += 4 * np.sin(slow) + 1.6 * np.sin(quick), 4 * np.cos(0.18 * number)
    moved = cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8), np.vstack([turn, [0, 0, 1]])


def _ignore_frame_number(change: Callable[[Picture], Changed]) -> Change:
    return lambda picture, number: change(picture)


FILMED: dict[str, Change] = {
    **{name: _ignore_frame_number(change) for name, change in CHANGES.items()},
    "noise of 4 grey levels": _add_noise,
    "shaken by 4 pixels more": _add_shake,
}
"""Changes of light and camera under which the same video is watched."""


def bench_films(options: Options) -> Iterator[Mapping[str, object]]:
    """Watch other people's videos from a camera in a hand: how many of the rests of a card are
    identified while it rests, video by video, then both under each change of light and camera."""
    folder = options.shared / "tables"
    if not (folder / "films.json").exists():
        raise SystemExit(f"No films in {folder}: films.json and labels.json say which they are.")
    library = enrol_photos(labels.load_labels(folder / "labels.json", only_deck="film", use="reference"))
    video_index = json.loads((folder / "films.json").read_text(encoding="utf-8"))
    rows = {film["film"]: ([film], FILMED["none"]) for film in video_index}
    rows |= {name: (video_index, change) for name, change in FILMED.items()}
    for name, (some, change) in rows.items():
        if options.wants_row(name):
            after, costs, rests, wrong = list[float](), list[float](), 0, 0.0
            for film in some:
                named = _measure_video(folder / film["film"], film, Watcher(library), change, costs)
                rests += len(film["rests"])
                wrong += named.pop(-1, 0)
                after += named.values()
            yield {
                "film": name,
                "rests named": format_share(len(after), rests),
                "s after each came to rest": ", ".join(f"{seconds:.2f}" for seconds in after),
                "frames with a wrong and sure card": f"{wrong:g}",
                "ms of the processor a frame": format_spread(costs, ".0f", 1000),
            }


def _measure_video(
    path: Path, film: Mapping[str, Any], watcher: Watcher, change: Change, costs: list[float]
) -> dict[int, float]:
    """Watch a video to its end. Return, for each rest at which a card of the right name covered its
    spot, how many seconds after its start; and, as number -1, how many frames show a card that is
    not in the video."""
    named: dict[int, float] = {}
    capture, number = cv2.VideoCapture(str(path)), 0
    rate = capture.get(cv2.CAP_PROP_FPS)
    while (read := capture.read())[0]:
        picture, matrix = change(np.asarray(read[1], dtype=np.uint8), number)
        t, number = number / rate, number + 1
        cost, presences = time_call(
            partial(watcher.update, np.ascontiguousarray(picture), t), time.process_time
        )
        costs.append(cost)
        sure = [one for one in presences if one.sure]
        named[-1] = named.get(-1, 0) + any(one.card not in film["in_sight"] for one in sure)
        for i, rest in enumerate(film["rests"]):
            spot = transform_points(matrix, [[rest["x"], rest["y"]]])[0]
            covered = any(one.card == rest["card"] and contains_point(one.quad, spot) for one in sure)
            # only during the rest: afterwards the card may lie elsewhere
            if covered and rest["from"] <= t <= rest["to"]:
                named.setdefault(i, t - rest["from"])
    return named


# an hour

RATE, CALM_RATE = 30, 2
"""Frames a second while something happens, and for a table that has been still for `SETTLED`: an
idle frame costs the same, however many there are."""

TABLES, LASTS, SETTLED, THINGS = 8, 74, 4, 6
"""Number of tables that follow each other; seconds for which each lies there, and after how many of
them it lies still; other things on each (phones, boxes, coasters). Before each, a hand passes for a
second."""


def bench_hour(options: Options) -> Iterator[Mapping[str, object]]:
    """Measure the memory and time of a watcher over an hour of video at 1080p: cards come and go,
    hands pass, the light jumps. A row for every tenth."""
    minutes = 60 * options.times
    watcher, calm = Watcher(Library.from_drawings(scenes.deck())), deque[float](maxlen=60)
    told = row = minutes * 60 / 10
    for t, picture in _generate_frames():
        cost, presences = time_call(partial(watcher.update, picture, t), time.process_time)
        # only frames in which nothing is going on count as calm
        if not watcher.busy:
            calm.append(cost)
        if t >= told:
            # otherwise the figure would include rubbish that Python has not collected yet
            gc.collect()
            yield {
                "film minutes": f"{t / 60:.1f}",
                "memory in use, MB": f"{resident_megabytes(os.getpid()):.0f}",
                "most so far, MB": f"{resident_megabytes(os.getpid(), 'VmHWM'):.0f}",
                "cards in sight": len(presences),
                "followed in all": watcher.track_count,
                "readings begun": watcher.readings_started,
                "calm frame, ms of the processor": format_spread(list(calm), ".1f", 1000),
            }
            told += row
        if told > minutes * 60 + row / 2:
            return


def _generate_frames() -> Iterator[tuple[float, Picture]]:
    """Yield frames, each with its seconds, without end."""
    t = 0.0
    rng = np.random.default_rng(11)
    tables = [_draw_table(rng) for _ in range(TABLES)]
    noise = rng.normal(0, 2, (*tables[0].shape[:2], 1)).astype(np.int8)
    while True:
        for before, after in zip([tables[-1], *tables], tables, strict=False):
            light = float(rng.uniform(0.93, 1.07))
            for i in range(RATE):
                yield t, _draw_arm(before if i < RATE // 2 else after, i / RATE)
                t += 1 / RATE
            shown = np.asarray(np.clip(after * light, 0, 255), dtype=np.uint8)
            # noise in two variants: with the same noise in each frame nothing at all would change
            variants = [_add_grain(shown, noise), _add_grain(shown, np.roll(noise, 7, axis=1))]
            for i in range(SETTLED * RATE + (LASTS - SETTLED) * CALM_RATE):
                yield t, variants[i % 2]
                t += 1 / (RATE if i < SETTLED * RATE else CALM_RATE)


def _place_in_rows(deck: Mapping[str, Picture], ids: Sequence[str], rng: np.random.Generator) -> list[Placed]:
    """Place up to fourteen cards of 130 pixels in two rows, turned at random."""
    spots = [(180 + 250 * (i % 7), 300 + 430 * (i // 7)) for i in range(len(ids))]
    return [
        Placed(c, deck[c], x, y, 130, float(rng.uniform(0, 360)))
        for c, (x, y) in zip(ids, spots, strict=True)
    ]


def _draw_table(rng: np.random.Generator) -> Picture:
    deck = scenes.deck()
    ids = [str(card) for card in rng.permutation(list(deck))[: rng.integers(6, 15)]]
    cards = _place_in_rows(deck, ids, rng) + [_random_object(rng) for _ in range(THINGS)]
    return render(table("wood", *FRAME), cards, Faults(tilt=0.2, blur=0.5, noise=0, jpeg=100)).picture


def _random_object(rng: np.random.Generator) -> Placed:
    """Place something that is not a card at random on the table."""
    high, wide = (int(v) for v in rng.integers(60, 320, 2))
    picture = np.empty((high, wide, 3), dtype=np.uint8)
    picture[:] = rng.integers(0, 255, 3)
    picture[high // 4 : high // 2, wide // 4 : -wide // 4] = rng.integers(0, 255, 3)
    x, y = rng.uniform((100, 100), (1820, 980))
    return Placed(None, picture, float(x), float(y), wide, float(rng.uniform(0, 360)))


def _add_grain(picture: Picture, noise: NDArray[np.signedinteger[Any]]) -> Picture:
    return np.asarray(np.clip(picture.astype(np.int16) + noise, 0, 255), dtype=np.uint8)


def _draw_arm(picture: Picture, along: float) -> Picture:
    """Draw an arm that comes in from below, reaches over the table and goes."""
    shown = picture.copy()
    reach = int(1080 - 900 * np.sin(np.pi * along))
    cv2.line(shown, (900, 1200), (960, reach), (120, 150, 200), 110)
    cv2.circle(shown, (960, reach), 90, (125, 155, 205), -1)
    return shown


# what it costs


@dataclass
class _WatchTimes:
    """Timings of a watcher: seconds of each call until all new cards are identified, on the wall
    and of the processor, and of those after; seconds and frames from laying to identifying, for
    each new card."""

    naming: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    steady: list[float] = field(default_factory=list)
    named: list[float] = field(default_factory=list)
    frames: list[int] = field(default_factory=list)


def bench_frames(options: Options) -> Iterator[Figure]:
    """Measure the cost of a frame of a video at 1080p with 14 cards, and how soon new cards are
    identified, beside decoding the frame and a full ArUco search."""
    rng, deck = np.random.default_rng(5), scenes.deck()
    ids = list(deck)[:14]
    placed = _place_in_rows(deck, ids, rng)
    clean = Faults(tilt=0.2, blur=0.5, noise=0, jpeg=100)
    shown = {left: render(table("wood", *FRAME), placed[: 14 - left], clean).picture for left in (0, 1, 3)}
    jpeg = cv2.imencode(".jpg", shown[0], [cv2.IMWRITE_JPEG_QUALITY, 90])[1]
    noise = [rng.normal(0, 2, shown[0].shape).astype(np.int16) for _ in range(4)]
    watched = {
        new: _time_new_cards(Library.from_drawings(deck), shown[new], shown[0], ids[-new:], noise)
        for new in (1, 3)
    }
    decode = [time_call(lambda: cv2.imdecode(jpeg, cv2.IMREAD_COLOR))[0] for _ in range(20)]
    aruco = [time_call(lambda: markers.find_markers(shown[0]))[0] for _ in range(10)]
    # 33 ms is one frame at thirty a second
    for what, limit, seconds in (
        ("decode the MJPEG frame", "peer", decode),
        ("ArUco over the whole frame", "peer", aruco),
        ("steady", "33 ms", watched[3].steady),
        ("until one new card is named", "33 ms", watched[1].naming),
        ("until three new cards are named", "33 ms", watched[3].naming),
        ("the same, of the processor", "33 ms", watched[3].processor),
    ):
        yield Figure(
            what, f"{format_spread(seconds, '.1f', 1000)} ms", limit, f"median, p95 of {len(seconds)} frames"
        )
    for new, one in watched.items():
        later = ", ".join(f"{count / 30:.2f}" for count in one.frames)
        seconds_named = ", ".join(f"{seconds:.2f}" for seconds in one.named)
        yield Figure(
            f"new cards: {new}, named after", f"{seconds_named} s", "1 s", f"dropping no frame: {later} s"
        )


def _time_new_cards(
    library: Library, before: Picture, after: Picture, new: Sequence[str], noise: Sequence[NDArray[np.int16]]
) -> _WatchTimes:
    """Lay cards at once beside those on the table, and watch with a camera that keeps its thirty
    frames a second and drops those that come while a frame is processed, and with one that drops
    none."""

    def make_frame(picture: Picture, i: int) -> Picture:
        return _add_grain(picture, np.roll(noise[i % 4], i, 1))

    watched, dropping, patient = _WatchTimes(), Watcher(library), Watcher(library)
    # both watchers settle on the first cards
    for i in range(60):
        dropping.update(make_frame(before, i), i / 30)
        patient.update(make_frame(before, i), i / 30)
    found: set[str] = set()
    t = 60 / 30
    for i in range(40):
        picture, used = make_frame(after, i), time.process_time()
        took, presences = time_call(partial(dropping.update, picture, t))
        if len(found) < len(new):
            watched.naming.append(took)
            watched.processor.append(time.process_time() - used)
        # a frame that took longer than its share makes the camera drop the next
        t += max(1 / 30, took)
        fresh = {str(p.card) for p in presences if p.sure and p.card in new} - found
        watched.named += [t - 60 / 30] * len(fresh)
        found |= fresh
        sure = sum(p.sure and p.card in new for p in patient.update(picture, (60 + i) / 30))
        watched.frames += [i] * (sure - len(watched.frames))
    watched.steady += [
        time_call(partial(dropping.update, make_frame(after, i), t + i / 30))[0] for i in range(90)
    ]
    return watched


def bench_first_look(options: Options) -> Iterator[Figure]:
    """Measure the first look at a table: its outlines, in a picture of a 1080p camera's size."""
    pictures = {
        f"{Path(one.name).stem}, {len(one.cards)} cards": _fit_to_frame(photo.load_photo(one.path))
        for one in load_all_photos(options)
        if one.name in PHOTOS
    }
    rng, deck = np.random.default_rng(11), scenes.deck()
    for name in ("pale", "wood", "picnic 60"):
        picture, _ = lay_cards(
            CLOTHS[name](*FRAME), deck, list(deck)[::3][:12], 110, Faults(tilt=0.2, blur=0.5), rng
        )
        pictures[f"drawn table, {name}, 12 cards"] = picture
    for name, picture in pictures.items():
        ms = best_milliseconds(partial(find_outlines, picture))
        yield Figure(f"first look: {name}", f"{ms:.0f} ms", "60 ms", "of one core, the least of 3", ms <= 60)


def _fit_to_frame(image: Picture) -> Picture:
    """Return the photograph in the size of a 1080p camera's picture, upright if it is; the rest of
    the frame shows its own table, mirrored."""
    height, width = image.shape[:2]
    frame = FRAME if width > height else FRAME[::-1]
    scale = min(frame[0] / width, frame[1] / height)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    wide, high = frame[0] - small.shape[1], frame[1] - small.shape[0]
    left, top = wide // 2, high // 2
    filled = cv2.copyMakeBorder(small, top, high - top, left, wide - left, cv2.BORDER_REFLECT_101)
    return np.asarray(filled, np.uint8)


def bench_cards(options: Options) -> Iterator[Figure]:
    """Measure the cost of reading: a card of which the reader is sure, one of which it is not, each
    alone among all designs of its deck; and other people's photographs."""
    costs: dict[bool, list[float]] = {True: [], False: []}
    photos: dict[str, float] = {}
    for one in load_tables(options):
        if options.wants_row(one.name):
            # of a larger table, the first photograph stands for the others like it
            image, reader = photo.load_photo(one.photos[0].path), make_reader(one.library)
            photos[f"{one.name}, {len(one.photos[0].cards)} cards"] = best_milliseconds(
                partial(reader.read, image)
            )
            for reading in reader.read(image):
                alone = partial(identify_card, image, reading.quad, reader.library)
                costs[reader.apply_margins(alone()).sure].append(best_milliseconds(alone))
    for sure, limit in ((True, 20), (False, 100)):
        middle, most = (quantile(costs[sure], part) if costs[sure] else 0 for part in (0.5, 0.95))
        figure = f"{middle:.0f} ms, 95 of 100 within {most:.0f}"
        what = f"{'a sure' if sure else 'an unsure'} card"
        yield Figure(what, figure, f"{limit} ms", f"{len(costs[sure])} cards, one core, the least of 3")
    for name, cost in photos.items():
        yield Figure(
            f"photograph: {name}", f"{cost:.0f} ms", "2000 ms for 27 cards", "one core, the least of 3"
        )


def bench_pawns(options: Options) -> Iterator[Mapping[str, object]]:
    """Read moves of pawns on our printed board, drawn: how many the camera reads rightly, asks
    about, and reads wrongly.

    Cards with several legal plays, of games between simulated players. Of each move two pictures
    are examined: one in which an arm still lies over the board, and, if that is not enough, one
    without. Asked: nothing is played before somebody says which play it was. Wrong: another play
    than was made. Alike: two pawns of one colour changed places, which cannot be seen, and is
    asked.
    """
    lies = build_camera_board()
    rng, games = np.random.default_rng(options.seed), turns(options.seed)
    for setting in SETTINGS:
        if not options.wants_row(setting.name):
            continue
        outcomes: Counter[str] = Counter()
        seconds = []
        for turn in islice(games, options.scale_count(30)):
            after = [format_places(seat, turn.after) for seat in range(4)]
            for arm in (True, False):
                picture = shot(setting, after, rng, arm=arm)
                took, found = time_call(partial(_recognize_move, picture, lies, turn))
                seconds.append(took)
                if len(found) == 1:
                    break
            ends = [apply_play(turn.state.pawns, one, turn.card, turn.state.setup.options) for one in found]
            # a move that leaves the colour of every spot as it was cannot be seen
            seen = build_position(turn.state.pawns) != build_position(turn.after) or bool(ends)
            answer = "asked" if len(ends) != 1 else "right" if ends == [turn.after] else "wrong"
            outcomes[answer if seen else "alike"] += 1
        every = sum(outcomes.values()) - outcomes["alike"]
        counts = {name: format_share(outcomes[name], every) for name in ("right", "asked", "wrong")}
        looks = {
            "alike before and after": outcomes["alike"],
            "ms a look": format_spread(seconds, ".0f", 1000),
        }
        yield {"pawns": setting.name, "moves": every, **counts, **looks}


def _recognize_move(picture: Picture, board: PrintedBoard, turn: Turn) -> tuple[Steps, ...]:
    found = find_board_plane(picture, board)
    if found is None:
        return ()
    seen = detect_pawns(picture, board, found)
    sighting = BoardClaim(tuple(sorted(seen.pawns.items())), tuple(sorted(seen.hidden)))
    return find_seen_plays(turn.state, sighting, turn.card)


WRONG = 2.0
"""Number of unsure cards that are as bad as a wrong one: people enrol whole decks, and an unsure
card stops the game. On tables left out 331 of 352 cards are right and sure with 4, and 2 of no
design are identified; with 2, 335 and 3."""

SOFT = 0.15
"""Log odds within which a card counts in part on both sides of the limit: one limit for all tables
must not depend on a single card."""

GRID = np.round(np.arange(-1.0, 3.01, 0.1), 1)
"""Limits that are tried: a card that shows another print by more than e to 1, as the network
judges, is never sure."""


@dataclass(frozen=True)
class VerifierCase:
    """One reading of which the verifier was asked. `card`: the card on which it lies (None for
    none); `right`: whether it is right; `odds`: the verifier's answer; `all_known`: whether no
    design was left out."""

    card: tuple[str, int] | None
    right: bool
    odds: float
    all_known: bool


@dataclass
class TableAnswers:
    """The verifier's answers on one table. `settled`: cards that are right and sure whatever the
    limit is; `cards`: those fully visible; `strangers`: cards of designs that were left
    out."""

    name: str
    cards: int
    strangers: int = 0
    settled: set[tuple[str, int]] = field(default_factory=set)
    asked: list[VerifierCase] = field(default_factory=list)

    def count_at_limit(self, limit: float) -> tuple[int, int, int, int, int]:
        """Count cards, right and sure ones, wrong and sure ones, unknown cards, and those
        identified, with this limit."""
        sure = [a for a in self.asked if a.odds >= limit]
        right = {a.card for a in sure if a.right and a.all_known} | self.settled
        wrong = sum(not a.right and a.all_known for a in sure)
        return (
            self.cards,
            len(right),
            wrong,
            self.strangers,
            sum(not a.right and not a.all_known for a in sure),
        )


def bench_limits(options: Options) -> Iterator[Mapping[str, object]]:
    """Choose the verifier's limit again: each table read with the limit of the others, all with
    their own, and all with the one in use."""
    tables = [_collect_answers(one) for one in load_tables(options)]
    rows = []
    for one in tables:
        limit = choose_limit([t for t in tables if t is not one])
        rows.append(one.count_at_limit(limit))
        yield _format_limit_row(one.name, rows[-1:], f"{limit:g}")
    yield _format_limit_row("all, each as left out", rows, "")
    for name, limit in (
        ("none: chosen from all", choose_limit(tables)),
        ("none: in use", print_check.SAME_PRINT_SCORE),
    ):
        yield _format_limit_row(name, [one.count_at_limit(limit) for one in tables], f"{limit:g}")


def _format_limit_row(
    name: str, rows: Sequence[tuple[int, int, int, int, int]], limit: str
) -> Mapping[str, object]:
    cards, right, wrong, strangers, named = (sum(column) for column in zip(*rows, strict=True))
    cells = {
        "left out": name,
        "cards": cards,
        "right, sure": format_share(right, cards),
        "wrong, sure": wrong,
    }
    return {**cells, "strangers named": f"{named} of {strangers}", "limit": limit}


def choose_limit(tables: Sequence[TableAnswers]) -> float:
    """Return the limit that costs least on these tables."""
    # with designs left out only wrong answers count: the right ones have been counted before
    asked = [a for t in tables for a in t.asked if a.all_known or not a.right]
    odds = np.array([a.odds for a in asked])
    right = np.array([a.right for a in asked], dtype=bool)
    # a soft step: near the limit a card counts on both sides
    passes = 1 / (1 + np.exp(-(odds[None] - GRID[:, None]) / SOFT))
    cost = np.where(right, 1 - passes, WRONG * passes).sum(axis=1)
    return float(GRID[cost.argmin()])


def _collect_answers(table: Table) -> TableAnswers:
    """Read a table with all designs, and with each quarter of them left out."""
    every = [c for p in table.photos for c in p.cards if c.is_whole]
    answers = TableAnswers(table.name, len(every))
    for reader in (make_reader(table.library), *make_lacking_readers(table.library)):
        known = set(reader.library.designs)
        answers.strangers += sum(c.card not in known for c in every) * (known != set(table.library.designs))
        for one in table.photos:
            if known == set(table.library.designs) or any(c.card not in known for c in one.cards):
                _record_photo(reader, one, answers, known == set(table.library.designs))
    return answers


def _record_photo(reader: Reader, labelled: LabelledPhoto, answers: TableAnswers, all_known: bool) -> None:
    """Record the verifier's answers in one photograph, and the cards that are right and sure
    without it."""
    seen: list[Reading] = []

    def record_verified(found: Sequence[Reading]) -> VisionSteps[list[Reading]]:
        decided = yield from print_check.verify_prints_in_steps(found)
        seen.extend(decided)
        return decided

    # the answers are not part of a reader's result: they are caught where it uses them
    with patch("vision.reader.verify_prints_in_steps", record_verified):
        reader.read(photo.load_photo(labelled.path))
    for now in seen:
        at = next((i for i, c in enumerate(labelled.cards) if contains_point(now.quad, (c.x, c.y))), None)
        if at is not None and not labelled.cards[at].is_whole:
            continue
        right = at is not None and labelled.cards[at].card == now.card
        card = None if at is None else (labelled.name, at)
        if np.isfinite(now.same) and not now.proven:
            answers.asked.append(VerifierCase(card, right, now.same, all_known))
        elif now.sure and right and card is not None and all_known:
            answers.settled.add(card)
