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

from bench.harness import Figure, Options, resident_megabytes, time_call
from companion.demo.actions import make_players
from companion.games.partners.cards import KINDS, SPLIT
from companion.games.partners.moves import Fold
from companion.live.live_session import LiveSession
from companion.plan import Plan
from companion.referee import Referee
from companion.rules import registry
from companion.rules.contract import Refusal, Request
from companion.rules.session import Session
from companion.rules.start import Start, prepare_game
from companion.table.decks import Deck
from companion.table.table import Table
from companion.texts import Translator
from companion.views.conversations import prompt_for_entry
from companion.views.entry_options import Way, list_awaited_players
from companion.views.table_session import NO_BACKSTAGE, TableSession
from tests.simulated.by_hand import answers
from tests.simulated.by_hand import keys as keys_of
from tools.class_names import find_ambiguous_names, is_moves_module, last_part_of_name

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


def play_game(
    game: str, players: Sequence[str], seed: int, options: Mapping[str, Any]
) -> tuple[Start, Session]:
    """Let simulated players play one whole game."""
    start = Start(game, list(players), dict(options), seed)
    begun = prepare_game(start)
    assert not isinstance(begun, Refusal)
    session = Session(*begun)
    seats = make_players(session.setup)
    while (deed := seats.next_action(session.list_acts(), session.view())) is not None:
        session.act(deed.request)
    return start, session


def _game_as_lines(game: str, players: int, seed: int, options: Mapping[str, Any]) -> list[bytes]:
    """Return one whole game as the referee's lines, the `start` first."""
    names = [f"Player {number}" for number in range(1, players + 1)]
    start, session = play_game(game, names, seed, options)
    return [
        msgspec.json.encode(request) for request in (start, *(act.request for act in session.list_acts()))
    ]


Talk = list[tuple[bytes, bool]]
"""The lines sent to one referee, each with whether the answer to it is timed."""


def bench_referee(options: Options) -> Iterator[Figure]:
    """Measure requests a second in every game and the legal moves of Partners, each answer beside a
    bare JSON round trip; and the time from the start of the program to the first answer."""
    for game, players, mix in TABLES:
        if options.wants_row(game):
            games = [_game_as_lines(game, players, seed, mix) for seed in range(GAMES)]
            mix_text = "".join(f", {name} {value}" for name, value in mix.items())
            what = f"{players} players{mix_text}; {GAMES} games, views included"
            yield _time_answers(
                f"referee: {game}", [[(line, True) for line in one] for one in games], what, LIMIT
            )
    if options.wants_row("partners: moves"):
        plain = [card for card in KINDS if card != SPLIT]
        what = "questions in mid-game of 3 games"
        yield _time_answers("partners: moves, all but the seven", _make_questions(plain), what, LIMIT)
        # the seven's moves need a search
        yield _time_answers("partners: moves, the seven", _make_questions([SPLIT]), what, 50, math.inf)
    line = msgspec.json.encode(Start("donkey_valley", [f"Player {number}" for number in range(1, 8)]))
    words = [sys.executable, "-m", "companion", "referee"]
    start = partial(subprocess.run, words, input=line, capture_output=True, check=True)
    ms = 1000 * statistics.median(time_call(start)[0] for _ in range(9))
    conditions = "interpreter included, with a game of seven started, median of 9"
    yield Figure("referee, start to first answer", f"{ms:.0f} ms", "300 ms", conditions, ms < 300)


