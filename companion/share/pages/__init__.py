"""The pages: hand-written HTML whose words come from the catalogue, and their parts (styles,
modules), served as they are."""

from __future__ import annotations

import html
from pathlib import Path
from string import Template

from companion.texts import Translator

HERE = Path(__file__).parent
PARTS = HERE / "parts"
TITLES = {
    "tv": "title",
    "stream": "title",
    "seat": "title",
    "camera": "camera_title",
    "pad": "pad_title",
    "rules": "rules",
}
"""Every page, with the word that is its title. Each has a body of its own, `<name>.html`, a style
and a module of this name."""
SAID = ("lost", "no_link", "nothing_now", "send", "back", "camera_blind")
"""Words that the modules say: attributes of every page's body, `data-no-link`."""
WORDS = (
    *("camera_title", "camera_start", "camera_why", "camera_stop", "my_turn", "my_points", "why"),
    *("pad_title", "pad_start", "pad_why", "pad_down", "pad_up", "pad_middle", "pad_failed", "rules"),
    *("put_right", "people"),
)
"""The words that bodies hold: the messages `share.<word>`."""


def page(name: str, say: Translator, text: str = "") -> str:
    """Return a page in the players' language; `text`: HTML of ours that it is to hold."""
    words = {word: html.escape(say(f"share.{word}")) for word in (*SAID, *WORDS, TITLES[name])}
    said = " ".join(f'data-{word.replace("_", "-")}="{words[word]}"' for word in SAID)
    filled = _read(name).substitute(words, text=text)
    return _read("page").substitute(
        words, name=name, language=say.language, page_title=words[TITLES[name]], said=said, body=filled
    )


def _read(name: str) -> Template:
    return Template((HERE / f"{name}.html").read_text(encoding="utf-8"))
