"""What the documents say of the house is so: every package has its line, every folder its page,
`make help` every command."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

HOME = Path(__file__).resolve().parents[1]
CONTRIBUTING = (HOME / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (HOME / "Makefile").read_text(encoding="utf-8")
WORDS = "locale/"
"""What people read: no code, so it has no place among the layers."""


def parts(package: str, page: str) -> list[tuple[str, str, str]]:
    """The folders and modules of a package, each with the page that must have a line for it."""
    inside = [one for one in (HOME / package).iterdir() if not one.name.startswith("__")]
    names = [one.name + "/" * one.is_dir() for one in inside if one.is_dir() or one.suffix == ".py"]
    return [(package, page, name) for name in sorted(names)]


@pytest.mark.parametrize(
    ("package", "page", "part"), parts("companion", "CONTRIBUTING.md") + parts("vision", "vision/README.md")
)
def test_every_part_has_its_line_and_its_place(package, page, part):
    table = [line for line in (HOME / page).read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert sum(f"`{part}`" in line for line in table) == 1, f"give {part} one line in the table of {page}"
    contracts = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one.get("containers") == [package]]
    places = re.split(r"[\s|]+", " ".join(layers))
    if part != WORDS:
        assert part.removesuffix(".py").removesuffix("/") in places


@pytest.mark.parametrize("folder", ["bench", "companion", "firmware", "hardware", "tests", "vision"])
def test_every_folder_says_what_it_is_and_how_to_change_it(folder):
    assert len((HOME / folder / "README.md").read_text(encoding="utf-8").splitlines()) > 5


def test_only_the_league_knows_the_league():
    """It is a plug-in: contracts hold the imports, this all else, messages included."""
    files = [
        file for file in (HOME / "companion").rglob("*") if file.suffix in (".py", ".po", ".js", ".html")
    ]
    outside = [file for file in files if HOME / "companion" / "league" not in file.parents]
    assert len(outside) > 300
    assert [file for file in outside if "league" in file.read_text(encoding="utf-8").lower()] == []


def test_paths_that_contributing_and_the_glossary_name_are_there():
    pages = CONTRIBUTING + (HOME / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:companion|vision|docs|tests|tools)/[\w./]*)`", pages))
    assert len(named) > 25
    assert not [path for path in sorted(named) if not (HOME / path).exists()]


def test_make_help_lists_every_command():
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    helped = re.findall(r"^([a-z0-9-]+):.*##", MAKEFILE, re.MULTILINE)
    assert sorted(phony.split()) == sorted(helped)
    assert "[a-z0-9-]*" in MAKEFILE, "help shows names with digits too"


def test_pre_commit_runs_what_make_check_runs():
    hooks = re.findall(r"entry: make ([\w-]+)", (HOME / ".pre-commit-config.yaml").read_text())
    (parts,) = re.findall(r"^check: ([\w -]+?) *##", MAKEFILE, re.MULTILINE)
    assert hooks == parts.split()


WRITTEN = ("docs/requests/", "docs/events/", "CHANGELOG.md")
"""Pages that a program writes, a sentence a line; the changelog has a line for each change, so that
two changes merge."""


def test_prose_wraps_at_100():
    """Paragraphs and list entries; tables, headings, code and words that cannot be parted are as
    long as they are."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=HOME, capture_output=True, text=True, check=True)
    pages = [page for page in listed.stdout.split() if not page.startswith(WRITTEN)]
    markdown = MarkdownIt("commonmark").enable("table")
    wide = []
    for page in pages:
        text = (HOME / page).read_text(encoding="utf-8")
        lines = text.split("\n")
        inline = [token.map for token in markdown.parse(text) if token.type == "inline" and token.map]
        wide += [
            f"{page}:{number + 1}"
            for begin, end in inline
            for number in range(begin, end)
            if len(lines[number]) > 100
            and not lines[number].lstrip().startswith(("|", "#"))
            and " " in re.sub(r"`[^`]*`", "", lines[number]).strip()
        ]
    assert len(pages) > 30
    assert wide == []
