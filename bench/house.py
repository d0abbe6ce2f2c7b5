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

HOME = Path(__file__).resolve().parents[1]
BEFORE = "7e8bb5b"
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
    )


def run() -> Iterator[tuple[str, str, str, str]]:
    """Return the rows (name, figure, conditions, the same before)."""
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
        yield name, figure, where, f"{shown[name]} at {BEFORE}" if shown else "-"
    for room in rooms:
        then = f"{old.by_room.get(room, 0):,} at {BEFORE}" if old else "-"
        yield f"lines of {room}", f"{now.by_room.get(room, 0):,}", "of them", then


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
