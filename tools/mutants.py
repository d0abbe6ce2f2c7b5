"""Mutation test: change one small thing in a copy of the program, and run the tests of its folder.

    python tools/mutants.py [--count N] [--seed S] [--only WORDS] [--minutes M] [--known FILE]
        [--all-tests]

Takes a sample over `SOURCES`. First it records which test runs which functions, of the folders that
the sample needs and for half of the time at most; the record is kept, so that the next run goes on
where this one stopped. Then each mutant is run against the tests of its folder that run it, those
of the slow tier left out: the likeliest to notice it, then others for a minute, until one fails.
With `--all-tests`, what survives then meets the slow tests and those of other folders that run it
themselves, without starting another program, for two minutes. Mutants left when the time is up are
not tried, and what was tried is a sample too. A mutant inside a function is put into a process that
has already collected the tests; one in a table, a default, a class body, or a function that only
the import runs, is imported from scratch. Finally it prints the share killed, by package, and a
line for each survivor. `survivors.txt` beside this file gives a reason for each that may stay; the
exit status is 1 if another survives or fewer than nine in ten are killed.
"""

from __future__ import annotations

import argparse
import ast
import codecs
import gc
import os
import pickle
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from itertools import accumulate, pairwise
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parents[1]
REASONS = Path(__file__).with_name("survivors.txt")
SOURCES = {
    "companion/games": "tests/rules",
    "companion/rules": "tests/rules",
    "companion/table": "tests/table",
    "companion/live": "tests/live",
    "companion/journal": "tests/journal",
    "companion/readers/rfid": "tests/readers/rfid",
    "companion/share": "tests/share",
    "companion/enrolment": "tests/enrolment",
    "companion/views": "tests/views",
}
"""Packages, and the folder of each one's own tests."""
SHOWN = ("panel.py", "player.py", "drawing.py")
"""Files of a game's screen and simulated players, which the tests of views and of the demo
cover."""
LEFT_OUT = ("companion/readers/rfid/boot_loader.py", "companion/readers/rfid/simulator.py")
"""Sources that talk to boot loaders and start simavr, which `tests/firmware` covers."""
NOT_TESTED = ("firmware", "hardware", "vision")
"""Folders of tests of other sources."""
TRIED = "not simavr and not network and not photos"
"""Marks of the tests that are collected."""
FORK = get_context("fork")
ENOUGH = 0.9
AT_ONCE = 2
PROCESSOR, WALL = 3.0, 120.0
"""Seconds of processor and wall time that a test may need beyond five times what it needs alone: a
mutant in an endless loop is killed."""
FIRST, LAST, ELSEWHERE = 15.0, 60.0, 120.0
"""Seconds of processor time, by the tests' own times, for the tests most likely to notice a mutant,
for others of its folder that run it, and with `--all-tests` for slow tests and those of other
folders; then it has survived."""
LONG = 1.0
"""Seconds of processor time for which a test is traced."""
# bytes: a mutant that allocates without end must not take the machine's memory
MEMORY = 4 << 30
LONGEST = 90
OUTCOMES = {0: "survived", 2: "broken"}
LATE = "killed by other tests"
HEAVY = (
    "cv2",
    "cryptography.fernet",
    "hypothesis.stateful",
    "msgspec",
    "numpy",
    "PIL",
    "rich.console",
    "serial",
    "sqlite3",
    "textual.app",
)
TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
TYPES = ("annotation", "returns")
"""Fields of the syntax tree that only a type checker reads (as whoever looks for a fault reads the
words of an assertion)."""
MOMENTS = {"now", "monotonic", "moment"}
"""Names of moments in time: two of them are equal to the last bit once in a lifetime, so such
comparisons are not changed."""
CHECKED = ("frozen", "gc", "frozen_default", "field_specifiers", "maxsize")
"""Keywords of a class, or of its decorator, that change no behaviour: the type checker reads them,
or they save time."""


class Change(NamedTuple):
    """One possible change of a source; `make` applies it to the tree in which it was found."""

    line: int
    within: str
    function: str
    was: str
    now: str
    make: Callable[[], None]


