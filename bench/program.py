"""Measure the program without a screen (the referee, manual entry, memory after an evening) and its
sources.

Of the sources: folders, files, lines, lengths of functions, each beside the same count at an older
commit. A comment line is one with a comment meant for a reader (`# noqa` and the like do not
count). The reason for a constant's value is given in a docstring under it here as often as in a
comment, so that help and editors show it; those lines are counted separately. Peers by the same
count: python-chess 1.11 has 3.2 % of comment lines, h11 0.16 with its tests 16.9 %.
"""

from __future__ import annotations

import ast
import asyncio
import gc
import io
import itertools
import json
import math
import os
import re
import socket
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.harness import Figure, Options, megabytes, timed
from companion.demo.actions import players_of
from companion.games.partners.cards import KINDS, SPLIT
from companion.games.partners.moves import Fold
from companion.live.live import Live
from companion.plan import Plan
from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Refusal, Request
from companion.rules.session import Session
from companion.rules.start import Start, begin
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import entering
from companion.views.entry import Way, awaited
from companion.views.evening import BARE, Evening
from tests.simulated.by_hand import answers
from tests.simulated.by_hand import keys as keys_of
from tools.class_names import last_name, named_twice, of_moves

FOUR = ("Ann", "Bob", "Chloé", "Dan")
TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("donkey_valley", 7, {}),
    ("dtc", 6, {}),
    ("ochs_und_esel", 7, {"ox": True}),
    ("ochs_und_esel", 12, {}),
    ("partners", 4, {}),
    ("ascend", 4, {"bidding": True}),
]
"""Every game at its fullest table. A new game adds a row."""
LIMIT = 5_000
"""Requests a second on one core that every game must reach."""
TIMES = 2
"""Greatest ratio of the time for an answer to a bare JSON round trip."""
GAMES = ROUNDS = 5
MID_GAME = range(60, 160, 4)
"""Numbers of requests in a game of Partners after which its legal moves are requested."""


def played(game: str, players: Sequence[str], seed: int, options: Mapping[str, Any]) -> tuple[Start, Session]:
    """Let simulated players play one whole game."""
    start = Start(game, list(players), dict(options), seed)
    begun = begin(start)
    assert not isinstance(begun, Refusal)
    session = Session(*begun)
    seats = players_of(session.setup)
    while (deed := seats.next(session.acts(), session.view())) is not None:
        session.act(deed.request)
    return start, session


def _lines(game: str, players: int, seed: int, options: Mapping[str, Any]) -> list[bytes]:
    """Return one whole game as the referee's lines, the `start` first."""
    names = [f"Player {number}" for number in range(1, players + 1)]
    start, session = played(game, names, seed, options)
    return [msgspec.json.encode(request) for request in (start, *(act.request for act in session.acts()))]


Talk = list[tuple[bytes, bool]]
"""The lines sent to one referee, each with whether the answer to it is timed."""


def referee(options: Options) -> Iterator[Figure]:
    """Measure requests a second in every game and the legal moves of Partners, each answer beside a
    bare JSON round trip; and the time from the start of the program to the first answer."""
    for game, players, mix in TABLES:
        if options.wants(game):
            games = [_lines(game, players, seed, mix) for seed in range(GAMES)]
            said = "".join(f", {name} {value}" for name, value in mix.items())
            what = f"{players} players{said}; {GAMES} games, views included"
            yield _answered(
                f"referee: {game}", [[(line, True) for line in one] for one in games], what, LIMIT
            )
    if options.wants("partners: moves"):
        plain = [card for card in KINDS if card != SPLIT]
        what = "questions in mid-game of 3 games"
        yield _answered("partners: moves, all but the seven", _questions(plain), what, LIMIT)
        # the seven's moves need a search
        yield _answered("partners: moves, the seven", _questions([SPLIT]), what, 50, math.inf)
    line = msgspec.json.encode(Start("donkey_valley", [f"Player {number}" for number in range(1, 8)]))
    words = [sys.executable, "-m", "companion", "referee"]
    start = partial(subprocess.run, words, input=line, capture_output=True, check=True)
    ms = 1000 * statistics.median(timed(start)[0] for _ in range(9))
    conditions = "interpreter included, with a game of seven started, median of 9"
    yield Figure("referee, start to first answer", f"{ms:.0f} ms", "300 ms", conditions, ms < 300)


