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
from companion.language import LOCALE, read_settings_language

SHELLS = ("bash", "zsh", "tcsh")
"""Shells with completion (`shtab.SUPPORTED_SHELLS`)."""
_WORDS = "help"
"""gettext domain of the command line. Its message ids are the English sentences, not codes, because
argparse's own messages are in the same catalogue."""


class Formatter(argparse.HelpFormatter):
    """Formatter of a command's help in the language set by `set_help_language`; text without a
    translation stays English."""

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(heading and gettext.gettext(heading))

    def add_text(self, text: str | None) -> None:
        """Add the command's own sentence."""
        super().add_text(text and format_sentence(gettext.gettext(text)))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and gettext.gettext(action.help)


def format_sentence(summary: str) -> str:
    """Turn the description of a command into a sentence."""
    return summary[0].upper() + summary[1:] + "."


class Parser(argparse.ArgumentParser):
    """Argument parser that suggests the option or word that was probably meant."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **{"formatter_class": Formatter, **options})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the arguments; exit with status 2 if one is wrong."""
        # argparse's own refusal would not say which option was meant.
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            message = gettext.gettext("unrecognized arguments: %s") % " ".join(unknown)
            self.error(message + _suggest_word(unknown[0], self._list_options()))
        return parsed

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write a help or an error. Raises `OSError`, which argparse's own passes over: a full disk
        is told."""
        if message:
            print(message, end="", file=file or sys.stderr, flush=True)

    def _list_options(self) -> list[str]:
        """Return every option, those of subcommands (`cards print`) included."""
        return [option for action in iter_actions(self) for option in action.option_strings]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as fault:
            raise argparse.ArgumentError(
                action, fault.message + _suggest_word(value, action.choices or ())
            ) from None


def _list_subparsers(action: argparse.Action) -> list[Parser]:
    return list(action.choices.values()) if isinstance(action, argparse._SubParsersAction) else []


def _suggest_word(typed: str, known: Iterable[str]) -> str:
    """Return a question suggesting the nearest word in `known`, or ""."""
    near = libraries.difflib.get_close_matches(typed.partition("=")[0], known, n=1)
    return " (" + gettext.gettext("did you mean %s?") % near[0] + ")" if near else ""


def set_help_language(words: Sequence[str]) -> str:
    """Set the language of help and of argparse's own messages to the one in the arguments, which
    are not parsed yet; return it."""
    os.environ["LANGUAGE"] = language = find_language(words)  # where gettext looks first
    gettext.bindtextdomain(_WORDS, LOCALE)
    gettext.textdomain(_WORDS)
    return language


def format_completion(commands: Mapping[str, str], shell: str) -> str:
    """Return the completion script for a shell, in the language set by `set_help_language`."""
    parser = build_full_parser(commands)
    for action in iter_actions(parser):
        # Where a file is expected, shells complete file names.
        if action.type is Path:
            vars(action)["complete"] = libraries.shtab.FILE
    return str(libraries.shtab.complete(parser, shell))


def build_full_parser(commands: Mapping[str, str]) -> Parser:
    """Return one parser for all commands with their descriptions, for completion and the manual. It
    takes a second."""
    full_parser = Parser("companion")
    subparsers = full_parser.add_subparsers()
    for name, summary in commands.items():
        parser = subparsers.add_parser(name, help=gettext.gettext(summary))
        import_module(f"companion.commands.{name.replace('-', '_')}").add_arguments(parser)
    for action in iter_actions(full_parser):
        action.help = action.help and gettext.gettext(action.help)
    return full_parser


def iter_actions(parser: Parser) -> Iterator[argparse.Action]:
    """Yield every option and argument of a parser, those of subcommands included."""
    for action in parser._actions:
        yield action
        for below in _list_subparsers(action):
            yield from iter_actions(below)


def find_language(words: Sequence[str]) -> str:
    """Return the language in arguments that are not parsed yet, else that of the settings."""
    requested = [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    requested += words[words.index("--lang") + 1 :][:1] if "--lang" in words else []
    return requested[0] if requested else read_settings_language()
