"""The pages: hand-written HTML whose words come from the catalogue, and their parts (styles, modules), served as they are."""

from __future__ import annotations

import html
from pathlib import Path
from string import Template

from companion.texts import Translator

PARTS = Path(__file__).parent / "parts"
WORDS = (
    *("title", "lost", "no_link", "watch_title", "camera_title", "camera_start", "camera_why", "camera_stop"),
    *("my_turn", "my_points", "nothing_now", "why", "send"),
)
"""The words that pages need before the first state has come: the messages `share.<word>`."""


def page(name: str, say: Translator) -> str:
    """Return a page with its words in the players' language."""
    template = Template((Path(__file__).parent / f"{name}.html").read_text(encoding="utf-8"))
    words = {word: html.escape(say(f"share.{word}")) for word in WORDS}
    return template.substitute(words, language=say.language)
