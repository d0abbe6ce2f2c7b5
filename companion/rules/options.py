"""A game's options in words: the question, the effect of each value, and the ambiguous sentence of
the rule sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from companion.rules.contract import Game, Option, Text


class OptionValue(msgspec.Struct, frozen=True):
    """One value of an option as it is written, and its effect; `usual`: it is the default."""

    value: str
    effect: Text
    usual: bool


class OptionWords(msgspec.Struct, frozen=True):
    """One option in words: the question (`about`), its `values` (() where any number or map is
    allowed), and its clause.

    `usual`: the default value as it is written. `sheet`, `is_preference`: see `Option`; `source`
    says the sheet's sentence, or that the default is our choice.
    """

    name: str
    about: Text
    usual: str
    values: tuple[OptionValue, ...]
    clause: str
    sheet: str
    source: Text
    is_preference: bool = False


def describe_options(game: Game[Any]) -> list[OptionWords]:
    """List the options of a game in the order of its page.

    >>> from companion.rules import registry
    >>> [(one.name, one.usual, one.clause) for one in describe_options(registry.load_game("dtc"))]
    [('variant', 'off', 'DTC-8'), ('hands_only', 'false', 'DTC-11')]
    """
    return [_describe_option(option) for option in game.options]


def describe_option_value(name: str, value: object) -> Text:
    """Describe how a table plays an option, like the set-up form: the question and the chosen
    value's effect; for a map only the question.

    `format_option_assignment` turns it into the form for programs.
    """
    code = f"option.{name}"
    about = Text(code)
    # A map has too many values for a sentence each.
    if isinstance(value, Mapping):
        return Text("option.named", {"about": about, "name": name})
    listed = isinstance(value, str | bool) or value is None
    effect = Text(f"{code}.{_encode_value(value)}") if listed else value
    return Text(
        "option.chosen", {"about": about, "effect": effect, "name": name, "value": _encode_value(value)}
    )


def format_option_assignment(text: Text) -> Text:
    """Return a `describe_option_value` option as written in `start` (`draws = app`); other text
    unchanged."""
    code = {"option.chosen": "option.written", "option.named": "option.written_map"}.get(text.code)
    return Text(code, text.args) if code else text


def _encode_value(value: object) -> str:
    return msgspec.json.encode(value).decode().strip('"')


def _describe_option(option: Option) -> OptionWords:
    usual = _encode_value(option.default)
    code = f"option.{option.name}"
    written = option.values or (("null",) if option.default is None else ())
    values = tuple(OptionValue(value, Text(f"{code}.{value}"), value == usual) for value in written)
    source = Text("option.sheet_ours" if option.ours else "option.sheet", {"sheet": option.sheet})
    return OptionWords(
        option.name,
        Text(code),
        usual,
        values,
        option.clause,
        option.sheet,
        source if option.sheet else Text("option.silent"),
        option.is_preference,
    )
