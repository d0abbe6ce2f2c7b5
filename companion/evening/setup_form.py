"""The set-up form filled with what is installed: games, decks and options."""

from __future__ import annotations

from companion import settings as kept_settings
from companion.decks.collection import available
from companion.evening.glimpse import Glimpse
from companion.plan import Plan
from companion.rules import registry
from companion.rules.options import OptionWords, in_words
from companion.table.decks import Deck, DeckError
from companion.texts import Translator
from companion.views.dashboard.setup import GameRow, OptionRow, SetUp


def fill_in(plan: Plan, say: Translator) -> Plan | None:
    """Ask what the plan does not say; None when the form was left.

    The camera that people here usually have is offered where no device is named.
    """
    settings = kept_settings.load()
    games = [game_row(name, say) for name in registry.game_ids()]
    named = plan.cameras or plan.readers or plan.replay
    camera = None if named else settings.camera
    glimpse = Glimpse()
    form = SetUp(games, say, plan, camera=camera, people=settings.names(), looking=glimpse)
    try:
        if plan.cameras:
            glimpse.look_through(plan.cameras[0])
        return form.run()
    finally:
        glimpse.close()


def game_row(name: str, say: Translator) -> GameRow:
    """Return what the form offers of a game: its decks, and its options in words."""
    game = registry.load(name)
    words = Translator(say.language, game)
    rows = tuple(_option(one, words) for one in in_words(game))
    return GameRow(name, words("game.title"), tuple(_decks().get(name, ())), rows)


def _option(one: OptionWords, words: Translator) -> OptionRow:
    """Say what an option is about, what each value changes, and the sentence of the sheet."""
    values = sorted(one.values, key=lambda value: not value.usual)
    sheet = words("option.sheet", sheet=one.sheet) if one.sheet else words("option.silent")
    rows = tuple((words.say(value.effect), value.value) for value in values)
    return OptionRow(one.name, f"{words.say(one.about)} [{one.clause}]", sheet, rows, one.usual)


def _decks() -> dict[str, list[tuple[str, str]]]:
    """Return the usable decks by game, as (title, name); those with a mistake are left out:
    `companion cards check` says what is wrong."""
    decks: dict[str, list[tuple[str, str]]] = {}
    for name, path in available().items():
        try:
            deck = Deck.load(path)
            decks.setdefault(deck.game, []).append((deck.name, name))
        except DeckError:
            continue
    return decks
