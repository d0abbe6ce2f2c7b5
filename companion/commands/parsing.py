"""Parsing of a command's arguments, its help in the chosen language, and completion for shells.

All of this is loaded for `companion --help`, and little else is.
"""

from __future__ import annotations

import argparse
import gettext
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from companion import libraries, plug_ins
from companion.language import LOCALE, read_settings_language
from companion.rules.entry_points import list_entry_points

SHELLS = ("bash", "zsh", "tcsh")
"""Shells with completion (`shtab.SUPPORTED_SHELLS`)."""
_HELP = "help"
"""gettext domain of our own help: ids are codes, and English is a catalogue like any other."""
_ARGPARSE = "argparse"
"""gettext domain of argparse's messages, whose ids are the English sentences."""


def translate_help(code: str) -> str:
    """Return the text for a code of the help catalogue, in the language set by `set_help_language`;
    a text that is not a code is returned unchanged."""
    text = gettext.dgettext(_HELP, code)
    return text if text != code or "." not in code else _translate_plug_in_help(code)


def _translate_plug_in_help(code: str) -> str:
    """Return the text for a code of a plug-in's help: `NAME.x`, `command.NAME` or `group.NAME`."""
    first, _, rest = code.partition(".")
    name = (rest if first in ("command", "group") else first).replace("-", "_")
    folder = plug_ins.find_catalogues(name)
    if folder is None:
        return code
    gettext.bindtextdomain(f"{name}_help", folder)
    return gettext.dgettext(f"{name}_help", code)


class Formatter(argparse.HelpFormatter):
    """Formatter that translates the codes of a command's help into the language set by
    `set_help_language`."""

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(heading and translate_help(heading))

    def add_text(self, text: str | None) -> None:
        """Add the command's own sentence."""
        super().add_text(text and format_sentence(translate_help(text)))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and translate_help(action.help)


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
    return " (" + translate_help("did_you_mean") % near[0] + ")" if near else ""


def set_help_language(words: Sequence[str]) -> str:
    """Set the language of help and of argparse's own messages to the one in the arguments, which
    are not parsed yet; return it."""
    language = find_language(words)
    # Where gettext looks first. It reads English where the language lacks a sentence.
    os.environ["LANGUAGE"] = f"{language}:en"
    for domain in (_HELP, _ARGPARSE):
        gettext.bindtextdomain(domain, LOCALE)
    gettext.textdomain(_ARGPARSE)
    return language


def format_completion(commands: Mapping[str, str], shell: str) -> str:
    """Return the completion script for a shell, in the language set by `set_help_language`."""
    parser = translated_parser(commands)
    for action in iter_actions(parser):
        # Where a file is expected, shells complete file names.
        if action.type is Path:
            vars(action)["complete"] = libraries.shtab.FILE
    return str(libraries.shtab.complete(parser, shell))


def translated_parser(commands: Mapping[str, str]) -> Parser:
    """Return `build_full_parser` with its texts in the language set by `set_help_language`, for
    programs that read a parser without its formatter: completion and the manual."""
    whole = build_full_parser(commands)
    for parser in all_parsers(whole):
        for group in parser._action_groups:
            group.title = group.title and translate_help(group.title)
        for action in parser._actions:
            # A subcommand's line in the help is an action of its own.
            for one in (action, *getattr(action, "_choices_actions", ())):
                one.help = one.help and translate_help(one.help)
    return whole


def build_full_parser(commands: Mapping[str, str]) -> Parser:
    """Return one parser for all commands, given the codes of their descriptions. It takes a
    second."""
    full_parser = Parser("companion")
    subparsers = full_parser.add_subparsers()
    for name, code in commands.items():
        parser = subparsers.add_parser(name, help=code)
        # One that is installed and broken is listed without its options.
        with nullcontext() if _is_own_command(name) else suppress(Exception):
            import_command(name).add_arguments(parser)
    return full_parser


def import_command(name: str) -> Any:
    """Import the module of a command: the program's own, else the one that is installed.

    Raises `Problem` if that cannot be loaded.
    """
    if _is_own_command(name):
        return import_module(f"companion.commands.{name.replace('-', '_')}")
    from companion.rules import registry  # noqa: PLC0415 - for the overview no command is imported
    from companion.rules.messages import Problem, describe_exception  # noqa: PLC0415 - likewise

    point = list_entry_points(plug_ins.COMMANDS)[name.replace("-", "_")]
    try:
        return registry.import_in_thread(name, point.value, point.load)
    except Exception as fault:  # whatever a plug-in's code may raise
        raise Problem("plug_in.broken", name=name, reason=describe_exception(fault)) from fault


def _is_own_command(name: str) -> bool:
    return find_spec(f"companion.commands.{name.replace('-', '_')}") is not None


def all_parsers(parser: Parser) -> Iterator[Parser]:
    """Yield a parser and those of its subcommands."""
    yield parser
    for action in parser._actions:
        for below in _list_subparsers(action):
            yield from all_parsers(below)


def iter_actions(parser: Parser) -> Iterator[argparse.Action]:
    """Yield every option and argument of a parser, those of subcommands included."""
    for one in all_parsers(parser):
        yield from one._actions


def find_language(words: Sequence[str]) -> str:
    """Return the language in arguments that are not parsed yet, else that of the settings."""
    requested = [word.partition("=")[2] for word in words if word.startswith("--lang=")]
    requested += words[words.index("--lang") + 1 :][:1] if "--lang" in words else []
    return requested[0] if requested else read_settings_language()