def _answered(what: str, talks: list[Talk], conditions: str, least: int, most: float = TIMES) -> Figure:
    """Time each answer, and beside it the time that Python alone needs to read the request and to
    write the answer (`json.loads`, `json.dumps`): in turns, the best of several rounds, because
    other programs run too."""
    taken: list[tuple[float, float]] = []
    listed = 0
    for talk in talks:
        rounds = []
        for _ in range(ROUNDS):
            told, moves = Referee(), 0
            gc.collect()
            one: list[tuple[float, float]] = []
            for line, counts in talk:
                # an error would be quick, and count as a fast answer
                ours, answer = timed(partial(told.answer, line))
                if not answer.startswith(b'{"ok":true'):
                    raise RuntimeError(line.decode())
                if counts:
                    said = json.loads(answer)
                    moves += len(said.get("moves", ()))
                    one.append((ours, timed(lambda: (json.loads(line), json.dumps(said)))[0]))  # noqa: B023
            rounds.append(one)
        listed += moves
        # the best of the rounds, answer by answer
        taken += [(min(o for o, _ in same), min(b for _, b in same)) for same in zip(*rounds, strict=True)]
    seconds, bare = map(sum, zip(*taken, strict=True))
    rate, times = len(taken) / seconds, seconds / bare
    moves_too = f", {listed} moves listed" if listed else ""
    said_of = f"{conditions}; {len(taken)} answers{moves_too}; {times:.1f} x a bare JSON round trip; best of {ROUNDS}"
    limit = f"{least:,}" + (f", {most:g} x" if most < math.inf else "")
    return Figure(what, f"{rate:,.0f} a second", limit, said_of, rate >= least and times <= most)


def _questions(cards: Sequence[str]) -> list[Talk]:
    """Make three games of Partners in which, in mid-game, the legal moves of each of `cards` are
    requested."""
    talks = []
    for seed in range(3):
        talk: Talk = []
        told = Referee()
        for number, line in enumerate(_lines("partners", 4, seed, {})):
            talk.append((line, False))
            view = json.loads(told.answer(line))["view"]
            if number in MID_GAME and view["phase"] == "play":
                ask = {"do": "moves", "player": view["waiting_for"][0]["player"]}
                each = [json.dumps({**ask, "card": card}).encode() for card in cards]
                # not for a card whose every copy has been played
                talk += [(one, True) for one in each if json.loads(told.answer(one))["ok"]]
        talks.append(talk)
    return talks


# entry by hand

TYPED = 2
"""Rounds that are typed: Donkey Valley's rounds, hands, deals; of DTC, which has none, the whole
game."""
AIMS = {"donkey_valley": 15, "ochs_und_esel": 90, "ascend": 90, "ochs_und_esel hands_only": 25}
"""Greatest number of keys in a round: of Ochs & Esel at most two for a play, of Ascend three for a
pair."""


def keys(options: Options) -> Iterator[Figure]:
    """Count the keys of manual entry, for a round and an act of each game with four players, in the
    entry panel.

    Simulated players play first; then the same acts are entered as a person would who looks at the
    entry panel: it is opened once, one key enters an act that all players do alike, and of players
    who act together the displayed one comes first.
    """
    games: list[tuple[str, dict[str, Any]]] = [(game, {}) for game in registry.game_ids()]
    for game, mix in [*games, ("ochs_und_esel", {"hands_only": True})]:
        name = " ".join([game, *mix])
        if options.wants(name):
            wanted, rounds = _rounds(game, mix)
            acts, live = len(wanted), begun(game, mix)
            typed = 1  # Enter opens the panel
            while wanted:
                pressed, done = _next_keys(live, wanted)
                typed += len(pressed)
                for one in done:
                    refusal = live.submit(one)
                    assert refusal is None, (pressed, refusal)
                    wanted.remove(one)
            kind = "game" if live.snapshot().rounds[0].label is None else "round"
            figure = f"{typed / rounds:.0f} a {kind}, {typed / acts:.1f} an act"
            conditions = f"{typed} keys, {acts} acts, {rounds} {kind}(s), four players, the panel open"
            aim = AIMS.get(name)
            kept = aim is None or typed / rounds <= aim
            yield Figure(f"keys by hand: {name}", figure, f"{aim} a round" if aim else "–", conditions, kept)


