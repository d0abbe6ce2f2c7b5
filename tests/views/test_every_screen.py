"""Every screen of the program, in every language and at three sizes: no message id, no foreign word, nothing cut."""

import re

import pytest
from textual.app import App
from textual.widget import Widget
from textual.widgets import Button, Label, Static

from companion.rules.donkey_valley import requests as ask
from companion.texts import LANGUAGES
from tests.views.screens import PLACES, SIZES, Place, middle, screens_of
from tests.views.table import dashboard, on_screen

CODE = re.compile(r"\b[a-z_]+\.[a-z_]+\b(?!\s*=)|\b[a-z]+_[a-z_]+\b|card\.\?|\{\w*\}")
"""What a message id, a name of the wire, or a place for an argument looks like."""
OPTION = re.compile(r"\b[a-z_]+ ?= ?[a-z_]+|video\d|companion \w+")
"""A reason may name the option that decided, as the rules pages write it; a form names a device."""
FOREIGN = {
    "fr": r"\b(?:the|and|Close|Quit|Undo|Keys|Back|Enter|Round|Rounds|Search|Pause\?|kept|wins|player)\b",
    "de": r"\b(?:the|and|Close|Quit|Undo|Keys|Back|Round|Rounds|Search|kept|wins|player|Yes|No|et|les|joueur)\b",
    "en": r"\b(?:und|oder|nicht|les|joueur|manche|aucune)\b",
}
QUOTING = {"form"}
"""The form quotes the rule sheets in their own languages."""
SMALL, USUAL, LARGE = SIZES
LOOKS = [
    *((place, language, SMALL) for place in PLACES for language in LANGUAGES if language != "en"),
    *((place, "en", USUAL) for place in PLACES),
    *((place, "de", LARGE) for place in PLACES if place.name in ("door", "result", "won", "partners")),
]
"""The smallest screen, where words are cut first, in the languages with the longest words; the words of larger ones are the same."""


@pytest.mark.parametrize(("place", "language", "size"), LOOKS, ids=lambda one: getattr(one, "name", str(one)))
async def test_no_screen_shows_a_code_or_a_foreign_word_or_cuts_one(
    place: Place, language: str, size: tuple[int, int]
) -> None:
    seen = [(name, on_screen(app), cut(app)) async for name, app in screens_of(place, language, size)]
    for name, screen, lost in seen:
        shown = OPTION.sub("", screen)
        assert not CODE.search(shown), (name, CODE.findall(shown))
        assert name in QUOTING or not re.search(FOREIGN[language], shown), (
            name,
            re.findall(FOREIGN[language], shown),
        )
        assert lost == [], name


def cut(app: App[object]) -> list[str]:
    """The widgets with words that do not stand whole on the screen, though nothing scrolls to them."""
    return [str(one) for one in app.screen.walk_children(Widget) if _has_words(one) and _is_cut(app, one)]


def _has_words(widget: Widget) -> bool:
    return isinstance(widget, Label | Static | Button) and widget.display and bool(widget.region.area)


def _is_cut(app: App[object], widget: Widget) -> bool:
    around = list(widget.ancestors_with_self)
    if any(
        isinstance(one, Widget) and (one.allow_vertical_scroll or one.allow_horizontal_scroll)
        for one in around
    ):
        return False
    return not app.screen.region.contains_region(widget.region)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_at_24_rows_a_refusal_is_on_the_screen(language: str) -> None:
    live = middle("donkey_valley")
    live.submit(ask.Favour("Dora", 3))
    async with dashboard(live, language=language).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "✘" in on_screen(pilot.app)