class Mutant(NamedTuple):
    """Change number `at` of a file: its line, the function to compile again ("" if it runs at
    import), and a description."""

    file: str
    at: int
    line: int
    within: str
    function: str
    change: str

    @property
    def key(self) -> str:
        """Key of the mutant in `survivors.txt`: without a line number, which the next change of the
        file would move."""
        return f"{self.file} | {self.within or '-'} | {self.change}"


def find_changes(node: ast.AST, qualified_name: tuple[str, ...] = (), function: str = "") -> Iterator[Change]:
    """Yield all possible changes below a node, always in the same order."""
    for name, value in ast.iter_fields(node):
        if name in TYPES or (isinstance(node, ast.Assert) and name == "msg"):
            continue
        # a field is a list of nodes or a single one
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if (
                not isinstance(child, ast.AST)
                or _is_documentation_or_type(child)
                or _is_equivalent(node, child)
            ):
                continue
            here, inner = qualified_name, function
            if getattr(child, "name", "") == "__repr__":  # for people who look for a fault
                continue
            if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                here = (*qualified_name, child.name)
            # Defaults and decorators run where the function is defined.
            if isinstance(node, ast.FunctionDef) and name == "body" and not function:
                inner = ".".join(qualified_name)

            # the defaults bind the loop's values of this round
            def replace_node(new: Any, name: str = name, at: int | None = at) -> None:
                if at is None:
                    setattr(node, name, new)
                else:
                    getattr(node, name)[at] = new

            for was, now, new in _list_replacements(node, name, child):
                yield Change(
                    getattr(child, "lineno", 0),
                    ".".join(here),
                    inner,
                    was,
                    now,
                    lambda new=new, put=replace_node: put(new),
                )
            yield from find_changes(child, here, inner)


def _is_documentation_or_type(node: ast.AST) -> bool:
    """Check whether a node is text for readers, or only for a type checker."""
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    slots = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("__all__", "__slots__")
    checked = isinstance(node, ast.keyword) and node.arg in CHECKED
    typing |= isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation)
    return (
        checked
        or words
        or typing
        or slots
        or (
            isinstance(node, ast.Import | ast.ImportFrom | ast.AnnAssign) and not getattr(node, "value", None)
        )
    )


def _is_equivalent(parent: ast.AST, node: ast.AST) -> bool:
    """Check whether a changed node would mean the same: a type's name for checkers,
    another spelling of a codec or none (UTF-8 is this system's), `strict` of a `zip` whose sides
    have equal lengths (otherwise the test fails), `CHECKED`."""
    called = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
    if isinstance(node, ast.keyword):
        return (
            node.arg in CHECKED
            or (called == "zip" and node.arg == "strict")
            or ast.unparse(node) == "encoding='utf-8'"
        )
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return (
        called in ("TypeVar", "NewType", "cast")
        or _normalize_codec(node.value) == _normalize_codec(f"{node.value}_") != ""
    )


def _normalize_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""


def _compares_times(test: ast.Compare) -> bool:
    """Check whether two moments in time are compared: no timeout is exact to the last bit."""
    named = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(test)}
    return bool(named & MOMENTS) and isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)


def _list_replacements(parent: ast.AST, field: str, node: ast.AST) -> Iterator[tuple[str, str, ast.AST]]:
    """Yield what a node may become: its old text, its new text, and the new node."""
    for new in _make_replacements(parent, field, node):
        was, now = ast.unparse(node), ast.unparse(ast.fix_missing_locations(new))
        # the whole call would be long: only the argument left out is named
        if (
            isinstance(node, ast.Call)
            and isinstance(new, ast.Call)
            and len(new.keywords) < len(node.keywords)
        ):
            left = next(one for one in node.keywords if one not in new.keywords)
            was, now = f"{ast.unparse(node.func)}(..., {ast.unparse(left)})", "without"
        yield _shorten_code(was), _shorten_code(now), new