def _time_answers(
    label: str, talks: list[Talk], conditions: str, least_rate: int, most: float = TIMES
) -> Figure:
    """Time each answer, and beside it the time that Python alone needs to read the request and to
    write the answer (`json.loads`, `json.dumps`): in turns, the best of several rounds, because
    other programs run too."""
    taken: list[tuple[float, float]] = []
    listed = 0
    for talk in talks:
        rounds = []
        for _ in range(ROUNDS):
            referee, moves = Referee(), 0
            gc.collect()
            one: list[tuple[float, float]] = []
            for line, counts in talk:
                # an error would be quick, and count as a fast answer
                ours, answer = time_call(partial(referee.answer_line, line))
                if not answer.startswith(b'{"ok":true'):
                    raise RuntimeError(line.decode())
                if counts:
                    reply = json.loads(answer)
                    moves += len(reply.get("moves", ()))
                    one.append((ours, time_call(lambda: (json.loads(line), json.dumps(reply)))[0]))  # noqa: B023
            rounds.append(one)
        listed += moves
        # the best of the rounds, answer by answer
        taken += [(min(o for o, _ in same), min(b for _, b in same)) for same in zip(*rounds, strict=True)]
    seconds, bare = map(sum, zip(*taken, strict=True))
    rate, times = len(taken) / seconds, seconds / bare
    moves_too = f", {listed} moves listed" if listed else ""
    said_of = f"{conditions}; {len(taken)} answers{moves_too}; {times:.1f} x a bare JSON round trip; best of {ROUNDS}"
    limit = f"{least_rate:,}" + (f", {most:g} x" if most < math.inf else "")
    return Figure(label, f"{rate:,.0f} a second", limit, said_of, rate >= least_rate and times <= most)


def _make_questions(cards: Sequence[str]) -> list[Talk]:
    """Make three games of Partners in which, in mid-game, the legal moves of each of `cards`
    are requested."""
    talks = []
    for seed in range(3):
        talk: Talk = []
        referee = Referee()
        for number, line in enumerate(_game_as_lines("partners", 4, seed, {})):
            talk.append((line, False))
            view = json.loads(referee.answer_line(line))["view"]
            if number in MID_GAME and view["phase"] == "play":
                ask = {"do": "moves", "player": view["waiting_for"][0]["player"]}
                each = [json.dumps({**ask, "card": card}).encode() for card in cards]
                # not for a card whose every copy has been played
                talk += [(one, True) for one in each if json.loads(referee.answer_line(one))["ok"]]
        talks.append(talk)
    return talks


# entry by hand

TYPED = 2
"""Rounds that are typed: Donkey Valley's rounds, hands, deals; of DTC, which has none, the whole
game."""
AIMS = {"donkey_valley": 15, "ochs_und_esel": 90, "ascend": 90, "ochs_und_esel hands_only": 25}
"""Greatest number of keys in a round: of Ochs & Esel at most two for a play, of Ascend three for a
pair."""


def bench_keys(options: Options) -> Iterator[Figure]:
    """Count the keys of manual entry, for a round and an act of each game with four players, in the
    entry panel.

    Simulated players play first; then the same acts are entered as a person would who looks at the
    entry panel: it is opened once, one key enters an act that all players do alike, and of players
    who act together the displayed one comes first.
    """
    games: list[tuple[str, dict[str, Any]]] = [(game, {}) for game in registry.list_game_ids()]
    for game, mix in [*games, ("ochs_und_esel", {"hands_only": True})]:
        name = " ".join([game, *mix])
        if options.wants_row(name):
            wanted, rounds = _simulate_rounds(game, mix)
            acts, live = len(wanted), start_game(game, mix)
            typed = 1  # Enter opens the panel
            while wanted:
                pressed, done = _find_next_keys(live, wanted)
                typed += len(pressed)
                for one in done:
                    refusal = live.submit_request(one)
                    assert refusal is None, (pressed, refusal)
                    wanted.remove(one)
            kind = "game" if live.snapshot().rounds[0].label is None else "round"
            figure = f"{typed / rounds:.0f} a {kind}, {typed / acts:.1f} an act"
            conditions = f"{typed} keys, {acts} acts, {rounds} {kind}(s), four players, the panel open"
            aim = AIMS.get(name)
            kept = aim is None or typed / rounds <= aim
            yield Figure(f"keys by hand: {name}", figure, f"{aim} a round" if aim else "–", conditions, kept)


