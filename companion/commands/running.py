"""How a command is run: its arguments read, and the one sentence with which it gives up."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from companion import crash
from companion.rules.contract import Problem

if TYPE_CHECKING:
    from companion.texts import Translator

GAVE_UP = 2
"""The exit status of a command that could not do what it was asked; 1: it found something wrong."""


def run_command(name: str, words: Sequence[str], description: str = "") -> int:
    """Run `companion.commands.<name>` (`_` for `-`) with these arguments; return its exit status.

    A `Problem` that it raises is said on standard error, and the status is 2.
    """
    chosen = argparse.Namespace()
    command: ModuleType | None = None
    try:
        command = import_module(f"companion.commands.{name.replace('-', '_')}")
        parser = argparse.ArgumentParser(f"companion {name}", description=description)
        command.add_arguments(parser)
        chosen = parser.parse_args(words)
        status: int = command.run(chosen)
    except Problem as problem:
        game = getattr(chosen, "game", None) or getattr(command, "GAME", None)
        _give_up(name, problem, getattr(chosen, "lang", None) or "en", game)
        return GAVE_UP
    except ImportError as fault:
        lacking = crash.wanting(fault)
        if lacking is None:
            raise
        _give_up(name, Problem(lacking), getattr(chosen, "lang", None) or language_of(words), None)
        return GAVE_UP
    return status


def _give_up(name: str, problem: Problem, language: str, game: str | None) -> None:
    from companion.texts import Translator  # noqa: PLC0415 - seldom needed

    words = problem.said(Translator.of(language, game).say)
    print(f"companion {name}: {words}", file=sys.stderr)


def language_of(words: Sequence[str]) -> str:
    """Return the language that unread arguments ask for."""
    return next(iter(words[words.index("--lang") + 1 :] if "--lang" in words else ()), "en")


def run_from_the_door(name: str, words: Sequence[str], say: Translator) -> None:
    """Run a command as if it had been typed; what went wrong stays to be read, where the door would
    hide it."""
    if run_command(name, [*words, "--lang", say.language]) not in (0, 1):
        input(say("door.enter") + " ")