def _shorten_code(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def _make_replacements(parent: ast.AST, field: str, node: ast.AST) -> Iterator[ast.AST]:  # noqa: C901 - a table of operators
    match node:
        case ast.Compare(left=left, ops=[sign], comparators=right) if not _compares_times(node):
            yield ast.Compare(left, [TURNED[type(sign)]()], right)
        case ast.BoolOp(op=sign, values=values):
            yield ast.BoolOp(TURNED[type(sign)](), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in TURNED and not _is_text(left, right):
            yield ast.BinOp(left, TURNED[type(sign)](), right)
        case ast.AugAssign(target=target, op=sign, value=value) if type(sign) in TURNED:
            yield ast.AugAssign(target, TURNED[type(sign)](), value)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if not isinstance(parent, ast.JoinedStr | ast.FormattedValue):
            yield ast.Constant(f"{value}_" if value else "_")
        case ast.Constant(value=bytes(value)):
            yield ast.Constant(value + b"_")
        case ast.Continue():
            yield ast.Break()
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(func=ast.Name(id=name) as func, args=args, keywords=named) if name in CALLED:
            yield ast.Call(ast.Name(CALLED[name], func.ctx), args, named)
        case _ if field == "test" and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr):
            yield ast.UnaryOp(ast.Not(), node)
    if isinstance(node, ast.Call):
        for at in [at for at, one in enumerate(node.keywords) if not _is_equivalent(node, one)]:
            yield ast.Call(node.func, node.args, node.keywords[:at] + node.keywords[at + 1 :])
    if isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [], node.is_async)


def _is_text(*sides: ast.AST) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or isinstance(getattr(side, "value", None), str) for side in sides
    )


def mutate_source(source: str, at: int) -> str:
    """Return a source with its change number `at` applied."""
    tree = ast.parse(source)
    # numbered as `find_changes` yields them, which is always in the same order
    for number, change in enumerate(find_changes(tree)):
        if number == at:
            change.make()
            return ast.unparse(ast.fix_missing_locations(tree))
    raise IndexError(at)


def is_installable(mutant: Mutant) -> bool:
    """Check whether a mutant's code can be put into the function in use: it needs the same
    variables of the functions around it, which it loses with the only `super()` in it, say."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    was, now = (find_code(source, mutant) for source in (text, mutate_source(text, mutant.at)))
    return was.co_freevars == now.co_freevars


def find_code(text: str, mutant: Mutant, file: str = "") -> CodeType:
    """Return the compiled code of a mutant's function; `text`: the file's source."""
    codes: list[CodeType] = [compile(text, file or mutant.file, "exec")]
    for code in codes:  # grows while it is read: code objects within code objects
        codes.extend(one for one in code.co_consts if isinstance(one, CodeType))
    return next(code for code in codes if code.co_qualname == mutant.function)


def list_mutants(file: str) -> list[Mutant]:
    """Return all mutants of a file."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return [
        Mutant(file, at, change.line, change.within, change.function, f"{change.was}  ->  {change.now}")
        for at, change in enumerate(find_changes(tree))
    ]


class Footprint(NamedTuple):
    """What a test needs: processor time in seconds, and the functions it runs (`FILE:NAME`);
    `starts`: it starts another program, which may run any function; `slow`: it is of the slow
    tier."""

    seconds: float
    functions: frozenset[str]
    starts: bool
    # records of before do not say it: they have quick tests alone
    slow: bool = False


def tests_folder(file: str) -> str:
    """Return the folder of a source's own tests."""
    return next(tests for package, tests in SOURCES.items() if file.startswith(f"{package}/"))


def find_tests_that_run(mutant: Mutant, tests: dict[str, Footprint]) -> set[str]:
    """Return those of some tests that run a mutant's function, or else its file or folder, and
    those that start another program."""
    met = set[str]()
    for reach in (f"{mutant.file}:{mutant.function}", f"{mutant.file}:", f"{Path(mutant.file).parent}/"):
        exact = reach.endswith(mutant.function) and mutant.function
        met = {
            name
            for name, one in tests.items()
            if one.starts or any(f == reach if exact else f.startswith(reach) for f in one.functions)
        }
        if any(not tests[name].starts for name in met) or exact:
            break
    return met


