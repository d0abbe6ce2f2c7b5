"""How a command is run: its arguments read, and the one sentence with which it gives up."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from companion.rules.contract import Problem

if TYPE_CHECKING:
    from companion.texts import Translator

GAVE_UP = 2
"""The exit status of a command that could not do what it was asked; 1: it found something wrong."""


def run_command(name: str, words: Sequence[str], description: str = "") -> int:
    """Run `companion.commands.<name>` (`_` for `-`) with these arguments; return its exit status.

    A `Problem` that it raises is said on standard error, and the status is 2.
    """
    command = import_module(f"companion.commands.{name.replace('-', '_')}")
    parser = argparse.ArgumentParser(f"companion {name}", description=description)
    command.add_arguments(parser)
    chosen = parser.parse_args(words)
    try:
        status: int = command.run(chosen)
    except Problem as problem:
        from companion.texts import Translator  # noqa: PLC0415 - seldom needed

        game = getattr(chosen, "game", None) or getattr(command, "GAME", None)
        say = Translator.of(getattr(chosen, "lang", None) or "en", game)
        print(f"companion {name}: {problem.said(say.say)}", file=sys.stderr)
        return GAVE_UP
    return status


def run_from_the_door(name: str, words: Sequence[str], say: Translator) -> None:
    """Run a command as if it had been typed; what went wrong stays to be read, where the door would
    hide it."""
    if run_command(name, [*words, "--lang", say.language]) not in (0, 1):
        input(say("door.enter") + " ")
