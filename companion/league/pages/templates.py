"""Fill in the templates of the pages: every value is escaped, and a missing one is an error."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from companion.rules import registry
from companion.rules.contract import Problem
from companion.texts import Translator

TEMPLATES = Path(__file__).parent / "templates"
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,  # otherwise each use would look at the file
    trim_blocks=True,
)
_ENVIRONMENT.globals["zip"] = zip


def render_template(name: str, translator: Translator, /, **values: Any) -> Markup:
    """Fill in the template of this name. Besides `values` it has `t` (the translator) and
    `title_of` (translates a game's title)."""
    title_of = partial(translate_game_title, translator=translator)
    template = _ENVIRONMENT.get_template(f"{name}.html")
    return Markup(template.render(values, t=translator, title_of=title_of).strip())


def translate_game_title(game: str, translator: Translator) -> str:
    """Return a game's title; its id if it is not installed here."""
    try:
        return Translator(translator.language, registry.load_game(game))("game.title")
    except Problem:
        return game