def select_tests(mutant: Mutant, footprints: dict[str, Footprint]) -> tuple[list[str], list[str], list[str]]:
    """Return the tests of a mutant's folder that are most likely to notice it, others there that
    may, and slow ones and those elsewhere, each in the order in which they are run."""
    folder = f"{tests_folder(mutant.file)}/"
    own = {name: one for name, one in footprints.items() if name.startswith(folder) and not one.slow}
    met = find_tests_that_run(mutant, own)
    # a game's own folder of tests, or its case of those that go through all games; "" for others
    game = Path(mutant.file).parent.name if "/games/" in mutant.file else ""
    # code run at import is met by every test file that imports it, and by a game's cases
    if not mutant.function:
        met |= {name for name in own if imports_source(name.split("::")[0], mutant.file)}
        met |= {name for name in own if game in name} if game else set()
    # Part of the time is for quick tests: those of the same game first, then those of files that
    # import the source themselves, and one case of each before more of any. The rest is for longer
    # ones, first those that run most of the program in a second.
    quick = sorted((name for name in met if own[name].seconds <= LONG), key=lambda name: own[name].seconds)
    turns, cases = {}, Counter[str]()
    for name in quick:
        cases[test := name.split("[")[0]] += 1
        turns[name] = cases[test]
    direct = {name: imports_source(name.split("::")[0], mutant.file) for name in met}
    quick.sort(key=lambda name: (game not in name, not direct[name], turns[name]))
    long = sorted(met.difference(quick), key=lambda name: own[name].seconds / (1 + len(own[name].functions)))
    first = take_while_cheap(quick, FIRST / 2, own) + take_while_cheap(long, FIRST, own)
    others = sorted(met.difference(first), key=lambda name: (not direct[name], own[name].seconds))
    # one that starts another program runs the mutant or not, and mostly waits
    rest = {name: one for name, one in footprints.items() if name not in own and not one.starts}
    elsewhere = sorted(find_tests_that_run(mutant, rest), key=lambda name: rest[name].seconds)
    return first, take_while_cheap(others, LAST, own), take_while_cheap(elsewhere, ELSEWHERE, rest)


def take_while_cheap(names: list[str], seconds: float, footprints: dict[str, Footprint]) -> list[str]:
    """Return the first of these tests, as many as need so many seconds together."""
    costs = accumulate(footprints[name].seconds for name in names)
    return [name for name, total in zip(names, costs, strict=True) if total <= seconds]


@cache
def imports_source(test: str, file: str) -> bool:
    """Check whether a test file imports a source itself, though it may run no function of it."""
    package, _, module = file.removesuffix(".py").replace("/", ".").rpartition(".")
    found = rf"(from|import) {package}\.{module}\b|from {package} import .*\b{module}\b"
    return re.search(found, (ROOT / test).read_text(encoding="utf-8")) is not None


def split_into_rounds(tests: list[str]) -> tuple[list[str], list[str]]:
    """Split tests into those of the two files that have most of them, and the rest, because
    collecting a file costs more than most tests in it."""
    often = Counter(name.split("::")[0] for name in tests).most_common(2)
    first = [name for name in tests if name.split("::")[0] in dict(often)]
    return first, [name for name in tests if name not in first]


class AfterCollection:
    """A plugin of pytest that calls `try_in_functions` when the tests are collected."""

    def __init__(self, run: Callable[[pytest.Session], None]) -> None:
        self._run = run

    def pytest_collection(self) -> None:
        """Configure Hypothesis: failures are found but not minimised, and nothing is stored from
        one mutant for the next."""
        settings.register_profile(
            "mutants", settings(), phases=[Phase.explicit, Phase.generate], database=None, deadline=None
        )
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Replace pytest's own loop."""
        self._run(session)
        return True


def run_after_collection(home: Path, plugin: AfterCollection, tests: list[str], marks: str) -> bool:
    """Collect tests with these marks in this process and let the plugin run; return whether they
    could be collected."""
    words = [
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        f"--basetemp={home}/tmp",
    ]
    chosen = ["-m", marks, f"--rootdir={home}", *tests]
    # pytest would print its report for each mutant
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):  # noqa: PTH123
        return pytest.main([*words, *chosen], [plugin]) in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def run_until_failure(
    home: Path, session: pytest.Session, tests: list[str], footprints: dict[str, Footprint]
) -> bool:
    """Run tests until one fails, whose name is then in the file `running`; return whether one did.
    A test that takes far too long ends the process."""
    named = {item.nodeid: item for item in session.items}
    items = [named[name] for name in tests if name in named]
    for item, following in pairwise([*items, None]):
        alone = 5 * footprints[item.nodeid].seconds if item.nodeid in footprints else 60.0
        # the processor's time ends endless loops, the clock's ends endless waits
        signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR + alone)
        signal.setitimer(signal.ITIMER_REAL, WALL + 10 * alone)
        (home / "running").write_text(item.nodeid, encoding="utf-8")
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return True
    return False


