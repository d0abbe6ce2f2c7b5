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
_HELP = "help"
"""gettext domain of our own help: ids are codes, and English is a catalogue like any other."""
_ARGPARSE = "argparse"
"""gettext domain of argparse's messages, whose ids are the English sentences."""


def translate_help(code: str) -> str:
    """Return the text for a code of the help catalogue, in the language set by `speak`; a text that
    is no code is returned as it is."""
    return gettext.dgettext(_HELP, code)


class Formatter(argparse.HelpFormatter):
    """Formatter that translates the codes of a command's help into the language set by `speak`."""

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(heading and translate_help(heading))

    def add_text(self, text: str | None) -> None:
        """Add the command's own sentence."""
        super().add_text(text and sentence(translate_help(text)))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and translate_help(action.help)


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
    return " (" + translate_help("did_you_mean") % near[0] + ")" if near else ""


def speak(words: Sequence[str]) -> str:
    """Set the language of help and of argparse's own messages to the one in the arguments, which
    are not parsed yet; return it."""
    language = language_of(words)
    # Where gettext looks first. It reads English where the language lacks a sentence.
    os.environ["LANGUAGE"] = f"{language}:en"
    for domain in (_HELP, _ARGPARSE):
        gettext.bindtextdomain(domain, LOCALE)
    gettext.textdomain(_ARGPARSE)
    return language


def completion(commands: Mapping[str, str], shell: str) -> str:
    """Return the completion script for a shell, in the language set by `speak`."""
    parser = translated_parser(commands)
    for action in all_actions(parser):
        # Where a file is expected, shells complete file names.
        if action.type is Path:
            vars(action)["complete"] = libraries.shtab.FILE
    return str(libraries.shtab.complete(parser, shell))


def translated_parser(commands: Mapping[str, str]) -> Parser:
    """Return `whole_parser` with its texts in the language set by `speak`, for programs that read
    a parser without its formatter: completion and the manual."""
    whole = whole_parser(commands)
    for parser in all_parsers(whole):
        for group in parser._action_groups:
            group.title = group.title and translate_help(group.title)
        for action in parser._actions:
            # A subcommand's line in the help is an action of its own.
            for one in (action, *getattr(action, "_choices_actions", ())):
                one.help = one.help and translate_help(one.help)
    return whole


def whole_parser(commands: Mapping[str, str]) -> Parser:
    """Return one parser for all commands, given the codes of their descriptions. It takes a
    second."""
    whole = Parser("companion")
    below = whole.add_subparsers()
    for name, code in commands.items():
        parser = below.add_parser(name, help=code)
        import_module(f"companion.commands.{name.replace('-', '_')}").add_arguments(parser)
    return whole


def all_parsers(parser: Parser) -> Iterator[Parser]:
    """Yield a parser and those of its subcommands."""
    yield parser
    for action in parser._actions:
        for below in _below(action):
            yield from all_parsers(below)


def all_actions(parser: Parser) -> Iterator[argparse.Action]:
    """Yield every option and argument of a parser, those of subcommands included."""
    for one in all_parsers(parser):
        yield from one._actions


def language_of(words: Sequence[str]) -> str:
    """Return the language in arguments that are not parsed yet, else that of the settings."""
    asked = [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    asked += words[words.index("--lang") + 1 :][:1] if "--lang" in words else []
    return asked[0] if asked else of_the_settings()
