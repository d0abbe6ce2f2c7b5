"""A game's options in words: what each is about, what each value changes, and the sheet's sentence
that is read so or so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from companion.rules.contract import Game, Option, Text


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option as it is written, and what it changes; `usual`: it holds unless
    another one is chosen."""

    value: str
    effect: Text
    usual: bool


class OptionWords(msgspec.Struct, frozen=True):
    """One option for people who choose: `about` it, its `values` (() where any number or map will
    do), and where it comes from.

    `usual`: the usual value as it is written. `sheet`: see `Option`.
    """

    name: str
    about: Text
    usual: str
    values: tuple[OptionValue, ...]
    clause: str
    sheet: str


def in_words(game: Game[Any]) -> list[OptionWords]:
    """List the options of a game in the order of its page.

    >>> from companion.rules import registry
    >>> [(one.name, one.usual, one.clause) for one in in_words(registry.load("dtc"))]
    [('variant', 'off', 'DTC-8'), ('hands_only', 'false', 'DTC-11')]
    """
    return [_in_words(option) for option in game.options]


def chosen(name: str, value: object) -> Text:
    """Say how a table plays an option, as the set-up form does: what it is about and the value's
    effect; of a map only the former.

    `coded` turns it into what programs read.
    """
    code = f"option.{name}"
    about = Text(code)
    if isinstance(value, Mapping):
        return Text("option.named", {"about": about, "name": name})
    listed = isinstance(value, str | bool) or value is None
    effect = Text(f"{code}.{_written(value)}") if listed else value
    return Text("option.chosen", {"about": about, "effect": effect, "name": name, "value": _written(value)})


def coded(text: Text) -> Text:
    """Return a `chosen` option as written in `start` (`draws = app`); other text as it is."""
    code = {"option.chosen": "option.written", "option.named": "option.written_map"}.get(text.code)
    return Text(code, text.args) if code else text


def _written(value: object) -> str:
    return msgspec.json.encode(value).decode().strip('"')


def _in_words(option: Option) -> OptionWords:
    usual = _written(option.default)
    code = f"option.{option.name}"
    written = option.values or (("null",) if option.default is None else ())
    values = tuple(OptionValue(value, Text(f"{code}.{value}"), value == usual) for value in written)
    return OptionWords(option.name, Text(code), usual, values, option.clause, option.sheet)