def run_in_child(work: Callable[[], bool]) -> str:
    """Run something in a child of this process: `survived` if it returns False, `broken` if this
    program is at fault, otherwise `killed`."""
    if (child := os.fork()) == 0:
        # if `work` raises, this program is at fault
        status = 2
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            # the default action of both signals ends the process, whatever the mutant catches
            signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            status = 1 if work() else 0
        finally:
            # not `sys.exit`: the parent's clean-up, pytest's above all, must not run twice
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return OUTCOMES.get(ended, "killed")


class TraceLimiter(AfterCollection):
    """The same with each test traced, but only for a while: by then it has run the functions it
    runs, and tracing makes it several times slower. (Stopping it would not do: an exception raised
    inside Hypothesis, or in a finaliser, becomes another failure.)"""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Trace a test for `LONG` seconds of processor time."""
        signal.signal(signal.SIGVTALRM, lambda *_: sys.settrace(None))
        signal.setitimer(signal.ITIMER_VIRTUAL, LONG)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def record_footprints(
    home: Path, share: int, results: Any, known: dict[str, Footprint], folders: list[str], marks: str
) -> None:
    """Run the tests of the files that are this process's share, and put the functions that each ran
    into the queue."""
    starts = False
    codes: set[CodeType] = set()

    def audit_hook(event: str, _args: object) -> None:
        nonlocal starts
        starts = starts or event in ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec")

    def trace_call(frame: Any, _event: str, _arg: object) -> None:
        codes.add(frame.f_code)

    def run(session: pytest.Session) -> None:
        nonlocal starts
        sys.addaudithook(audit_hook)
        threading.settrace(trace_call)
        new = [item for item in session.items if item.nodeid not in known]
        files = list(dict.fromkeys(item.nodeid.split("::")[0] for item in new))
        # files are dealt out in turn, so that both processes have about as many
        mine = [item for item in new if files.index(item.nodeid.split("::")[0]) % AT_ONCE == share]
        for item, following in pairwise([*mine, None]):
            codes.clear()
            starts, began, failed = False, processor_seconds(), session.testsfailed
            sys.settrace(trace_call)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            sys.settrace(None)
            seconds = processor_seconds() - began
            names = {
                f"{code.co_filename.removeprefix(f'{home}/')}:{code.co_qualname.split('.<locals>')[0]}"
                for code in codes
                if code.co_filename.startswith(f"{home}/companion/")
            }
            if session.testsfailed > failed:
                print(f"{item.nodeid} fails on the code as it is", file=sys.stderr)
                continue
            slow = item.get_closest_marker("slow") is not None
            results.put((item.nodeid, Footprint(seconds, frozenset(names), starts, slow)))

    if not run_after_collection(home, TraceLimiter(run), folders, marks):
        sys.exit("the tests cannot be collected: run them with pytest first")


def processor_seconds() -> float:
    """Return the seconds of processor time that this process and its children have used."""
    return sum(os.times()[:4])


def list_functions(home: Path) -> dict[tuple[str, str], list[FunctionType]]:
    """Return the program's functions that this process has, by file and name."""
    known = defaultdict(list)
    gc.unfreeze()  # `tests/conftest.py` freezes what it has imported
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename.startswith(f"{home}/companion/"):
            known[one.__code__.co_filename.removeprefix(f"{home}/"), one.__code__.co_qualname].append(one)
    return known


def install_code(home: Path, mutant: Mutant, text: str, known: list[FunctionType]) -> None:
    """Put the code that `text` has for a mutant's function into the function objects in use."""
    # not the module's attribute: other modules and closures hold the function object itself
    code = find_code(text, mutant, str(home / mutant.file))
    for function in known:
        function.__code__ = code