def _simulate_rounds(game: str, mix: Mapping[str, Any]) -> tuple[list[Request], int]:
    """Let simulated players play some rounds; return their acts as they can be entered manually,
    and the number of rounds."""
    live = start_game(game, mix)
    players, done = make_players(live.setup), list[Request]()
    while len(live.snapshot().rounds) <= TYPED:
        deed = players.next_action(live.list_acts(), live.snapshot().view)
        if deed is None:
            return done, len(live.snapshot().rounds)
        # entered manually, folded cards are not named
        request = Fold(deed.request.player) if isinstance(deed.request, Fold) else deed.request
        refusal = live.submit_request(request)
        assert refusal is None, refusal
        done.append(request)
    return done[:-1], TYPED


def _find_next_keys(live: LiveSession, wanted: Sequence[Request]) -> tuple[list[str], list[Request]]:
    """Return the next keys, and the acts that they enter."""
    translator = Translator("en", live.game)
    together = [
        one for one in wanted[: len(list_awaited_players(live.snapshot()))] if type(one) is type(wanted[0])
    ]
    menu = next(prompt_for_entry(live, NO_BACKSTAGE, None, translator))
    for reply in menu.replies:
        way = reply.value
        for_all = isinstance(way, Way) and way.for_all and len(together) > 1
        if for_all and all(_is_same_for_all(way.choice.request, one) for one in together):
            return list(reply.key), together
    shown = menu.entry_turn.player if menu.entry_turn else None
    one = next((one for one in together if getattr(one, "player", None) == shown), wanted[0])
    return list(
        keys_of(answers(lambda: prompt_for_entry(live, NO_BACKSTAGE, None, translator), one, translator))
    ), [one]


def _is_same_for_all(one: Request, other: Request) -> bool:
    mine = {name: getattr(one, name) for name in one.__struct_fields__ if name != "player"}
    return type(one) is type(other) and all(getattr(other, name) == value for name, value in mine.items())


def start_game(game: str, mix: Mapping[str, Any]) -> LiveSession:
    """Begin a game of four, always with the same seed."""
    new = prepare_game(Start(game, list(FOUR), dict(mix), 3))
    assert not isinstance(new, Refusal)
    deck = Deck.load_builtin(game)
    return LiveSession(*new, table=Table(deck), cards=tuple(deck.card_counts))


# the table alone in a process, and then its server: this module imports neither camera nor server

WATCHED = 5.0
"""Seconds for which the processor's time is counted."""


def serve_table(secure: bool, pipe: Connection) -> None:
    """Run a table and its server in this process; send the port, the link, MB of the table alone,
    MB with the server and seconds of the processor; and the last two again on request."""
    live = start_game("donkey_valley", {})
    translator = Translator("en", live.game)
    without = _measure_at_rest(0)[0]
    from companion.share.access_tokens import WATCH  # noqa: PLC0415 - what it takes is measured
    from companion.share.share_server import ShareServer  # noqa: PLC0415
    from companion.web.addresses import LOOPBACK, ServerAddress  # noqa: PLC0415

    share = ShareServer(
        ServerAddress(socket.create_server((LOOPBACK, 0)), LOOPBACK, secure),
        translator,
        TableSession(Plan(), live),
    )
    share.start()
    with closing(share):
        pipe.send(
            (share.place.port, share.tokens.ensure_invite_token(WATCH), without, *_measure_at_rest(WATCHED))
        )
        pipe.recv()
        pipe.send(_measure_at_rest(WATCHED))
        pipe.recv()


def _measure_at_rest(seconds: float) -> tuple[float, float]:
    """Return the memory that this process has resident, in MB, and its processor time in the
    seconds before."""
    used, _ = time_call(partial(time.sleep, seconds), time.process_time)
    return resident_megabytes(os.getpid()), used


def bench_memory(options: Options) -> Iterator[Figure]:
    """Measure the memory of one process after four games, each with its dashboard: an evening of
    four hours.

    The acts are entered manually; the memory of a camera's reader is not included.
    """
    games = options.scale_count(4)
    held = asyncio.run(_measure_games(games))
    figure = f"{held[-1]:.0f} MB (+{held[-1] - held[0]:.1f})"
    conditions = f"{games} games, dashboard open; + since the first"
    yield Figure("memory after a simulated evening", figure, "300 MB", conditions, held[-1] < 300)


