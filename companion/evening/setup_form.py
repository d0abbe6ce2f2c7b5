"""The set-up form filled with what is installed: games, decks and options; its answers become arguments of `companion play`."""

from __future__ import annotations

import argparse

import msgspec

from companion.decks.collection import available
from companion.evening.plan import CannotBegin, Plan, set_up
from companion.rules import registry
from companion.rules.options import OptionWords, in_words
from companion.table.decks import Deck, DeckError
from companion.texts import Translator
from companion.views.dashboard.setup import Answers, SetUp


def fill_in(arguments: argparse.Namespace, say: Translator) -> bool:
    """Ask what the command line did not say, and write the answers into `arguments`; False when the form was left."""
    games = {
        name: Translator(say.language, registry.load(name))("game.title") for name in registry.game_ids()
    }
    options = {name: " ".join(_option_words(name)) for name in games}
    rulings = {name: told(name, say.language) for name in games}
    first = arguments.game or "donkey_valley"
    app = SetUp(games, _decks(), options, rulings, lambda answers: _wrong(answers, say), say, first)
    answers = app.run()
    if answers is None:
        return False
    arguments.game, arguments.players, arguments.deck = answers.game, ",".join(answers.players), answers.deck
    arguments.option = list(answers.options)
    arguments.clock = float(answers.clock) if answers.clock else None
    return True


def option(words: str) -> tuple[str, object]:
    """Read `name=value`; the value is JSON where it can be (`true`, `5`, a map), else a word. Raises `ValueError` without `=`."""
    name, found, value = words.partition("=")
    if not found:
        raise ValueError(words)
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


def _option_words(game_id: str) -> list[str]:
    return [
        f"{one.name}={msgspec.json.encode(one.default).decode()}" for one in registry.load(game_id).options
    ]


def told(game_id: str, language: str) -> str:
    """Say of every option what it is about, what each value changes, and the sheet's sentence that is read so or so."""
    game = registry.load(game_id)
    say = Translator(language, game)
    return "\n\n".join("\n  ".join(_option_lines(one, say)) for one in in_words(game)) or say("option.none")


def _option_lines(option: OptionWords, say: Translator) -> list[str]:
    title = say("option.title", name=option.name, about=say.say(option.about), clause=option.clause)
    values = [
        say("option.usual" if one.usual else "option.other", value=one.value, effect=say.say(one.effect))
        for one in option.values
    ]
    sheet = say("option.sheet", sheet=option.sheet) if option.sheet else say("option.silent")
    return [title, *(values or [say("option.number", value=option.usual)]), sheet]


def _decks() -> dict[str, list[str]]:
    """Return the usable decks by game; a deck file with a mistake is left out here, `companion cards check` says what is wrong."""
    decks: dict[str, list[str]] = {}
    for name, path in available().items():
        try:
            decks.setdefault(Deck.load(path).game, []).append(name)
        except DeckError:
            continue
    return decks


def _wrong(answers: Answers, say: Translator) -> str:
    """Say what is wrong with the answers; "" when the evening can begin."""
    for words in answers.options:
        if "=" not in words:
            return say("play.bad_option", option=words)
    if answers.clock and not _seconds(answers.clock):
        return say("play.bad_clock", reason=answers.clock)
    try:
        set_up(Plan(answers.game, answers.players, dict(map(option, answers.options))))
    except CannotBegin as fault:
        return Translator.of(say.language, answers.game).say(fault.text)
    return ""


def _seconds(words: str) -> bool:
    try:
        return 0 < float(words) <= 24 * 3600
    except ValueError:
        return False