Work = Callable[[Mutant, list[str], str], bool]
"""Runs tests on a mutant whose file has this text; returns whether one fails."""
Run = Callable[[list[str], bool], str]
"""Runs tests, with the mutant or without; returns what `run_in_child` does."""


def make_runner(home: Path, mutant: Mutant, text: str, work: Work) -> Run:
    """Return what runs tests with a mutant in its file, whose own text is given, or without."""
    written = {True: mutate_source(text, mutant.at), False: ast.unparse(ast.parse(text))}

    def run(tests: list[str], mutated: bool) -> str:
        source = home / mutant.file
        source.write_text(written[mutated], encoding="utf-8")
        # Two mutants of one file must not look alike to Python's cache of compiled code.
        os.utime(source, (1_000_000_000 + 2 * mutant.at + mutated,) * 2)
        return run_in_child(lambda: work(mutant, tests, written[mutated]))

    return run


def confirm_kill(home: Path, tests: list[str], run: Run) -> bool:
    """Run tests against a mutant that must not be taken for noticed by mistake: one that fails
    counts if it fails again alone, and passes without the mutant."""
    # some tests depend on what ran before, or fail in a source that is not as it was written
    while tests and run(tests, True) == "killed":
        failed = (home / "running").read_text(encoding="utf-8")
        if run([failed], True) == "killed" and run([failed], False) == "survived":
            return True
        tests = tests[tests.index(failed) + 1 :]
    return False


def try_mutants(
    home: Path,
    queue: Any,
    results: Any,
    footprints: dict[str, Footprint],
    folders: list[str],
    marks: str,
    anew: bool,
) -> None:
    """Run the waiting mutants against their tests: those inside functions in one process that has
    collected the tests (and is forked for each), or each with everything imported from scratch."""

    def try_each(work: Work) -> None:
        while (mutant := queue.get()) is not None:
            source = home / mutant.file
            text, when = source.read_text(encoding="utf-8"), source.stat()
            first, others, elsewhere = select_tests(mutant, footprints)
            run = make_runner(home, mutant, text, work)
            began, outcome = time.time(), "survived"
            for some in (*split_into_rounds(first), others) if anew else ([*first, *others],):
                if some and outcome == "survived":
                    outcome = run(some, True)
            if outcome == "survived" and confirm_kill(home, elsewhere, run):
                outcome = LATE
            source.write_text(text, encoding="utf-8")
            os.utime(source, (when.st_atime, when.st_mtime))
            shutil.rmtree(home / "tmp", ignore_errors=True)
            results.put((mutant, outcome, len(first) + len(others) + len(elsewhere), time.time() - began))

    if anew:

        def try_freshly_imported(_: Mutant, chosen: list[str], _text: str) -> bool:
            failed = True  # if the tests cannot even be collected

            def run(session: pytest.Session) -> None:
                nonlocal failed
                failed = bool(session.testsfailed) or run_until_failure(home, session, chosen, footprints)

            (home / "running").write_text(chosen[0], encoding="utf-8")
            files = sorted({name.split("::")[0] for name in chosen})
            run_after_collection(home, AfterCollection(run), files, marks)
            return failed

        try_each(try_freshly_imported)
        return

    def try_in_functions(session: pytest.Session) -> None:
        known = list_functions(home)
        # forked children then share these objects instead of copying them
        gc.freeze()

        def try_in_function(mutant: Mutant, chosen: list[str], text: str) -> bool:
            install_code(home, mutant, text, known[mutant.file, mutant.function])
            return run_until_failure(home, session, chosen, footprints)

        try_each(try_in_function)

    if not run_after_collection(home, AfterCollection(try_in_functions), folders, marks):
        sys.exit("the tests cannot be collected: run them with pytest first")


def try_mutants_in_turn(home: Path, waiting: dict[bool, Any], *given: Any) -> None:
    """Run the mutants that need a fresh import and those that do not, one kind after the other,
    each in a process that has imported nothing yet. The last of `given` decides which kind comes
    first."""
    *rest, first = given
    for anew in (first, not first):
        process = FORK.Process(target=try_mutants, args=(home, waiting[anew], *rest, anew))
        process.start()
        process.join()


