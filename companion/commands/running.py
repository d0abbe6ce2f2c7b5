"""Run a command: parse its arguments, detect whether a screen can be drawn, and report its errors
in one sentence."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TypeVar

from companion import commands, crash
from companion.commands.parsing import Parser, language_of, speak
from companion.plan import Plan
from companion.rules.contract import Problem, Text
from companion.texts import Translator, system_reason

T = TypeVar("T")

GAVE_UP = 2
"""Exit status of a command that could not do what was asked; 1 means that it found a problem."""


def run_command(name: str, words: Sequence[str], description: str = "") -> int:
    """Run `companion.commands.<name>` (`_` for `-`) with these arguments; return its exit status, 2
    if it gave up."""
    module = f"companion.commands.{name.replace('-', '_')}"
    command = attempt(name, lambda: import_module(module), language_of(words))
    if command is None:
        return GAVE_UP
    speak(words)
    parser = Parser(f"companion {name}", description=description)
    command.add_arguments(parser)
    chosen = parser.parse_args(words)
    language = getattr(chosen, "lang", None) or language_of(words)
    game = getattr(chosen, "game", None) or getattr(command, "USUAL_GAME", None)
    status: int | None = attempt(name, lambda: command.run(chosen), language, game)
    return GAVE_UP if status is None else status


def attempt(name: str, act: Callable[[], T], language: str, game: str | None = None) -> T | None:
    """Call `act` for the command `name` and return its result. If it raises `Problem` or a library
    is missing, print that in one sentence on standard error and return None."""
    try:
        return act()
    except Problem as problem:
        said = problem
    except ImportError as fault:
        lacking = crash.wanting(fault)
        if lacking is None:
            raise
        said = Problem(lacking)
    print(f"companion {name}: {said.said(Translator.of(language, game).say)}", file=sys.stderr)
    return None


def leave_when_told() -> None:
    """Exit on a closed terminal or a shutdown as `q` does: devices are released, the journal is
    closed."""

    def leave(number: int, _frame: object) -> None:
        # SystemExit ends whatever waits just now, and every `finally` on the way closes its device.
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)


def complain(words: Sequence[str], fault: Exception) -> int:
    """Report an error that a command did not handle, in the language of its arguments; return the
    exit status."""
    if isinstance(fault, OSError):
        text, status = Text("output.not_written", {"reason": system_reason(fault)}), GAVE_UP
    else:
        # 70: EX_SOFTWARE of sysexits.h, an internal error.
        text, status = crash.report(fault), 70
    with suppress(OSError):
        print(
            f"{' '.join(['companion', *words[:1]])}: {Translator(language_of(words)).say(text)}",
            file=sys.stderr,
        )
    return status


def run_from_the_door(what: Plan | str, say: Translator) -> None:
    """Play by a plan, or run a command as if it had been typed. After an error, wait for Enter,
    because the door would cover the message."""
    if isinstance(what, Plan):
        play = attempt("play", lambda: commands.play.play, say.language)  # the door has not loaded it
        status = GAVE_UP if play is None else play(what.but(language=say.language))
    else:
        # The language may have been changed in the settings while the door was open.
        status = run_command(what, ["--lang", say.language])
    if status not in (0, 1):
        input(say("door.enter") + " ")


def has_screen() -> bool:
    """Return whether full screens can be drawn; otherwise everything is shown line by line."""
    known = os.name == "nt" or os.environ.get("TERM", "dumb") != "dumb"
    return known and sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
