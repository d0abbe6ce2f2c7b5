"""`companion new-game`: begin a game of your own as a copy of the one in docs/sixth_game."""

from __future__ import annotations

import argparse
import keyword
import re
from importlib.util import find_spec
from pathlib import Path

from companion.commands.common import add_language_option
from companion.rules import registry
from companion.rules.contract import Problem
from companion.texts import Translator, clean_text, describe_os_error
from companion.user_files import write_file_atomically

PACKED = Path(__file__).parent / "sixth_game"
"""Folder of the example in an installed program; the build puts it there."""
SOURCES = Path(__file__).parents[2] / "docs" / "sixth_game"
# Not the compiled files that may lie beside them.
_COPIED = frozenset({".md", ".py", ".po", ".svg", ".toml"})
_NAME = re.compile("(?=.{2,40}$)[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NAMES = re.compile(r"second_best|second-best|Second Best|SecondBest|\b(?:sb|SB)\b")
_LINKS = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
"""Links to pages beside the example, which the copy does not have."""
_OPENING = re.compile(r"\A# A sixth game\n.*?(?=^- `pyproject\.toml)", re.DOTALL | re.MULTILINE)
"""Introduction on the example's page, which the copy replaces by its own."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `companion new-game`."""
    parser.add_argument("name", metavar="NAME", help="new_game.name")
    parser.add_argument("--out", metavar="DIR", type=Path, help="new_game.out")
    add_language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the game's files; return 0. Raises `Problem` if the name or folder cannot be used, and
    writes nothing then."""
    name, folder = arguments.name, arguments.out or Path(arguments.name)
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise Problem("new_game.bad_name", name=clean_text(name, 40))
    # The id is also the name of a Python package.
    if name in registry.list_game_ids() or _is_module(name):
        raise Problem("new_game.taken", name=name)
    try:
        # Nothing that is there may be overwritten.
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Problem("new_game.not_empty", folder=str(folder))
        _copy_example(SOURCES if SOURCES.is_dir() else PACKED, folder, name)
    except OSError as fault:
        raise Problem("new_game.not_written", folder=str(folder), reason=describe_os_error(fault)) from fault
    print(Translator(arguments.lang)("new_game.written", folder=str(folder), name=name))
    return 0


def _is_module(name: str) -> bool:
    """Return whether Python would import something else by that name. A mere folder does not count:
    an installed package takes precedence."""
    found = find_spec(name)
    return found is not None and found.origin is not None


def _copy_example(example: Path, folder: Path, name: str) -> None:
    """Copy the example's text files with every name of its game replaced."""
    for source in sorted(example.rglob("*")):
        if source.suffix in _COPIED:
            target = folder / replace_names(source.relative_to(example).as_posix(), name)
            write_file_atomically(target, replace_names(source.read_text(encoding="utf-8"), name))


def replace_names(text: str, name: str) -> str:
    """Replace the example's names by those of the game `name`: id, package, title, class, cards and
    clauses.

    >>> names = "SecondBest, Second Best, second-best, second_best; sb:7, sb, SB-3"
    >>> replace_names(names, "six_nimmt")
    'SixNimmt, Six Nimmt, six-nimmt, six_nimmt; sn:7, sn, SN-3'
    """
    words = name.split("_")
    title = " ".join(word.capitalize() for word in words)
    short = "".join(word[0] for word in words)[:4] if len(words) > 1 else name[:2]
    new = {
        "second_best": name,
        "second-best": name.replace("_", "-"),
        "Second Best": title,
        "SecondBest": title.replace(" ", ""),
        "sb": short,
        "SB": short.upper(),
    }
    opening = (
        f"# {new['Second Best']}\n\n"
        f"A game for the card table companion, begun by `companion new-game {name}`\nwith the rules of an "
        "example. It can be installed and played as it is; then change it step by step,\nthis page too. "
        "Nothing in the companion itself is touched.\n\n"
    )
    text = _OPENING.sub(opening, text)
    return _LINKS.sub(r"\1", _NAMES.sub(lambda found: new[found[0]], text))
