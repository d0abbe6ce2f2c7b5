"""Mutants of the code that talks to the chip and to tags: each call left out, each constant halved
or made nothing, each comparison and each `and` turned, one at a time; do the boards' tests notice?

    python firmware/tools/mutants.py [FILE...] [--every N] [--record FILE]

Works in a copy of the checkout, with the firmware compiled for this machine (`native`), and ends
with the share that was killed and a line for each survivor. `survivors.txt` beside this file has
the reason of each that may stay; the exit status is 1 where another survives. With `--record` each
outcome is written to a file at once, and what it lists already is not tried again: all of them take
hours.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("rc522.cpp", "iso14443a.cpp", "pad.cpp", "pad_arrivals.cpp", "pad_removals.cpp")
REASONS = Path(__file__).with_name("survivors.txt")
COPIED = ("companion", "firmware", "tests", "tools", "vision", "pyproject.toml")
TESTS = tuple(
    f"tests/firmware/test_{part}.py" for part in ("air", "board_faults", "board", "board_keys_and_lights")
)
CHOSEN = ("-m", "not simavr", "-k", "not pico")
AT_ONCE = 2
PATIENCE = 300
"""Seconds after which a mutant that hangs the tests counts as killed."""

CALL = re.compile(r"^\s+(?:chip_\.|air_\.|reports_->)?[a-z_]+\([^;{}]*\);\s*(?://.*)?$")
CONSTANT = re.compile(r"((?:constexpr [\w]+ |, )[a-z_]+ = )(0x[0-9A-Fa-f]+|\d+)(?=[,;])")
NUMBER = re.compile(r"(?<=[(,|&<>=+?:-] )(0x[0-9A-Fa-f]+|[1-9]\d*)(?=[ ,;)])")
NAMED = (
    ("TxASKReg, 0x40", "TxASKReg, 0x00"),
    ("0x83 : 0x80", "0x81 : 0x80"),
    (" || collided > 31", ""),
    ("field_settle_ms = 6", "field_settle_ms = 1"),
    ("unresolved_most = 5;", "unresolved_most = 50;"),
    (" || reply.data[1] != (crc & 0xFF) || reply.data[2] != crc >> 8", ""),
)
"""Changes that once lived, and that the rules below do not make."""
BOUNDARIES = ("<=", ">=", " < ", " > ")
TIMES = re.compile(r"hal::ticks\(\)|\bgone\b|now - when")
"""Lines that say how long is waited: a tick more or less is nothing that a test should ask for."""
TURNED = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<=": "<", ">=": ">", " < ": " <= ", " > ": " >= "}


class Mutant(NamedTuple):
    """One line of a source changed; `number` is counted from 0."""

    file: str
    number: int
    was: str
    line: str

    @property
    def place(self) -> str:
        """As the record names it."""
        return f"{self.file}:{self.number + 1} | {self.change}"

    @property
    def change(self) -> str:
        """As `survivors.txt` names it."""
        return (self.line or f"without {self.was.strip()}").strip()


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a source."""
    for number, line in enumerate(text.splitlines()):
        for changed in changes(line):
            yield Mutant(file, number, line, changed)