def _rounds(game: str, mix: Mapping[str, Any]) -> tuple[list[Request], int]:
    """Let simulated players play some rounds; return their acts as they can be entered manually,
    and the number of rounds."""
    live = begun(game, mix)
    players, done = players_of(live.setup), list[Request]()
    while len(live.snapshot().rounds) <= TYPED:
        deed = players.next(live.acts(), live.snapshot().view)
        if deed is None:
            return done, len(live.snapshot().rounds)
        # entered manually, folded cards are not named
        request = Fold(deed.request.player) if isinstance(deed.request, Fold) else deed.request
        refusal = live.submit(request)
        assert refusal is None, refusal
        done.append(request)
    return done[:-1], TYPED


def _next_keys(live: Live, wanted: Sequence[Request]) -> tuple[list[str], list[Request]]:
    """Return the next keys, and the acts that they enter."""
    say = Translator("en", live.game)
    together = [one for one in wanted[: len(awaited(live.snapshot()))] if type(one) is type(wanted[0])]
    menu = next(entering(live, BARE, None, say))
    for reply in menu.replies:
        way = reply.value
        for_all = isinstance(way, Way) and way.for_all and len(together) > 1
        if for_all and all(_alike(way.choice.request, one) for one in together):
            return list(reply.key), together
    shown = menu.standing.player if menu.standing else None
    one = next((one for one in together if getattr(one, "player", None) == shown), wanted[0])
    return list(keys_of(answers(lambda: entering(live, BARE, None, say), one))), [one]


def _alike(one: Request, other: Request) -> bool:
    mine = {name: getattr(one, name) for name in one.__struct_fields__ if name != "player"}
    return type(one) is type(other) and all(getattr(other, name) == value for name, value in mine.items())


def begun(game: str, mix: Mapping[str, Any]) -> Live:
    """Begin a game of four, always with the same seed."""
    new = begin(Start(game, list(FOUR), dict(mix), 3))
    assert not isinstance(new, Refusal)
    deck = Deck.builtin(game)
    return Live(*new, table=Table(deck), cards=tuple(deck.cards))


# the table alone in a process, and then its server: this module imports neither camera nor server

WATCHED = 5.0
"""Seconds for which the processor's time is counted."""


def serve(secure: bool, told: Connection) -> None:
    """Run a table and its server in this process; send the port, the link, MB of the table alone,
    MB with the server and seconds of the processor; and the last two again on request."""
    live = begun("donkey_valley", {})
    say = Translator("en", live.game)
    without = _rested(0)[0]
    from companion.share.access import WATCH  # noqa: PLC0415 - what it takes is measured
    from companion.share.address import LOOPBACK, ServerAddress  # noqa: PLC0415
    from companion.share.running import Share  # noqa: PLC0415

    share = Share(
        ServerAddress(socket.create_server((LOOPBACK, 0)), LOOPBACK, secure), say, Evening(Plan(), live)
    )
    share.start()
    with closing(share):
        told.send((share.place.port, share.doors.link(WATCH), without, *_rested(WATCHED)))
        told.recv()
        told.send(_rested(WATCHED))
        told.recv()


def _rested(seconds: float) -> tuple[float, float]:
    """Return the memory that this process has resident, in MB, and its processor time in the
    seconds before."""
    used, _ = timed(partial(time.sleep, seconds), time.process_time)
    return megabytes(os.getpid()), used


def memory(options: Options) -> Iterator[Figure]:
    """Measure the memory of one process after four games, each with its dashboard: an evening of
    four hours.

    The acts are entered manually; the memory of a camera's reader is not included.
    """
    games = options.many(4)
    held = asyncio.run(_games(games))
    figure = f"{held[-1]:.0f} MB (+{held[-1] - held[0]:.1f})"
    conditions = f"{games} games, dashboard open; + since the first"
    yield Figure("memory after a simulated evening", figure, "300 MB", conditions, held[-1] < 300)


