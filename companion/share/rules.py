"""The game's rules page as in the project, for a phone; a clause opens by its id."""

from __future__ import annotations

import re
from pathlib import Path

from markdown_it import MarkdownIt

PACKED = Path(__file__).parent / "pages" / "rules"
"""Where an installed program has the pages; the build puts them there."""
SOURCES = Path(__file__).parents[2] / "docs" / "rules"
_CLAUSE = re.compile(r"(<strong>)?\b([A-Z]{2,4}-\d+)\b")
_NOT_HERE = re.compile(r"</?(?:a|img)\b[^>]*>| style=\"[^\"]*\"")
"""Links to other files and pictures, which the server has not; the alignment of columns, which its
policy forbids."""


def rules_page(game: str, language: str) -> str:
    """Return the page's text as HTML, in `language` or English; "" for a game without one."""
    for folder in (SOURCES, PACKED):
        for name in (f"{game}.{language}.md", f"{game}.en.md"):
            file = folder / name
            if file.is_file():
                return _html(file.read_text(encoding="utf-8"))
    return ""


def _html(text: str) -> str:
    """Give each clause its id where it stands out, or else where it is named first."""
    made = _NOT_HERE.sub("", MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    stands_out = {name for bold, name in _CLAUSE.findall(made) if bold}
    told: set[str] = set()

    def clause(found: re.Match[str]) -> str:
        bold, name = found.groups()
        if name in told or (name in stands_out and not bold):
            return found[0]
        told.add(name)
        return f'{"<strong" if bold else "<span"} id="{name}">{name}{"" if bold else "</span>"}'

    return _CLAUSE.sub(clause, made)
