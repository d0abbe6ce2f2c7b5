"""Parsing of a command's arguments, its help in the chosen language, and completion for shells.

All of this is loaded for `companion --help`, and little else is.
"""

from __future__ import annotations

import argparse
import gettext
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from companion import libraries
from companion.language import LOCALE, of_the_settings

SHELLS = ("bash", "zsh", "tcsh")
"""Shells with completion (`shtab.SUPPORTED_SHELLS`)."""
_WORDS = "help"
"""gettext domain of the command line. Its message ids are the English sentences, not codes, because
argparse's own messages are in the same catalogue."""


class Formatter(argparse.HelpFormatter):
    """Formatter of a command's help in the language set by `speak`; text without a translation
    stays English."""

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(heading and gettext.gettext(heading))

    def add_text(self, text: str | None) -> None:
        """Add the command's own sentence."""
        super().add_text(text and sentence(gettext.gettext(text)))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and gettext.gettext(action.help)


def sentence(told: str) -> str:
    """Turn the description of a command into a sentence."""
    return told[0].upper() + told[1:] + "."


class Parser(argparse.ArgumentParser):
    """Argument parser that suggests the option or word that was probably meant."""

    def __init__(self, *words: Any, **named: Any) -> None:
        super().__init__(*words, **{"formatter_class": Formatter, **named})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; exit with status 2 if one is wrong."""
        # argparse's own refusal would not say which option was meant.
        chosen, unknown = self.parse_known_args(args, namespace)
        if unknown:
            told = gettext.gettext("unrecognized arguments: %s") % " ".join(unknown)
            self.error(told + _meant(unknown[0], self._options()))
        return chosen

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write a help or an error. Raises `OSError`, which argparse's own passes over: a full disk
        is told."""
        if message:
            print(message, end="", file=file or sys.stderr, flush=True)

    def _options(self) -> list[str]:
        """Return every option, those of subcommands (`cards print`) included."""
        return [option for action in all_actions(self) for option in action.option_strings]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as fault:
            raise argparse.ArgumentError(
                action, fault.message + _meant(value, action.choices or ())
            ) from None


def _below(action: argparse.Action) -> list[Parser]:
    return list(action.choices.values()) if isinstance(action, argparse._SubParsersAction) else []


def _meant(typed: str, known: Iterable[str]) -> str:
    """Return a question suggesting the nearest word in `known`, or ""."""
    near = libraries.difflib.get_close_matches(typed.partition("=")[0], known, n=1)
    return " (" + gettext.gettext("did you mean %s?") % near[0] + ")" if near else ""


def speak(words: Sequence[str]) -> str:
    """Set the language of help and of argparse's own messages to the one in the arguments, which
    are not parsed yet; return it."""
    os.environ["LANGUAGE"] = language = language_of(words)  # where gettext looks first
    gettext.bindtextdomain(_WORDS, LOCALE)
    gettext.textdomain(_WORDS)
    return language


def completion(commands: Mapping[str, str], shell: str) -> str:
    """Return the completion script for a shell, in the language set by `speak`."""
    parser = whole_parser(commands)
    for action in all_actions(parser):
        # Where a file is expected, shells complete file names.
        if action.type is Path:
            vars(action)["complete"] = libraries.shtab.FILE
    return str(libraries.shtab.complete(parser, shell))


def whole_parser(commands: Mapping[str, str]) -> Parser:
    """Return one parser for all commands with their descriptions, for completion and the manual. It
    takes a second."""
    whole = Parser("companion")
    below = whole.add_subparsers()
    for name, told in commands.items():
        parser = below.add_parser(name, help=gettext.gettext(told))
        import_module(f"companion.commands.{name.replace('-', '_')}").add_arguments(parser)
    for action in all_actions(whole):
        action.help = action.help and gettext.gettext(action.help)
    return whole


def all_actions(parser: Parser) -> Iterator[argparse.Action]:
    """Yield every option and argument of a parser, those of subcommands included."""
    for action in parser._actions:
        yield action
        for below in _below(action):
            yield from all_actions(below)


def language_of(words: Sequence[str]) -> str:
    """Return the language in arguments that are not parsed yet, else that of the settings."""
    asked = [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    asked += words[words.index("--lang") + 1 :][:1] if "--lang" in words else []
    return asked[0] if asked else of_the_settings()