async def _measure_games(games: int) -> list[float]:
    from companion.plan import Plan  # noqa: PLC0415 - what it takes is measured
    from companion.views.dashboard.app import Dashboard  # noqa: PLC0415
    from companion.views.table_session import TableSession  # noqa: PLC0415

    held = []
    for _ in range(games):
        live = start_game("donkey_valley", {})
        players = make_players(live.setup)
        shown = Dashboard(TableSession(Plan(), live), clock=lambda: 0.0)
        async with shown.run_test(size=(120, 40)) as pilot:
            while (deed := players.next_action(live.list_acts(), live.snapshot().view)) is not None:
                live.submit_request(deed.request)
                await pilot.pause()
        held.append(resident_megabytes(os.getpid()))
    return held


HOME = Path(__file__).resolve().parents[1]
BEFORE = "0afb99d"
"""Commit before the sources were rebuilt from fewer ideas."""
ROOMS = ("companion", "vision", "bench", "hardware", "firmware", "tools", "tests")
_FOR_TOOLS = re.compile(r"# ?(noqa|type:|fmt:|pragma)")


class SourceCount(NamedTuple):
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


def count_sources(home: Path) -> SourceCount:
    """Count one tree; functions, parameters, comments and docstrings of the program alone."""
    files = [file for room in ROOMS for file in sorted((home / room).rglob("*.py"))]
    program = [file for file in files if file.relative_to(home).parts[0] in ("companion", "vision")]
    texts = [file.read_text(encoding="utf-8") for file in program]
    trees = [ast.parse(text) for text in texts]
    functions = [node for tree in trees for node in _iterate_functions(tree)]
    return SourceCount(
        rooms=len({file.parent for file in program}),
        files=len(program),
        lines=sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files),
        program=sum(len(text.splitlines()) for text in texts),
        functions=[(one.end_lineno or one.lineno) - one.lineno + 1 for one in functions],
        parameters=max(_count_parameters(one) for one in functions),
        comments=sum(map(_count_comment_lines, texts)),
        constants=sum(map(_count_constant_docstrings, trees)),
        by_room=_count_lines_by_package(home, program, texts),
        house=dict(_count_ideas(home, program, texts, trees)),
    )


def bench_house(options: Options) -> Iterator[Figure]:
    """Measure the sources themselves: folders, files, lines, functions, how often one idea was
    written, each beside the same count at an older commit."""
    now = count_sources(HOME)
    with tempfile.TemporaryDirectory() as folder:
        # a clone without its history lacks the older commit: the figures then stand alone
        archive = subprocess.run(["git", "archive", BEFORE], cwd=HOME, capture_output=True, check=False)
        if archive.returncode == 0:
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
                packed.extractall(folder, filter="data")
        old = count_sources(Path(folder)) if archive.returncode == 0 else None
    program = "companion and vision"
    shown = {} if old is None else dict(_format_figures(old))
    rooms = sorted({*now.by_room, *(old.by_room if old else ())})
    for name, figure in _format_figures(now):
        where = "all folders, tests too" if name.startswith("Python") else program
        yield Figure(name, figure, f"{shown[name]} at {BEFORE}" if shown else "–", where)
    for room in rooms:
        then = f"{old.by_room.get(room, 0):,} at {BEFORE}" if old else "–"
        yield Figure(f"lines of {room}", f"{now.by_room.get(room, 0):,}", then, "of them")


