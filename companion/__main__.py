"""The command `companion` (also `python -m companion`): a table of commands, one module each.

The module of a command, `companion.commands.<name>` or one that is installed
(`companion.plug_ins`), has `add_arguments(parser)` and `run(arguments)`, which returns the exit
status: 0 for success, 1 if it worked and found a problem. A `Problem` that it raises is printed in
one sentence, with status 2. Only the module of the chosen command is imported, so that the referee
starts without the screen, the camera or the journal.
"""

from __future__ import annotations

import atexit
import gc
import gettext
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from types import ModuleType
from typing import NoReturn

from companion import __version__, libraries, plug_ins
from companion.commands.parsing import SHELLS, Parser, format_completion, set_help_language, translate_help
from companion.rules.entry_points import list_entry_points

GROUPS = {
    "group.playing": ("welcome", "play"),
    "group.equipment": ("cards", "enrol", "calibrate", "flash", "tags", "pads", "check"),
    "group.history": ("history", "figures", "people", "export"),
    "group.own": ("referee", "new-game"),
}
"""The program's own commands, grouped by what people want to do, as in `companion --help`."""
COMMANDS = {name for names in GROUPS.values() for name in names}
EXAMPLES = {
    "companion play --camera 0 --players Ann,Bob,Chloé": "example.camera",
    "companion play --by-hand --lang fr": "example.by_hand",
    "companion cards print --game dtc --out sheets": "example.print",
    "companion history 3 --page evening.html": "example.page",
    "companion play --help": "example.help",
}

USAGE = "companion [--lang LANGUAGE] COMMAND ..."
OPTIONS = {
    "--lang LANGUAGE": "option.lang",
    "--print-completion SHELL": "option.print_completion",
    "--version": "option.version",
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
        known = name in COMMANDS or name in list_commands()
        status: int = (
            _import_running().run_command(name, words[1:], f"command.{name}")
            if known
            else _show_overview(words)
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


def list_groups() -> dict[str, tuple[str, ...]]:
    """Return every command by the code of its group's heading. One that is installed has a group of
    its own."""
    installed = [name.replace("_", "-") for name in list_entry_points(plug_ins.COMMANDS)]
    *groups, last = GROUPS.items()
    return dict([*groups, *((f"group.{name}", (name,)) for name in installed if name not in COMMANDS), last])


def list_commands() -> dict[str, str]:
    """Return every command with the code of its description in the help catalogues."""
    return {name: f"command.{name}" for names in list_groups().values() for name in names}


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
    parser.add_argument("COMMAND", nargs="?", choices=list_commands())
    arguments = parser.parse_args(words)
    if arguments.version:
        print(f"companion {__version__}")
    elif arguments.print_completion:
        print(format_completion(list_commands(), arguments.print_completion))
    else:
        print(_format_help())
    return 0


def _format_help() -> str:
    width = min(shutil.get_terminal_size().columns, 100)
    # "usage: " and "options" are argparse's own messages.
    parts = [gettext.gettext("usage: ") + USAGE, translate_help("overview")]
    sections = {
        translate_help(group): {name: f"command.{name}" for name in names}
        for group, names in list_groups().items()
    }
    for heading, lines in {**sections, gettext.gettext("options"): OPTIONS}.items():
        column = max(map(len, lines)) + 4
        wrap = libraries.textwrap.TextWrapper(width, subsequent_indent=" " * column)
        entries = [wrap.fill(f"  {name:<{column - 2}}{translate_help(code)}") for name, code in lines.items()]
        parts.append("\n".join([f"{heading}:", *entries]))
    entries = [f"  {typed}\n      {translate_help(code)}" for typed, code in EXAMPLES.items()]
    return "\n\n".join([*parts, "\n".join([translate_help("examples"), *entries])])


def run_program() -> NoReturn:
    """Run the command of `sys.argv`, and end the process with its exit status."""
    status = 1
    # Registered first, so that it runs after everything else that was registered.
    atexit.register(lambda: _exit_beside_threads(status))
    try:
        status = main()
    except SystemExit as leaving:
        # A parser of arguments has said what is wrong.
        status = int(leaving.code or 0)
    sys.exit(status)


def _exit_beside_threads(status: int) -> None:
    """End the process at once if another thread is still running, which may wait in a driver for as
    long as it likes: a silent camera does.

    A thread that returns from a native library while Python takes itself apart ends the process
    with `abort`. What was to be saved is saved, and what was registered with `atexit` has run.
    """
    if threading.active_count() > 1:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)


if __name__ == "__main__":
    run_program()
