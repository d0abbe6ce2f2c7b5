"""Mutants of the code that talks to the chip and to tags: each call left out, each constant halved
or made nothing, each comparison and each `and` turned, one at a time; do the boards' tests notice?

    python firmware/tools/mutants.py [FILE...] [--every N]

Works in a copy of the checkout, with the firmware compiled for this machine (`native`), and ends
with the share that was killed and a line for each survivor. `survivors.txt` beside this file has
the reason of each that may stay; the exit status is 1 where another survives.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("rc522.cpp", "iso14443a.cpp", "pad.cpp", "pad_arrivals.cpp", "pad_removals.cpp")
REASONS = Path(__file__).with_name("survivors.txt")
COPIED = ("bench", "companion", "firmware", "tests", "vision", "pyproject.toml")
TESTS = tuple(f"tests/firmware/test_board{part}.py" for part in ("", "_faults", "_keys_and_lights"))
PATIENCE = 120
"""Seconds after which a mutant that hangs the tests counts as killed."""

CALL = re.compile(r"^\s+(?:chip_\.|air_\.|reports_->)?[a-z_]+\([^;{}]*\);\s*(?://.*)?$")
CONSTANT = re.compile(r"((?:constexpr [\w]+ |, )[a-z_]+ = )(0x[0-9A-Fa-f]+|\d+)(?=[,;])")
NUMBER = re.compile(r"(?<=[(,|&<>=+-] )(0x[0-9A-Fa-f]+|[1-9]\d*)(?=[ ,;)])")
TURNED = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<=": "<", ">=": ">", " < ": " <= ", " > ": " >= "}


def mutants(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of the line, counted from 0; the line changed) for each mutant of a source."""
    for number, line in enumerate(text.splitlines()):
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith(
            ("#", "enum", "case", "static_assert", "namespace", "using")
        ):
            continue
        if CALL.match(line) and "static_cast" not in code.split("(")[0] and "return" not in code:
            yield number, ""
        for found in CONSTANT.finditer(code):
            value = int(found[2], 0)
            for other in sorted({0, value // 2} - {value}):
                yield number, line[: found.start(2)] + str(other) + line[found.end(2) :]
        if "constexpr" not in code:
            for found in NUMBER.finditer(code):
                yield number, line[: found.start(1)] + str(int(found[1], 0) // 2) + line[found.end(1) :]
        for sign, other in TURNED.items():
            at = code.find(sign)
            while at >= 0:
                yield number, line[:at] + other + line[at + len(sign) :]
                at = code.find(sign, at + len(sign))


def outcome(home: Path) -> str:
    """Build and run the tests in `home`: `killed`, `survived`, or `no code` where it does not
    compile."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if subprocess.run(
        ["make", "-s", "-C", str(home / "firmware"), "native"], check=False, **quiet
    ).returncode:
        return "no code"
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "native", *TESTS]
    process = subprocess.Popen(words, cwd=home, start_new_session=True, **quiet)
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
            name, code, reason = (part.strip() for part in line.split(" | "))
            known[name, code] = reason
    return known


def main() -> int:
    """Try them all; 1 where one survives without a reason."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", default=SOURCES, metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th mutant only")
    options = parser.parse_args()
    known, counts, unexplained = reasons(), {"killed": 0, "survived": 0}, 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, home / name)
        if outcome(home) != "survived":
            sys.exit("The tests fail on the code as it is.")
        for name in options.files:
            source = home / "firmware" / "src" / name
            text = source.read_text(encoding="utf-8")
            lines = text.splitlines()
            for number, line in list(mutants(text))[:: options.every]:
                source.write_text(
                    "\n".join([*lines[:number], line, *lines[number + 1 :]]) + "\n", encoding="utf-8"
                )
                ended = outcome(home)
                if ended in counts:
                    counts[ended] += 1
                if ended == "survived":
                    code = (line or f"without {lines[number]}").strip()
                    reason = known.get((name, code))
                    unexplained += reason is None
                    print(f"{name}:{number + 1} | {code} | {reason or 'NO REASON'}", flush=True)
            source.write_text(text, encoding="utf-8")
    total = sum(counts.values())
    print(
        f"{counts['killed']} of {total} killed ({counts['killed'] / total:.1%}); {unexplained} survive without a reason"
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
