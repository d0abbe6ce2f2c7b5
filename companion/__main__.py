"""The command `companion` (also `python -m companion`): a table of commands, one module each.

The module of a command, `companion.commands.<name>`, has `add_arguments(parser)` and
`run(arguments)`, which returns the exit status: 0 for success, 1 if it worked and found a problem.
A `Problem` that it raises is printed in one sentence, with status 2. Only the module of the chosen
command is imported, so that the referee starts without the screen, the camera or the journal.
"""

from __future__ import annotations

import gc
import gettext
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from types import ModuleType

from companion import __version__, libraries
from companion.commands.parsing import SHELLS, Parser, format_completion, set_help_language

GROUPS = {
    "an evening": {
        "welcome": "go on, play, look at or set something (what `companion` alone opens)",
        "play": "open the table: with no device the demo table",
    },
    "cards, camera and readers": {
        "cards": "print our own cards, list decks, check a deck file",
        "enrol": "show the camera the cards of a deck that you own",
        "calibrate": "show where the table is in the camera's picture",
        "flash": "put the reader's firmware on its board: found, written, read back, connected",
        "tags": "say which RFID tag is on which card, tap after tap",
        "pads": "say which card reader stands in front of whom, tap after tap",
        "check": "test readers, buttons, lights, camera, voice, disk and deck in two minutes",
    },
    "what was played": {
        "history": "list the sessions that were played, or tell one of them act by act",
        "figures": "add up what was played: wins, points, favours, decisions; as tables or as a picture",
        "people": "list the players whose names are known, or take those of BG Stats",
        "export": "write a session as CSV, JSON or BG Stats JSON",
    },
    "many tables": {
        "league": "run a club's server, or let this table join one",
    },
    "programs and games of your own": {
        "referee": "answer requests, one JSON object a line, on standard input and output",
        "new-game": "begin a game of your own: its files, ready to be played and changed",
    },
}
"""Every command with its line in `companion --help`, grouped by what people want to do."""
COMMANDS = {name: text for commands in GROUPS.values() for name, text in commands.items()}
EXAMPLES = {
    "companion play --camera 0 --players Ann,Bob,Chloé": "a camera sees the cards of three players",
    "companion play --by-hand --lang fr": "everything is entered by keys, in French",
    "companion cards print --game dtc --out sheets": "a deck to print",
    "companion history 3 --page evening.html": "the third evening, to send to friends",
    "companion play --help": "all that one command takes",
}

USAGE = "companion [--lang LANGUAGE] COMMAND ..."
OPTIONS = {
    "--lang LANGUAGE": "the language, of this help too: en, fr, de",
    "--print-completion SHELL": "print what lets bash, zsh or tcsh complete commands and options",
    "--version": "print the version",
}
GARBAGE = 100_000
"""Allocations between two runs of the garbage collector. With Python's default of 700 it runs 120
times before the first screen appears, with 20,000 it runs four times but for long: a tenth of the
start-up time either way.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (default: `sys.argv`) begin with and return its exit status,
    130 after Ctrl-C.
    """
    _prepare_streams()
    words = _move_command_first(list(sys.argv[1:] if arguments is None else arguments))
    if not words and sys.stdin.isatty() and sys.stdout.isatty():
        words = ["welcome"]
    gc.set_threshold(GARBAGE)
    os.umask(0o077)  # files that the program writes are private: evenings, recordings, exports, logs
    name = words[0] if words else ""
    try:
        known = name in COMMANDS
        status: int = (
            _import_running().run_command(name, words[1:], COMMANDS[name]) if known else _show_overview(words)
        )
        # Here, so that a full disk or a closed pipe is reported; at interpreter exit Python would
        # print a traceback.
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone (`companion play | head`): nothing is left to say.
        _silence_stdout()
        return 0
    except OSError as fault:
        _silence_stdout()
        status = _import_running().report_failure(words, fault)
    except Exception as fault:
        status = _import_running().report_failure(words, fault)
    return status


def _move_command_first(words: list[str]) -> list[str]:
    """Move a leading `--lang` option behind the command; without a command, add `welcome`."""
    if not words or words[0].partition("=")[0] != "--lang":
        return words
    language, rest = (words[:1], words[1:]) if "=" in words[0] else (words[:2], words[2:])
    return [*rest[:1], *language, *rest[1:]] if rest else ["welcome", *language]


def _prepare_streams() -> None:
    """Make sure that every sentence can be written: replace streams that were closed before we
    started by the null device, and use escapes where a stream knows only ASCII.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the program runs
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
        if isinstance(getattr(sys, stream), TextIOWrapper):
            getattr(sys, stream).reconfigure(errors="backslashreplace")


def _silence_stdout() -> None:
    """Redirect standard output to the null device: the flush at Python's exit would fail again,
    with a traceback.
    """
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _import_running() -> ModuleType:
    """Import and return the module that runs a command and reports its errors."""
    from companion.commands import running  # noqa: PLC0415 - help is told without it

    return running


def _show_overview(words: list[str]) -> int:
    set_help_language(words)
    parser = Parser("companion", usage=USAGE, allow_abbrev=False, add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--lang")
    parser.add_argument("--print-completion", choices=SHELLS)
    parser.add_argument("COMMAND", nargs="?", choices=COMMANDS)
    arguments = parser.parse_args(words)
    if arguments.version:
        print(f"companion {__version__}")
    elif arguments.print_completion:
        print(format_completion(COMMANDS, arguments.print_completion))
    else:
        print(_format_help())
    return 0


def _format_help() -> str:
    translator, width = gettext.gettext, min(shutil.get_terminal_size().columns, 100)
    parts = [translator("usage: ") + USAGE, translator("The companion for real card tables.")]
    for heading, lines in {**GROUPS, "options": OPTIONS}.items():
        column = max(map(len, lines)) + 4
        wrap = libraries.textwrap.TextWrapper(width, subsequent_indent=" " * column)
        entries = [wrap.fill(f"  {name:<{column - 2}}{translator(text)}") for name, text in lines.items()]
        parts.append("\n".join([f"{translator(heading)}:", *entries]))
    entries = [f"  {typed}\n      {translator(text)}" for typed, text in EXAMPLES.items()]
    return "\n\n".join([*parts, "\n".join([translator("examples:"), *entries])])


if __name__ == "__main__":
    sys.exit(main())
