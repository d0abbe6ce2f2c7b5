"""docs/figures.md is written by the benches, and what other pages tell of it is what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import figures, vision_summary
from bench.__main__ import found

HOME = Path(__file__).resolve().parents[2]
PAGES = [page for folder in (".", "docs", "docs/*", "bench", "companion", "firmware", "hardware", "tests", "vision")
         for page in sorted(HOME.glob(f"{folder}/*.md"))]  # fmt: skip
PARTS = re.findall(
    r"^## (.+)\n\n`(.+?)`; (\d{4}-\d\d-\d\d), ", figures.PAGE.read_text(encoding="utf-8"), re.MULTILINE
)


def stale(text: str, page: str) -> list[str]:
    """List the figures in `text` that link to a row of the page of figures and are not in it."""
    rows = dict(re.findall(r'^\| <a id="([\w-]+)"></a>(.*)$', page, re.MULTILINE))
    told = re.findall(r"\[([^][]+)\]\([\w./]*figures\.md#([\w-]+)\)", re.sub(r"`[^`]*`", "", text))
    return [
        f"{figure} (#{anchor})"
        for figure, anchor in told
        if figure[0].isdigit() and figure not in [cell.strip() for cell in rows.get(anchor, "").split("|")]
    ]


def test_every_part_is_of_a_bench_that_is_still_there():
    assert len(PARTS) > 4
    benches = [part.partition("_opencv")[0] for part, _, _ in PARTS]
    assert [bench for bench in benches if not (HOME / "bench" / f"{bench}.py").exists()] == []
    assert figures.PAGE.read_text(encoding="utf-8").count("\n## ") == len(PARTS), (
        "a part lacks command or date"
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_a_figure_on_a_page_is_the_one_that_was_measured(page):
    assert stale(page.read_text(encoding="utf-8"), figures.PAGE.read_text(encoding="utf-8")) == []


def test_a_stale_figure_is_noticed(tmp_path):
    page = tmp_path / "figures.md"
    figures.record(
        "plug", "python -m bench plug", figures.plain([("to the lamp", "12 ms", "ten", "15")]), page=page
    )
    told = "It takes [12 ms](figures.md#plug-to-the-lamp)."
    assert stale(told, page.read_text()) == []
    figures.record(
        "plug", "python -m bench plug", figures.plain([("to the lamp", "14 ms", "ten", "15")]), page=page
    )
    assert stale(told, page.read_text()) == ["12 ms (#plug-to-the-lamp)"]


def test_a_bench_writes_its_own_part_only(tmp_path):
    page = tmp_path / "figures.md"
    figures.record("b", "run b", figures.plain([("kept", "1", "", "")]), page=page)
    figures.record(
        "a",
        "run a",
        figures.plain([("old", "1", "", ""), ("twice", "2", "", ""), ("twice", "3", "", "")]),
        page=page,
    )
    kept = page.read_text().partition("## b")[2]
    figures.record("a", "run a", figures.plain([("new", "4", "", "")]), page=page)
    text = page.read_text()
    assert text.partition("## b")[2] == kept
    assert "old" not in text
    assert '| <a id="a-new"></a>new | 4 |' in text


def test_the_tables_that_a_bench_prints_are_taken_down():
    (table,) = figures.tables_in(
        "Ten films\n| laid | read |\n|---|---:|\n| fan | 24 |\n| pile | 9 |\n\nDone.\n"
    )
    assert table == figures.Table(["laid", "read"], [["fan", "24"], ["pile", "9"]], "Ten films")


def test_figures_of_another_opencv_stand_in_a_part_of_their_own():
    lock = (HOME / "requirements.lock").read_text(encoding="utf-8")
    locked = re.search(r"^opencv-python==(\S+)", lock, re.MULTILINE)[1]
    assert figures.part_of("vision_tables", locked) == "vision_tables"
    assert figures.part_of("vision_tables", "4.10.0.84") == "vision_tables_opencv4_10"
    assert figures.part_of("vision_tables", "5.0.0.93") == "vision_tables_opencv5"


def test_the_summary_adds_up_the_rows_of_its_parts():
    part = [figures.Table(
        ["table", "cards", "right, sure", "not enrolled: named"],
        [["one", "10", "9 (90.0 %)", "0 of 10"], ["two", "30", "30 (100.0 %)", "2 of 30"]],
    )]  # fmt: skip
    assert vision_summary.share("right, sure")(part) == "39 of 40 (97.5 %)"
    assert vision_summary.share("right, sure", row="two")(part) == "30 of 30 (100.0 %)"
    assert vision_summary.named(part) == "2 of 40"


def test_a_row_of_the_summary_is_of_the_row_that_it_names_and_of_no_other():
    """`all` is in `small webcam`, too: its 73 cards were counted twice."""
    part = [figures.Table(["change", "cards", "right"], [["small webcam", "10", "1"], ["all", "30", "21"]])]
    assert vision_summary.share("right", row="all")(part) == "21 of 30 (70.0 %)"


def test_every_row_of_the_summary_is_found_in_its_part_of_the_page(capsys):
    """A bench that names a column anew would leave the summary without it."""
    vision_summary.main()
    told = capsys.readouterr().out
    there = {bench for bench, _, _ in PARTS}
    assert [aim.what for aim in vision_summary.AIMS if aim.part in there and aim.what not in told] == []


@pytest.mark.parametrize("module", ["bench", "bench.evening", "bench.referee", "bench.vision_summary"])
def test_help_is_all_that_help_gives(module):
    """`python -m bench.evening --help` played three games."""
    words = [sys.executable, "-m", module, "--help"]
    told = subprocess.run(words, cwd=HOME, capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.startswith("usage: ")
    assert told.stderr == ""


def test_every_bench_has_a_sentence_and_reads_its_words():
    benches = found()
    assert {"evening", "house", "reader", "referee", "vision_tables"} <= benches.keys()
    assert [name for name, one in benches.items() if not one.about.endswith(".")] == []
    texts = {name: (HOME / "bench" / f"{name}.py").read_text(encoding="utf-8") for name in benches}
    own = ("parse_args", "from bench.__main__ import main", "report(", "--help")
    assert [name for name, text in texts.items() if not any(word in text for word in own)] == []