def changes(line: str) -> Iterator[str]:
    """Yield what becomes of a line when it is left out, or one thing in it is changed."""
    code = line.split("//", maxsplit=1)[0]
    if not code.strip() or code.lstrip().startswith(
        ("#", "enum", "case", "static_assert", "namespace", "using")
    ):
        return
    for was, other in NAMED:
        if was in line:
            yield line.replace(was, other)
    if CALL.match(line) and "static_cast" not in code.split("(")[0] and "return" not in code:
        yield ""
    for found in CONSTANT.finditer(code):
        value = int(found[2], 0)
        for other in sorted({0, value // 2} - {value}):
            yield line[: found.start(2)] + str(other) + line[found.end(2) :]
    if "constexpr" not in code:
        for found in NUMBER.finditer(code):
            yield line[: found.start(1)] + str(int(found[1], 0) // 2) + line[found.end(1) :]
    for sign, other in TURNED.items():
        if sign in BOUNDARIES and TIMES.search(code):
            continue
        at = code.find(sign)
        while at >= 0:
            yield line[:at] + other + line[at + len(sign) :]
            at = code.find(sign, at + len(sign))


def outcome(home: Path) -> str:
    """Build and run the tests in `home`: `killed`, `survived`, or `no code` where it does not
    compile."""
    # One board's pins are enough: only the one file that was changed is compiled anew.
    quick = {**os.environ, "MAKEFLAGS": "ALL_BOARDS=nano"}
    make = ["make", "-s", "-C", str(home / "firmware"), "native"]
    made = subprocess.run(make, check=False, env=quick, capture_output=True, text=True)
    if made.returncode:
        print(made.stderr.strip(), file=sys.stderr)
        return "no code"
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *CHOSEN, *TESTS]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(words, cwd=home, env=quick, start_new_session=True, **quiet)
    try:
        return "killed" if process.wait(PATIENCE) else "survived"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return "killed"


def reasons() -> dict[tuple[str, str], str]:
    """Return why a survivor may stay, by file and changed line."""
    known = {}
    for line in REASONS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, rest = line.split(" | ", maxsplit=1)
            code, reason = rest.rsplit(" | ", maxsplit=1)
            known[name, code] = reason
    return known


def read_record(file: Path | None) -> dict[str, str]:
    """Return the outcomes that an earlier run has recorded, by the mutants' places."""
    if file is None or not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.rsplit(" | ", maxsplit=1) for line in lines)


def tried(home: Path, mutant: Mutant) -> str:
    """Return the outcome of a mutant in `home`, which is left as it was."""
    source = home / "firmware" / "src" / mutant.file
    text = source.read_text(encoding="utf-8")
    lines = text.splitlines()
    lines[mutant.number] = mutant.line
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return outcome(home)
    finally:
        source.write_text(text, encoding="utf-8")


def main() -> int:
    """Try them all; 1 where one survives without a reason."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", default=SOURCES, metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th mutant only")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="mutants whose line, as it was, has WORDS"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="go on with the outcomes in this file")
    options = parser.parse_args()
    sources = {name: (ROOT / "firmware" / "src" / name).read_text(encoding="utf-8") for name in options.files}
    chosen = [m for name, text in sources.items() for m in mutants(name, text) if options.only in m.was]
    chosen = chosen[:: options.every]
    known, counts, unexplained = reasons(), {name: Counter[str]() for name in options.files}, 0
    recorded = read_record(options.record)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        homes: SimpleQueue[Path] = SimpleQueue()
        for number in range(AT_ONCE):
            home = Path(folder, str(number))
            home.mkdir()
            for name in COPIED:
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
                copy(ROOT / name, home / name)
            homes.put(home)
            if outcome(home) != "survived":
                sys.exit("The tests fail on the code as it is.")

        def one(mutant: Mutant) -> str:
            if mutant.place in recorded:
                return recorded[mutant.place]
            home = homes.get()
            try:
                ended = tried(home, mutant)
            finally:
                homes.put(home)
            if options.record:
                with options.record.open("a", encoding="utf-8") as file:
                    file.write(f"{mutant.place} | {ended}\n")
            return ended

        for mutant, ended in zip(chosen, pool.map(one, chosen), strict=True):
            counts[mutant.file][ended] += 1
            if ended == "survived":
                reason = known.get((mutant.file, mutant.change))
                unexplained += reason is None
                print(f"{mutant.place} | {reason or 'NO REASON'}", flush=True)
    print(table(counts))
    print(f"{unexplained} survive without a reason")
    return 1 if unexplained else 0


def table(counts: dict[str, Counter[str]]) -> str:
    """Return the rows: file, mutants that compile, killed, share."""
    rows = []
    for name, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        total = count["killed"] + count["survived"]
        share = f"{count['killed'] / total:.1%}" if total else "-"
        rows.append(f"| {name} | {total} | {count['killed']} | {share} |")
    return "\n".join(["| file | mutants | killed | share |", "|---|---|---|---|", *rows])


if __name__ == "__main__":
    sys.exit(main())
