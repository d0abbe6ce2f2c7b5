"""The sources themselves: rooms, files, lines, how long functions are, how much of them says why;
each beside the same count at an older commit.

A comment line is one with a comment that a reader is meant for (`# noqa` and its like are not). Why
a constant has its value stands in a docstring under it here as often as in a comment, so that help
and editors show it; those lines are counted by themselves. Peers by the same count: python-chess
1.11 has 3.2 % of comment lines, h11 0.16 with its tests 16.9 %.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import statistics
import subprocess
import tarfile
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.harness import Figure, Options
from tools.class_names import last_name, named_twice, of_moves

HOME = Path(__file__).resolve().parents[1]
BEFORE = "0afb99d"
"""Where the house began to be made of fewer ideas."""
ROOMS = ("companion", "vision", "bench", "hardware", "firmware", "tools", "tests")
_FOR_TOOLS = re.compile(r"# ?(noqa|type:|fmt:|pragma)")


class Count(NamedTuple):
    """What was counted in one tree. `program`: lines of `companion` and `vision` alone."""

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
    """The sources themselves: rooms, files, lines, functions, how often one idea was written, each
    beside the same count at an older commit."""
    now = count(HOME)
    with tempfile.TemporaryDirectory() as folder:
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
    """Count what the size of a file does not tell: how many ideas there are, and how often each was
    written."""
    lines = [len(text.splitlines()) for text in texts]
    rules = [at for at, file in enumerate(files) if _is_rules(file.relative_to(home))]
    yield "rules: files, lines", f"{len(rules)}, {sum(lines[at] for at in rules):,}"
    yield "file: median of lines", f"{statistics.median(lines):.0f}"
    own = {
        ".".join(file.relative_to(home).with_suffix("").parts): tree
        for file, tree in zip(files, trees, strict=True)
    }
    own = {name.removesuffix(".__init__"): tree for name, tree in own.items()}
    importers = _importers(own)
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
    """Whether a file is of the rules: the contract's, or a game's but its panel and its players."""
    beside = file.stem in ("panel", "player")
    return file.parts[:2] in (("companion", "rules"), ("companion", "games")) and not beside


def _importers(trees: Mapping[str, ast.Module]) -> Mapping[str, set[str]]:
    """Tell of each module which others import it, or a name from it."""
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
    """Give the size of each table by what is to be done: its keys are classes of moves, phases or
    names of requests, its values functions or records of them."""
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