def run_worker(home: Path, work: Callable[..., None], *given: Any) -> None:
    """Run `work` in the copy of the tree, with nothing of the program imported yet."""
    os.chdir(home)
    # A group of its own, so that it can be stopped with all that its tests have started.
    os.setpgid(0, 0)
    os.nice(5)
    # NumPy's threads would only wait for each other (`vision/__init__.py`)
    os.environ.update(PYTHONPATH=str(home), OPENBLAS_NUM_THREADS="1")
    sys.path.insert(0, str(home))
    # imported once here: each child would need seconds for them
    for name in HEAVY:
        import_module(name)
    work(home, *given)


def copy_checkout(home: Path) -> Path:
    """Copy the checkout's files, and compile its catalogues."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, home / name)
    subprocess.run(
        [sys.executable, "tools/build_catalogues.py", "companion"],
        cwd=home,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return home


def load_reasons() -> dict[str, str]:
    """Return why a survivor may stay, by its key."""
    lines = REASONS.read_text(encoding="utf-8").splitlines()
    # the reason follows the last bar, because a change may contain bars
    parts = [line.rsplit(" | ", 1) for line in lines if line.strip() and not line.startswith("#")]
    return dict(parts)


def format_table(counts: dict[str, Counter[str]]) -> str:
    """Format the table: package, mutants, killed by their own quick tests, by all, share of
    both."""
    rows = ["| package | mutants | killed by its own quick tests | by all tests |", "|---|---|---|---|"]
    for name, count in [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]:
        total, own = sum(count.values()) - count["broken"], count["killed"]
        shares = (f"{some} ({some / total:.0%})" if total else "-" for some in (own, own + count[LATE]))
        rows.append(f"| {name} | {total} | {' | '.join(shares)} |")
    return "\n".join(rows)


def run_in_copies(home: Path, work: Callable[..., None], *given: Any) -> list[Any]:
    """Start this work in every copy of the tree; an argument that is a list gives each its own
    item."""
    started = [
        FORK.Process(
            target=run_worker,
            args=(home / str(number), work, *(g[number] if isinstance(g, list) else g for g in given)),
        )
        for number in range(AT_ONCE)
    ]
    for process in started:
        process.start()
    return started


def iterate_results(queue: Any, working: list[Any], until: float) -> Iterator[Any]:
    """Yield what the queue receives until all work is done, or the time is up and it is stopped."""
    try:
        while time.time() < until:
            try:
                # with a timeout: a worker that dies puts nothing into the queue
                yield queue.get(timeout=1)
            except Empty:
                if not any(process.is_alive() for process in working):
                    return
    finally:
        for process in working:
            if process.is_alive():
                os.killpg(process.pid, signal.SIGKILL)
            process.join()


def main() -> int:
    """Test a sample; return 1 if one survives without a reason, or too many do."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="how many mutants")
    parser.add_argument("--seed", default=str(random.randrange(10_000)), help="another sample with each")
    parser.add_argument("--only", default="", metavar="WORDS", help="mutants whose name has WORDS")
    parser.add_argument("--minutes", type=float, default=10, help="when to stop, however many were tried")
    parser.add_argument(
        "--known",
        type=Path,
        metavar="FILE",
        default=ROOT / "out" / "mutants.record",
        help="where it keeps which test runs what, for the next time",
    )
    parser.add_argument("--all-tests", action="store_true", help="survivors meet all other tests as well")
    options = parser.parse_args()
    files = [
        str(path.relative_to(ROOT)) for package in SOURCES for path in sorted((ROOT / package).rglob("*.py"))
    ]
    found = [
        mutant
        for file in files
        if file not in LEFT_OUT and Path(file).name not in SHOWN
        for mutant in list_mutants(file)
        if options.only in f"{mutant.file}:{mutant.line} {mutant.key}"
    ]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    print(f"{len(chosen)} of {len(found)} mutants, seed {options.seed}", flush=True)
    known, counts, unexplained, began = load_reasons(), defaultdict(Counter), 0, time.time()
    until = began + 60 * options.minutes
    folders, marks = sorted({tests_folder(one.file) for one in chosen}), f"not slow and {TRIED}"
    if options.all_tests:
        folders = [f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if has_source_tests(path)]
        marks = TRIED
    with tempfile.TemporaryDirectory() as folder:
        for number in range(AT_ONCE):
            copy_checkout(Path(folder, str(number)))
        ran, is_complete = load_footprints(Path(folder), options.known, folders, marks, (began + until) / 2)
        print(
            f"{len(ran)} tests, {sum(one.seconds for one in ran.values()):.0f} s of the processor", flush=True
        )
        run = {name for one in ran.values() for name in one.functions}
        # no test has entered the function, or it cannot be exchanged: like code that runs at import
        chosen = [
            one
            if not one.function or (f"{one.file}:{one.function}" in run and is_installable(one))
            else one._replace(function="")
            for one in chosen
        ]
        if not is_complete:
            # No recorded test runs the others, which says nothing about those not recorded.
            chosen = [one for one in chosen if any(select_tests(one, ran))]
            print(
                f"The record is not complete: it has tests for {len(chosen)} mutants, and others may notice"
                " what survives. Run it again to go on.",
                flush=True,
            )
        ended, waiting = FORK.Queue(), {anew: FORK.Queue() for anew in (True, False)}
        for queue in waiting.values():
            queue.cancel_join_thread()  # what is left when the time is up need not be taken
        # one end mark for each worker, in both queues
        for mutant in [*chosen, *[None] * AT_ONCE * 2]:
            for anew, queue in waiting.items():
                if mutant is None or anew != bool(mutant.function):
                    queue.put(mutant)
        # One process starts with one kind, the other with the other: an interrupted run is a sample
        # too.
        given = (waiting, ended, ran, [folders] * AT_ONCE, marks)
        working = run_in_copies(Path(folder), try_mutants_in_turn, *given, [True, False])
        for number, (mutant, outcome, tests, seconds) in enumerate(iterate_results(ended, working, until), 1):
            counts[str(Path(mutant.file).parent)][outcome] += 1
            if outcome != "killed":
                reason = outcome if outcome == LATE else known.get(mutant.key)
                unexplained += reason is None
                print(
                    f"{mutant.file}:{mutant.line} | {mutant.within or '-'} | {mutant.change}"
                    f" | {reason or 'NO REASON'} ({tests} tests, {seconds:.0f} s, number {number})",
                    flush=True,
                )
            if not number % 50:
                print(format_table(counts), flush=True)
    print(format_table(counts))
    total = sum(counts.values(), Counter())
    print(
        f"{unexplained} survive without a reason; {len(chosen) - total.total()} were not tried; "
        f"{time.time() - began:.0f} s"
    )
    return 1 if unexplained or total["killed"] < ENOUGH * total.total() else 0


