"""Arguments that several commands have: the language, and the camera that people usually have."""

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
    """Add `--lang`; by default the language of the settings, else the computer's."""
    words = "the language (default: %(default)s, from the settings)"
    parser.add_argument("--lang", choices=LANGUAGES, default=load().spoken(), help=words)


def add_journal(parser: argparse.ArgumentParser) -> None:
    """Add `--journal`: the journal to be read."""
    words = "the journal (default: %(usual)s)"
    usually(parser.add_argument("--journal", metavar="FILE", type=Path, help=words), default_path())


def usually(option: argparse.Action, value: object) -> None:
    """Let the help of an option whose default is found later tell it, as `%(usual)s`."""
    vars(option)["usual"] = value


def add_share(parser: argparse.ArgumentParser) -> None:
    """Add `--share`: from where a phone that is a camera or a reader may connect."""
    words = "where a phone connects: on the local network, or in a browser of this computer (here)"
    parser.add_argument("--share", default=NETWORK, choices=PLACES, help=words)


def tell_missing(store: Store, say: Translator, command: str) -> bool:
    """Say on standard error what the journal lacks of what was kept in it; tell whether there was
    something to say."""
    if store.notice is not None:
        print(f"companion {command}: {say.say(store.notice)}", file=sys.stderr)
    return store.notice is not None


def spare(out: Path, source: Path) -> None:
    """Raise `Problem` where what is to be written to `out` would replace `source`, whatever the two
    are called."""
    same = False
    with suppress(OSError):  # either is not there: nothing can be lost
        same = out.samefile(source)
    if same:
        raise Problem("export.over_source", file=str(out))


def not_over(out: Path | None, usual: Path) -> Path:
    """Return where to write: the file named, else the usual one, which is there to be renewed.

    Raises `Problem` where a file that was named holds something already: nobody asked to lose it.
    """
    if out is not None and out != usual and out.exists():
        raise Problem("output.there", file=str(out))
    return out or usual


def usual_layout() -> Path:
    """Return where the layout of this computer's table is kept."""
    return user_data() / zones.FILE


def usual_pads() -> Path:
    """Return where the places of this table's readers are kept."""
    return user_data() / pads.FILE


def usual_camera() -> str:
    """Return the camera of the settings, else the first."""
    return load().camera or "0"
