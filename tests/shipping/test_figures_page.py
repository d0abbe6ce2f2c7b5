"""`python -m bench`: every bench is listed, rows are printed alike, and pages name only commands
that there are."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[2]
TOLD = [
    *(page for folder in (".", "docs", "bench", "simulated", "firmware", "tests", "tools/*", "vision")
      for page in HOME.glob(f"{folder}/*.md")),
    *(HOME / "vision").rglob("*.py"), *(HOME / "simulated").rglob("*.py"), HOME / "Makefile",
]  # fmt: skip


def bench(*words: str) -> str:
    command = [sys.executable, "-m", "bench", *words]
    return subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def listed() -> dict[str, str]:
    """Every bench with its line."""
    return dict(re.findall(r"^  (\w+) +(\S.*)$", bench(), re.MULTILINE))


def test_without_a_name_every_bench_is_listed_with_a_sentence(listed):
    assert {"tables", "house", "board", "long", "referee"} <= listed.keys()
    assert [name for name, line in listed.items() if not line.endswith((".", " ..."))] == []


def test_a_command_that_a_page_names_is_one_of_them(listed):
    groups = set(re.findall(r"^(\w+)$", bench(), re.MULTILINE))
    named = {
        (name, page.name)
        for page in TOLD
        for line in re.findall(r"(?:-m bench|`bench)((?: [a-z]\w+)+)", page.read_text(encoding="utf-8"))
        for name in line.split()
    }
    assert len(named) > 40
    assert sorted(one for one in named if one[0] not in {*listed, *groups}) == []


def test_the_page_quotes_few_figures_each_with_its_command():
    text = (HOME / "docs" / "figures.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and " command |" not in line]
    assert len(rows) > 20
    assert [row for row in rows if "python -m bench " not in row] == []
    assert len(text.splitlines()) < 140


def test_a_bench_prints_its_command_its_conditions_and_a_limit_and_keeps_what_it_prints(tmp_path):
    told = bench("keys", "--only", "donkey", "--keep", str(tmp_path))
    assert told.startswith("## keys\n\n`python -m bench keys --only donkey")
    assert re.search(r"; \d{4}-\d\d-\d\d, CPython [\d.]+, OpenCV [\d.]+, \d+ cores, \w+", told)
    assert (
        "| what | figure | limit or peer | conditions |\n|---|---|---|---|\n| keys by hand: donkey_valley |"
        in told
    )
    assert (tmp_path / "keys.md").read_text().strip() == told.strip()


def test_a_limit_that_is_not_kept_is_seen():
    program = (
        "from bench.harness import Figure, print_rows\n"
        "rows = [Figure('to the lamp', '16 ms', '15 ms', 'ten', kept=False), {'table': 'one', 'cards': 3}]\n"
        "print(print_rows('plug', ['plug'], 'Plugs.', rows, None))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=True
    )
    assert (
        "| to the lamp | 16 ms ! | 15 ms | ten |\n\n| table | cards |\n|---|---|\n| one | 3 |" in told.stdout
    )
    assert told.stdout.endswith("False\n")


def test_neither_tests_nor_benches_import_the_other():
    """What both need stands in `tests/simulated/`; what a bench prints is looked at outside."""
    wrong = {
        "tests": r"^\s*(?:from|import) bench\b",
        "bench": r"^\s*(?:from|import) tests\b(?!\.simulated)",
        "tests/simulated": r"^\s*(?:from|import) tests\b(?!\.simulated)",
    }
    found = [
        str(file.relative_to(HOME))
        for folder, pattern in wrong.items()
        for file in sorted((HOME / folder).rglob("*.py"))
        if re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert found == []