async def _games(games: int) -> list[float]:
    from companion.plan import Plan  # noqa: PLC0415 - what it takes is measured
    from companion.views.dashboard.app import Dashboard  # noqa: PLC0415
    from companion.views.evening import Evening  # noqa: PLC0415

    held = []
    for _ in range(games):
        live = begun("donkey_valley", {})
        players = players_of(live.setup)
        shown = Dashboard(Evening(Plan(), live), clock=lambda: 0.0)
        async with shown.run_test(size=(120, 40)) as pilot:
            while (deed := players.next(live.acts(), live.snapshot().view)) is not None:
                live.submit(deed.request)
                await pilot.pause()
        held.append(megabytes(os.getpid()))
    return held


HOME = Path(__file__).resolve().parents[1]
BEFORE = "0afb99d"
"""Commit before the sources were rebuilt from fewer ideas."""
ROOMS = ("companion", "vision", "bench", "hardware", "firmware", "tools", "tests")
_FOR_TOOLS = re.compile(r"# ?(noqa|type:|fmt:|pragma)")


class Count(NamedTuple):
    """The counts of one tree. `program`: lines of `companion` and `vision` alone."""

    rooms: int
    files: int
    lines: int
    program: int
    functions: list[int]
    parameters: int
    comments: int
    constants: int
    by_room: Mapping[str, int]
    house: Mapping[str, str]


def count(home: Path) -> Count:
    """Count one tree; functions, parameters, comments and docstrings of the program alone."""
    files = [file for room in ROOMS for file in sorted((home / room).rglob("*.py"))]
    program = [file for file in files if file.relative_to(home).parts[0] in ("companion", "vision")]
    texts = [file.read_text(encoding="utf-8") for file in program]
    trees = [ast.parse(text) for text in texts]
    functions = [node for tree in trees for node in _functions(tree)]
    return Count(
        rooms=len({file.parent for file in program}),
        files=len(program),
        lines=sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files),
        program=sum(len(text.splitlines()) for text in texts),
        functions=[(one.end_lineno or one.lineno) - one.lineno + 1 for one in functions],
        parameters=max(_parameters(one) for one in functions),
        comments=sum(map(_comment_lines, texts)),
        constants=sum(map(_constant_docstrings, trees)),
        by_room=_by_room(home, program, texts),
        house=dict(_ideas(home, program, texts, trees)),
    )


def house(options: Options) -> Iterator[Figure]:
    """Measure the sources themselves: folders, files, lines, functions, how often one idea was
    written, each beside the same count at an older commit."""
    now = count(HOME)
    with tempfile.TemporaryDirectory() as folder:
        # a clone without its history lacks the older commit: the figures then stand alone
        archive = subprocess.run(["git", "archive", BEFORE], cwd=HOME, capture_output=True, check=False)
        if archive.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
                packed.extractall(folder, filter="data")
        old = count(Path(folder)) if archive.returncode == 0 else None
    program = "companion and vision"
    shown = {} if old is None else dict(_figures(old))
    rooms = sorted({*now.by_room, *(old.by_room if old else ())})
    for name, figure in _figures(now):
        where = "all folders, tests too" if name.startswith("Python") else program
        yield Figure(name, figure, f"{shown[name]} at {BEFORE}" if shown else "–", where)
    for room in rooms:
        then = f"{old.by_room.get(room, 0):,} at {BEFORE}" if old else "–"
        yield Figure(f"lines of {room}", f"{now.by_room.get(room, 0):,}", then, "of them")


def _ideas(
    home: Path, files: list[Path], texts: list[str], trees: list[ast.Module]
) -> Iterator[tuple[str, str]]:
    """Count what the size of a file does not show: how many ideas there are, and how often each was
    written."""
    lines = [len(text.splitlines()) for text in texts]
    rules = [at for at, file in enumerate(files) if _is_rules(file.relative_to(home))]
    yield "rules: files, lines", f"{len(rules)}, {sum(lines[at] for at in rules):,}"
    yield "file: median of lines", f"{statistics.median(lines):.0f}"
    own = {
        ".".join(file.relative_to(home).with_suffix("").parts): tree
        for file, tree in zip(files, trees, strict=True)
    }
    # a package is imported by its folder's name
    own = {name.removesuffix(".__init__"): tree for name, tree in own.items()}
    importers = _importers(own)
    # `__main__` is started, not imported
    once = sum(len(importers[name]) == 1 for name in own if not name.endswith("__main__"))
    yield "modules with exactly one importer", f"{once} of {len(own)}"
    tables = [size for name, tree in own.items() if of_moves(name) for size in _tables(tree)]
    yield "tables over moves in rules and players", f"{len(tables)} ({sum(tables)} entries)"
    yield "class names that mean several things", f"{len(named_twice(own))}"
    lazy = sum("noqa: PLC0415" in line and "import" in line for text in texts for line in text.splitlines())
    yield "imports in functions, with noqa", f"{lazy}"
    bench = list((home / "bench").rglob("*.py"))
    yield (
        "bench: files, lines",
        (f"{len(bench)}, {sum(len(file.read_text(encoding='utf-8').splitlines()) for file in bench):,}"),
    )


