"""Web pages: hand-written HTML with words from the catalogue, and their parts (styles, modules),
served unchanged. Also the game's rules page, where a clause is linked by its id."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt

from companion.language import LANGUAGES
from companion.rules import registry
from companion.texts import Translator

HERE = Path(__file__).parent
PARTS = HERE / "parts"
TITLES = {
    "tv": "title",
    "stream": "title",
    "seat": "title",
    "join": "join_title",
    "camera": "camera_title",
    "pad": "pad_title",
    "rules": "rules",
}
"""Every page, with the message that is its title. Each has a style sheet and a module of this name,
which draws it; `<name>.html` is its body, if it has one."""
WORDS = (
    *("lost", "offline", "asleep", "shut", "no_link", "elsewhere", "take_over", "evening"),
    *("wrong_letters", "too_many", "left", "door", "door_type", "choose_seat", "leave", "here", "to_join"),
    *("join_code", "seat_away", "seat_yours", "seat_taken", "seat_ask", "choose_again", "tab_turn"),
    *("choose", "send", "back", "take_back", "my_turn", "my_points", "why", "put_right", "people"),
    *("rules_at", "labelled"),
    "next_game",
    *("wishes", "language", "theme", "theme_device", "theme_light", "theme_dark"),
    *("sound", "sound_on", "sound_off"),
    *("camera_title", "camera_start", "camera_why", "camera_stop", "camera_blind", "camera_denied"),
    *("camera_none", "camera_busy", "camera_failed"),
    *("camera_settings", "camera_lens", "camera_size", "camera_zoom", "camera_turn", "camera_lamp"),
    *("camera_level", "camera_cost", "camera_slow", "camera_old"),
    *("pad_title", "pad_start", "pad_why", "pad_down", "pad_up", "pad_middle", "pad_failed"),
)
"""Words of all pages, the messages `share.<word>`. Bodies use them directly; modules find them in
an attribute of each page."""


def render_page(name: str, translator: Translator, text: str) -> str:
    """Return a page in the players' language; `text`: our own HTML to include."""
    # Templates: `parts/camera.js` fills in its measurements.
    words = {word: translator.find_template(f"share.{word}") for word in (*WORDS, TITLES[name])}
    escaped = {word: html.escape(said) for word, said in words.items()}
    body = (HERE / f"{name}.html").is_file()
    return _load_template("page").substitute(
        name=name,
        language=translator.language,
        page_title=escaped[TITLES[name]],
        words=html.escape(json.dumps(words | {"languages": _list_languages()})),
        body=_load_template(name).substitute(escaped, text=text) if body else "",
    )


@cache
def _list_languages() -> dict[str, str]:
    """Return each language's name in that language."""
    return {language: Translator(language)("language.own") for language in LANGUAGES}


def _load_template(name: str) -> Template:
    return Template((HERE / f"{name}.html").read_text(encoding="utf-8"))


PACKED = HERE / "rules"
"""Folder of the rules pages in an installed program; the build puts them there."""
SOURCES = HERE.parents[2] / "docs" / "rules"
_CLAUSE = re.compile(r"(<strong>)?\b([A-Z]{2,4}-\d+)\b")
_NOT_HERE = re.compile(r"</?(?:a|img)\b[^>]*>| style=\"[^\"]*\"")
"""Links to other files and pictures, which the server does not have, and column alignment, which
its content policy forbids."""


def render_rules(game: str, language: str) -> str:
    """Return the rules page as HTML, in `language` or English; "" for a game without one."""
    # The source tree first, so that a changed page is seen without building.
    for folder in (SOURCES, PACKED):
        for name in (f"{game}.{language}.md", f"{game}.en.md"):
            file = folder / name
            if file.is_file():
                return _render_markdown(file.read_text(encoding="utf-8"))
    return ""


def load_board_picture(game: str) -> str:
    """Return the picture of the game's board as SVG, "" for a game without one."""
    picture: Callable[[], str] | None = registry.load_part(game, "drawing:render_board_svg")
    return picture() if picture else ""


def _render_markdown(text: str) -> str:
    """Convert Markdown to HTML and give each clause its id, where it is printed bold or else where
    it is first mentioned."""
    made = _NOT_HERE.sub("", MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    stands_out = {name for bold, name in _CLAUSE.findall(made) if bold}
    told: set[str] = set()

    def mark_clause(found: re.Match[str]) -> str:
        bold, name = found.groups()
        if name in told or (name in stands_out and not bold):
            return found[0]
        told.add(name)
        return f'{"<strong" if bold else "<span"} id="{name}">{name}{"" if bold else "</span>"}'

    return _CLAUSE.sub(mark_clause, made)
