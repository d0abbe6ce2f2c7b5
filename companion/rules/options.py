"""A game's options in words: what each is about, what each value changes, and the sheet's sentence that is read so or so."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.rules.contract import Game, Option, Text


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option as it is written, and what it changes; `usual`: it holds unless another one is chosen."""

    value: str
    effect: Text
    usual: bool


class OptionWords(msgspec.Struct, frozen=True):
    """One option for people who choose: `about` it, its `values` (() where any number or map will do), and where it comes from.

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
    [('variant', 'off', 'DTC-8')]
    """
    return [_in_words(option) for option in game.options]


def _in_words(option: Option) -> OptionWords:
    usual = msgspec.json.encode(option.default).decode().strip('"')
    code = f"option.{option.name}"
    written = option.values or (("null",) if option.default is None else ())
    values = tuple(OptionValue(value, Text(f"{code}.{value}"), value == usual) for value in written)
    return OptionWords(option.name, Text(code), usual, values, option.clause, option.sheet)