def _is_rules(file: Path) -> bool:
    """Check whether a file belongs to the rules: the contract's, or a game's except its panel and
    its players."""
    beside = file.stem in ("panel", "player")
    return file.parts[:2] in (("companion", "rules"), ("companion", "games")) and not beside


def _importers(trees: Mapping[str, ast.Module]) -> Mapping[str, set[str]]:
    """Return, for each module, the other modules that import it or a name from it."""
    found: dict[str, set[str]] = {name: set() for name in trees}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            said: list[str] = []
            if isinstance(node, ast.Import):
                said = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{one.name}" for one in node.names]
                said = [one if one in found else node.module for one in inner]
            for one in said:
                if one in found and one != name:
                    found[one].add(name)
    return found


def _tables(tree: ast.Module) -> Iterator[int]:
    """Yield the size of each table of actions: its keys are classes of moves, phases or names of
    requests, its values functions or records of them."""
    functions = {one.name for one in _functions(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict) or len(node.keys) < 2:
            continue
        keys = all(
            (
                isinstance(key, ast.Name | ast.Attribute)
                and last_name(key)[:1].isupper()
                and not last_name(key).isupper()
            )
            or (isinstance(key, ast.Constant) and isinstance(key.value, str))
            for key in node.keys
        )
        values = all(
            isinstance(value, ast.Name | ast.Attribute | ast.Lambda)
            or (isinstance(value, ast.Call) and last_name(value.func)[:1].isupper())
            for value in node.values
        )
        called = any(
            isinstance(value, ast.Lambda)
            or (isinstance(value, ast.Name) and value.id in functions)
            or (isinstance(value, ast.Call) and any(_names(value) & functions))
            for value in node.values
        )
        if keys and values and called:
            yield len(node.keys)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _by_room(home: Path, files: Iterable[Path], texts: Iterable[str]) -> Mapping[str, int]:
    """Count the lines of `vision`, of each package of `companion`, and of the files beside them."""
    lines: Counter[str] = Counter()
    for file, text in zip(files, texts, strict=True):
        room, *rest = file.relative_to(home).parts[:-1]
        lines["/".join([room, *rest[:1]]) if room == "companion" else room] += len(text.splitlines())
    return lines


def _figures(one: Count) -> Iterable[tuple[str, str]]:
    lengths = sorted(one.functions)
    yield "rooms: folders with sources", f"{one.rooms}"
    yield "files", f"{one.files}"
    yield "lines of the program", f"{one.program:,}"
    yield "Python altogether, lines", f"{one.lines:,}"
    yield "functions", f"{len(lengths):,}"
    tenth = statistics.quantiles(lengths, n=10)[8]
    yield (
        "function: median, 90th percentile, longest",
        f"{statistics.median(lengths):.0f}, {tenth:.0f}, {lengths[-1]}",
    )
    yield "longest parameter list", f"{one.parameters}"
    yield "comment lines", f"{one.comments} ({100 * one.comments / one.program:.2f} %)"
    yield (
        "docstring lines under constants and fields",
        f"{one.constants} ({100 * one.constants / one.program:.2f} %)",
    )
    yield from one.house.items()


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def _comment_lines(text: str) -> int:
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    # a line counts once, whatever comments it has
    return len(
        {one.start[0] for one in found if one.type == tokenize.COMMENT and not _FOR_TOOLS.match(one.string)}
    )


def _constant_docstrings(tree: ast.AST) -> int:
    lines = 0
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
        for before, one in itertools.pairwise(body):
            said = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            if said and isinstance(before, ast.Assign | ast.AnnAssign):
                lines += (one.end_lineno or one.lineno) - one.lineno + 1
    return lines