def has_source_tests(path: Path) -> bool:
    """Check whether a file or folder in `tests` has tests of the sources."""
    return path.name not in NOT_TESTED and (path.name.startswith("test_") or any(path.rglob("test_*.py")))


def load_footprints(
    folder: Path, saved: Path, folders: list[str], marks: str, until: float
) -> tuple[dict[str, Footprint], bool]:
    """Return which test of `folders` runs which functions; for test files that have not changed,
    from the stored record. The others are recorded until the time is up: False if some are left."""
    texts = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("*.py")
    }
    ran: dict[str, Footprint] = {}
    if saved.exists():
        was, ran = pickle.loads(saved.read_bytes())
        ran = {
            name: one
            for name, one in ran.items()
            if was.get(name.split("::")[0]) == texts.get(name.split("::")[0])
        }
    queue = FORK.Queue()
    shares = list(range(AT_ONCE))
    working = run_in_copies(folder, record_footprints, shares, queue, ran, [folders] * AT_ONCE, marks)
    ran = {**ran, **dict(iterate_results(queue, working, until))}
    saved.parent.mkdir(parents=True, exist_ok=True)
    saved.write_bytes(pickle.dumps((texts, ran)))
    is_complete = time.time() < until
    stopped = (0, -signal.SIGKILL)
    if ended := [process.exitcode for process in working if process.exitcode not in stopped]:
        sys.exit(f"Recording ended early ({ended}): run it again, and it goes on where it stopped.")
    asked = {
        name: one
        for name, one in ran.items()
        if name.split("::")[0].startswith(tuple(folders)) and not (one.slow and "not slow" in marks)
    }
    return asked, is_complete


if __name__ == "__main__":
    sys.exit(main())
