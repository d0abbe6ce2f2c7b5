"""The set-up form filled with what is installed: games, decks and options; its answers become
arguments of `companion play`."""

from __future__ import annotations

import argparse

from msgspec.structs import replace

from companion import settings as kept_settings
from companion.decks.collection import available
from companion.evening.glimpse import Glimpse
from companion.evening.plan import CannotBegin, Plan, option, set_up
from companion.rules import registry
from companion.rules.contract import Text
from companion.rules.options import OptionWords, in_words
from companion.table.decks import Deck, DeckError
from companion.texts import Translator
from companion.views.dashboard.setup import Answers, GameRow, OptionRow, SetUp


def fill_in(arguments: argparse.Namespace, say: Translator, camera: str = "") -> bool:
    """Ask what the command line did not say, and write the answers into `arguments`; False when the
    form was left.

    `camera`: the one that people here usually have; asked for where no device was named.
    """
    games = [game_row(name, say) for name in registry.game_ids()]
    named = arguments.camera or arguments.reader or arguments.replay
    settings = kept_settings.load()
    glimpse = Glimpse()
    app = SetUp(
        games,
        lambda answers: set_up_fault(answers, say),
        say,
        arguments.game or "donkey_valley",
        None if named else camera,
        settings.names(),
        pictures=settings.pictures,
        looking=glimpse,
    )
    try:
        if arguments.camera:
            glimpse.look_through(arguments.camera[0])
        answers = app.run()
    finally:
        glimpse.close()
    if answers is None:
        return False
    arguments.game, arguments.players, arguments.deck = answers.game, ",".join(answers.players), answers.deck
    arguments.option = list(answers.options)
    arguments.clock = float(answers.clock) if answers.clock else None
    if answers.camera:
        arguments.camera, arguments.by_hand = [answers.camera], False
        arguments.keep_pictures = answers.pictures
    return True


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


def set_up_fault(answers: Answers, say: Translator) -> str:
    """Say what is wrong with the answers; "" when the evening can begin."""
    for words in answers.options:
        if "=" not in words:
            return say("play.bad_option", option=words)
    if answers.clock and not _seconds(answers.clock):
        return say("play.bad_clock", reason=answers.clock)
    try:
        set_up(Plan(answers.game, answers.players, dict(map(option, answers.options))))
    except CannotBegin as fault:
        return Translator.of(say.language, answers.game).say(_by_title(fault.text))
    return ""


def _by_title(fault: Text) -> Text:
    """Call an option by its title in the form, not by the name that programs call it."""
    if fault.code != "refusal.bad_option":
        return fault
    return replace(fault, args={**fault.args, "option": Text(f"option.{fault.args['option']}")})


def _seconds(words: str) -> bool:
    try:
        return 0 < float(words) <= 24 * 3600
    except ValueError:
        return False
