"""Arguments shared by several commands, such as the language, and the usual files and camera."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from companion.evening.sharing import NETWORK, PLACES
from companion.folders import user_data
from companion.journal.store import Store, default_path
from companion.language import LANGUAGES
from companion.rules.contract import Problem
from companion.settings import load
from companion.table import pads, zones
from companion.texts import Translator


def add_language(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--lang`; its default is the language of the settings, else the computer's."""
    parser.add_argument("--lang", choices=LANGUAGES, default=load().spoken(), help="common.lang")


def add_journal(parser: argparse.ArgumentParser) -> None:
    """Add `--journal`, the journal to read."""
    usually(
        parser.add_argument("--journal", metavar="FILE", type=Path, help="common.journal"), default_path()
    )


def usually(option: argparse.Action, value: object) -> None:
    """Set the text for `%(usual)s` in the help of an option whose default is determined later."""
    # argparse formats help with all attributes of an action, this one included.
    vars(option)["usual"] = value


def add_share(parser: argparse.ArgumentParser) -> None:
    """Add `--share`: from where a phone that is a camera or reader may connect."""
    parser.add_argument("--share", default=NETWORK, choices=PLACES, help="common.share")


def tell_missing(store: Store, say: Translator, command: str) -> bool:
    """Print on standard error what the journal has lost; return whether there was anything."""
    if store.notice is not None:
        print(f"companion {command}: {say.say(store.notice)}", file=sys.stderr)
    return store.notice is not None


def spare(out: Path, source: Path) -> None:
    """Raise `Problem` if writing to `out` would replace `source`, also under another name."""
    same = False
    with suppress(OSError):  # either is not there: nothing can be lost
        same = out.samefile(source)
    if same:
        raise Problem("export.over_source", file=str(out))


def not_over(out: Path | None, usual: Path) -> Path:
    """Return where to write: the named file, else the usual one, which may be replaced.

    Raises `Problem` if a named file exists already: nobody asked to lose it.
    """
    if out is not None and out != usual and out.exists():
        raise Problem("output.there", file=str(out))
    return out or usual


def usual_layout() -> Path:
    """Return the file for the layout of this computer's table."""
    return user_data() / zones.FILE


def usual_pads() -> Path:
    """Return the file for the places of this table's readers."""
    return user_data() / pads.FILE


def usual_camera() -> str:
    """Return the camera of the settings, else the first one."""
    return load().camera or "0"
