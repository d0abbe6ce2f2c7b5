"""Run a command: parse its arguments, detect whether a screen can be drawn, and report its errors
in one sentence."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from companion import commands, crash
from companion.commands.parsing import Parser, find_language, import_command, set_help_language
from companion.hung_plug_ins import SavedHangMemory
from companion.plan import Plan
from companion.rules import registry
from companion.rules.contract import Problem, Text
from companion.texts import Translator, describe_os_error

T = TypeVar("T")

GAVE_UP = 2
"""Exit status of a command that could not do what was asked; 1 means that it found a problem."""


def run_command(name: str, words: Sequence[str], description: str = "") -> int:
    """Run a command with these arguments; return its exit status, 2 if it gave up."""
    registry.use_hang_memory(SavedHangMemory())
    command = run_reporting_problems(name, lambda: import_command(name), find_language(words))
    if command is None:
        return GAVE_UP
    set_help_language(words)
    parser = Parser(f"companion {name}", description=description)
    command.add_arguments(parser)
    arguments = parser.parse_args(words)
    language = getattr(arguments, "lang", None) or find_language(words)
    game = getattr(arguments, "game", None) or getattr(command, "USUAL_GAME", None)
    status: int | None = run_reporting_problems(name, lambda: command.run(arguments), language, game)
    return GAVE_UP if status is None else status


def run_reporting_problems(
    name: str, action: Callable[[], T], language: str, game: str | None = None
) -> T | None:
    """Call `action` for the command `name` and return its result. If it raises `Problem` or a
    library is missing, print that in one sentence on standard error and return None."""
    try:
        return action()
    except Problem as problem:
        problem_shown = problem
    except ImportError as fault:
        lacking = crash.describe_missing_library(fault)
        if lacking is None:
            raise
        problem_shown = Problem(lacking)
    print(
        f"companion {name}: {problem_shown.describe(Translator.for_game(language, game).translate)}",
        file=sys.stderr,
    )
    return None


def exit_on_signals() -> None:
    """Exit on a closed terminal or a shutdown as `q` does: devices are released, the journal is
    closed."""

    def handle_signal(number: int, _frame: object) -> None:
        # SystemExit ends whatever waits just now, and every `finally` on the way closes its device.
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handle_signal)


def report_failure(words: Sequence[str], fault: Exception) -> int:
    """Report an error that a command did not handle, in the language of its arguments; return the
    exit status."""
    if isinstance(fault, OSError):
        text, status = Text("output.not_written", {"reason": describe_os_error(fault)}), GAVE_UP
    else:
        # 70: EX_SOFTWARE of sysexits.h, an internal error.
        text, status = crash.report_crash(fault), 70
    with suppress(OSError):
        print(
            f"{' '.join(['companion', *words[:1]])}: {Translator(find_language(words)).translate(text)}",
            file=sys.stderr,
        )
    return status


def run_from_home_screen(choice: Plan | str, translator: Translator, words: Sequence[str] = ()) -> None:
    """Play by a plan, or run a command as if it had been typed with these arguments. After an
    error, wait for Enter, because the home screen would cover the message."""
    if isinstance(choice, Plan):
        play = run_reporting_problems(
            "play", lambda: commands.play.play_games, translator.language
        )  # the home screen has not loaded it
        status = GAVE_UP if play is None else play(choice.with_changes(language=translator.language))
    else:
        # The language may have been changed in the settings while the home screen was open.
        status = run_command(choice, [*words, "--lang", translator.language])
    if status not in (0, 1):
        input(translator("home_screen.enter") + " ")


def has_screen() -> bool:
    """Return whether full screens can be drawn; otherwise everything is shown line by line."""
    known = os.name == "nt" or os.environ.get("TERM", "dumb") != "dumb"
    return known and sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()