def _count_ideas(
    home: Path, files: list[Path], texts: list[str], trees: list[ast.Module]
) -> Iterator[tuple[str, str]]:
    """Count what the size of a file does not show: how many ideas there are, and how often each was
    written."""
    lines = [len(text.splitlines()) for text in texts]
    rules = [at for at, file in enumerate(files) if _is_rules_file(file.relative_to(home))]
    yield "rules: files, lines", f"{len(rules)}, {sum(lines[at] for at in rules):,}"
    yield "file: median of lines", f"{statistics.median(lines):.0f}"
    own = {
        ".".join(file.relative_to(home).with_suffix("").parts): tree
        for file, tree in zip(files, trees, strict=True)
    }
    # a package is imported by its folder's name
    own = {name.removesuffix(".__init__"): tree for name, tree in own.items()}
    importers = _find_importers(own)
    # `__main__` is started, not imported
    once = sum(len(importers[name]) == 1 for name in own if not name.endswith("__main__"))
    yield "modules with exactly one importer", f"{once} of {len(own)}"
    tables = [
        size for name, tree in own.items() if is_moves_module(name) for size in _find_dispatch_tables(tree)
    ]
    yield "tables over moves in rules and players", f"{len(tables)} ({sum(tables)} entries)"
    yield "class names that mean several things", f"{len(find_ambiguous_names(own))}"
    lazy = sum("noqa: PLC0415" in line and "import" in line for text in texts for line in text.splitlines())
    yield "imports in functions, with noqa", f"{lazy}"
    bench = list((home / "bench").rglob("*.py"))
    yield (
        "bench: files, lines",
        (f"{len(bench)}, {sum(len(file.read_text(encoding='utf-8').splitlines()) for file in bench):,}"),
    )


def _is_rules_file(file: Path) -> bool:
    """Check whether a file belongs to the rules: the contract's, or a game's except its panel and
    its players."""
    beside = file.stem in ("panel", "player")
    return file.parts[:2] in (("companion", "rules"), ("companion", "games")) and not beside


def _find_importers(trees: Mapping[str, ast.Module]) -> Mapping[str, set[str]]:
    """Return, for each module, the other modules that import it or a name from it."""
    found: dict[str, set[str]] = {name: set() for name in trees}
    for name, tree in trees.items():
        for node in ast.walk(tree):
            imported: list[str] = []
            if isinstance(node, ast.Import):
                imported = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{one.name}" for one in node.names]
                imported = [one if one in found else node.module for one in inner]
            for one in imported:
                if one in found and one != name:
                    found[one].add(name)
    return found


def _find_dispatch_tables(tree: ast.Module) -> Iterator[int]:
    """Yield the size of each table of actions: its keys are classes of moves, phases or names of
    requests, its values functions or records of them."""
    functions = {one.name for one in _iterate_functions(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict) or len(node.keys) < 2:
            continue
        keys = all(
            (
                isinstance(key, ast.Name | ast.Attribute)
                and last_part_of_name(key)[:1].isupper()
                and not last_part_of_name(key).isupper()
            )
            or (isinstance(key, ast.Constant) and isinstance(key.value, str))
            for key in node.keys
        )
        values = all(
            isinstance(value, ast.Name | ast.Attribute | ast.Lambda)
            or (isinstance(value, ast.Call) and last_part_of_name(value.func)[:1].isupper())
            for value in node.values
        )
        called = any(
            isinstance(value, ast.Lambda)
            or (isinstance(value, ast.Name) and value.id in functions)
            or (isinstance(value, ast.Call) and any(_collect_names(value) & functions))
            for value in node.values
        )
        if keys and values and called:
            yield len(node.keys)


def _collect_names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _count_lines_by_package(home: Path, files: Iterable[Path], texts: Iterable[str]) -> Mapping[str, int]:
    """Count the lines of `vision`, of each package of `companion`, and of the files beside them."""
    lines: Counter[str] = Counter()
    for file, text in zip(files, texts, strict=True):
        room, *rest = file.relative_to(home).parts[:-1]
        lines["/".join([room, *rest[:1]]) if room == "companion" else room] += len(text.splitlines())
    return lines


def _format_figures(one: SourceCount) -> Iterable[tuple[str, str]]:
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


def _iterate_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _count_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def _count_comment_lines(text: str) -> int:
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    # a line counts once, whatever comments it has
    return len(
        {one.start[0] for one in found if one.type == tokenize.COMMENT and not _FOR_TOOLS.match(one.string)}
    )


def _count_constant_docstrings(tree: ast.AST) -> int:
    lines = 0
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
        for before, one in itertools.pairwise(body):
            is_docstring = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            if is_docstring and isinstance(before, ast.Assign | ast.AnnAssign):
                lines += (one.end_lineno or one.lineno) - one.lineno + 1
    return lines
